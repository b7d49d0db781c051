"""The identified friction: at rest, at speed, beyond any speed, as an array, and as MuJoCo has it."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from resources.arms.arm import arm_tree, joint_names
from resources.arms.friction import JointFriction, dry_and_viscous
from resources.arms.mjcf import mechanism_mjcf
from resources.arms.parameters import PANDA, Friction


def test_friction_is_zero_at_rest_and_grows_with_speed() -> None:
    for link in PANDA.links:
        assert link.friction.torque(0.0) == 0.0
        assert link.friction.torque(2.0) > link.friction.torque(0.05) > 0 > link.friction.torque(-0.05)


def test_no_speed_is_too_high() -> None:
    for link in PANDA.links:
        friction = link.friction
        assert friction.torque(1e6) - friction.torque(-1e6) == pytest.approx(friction.amplitude, rel=1e-12)
    assert np.isfinite(JointFriction.of_arm().torque(np.full(7, -1e6))).all()


def test_it_is_the_formula_of_the_paper() -> None:
    for link in PANDA.links:
        amplitude, slope, offset = link.friction.amplitude, link.friction.slope, link.friction.offset
        for velocity in (-2.0, -0.1, 0.01, 0.7):
            expected = amplitude / (1 + np.exp(-slope * (velocity + offset)))
            expected -= amplitude / (1 + np.exp(-slope * offset))
            assert link.friction.torque(velocity) == pytest.approx(expected, abs=1e-14)


def test_all_joints_at_once_are_the_joints_one_by_one() -> None:
    friction = JointFriction.of_arm()
    out = np.empty(7)
    for velocities in np.random.default_rng(0).uniform(-2, 2, (20, 7)):
        expected = [link.friction.torque(float(dq)) for link, dq in zip(PANDA.links, velocities, strict=True)]
        np.testing.assert_allclose(friction.torque(velocities), expected, atol=1e-15, rtol=0)
        assert friction.torque(velocities, out) is out
        np.testing.assert_allclose(out, expected, atol=1e-15, rtol=0)


def test_the_linear_fit_of_a_steep_sigmoid_is_coulomb_friction() -> None:
    dry, viscous = dry_and_viscous(Friction(2.0, 1e4, 0.0), 2.0)
    assert dry == pytest.approx(1.0, abs=1e-3)
    assert viscous == pytest.approx(0.0, abs=1e-3)


def test_the_linear_fit_is_close_where_the_joint_is_fast() -> None:
    for link in PANDA.links:
        dry, viscous = dry_and_viscous(link.friction, link.limits.velocity)
        assert dry > 0
        assert viscous >= 0
        for speed in (0.3, 0.6, 1.0):
            velocity = speed * link.limits.velocity
            both = (link.friction.torque(velocity) - link.friction.torque(-velocity)) / 2
            assert dry + viscous * velocity == pytest.approx(both, abs=0.15 * link.friction.amplitude)


@pytest.mark.parametrize("friction", [False, True])
def test_friction_reaches_the_compiled_model_only_when_asked_for(friction: bool) -> None:
    model = mujoco.MjModel.from_xml_string(mechanism_mjcf(arm_tree(), friction=friction))
    for name, link in zip(joint_names(), PANDA.links, strict=True):
        dof = int(model.joint(name).dofadr[0])
        expected = dry_and_viscous(link.friction, link.limits.velocity) if friction else (0.0, 0.0)
        assert (float(model.dof_frictionloss[dof]), float(np.ravel(model.dof_damping[dof])[0])) == expected
