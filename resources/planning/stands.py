"""Where the base can stand at a goal, each with what it costs besides the way there."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from resources.controllers.protective_field import Outline
from resources.planning.floor import Box
from resources.types.routes import Beside, Goal, Nearer, Onto, Side, Spot

#: Stands along a side are so far from each other [m].
_APART_M: Final = 0.2

#: Standing this much off the middle of a side counts as so much more way.
_OFF_COSTS: Final = 0.7

#: What is meant lies this far behind the side that is stood at, which counts as so much more way.
_INSIDE_COSTS: Final = 2.0

#: Beside a thing, in line with its front, is less than at its side [m].
_IN_LINE_COSTS: Final = 0.8


class Stand(msgspec.Struct, frozen=True):
    """A spot at the goal. costs: [m]. turned: whether it matters how the base is turned there."""

    spot: Spot
    costs: float = 0.0
    turned: bool = True


def stands_at(goal: Goal, here: Spot, outline: Outline) -> tuple[Stand, ...]:
    """Every stand that would do, whatever is there. Of a goal that is no place (`Back`) none."""
    match goal:
        case Onto(spot=spot, turned=turned):
            return (Stand(spot, turned=turned),)
        case Beside():
            return _beside(goal, here, outline)
        case Nearer():
            return _nearer(goal, here, outline)
    return ()


def box_of(goal: Goal) -> Box | None:
    """What the goal is about, if it is about a thing."""
    match goal:
        case (
            Beside(middle=middle, length_m=length_m, width_m=width_m)
            | Nearer(middle=middle, length_m=length_m, width_m=width_m)
        ):
            return Box(middle, length_m, width_m)
    return None


def _beside(goal: Beside, here: Spot, outline: Outline) -> tuple[Stand, ...]:
    from_x, from_y = goal.came_from or here[:2]
    x, y, yaw = goal.middle
    toward = math.atan2(from_y - y, from_x - x)  # where who comes is, for the thing
    nose = outline.x_m + outline.length_m / 2
    sides: list[tuple[float, float, float]] = [  # outward, half a depth, half a breadth
        (yaw + quarter * math.pi / 2, *_halves(goal, quarter)) for quarter in range(4)
    ]
    nearest = min(sides, key=lambda side: _off(side[0], toward))
    meant = {
        Side.ANY: nearest[0],
        Side.FRONT: nearest[0],
        Side.BEHIND: nearest[0] + math.pi,
        # Who comes looks at it: its left is what lies to the left of his way.
        Side.LEFT: nearest[0] - math.pi / 2,
        Side.RIGHT: nearest[0] + math.pi / 2,
    }[goal.side]
    found: list[Stand] = []
    for outward, deep, half in sides:
        if goal.side is not Side.ANY and _off(outward, meant) > 0.1:
            continue
        aim_m, inside_m = 0.0, 0.0
        if goal.near is not None:
            dx, dy = goal.near[0] - x, goal.near[1] - y
            aim_m = dy * math.cos(outward) - dx * math.sin(outward)
            inside_m = max(deep - dx * math.cos(outward) - dy * math.sin(outward), 0.0)
        for off in _offsets(half, aim_m):
            away = deep + goal.away_m + nose
            spot = _spot(x, y, outward, away, off)
            costs = _OFF_COSTS * abs(off - aim_m) + _INSIDE_COSTS * inside_m
            found.append(Stand(spot, costs))
    if goal.side in (Side.LEFT, Side.RIGHT):
        outward, deep, half = nearest
        aside = half + goal.away_m + outline.width_m / 2
        off = -aside if goal.side is Side.LEFT else aside
        found.append(Stand(_spot(x, y, outward, deep + goal.away_m + nose, off), _IN_LINE_COSTS))
    if goal.side is Side.ANY and goal.near is None and max(goal.length_m, goal.width_m) < 1.0:
        away = math.hypot(goal.length_m, goal.width_m) / 2 + goal.away_m + nose
        found.append(Stand(_spot(x, y, toward, away, 0.0), _OFF_COSTS * 0.2))
    return tuple(found)


def _halves(goal: Beside, quarter: int) -> tuple[float, float]:
    long, wide = goal.length_m / 2, goal.width_m / 2
    return (long, wide) if quarter % 2 == 0 else (wide, long)


def _offsets(half: float, aim_m: float) -> list[float]:
    aim_m = min(max(aim_m, -half), half)
    steps = math.floor(half / _APART_M)
    return sorted({aim_m, *(step * _APART_M for step in range(-steps, steps + 1))})


def _spot(x: float, y: float, outward: float, away: float, off: float) -> Spot:
    """So far out of a side, so far along it (to the left of who looks outward), facing it."""
    cos, sin = math.cos(outward), math.sin(outward)
    return x + away * cos - off * sin, y + away * sin + off * cos, _wrapped(outward + math.pi)


def _nearer(goal: Nearer, here: Spot, outline: Outline) -> tuple[Stand, ...]:
    gap_m, heading = gap(goal, here, outline)
    by_m = min(goal.by_m, gap_m - goal.away_m)
    if by_m <= 0.0:
        return (Stand(here, turned=False),)
    x, y, _ = here
    return (Stand((x + by_m * math.cos(heading), y + by_m * math.sin(heading), heading)),)


def gap(goal: Nearer, here: Spot, outline: Outline) -> tuple[float, float]:
    """How far the base's nose is from the thing if it faces that, and in which direction that lies."""
    x, y, yaw = goal.middle
    cos, sin = math.cos(yaw), math.sin(yaw)
    dx, dy = here[0] - x, here[1] - y
    along = min(max(cos * dx + sin * dy, -goal.length_m / 2), goal.length_m / 2)
    across = min(max(cos * dy - sin * dx, -goal.width_m / 2), goal.width_m / 2)
    to_x, to_y = x + cos * along - sin * across - here[0], y + sin * along + cos * across - here[1]
    return math.hypot(to_x, to_y) - outline.x_m - outline.length_m / 2, math.atan2(to_y, to_x)


def _off(one: float, other: float) -> float:
    return abs(_wrapped(one - other))


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2 * math.pi)
