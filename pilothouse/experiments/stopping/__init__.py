"""From a stop to zero speed: five ways to stop, the main process alive and stopped, all devices in motion."""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from framework.errors import InstallationError
from framework.transport.ring import RingReader
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.stopping.robot import CATEGORIES, DEVICES, MovingRobot, Way, moving_robot
from pilothouse.experiments.stopping.watch import STANDS as STANDS  # the notes say it
from pilothouse.experiments.stopping.watch import Recorder, Track
from pilothouse.testbed.installation_program import PATIENCE_S
from resources.types.motion import ORDER_LAPSES_S as ORDER_LAPSES_S  # the notes say it
from resources.types.motion import TARGET_LAPSES_S as TARGET_LAPSES_S
from resources.types.motion import ArmSample, BaseSample, decode_orders

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

MOTIONS: Final = ("joints", "pose", "twist")

#: Faster than this they are in fast motion [rad/s], [m/s].
FAST: Final = {"left_arm": 0.4, "right_arm": 0.4, "base": 0.4}

#: How long is watched after a stop, after the main process goes on, and after a reset, in its own time [s].
WATCH_S, AFTER_S, RESET_S = 1.2, 0.7, 0.4

#: The same after a holder has fallen silent while it goes on holding; it goes on for .7 s before [s].
LAPSE_S: Final = 2.4

#: So much of its speed is left when it is slowed down; the rest of the way it settles, compliantly.
SLOWED: Final = 0.1

#: In this time it has moved fast [s].
GETS_FAST_S: Final = 15.0

#: To get all of them fast, and to stop them while they are: at a stop, this share of that is left.
TRIES: Final = 4
_STILL_FAST: Final = 0.8


class Stopped(msgspec.Struct, frozen=True):
    """What one device did at one stop; lengths in degrees for arms, millimetres for the base.

    stood_ms: None if it did not stand within what was watched. slowed_ms: until a tenth of its speed was
    left. resumed: its way after its main process went on; reset: its way in a reset.
    """

    way: Way
    is_alive: bool
    motion: str
    device: str
    stood_ms: float | None
    slowed_ms: float | None
    speed: float
    braking: float
    overshoot: float
    resumed: float
    reset: float


class StoppingRuns:
    """Measures, and keeps each stop for the picture."""

    def __init__(
        self,
        motions: Sequence[str] = MOTIONS,
        ways: Sequence[Way] = tuple(Way),
        alive: Sequence[bool] = (True, False),
        *,
        lapses: bool = True,
    ) -> None:
        self._motions = motions
        self._ways = ways
        self._alive = alive
        self._lapses = ("lapsing", "ceasing") if lapses else ()
        self.stops: list[Stopped] = []
        self.repeated = 0

    async def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes about three minutes."""
        self.stops = []
        with tempfile.TemporaryDirectory() as folder:
            progress.begin("starting the robot", 1)
            async with moving_robot(Path(folder), seed) as robot:
                await _world_is_there(robot)
                progress.step()
                trials = [
                    (way, alive, motion)
                    for way in self._ways
                    for alive in self._alive
                    for motion in self._motions
                ]
                progress.begin("stopping it", len(trials) + len(self._lapses))
                with Recorder(robot.streams) as recorder:
                    self.repeated = 0
                    for way, alive, motion in trials:
                        self.stops += await self._in_motion(robot, recorder, way, motion, is_alive=alive)
                        progress.step()
                    figures = self._figures()
                    for motion in self._lapses:
                        name = "order" if motion == "lapsing" else "target"
                        tracks = await _lapse(robot, recorder, motion)
                        figures[f"{name}_lapse_ms"] = _longest([t.stood_ms(at_s) for t, at_s in tracks])
                        slowed = [t.stood_ms(at_s, share=SLOWED) for t, at_s in tracks]
                        figures[f"{name}_lapse_slowed_ms"] = _longest(slowed)
                        progress.step()
                figures["reflexes"] = robot.reflexes
                figures["repeated"] = self.repeated
        return figures

    async def _in_motion(
        self, robot: MovingRobot, recorder: Recorder, way: Way, motion: str, *, is_alive: bool
    ) -> list[Stopped]:
        """One stop of what moves fast; made again if the motion was over before it came."""
        for left in reversed(range(TRIES)):
            stops = await _stop(robot, recorder, way, motion, is_alive=is_alive)
            if not left or all(stop.speed > _STILL_FAST * _fast(stop.device) for stop in stops):
                break
            self.repeated += 1
        return stops

    def _figures(self) -> Figures:
        figures: Figures = {}
        for way in self._ways:
            for alive, name in ((True, "alive"), (False, "stopped")):
                figures[f"{way}_{name}_ms"] = _worst(
                    [each for each in self.stops if each.way is way and each.is_alive is alive]
                )
        for motion in self._motions:
            figures[f"{motion}_ms"] = _worst([each for each in self.stops if each.motion == motion])
        for device, category in CATEGORIES.items():
            figures[f"{category}_ms"] = _worst([each for each in self.stops if each.device == device])
        figures["worst_ms"] = _worst(self.stops)
        figures["worst_slowed_ms"] = _longest([each.slowed_ms for each in self.stops])
        figures["all_stood"] = all(each.stood_ms is not None for each in self.stops)
        arms = [each for each in self.stops if each.device != "base"]
        base = [each for each in self.stops if each.device == "base"]
        figures["least_speed_deg_s"] = min(each.speed for each in arms)
        figures["braking_deg"] = max(each.braking for each in arms)
        figures["braking_mm"] = max(each.braking for each in base)
        figures["overshoot_deg"] = max(each.overshoot for each in arms)
        figures["resumed_deg"] = max(each.resumed for each in arms)
        figures["resumed_mm"] = max(each.resumed for each in base)
        figures["reset_deg"] = max(each.reset for each in arms)
        figures["reset_mm"] = max(each.reset for each in base)
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Each stop a point: its way, and how long it took."""
        left, right = drawing.subplots(1, 2, sharey=True)
        for axes, alive, title in (
            (left, True, "main process alive"),
            (right, False, "main process stopped"),
        ):
            for number, (device, category) in enumerate(CATEGORIES.items()):
                points = [
                    (self._ways.index(each.way) + 0.2 * (number - 1), each.stood_ms)
                    for each in self.stops
                    if each.device == device and each.is_alive is alive and each.stood_ms is not None
                ]
                label = f"{device}: {category}" if number < 2 else device
                axes.plot([x for x, _ in points], [stood_ms for _, stood_ms in points], "o", label=label)
            axes.set_xticks(range(len(self._ways)), [str(way) for way in self._ways])
            axes.axhline(200.0, color="tab:red", linestyle=":", label="heartbeat's time-out")
            axes.set_title(title)
        left.set_ylabel("from the stop to zero speed [simulated ms]")
        left.set_ylim(bottom=0.0)
        right.legend()


def _worst(stops: Sequence[Stopped]) -> float | None:
    """To zero speed, of the slowest."""
    return _longest([each.stood_ms for each in stops])


def _longest(times: Sequence[float | None]) -> float | None:
    """None if one of them could not be measured."""
    measured = [each for each in times if each is not None]
    return max(measured) if measured and len(measured) == len(times) else None


async def _world_is_there(robot: MovingRobot) -> None:
    async with asyncio.timeout(GETS_FAST_S):
        while True:
            if robot.has_world:
                return
            await asyncio.sleep(0.1)


async def _stop(
    robot: MovingRobot, recorder: Recorder, way: Way, motion: str, *, is_alive: bool
) -> list[Stopped]:
    """One stop, all devices in motion; afterwards everything is as before."""
    await robot.get_ready(way)
    await _get_fast(robot, recorder, motion)
    recorder.begin()
    await asyncio.sleep(0.05)
    stopped_s = time.monotonic()
    if not is_alive:
        robot.program.pause()
    if is_alive or way is not Way.HEARTBEAT:
        await robot.stop(way)
    if way is Way.HEARTBEAT:
        stopped_s = await robot.last_beat_s()  # it is lost from its last beat on
    await _passes(recorder, WATCH_S)
    resumed_s = time.monotonic()
    if not is_alive:
        robot.program.resume()
    await _passes(recorder, AFTER_S)
    await robot.is_over(way)
    await robot.is_idle()
    reset_s = time.monotonic()
    await robot.program.reset("the experiment")
    await _passes(recorder, RESET_S)
    stops = []
    for device in DEVICES:
        track = recorder.track(device)
        unit = 1e3 if device == "base" else math.degrees(1.0)
        until_resumed = track.between(0.0, resumed_s)
        stops.append(
            Stopped(
                way,
                is_alive,
                motion,
                device,
                until_resumed.stood_ms(stopped_s),
                until_resumed.stood_ms(stopped_s, share=SLOWED),
                unit * track.speed_at(stopped_s),
                unit * until_resumed.way(stopped_s),
                unit * until_resumed.overshoot(stopped_s),
                unit * track.between(0.0, reset_s).way(resumed_s),
                unit * track.way(reset_s),
            )
        )
    return stops


async def _lapse(robot: MovingRobot, recorder: Recorder, motion: str) -> list[tuple[Track, float]]:
    """Of a holder that falls silent: what its devices did, and when each was commanded last."""
    await _get_fast(robot, recorder, motion)
    recorder.begin()
    await asyncio.sleep(LAPSE_S)
    tracks: list[tuple[Track, float]] = []
    for device in DEVICES:
        if device == "base" and motion == "lapsing":
            continue  # it is driven by streamed velocities only
        with RingReader(robot.mailbox(device)) as mailbox:
            sample = mailbox.latest()
        stamp = decode_orders(bytes(sample.payload)).stamp if sample is not None else None
        if stamp is None:
            raise InstallationError(f"{device} is not held any more by whoever fell silent")
        tracks.append((recorder.track(device), stamp.sent_s))
    await robot.is_idle()
    return tracks


async def _passes(recorder: Recorder, seconds: float) -> None:
    """Wait for so long in the world's own time. Raises InstallationError if that stands still."""
    began = recorder.latest("base")
    try:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await asyncio.sleep(0.01)
                now = recorder.latest("base")
                began = began or now
                if began is not None and now is not None and now.time_s - began.time_s >= seconds:
                    return
    except TimeoutError:
        raise InstallationError(f"the world does not get on by {seconds:g} s in {PATIENCE_S:g} s") from None


async def _get_fast(robot: MovingRobot, recorder: Recorder, motion: str) -> None:
    """Set all in motion; again if that fails, as on a machine so busy that the world stood still."""
    for left in reversed(range(TRIES)):
        await robot.says(f"perform the fast motion {motion}")
        try:
            await _is_fast(robot, recorder)
            return
        except InstallationError:
            if not left:
                raise
            await robot.says("stop")
            await robot.is_idle()
            await robot.recover()


async def _is_fast(robot: MovingRobot, recorder: Recorder) -> None:
    """Wait until they all move fast. Raises InstallationError if they do not, or no plan runs any more."""
    ended = asyncio.create_task(robot.has_ended())
    try:
        async with asyncio.timeout(GETS_FAST_S):
            while not ended.done():
                if all(_speed(recorder, device) > FAST[device] for device in DEVICES):
                    return
                await asyncio.sleep(0.004)
    except TimeoutError:
        pass
    finally:
        ended.cancel()
        await asyncio.gather(ended, return_exceptions=True)
    speeds = ", ".join(f"{device} {_speed(recorder, device):.2f}" for device in DEVICES)
    raise InstallationError(
        f"they do not get fast within {GETS_FAST_S:g} s: {speeds}; said was: {robot.said}"
    )


def _fast(device: str) -> float:
    """What counts as fast, in the unit of `Stopped`: degrees or millimetres a second."""
    return FAST[device] * (1e3 if device == "base" else math.degrees(1.0))


def _speed(recorder: Recorder, device: str) -> float:
    match recorder.latest(device):
        case ArmSample(dq=speeds) | BaseSample(velocity=speeds):
            return max(map(abs, speeds))
    return 0.0


_RUNS: Final = StoppingRuns()
measure, draw = _RUNS.measure, _RUNS.draw
