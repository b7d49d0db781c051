"""What generated hands do: the gestures, and everything else that hands do and that must be no gesture.

Means and how much people differ are ours, from what hands can do: angles within their joints' ranges. Every
angle is drawn with ANGLE_NOISE besides. Where fingers touch, they touch whatever the angles are: people see
and feel that; so a thumb goes to the finger's tip, or onto the fingers of a fist.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.gesture.hands import Bones, Shape, points_of, right, thumb_along, thumb_to
from resources.types.gestures import GestureKind, Landmark

Array = NDArray[np.float64]

ANGLE_NOISE: Final = math.radians(8.0)
"""Standard deviation of every joint's angle beside what is meant."""

TOUCH: Final = 0.13
"""Tips that touch are so many palms apart, half of each finger's thickness: 12 mm of the mean hand."""

Fingers = tuple[float, float, float]
"""Bends of a finger's three joints [°]."""

Make = Callable[[Bones, np.random.Generator], Shape]

STRAIGHT: Final[Fingers] = (2, 6, 4)
CLOSED: Final[Fingers] = (76, 100, 60)
LOOSE: Final[Fingers] = (66, 92, 50)  # of the other fingers, when one points

#: Sideways at the knuckle [°]: fingers spread, together, as they are.
SPREAD: Final = (11.0, 1.0, -8.0, -18.0)
TOGETHER: Final = (-4.0, -1.0, 3.0, 8.0)
USUAL: Final = (3.0, 0.0, -2.0, -5.0)


def _fingers(
    random: np.random.Generator, bends: tuple[Fingers, Fingers, Fingers, Fingers], sideways: tuple[float, ...]
) -> Array:
    """(4, 4) [rad], drawn; no joint beyond its range, and side to side a bent finger hardly moves."""
    fingers = np.radians([(*bend, side) for bend, side in zip(bends, sideways, strict=True)])
    noise = random.normal(0.0, ANGLE_NOISE, (4, 4))
    noise[:, 3] *= 0.4
    fingers += noise
    fingers[:, :3] = np.clip(fingers[:, :3], np.radians((-20.0, -5.0, -5.0)), np.radians((95.0, 115.0, 80.0)))
    fingers[:, 3] *= np.clip(1.0 - fingers[:, 0] / math.radians(90.0), 0.0, 1.0)
    return np.asarray(fingers)


def _thumb(
    random: np.random.Generator, out: float, before: float, bends: tuple[float, float] = (8.0, 8.0)
) -> Array:
    drawn = np.radians([out, before, *bends]) + random.normal(0.0, ANGLE_NOISE, 4)
    return thumb_along(drawn[0], drawn[1], (max(drawn[2], -0.2), max(drawn[3], -0.2)))


def _onto(bones: Bones, fingers: Array, place: Callable[[Array], Array], natural: Array) -> Array:
    """The thumb, with its tip where the other fingers' points (21, 3) of a right hand say."""
    points = points_of(right(bones), fingers[None], natural[None])[0]
    return thumb_to(bones, place(points), natural)


def open_palm(bones: Bones, random: np.random.Generator) -> Shape:
    """Five fingers spread."""
    return Shape(_fingers(random, (STRAIGHT,) * 4, SPREAD), _thumb(random, 50, 12, (4, 2)))


def fist(bones: Bones, random: np.random.Generator) -> Shape:
    """The thumb over index and middle finger, or beside the index finger."""
    fingers = _fingers(random, (CLOSED,) * 4, USUAL)
    return Shape(fingers, _on_fingers(bones, fingers, random, random.uniform(0.0, 1.0)))


def _on_fingers(bones: Bones, fingers: Array, random: np.random.Generator, share: float) -> Array:
    """The thumb's tip lies on the middle bones of index (share 0) to middle finger (1)."""

    def place(points: Array) -> Array:
        index = (points[Landmark.INDEX_PIP] + points[Landmark.INDEX_DIP]) / 2
        middle = (points[Landmark.MIDDLE_PIP] + points[Landmark.MIDDLE_DIP]) / 2
        on = index + share * (middle - index)
        return np.asarray(on + np.array([0.0, 0.004, -0.016]) + random.normal(0.0, 0.004, 3))

    return _onto(bones, fingers, place, _thumb(random, 30, 35, (30, 30)))


def point(bones: Bones, random: np.random.Generator) -> Shape:
    """The index finger; the thumb on the middle finger, along the hand, or out."""
    fingers = _fingers(random, (STRAIGHT, LOOSE, CLOSED, CLOSED), USUAL)
    how = random.integers(3)
    if how == 0:
        return Shape(fingers, _on_fingers(bones, fingers, random, 1.0))
    return Shape(fingers, _thumb(random, 28 if how == 1 else 45, 25))


def pinch(bones: Bones, random: np.random.Generator) -> Shape:
    """Thumb and index finger touch; the others straight, loose or anything between."""
    return _near_pinch(bones, random, TOUCH + abs(random.normal(0.0, 0.03)))


def _near_pinch(bones: Bones, random: np.random.Generator, gap: float) -> Shape:
    """With so many palms between the tips of thumb and index finger."""
    for _ in range(20):
        loose = random.uniform()
        other = (10 + 45 * loose, 15 + 55 * loose, 10 + 25 * loose)
        fingers = _fingers(random, ((48, 52, 28), other, other, other), USUAL)
        natural = _thumb(random, 32, 40, (15, 20))
        points = points_of(right(bones), fingers[None], natural[None])[0]
        tip = points[Landmark.INDEX_TIP]
        # On the way from the finger's tip to where the thumb would be by itself.
        way = points[Landmark.THUMB_TIP] - tip
        place = tip + gap * bones.palm_m * way / np.linalg.norm(way)
        thumb = thumb_to(bones, place, natural)
        reached = points_of(right(bones), fingers[None], thumb[None])[0, Landmark.THUMB_TIP]
        if np.linalg.norm(reached - place) < 0.003:
            break
    return Shape(fingers, thumb)


def thumb_out(bones: Bones, random: np.random.Generator) -> Shape:
    """A fist with its thumb out: up, down or to a side, as the hand is turned."""
    return Shape(_fingers(random, (CLOSED,) * 4, USUAL), _thumb(random, 72, 5, (2, -5)))


def relaxed(bones: Bones, random: np.random.Generator) -> Shape:
    """As hands hang: each finger a little more bent than the one before."""
    much = random.uniform(0.7, 1.3)
    bends = tuple((much * (22 + 5 * n), much * (32 + 5 * n), much * (16 + 3 * n)) for n in range(4))
    return Shape(_fingers(random, (bends[0], bends[1], bends[2], bends[3]), USUAL), _thumb(random, 32, 28))


def _counting(shown: tuple[int, ...]) -> Make:
    def make(bones: Bones, random: np.random.Generator) -> Shape:
        bends = [STRAIGHT if finger in shown else CLOSED for finger in range(4)]
        fingers = _fingers(random, (bends[0], bends[1], bends[2], bends[3]), SPREAD)
        return Shape(fingers, _thumb(random, 30, 35, (25, 25)))

    return make


def karate(bones: Bones, random: np.random.Generator) -> Shape:
    """A flat hand, the fingers and the thumb beside each other."""
    return Shape(_fingers(random, (STRAIGHT,) * 4, TOGETHER), _thumb(random, 14, 10, (4, 2)))


def cup(bones: Bones, random: np.random.Generator) -> Shape:
    """Around a cup of 6 to 9 cm."""
    wide = random.uniform(0.0, 1.0)
    bend = (52 - 10 * wide, 48 - 12 * wide, 28 - 8 * wide)
    return Shape(_fingers(random, (bend,) * 4, USUAL), _thumb(random, 32, 55, (10, 15)))


def typing(bones: Bones, random: np.random.Generator) -> Shape:
    """Over a keyboard; one of the fingers may be down."""
    bends = [(25, 42, 22)] * 4
    if random.random() < 0.5:
        bends[random.integers(4)] = (42, 45, 22)
    return Shape(_fingers(random, (bends[0], bends[1], bends[2], bends[3]), USUAL), _thumb(random, 25, 25))


def nearly_ok(bones: Bones, random: np.random.Generator) -> Shape:
    """On the way to a pinch, or back: of the mean hand 3.5 to 6 cm between the tips."""
    return _near_pinch(bones, random, random.uniform(0.38, 0.65))


def hook(bones: Bones, random: np.random.Generator) -> Shape:
    """As around a bag's handle: straight knuckles, bent fingers."""
    return Shape(_fingers(random, ((15, 80, 45),) * 4, USUAL), _thumb(random, 28, 20))


def shaka(bones: Bones, random: np.random.Generator) -> Shape:
    """Thumb and little finger out."""
    fingers = _fingers(random, (CLOSED, CLOSED, CLOSED, STRAIGHT), SPREAD)
    return Shape(fingers, _thumb(random, 65, 5, (2, 0)))


GESTURES: Final[dict[GestureKind, Make]] = {
    GestureKind.OPEN_PALM: open_palm,
    GestureKind.FIST: fist,
    GestureKind.POINT: point,
    GestureKind.PINCH: pinch,
    GestureKind.THUMB_UP: thumb_out,
    GestureKind.THUMB_DOWN: thumb_out,
}

NO_PINCH: Final = 0.32
"""Another pose in which the tips of thumb and index finger are not so many palms apart is drawn anew: it may
well be a pinch. 3 cm of the mean hand."""


def _no_pinch(make: Make) -> Make:
    def made(bones: Bones, random: np.random.Generator) -> Shape:
        while True:
            shape = make(bones, random)
            points = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
            gap_m = np.linalg.norm(points[Landmark.THUMB_TIP] - points[Landmark.INDEX_TIP])
            if gap_m >= NO_PINCH * bones.palm_m:
                return shape

    return made


THUMB_ASIDE: Final = "thumb aside"
"""A fist with its thumb to a side: the only other pose that depends on how the hand is turned."""

OTHERS: Final[dict[str, Make]] = {
    "relaxed": _no_pinch(relaxed),
    "two fingers": _counting((0, 1)),
    "three fingers": _counting((0, 1, 2)),
    "horns": _counting((0, 3)),
    "karate": _no_pinch(karate),
    "cup": _no_pinch(cup),
    "typing": _no_pinch(typing),
    "nearly ok": nearly_ok,
    "hook": _no_pinch(hook),
    "shaka": shaka,
    THUMB_ASIDE: thumb_out,
}
