"""How a person leads an arm by hand: how far at once, and how long it takes. The hand is in `hand.py`."""

from __future__ import annotations

import math

from resources.arms.pose import Vector3

MOST_M = 0.6
"""A hand leads no further at once."""

STAYS_S = 0.5
"""At the end, until what it leads has come along."""

_SPEED = 0.15  # on average [m/s]
_LEAST_S = 0.8


def duration_s(way: Vector3) -> float:
    """How long a hand takes for a way [m], until it lets go."""
    return max(math.hypot(*way) / _SPEED, _LEAST_S) + STAYS_S
