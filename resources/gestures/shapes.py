"""Which gesture one picture of a hand shows, and how sure that is.

A gesture is a few conditions on the measures of `fingers.py`. Each is fulfilled to a degree, a logistic step
(an `Edge`) of one measure or of the sum of two that say the same; a gesture is as sure as its least sure
condition. Below `LEAST_SURE` it is none.

| gesture | conditions |
|---|---|
| open palm | four straight fingers, spread, the thumb far from the little finger's knuckle |
| fist | four closed fingers, bent at their knuckles, the thumb beside them |
| point | a straight index finger, the others closed; the thumb as it likes |
| pinch | the tips of thumb and index finger touch, and the fingers make no fist |
| thumb up, down | as a fist, but the thumb clear of the fingers and along, or against, what is up |

Several fingers are straight or closed if their mean is, and none of them contradicts.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.gestures.fingers import Measures, angle, measured
from resources.types.gestures import GestureKind
from resources.types.whereabouts import Point

Array = NDArray[np.float64]

KINDS: Final = (
    GestureKind.OPEN_PALM,
    GestureKind.FIST,
    GestureKind.POINT,
    GestureKind.PINCH,
    GestureKind.THUMB_UP,
    GestureKind.THUMB_DOWN,
)
"""In the order of `confidences`."""


class Edge(NamedTuple):
    """A step from no to yes: at `middle` it is undecided, `width` beyond it .73."""

    middle: float
    width: float

    def beyond(self, value: Array) -> Array:
        """How many widths values are above it."""
        return (value - self.middle) / self.width


class Edges(msgspec.Struct, frozen=True):
    """All that was fitted. Lengths are in palms, angles in rad.

    straight, closed: of the mean closure of fingers; index: of the index finger's alone, as it tells most
        gestures from each other; bent: of any one.
    knuckles: of their bend. clear, away, touch, spread: of the measures of these names.
    pinching, beside: of the index finger's closure, and the others', in a pinch.
    upright: between the thumb and what is up.
    """

    straight: Edge
    closed: Edge
    index: Edge
    bent: Edge
    knuckles: Edge
    clear: Edge
    away: Edge
    spread: Edge
    touch: Edge
    pinching: Edge
    beside: Edge
    upright: Edge


#: Fitted on 400 generated hands of each pose, of seed set A, by `python -m
#: pilothouse.experiments.gesture.fitting`: a logistic regression of each measure. Not on what is reported.
FITTED: Final = Edges(
    straight=Edge(0.247, 0.0222),
    closed=Edge(0.799, 0.0276),
    index=Edge(0.321, 0.0354),
    bent=Edge(0.510, 0.0628),
    knuckles=Edge(0.854, 0.0682),
    clear=Edge(0.614, 0.0643),
    away=Edge(1.209, 0.0520),
    spread=Edge(0.851, 0.0460),
    touch=Edge(0.331, 0.0422),
    pinching=Edge(0.772, 0.0473),
    beside=Edge(0.782, 0.0302),
    upright=Edge(0.855, 0.0877),
)

LEAST_SURE: Final = 0.60
"""Fitted on set A as well: for most gestures and, counted twice, most other poses that are read right."""

#: So many widths before an edge a condition says no, whatever the others would say: .05.
_NO: Final = -3.0


class Shape(msgspec.Struct, frozen=True):
    """What a hand shows in one picture. confidence: 0 … 1; of none, that it is none of the gestures.

    untold: the gestures of which nobody can tell, because too much of the hand was lost.
    """

    kind: GestureKind
    confidence: float
    untold: frozenset[GestureKind] = frozenset()


def classify(points: Array, up: Point | None, edges: Edges = FITTED) -> Shape:
    """What one hand shows.

    points: (21, 3) [m], in any frame; rows of points that were not seen have NaN. Left, right and mirrored
        hands, of any size and turn, are the same.
    up: what is up in that frame, of any length; None, if that is not known: then thumbs say nothing.
    """
    return chosen(confidences(measured(points), None if up is None else np.array(up), edges))


def chosen(sure: Array) -> Shape:
    """The surest of the `confidences` (6,) of one hand, if that is sure enough."""
    every = dict(zip(KINDS, sure.tolist(), strict=True))
    known = {kind: value for kind, value in every.items() if not math.isnan(value)}
    best = max(known, key=known.__getitem__, default=GestureKind.NONE)
    most = known.get(best, 0.0)
    untold = frozenset(every) - known.keys()
    return Shape(best, most, untold) if most >= LEAST_SURE else Shape(GestureKind.NONE, 1.0 - most, untold)


def confidences(found: Measures, up: Array | None, edges: Edges = FITTED) -> Array:
    """How sure each of `KINDS` is for measured hands (...,), as (..., 6), 0 … 1. up: (..., 3) or None.

    NaN where nobody can tell, because too much was lost.
    """
    closure = _spoken_for(found.closure)
    bent = [edges.bent.beyond(closure[..., finger]) for finger in range(4)]
    others = closure[..., 1:].mean(axis=-1)
    no_fist = -edges.pinching.beyond(closure[..., 0]) - edges.beside.beyond(others)
    fist = [edges.closed.beyond(closure.mean(axis=-1)), edges.knuckles.beyond(found.knuckles), *bent]
    pointing = -edges.index.beyond(closure[..., 0])
    clear = edges.clear.beyond(found.thumb_clear)
    conditions = [
        [
            pointing,
            -edges.straight.beyond(closure.mean(axis=-1)),
            _opened(found, edges),
            *(-each for each in bent[1:]),
        ],
        [*fist, -clear],
        [pointing, edges.closed.beyond(others), *bent[1:]],
        [-edges.touch.beyond(found.gap), no_fist],
    ]
    for sign in (1.0, -1.0):
        tilt = np.full_like(clear, np.nan) if up is None else angle(found.thumb, sign * up)
        conditions.append([*fist, clear, -edges.upright.beyond(tilt)])
    return np.stack([_least(each) for each in conditions], axis=-1)


def _spoken_for(closure: Array) -> Array:
    """Closures (..., 4), where ring or little finger is not known as its neighbour's: seldom are they apart.

    What index and middle finger do tells gestures from each other: they have to be seen.
    """
    closure = closure.copy()
    for finger, neighbour in ((2, 3), (3, 2)):
        unknown = np.isnan(closure[..., finger])
        closure[..., finger] = np.where(unknown, closure[..., neighbour], closure[..., finger])
    return closure


def _opened(found: Measures, edges: Edges) -> Array:
    """Fingers and thumb are spread; one of both will do if the other is not known."""
    spread, away = edges.spread.beyond(found.spread), edges.away.beyond(found.thumb_away)
    one_only = np.where(np.isnan(spread), away, spread)
    return np.where(np.isnan(spread + away), one_only, spread + away)


def _least(conditions: list[Array]) -> Array:
    """How sure the least sure of conditions is, which are given in widths beyond their edges.

    What is not known is NaN, unless another condition says no already.
    """
    every = np.clip(np.stack(conditions, axis=-1), -50.0, 50.0)
    known = np.where(np.isnan(every), np.inf, every).min(axis=-1)
    is_open = np.isnan(every).any(axis=-1) & (known >= _NO)
    return np.where(is_open, np.nan, 1.0 / (1.0 + np.exp(-np.minimum(known, 50.0))))
