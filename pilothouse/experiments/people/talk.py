"""One trial on the played installation: what was begun, asked, refused and answered, and what moved."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from framework.events import Event, EventKind
from framework.plan.ast import Plan
from framework.testing.runner import run
from pilothouse.experiments.people.trials import Trial
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation
from resources.controllers.ideal import IdealArm, tool_pose
from resources.types.motion import ArmSample, BaseSample, GripperSample, MotionSample

WHO: Final = "somebody"
#: Devices are up by then [s].
_UP_S: Final = 6.0
#: So long a sentence before it has effect; if that is in motion when the next one comes, and if not [s].
_IN_MOTION_S, _DONE_S = 0.9, 12.0
#: So long we look at what comes of a sentence; if it matters where things end [s].
_LOOK_S, _ENDS_S = 3.0, 25.0
_STANDS_S: Final = 1.0
#: Who guides an arm turns its wrist so far, so often [rad, s].
_LED_RAD, _LEADS_S = 0.02, 0.25
_IN_MOTION: Final = ("stop", "resume")
_STILL_M, _STILL_RAD = 0.002, 0.01

Place = tuple[float, ...]
"""Of an arm its tool's position [m] and quaternion (x, y, z, w) in the arm's base frame; of the base x, y [m]
and heading [rad] in its odometry's frame; of a gripper its width [m]."""


class Came(msgspec.Struct, frozen=True):
    """What came of a sentence.

    begun: plans that began unasked. offered: plans that began after a "yes".
    asked, refused, answered: sentences; kind: of the refusal.
    unknown: a thing of which a refusal says that it is not known. happened: kinds of events.
    moved: devices that did. began, ended: where each was before the first sentence, and in the end.
    """

    begun: tuple[Plan, ...] = ()
    offered: tuple[Plan, ...] = ()
    asked: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    kind: str = ""
    unknown: str = ""
    answered: tuple[str, ...] = ()
    happened: frozenset[str] = frozenset()
    moved: frozenset[str] = frozenset()
    began: dict[str, Place] = {}
    ended: dict[str, Place] = {}


def come_of(trial: Trial) -> Came:
    """Play it, on the virtual clock."""
    return run(lambda: _play(trial), seed=0)


async def _play(trial: Trial) -> Came:
    with tempfile.TemporaryDirectory(prefix="pilothouse-people-") as state:
        installation = VirtualInstallation(Settings(state=Path(state), seed=0))
        async with installation:
            await asyncio.sleep(_UP_S)
            return await _Talk(installation, trial).whole()


class _Talk:
    def __init__(self, installation: VirtualInstallation, trial: Trial) -> None:
        self._installation = installation
        self._supervisor = installation.supervisor
        self._trial = trial

    async def whole(self) -> Came:
        trial, supervisor = self._trial, self._supervisor
        begins = self._places()
        for text in trial.before:
            supervisor.say(text, who=WHO)
            await self._pass(_IN_MOTION_S if trial.kind in _IN_MOTION else _DONE_S)
            if supervisor.questions:
                supervisor.say("yes", who=WHO)
                await asyncio.sleep(_IN_MOTION_S)
        before = self._places()
        since = supervisor.events.last_sequence
        known = self._plans()
        supervisor.say(trial.say, who=WHO)
        if trial.kind in _IN_MOTION:  # what moves takes a moment to stand
            await asyncio.sleep(_STANDS_S)
            before = self._places()
        await asyncio.sleep(_LOOK_S)
        begun = self._plans().keys() - known.keys()
        asked = tuple(question.full_text for question in supervisor.questions)
        moved = self._moved(before)
        if asked and supervisor.questions[0].is_yes_or_no:
            supervisor.say("yes", who=WHO)
            await asyncio.sleep(_LOOK_S)
        offered = self._plans().keys() - known.keys() - begun
        if trial.all_ends:
            await asyncio.sleep(_ENDS_S)
        plans, events = self._plans(), supervisor.events.history(since)
        refusals = [each for each in events if each.kind is EventKind.REFUSED]
        return Came(
            tuple(plans[each] for each in sorted(begun)),
            tuple(plans[each] for each in sorted(offered)),
            asked,
            tuple(each.text for each in refusals),
            str(refusals[0].subject) if refusals else "",
            str(refusals[0].data.get("unknown", "")) if refusals else "",
            _texts(events, EventKind.ANSWERED),
            frozenset(each.kind.value for each in events),
            moved if not offered else self._moved(before),
            begins,
            self._places(),
        )

    async def _pass(self, duration_s: float) -> None:
        """Let time pass. Who has an arm to guide leads it a little, or no motion would ever be taught."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + duration_s
        while (left_s := until_s - loop.time()) > 0.0:
            for control, _ in self._installation.launcher.controls:
                arm = control.part.mechanism
                if isinstance(arm, IdealArm) and arm.mode == "guide":
                    arm.q = (*arm.q[:6], arm.q[6] + _LED_RAD)
                    arm.base_T_tool = tool_pose(arm.q)
            await asyncio.sleep(min(left_s, _LEADS_S))

    def _plans(self) -> dict[str, Plan]:
        views = (*self._supervisor.plans(), *self._supervisor.ended_plans())
        return {each.id: self._supervisor.plan(each.id) for each in views}

    def _places(self) -> dict[str, Place]:
        now_s = asyncio.get_running_loop().time()
        return {
            control.device.replace("_", " "): _place(control.truth(now_s))
            for control, _ in self._installation.launcher.controls
        }

    def _moved(self, before: dict[str, Place]) -> frozenset[str]:
        return frozenset(
            device for device, place in self._places().items() if _differs(before[device], place)
        )


def _texts(events: tuple[Event, ...], kind: EventKind) -> tuple[str, ...]:
    return tuple(each.text for each in events if each.kind is kind)


def _place(sample: MotionSample) -> Place:
    match sample:
        case ArmSample(base_T_tool=(x, y, z, *turn)):
            return (x, y, z, *turn)
        case BaseSample(odometry=odometry):
            return tuple(odometry)
        case GripperSample(width_m=width_m):
            return (width_m,)


def _differs(one: Place, other: Place) -> bool:
    limit = _STILL_RAD if len(one) == 7 else _STILL_M
    return any(
        abs(a - b) > (_STILL_M if at < 3 else limit) for at, (a, b) in enumerate(zip(one, other, strict=True))
    )
