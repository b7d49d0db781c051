"""Where a hand or a device points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from managers.pointing import pointed_at
from resources.gestures.rays import finger_ray, mean_ray, moved, pose_ray, wrist_ray
from resources.types.context import KnownThing, ThingKind
from resources.types.gestures import Landmark
from resources.types.poses import about
from resources.types.streams import IDENTITY
from resources.types.whereabouts import Ray
from tests.resources.gestures.drawn import POINT, tracked

AHEAD: Ray = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize("lost", [Landmark.INDEX_TIP, Landmark.INDEX_MCP])
def test_a_hand_without_the_points_for_it_points_nowhere(lost: Landmark) -> None:
    points = POINT.copy()
    points[lost] = np.nan
    assert finger_ray(tracked(points)) is None


def test_a_finger_without_length_points_nowhere() -> None:
    hand = tracked(np.full((21, 3), 0.3))
    assert finger_ray(hand) is None and wrist_ray(hand) is None


def test_rays_that_say_nothing_have_no_mean() -> None:
    assert mean_ray([]) is None
    assert mean_ray([(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)]) is None
    assert mean_ray([AHEAD, (0.0, 0.0, 1.0, -1.0, 0.0, 0.0)]) is None
    assert mean_ray([AHEAD, (0.0, 0.0, 1.0, 0.0, 1.0, 0.0)]) is None
    assert mean_ray([(0.0, 0.0, 0.0, math.nan, 0.0, 0.0)]) is None


def test_from_knuckle_and_from_wrist_through_the_tip() -> None:
    hand = tracked(POINT)
    finger, wrist = finger_ray(hand), wrist_ray(hand)
    assert finger is not None and wrist is not None
    assert finger[:3] == pytest.approx(POINT[Landmark.INDEX_MCP])
    assert wrist[:3] == pytest.approx(POINT[Landmark.WRIST])
    for ray in (finger, wrist):
        assert math.hypot(*ray[3:]) == pytest.approx(1.0)
        assert math.degrees(math.acos(ray[3])) < 15.0


def test_a_device_points_where_its_back_looks_unless_it_says_otherwise() -> None:
    assert pose_ray(IDENTITY) == pytest.approx((0.0, 0.0, 0.0, 0.0, 0.0, -1.0))
    lying = (1.0, 2.0, 3.0, *about((0.0, 1.0, 0.0), -math.pi / 2))
    assert pose_ray(lying) == pytest.approx((1.0, 2.0, 3.0, 1.0, 0.0, 0.0))
    assert pose_ray(IDENTITY, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0))


def test_a_ray_of_a_camera_in_the_robots_frame() -> None:
    robot_T_camera = (0.0, 0.0, 1.5, *about((0.0, 0.0, 1.0), math.pi / 2))
    assert moved(AHEAD, robot_T_camera) == pytest.approx((0.0, 0.0, 2.5, 0.0, 1.0, 0.0))


def test_the_mean_of_rays() -> None:
    one = (0.0, 0.0, 1.0, math.cos(0.1), math.sin(0.1), 0.0)
    other = (0.0, 0.2, 1.0, 3.0 * math.cos(0.1), -3.0 * math.sin(0.1), 0.0)
    mean = mean_ray([one, other])
    assert mean is not None
    assert mean == pytest.approx((0.0, 0.1, 1.0, 1.0, 0.0, 0.0))


def test_what_lies_along_a_fingers_ray_is_found_by_the_managers() -> None:
    ray = finger_ray(tracked(POINT))
    assert ray is not None
    x, y, z = (start + 2.0 * way for start, way in zip(ray[:3], ray[3:], strict=True))
    cup = KnownThing("cup", ThingKind.OBJECT, (x, y, z, 0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1))
    beside = KnownThing("drum", ThingKind.OBJECT, (x, y + 1.0, z, 0.0, 0.0, 0.0, 1.0), (0.1, 0.1, 0.1))
    assert [each.thing for each in pointed_at(ray, [beside, cup], 1.0)] == ["cup"]
