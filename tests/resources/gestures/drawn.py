"""Hands drawn by hand, with proportions of their own: nothing is from the generator that was fitted on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from resources.types.gestures import TrackedHand, landmarks
from resources.types.masters import HandSide
from resources.types.whereabouts import Point

Array = NDArray[np.float64]

UP: Point = (0.0, 0.0, 1.0)

#: Bends of knuckle, middle and end joint [°].
STRAIGHT, HALF, CLOSED = (5.0, 5.0, 5.0), (45.0, 45.0, 25.0), (80.0, 100.0, 60.0)

#: Where the thumb's tip is, of a right hand: towards the fingers, towards the thumb, out of the back [cm].
OUT, BESIDE, ACROSS, UPRIGHT = (8.0, 11.0, -2.0), (10.0, 5.0, -2.0), (9.0, 0.0, -6.0), (4.5, 13.0, -1.0)

Bends = tuple[float, float, float]


def hand(fingers: Sequence[Bends], thumb: Point, *, fan: float = 0.0) -> Array:
    """A right hand, (21, 3) [m]: x to the fingers, y to the thumb, z out of its back. fan: spread [°]."""
    points = [(0.0, 0.0, 0.0), (2.0, 2.5, -1.0)]
    base = points[1]
    for share in (0.42, 0.75):  # the thumb bows outwards a little
        x, y, z = (a + share * (b - a) for a, b in zip(base, thumb, strict=True))
        points.append((x, y + 0.5, z))
    points.append(thumb)
    for finger, bends in enumerate(fingers):
        at = (9.4 - 0.25 * finger**1.5, 2.4 - 2.0 * finger, -0.1 * finger)
        side = math.radians(fan * (1.0 - 0.8 * finger))
        points.append(at)
        bent = 0.0
        for length, bend in zip((4.3, 2.6, 2.2), bends, strict=True):
            bent += math.radians(bend)
            flat = length * math.cos(bent)
            at = (
                at[0] + flat * math.cos(side),
                at[1] + flat * math.sin(side),
                at[2] - length * math.sin(bent),
            )
            points.append(at)
    return np.array(points) / 100.0


def pinching(gap_cm: float, other: Bends = HALF) -> Array:
    """The tip of the thumb so far from the index finger's."""
    bent = (50.0, 50.0, 25.0)
    tip = hand([bent, other, other, other], ACROSS)[8] * 100.0
    return hand([bent, other, other, other], (tip[0] - gap_cm, tip[1], tip[2]))


OPEN_PALM = hand([STRAIGHT] * 4, OUT, fan=14.0)
KARATE = hand([STRAIGHT] * 4, BESIDE, fan=-4.0)
FIST = hand([CLOSED] * 4, ACROSS)
POINT = hand([STRAIGHT, CLOSED, CLOSED, CLOSED], ACROSS)
TWO_FINGERS = hand([STRAIGHT, STRAIGHT, CLOSED, CLOSED], ACROSS, fan=8.0)
RELAXED = hand([HALF] * 4, BESIDE)
PINCH = pinching(1.0)
NEARLY_PINCH = pinching(4.5)
THUMB = hand([CLOSED] * 4, UPRIGHT)


def turned(points: Array, axis: Sequence[float], angle: float) -> Array:
    """About an axis by an angle [rad] (Rodrigues)."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + math.sin(angle) * skew + (1.0 - math.cos(angle)) * skew @ skew
    return np.asarray(points @ turn.T)


def thumb_towards(way: Point) -> Array:
    """The fist with its thumb out, along a direction."""
    thumb = THUMB[4] - THUMB[1]
    axis = np.cross(thumb, way)
    angle = math.atan2(float(np.linalg.norm(axis)), float(thumb @ np.array(way)))
    return turned(THUMB, axis.tolist(), angle)


def mirrored(points: Array) -> Array:
    """The other hand, or a picture that was flipped."""
    return np.asarray(points * np.array([1.0, -1.0, 1.0]))


def tracked(
    points: Array, *, side: HandSide = HandSide.RIGHT, taken_s: float = 1.0, confidence: float = 0.9
) -> TrackedHand:
    return TrackedHand(side, "camera", taken_s, confidence, landmarks(points.tolist()))
