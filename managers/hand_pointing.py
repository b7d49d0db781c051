"""What people point at with a finger before the robot's cameras: the newest of each, while it counts.

It is nobody's by name: it belongs to who speaks into the robot's own microphone (`Listening`), and to no
page. A hand's ray is the mean over a third of a second, as single ones shake; of two hands that point at two
things nobody can tell which is meant, and it is asked. Two right hands, of two people, are nobody's.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from framework.clock import Clock
from framework.plan.instruction import Pointing
from managers.pointing import HAND, pointed_at_along, undecided
from resources.gestures.rays import mean_ray, moved
from resources.types.context import KnownThing
from resources.types.gestures import Reading
from resources.types.masters import HandSide
from resources.types.streams import Pose7
from resources.types.whereabouts import POINTS_FOR_S, Point, Ray

MEAN_S: Final = 0.33
"""Over so long a ray is the mean [s]."""

APART_M: Final = 0.3
"""Rays that begin further from each other are not one hand's, and have no mean [m]."""

LEAST_RAYS: Final = 3
"""Of fewer there is none: a hand that only just begins to point, or is taken for one that does."""

EVERY_S: Final = 0.2
"""So often it is looked what lies along it [s]."""

KEPT_S: Final = 8.0
"""Who speaks has pointed while they spoke: what was pointed at is remembered for so long [s]."""


class HandRay(msgspec.Struct, frozen=True):
    """Where a hand points now, in the world; direction: unit. names: what that is, several if not clear."""

    camera: str
    side: HandSide
    origin: Point
    direction: Point
    names: tuple[str, ...] = ()


class HandPointing:
    """Of all cameras. things: all that are known, as they are now."""

    def __init__(self, things: Callable[[], tuple[KnownThing, ...]], clock: Clock) -> None:
        self._things = things
        self._clock = clock
        self._rays: dict[tuple[str, HandSide], deque[tuple[float, Ray]]] = {}
        self._looked: dict[tuple[str, HandSide], float] = {}
        self._newest: dict[tuple[str, HandSide], tuple[float, HandRay]] = {}
        self._lately: tuple[Pointing, ...] = ()

    def saw(self, camera: str, reading: Reading, world_T_camera: Pose7, taken_s: float) -> None:
        """One picture of a camera, read. taken_s: when it was taken, and so pointed, by the clock [s]."""
        sides = [hand.side for hand in reading.hands]
        for hand in reading.hands:
            whose = (camera, hand.side)
            rays = self._rays.setdefault(whose, deque())
            if sides.count(hand.side) > 1:
                rays.clear()
            elif hand.ray is not None:
                self._add(whose, rays, moved(hand.ray, world_T_camera), taken_s)

    def _add(
        self, whose: tuple[str, HandSide], rays: deque[tuple[float, Ray]], ray: Ray, taken_s: float
    ) -> None:
        if any(math.dist(each[:3], ray[:3]) > APART_M for _, each in rays):
            rays.clear()
        rays.append((taken_s, ray))
        while taken_s - rays[0][0] > MEAN_S:
            rays.popleft()
        if len(rays) >= LEAST_RAYS and taken_s - self._looked.get(whose, -math.inf) >= EVERY_S:
            self._looked[whose] = taken_s
            self._look(whose, taken_s)

    def lately(self) -> tuple[Pointing, ...]:
        """What was pointed at in the last seconds, and when."""
        self._forget()
        return self._lately

    def shown(self) -> tuple[HandRay, ...]:
        """The rays that count now, to be drawn."""
        now_s = self._clock.now_s()
        return tuple(ray for taken_s, ray in self._newest.values() if now_s - taken_s <= POINTS_FOR_S)

    def _look(self, whose: tuple[str, HandSide], taken_s: float) -> None:
        ray = mean_ray([ray for _, ray in self._rays[whose]])
        if ray is None:
            return  # they do not agree: the hand moves on
        things, (x, y, z, *way) = self._things(), ray
        origin, direction = (x, y, z), (way[0], way[1], way[2])
        pointings = pointed_at_along(origin, direction, things, taken_s, HAND)
        self._lately += pointings
        self._forget()
        spoken = {thing.name: thing.spoken for thing in things}
        names = tuple(spoken[each.thing] for each in undecided(pointings)) if pointings else ()
        self._newest[whose] = taken_s, HandRay(*whose, origin, direction, names)

    def _forget(self) -> None:
        now_s = self._clock.now_s()
        self._lately = tuple(each for each in self._lately if now_s - each.t_s <= KEPT_S)
