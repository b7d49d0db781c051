"""What is done to an operator's link while the arm of an installation follows the hand, and what came of it.

Each trial: the clutch is on and the hand moves; then something happens to the link, the hand goes elsewhere
meanwhile, and the clutch is pressed anew with a hand that is held still: from then on nothing may move.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import InstallationError, TransportError
from pilothouse.experiments.definition import Progress
from pilothouse.experiments.operator_link.entry import Motion, ScriptedOperator, at, until
from pilothouse.experiments.operator_link.relay import LOOPBACK, UdpRelay
from pilothouse.experiments.operator_link.robot import ARM, DrivenRobot, driven_robot
from pilothouse.experiments.operator_link.watch import LinkLog, jump_mm, moved_by, released
from resources.types.motion import ArmSample

STROKE_M, STROKES_PER_S = 0.04, 0.35
"""Of the hand to and fro about its place; some 90 mm/s at the most."""

CUT_S: Final = 0.35
CUT_FOR_GOOD_S: Final = 2.6
"""Longer than a link lives without being heard."""

ELSEWHERE_M: Final = 0.2
"""So far the hand goes while nobody hears it, in each direction at the most."""

WATCHED_S: Final = 0.3
"""After a new engagement [s]."""

TRIES: Final = 10
"""To have the clutch go on and stay on, on a busy machine."""

MOVES_MM: Final = 0.5
"""From this on a target has moved [mm]."""

BOTH_S: Final = 1.5

CLAIMS, ENDS = "let me drive", "stop"
MOTIONS: Final = ("move up twelve centimetres slowly", "move down twelve centimetres slowly")

X, Y, Z = range(3)


class Trials(msgspec.Struct, frozen=True):
    """How many: packets missing for a moment, the same with the main process stopped, pages loaded anew,
    links cut until they are given up, hand-overs to another operator, take-overs from an action."""

    cuts: int = 20
    pauses: int = 6
    reloads: int = 4
    cut_backs: int = 2
    hand_overs: int = 4
    take_overs: int = 2


class Driven(msgspec.Struct):
    """What was found. off_ms: clutch off after a cut; off_paused_ms: with the main process stopped.

    jumps_mm: by what came before: "gap", "reload", "cut", "hand-over", "take-over". interleaved: reports that
    the second operator moved; both: reports watched for that, the first one's clutch on. repeated: attempts
    at getting the clutch on that failed. loop_lag_ms: of the main process meanwhile, 99th percentile.
    """

    off_ms: list[float] = []
    off_paused_ms: list[float] = []
    jumps_mm: dict[str, list[float]] = {}
    interleaved: int = 0
    both: int = 0
    repeated: int = 0
    loop_lag_ms: float = 0.0


class Drives:
    """All trials, on one installation."""

    def __init__(self, robot: DrivenRobot, relay: UdpRelay, seed: int, progress: Progress) -> None:
        self.found = Driven()
        self._robot = robot
        self._relay = relay
        self._drawn = random.Random(seed)
        self._progress = progress
        self._place = (0.0, 0.0, 0.0)
        self._height: float | None = None
        self._motions = itertools.cycle(MOTIONS)

    async def run(self, trials: Trials) -> Driven:
        """So many of each."""
        robot, progress = self._robot, self._progress
        async with (
            UdpRelay(LOOPBACK, 0) as other_way,
            robot.operator(self._relay) as first,
            robot.operator(other_way) as second,
        ):
            hands = {each.paired.session: robot.hand(each) for each in (first, second)}
            with LinkLog({ARM: robot.arm, **hands}) as log:
                await first.drives()
                progress.begin("cutting the link", trials.cuts)
                await self._repeat(trials.cuts, lambda: self._gap(first, log))
                self.found.loop_lag_ms = await robot.loop_lag_ms()
                progress.begin("cutting it, the main process stopped", trials.pauses)
                await self._repeat(trials.pauses, lambda: self._gap(first, log, paused=True))
                progress.begin("reconnecting", trials.reloads + trials.cut_backs)
                await self._repeat(trials.reloads, lambda: self._reload(first, log))
                await self._repeat(trials.cut_backs, lambda: self._reload(first, log, cut=True))
                progress.begin("two operators, handing over", trials.hand_overs)
                pair = itertools.cycle(((first, second), (second, first)))
                await self._repeat(trials.hand_overs, lambda: self._hand_over(*next(pair), log))
                progress.begin("taking over from an action", trials.take_overs)
                await self._repeat(trials.take_overs, lambda: self._take_over(first, log))
        return self.found

    async def _repeat(self, times: int, trial: Callable[[], Awaitable[None]]) -> None:
        for _ in range(times):
            await trial()
            self._progress.step()

    # ------------------------------------------------------------ trials

    async def _gap(self, operator: ScriptedOperator, log: LinkLog, *, paused: bool = False) -> None:
        """Some packets are missing; the page is there all the while, its clutch held."""
        for _ in range(TRIES):
            await self._engaged(operator, log)
            operator.motion = self._strokes(log)
            log.begin()
            await asyncio.sleep(0.3 + 0.2 * self._drawn.random())
            if paused:
                self._robot.program.pause()
            cut_s = time.monotonic()
            self._relay.is_cut = True
            self._move_elsewhere(operator)
            await asyncio.sleep(CUT_S)
            self._relay.is_cut = False
            if paused:
                self._robot.program.resume()
            await asyncio.sleep(0.2)
            found = released(log.arm(ARM), log.hand(operator.paired.session), cut_s)
            if found is not None:
                await self._at_rest(log)
                log.begin()
                self._move_elsewhere(operator)  # it is held as before, and heard again: that moves nothing
                await asyncio.sleep(WATCHED_S)
                self._note_all("gap", log)
                (self.found.off_paused_ms if paused else self.found.off_ms).append(found.off_ms)
                break
            self.found.repeated += 1
        if paused:
            await operator.drives()
        await self._press_still("gap", operator, log)

    async def _reload(self, operator: ScriptedOperator, log: LinkLog, *, cut: bool = False) -> None:
        """The link ends with the clutch held, and the same session makes a new one."""
        await self._engaged(operator, log)
        operator.motion = self._strokes(log)
        await asyncio.sleep(0.4)
        if cut:
            self._relay.is_cut = True
            await asyncio.sleep(CUT_FOR_GOOD_S)
            self._relay.is_cut = False
        self._move_elsewhere(operator)
        await operator.link()
        await operator.drives()
        await self._press_still("cut" if cut else "reload", operator, log)

    async def _hand_over(self, one: ScriptedOperator, other: ScriptedOperator, log: LinkLog) -> None:
        """The other one claims to drive, too, holds the clutch and moves; then it is handed over to it."""
        await one.drives()
        await self._engaged(one, log)
        await other.asks(CLAIMS)
        other.page.press()
        other.motion = _along(Y, self._place)
        for motion in (at(self._place), self._strokes(log)):
            one.motion = motion
            await asyncio.sleep(0.1)
            log.begin()
            await asyncio.sleep(BOTH_S)
            track = log.arm(ARM)
            self.found.both += sum(sample.loop.engaged != 0 for _, sample in track)
            self.found.interleaved += moved_by(track, Y, MOVES_MM)
        await self._robot.console.hand_over(other.paired.session)
        await self._gets_it("hand-over", other, log)
        one.page.release()

    async def _take_over(self, operator: ScriptedOperator, log: LinkLog) -> None:
        """The arm moves by itself; whoever takes it holds the clutch and moves the hand all the while."""
        await self._robot.console.say(ENDS)
        await until(lambda: not operator.may_drive, "nobody drives")
        operator.page.release()
        await self._at_rest(log)
        log.begin()
        await self._robot.console.say(next(self._motions))
        await until(lambda: not _is_at_rest(log), "the arm moves by itself")
        operator.page.press()
        operator.motion = _along(Y, self._place)
        await self._gets_it("take-over", operator, log)

    # ------------------------------------------------------------ a person

    async def _engaged(self, operator: ScriptedOperator, log: LinkLog) -> None:
        """The hand is held still, the clutch pressed, until the arm follows."""
        operator.motion = at(self._place)
        for _ in range(TRIES):
            operator.page.release()
            await self._at_rest(log)
            await asyncio.sleep(0.1)
            operator.page.press()
            try:
                await until(lambda: _loop_engaged(log), "the clutch is on", 1.5)
                return
            except TransportError:
                self.found.repeated += 1
        sample = log.arm_now(ARM)
        raise InstallationError(
            f"the clutch of {operator.name} does not go on in {TRIES} tries; the arm says: "
            f"{sample.loop if sample is not None else 'nothing'}"
        )

    async def _gets_it(self, by: str, operator: ScriptedOperator, log: LinkLog) -> None:
        """The arm becomes somebody's who has held the clutch since before: that alone moves nothing."""
        await operator.drives()
        await self._at_rest(log)
        log.begin()
        await asyncio.sleep(WATCHED_S)
        self._note_all(by, log)
        operator.page.release()
        self._move_elsewhere(operator)
        await self._press_still(by, operator, log)

    async def _press_still(self, after: str, operator: ScriptedOperator, log: LinkLog) -> None:
        """What moves when the clutch is pressed anew, and shortly after it."""
        await self._at_rest(log)
        log.begin()
        await self._engaged(operator, log)
        await asyncio.sleep(WATCHED_S)
        self._note_all(after, log)
        operator.page.release()

    async def _at_rest(self, log: LinkLog) -> None:
        await until(lambda: _is_at_rest(log), "the arm is at rest")

    def _strokes(self, log: LinkLog) -> Motion:
        """Up and down, at first to where the arm was in the beginning: trials must not carry it away."""
        sample = log.arm_now(ARM)
        assert sample is not None
        height = sample.base_T_tool[Z]
        self._height = height if self._height is None else self._height
        return _along(Z, self._place, 1.0 if height <= self._height else -1.0)

    def _move_elsewhere(self, operator: ScriptedOperator) -> None:
        """The hand goes somewhere while nobody hears it, and stays there."""
        x, y, z = (ELSEWHERE_M * self._drawn.uniform(-1.0, 1.0) for _ in range(3))
        self._place = (x, y, z)
        operator.motion = at(self._place)

    def _note_all(self, after: str, log: LinkLog) -> None:
        """All that was kept is of a time in which nothing was to move."""
        self.found.jumps_mm.setdefault(after, []).append(jump_mm(log.arm(ARM)))


def _is_at_rest(log: LinkLog) -> bool:
    sample = log.arm_now(ARM)
    return sample is not None and sample.loop.is_at_rest and not sample.loop.engaged


def _loop_engaged(log: LinkLog) -> bool:
    sample: ArmSample | None = log.arm_now(ARM)
    return sample is not None and sample.loop.engaged != 0


def _along(axis: int, place: tuple[float, float, float], sign: float = 1.0) -> Motion:
    """To and fro along an axis of the base about a place, beginning there."""
    begun_s = time.monotonic()
    rate = 2.0 * math.pi * STROKES_PER_S

    def motion(now_s: float) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        angle = rate * (now_s - begun_s)
        way = [0.0, 0.0, 0.0]
        speed = [0.0, 0.0, 0.0]
        way[axis] = sign * STROKE_M * (1.0 - math.cos(angle))
        speed[axis] = sign * STROKE_M * rate * math.sin(angle)
        return (place[0] + way[0], place[1] + way[1], place[2] + way[2]), (speed[0], speed[1], speed[2])

    return motion


async def driven(folder: Path, seed: int, progress: Progress, trials: Trials) -> Driven:
    """Start the robot, and do all of it."""
    progress.begin("starting the robot", 1)
    async with driven_robot(folder, seed) as robot, UdpRelay(LOOPBACK, seed) as relay:
        progress.step()
        return await Drives(robot, relay, seed, progress).run(trials)
