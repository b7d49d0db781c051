"""Every point of every solid lies inside its capsule, wherever the arm stands."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from resources.arms.arm import arm_tree
from resources.arms.covering import covering_capsule
from resources.arms.dynamics import ArmDynamics
from resources.arms.kinematic_tree import Box, Capsule, Cylinder, Shape
from resources.arms.parameters import PANDA
from tests.resources.arms.newton_euler import link_transform, random_states


@pytest.mark.parametrize(
    "shape",
    [Box((0.3, 0.1, 0.2)), Box((0.1, 0.3, 0.2)), Box((0.1, 0.2, 0.3)), Cylinder(0.1, 0.5), Capsule(0.1, 0.5)],
)
def test_a_capsule_covers_its_shape_and_touches_it(shape: Shape) -> None:
    pose, length, radius = covering_capsule(shape)
    axis = pose.matrix()[:3, 2]
    distances = []
    for point in _extreme_points(shape):
        along = float(np.clip(point @ axis, -length / 2, length / 2))
        distances.append(float(np.linalg.norm(point - along * axis)))
    assert max(distances) == pytest.approx(radius, abs=1e-12)


def test_the_capsules_follow_the_links() -> None:
    dynamics = ArmDynamics(arm_tree(gripper=None))
    assert dynamics.capsule_links == (
        *("link0", "link1", "link2", "link3", "link4", "link5", "link5", "link6", "link7", "link7"),
    )
    for q, dq in random_states(5):
        dynamics.update(q, dq)
        rows = dynamics.link_capsules()
        assert rows.shape == (10, 7)
        np.testing.assert_array_equal(rows, dynamics.link_capsules(q))
        base_T_link, row = np.eye(4), 0
        for number, link in enumerate(PANDA.links):
            base_T_link = base_T_link @ link_transform(number, q[number])
            for size in link.capsules:
                row += 1
                direction = np.array(size.direction) / np.linalg.norm(size.direction)
                for end, sign in ((rows[row, :3], -1), (rows[row, 3:6], 1)):
                    local = np.array([*(np.array(size.centre) + sign * direction * size.length / 2), 1.0])
                    other = np.array([*(np.array(size.centre) - sign * direction * size.length / 2), 1.0])
                    ends = (base_T_link @ local)[:3], (base_T_link @ other)[:3]
                    assert min(float(np.linalg.norm(end - each)) for each in ends) < 1e-12
                assert rows[row, 6] == size.radius


def test_the_fingers_of_a_gripper_are_covered_too() -> None:
    dynamics = ArmDynamics()
    tip = dynamics.forward(np.zeros(7))[:3, 3]
    rows = dynamics.link_capsules(np.zeros(7))
    lowest = min(float(min(row[2], row[5]) - row[6]) for row in rows[8:])
    assert lowest < tip[2]


def _extreme_points(shape: Shape) -> list[NDArray[np.float64]]:
    match shape:
        case Box(size=size):
            return [np.array(signs) * size / 2 for signs in itertools.product((-1, 1), repeat=3)]
        case Cylinder(radius=radius, length=length):
            return [
                np.array([radius * np.cos(angle), radius * np.sin(angle), end * length / 2])
                for angle in np.linspace(0, 6, 13)
                for end in (-1, 1)
            ]
        case Capsule(radius=radius, length=length):
            return [np.array([0, 0, length / 2 + radius]), np.array([radius, 0, 0.3 * length])]
