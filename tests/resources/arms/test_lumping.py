"""Locking joints and merging links changes no weight, no place and no shape."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.lumping import combined, inertia_matrix, locked, lumped
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import Inertia
from tests.resources.arms.newton_euler import random_states


def test_a_joint_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="there is no joint elbow; there are joint1, joint2"):
        locked(arm_tree(), {"elbow": 0.0})


def test_two_point_masses_are_one_body() -> None:
    left, right = (
        Inertia(1.0, (0.0, -0.3, 0.0), (0.0, 0.0, 0.0)),
        Inertia(2.0, (0.0, 0.3, 0.0), (0.0, 0.0, 0.0)),
    )
    body = combined((left, right))
    assert body.mass == 3.0
    np.testing.assert_allclose(body.centre, (0.0, 0.1, 0.0), atol=1e-15)
    # Reduced mass times distance squared.
    np.testing.assert_allclose(inertia_matrix(body), np.diag([0.24, 0.0, 0.24]), atol=1e-15)


def test_lumped_is_locked_with_fewer_links() -> None:
    fixed = locked(arm_tree(), dict.fromkeys(finger_names(), 0.03))
    merged = lumped(fixed)
    assert [joint.name for joint in merged.joints()] == list(joint_names())
    assert arm_tree().coupled == (finger_names(),)
    assert merged.coupled == ()
    assert [link.name for link in merged.links()] == [f"link{number}" for number in range(8)]
    assert sum(len(link.solids) for link in merged.links()) == sum(len(link.solids) for link in fixed.links())
    many, few = (mujoco.MjModel.from_xml_string(mechanism_mjcf(tree)) for tree in (fixed, merged))
    before, after = mujoco.MjData(many), mujoco.MjData(few)
    for q, dq in random_states(20):
        for model, data in ((many, before), (few, after)):
            data.qpos[:], data.qvel[:] = q, dq
            mujoco.mj_forward(model, data)
        np.testing.assert_allclose(after.qfrc_bias, before.qfrc_bias, atol=1e-10, rtol=0)
        np.testing.assert_allclose(after.geom_xpos, before.geom_xpos, atol=1e-12, rtol=0)
        for frame in ("flange", "tool"):
            np.testing.assert_allclose(after.site(frame).xpos, before.site(frame).xpos, atol=1e-12, rtol=0)
            np.testing.assert_allclose(after.site(frame).xmat, before.site(frame).xmat, atol=1e-12, rtol=0)


def test_a_locked_joint_stands_where_it_was_locked() -> None:
    free = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree()))
    fixed = mujoco.MjModel.from_xml_string(mechanism_mjcf(locked(arm_tree(), {"joint4": -1.2})))
    moved, still = mujoco.MjData(free), mujoco.MjData(fixed)
    moved.joint("joint4").qpos[0] = -1.2
    mujoco.mj_kinematics(free, moved)
    mujoco.mj_kinematics(fixed, still)
    np.testing.assert_allclose(still.site("tool").xpos, moved.site("tool").xpos, atol=1e-12, rtol=0)
