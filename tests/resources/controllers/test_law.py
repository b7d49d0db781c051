"""The parts of the law by themselves: springs, damping, null space, observer, limits, guard, gate."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from pilothouse.testbed.arm_stage import HOME, PERIOD_S
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose, rotation_matrix
from resources.controllers.freshness import Freshness, age, freshness
from resources.controllers.impedance import JointImpedance, ToolImpedance
from resources.controllers.limits import TorqueLimits
from resources.controllers.observer import MomentumObserver, WrenchMap
from resources.controllers.outliers import Belief, OutlierGate
from resources.controllers.rotation import between, exponential, logarithm, quaternion_of, turned
from resources.controllers.settings import ArmLimits, ArmSettings, Surface
from resources.controllers.workspace import WorkspaceGuard

Array = NDArray[np.float64]

ZERO = np.zeros(7)
STILL = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
REST = np.zeros(6)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
SETTINGS = ArmSettings()
STRETCHED = np.array([0.0, 0.6, 0.0, -0.08, 0.0, 1.6, 0.7])


@pytest.fixture(scope="module")
def dynamics() -> ArmDynamics:
    return ArmDynamics()


def at(dynamics: ArmDynamics, q: Array, dq: Array = ZERO) -> Array:
    """`dynamics` in this state; returns M⁻¹ (7, 7)."""
    dynamics.update(q, dq)
    inverse: Array = np.array(np.linalg.inv(dynamics.mass), dtype=np.float64)
    return inverse


# ---------------------------------------------------------------- springs and dampers


@pytest.mark.parametrize(("error_m", "force_n"), [(0.001, 0.4), (0.158, 29.125), (5.0, 30.0), (-5.0, -30.0)])
def test_the_spring_saturates_and_never_goes_limp(
    dynamics: ArmDynamics, error_m: float, force_n: float
) -> None:
    inverse_mass = at(dynamics, np.array(HOME))
    law = ToolImpedance(dynamics, SETTINGS)
    errors = ((0.0, 0.0, error_m), (0.0, 0.0, 0.0))
    torque = law.torque(inverse_mass, errors, REST, REST, np.array(HOME), np.array(HOME), ZERO, 1.0)
    np.testing.assert_allclose(torque, dynamics.jacobian.T @ [0, 0, force_n, 0, 0, 0], atol=5e-3)


def test_the_posture_does_not_move_the_tool(dynamics: ArmDynamics) -> None:
    inverse_mass = at(dynamics, np.array(HOME))
    law = ToolImpedance(dynamics, SETTINGS)
    torque = law.torque(inverse_mass, STILL, REST, REST, np.array(HOME) + 0.3, np.array(HOME), ZERO, 1.0)
    assert np.abs(torque).max() > 0.1
    assert np.abs(dynamics.jacobian @ inverse_mass @ torque).max() < 1e-9


def test_feed_forward_makes_the_tool_accelerate_as_it_was_told(dynamics: ArmDynamics) -> None:
    random = np.random.default_rng(3)
    dq = random.normal(size=7) * 0.5
    inverse_mass = at(dynamics, np.array(HOME), dq)
    law = ToolImpedance(dynamics, SETTINGS)
    wanted = random.normal(size=6)
    twist = dynamics.twist.copy()
    torque = law.torque(inverse_mass, STILL, twist, wanted, np.array(HOME), np.array(HOME), dq, 1.0)
    got = dynamics.jacobian @ inverse_mass @ (torque - dynamics.coriolis) + dynamics.jacobian_rate_dq
    np.testing.assert_allclose(got, wanted, atol=1e-9)


def test_damping_takes_energy_from_every_motion_and_is_critical(dynamics: ArmDynamics) -> None:
    at(dynamics, np.array(HOME))
    law = JointImpedance(dynamics, SETTINGS)
    identity = np.eye(7)
    damping = np.array([-law.torque(ZERO, -column, ZERO) for column in identity]).T  # D, column by column
    np.testing.assert_allclose(damping, damping.T, atol=1e-9)
    assert (np.linalg.eigvalsh(damping) > 0.0).all()
    stiffness = np.diag(SETTINGS.joint_stiffness)
    system = np.block(
        [[np.zeros((7, 7)), identity], [-np.linalg.solve(dynamics.mass, np.hstack([stiffness, damping]))]]
    )
    poles = np.linalg.eigvals(system)
    assert (poles.real < 0.0).all()
    assert (np.abs(poles.imag) < 1e-3 * np.abs(poles.real)).all()  # ζ = 1: no mode swings


@pytest.mark.parametrize("elbow", [-0.08, -0.02, 0.0])
def test_a_singular_posture_gives_no_torque_that_tears(dynamics: ArmDynamics, elbow: float) -> None:
    q = STRETCHED.copy()
    q[3] = elbow
    dq = np.array([0.3, 0.3, -0.3, 1.0, 0.3, 0.3, 0.3])
    inverse_mass = at(dynamics, q, dq)
    law = ToolImpedance(dynamics, SETTINGS)
    errors = ((0.3, 0.0, 0.3), (0.0, 0.3, 0.0))
    twist = np.array([1.0, 0, 0.5, 0, 0, 0])
    torque = law.torque(inverse_mass, errors, twist, 5.0 * twist, q, q, dq, 1.0)
    assert np.isfinite(torque).all()
    assert np.abs(torque).max() < 150.0


def test_springs_of_joints_press_no_harder_than_the_tool_may(dynamics: ArmDynamics) -> None:
    at(dynamics, np.array(HOME))
    law, wrenches = JointImpedance(dynamics, SETTINGS), WrenchMap(dynamics)
    wrenches.update()
    for size in (0.001, 0.1, 1.0):
        spring = law.spring(size * np.array([1.0, -1.0, 0.5, 1.0, 0.2, 0.3, 0.1]))
        pressed = wrenches.wrench(law.share(wrenches.wrench(spring)) * spring)
        assert np.linalg.norm(pressed[:3]) <= 30.0
        assert np.linalg.norm(pressed[3:]) <= 10.0


# ---------------------------------------------------------------- observer


def test_the_observer_is_a_low_pass_of_what_acts(dynamics: ArmDynamics) -> None:
    observer = MomentumObserver(dynamics, 100.0)
    inverse_mass = at(dynamics, np.array(HOME))
    observer.restart(ZERO)
    q, dq, push = np.array(HOME), np.zeros(7), np.array([5.0, -3.0, 2.0, 4.0, 1.0, 0.5, 0.2])
    for step in range(60):
        dq = dq + PERIOD_S * inverse_mass @ (push - dynamics.coriolis)
        q = q + PERIOD_S * dq
        inverse_mass = at(dynamics, q, dq)
        observer.update(dq, ZERO, PERIOD_S)
        np.testing.assert_allclose(observer.torque, (1 - 0.9 ** (step + 1)) * push, rtol=0.02, atol=0.02)


def test_a_wrench_is_found_again_and_a_singularity_makes_it_no_larger(dynamics: ArmDynamics) -> None:
    wrenches, wrench = WrenchMap(dynamics), np.array([5.0, -10.0, 15.0, 1.0, -2.0, 0.5])
    at(dynamics, np.array(HOME))
    wrenches.update()
    np.testing.assert_allclose(wrenches.wrench(dynamics.jacobian.T @ wrench), wrench, atol=1e-6)
    q = STRETCHED.copy()
    q[3] = 0.0
    at(dynamics, q)
    wrenches.update()
    found = wrenches.wrench(dynamics.jacobian.T @ wrench + 0.5)
    assert np.linalg.norm(found) < 3.0 * np.linalg.norm(wrench)


# ---------------------------------------------------------------- limits


def test_torque_and_its_rate_are_bounded_whatever_is_asked(dynamics: ArmDynamics) -> None:
    limits, random = TorqueLimits(dynamics, SETTINGS), np.random.default_rng(5)
    inverse_mass = at(dynamics, np.array(HOME))
    before = limits.torque.copy()
    for _ in range(200):
        asked = random.normal(size=7) * random.choice([1, 100, 1e4])
        given = limits.bounded(asked, list(HOME), [0.0] * 7, inverse_mass, ZERO, 1.0, PERIOD_S)
        assert np.abs(given - before).max() <= 1.0
        assert (np.abs(given + dynamics.gravity) <= SETTINGS.limits.effort).all()
        before = given.copy()


def test_a_joint_near_its_end_is_braked_and_the_others_go_on(dynamics: ArmDynamics) -> None:
    limits = TorqueLimits(dynamics, ArmSettings(limits=_tireless()))
    q, dq = np.array(HOME), np.zeros(7)
    q[1], dq[1] = SETTINGS.limits.upper[1] - 0.1, 1.5
    inverse_mass = at(dynamics, q, dq)
    asked = dynamics.mass @ np.array([1.0, 5.0, 0, 0, 0, 0, 2.0]) + dynamics.coriolis
    given = limits.bounded(asked, q.tolist(), dq.tolist(), inverse_mass, ZERO, 1.0, PERIOD_S)
    got = inverse_mass @ (given - dynamics.coriolis)
    assert limits.walled
    assert got[1] <= -SETTINGS.limits.acceleration[1] + 1e-6
    np.testing.assert_allclose(np.delete(got, 1), [1.0, 0, 0, 0, 0, 2.0], atol=1e-6)


# ---------------------------------------------------------------- guard, gate, age


def test_the_guard_stops_at_the_box_and_lets_back_in() -> None:
    guard = WorkspaceGuard(SETTINGS)
    top = SETTINGS.workspace.upper[2]
    assert guard.restrained((0, 0, top), (0.1, 0, 1.0), (0, 0, 0)) == (0.1, 0, 0.0)
    assert guard.restrained((0, 0, top + 0.1), (0, 0, 1.0), (0, 0, 0)) == (0, 0, 0.0)
    assert guard.restrained((0, 0, top + 0.1), (0, 0, -0.3), (0, 0, 0)) == (0, 0, -0.3)
    assert guard.restrained((0, 0, top + 0.1), (0, 0, 0), (0, 0, 0)) == (0, 0, 0)
    assert guard.nearest((0, 0, 9.0)) == (0, 0, top)


def test_a_contact_slows_what_presses_and_nothing_else() -> None:
    guard = WorkspaceGuard(SETTINGS)
    push = (0.0, 20.0, 0.0)
    assert guard.restrained((0, 0, 0.5), (0.2, -0.5, 0), push) == (0.2, -0.5, 0)
    guard.feel(20.0, PERIOD_S)
    assert guard.restrained((0, 0, 0.5), (0.2, -0.5, 0), push) == pytest.approx((0.2, -0.1, 0))
    assert guard.restrained((0, 0, 0.5), (0.2, 0.5, 0), push) == (0.2, 0.5, 0)
    assert guard.yielding((0.2, -0.1, 0), push) == pytest.approx((0.2, 0.0, 0))
    load = (0.0, 0.0, -20.0)
    assert guard.restrained((0, 0, 0.5), (0, 0, 0.5), load) == (0, 0, 0.5)
    for _ in range(150):
        guard.feel(1.0, PERIOD_S)
    assert not guard.touching


def test_a_surface_is_come_near_slowly_and_left_at_once() -> None:
    guard = WorkspaceGuard(ArmSettings(surfaces=(Surface((0, 0, 0), (0, 0, 1)),)))
    assert guard.restrained((0, 0, 0.02), (0, 0, -1.0), (0, 0, 0))[2] == pytest.approx(-0.1)
    assert -1.0 < guard.restrained((0, 0, 0.1), (0, 0, -1.0), (0, 0, 0))[2] < -0.2
    assert guard.restrained((0, 0, 0.02), (0.5, 0, 1.0), (0, 0, 0)) == (0.5, 0, 1.0)


def test_the_gate_believes_small_steps_doubts_jumps_and_learns() -> None:
    gate = OutlierGate(SETTINGS)
    here = ((0.0, 0.0, 0.0), UPRIGHT)
    near, far = ((0.003, 0.0, 0.0), UPRIGHT), ((0.4, 0.0, 0.0), UPRIGHT)
    assert gate.passed(here, near, 0.016, 0.0) == (*near, Belief.BELIEVED)
    assert gate.passed(here, far, 0.016, 0.016) == (*here, Belief.DOUBTED)
    assert gate.passed(here, far, 0.016, 0.1)[2] is Belief.DOUBTED
    assert gate.passed(here, far, 0.016, 0.32) == (*far, Belief.AFTER_ALL)
    assert gate.outliers == 1
    flipped = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert gate.passed(here, flipped, 0.016, 0.4)[2] is Belief.DOUBTED
    assert "180°" in gate.remark


def test_a_slow_stream_may_step_further() -> None:
    gate = OutlierGate(SETTINGS)
    step = ((0.1, 0.0, 0.0), UPRIGHT)
    assert gate.passed(((0.0, 0.0, 0.0), UPRIGHT), step, 0.2, 0.0)[2] is Belief.BELIEVED
    assert gate.passed(((0.0, 0.0, 0.0), UPRIGHT), step, 0.016, 0.0)[2] is Belief.DOUBTED


def test_targets_grow_old_in_three_steps() -> None:
    ages = (0.0, 0.1, 0.11, 0.4, 0.41, 1.0, 1.01)
    found = [freshness(each, SETTINGS) for each in ages]
    fresh, held, damped, over = Freshness
    assert found == [fresh, fresh, held, held, damped, damped, over]
    assert age(given_s=5.0, now_s=4.9) == 0.0


def test_rotations_agree_with_matrices() -> None:
    random = np.random.default_rng(2)
    for _ in range(200):
        vector = random.normal(size=3)
        vector *= random.choice([1e-8, 0.1, 1.0, math.pi - 1e-6]) / np.linalg.norm(vector)
        x, y, z = vector.tolist()
        rotation = exponential(x, y, z)
        np.testing.assert_allclose(logarithm(rotation), vector, atol=1e-7)
        again = quaternion_of(Pose(quaternion=turned((x, y, z), UPRIGHT)).matrix())
        assert math.hypot(*between(again, rotation)) < 1e-7
        other = exponential(*random.normal(size=3).tolist())
        np.testing.assert_allclose(
            rotation_matrix(turned((x, y, z), other)),
            rotation_matrix(turned((x, y, z), UPRIGHT)) @ rotation_matrix(other),
            atol=1e-9,
        )


def _tireless() -> ArmLimits:
    return msgspec.structs.replace(SETTINGS.limits, effort=(1e4,) * 7, effort_rate=1e9)
