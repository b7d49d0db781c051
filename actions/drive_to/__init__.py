"""Drives the base to a thing that is known, or to a place, through what its scanners see to be free.

Where that is, and the way there, is a resource (`ph.Route`), which is planned anew when something appears:
here its legs are driven, one after the other, and it is said why there are none. A pause, somebody's hand or
a stop ends the legs at once; when it goes on, it goes on to the same goal, from where the base is then.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pilothouse as ph
from actions.drive_to.goals import NOWHERE, Meant, goal_of
from actions.drive_to.words import why_not
from resources.types.begun import Begun
from resources.types.motion_words import said_for_people
from resources.types.routes import Goal, Leg, Onto, Way, WayKind

#: What is in the way may go away by itself: so long it is waited for, once it drives [s].
_PATIENCE_S = 10.0

#: A scanner that has just been asked for, or a look from elsewhere, takes no longer than this [s].
_SEES_WITHIN_S = 3.0

#: How fast it turns, where the base can [rad/s].
_TURNING = 0.6

#: A leg that is shorter, or a turn that is smaller, is none [m], [rad].
_NO_WAY_M, _NO_TURN_RAD = 0.01, 0.02

_SIDES = ("", "front", "left", "right", "behind")


class Bound(Begun):
    """Where it was bound for from the beginning, and how far it was then [m]."""

    meant: Meant = NOWHERE
    goal: Goal | None = None
    whole_m: float = 0.0


class DriveTo(ph.Action):
    """Drive to a thing, before which it stops, or to a place."""

    risk = ph.Risk.MOVES

    thing: str = ph.param(default="", doc="name of a thing that is known")
    place: str = ph.param(default="", doc='name of a place; "start" and "before": where it has been')
    distance_m: float = ph.param(default=0.3, ge=0.1, le=10.0, doc="before the thing it stops so far away")
    closer_m: float = ph.param(default=0.0, ge=0.0, le=20.0, doc="only so much nearer; 0 is all the way")
    side: str = ph.param(default="", one_of=_SIDES, doc="of the thing, as one sees it who comes")
    speed_mps: float = ph.param(default=0.4, gt=0.0, le=2.0, doc="at most; the base may be slower")

    base = ph.needs(ph.Base, exclusive=True)
    known = ph.needs(ph.Known)
    memory: Bound

    async def run(self) -> str:
        bound = self.memory
        name = bound.with_(self.base)
        if bound.goal is None:
            bound.meant = await goal_of(self)
            bound.goal = bound.meant.goal
        request = ph.Route(self.base.device, self.base.guards, bound.goal, bound.meant.to)
        async with self.use(request) as route:
            await self._go(route, name)
        return self.thing or self.place

    async def _go(self, route: ph.Client, name: str) -> None:
        meant = self.memory.meant
        has_driven = False
        while True:
            way: Way = route.handle
            if way.kind is WayKind.HERE:
                self.say(f"{name} is {meant.there}" if has_driven else f"{name} is {meant.there} already")
                return
            if not way.kind.may_be_driven:
                await self._wait(route, has_driven)
                continue
            self._keep_departure(way)
            has_driven = True
            if await _unless(self._drive(way), _other(route, way)):
                if way.kind is WayKind.FREE:
                    self.progress(1.0, meant.bound)
                    self.say(f"{name} is {meant.there}")
                    return
                if not await _within(_SEES_WITHIN_S, _other(route, way)):
                    raise ph.MotionFailed(why_not(Way(WayKind.UNSEEN), meant))
            elif not route.handle.kind.may_be_driven:
                with suppress(ph.LeaseError):
                    self.base.drive()  # at once, instead of when its orders lapse

    def _keep_departure(self, way: Way) -> None:
        """Where it has been is of when it was asked for, also if it goes on later, from elsewhere."""
        if isinstance(self.memory.goal, ph.Back) and way.goal is not None:
            self.memory.goal = Onto(way.goal, turned=True)

    async def _wait(self, route: ph.Client, has_driven: bool) -> None:
        """For a way. Raises MotionFailed if there is none, and none will come by waiting."""
        way: Way = route.handle
        words = why_not(way, self.memory.meant)
        is_blind = way.kind is WayKind.BLIND
        patience_s = _PATIENCE_S if has_driven else _SEES_WITHIN_S if is_blind else 0.0
        if has_driven:
            self.say(f"waiting: {words}")
        if not patience_s or not await _within(patience_s, _some_way(route)):
            raise ph.MotionFailed(why_not(route.handle, self.memory.meant))
        if has_driven:
            self.say("there is a way again")

    async def _drive(self, way: Way) -> None:
        """All legs, one after the other."""
        with said_for_people(self.base):
            for at, leg in enumerate(way.legs):
                self._tell(way.legs[at:], way.kind)
                await self._leg(leg)

    async def _leg(self, leg: Leg) -> None:
        base = self.base
        speed, turn = min(self.speed_mps, base.max_speed), min(_TURNING, base.max_turn)
        x, y, yaw = (await base.state()).odometry
        aim = yaw + math.remainder(leg.yaw - yaw, 2 * math.pi)
        if abs(aim - yaw) > _NO_TURN_RAD:
            await base.move_to(x, y, aim, speed=speed, turn=turn)
        if math.dist((x, y), (leg.x, leg.y)) > _NO_WAY_M:
            await base.move_to(leg.x, leg.y, aim, speed=speed, turn=turn)

    def _tell(self, legs: tuple[Leg, ...], kind: WayKind) -> None:
        sample = self.base.latest_motion()
        here = sample.odometry[:2] if isinstance(sample, ph.BaseSample) else (legs[0].x, legs[0].y)
        points = [here, *((leg.x, leg.y) for leg in legs)]
        left_m = sum(math.dist(one, other) for one, other in pairwise(points))
        bound = self.memory
        bound.whole_m = max(bound.whole_m, left_m)
        done = 1.0 - left_m / bound.whole_m if bound.whole_m and kind is WayKind.FREE else 0.0
        looks = ", looking for a way" if kind is WayKind.LOOK else ""
        self.progress(done, f"{bound.meant.bound}{looks}")


async def _unless(work: Awaitable[None], other: Awaitable[None]) -> bool:
    """Whether the work was done; it is given up as soon as the other is. Raises what the work raises."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(other)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            tasks[0].result()
            return True
        return False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _within(seconds: float, work: Awaitable[Any]) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work
            return True
    return False


async def _other(route: ph.Client, way: Way) -> None:
    """Until there is something else to say of the way."""
    while route.handle is way or route.handle == way:
        await route.changed()


async def _some_way(route: ph.Client) -> None:
    """Until there is one."""
    while not route.handle.kind.may_be_driven:
        await route.changed()
