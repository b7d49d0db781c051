"""The palm as a rigid body: where it is, how large, where it looks; and its points that were not seen.

Wrist, thumb's base and the four knuckles hardly move against each other. A palm of usual proportions is laid
over those that were seen, by least squares (Umeyama, Least-squares estimation of transformation parameters
between two point patterns, 1991), mirrored or not: so left and right hands, and mirrored pictures, are the
same to it, and a few lost points do not matter.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.types.gestures import Landmark

Array = NDArray[np.float64]

LEAST_SEEN: Final = 4
"""With fewer of the six, or without both wrist and thumb's base, nobody knows how the palm lies."""

#: No hand is smaller, or larger, from wrist to knuckle [m]: a toddler's and a giant's, with a bad scale each.
SMALLEST_M: Final = 0.02
LARGEST_M: Final = 0.5

_MEMBERS: Final = [
    Landmark.WRIST,
    Landmark.THUMB_CMC,
    Landmark.INDEX_MCP,
    Landmark.MIDDLE_MCP,
    Landmark.RING_MCP,
    Landmark.PINKY_MCP,
]

#: Towards the fingers, towards the thumb, out of the back of the hand; from wrist to middle knuckle is 1.
#: Rounded from the segment lengths of Buryanov and Kotiuk (Proportions of hand segments, 2010).
_PROPORTIONS: Final = np.array(
    [
        (0.0, 0.0, 0.0),
        (0.24, 0.25, -0.1),
        (1.02, 0.25, -0.02),
        (1.0, 0.03, 0.0),
        (0.93, -0.17, -0.01),
        (0.85, -0.36, -0.06),
    ]
)  # (6, 3)


class Palm(msgspec.Struct, frozen=True, eq=False):
    """Palms of a batch; all numbers of one that is not known are NaN.

    size: (...,) from wrist to middle knuckle, in the points' unit.
    centre: (..., 3). along: (..., 3) from the wrist to the fingers, unit.
    points: (..., 21, 3) as they came, with what was lost of the palm filled in.
    """

    size: Array
    centre: Array
    along: Array
    points: Array


def palm_of(points: Array) -> Palm:
    """The palms of hands (..., 21, 3) [m]; a point with a number that is not finite was not seen."""
    points = np.where((np.abs(points) < 1e6).all(axis=-1, keepdims=True), points, np.nan)
    members = points[..., _MEMBERS, :]  # (..., 6, 3)
    seen = np.asarray(np.isfinite(members).all(axis=-1))  # (..., 6)
    weights = seen[..., None].astype(np.float64)
    count = np.maximum(weights.sum(axis=-2, keepdims=True), 1.0)
    middle = np.where(seen[..., None], members, 0.0).sum(axis=-2, keepdims=True) / count
    usual_middle = (_PROPORTIONS * weights).sum(axis=-2, keepdims=True) / count
    offsets = np.where(seen[..., None], members - middle, 0.0)
    usual = (_PROPORTIONS - usual_middle) * weights
    left, values, right = np.linalg.svd(np.swapaxes(usual, -1, -2) @ offsets)
    turn = left @ right  # (..., 3, 3): rows of usual coordinates times this are the points' coordinates
    size = values.sum(axis=-1) / np.maximum((usual**2).sum(axis=(-1, -2)), 1e-12)
    is_known = (seen.sum(axis=-1) >= LEAST_SEEN) & seen[..., :2].any(axis=-1)
    is_known &= (size >= SMALLEST_M) & (size <= LARGEST_M)
    size = np.where(is_known, size, np.nan)
    laid = middle + size[..., None, None] * ((_PROPORTIONS - usual_middle) @ turn)
    filled = points.copy()
    filled[..., _MEMBERS, :] = np.where(seen[..., None], members, laid)
    along = np.where(is_known[..., None], turn[..., 0, :], np.nan)
    return Palm(size, laid.mean(axis=-2), along, filled)
