"""`ArmDynamics` against Newton-Euler, against finite differences, and against itself turned over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from resources.arms.arm import arm_tree
from resources.arms.dynamics import ArmDynamics
from resources.arms.kinematic_tree import KinematicTree, Link
from resources.arms.parameters import PANDA, Inertia
from resources.arms.pose import Pose, axis_angle
from tests.resources.arms.newton_euler import (
    WEIGHT,
    Placed,
    flange_jacobian,
    gripper_payload,
    inverse_dynamics,
    mass_matrix,
    random_states,
)

Array = NDArray[np.float64]
ZERO = np.zeros(7)
STATES = random_states(60)


@pytest.fixture(scope="module")
def dynamics() -> ArmDynamics:
    return ArmDynamics()


@pytest.mark.parametrize("gripper", [True, False])
def test_every_term_agrees_with_newton_euler(gripper: bool) -> None:
    dynamics = ArmDynamics() if gripper else ArmDynamics(arm_tree(gripper=None))
    payload = gripper_payload(0.04) if gripper else ()
    for q, dq in STATES:
        dynamics.update(q, dq)
        np.testing.assert_allclose(dynamics.mass, mass_matrix(q, payload), atol=1e-10, rtol=0)
        np.testing.assert_allclose(dynamics.inverse_mass @ dynamics.mass, np.eye(7), atol=1e-10, rtol=0)
        coriolis = inverse_dynamics(q, dq, ZERO, ZERO[:3], payload)
        np.testing.assert_allclose(dynamics.coriolis, coriolis, atol=1e-10, rtol=0)
        gravity = inverse_dynamics(q, ZERO, ZERO, payload=payload)
        np.testing.assert_allclose(dynamics.gravity, gravity, atol=1e-10, rtol=0)


def test_the_flange_and_its_jacobian_agree_with_craigs_formulas() -> None:
    dynamics = ArmDynamics(arm_tree(gripper=None))
    for q, dq in STATES:
        dynamics.update(q, dq)
        jacobian, flange = flange_jacobian(q)
        np.testing.assert_allclose(dynamics.base_T_tool, flange, atol=1e-12, rtol=0)
        np.testing.assert_allclose(dynamics.jacobian, jacobian, atol=1e-12, rtol=0)
        np.testing.assert_allclose(dynamics.twist, jacobian @ dq, atol=1e-12, rtol=0)


@pytest.mark.parametrize("payload", [gripper_payload(0.04), ()], ids=["gripper", "bare"])
def test_transposed_coriolis_is_the_change_of_kinetic_energy_with_the_posture(
    payload: tuple[Placed, ...],
) -> None:
    dynamics = ArmDynamics() if payload else ArmDynamics(arm_tree(gripper=None))
    step = 1e-4
    for q, dq in STATES[:4]:
        dynamics.update(q, dq)

        def energy(posture: Array, dq: Array = dq) -> float:
            return float(dq @ mass_matrix(posture, payload) @ dq) / 2

        # Fourth order, so that the difference itself is good to nine digits.
        slope = [
            (8 * (energy(q + h) - energy(q - h)) - (energy(q + 2 * h) - energy(q - 2 * h))) / (12 * step)
            for h in step * np.eye(7)
        ]
        np.testing.assert_allclose(dynamics.coriolis_transposed_dq, slope, atol=1e-9, rtol=0)


def test_both_coriolis_terms_add_up_to_the_rate_of_the_mass_matrix(dynamics: ArmDynamics) -> None:
    step = 1e-4
    for q, dq in STATES:
        masses = []
        for share in (-2, -1, 1, 2):
            dynamics.update(q + share * step * dq, dq)
            masses.append(dynamics.mass.copy())
        rate = (8 * (masses[2] - masses[1]) - (masses[3] - masses[0])) / (12 * step)
        dynamics.update(q, dq)
        both = dynamics.coriolis + dynamics.coriolis_transposed_dq
        np.testing.assert_allclose(rate @ dq, both, atol=1e-8, rtol=0)
        # Neither does work beyond the change of kinetic energy.
        assert dq @ dynamics.coriolis == pytest.approx(dq @ dynamics.coriolis_transposed_dq, abs=1e-10)


def test_the_jacobians_rate_is_the_acceleration_without_joint_acceleration(dynamics: ArmDynamics) -> None:
    step = 1e-4
    for q, dq in STATES:
        twists = []
        for share in (-2, -1, 1, 2):
            dynamics.update(q + share * step * dq, dq)
            twists.append(dynamics.twist.copy())
        acceleration = (8 * (twists[2] - twists[1]) - (twists[3] - twists[0])) / (12 * step)
        dynamics.update(q, dq)
        np.testing.assert_allclose(dynamics.jacobian_rate_dq, acceleration, atol=1e-8, rtol=0)


def test_an_arm_that_is_mounted_tilted_feels_gravity_from_there(dynamics: ArmDynamics) -> None:
    hanging = ArmDynamics(up=(0.0, 0.0, -2.0))
    sideways = ArmDynamics(up=(1.0, -2.0, 2.0))
    assert hanging.up == (0.0, 0.0, -1.0)
    payload = gripper_payload(0.04)
    for q, dq in STATES[:20]:
        dynamics.update(q, dq)
        hanging.update(q, dq)
        sideways.update(q, dq)
        np.testing.assert_allclose(hanging.gravity, -dynamics.gravity, atol=1e-10, rtol=0)
        weight = np.array([1.0, -2.0, 2.0]) * WEIGHT[2] / 3
        expected = inverse_dynamics(q, ZERO, ZERO, weight, payload)
        np.testing.assert_allclose(sideways.gravity, expected, atol=1e-10, rtol=0)
        np.testing.assert_allclose(sideways.coriolis, dynamics.coriolis, atol=1e-12, rtol=0)


@pytest.mark.parametrize("up", [(0.0, 0.0, 0.0), (0.0, 0.0, float("nan")), (float("inf"), 0.0, 0.0)])
def test_a_direction_that_is_none_is_refused(up: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="up must be a finite vector"):
        ArmDynamics(up=up)


def test_a_mechanism_without_the_arms_joints_or_flange_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no left_joint1, .*; an arm with prefix 'left_'"):
        ArmDynamics(arm_tree(), prefix="left_")
    tree = arm_tree(gripper=None)
    with pytest.raises(ValueError, match="carries no frame 'flange'"):
        ArmDynamics(KinematicTree(_without_frames(tree.root)))


def test_asking_about_another_posture_leaves_the_state_alone(dynamics: ArmDynamics) -> None:
    (q, dq), (other, _) = STATES[:2]
    dynamics.update(q, dq)
    kept = [array.copy() for array in (dynamics.base_T_tool, dynamics.jacobian, dynamics.mass)]
    capsules = dynamics.link_capsules()
    there = dynamics.forward(other)
    assert not np.allclose(there, kept[0])
    assert not np.allclose(dynamics.link_capsules(other), capsules)
    for array, before in zip((dynamics.base_T_tool, dynamics.jacobian, dynamics.mass), kept, strict=True):
        np.testing.assert_array_equal(array, before)
    np.testing.assert_array_equal(dynamics.link_capsules(), capsules)
    np.testing.assert_array_equal(dynamics.forward(q), kept[0])


def test_the_arrays_stay_the_same_objects(dynamics: ArmDynamics) -> None:
    before = dynamics.mass, dynamics.jacobian, dynamics.base_T_tool, dynamics.gravity
    dynamics.update(*STATES[3])
    after = dynamics.mass, dynamics.jacobian, dynamics.base_T_tool, dynamics.gravity
    assert all(first is second for first, second in zip(before, after, strict=True))


def test_a_tool_point_of_ones_own_is_placed_from_the_flange() -> None:
    flange_T_tool = Pose((0.02, -0.03, 0.15), axis_angle((1.0, 2.0, 0.0), 0.4))
    bare = ArmDynamics(arm_tree(gripper=None))
    own = ArmDynamics(arm_tree(gripper=None), flange_T_tool=flange_T_tool)
    for q, dq in STATES[:5]:
        bare.update(q, dq)
        own.update(q, dq)
        np.testing.assert_allclose(
            own.base_T_tool, bare.base_T_tool @ flange_T_tool.matrix(), atol=1e-12, rtol=0
        )
        # The point moves with the flange as one rigid body.
        arm = own.base_T_tool[:3, 3] - bare.base_T_tool[:3, 3]
        velocity = bare.twist[:3] + np.cross(bare.twist[3:], arm)
        np.testing.assert_allclose(own.twist[:3], velocity, atol=1e-12, rtol=0)
        np.testing.assert_allclose(own.twist[3:], bare.twist[3:], atol=1e-12, rtol=0)


def test_a_tool_on_the_flange_weighs_what_it_weighs() -> None:
    load = Inertia(1.3, (0.01, -0.02, 0.06), (0.002, 0.003, 0.001), (1e-4, -2e-4, 3e-4))
    pose = Pose((0.0, 0.03, 0.02), axis_angle((0.0, 1.0, 1.0), 0.7))
    dynamics = ArmDynamics(arm_tree(gripper=None, tool=(Link("load", pose, inertia=load),)))
    in_link = pose.matrix()
    in_link[2, 3] += PANDA.flange_m
    for q, dq in STATES[:10]:
        dynamics.update(q, dq)
        np.testing.assert_allclose(dynamics.mass, mass_matrix(q, ((load, in_link),)), atol=1e-10, rtol=0)
        bias = inverse_dynamics(q, dq, ZERO, payload=((load, in_link),))
        np.testing.assert_allclose(dynamics.coriolis + dynamics.gravity, bias, atol=1e-10, rtol=0)


def _without_frames(link: Link) -> Link:
    children = tuple(_without_frames(child) for child in link.children)
    return Link(link.name, link.pose, link.joint, link.inertia, link.solids, (), children)
