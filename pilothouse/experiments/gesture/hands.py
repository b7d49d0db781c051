"""Generated hands: bones, joint angles, and where that puts the 21 points. No camera and no picture.

A right hand's own frame: x from the wrist to the middle knuckle, y towards the thumb, z out of the back;
origin in the wrist; [m]. A left hand is mirrored in y. Fingers bend by their angles (knuckle, middle joint,
end joint, and sideways at the knuckle); of the thumb, whose base moves in a saddle, the directions of its
three bones are kept, which may also be made so that its tip comes to a place (FABRIK: Aristidou and
Lasenby, 2011).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.types.masters import HandSide

Array = NDArray[np.float64]

BONES_DIFFER: Final = 0.2
"""Each bone's length is the mean one's within this share, and the whole hand's again within half of it."""

#: Means of adults (Buryanov and Kotiuk, Proportions of hand segments, Int. J. Morphol. 2010) [m]; knuckles
#: and the thumb's base beyond the carpal bones.
_KNUCKLES: Final = np.array([(95, 24, -2), (93, 3, 2), (86, -16, 0), (78, -34, -6)]) * 1e-3  # (4, 3)
_PHALANGES: Final = np.array([(39.8, 22.4, 19), (44.6, 26.3, 21), (41.4, 25.7, 21), (32.7, 18.1, 19)]) * 1e-3
_THUMB_BASE: Final = np.array((22, 23, -9)) * 1e-3
_THUMB: Final = np.array((46.2, 31.6, 25)) * 1e-3


class Bones(msgspec.Struct, frozen=True, eq=False):
    """One person's hand. knuckles (4, 3), phalanges (4, 3), thumb_base (3,), thumb (3,) [m]."""

    side: HandSide
    knuckles: Array
    phalanges: Array
    thumb_base: Array
    thumb: Array

    @property
    def palm_m(self) -> float:
        """From the wrist to the middle knuckle [m]."""
        return float(np.linalg.norm(self.knuckles[1]))


class Shape(msgspec.Struct, frozen=True, eq=False):
    """How joints stand. fingers: (4, 4) [rad]: knuckle, middle, end, sideways; thumb: (3, 3), unit rows."""

    fingers: Array
    thumb: Array


def mean_bones(side: HandSide) -> Bones:
    """The mean hand."""
    return Bones(side, _KNUCKLES, _PHALANGES, _THUMB_BASE, _THUMB)


def some_bones(random: np.random.Generator) -> Bones:
    """Somebody's left or right hand."""

    def lengths(mean: Array) -> Array:
        return mean * random.uniform(1.0 - BONES_DIFFER, 1.0 + BONES_DIFFER, mean.shape)

    whole = random.uniform(1.0 - BONES_DIFFER / 2, 1.0 + BONES_DIFFER / 2)
    # Metacarpals stand side by side: each may be longer, but none goes through another.
    along = random.uniform(1.0 - BONES_DIFFER / 2, 1.0 + BONES_DIFFER / 2, (4, 1))
    wide = random.uniform(1.0 - BONES_DIFFER, 1.0 + BONES_DIFFER)
    knuckles = _KNUCKLES * np.concatenate([along, np.full((4, 2), wide)], axis=1)
    return Bones(
        side=HandSide.RIGHT if random.random() < 0.5 else HandSide.LEFT,
        knuckles=whole * knuckles,
        phalanges=whole * lengths(_PHALANGES),
        thumb_base=whole * _THUMB_BASE * np.array([1.0, wide, 1.0]),
        thumb=whole * lengths(_THUMB),
    )


def points_of(bones: Bones, fingers: Array, thumb: Array) -> Array:
    """The 21 points (n, 21, 3) [m] in the hand's own frame. fingers: (n, 4, 4) [rad]; thumb: (n, 3, 3)."""
    count = len(fingers)
    points = np.zeros((count, 21, 3))
    points[:, 1] = bones.thumb_base
    for joint in range(3):
        points[:, 2 + joint] = points[:, 1 + joint] + bones.thumb[joint] * thumb[:, joint]
    bent, sideways = np.zeros((count, 4)), fingers[..., 3]
    for joint in range(4):
        at = [5 + 4 * finger + joint for finger in range(4)]
        if joint == 0:
            points[:, at] = bones.knuckles
            continue
        bent = bent + fingers[..., joint - 1]
        flat = np.cos(bent)
        way = np.stack([flat * np.cos(sideways), flat * np.sin(sideways), -np.sin(bent)], axis=-1)
        before = [number - 1 for number in at]
        points[:, at] = points[:, before] + bones.phalanges[:, joint - 1, None] * way
    if bones.side is HandSide.LEFT:
        points[..., 1] *= -1.0
    return points


def thumb_along(out: float, before: float, bends: tuple[float, float]) -> Array:
    """The thumb's bones (3, 3), unit, of a right hand.

    out: from the fingers' direction, to its own side; before: before the palm; bends: across it [rad].
    """
    first = np.array([np.cos(out) * np.cos(before), np.sin(out) * np.cos(before), -np.sin(before)])
    across = np.array([0.25, -1.0, -0.5])
    across -= (across @ first) * first
    across /= np.linalg.norm(across)
    bent = np.cumsum([0.0, *bends])[:, None]
    return np.asarray(np.cos(bent) * first + np.sin(bent) * across)


def thumb_to(bones: Bones, place: Array, natural: Array) -> Array:
    """The thumb's bones (3, 3) with its tip at a place (3,) of a right hand's frame, or stretched towards it.

    natural: from where it moves there, which says how its joints bend.
    """
    joints = [bones.thumb_base]
    for length, way in zip(bones.thumb, natural, strict=True):
        joints.append(joints[-1] + length * way)
    for _ in range(12):
        joints[3] = place
        for number in (2, 1, 0):
            joints[number] = _towards(joints[number + 1], joints[number], bones.thumb[number])
        joints[0] = bones.thumb_base
        for number in (1, 2, 3):
            joints[number] = _towards(joints[number - 1], joints[number], bones.thumb[number - 1])
    return np.array([(far - near) / np.linalg.norm(far - near) for near, far in pairwise(joints)])


def right(bones: Bones) -> Bones:
    """The same as a right hand."""
    return msgspec.structs.replace(bones, side=HandSide.RIGHT)


def _towards(start: Array, end: Array, length: float) -> Array:
    way = end - start
    return np.asarray(start + length * way / max(float(np.linalg.norm(way)), 1e-9))
