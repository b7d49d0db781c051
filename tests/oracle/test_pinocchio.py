"""Our MJCF in MuJoCo, our URDF in Pinocchio and `ArmDynamics` are one arm, to 1e-10 in 250 random states."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.dynamics import GRAVITY, ArmDynamics
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import PANDA, PANDA_HAND
from resources.arms.urdf import arm_urdf
from tests.oracle.pinocchio_arm import PinocchioArm

Array = NDArray[np.float64]
STATES = 250
NAMES = (*joint_names(), *finger_names())

gripper_or_not = pytest.mark.parametrize("gripper", [True, False], ids=["gripper", "bare"])


def random_states(fingers: bool) -> list[tuple[Array, Array]]:
    """Positions over the whole range and velocities up to the limits of every joint."""
    random = np.random.default_rng(11)
    limits = [link.limits for link in PANDA.links] + [PANDA_HAND.finger_limits] * (2 if fingers else 0)
    lower = np.array([each.lower for each in limits])
    upper = np.array([each.upper for each in limits])
    speed = np.array([each.velocity for each in limits])
    return [(random.uniform(lower, upper), random.uniform(-speed, speed)) for _ in range(STATES)]


def agree(found: Array, expected: Array) -> None:
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


@gripper_or_not
def test_mujoco_on_our_mjcf_agrees_with_pinocchio_on_our_urdf(gripper: bool) -> None:
    tree = arm_tree(gripper=PANDA_HAND if gripper else None)
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(tree))
    data = mujoco.MjData(model)
    site = int(model.site("tool" if gripper else "flange").id)
    oracle = PinocchioArm(arm_urdf(gripper=gripper), "hand_tcp" if gripper else "link8")
    assert oracle.joints == tuple(model.joint(n).name for n in range(model.njnt)) == NAMES[: model.nv]
    mass, jacobian, rate = np.zeros((model.nv, model.nv)), np.zeros((6, model.nv)), np.zeros((6, model.nv))
    for q, dq in random_states(gripper):
        terms = oracle.terms(q, dq)
        data.qpos[:], data.qvel[:] = q, dq
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, mass)
        agree(mass, terms.mass)
        agree(data.qfrc_bias, terms.gravity + terms.coriolis)
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], site)
        agree(jacobian, terms.jacobian)
        mujoco.mj_jacDot(model, data, rate[:3], rate[3:], data.site_xpos[site], int(model.site_bodyid[site]))
        agree(rate @ dq, terms.jacobian_rate)
        agree(data.site_xpos[site], terms.pose[:3, 3])
        agree(data.site_xmat[site].reshape(3, 3), terms.pose[:3, :3])
        data.qvel[:] = 0.0
        mujoco.mj_forward(model, data)
        agree(data.qfrc_bias, terms.gravity)


@gripper_or_not
def test_arm_dynamics_agrees_with_pinocchio_on_our_urdf(gripper: bool) -> None:
    dynamics = ArmDynamics(arm_tree(gripper=PANDA_HAND if gripper else None))
    middle = (PANDA_HAND.finger_limits.lower + PANDA_HAND.finger_limits.upper) / 2
    locked = dict.fromkeys(finger_names(), middle) if gripper else {}
    oracle = PinocchioArm(arm_urdf(gripper=gripper), "hand_tcp" if gripper else "link8", locked=locked)
    assert oracle.joints == joint_names()
    for q, dq in random_states(fingers=False):
        terms = oracle.terms(q, dq)
        dynamics.update(q, dq)
        agree(dynamics.mass, terms.mass)
        agree(dynamics.gravity, terms.gravity)
        agree(dynamics.coriolis, terms.coriolis)
        agree(dynamics.coriolis_transposed_dq, terms.coriolis_transposed)
        agree(dynamics.jacobian, terms.jacobian)
        agree(dynamics.jacobian_rate_dq, terms.jacobian_rate)
        agree(dynamics.twist, terms.twist)
        agree(dynamics.base_T_tool, terms.pose)
        agree(dynamics.forward(q), terms.pose)


def test_an_arm_with_a_prefix_that_hangs_askew_agrees_too() -> None:
    up = np.array([2.0, -1.0, -2.0]) / 3
    x, y, z = (float(value) for value in -GRAVITY * up)
    dynamics = ArmDynamics(prefix="left_", up=(float(up[0]), float(up[1]), float(up[2])))
    locked = dict.fromkeys(finger_names("left_"), 0.02)
    oracle = PinocchioArm(arm_urdf("left_"), "left_hand_tcp", locked=locked, gravity=(x, y, z))
    for q, dq in random_states(fingers=False):
        dynamics.update(q, dq)
        agree(dynamics.gravity, oracle.terms(q, dq).gravity)


@gripper_or_not
def test_limits_arrive_in_all_three(gripper: bool) -> None:
    oracle = PinocchioArm(arm_urdf(gripper=gripper), "link8")
    limits = [link.limits for link in PANDA.links] + [PANDA_HAND.finger_limits] * (2 if gripper else 0)
    lower, upper, velocity, effort = oracle.limits()
    assert list(lower) == [each.lower for each in limits]
    assert list(upper) == [each.upper for each in limits]
    assert list(velocity) == [each.velocity for each in limits]
    assert list(effort) == [each.effort for each in limits]
    tree = arm_tree(gripper=PANDA_HAND if gripper else None)
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(tree))
    assert model.jnt_range.tolist() == [[each.lower, each.upper] for each in limits]
    assert model.jnt_actfrcrange.tolist() == [[-each.effort, each.effort] for each in limits]
