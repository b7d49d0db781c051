"""What somebody points at with a phone: the known things near a ray. Pure.

Nothing is guessed: what is near enough gets a likelihood, and whoever resolves "that" asks if several do
(`framework.dialogue.pointing`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from framework.plan.instruction import Pointing
from resources.types.context import KnownThing, ThingKind
from resources.types.poses import Vector3, chained, pose, position_of, rotation_of, turned
from resources.types.whereabouts import Ray, robot_among

#: A thing whose surface is further off the ray than this is not pointed at [rad].
FURTHEST_RAD = math.radians(12.0)

#: So far off it, a thing is less likely by a factor of e [rad]: hands shake, and phones are not level.
_SPREAD_RAD = math.radians(4.0)

#: What the ray passes by, or meets behind another thing, is less likely: the pipe that a valve is on.
_BESIDE = 0.5

#: Nearer than this it is in no direction [m].
_NEAREST_M = 0.05


def pointed_at(ray: Ray, things: Iterable[KnownThing], now_s: float) -> tuple[Pointing, ...]:
    """The things that may be meant, the likeliest first.

    things: with where they are in the world; the robot among them says where its frame is.
    """
    every = tuple(things)
    world_T_robot = robot_among(every)
    origin = position_of(chained(world_T_robot, pose((ray[0], ray[1], ray[2]), (0.0, 0.0, 0.0, 1.0))))
    direction = turned(rotation_of(world_T_robot), (ray[3], ray[4], ray[5]))
    found: list[tuple[float, float, str]] = []
    for thing in every:
        if thing.world_T_thing is None or thing.kind is ThingKind.ROBOT:
            continue
        off = _off(origin, direction, thing)
        if off is not None and off[0] <= FURTHEST_RAD:
            found.append((*off, thing.name))
    # Of what the ray meets the nearest is meant. Where it meets nothing, all that it passes by may be.
    met = min((each for each in found if not each[0]), default=None)
    pointings = [
        Pointing(each[2], now_s, _likelihood(each[0]) * (1.0 if met in (None, each) else _BESIDE))
        for each in found
    ]
    return tuple(sorted(pointings, key=lambda each: -each.likelihood))


def _likelihood(off: float) -> float:
    return math.exp(-((off / _SPREAD_RAD) ** 2))


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
