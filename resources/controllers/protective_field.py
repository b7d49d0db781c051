"""How fast a base may drive so that it can still stop in front of what its scanners see. Pure geometry.

The field is what the base's outline sweeps until it stands, from reacting and braking along the arc it drives
on, plus a margin; so it grows with speed and points where the base goes, turning included. Directions that no
scanner sees have no field: there the outline crawls. Lengths in m, angles in rad; twists are (forward, left
[m/s], turn [rad/s]) in the base frame, whose origin is inside the outline.
"""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # (n, 2)
Twist = tuple[float, float, float]

_STEP_M = 0.02  # no point of the outline moves further between two looks along the way
_MOST_STEPS = 80
_RECEDING_M = 0.001  # what is inside the margin already must not come nearer by more
_EDGE_M = 0.05  # spacing of the outline's points


class Outline(msgspec.Struct, frozen=True):
    """The robot seen from above: a rectangle along the axes of the base frame, around (x_m, y_m)."""

    length_m: float
    width_m: float
    x_m: float = 0.0
    y_m: float = 0.0

    @property
    def radius_m(self) -> float:
        """Of the circle around it, about the origin."""
        return math.hypot(abs(self.x_m) + self.length_m / 2, abs(self.y_m) + self.width_m / 2)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """As a base reports it (`BaseSample.outline`)."""
        return self.length_m, self.width_m, self.x_m, self.y_m

    def distances(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """From the outline to points of the base frame; negative inside. Any equal shapes."""
        over_x = np.abs(x - self.x_m) - self.length_m / 2
        over_y = np.abs(y - self.y_m) - self.width_m / 2
        outside: NDArray[np.float64] = np.hypot(np.maximum(over_x, 0.0), np.maximum(over_y, 0.0))
        return outside + np.minimum(np.maximum(over_x, over_y), 0.0)


class Braking(msgspec.Struct, frozen=True):
    """How a base stops: after `reaction_s` it brakes, `margin_m` away from anything."""

    deceleration: float  # [m/s²]
    turn_deceleration: float  # [rad/s²]
    reaction_s: float
    margin_m: float

    def duration_s(self, twist: Twist) -> float:
        """Of braking from a twist, along the same arc."""
        forward, left, turn = twist
        return max(math.hypot(forward, left) / self.deceleration, abs(turn) / self.turn_deceleration)


class Sector(msgspec.Struct, frozen=True):
    """What a level scanner can see: from (x, y), between two angles of the base frame, counter-clockwise."""

    x: float
    y: float
    from_angle: float
    to_angle: float

    def sees(self, points: Points) -> NDArray[np.bool_]:
        """Which points (n, 2) of the base frame lie in its directions, (n,)."""
        angles = np.arctan2(points[:, 1] - self.y, points[:, 0] - self.x)
        seen: NDArray[np.bool_] = (angles - self.from_angle) % (
            2 * math.pi
        ) <= self.to_angle - self.from_angle
        return seen


class Allowance(msgspec.Struct, frozen=True):
    """share: how much of a twist may be driven, 0 to 1; culprit: the point that limits it, or −1."""

    share: float
    culprit: int = -1


def allowance(points: Points, twist: Twist, outline: Outline, braking: Braking) -> Allowance:
    """How much of `twist` leaves room to stop before `points` (n, 2) of the base frame.

    A point that is nearer than the margin forbids only what would bring it nearer still.
    """
    forward, left, turn = twist
    fastest = math.hypot(forward, left) + abs(turn) * outline.radius_m
    if fastest == 0.0 or not len(points):
        return Allowance(1.0)
    stop_s = braking.duration_s(twist)
    horizon_s = braking.reaction_s + stop_s / 2  # at full speed, as if it drove on
    reach_m = outline.radius_m + braking.margin_m + fastest * horizon_s + _STEP_M
    near = np.flatnonzero(np.hypot(points[:, 0], points[:, 1]) <= reach_m)
    if not len(near):
        return Allowance(1.0)
    steps = min(max(math.ceil(fastest * horizon_s / _STEP_M), 1), _MOST_STEPS)
    times = np.linspace(0.0, horizon_s, steps + 1)  # (k,)
    x, y = _seen_from_arc(points[near], twist, times)  # (n, k) each
    distances = outline.distances(x, y)
    least = np.minimum(braking.margin_m, distances[:, :1] - _RECEDING_M)
    hits = distances[:, 1:] < least  # (n, k − 1)
    first = np.where(hits.any(axis=1), hits.argmax(axis=1), steps)
    culprit = int(first.argmin())
    if first[culprit] == steps:
        return Allowance(1.0)
    free_s = float(times[first[culprit]])  # the last look at which nothing was too near
    return Allowance(_share(free_s, braking.reaction_s, stop_s), int(near[culprit]))


def unseen_share(sectors: tuple[Sector, ...], twist: Twist, outline: Outline, crawl: float) -> float:
    """How much of `twist` may be driven so that no unseen edge advances faster than `crawl` [m/s]."""
    forward, left, turn = twist
    points, normals = _edges(outline)
    vx, vy = forward - turn * points[:, 1], left + turn * points[:, 0]
    advance = vx * normals[:, 0] + vy * normals[:, 1]  # (n,) [m/s]
    unseen = np.ones(len(points), np.bool_)
    for sector in sectors:
        unseen &= ~sector.sees(points)
    fastest = float(advance[unseen].max(initial=0.0))
    return 1.0 if fastest <= crawl else crawl / fastest


def _share(free_s: float, reaction_s: float, stop_s: float) -> float:
    """Driving the share s of a twist, standing takes s·reaction + s²·stop/2 of the twist's seconds."""
    return min(2 * free_s / (reaction_s + math.sqrt(reaction_s**2 + 2 * stop_s * free_s)), 1.0)


def _seen_from_arc(
    points: Points, twist: Twist, times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points (n, 2) as seen after driving a constant twist for `times` (k,): x and y, (n, k) each."""
    forward, left, turn = twist
    angle = turn * times
    # sin(a)/a and (1 − cos(a))/a, which are 1 and 0 where nothing turns.
    along = np.sinc(angle / math.pi)
    across = np.where(np.abs(angle) < 1e-9, 0.0, (1 - np.cos(angle)) / np.where(angle == 0.0, 1.0, angle))
    base_x = (along * forward - across * left) * times
    base_y = (across * forward + along * left) * times
    dx, dy = points[:, :1] - base_x, points[:, 1:] - base_y
    cos, sin = np.cos(angle), np.sin(angle)
    return cos * dx + sin * dy, cos * dy - sin * dx


@lru_cache(maxsize=8)
def _edges(outline: Outline) -> tuple[Points, Points]:
    """Points of the outline with their outward normals, (n, 2) each."""
    half_x, half_y = outline.length_m / 2, outline.width_m / 2
    xs = np.linspace(-half_x, half_x, math.ceil(outline.length_m / _EDGE_M) + 1)
    ys = np.linspace(-half_y, half_y, math.ceil(outline.width_m / _EDGE_M) + 1)
    points: list[Points] = []
    normals: list[Points] = []
    for side in (-1.0, 1.0):
        points += [np.column_stack([xs, np.full_like(xs, side * half_y)])]
        normals += [np.column_stack([np.zeros_like(xs), np.full_like(xs, side)])]
        points += [np.column_stack([np.full_like(ys, side * half_x), ys])]
        normals += [np.column_stack([np.full_like(ys, side), np.zeros_like(ys)])]
    return np.concatenate(points) + np.array([outline.x_m, outline.y_m]), np.concatenate(normals)
