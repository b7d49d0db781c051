"""A tracked hand in one picture, read: what `holding.py` takes."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from resources.gestures.fingers import measured
from resources.gestures.holding import Seen
from resources.gestures.landmarks import points_of
from resources.gestures.shapes import Shape, chosen, confidences
from resources.types.gestures import GestureKind, TrackedHand
from resources.types.whereabouts import Point

LEAST_TRACKED: Final = 0.5
"""What a tracker is less sure of is no hand."""


def seen(hand: TrackedHand, up: Point | None) -> Seen:
    """What it shows, which is nothing if the tracker hardly thinks that it is a hand; and where it is.

    up: what is up in the hand's frame; None if that is not known, then thumbs say nothing.
    """
    found = measured(points_of(hand))
    shape = chosen(confidences(found, None if up is None else np.array(up)))
    return placed(hand, shape, found.centre.tolist(), float(found.size))


def placed(hand: TrackedHand, shape: Shape, centre: list[float], size_m: float) -> Seen:
    """The same of a hand that was read already. centre, size_m: of its palm, NaN where it is not known."""
    kind, confidence = shape.kind, shape.confidence
    if kind is not GestureKind.NONE and hand.confidence < LEAST_TRACKED:
        kind, confidence = GestureKind.NONE, 1.0 - hand.confidence
    x, y, z = centre
    centre_m = None if math.isnan(size_m) else (x, y, z)
    return Seen(hand, kind, confidence, shape.untold, centre_m, 0.0 if centre_m is None else size_m)
