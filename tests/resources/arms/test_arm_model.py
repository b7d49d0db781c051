"""The compiled arm against an independent computation from the same parameter table.

The oracle is a recursive Newton-Euler algorithm on Denavit-Hartenberg transforms, written here in
numpy; it shares no code with the generator.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, joint_names
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import PANDA

Array = NDArray[np.float64]
GRAVITY = 9.81


def link_transform(number: int, q: float) -> Array:
    """Frame `number` in the one before it, (4, 4), by Craig's formula."""
    row = PANDA.links[number].dh
    ca, sa, cq, sq = np.cos(row.alpha), np.sin(row.alpha), np.cos(q), np.sin(q)
    return np.array(
        [
            [cq, -sq, 0, row.a],
            [sq * ca, cq * ca, -sa, -row.d * sa],
            [sq * sa, cq * sa, ca, row.d * ca],
            [0, 0, 0, 1],
        ]
    )


def inverse_dynamics(q: Array, dq: Array, ddq: Array, gravity: float = GRAVITY) -> Array:
    """Joint torques by Newton-Euler in link frames (Craig, chapter 6)."""
    z = np.array([0.0, 0.0, 1.0])
    omega, alpha, acceleration = np.zeros(3), np.zeros(3), gravity * z
    rotations, offsets, forces, moments = [], [], [], []
    for i, link in enumerate(PANDA.links):
        transform = link_transform(i, q[i])
        rotation, offset = transform[:3, :3], transform[:3, 3]
        acceleration = rotation.T @ (
            acceleration + np.cross(alpha, offset) + np.cross(omega, np.cross(omega, offset))
        )
        carried = rotation.T @ omega
        alpha = rotation.T @ alpha + np.cross(carried, dq[i] * z) + ddq[i] * z
        omega = carried + dq[i] * z
        (xx, yy, zz), (xy, xz, yz) = link.inertia.moments, link.inertia.products
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        centre = np.array(link.inertia.centre)
        force = link.inertia.mass * (
            acceleration + np.cross(alpha, centre) + np.cross(omega, np.cross(omega, centre))
        )
        moment = inertia @ alpha + np.cross(omega, inertia @ omega)
        rotations.append(rotation)
        offsets.append(offset)
        forces.append(force)
        moments.append(moment + np.cross(centre, force))
    torque = np.zeros(7)
    force, moment = np.zeros(3), np.zeros(3)
    for i in reversed(range(7)):
        if i < 6:
            force = rotations[i + 1] @ force
            moment = rotations[i + 1] @ moment + np.cross(offsets[i + 1], force)
        force = force + forces[i]
        moment = moment + moments[i]
        torque[i] = moment[2]
    return torque


def flange_jacobian(q: Array) -> tuple[Array, Array]:
    """Geometric Jacobian (6, 7) and pose (4, 4) of the flange, in the base."""
    frames, transform = [], np.eye(4)
    for i in range(7):
        transform = transform @ link_transform(i, q[i])
        frames.append(transform)
    flange = transform.copy()
    flange[:3, 3] += transform[:3, 2] * PANDA.flange_m
    columns = [
        np.concatenate([np.cross(frame[:3, 2], flange[:3, 3] - frame[:3, 3]), frame[:3, 2]])
        for frame in frames
    ]
    return np.array(columns).T, flange


@pytest.fixture(scope="module")
def arm() -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree(gripper=None)))
    return model, mujoco.MjData(model)


def random_states(count: int) -> list[tuple[Array, Array]]:
    random = np.random.default_rng(3)
    lower = np.array([link.limits.lower for link in PANDA.links])
    upper = np.array([link.limits.upper for link in PANDA.links])
    return [(random.uniform(lower, upper), random.uniform(-2, 2, 7)) for _ in range(count)]


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
        expected = np.column_stack([inverse_dynamics(q, zero, unit, gravity=0.0) for unit in np.eye(7)])
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


def test_friction_is_zero_at_rest_and_grows_with_speed() -> None:
    for link in PANDA.links:
        assert link.friction.torque(0.0) == pytest.approx(0.0, abs=1e-12)
        assert link.friction.torque(2.0) > link.friction.torque(0.05) > 0 > link.friction.torque(-0.05)
        assert link.friction.torque(10.0) - link.friction.torque(-10.0) == pytest.approx(
            link.friction.amplitude, rel=1e-3
        )
