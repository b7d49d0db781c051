"""Replays a motion that was taught: goes to where it begins, slowly, then follows it under its limits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import pilothouse as ph
from resources.types.begun import SIDES, Begun, in_steps
from resources.types.memory import RememberedPath
from resources.types.motion import ArmSample, Joints7
from resources.types.motion_clients import ArmClient
from resources.types.motion_words import said_for_people
from resources.types.naming import plain, unknown
from resources.types.paths import Course, Pace

#: How often a target is sent [s]: five times in what a loop waits for the next one.
_PERIOD_S = 0.02

#: Share of the joints' speed on the way to where it begins.
_SLOWLY = 0.15

#: So near, it is there already [rad]; so far behind, it does not follow [rad].
_THERE = 0.005
_BEHIND = 0.35

#: So far from its end, it was not repeated [rad].
_AWAY = 0.05

#: Slower than this, it stands [rad/s].
_STILL = 0.01

#: How long the arm may take to arrive at the end [s].
_SETTLES_S = 1.0


class Replayed(Begun):
    """How often it was done whole, and how far the present time is [s along the course]."""

    times: int = 0
    at_s: float = 0.0


class RepeatMotion(ph.Action):
    """Repeat a motion that was taught."""

    risk = ph.Risk.MOVES

    name: str = ph.param(doc="of the motion")
    times: int = ph.param(default=1, ge=1, le=100, doc="how often")
    speed_fraction: float = ph.param(default=1.0, ge=0.05, le=1.0, doc="of the speed at which it was taught")
    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; by default the one that was taught")

    store = ph.needs(ph.Memory)
    memory: Replayed

    async def run(self) -> str:
        path = self._meant()
        # Which arm it needs is known only now; one that was taken from it is waited for.
        is_again = bool(self.memory.device)
        async with self.use(ph.Arm(self.side or path.side), exclusive=True, wait=is_again) as arm:
            name = self.memory.with_(arm)
            course = Course(path, arm.max_speed, arm.max_acceleration, self.speed_fraction)
            if why := course.outside(arm.lower, arm.upper):
                raise ph.MotionFailed(f"{name} cannot repeat {path.name!r}: {why}")
            slower = course.slowness * self.speed_fraction
            if slower > 1.05:
                self.say(f"{path.name!r} takes {slower:.1f} times longer than asked: {name} may be no faster")
            with said_for_people(arm):
                while self.memory.times < self.times:
                    await self._once(arm, name, path.name, course)
        return path.name

    async def _once(self, arm: ArmClient, who: str, name: str, course: Course) -> None:
        """From where it was left, or from its beginning."""
        count = f", {self.memory.times + 1} of {self.times}" if self.times > 1 else ""
        begins, _ = course.at(self.memory.at_s)
        state = await arm.state()
        if _apart(state.q, begins) > _THERE:
            self.progress(self._done(0.0), f"{who} goes to where {name!r} begins{count}")
            await arm.move_joints(begins, speed=_SLOWLY)
        pace = Pace(course, self.memory.at_s)
        tell = in_steps(
            lambda done, text: self.progress(self._done(done), text), f"repeating {name!r}{count}"
        )
        try:
            await self._follow(arm, pace, lambda: tell(pace.done))
        finally:
            self.memory.at_s = pace.at_s
        off = await self._settled(arm, course.last)
        if off > _AWAY:
            far = round(math.degrees(off))
            raise ph.MotionFailed(f"it ended {far}° away from where {name!r} ended when it was taught")
        self.memory.times, self.memory.at_s = self.memory.times + 1, 0.0
        self.say(
            f"{who} has repeated {name!r}{count}: {math.degrees(off):.1f}° from where it ended when taught"
        )

    async def _follow(self, arm: ArmClient, pace: Pace, told: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        before_s = loop.time()
        first = 0
        while not pace.is_over:
            await asyncio.sleep(_PERIOD_S)
            now_s = loop.time()
            joints, velocities = pace.step(now_s - before_s)
            before_s = now_s
            number = arm.track_joints(joints, velocities)
            first = first or number
            state = _looked_at(arm, first, number)
            if state is not None and _apart(state.q, joints) > _BEHIND:
                raise ph.MotionFailed(
                    f"it is {math.degrees(_apart(state.q, joints)):.0f}° behind, something holds it back"
                )
            told()

    async def _settled(self, arm: ArmClient, end: Joints7) -> float:
        """Wait until it stands at the end; how far it is from there [rad]."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + _SETTLES_S
        first = 0
        while True:
            number = arm.track_joints(end)
            first = first or number
            await asyncio.sleep(_PERIOD_S)
            state = _looked_at(arm, first, number)
            if state is None:
                continue
            off = _apart(state.q, end)
            if loop.time() >= until_s or (off < _THERE and max(map(abs, state.dq)) < _STILL):
                return off

    def _done(self, of_this: float) -> float:
        return (self.memory.times + of_this) / self.times

    def _meant(self) -> RememberedPath:
        paths: tuple[RememberedPath, ...] = self.store.paths
        asked = plain(self.name)
        for path in paths:
            if path.name == asked:
                return path
        raise ph.PilothouseError(unknown(asked, (path.name for path in paths), "what I was taught is"))


def _looked_at(arm: ArmClient, first: int, last: int) -> ArmSample | None:
    """The latest report. Raises MotionFailed if one of the targets `first` to `last` was refused."""
    sample = arm.latest_motion()
    if not isinstance(sample, ArmSample):
        return None
    loop = sample.loop
    # A report may still speak of what a former holder was refused, whose numbers are others.
    refusal = loop.refusal if first <= loop.refused_number <= last else ""
    for reason in (loop.fault, loop.stopped, refusal):
        if reason:
            raise ph.MotionFailed(reason)
    return sample


def _apart(one: Joints7, other: Joints7) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
