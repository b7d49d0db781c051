"""Floors with boxes on them, seen by a lidar as the inspection robot carries it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from resources.controllers.protective_field import Outline
from resources.planning.floor import Box, Look, Scene
from resources.types.routes import Leg, Spot

OUTLINE = Outline(0.99, 0.67)
_AHEAD_M, _HALF_RAD, _BEAMS = 0.40, math.radians(95.0), 761


def scene(
    spot: Spot,
    boxes: Sequence[Box] = (),
    *,
    known: Sequence[Box] = (),
    track: Sequence[Spot] = (),
    outline: Outline = OUTLINE,
    half_rad: float = _HALF_RAD,
) -> Scene:
    """What is known at a spot: `boxes` are seen only, `known` are known (and not seen)."""
    return Scene(spot, outline, (look(spot, boxes, half_rad),), tuple(known), tuple(track))


def look(spot: Spot, boxes: Sequence[Box], half_rad: float = _HALF_RAD) -> Look:
    """One scan, exact."""
    x, y, yaw = spot
    x, y = x + _AHEAD_M * math.cos(yaw), y + _AHEAD_M * math.sin(yaw)
    angles = np.linspace(yaw - half_rad, yaw + half_rad, _BEAMS)
    ranges = np.full(_BEAMS, np.inf)
    for box in boxes:
        ranges = np.minimum(ranges, _ranges(box, x, y, angles))
    return Look(x, y, yaw - half_rad, float(angles[1] - angles[0]), ranges, 40.0)


def _ranges(box: Box, x: float, y: float, angles: np.ndarray) -> np.ndarray:
    """Where beams meet a box, by slabs; infinite where they miss it."""
    bx, by, turn = box.middle
    cos, sin = math.cos(turn), math.sin(turn)
    origin = (cos * (x - bx) + sin * (y - by), cos * (y - by) - sin * (x - bx))
    with np.errstate(divide="ignore", invalid="ignore"):
        near, far = np.zeros(len(angles)), np.full(len(angles), np.inf)
        ways = (np.cos(angles - turn), np.sin(angles - turn))
        for start, way, size in zip(origin, ways, (box.length_m, box.width_m), strict=True):
            one, other = (-size / 2 - start) / way, (size / 2 - start) / way
            near, far = np.maximum(near, np.fmin(one, other)), np.minimum(far, np.fmax(one, other))
    return np.where((near <= far) & (near > 0.0), near, np.inf)


def spots_along(begin: Spot, legs: Sequence[Leg], step_m: float = 0.02, step_rad: float = 0.03) -> list[Spot]:
    """Everywhere the base comes by as it drives these legs."""
    x, y, yaw = begin
    found = [begin]
    for leg in legs:
        turn = math.remainder(leg.yaw - yaw, 2 * math.pi)
        steps = math.ceil(abs(turn) / step_rad)
        found += [(x, y, yaw + turn * n / steps) for n in range(1, steps + 1)]
        yaw += turn
        steps = math.ceil(math.dist((x, y), (leg.x, leg.y)) / step_m)
        found += [
            (x + (leg.x - x) * n / steps, y + (leg.y - y) * n / steps, yaw) for n in range(1, steps + 1)
        ]
        x, y = leg.x, leg.y
    return found


def under(spot: Spot, outline: Outline = OUTLINE, every_m: float = 0.03) -> np.ndarray:
    """Points under the base at a spot, (n, 2)."""
    half_x, half_y = outline.length_m / 2, outline.width_m / 2
    ahead = np.linspace(-half_x, half_x, math.ceil(2 * half_x / every_m) + 1)
    left = np.linspace(-half_y, half_y, math.ceil(2 * half_y / every_m) + 1)
    a, b = np.meshgrid(ahead + outline.x_m, left + outline.y_m)
    x, y, yaw = spot
    cos, sin = math.cos(yaw), math.sin(yaw)
    return np.column_stack([(x + cos * a - sin * b).ravel(), (y + sin * a + cos * b).ravel()])
