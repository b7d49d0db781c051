"""What somebody points at: the known things near a ray, of a phone, a hand before the robot's camera or the
mouse in a page's scene. Pure.

Nothing is guessed: what is near enough gets a likelihood, and whoever resolves "that" asks if several do
(`framework.dialogue.pointing`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from framework.dialogue.pointing import CLEARLY
from framework.plan.instruction import Pointing
from resources.types.context import KnownThing, ThingKind
from resources.types.poses import Vector3, chained, pose, position_of, rotation_of, turned
from resources.types.whereabouts import Point, Ray, into, robot_among


class Spread(NamedTuple):
    """How exactly something points.

    furthest_rad: a thing whose surface is further off is not pointed at.
    likely_rad: one that is so far off is less likely by a factor of e.
    furniture: so much less likely what is neither object nor person is, where one of those is that near.
    """

    furthest_rad: float
    likely_rad: float
    furniture: float = 1.0


#: Hands shake, and phones are not level.
PHONE: Final = Spread(math.radians(12.0), math.radians(4.0))

#: A hand by itself: its points are found in pictures, and few people point where they believe that they do.
#: Who points at a cup meets the table that it stands on as often.
HAND: Final = Spread(math.radians(20.0), math.radians(8.0), furniture=0.25)

#: The same of a mouse: 17 and 6 pixels of a scene that is 430 high, however near it is looked at.
MOUSE_FURTHEST_RAD: Final = math.radians(2.0)
_MOUSE_SPREAD_RAD: Final = math.radians(0.7)

#: A mouse does not shake: what it is on is meant, if that fits at all. But who misses a cup by some pixels is
#: on the table that it stands on.
_MOUSE_BESIDE: Final = 0.05
_MISSED: Final = (ThingKind.OBJECT, ThingKind.PERSON)

#: Surfaces that are nearer to one another are the same: a table's top, and the table [m].
_SAME_M: Final = 0.01

#: What the ray passes by, or meets behind another thing, is less likely: the pipe that a valve is on.
_BESIDE = 0.5

#: Nearer than this it is in no direction [m].
_NEAREST_M = 0.05

#: What is drawn of a thing lies so near to where it is known to be: neither boxes nor clouds are exact [m].
_DRAWN_M: Final = 0.03

#: So often the nearest place on a ray is narrowed down, by a third each time: to some millimetres.
_NARROWED: Final = 24


def pointed_at(ray: Ray, things: Iterable[KnownThing], now_s: float) -> tuple[Pointing, ...]:
    """The things that may be meant with a phone, the likeliest first. ray: in the robot's frame.

    things: with where they are in the world; the robot among them says where its frame is.
    """
    every = tuple(things)
    world_T_robot = robot_among(every)
    origin = position_of(chained(world_T_robot, pose((ray[0], ray[1], ray[2]), (0.0, 0.0, 0.0, 1.0))))
    return pointed_at_along(
        origin, turned(rotation_of(world_T_robot), (ray[3], ray[4], ray[5])), every, now_s, PHONE
    )


def pointed_at_along(
    origin: Point, direction: Point, things: Iterable[KnownThing], now_s: float, spread: Spread
) -> tuple[Pointing, ...]:
    """The same of a ray in the world."""
    found: list[tuple[float, float, str]] = []
    small: set[str] = set()
    for thing in filter(_is_somewhere, things):
        off = _off(origin, direction, thing)
        if off is None or off[0] > spread.furthest_rad:
            continue
        found.append((*off, thing.name))
        if thing.kind in _MISSED and off[0] <= spread.likely_rad:
            small.add(thing.name)

    def share(name: str) -> float:
        return spread.furniture if small and name not in small else 1.0

    # Of what the ray meets the nearest is meant. Where it meets nothing, all that it passes by may be.
    met = min((each for each in found if not each[0] and share(each[2]) == 1.0), default=None)
    return _likeliest(
        Pointing(
            name,
            now_s,
            share(name)
            * _likelihood(off_rad, spread.likely_rad)
            * (1.0 if met is None or met[2] == name else _BESIDE),
        )
        for off_rad, _, name in found
    )


def pointed_at_in_scene(
    origin: Point, direction: Point, meets_m: float | None, things: Iterable[KnownThing], now_s: float
) -> tuple[Pointing, ...]:
    """The same of a mouse in a picture of the world: of what is drawn there it is known what it is on.

    Args:
        origin: the eye that looks, in the world [m]. direction: unit.
        meets_m: how far away the ray meets something that is drawn; None: nowhere.
    """
    every = tuple(filter(_is_somewhere, things))
    met: KnownThing | None = None
    if meets_m is not None:
        x, y, z = (start + meets_m * way for start, way in zip(origin, direction, strict=True))
        met = _drawn_at((x, y, z), every)
    pointings = [] if met is None else [Pointing(met.name, now_s)]
    for thing in every:
        if thing is met:
            continue
        off_rad = _off_box(origin, direction, thing)
        if off_rad <= MOUSE_FURTHEST_RAD:
            is_missed = thing.kind in _MISSED and off_rad > 0.0 and (met is None or met.kind not in _MISSED)
            may_be_meant = is_missed or (met is None and thing.kind is not ThingKind.PLACE)
            share = 1.0 if may_be_meant else _MOUSE_BESIDE
            pointings.append(Pointing(thing.name, now_s, share * _likelihood(off_rad, _MOUSE_SPREAD_RAD)))
    return _likeliest(pointings)


def _drawn_at(point: Point, things: Iterable[KnownThing]) -> KnownThing | None:
    """What is drawn there: the cup, not the table that it stands on, nor the room; None if nobody knows."""
    near = [(outside_m, thing) for thing in things if (outside_m := _outside_m(thing, point)) <= _DRAWN_M]
    if not near:
        return None

    def order(each: tuple[float, KnownThing]) -> tuple[int, bool, float]:
        outside_m, thing = each
        return round(outside_m / _SAME_M), thing.kind is ThingKind.PLACE, math.prod(thing.size_m)

    return min(near, key=order)[1]


def undecided(pointings: Iterable[Pointing]) -> tuple[Pointing, ...]:
    """Those of which nobody could tell which is meant, the likeliest first; one if that is clear."""
    ordered = _likeliest(pointings)
    return tuple(each for each in ordered if CLEARLY * each.likelihood > ordered[0].likelihood)


def _likeliest(pointings: Iterable[Pointing]) -> tuple[Pointing, ...]:
    return tuple(sorted(pointings, key=lambda each: -each.likelihood))


def _likelihood(off_rad: float, spread_rad: float) -> float:
    return math.exp(-((off_rad / spread_rad) ** 2))


def _is_somewhere(thing: KnownThing) -> bool:
    """Whether it can be pointed at: not where nobody knows where it is, and not the robot itself."""
    return thing.world_T_thing is not None and thing.kind is not ThingKind.ROBOT


def _outside_m(thing: KnownThing, point: Point) -> float:
    """How far a point of the world is from a thing's box; 0 within it."""
    assert thing.world_T_thing is not None
    along = zip(into(thing.world_T_thing, point), thing.size_m, strict=True)
    return math.hypot(*(max(abs(at) - size / 2, 0.0) for at, size in along))


def _off_box(origin: Point, direction: Point, thing: KnownThing) -> float:
    """By how much a ray misses a thing's box, seen from where it begins [rad]; π if that is behind."""
    assert thing.world_T_thing is not None
    to = [there - here for there, here in zip(thing.world_T_thing[:3], origin, strict=True)]
    far, around = math.hypot(*to), math.hypot(*thing.size_m) / 2
    along = sum(a * b for a, b in zip(to, direction, strict=True))
    if far < _NEAREST_M or along + around <= 0.0:
        return math.pi
    if math.acos(max(-1.0, min(1.0, along / far))) - math.asin(min(around / far, 1.0)) > MOUSE_FURTHEST_RAD:
        return math.pi  # already the ball around it is

    def outside_m(at_m: float) -> float:
        x, y, z = (start + at_m * way for start, way in zip(origin, direction, strict=True))
        return _outside_m(thing, (x, y, z))

    # The way from a point of a line to a convex body first gets shorter and then longer.
    first, last = max(0.0, along - around), along + around
    for _ in range(_NARROWED):
        third = (last - first) / 3.0
        if outside_m(first + third) <= outside_m(last - third):
            last -= third
        else:
            first += third
    nearest_m = (first + last) / 2.0
    return math.atan2(outside_m(nearest_m), max(nearest_m, _NEAREST_M))


def _off(origin: Vector3, direction: Vector3, thing: KnownThing) -> tuple[float, float] | None:
    """By how much the ray misses a thing, seen from where it begins [rad], and how far that is [m].

    None if that is no direction.
    """
    assert thing.world_T_thing is not None
    to = [there - here for there, here in zip(thing.world_T_thing[:3], origin, strict=True)]
    far, length = math.hypot(*to), math.hypot(*direction)
    if far < _NEAREST_M or length < 1e-6:
        return None
    cosine = sum(a * b for a, b in zip(to, direction, strict=True)) / (far * length)
    angle = math.acos(max(-1.0, min(1.0, cosine)))
    across_m = sorted(thing.size_m)[1]  # of a wheel its diameter, of a pipe not its length
    return max(angle - math.atan2(across_m / 2, far), 0.0), far
