"""The measures by which gestures are told apart: few, in palms and shares, whatever the hand's size and turn.

All are of batches (...,); one that cannot be made, because its points were lost, is NaN.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.gestures.palm import palm_of
from resources.types.gestures import Landmark

Array = NDArray[np.float64]

_MCP: Final = [Landmark.INDEX_MCP, Landmark.MIDDLE_MCP, Landmark.RING_MCP, Landmark.PINKY_MCP]
_PIP: Final = [number + 1 for number in _MCP]
_DIP: Final = [number + 2 for number in _MCP]
_TIP: Final = [number + 3 for number in _MCP]

#: So far a finger's end is turned against the palm in a fist [rad], and so near its tip is to its knuckle
#: then, as a share of the finger's length: where `closure` is 1. Both of the mean hand, before any fitting.
_TURNED: Final = math.radians(160.0)
_FOLDED: Final = 0.4

#: A last bone is so long, as a share of the one before it (Buryanov and Kotiuk, 2010, to the fingertip).
_LAST_OF_FINGER: Final = 0.85
_LAST_OF_THUMB: Final = 0.8

#: How much of the turn between the bones before it a last bone adds: the two end joints of a finger share a
#: tendon.
_COUPLED: Final = 0.5


class Measures(msgspec.Struct, frozen=True, eq=False):
    """Of hands. Lengths are in palms: from the wrist to the middle knuckle is 1. Without a palm all is NaN.

    size: (...,) of a palm [m]; centre: (..., 3) of the palm, in the points' frame [m].
    closure: (..., 4) of index to little finger: 0 straight, 1 in a fist.
    knuckles: (...,) how far fingers are bent at their knuckles, the mean of those that are known [rad].
    thumb_clear: how far the thumb's tip is from the nearest of the index and middle finger's joints.
    thumb_away: how far it is from the little finger's knuckle.
    thumb: (..., 3) from the thumb's base to its tip, unit, in the points' frame.
    gap: from the thumb's tip to the index finger's.
    spread: from the index finger's tip to the little finger's.
    """

    size: Array
    centre: Array
    closure: Array
    knuckles: Array
    thumb_clear: Array
    thumb_away: Array
    thumb: Array
    gap: Array
    spread: Array


def measured(points: Array) -> Measures:
    """The measures of hands (..., 21, 3) [m]; NaN for points that were not seen."""
    palm = palm_of(points)
    points, size = palm.points, palm.size
    with np.errstate(invalid="ignore", divide="ignore"):
        thumb_tip = _tip(points[..., 1:5, :], _LAST_OF_THUMB)
        tips = _tip(
            np.stack([points[..., joints, :] for joints in (_MCP, _PIP, _DIP, _TIP)], axis=-2),
            _LAST_OF_FINGER,
        )
        nearby = points[..., [*_MCP[:2], *_PIP[:2], *_DIP[:2]], :]
        clear = np.linalg.norm(nearby - thumb_tip[..., None, :], axis=-1)
        clear = np.where(np.isnan(clear), np.inf, clear).min(axis=-1)
        thumb = thumb_tip - points[..., Landmark.THUMB_CMC, :]
        return Measures(
            size=size,
            centre=palm.centre,
            closure=_closure(points, palm.along),
            knuckles=_knuckles(points, palm.along),
            thumb_clear=np.where(np.isfinite(clear), clear, np.nan) / size,
            thumb_away=np.linalg.norm(thumb_tip - points[..., Landmark.PINKY_MCP, :], axis=-1) / size,
            thumb=thumb / np.linalg.norm(thumb, axis=-1, keepdims=True),
            gap=np.linalg.norm(thumb_tip - tips[..., 0, :], axis=-1) / size,
            spread=np.linalg.norm(tips[..., 0, :] - tips[..., 3, :], axis=-1) / size,
        )


def angle(one: Array, other: Array) -> Array:
    """Between vectors (..., 3) [rad]; NaN where one has no length."""
    with np.errstate(invalid="ignore", divide="ignore"):
        lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
        return np.asarray(np.arccos(np.clip((one * other).sum(axis=-1) / lengths, -1.0, 1.0)))


def _closure(points: Array, along: Array) -> Array:
    """(..., 4): how far a finger's end is turned against the palm, and how near its tip is to its knuckle."""
    mcp, pip, dip, tip = (points[..., joints, :] for joints in (_MCP, _PIP, _DIP, _TIP))
    end = _or(_or(tip - pip, dip - pip), _or(tip - mcp, dip - mcp))
    turned = angle(end, along[..., None, :]) / _TURNED
    length = sum(np.linalg.norm(far - near, axis=-1) for near, far in ((mcp, pip), (pip, dip), (dip, tip)))
    folded = (1.0 - np.linalg.norm(tip - mcp, axis=-1) / length) / (1.0 - _FOLDED)
    return np.where(np.isnan(folded), turned, (turned + folded) / 2.0)


def _knuckles(points: Array, along: Array) -> Array:
    bends = angle(points[..., _PIP, :] - points[..., _MCP, :], along[..., None, :])  # (..., 4)
    known = np.isfinite(bends)
    return np.asarray(np.where(known, bends, 0.0).sum(axis=-1) / known.sum(axis=-1))


def _tip(finger: Array, share: float) -> Array:
    """Where the tip of a finger (..., 4, 3) is; if it was not seen, `share` of the bone before it further on.

    The end joint bends with the one before it, about half as much.
    """
    first, second = finger[..., 1, :] - finger[..., 0, :], finger[..., 2, :] - finger[..., 1, :]
    length = np.linalg.norm(second, axis=-1, keepdims=True)
    before, along = first / np.linalg.norm(first, axis=-1, keepdims=True), second / length
    onward = along + _COUPLED * (along - before)
    onward = onward / np.linalg.norm(onward, axis=-1, keepdims=True)
    onward = np.where(np.isnan(onward), along, onward)  # the knuckle was not seen either
    return _or(finger[..., 3, :], finger[..., 2, :] + share * length * onward)


def _or(first: Array, second: Array) -> Array:
    """The first where it is known, else the second."""
    return np.where(np.isnan(first), second, first)
