"""How the constants of `resources.gestures.shapes` were fitted: on hands of set A, on which nothing reports.

    python -m pilothouse.experiments.gesture.fitting

Every edge is a logistic regression of one measure, with both classes weighted alike (but for COSTLY): does
it tell the pictures in which its condition holds from those that must not be taken for them? `LEAST_SURE` is
where the share of gestures that are read right and, COSTLY times, that of other poses have the largest sum.
Prints what to write into the source, and what single pictures of set A come to with it.

What the edges are of, COSTLY, the rules of `resources.gestures.holding` and these poses were changed by hand
while only hands of set A were looked at; tests hold the source to what this prints.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.gesture.poses import THUMB_ASIDE
from pilothouse.experiments.gesture.shown import SET_A, Frames, frames
from resources.gestures.fingers import angle, measured
from resources.gestures.shapes import KINDS, Edge, Edges, confidences
from resources.types.gestures import GestureKind

Array = NDArray[np.float64]

HANDS: Final = 400
"""Of set A, for each pose."""

COSTLY: Final = 2.0
"""So much more a gesture counts that is none than one that is not seen: where other poses come as near as one
likes (a pinch), and in the end."""

#: True bends of a finger [rad], all three joints together: less is straight, more is closed.
_STRAIGHT: Final = math.radians(45.0)
_CLOSED: Final = math.radians(190.0)


def fitted(shown: Frames) -> Edges:
    """The edges for these pictures."""
    found = measured(shown.points)
    names = np.array(shown.names)

    def among(*wanted: str) -> NDArray[np.bool_]:
        return np.isin(names, [str(name) for name in wanted])

    fists, thumbs = among(GestureKind.FIST), among(GestureKind.THUMB_UP, GestureKind.THUMB_DOWN, THUMB_ASIDE)
    opened, flat, pinched = among(GestureKind.OPEN_PALM), among("karate"), among(GestureKind.PINCH)
    pointed = among(GestureKind.POINT)
    between = among("relaxed", "typing", "cup", "hook")
    closure, every, bends = found.closure, found.closure.mean(axis=1), shown.bends
    tilt = angle(found.thumb, shown.up)
    return Edges(
        straight=edge(every[between], every[opened | flat]),
        closed=edge(every[fists | thumbs], every[between]),
        index=edge(closure[pinched | fists | among("nearly ok"), 0], closure[opened | pointed, 0]),
        bent=edge(closure[bends > _CLOSED], closure[bends < _STRAIGHT]),
        knuckles=edge(found.knuckles[fists | thumbs], found.knuckles[among("hook")]),
        clear=edge(found.thumb_clear[thumbs], found.thumb_clear[fists]),
        away=edge(found.thumb_away[opened], found.thumb_away[flat]),
        spread=edge(found.spread[opened], found.spread[flat]),
        touch=edge(found.gap[between | among("nearly ok")], found.gap[pinched], above_counts=COSTLY),
        pinching=edge(closure[fists, 0], closure[pinched, 0]),
        beside=edge(closure[fists, 1:].mean(axis=1), closure[pinched, 1:].mean(axis=1)),
        upright=edge(tilt[among(THUMB_ASIDE)], tilt[among(GestureKind.THUMB_UP)]),
    )


def edge(above: Array, below: Array, *, above_counts: float = 1.0) -> Edge:
    """Logistic regression of one number (Newton's method), NaN left out.

    above_counts: what is above weighs so much more than what is below; else both classes weigh the same.
    """
    above, below = above[np.isfinite(above)], below[np.isfinite(below)]
    value = np.concatenate([above, below])
    wanted = np.concatenate([np.ones(len(above)), np.zeros(len(below))])
    weight = np.concatenate(
        [np.full(len(above), 0.5 * above_counts / len(above)), np.full(len(below), 0.5 / len(below))]
    )
    scale = float(above.mean() - below.mean())
    middle = float(above.mean() + below.mean()) / 2.0
    made = np.stack([np.ones_like(value), (value - middle) / scale], axis=1)
    coefficients = np.array([0.0, 4.0])
    for _ in range(50):
        guess = 1.0 / (1.0 + np.exp(-np.clip(made @ coefficients, -50.0, 50.0)))
        # A weak prior keeps classes that do not touch from making the edge infinitely steep.
        slope = made.T @ (weight * (guess - wanted)) + np.array([0.0, 1e-4 * coefficients[1]])
        curve = (made * (weight * guess * (1.0 - guess))[:, None]).T @ made + np.diag([1e-9, 1e-4])
        coefficients = coefficients - np.linalg.solve(curve, slope)
    constant, steepness = coefficients
    return Edge(middle - scale * float(constant / steepness), scale / float(steepness))


def least_sure(shown: Frames, edges: Edges) -> tuple[float, float, float]:
    """The threshold, and the shares of gestures and of other poses that are read right with it."""
    sure = np.nan_to_num(confidences(measured(shown.points), shown.up, edges))
    best, surest = sure.argmax(axis=1), sure.max(axis=1)
    kinds = [str(kind) for kind in KINDS]
    wanted = np.array([kinds.index(name) if name in kinds else -1 for name in shown.names])
    is_gesture = wanted >= 0
    found = (0.0, 0.0, 0.0)
    for threshold in np.arange(0.2, 0.81, 0.02).tolist():
        right = float(((best == wanted) & (surest >= threshold))[is_gesture].mean())
        none = float((surest < threshold)[~is_gesture].mean())
        if right + COSTLY * none > found[1] + COSTLY * found[2]:
            found = threshold, right, none
    return found


def main() -> None:
    """Print the constants."""
    shown = frames(np.random.default_rng([0, SET_A]), HANDS)
    edges = fitted(shown)
    for name in edges.__struct_fields__:
        middle, width = getattr(edges, name)
        print(f"    {name}=Edge({middle:.3f}, {width:.4f}),")
    threshold, right, none = least_sure(shown, edges)
    print(f"LEAST_SURE: Final = {threshold:.2f}")
    print(f"set A: {100 * right:.1f} % of gestures, {100 * none:.1f} % of other poses")


if __name__ == "__main__":
    main()
