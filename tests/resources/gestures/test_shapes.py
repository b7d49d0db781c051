"""What a single picture of a hand is taken for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from resources.gestures.fingers import measured
from resources.gestures.reading import LEAST_TRACKED, seen
from resources.gestures.shapes import KINDS, LEAST_SURE, classify, confidences
from resources.types.gestures import GestureKind
from tests.effort import random_inputs
from tests.resources.gestures.drawn import (
    FIST,
    KARATE,
    NEARLY_PINCH,
    OPEN_PALM,
    PINCH,
    POINT,
    RELAXED,
    TWO_FINGERS,
    UP,
    Array,
    mirrored,
    thumb_towards,
    tracked,
    turned,
)

DOWN = (0.0, 0.0, -1.0)
SHOWN = {
    GestureKind.OPEN_PALM: OPEN_PALM,
    GestureKind.FIST: FIST,
    GestureKind.POINT: POINT,
    GestureKind.PINCH: PINCH,
    GestureKind.THUMB_UP: thumb_towards(UP),
    GestureKind.THUMB_DOWN: thumb_towards(DOWN),
}
OTHERS = {
    "flat hand": KARATE,
    "two fingers": TWO_FINGERS,
    "relaxed": RELAXED,
    "nearly a pinch": NEARLY_PINCH,
    "thumb to a side": thumb_towards((1.0, 0.3, 0.1)),
}


# -- what is no hand


@pytest.mark.parametrize("value", [0.0, math.nan, math.inf, -math.inf, 1e300, 5.0])
def test_points_that_are_no_hand_are_no_gesture(value: float) -> None:
    assert classify(np.full((21, 3), value), UP).kind is GestureKind.NONE


@random_inputs(200)
@given(arrays.arrays(np.float64, (21, 3)))
def test_no_numbers_are_an_error(points: Array) -> None:
    sure = confidences(measured(points), np.array(UP))
    assert sure.shape == (len(KINDS),)
    assert (np.isnan(sure) | (sure >= 0.0) & (sure <= 1.0)).all()


def test_a_tracker_that_is_not_sure_of_a_hand_makes_no_gesture() -> None:
    assert seen(tracked(FIST), UP).kind is GestureKind.FIST
    unsure = seen(tracked(FIST, confidence=LEAST_TRACKED - 0.01), UP)
    assert unsure.kind is GestureKind.NONE


# -- the gestures


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_gesture(kind: GestureKind) -> None:
    shape = classify(SHOWN[kind], UP)
    assert shape.kind is kind
    assert LEAST_SURE <= shape.confidence <= 1.0


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_none(name: str) -> None:
    assert classify(OTHERS[name], UP).kind is GestureKind.NONE


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirrored_picture_shows_the_same(kind: GestureKind) -> None:
    shape, other = classify(SHOWN[kind], UP), classify(mirrored(SHOWN[kind]), UP)
    assert other.kind is shape.kind
    assert other.confidence == pytest.approx(shape.confidence, abs=1e-6)


@random_inputs(60)
@given(
    st.sampled_from(KINDS),
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda axis: math.hypot(*axis) > 0.1),
    st.floats(0.0, math.pi),
    st.floats(0.7, 1.4),
)
def test_a_hand_that_is_turned_larger_or_elsewhere_shows_the_same(
    kind: GestureKind, axis: tuple[float, float, float], angle: float, scale: float
) -> None:
    shape = classify(SHOWN[kind], UP)
    moved = scale * turned(SHOWN[kind], axis, angle) + np.array([0.3, -0.2, 1.5])
    x, y, z = turned(np.array([UP]), axis, angle)[0].tolist()
    other = classify(moved, (x, y, z))
    assert other.kind is shape.kind
    assert other.confidence == pytest.approx(shape.confidence, abs=1e-6)


def test_thumb_up_is_not_thumb_down_and_without_an_up_it_is_neither() -> None:
    thumb = thumb_towards(UP)
    assert classify(thumb, UP).kind is GestureKind.THUMB_UP
    assert classify(thumb, DOWN).kind is GestureKind.THUMB_DOWN
    assert classify(thumb, None).kind is GestureKind.NONE
    assert classify(thumb, (0.0, 0.0, 0.0)).kind is GestureKind.NONE
    assert classify(FIST, None).kind is GestureKind.FIST


@pytest.mark.parametrize("tilt_deg", range(0, 181, 15))
def test_a_thumb_is_never_taken_for_its_opposite(tilt_deg: int) -> None:
    tilt = math.radians(tilt_deg)
    kind = classify(thumb_towards((math.sin(tilt), 0.0, math.cos(tilt))), UP).kind
    assert kind is not (GestureKind.THUMB_DOWN if tilt_deg < 90 else GestureKind.THUMB_UP)


# -- lost points


@pytest.mark.parametrize("kind", KINDS)
def test_a_tenth_of_the_points_is_lost(kind: GestureKind) -> None:
    random = np.random.default_rng(4)
    found = []
    for _ in range(100):
        points = SHOWN[kind].copy()
        points[random.random(21) < 0.1] = np.nan
        found.append(classify(points, UP).kind)
    assert set(found) <= {kind, GestureKind.NONE}, "too little was seen, or it is right"
    assert found.count(kind) >= 85


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_the_points_is_too_little_or_right(kind: GestureKind) -> None:
    random = np.random.default_rng(5)
    for _ in range(100):
        points = SHOWN[kind].copy()
        points[random.random(21) < 0.5] = np.nan
        assert classify(points, UP).kind in (kind, GestureKind.NONE)


def test_a_batch_is_read_as_its_hands_are_one_by_one() -> None:
    points = np.stack([*SHOWN.values(), *OTHERS.values()])
    points[2, 7] = np.nan
    sure = confidences(measured(points), np.array(UP))
    for hand, row in zip(points, sure, strict=True):
        assert confidences(measured(hand), np.array(UP)) == pytest.approx(row, nan_ok=True)


def test_where_the_hand_is_and_how_large() -> None:
    found = seen(tracked(OPEN_PALM + np.array([0.0, 0.0, 2.0])), UP)
    assert found.centre is not None
    assert math.dist(found.centre, (0.07, 0.0, 2.0)) < 0.03
    assert 0.08 < found.size_m < 0.11
    nothing = seen(tracked(np.full((21, 3), np.nan)), UP)
    assert nothing.centre is None and nothing.kind is GestureKind.NONE
