"""A tracked hand's points as an array."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.types.gestures import TrackedHand

_LOST = (math.nan, math.nan, math.nan)


def points_of(hand: TrackedHand) -> NDArray[np.float64]:
    """(21, 3) [m] in the hand's frame; rows of points that were not seen are NaN."""
    return np.array([_LOST if point is None else point for point in hand.points])
