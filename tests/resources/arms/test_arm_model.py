"""The compiled arm against an independent computation from the same parameter table (`newton_euler.py`)."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import PANDA
from tests.resources.arms.newton_euler import flange_jacobian, inverse_dynamics, mass_matrix, random_states

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def arm() -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree(gripper=None)))
    return model, mujoco.MjData(model)


def test_mass_matrix_gravity_coriolis_and_jacobian_agree_with_newton_euler(
    arm: tuple[mujoco.MjModel, mujoco.MjData],
) -> None:
    model, data = arm
    zero = np.zeros(7)
    site = model.site("flange").id
    for q, dq in random_states(100):
        data.qpos[:], data.qvel[:] = q, dq
        mujoco.mj_forward(model, data)
        bias = inverse_dynamics(q, dq, zero)
        np.testing.assert_allclose(data.qfrc_bias, bias, atol=1e-9, rtol=0)
        mass = np.zeros((7, 7))
        mujoco.mj_fullM(model, data, mass)
        expected = mass_matrix(q)
        np.testing.assert_allclose(mass, expected, atol=1e-9, rtol=0)
        position, rotation = np.zeros((3, 7)), np.zeros((3, 7))
        mujoco.mj_jacSite(model, data, position, rotation, site)
        jacobian, flange = flange_jacobian(q)
        np.testing.assert_allclose(np.vstack([position, rotation]), jacobian, atol=1e-9, rtol=0)
        np.testing.assert_allclose(data.site_xpos[site], flange[:3, 3], atol=1e-9, rtol=0)
        np.testing.assert_allclose(data.site_xmat[site].reshape(3, 3), flange[:3, :3], atol=1e-9, rtol=0)


def test_limits_reach_the_compiled_model(arm: tuple[mujoco.MjModel, mujoco.MjData]) -> None:
    model, _ = arm
    for name, link in zip(joint_names(), PANDA.links, strict=True):
        joint = model.joint(name)
        assert tuple(joint.range) == (link.limits.lower, link.limits.upper)
        assert tuple(model.jnt_actfrcrange[joint.id]) == (-link.limits.effort, link.limits.effort)
        assert tuple(model.actuator(name).ctrlrange) == (-link.limits.effort, link.limits.effort)


def test_gravity_compensation_carries_arm_and_gripper_exactly() -> None:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree(), gravity_compensated=True))
    data = mujoco.MjData(model)
    for q, _ in random_states(20):
        data.qpos[:7] = q
        data.qpos[7:] = 0.02
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.qfrc_gravcomp, data.qfrc_bias, atol=1e-9, rtol=0)


def test_a_prefix_keeps_two_arms_apart() -> None:
    left = {link.name for link in arm_tree("left_").links()}
    right = {link.name for link in arm_tree("right_").links()}
    assert not left & right
    assert {"left_link0", "left_link7", "left_hand", "left_left_finger"} <= left


def test_nothing_of_the_arm_touches_itself_in_ordinary_postures() -> None:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree()))
    data = mujoco.MjData(model)
    for posture in (
        [0, -0.785, 0, -2.356, 0, 1.571, 0.785],
        [0, 0, 0, -0.5, 0, 0.6, 0],
        [1, 0.5, -1, -1.5, 1, 2, 1],
    ):
        data.qpos[:7] = posture
        data.qpos[7:] = 0.02
        mujoco.mj_forward(model, data)
        touching = {
            (model.body(model.geom_bodyid[pair[0]]).name, model.body(model.geom_bodyid[pair[1]]).name)
            for pair in data.contact.geom
        }
        assert not touching


def test_the_fingers_move_as_one_whatever_pushes_them() -> None:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree("left_"), gravity_compensated=True))
    data = mujoco.MjData(model)
    data.qpos[7:] = 0.02
    for name, force in zip(finger_names("left_"), (2.0, -1.5), strict=True):
        data.actuator(name).ctrl[0] = force
    mujoco.mj_step(model, data, 60)
    first, second = (float(data.joint(name).qpos[0]) for name in finger_names("left_"))
    assert first > 0.0202  # the stronger one wins
    assert second == pytest.approx(first, abs=2e-5)
