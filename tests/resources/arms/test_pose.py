"""Conversions of poses, against each other and at the angles where they usually break."""

from __future__ import annotations

import math

import numpy as np
import pytest

from resources.arms.pose import (
    Pose,
    Quaternion,
    Vector3,
    axis_angle,
    from_mujoco,
    inverse,
    look_along,
    product,
    quaternion_of,
    rotation_matrix,
    to_mujoco,
)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -2.0, 0.0), (1.0, 1.0, -1.0)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, math.pi / 2, 3.0, math.pi, -math.pi])
def test_a_rotation_survives_matrix_and_back(axis: Vector3, angle: float) -> None:
    quaternion = axis_angle(axis, angle)
    rotation = rotation_matrix(quaternion)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(rotation_matrix(quaternion_of(rotation)), rotation, atol=1e-12)


def test_products_compose_like_matrices_and_inverses_undo() -> None:
    first, second = axis_angle((1.0, 2.0, 3.0), 0.7), axis_angle((-1.0, 0.5, 0.0), 2.1)
    np.testing.assert_allclose(
        rotation_matrix(product(first, second)), rotation_matrix(first) @ rotation_matrix(second), atol=1e-12
    )
    pose = Pose((1.0, -2.0, 0.5), first)
    np.testing.assert_allclose(inverse(pose.matrix()) @ pose.matrix(), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(Pose.from_matrix(pose.matrix()).matrix(), pose.matrix(), atol=1e-12)


def test_mujocos_order_is_converted_both_ways() -> None:
    quaternion: Quaternion = (0.1, 0.2, 0.3, 0.9)
    assert to_mujoco(quaternion) == (0.9, 0.1, 0.2, 0.3)
    assert from_mujoco(to_mujoco(quaternion)) == quaternion


def test_looking_along_a_direction_keeps_the_picture_upright() -> None:
    rotation = rotation_matrix(look_along((1.0, 0.0, -0.3)))
    np.testing.assert_allclose(-rotation[:, 2], np.array([1.0, 0.0, -0.3]) / np.hypot(1.0, 0.3), atol=1e-12)
    np.testing.assert_allclose(rotation[:, 0], [0.0, -1.0, 0.0], atol=1e-12)
    assert rotation[2, 1] > 0
