"""Generated hands are hands: bones keep their lengths, and poses are what they are called."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pilothouse.experiments.gesture.hands import Bones, Shape, points_of, some_bones
from pilothouse.experiments.gesture.motion import LOST, Key, moving, turn_for
from pilothouse.experiments.gesture.poses import NO_PINCH, TOUCH
from pilothouse.experiments.gesture.shown import EVERY, held_trial, idle_stream
from resources.types.gestures import GestureKind
from resources.types.masters import HandSide


def a_hand(name: str, seed: int) -> tuple[Bones, Shape]:
    random = np.random.default_rng(seed)
    bones = some_bones(random)
    return bones, EVERY[name](bones, random)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("seed", range(5))
def test_bones_keep_their_lengths_and_no_finger_is_longer_than_hands_have(name: str, seed: int) -> None:
    bones, shape = a_hand(name, seed)
    points = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    assert np.linalg.norm(points[2:5] - points[1:4], axis=1) == pytest.approx(bones.thumb)
    for finger in range(4):
        first = 5 + 4 * finger
        lengths = np.linalg.norm(points[first + 1 : first + 4] - points[first : first + 3], axis=1)
        assert lengths == pytest.approx(bones.phalanges[finger])
    assert 0.05 < np.linalg.norm(points[9]) < 0.15


def test_there_are_left_and_right_hands_and_they_are_mirrored() -> None:
    sides = {some_bones(np.random.default_rng(seed)).side for seed in range(20)}
    assert sides == set(HandSide)


@pytest.mark.parametrize("seed", range(20))
def test_what_pinches_touches(seed: int) -> None:
    bones, shape = a_hand(GestureKind.PINCH, seed)
    points = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    assert np.linalg.norm(points[4] - points[8]) < (TOUCH + 0.15) * bones.palm_m


@pytest.mark.parametrize("seed", range(20))
def test_what_nearly_pinches_does_not(seed: int) -> None:
    bones, shape = a_hand("nearly ok", seed)
    points = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    assert np.linalg.norm(points[4] - points[8]) > NO_PINCH * bones.palm_m


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("kind", "sign"), [(GestureKind.THUMB_UP, 1.0), (GestureKind.THUMB_DOWN, -1.0)])
def test_thumbs_up_are_up(kind: GestureKind, sign: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    bones, shape = a_hand(kind, seed)
    points = points_of(bones, shape.fingers[None], shape.thumb[None])[0]
    x, y, z = turn_for(kind, bones, shape, random) @ (points[4] - points[1])
    assert math.degrees(math.atan2(math.hypot(x, y), sign * z)) <= 30.1


def test_a_stream_is_of_the_hand_that_goes_from_pose_to_pose() -> None:
    random = np.random.default_rng(3)
    bones = some_bones(random)
    keys = [
        Key(EVERY[name](bones, random), turn_for(name, bones, EVERY[name](bones, random), random), 0.5, 0.3)
        for name in (GestureKind.OPEN_PALM, GestureKind.FIST)
    ]
    pictures = moving(bones, keys, random)
    assert pictures.points.shape == (39, 21, 3)
    lost = float(np.isnan(pictures.points[..., 0]).mean())
    assert abs(lost - LOST) < 0.04
    assert np.linalg.norm(pictures.up) == pytest.approx(1.0)


def test_the_same_seed_is_the_same_person() -> None:
    one, other = (held_trial(GestureKind.POINT, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one.points, other.points, equal_nan=True)
    assert idle_stream(10.0, np.random.default_rng(5)).times[-1] >= 9.5
