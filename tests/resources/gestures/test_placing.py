"""Where a hand is before a camera: from where it is seen, and how far its palm is."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.experiments.gesture.drawn import POSES, posed
from resources.gestures.placing import LEAST_DEPTHS, PALM, Array, Depth, measured_ray, placed
from resources.types.gestures import GestureKind, Landmark
from resources.types.streams import CameraIntrinsics

CAMERA = CameraIntrinsics(640, 480, 525.0, 530.0, 319.5, 239.5)
SHAPE = posed(POSES[GestureKind.OPEN_PALM])
SHAPE -= SHAPE.mean(axis=0)
HERE = np.array((0.15, -0.1, 0.9))


def seen(points: Array) -> Array:
    return np.asarray(
        points[:, :2] / points[:, 2:] * (CAMERA.fx, CAMERA.fy) + (CAMERA.cx, CAMERA.cy), np.float64
    )


def depth_of(points: Array) -> Depth:
    """Of a hand before a wall at 3 m: its skin is nearer than its joints."""
    depth = np.full((480, 640), 3000, np.uint16)
    for (column, row), far in zip(seen(points).round().astype(int), points[:, 2], strict=True):
        depth[max(row - 6, 0) : row + 7, max(column - 6, 0) : column + 7] = round(1e3 * far) - 10
    return depth


def found(points: Array, depth: Depth | None = None) -> Array:
    placed_there = placed(seen(points), SHAPE, CAMERA, depth)
    assert placed_there is not None
    return placed_there


def test_a_hand_of_mean_size_is_where_it_is() -> None:
    assert np.allclose(found(SHAPE + HERE), SHAPE + HERE, atol=1e-6)


@pytest.mark.parametrize("size", [0.8, 1.25])
def test_another_hand_is_taken_for_a_mean_one_unless_depth_tells(size: float) -> None:
    hand = size * SHAPE + HERE
    assert np.allclose(found(hand), SHAPE + HERE / size, atol=1e-6)
    assert np.abs(found(hand, depth_of(hand)) - hand).max() < 0.01


@pytest.mark.parametrize("broken", ["holes", "a wall", "outside"])
def test_depth_that_says_nothing_leaves_the_mean_size(broken: str) -> None:
    hand = 0.8 * SHAPE + HERE
    depth = depth_of(hand)
    if broken == "holes":
        for column, row in seen(hand)[list(PALM[: len(PALM) - LEAST_DEPTHS + 1])].round().astype(int):
            depth[row - 6 : row + 7, column - 6 : column + 7] = 0
    elif broken == "a wall":
        depth[:] = 3000
    else:
        depth = depth[:10, :10]
    assert np.allclose(found(hand, depth), found(hand), atol=1e-9)


@pytest.mark.parametrize("off", [np.nan, np.inf])
def test_what_is_no_number_is_nowhere(off: float) -> None:
    pixels = seen(SHAPE + HERE)
    pixels[3, 0] = off
    assert placed(pixels, SHAPE, CAMERA) is None


def test_a_hand_that_is_seen_as_a_dot_is_nowhere() -> None:
    """It would be further away than anybody's hand is seen."""
    assert placed(np.full((21, 2), 300.0) + 1e-3 * seen(SHAPE + HERE), SHAPE, CAMERA) is None


def test_points_that_fit_no_hand_before_the_camera_are_nowhere() -> None:
    pixels = seen(SHAPE + HERE)
    mirrored = 2 * pixels.mean(axis=0) - pixels  # upside down and wrong way round: it would be behind
    assert placed(mirrored, SHAPE, CAMERA) is None


# -- where it points


def turned_hand() -> Array:
    """A hand whose index finger points away from the camera, by 40° from its picture."""
    cosine, sine = np.cos(np.radians(40.0)), np.sin(np.radians(40.0))
    turn = np.array([(1.0, 0.0, 0.0), (0.0, cosine, sine), (0.0, -sine, cosine)])
    return np.asarray(SHAPE @ turn.T + HERE)


def test_a_ray_is_as_depth_was_measured_whatever_the_tracker_takes_the_fingers_turn_to_be() -> None:
    hand = turned_hand()
    depth = depth_of(hand)
    wrong = hand * (1.0, 1.0, 0.0) + (0.0, 0.0, HERE[2])  # flat before the camera
    ray = measured_ray(wrong, seen(hand), CAMERA, depth)
    assert ray is not None
    way = hand[Landmark.INDEX_TIP] - hand[Landmark.WRIST]
    way /= np.linalg.norm(way)
    assert np.degrees(np.arccos(float(way @ ray[3:]))) < 6.0
    assert np.abs(np.subtract(ray[:3], hand[Landmark.WRIST])).max() < 0.02


@pytest.mark.parametrize("landmark", [Landmark.WRIST, Landmark.INDEX_TIP])
@pytest.mark.parametrize("there", [0, 3000])
def test_without_depth_at_both_ends_there_is_no_ray(landmark: Landmark, there: int) -> None:
    hand = turned_hand()
    depth = depth_of(hand)
    column, row = seen(hand)[landmark].round().astype(int)
    depth[row - 4 : row + 5, column - 4 : column + 5] = there
    assert measured_ray(hand, seen(hand), CAMERA, depth) is None
