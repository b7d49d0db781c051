"""What a person feels: hysteresis, transients by the lost impulse, the continuous pattern."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.arms.dynamics import ArmDynamics
from resources.operator.contact import (
    BEGINS_N,
    ENDS_N,
    FULL_N,
    MINIMUM,
    PER_NEWTON_SECOND,
    WINDOW_S,
    ContactFeel,
)
from resources.operator.lost_impulse import lost_impulse
from resources.types.motion import REST7, Joints7

Q: Joints7 = (0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8)
PERIOD_S = 0.01


def first_joint(q: Joints7, change: Sequence[float]) -> float:
    """A stand-in for the lost impulse: the first joint's change."""
    return abs(change[0])


class Felt:
    """A contact's feel, fed a hundred times a second."""

    def __init__(self) -> None:
        self.feel = ContactFeel(first_joint)
        self.time_s = 0.0

    def push(self, force_n: float, velocity: float = 0.0, seconds: float = PERIOD_S) -> ContactFeel:
        for _ in range(round(seconds / PERIOD_S)):
            self.time_s += PERIOD_S
            self.feel.update(self.time_s, Q, (velocity, 0, 0, 0, 0, 0, 0), (0.0, 0.0, force_n))
        return self.feel


def test_a_contact_begins_and_ends_with_hysteresis() -> None:
    felt = Felt()
    assert not felt.push(BEGINS_N - 0.1).in_contact
    assert felt.push(BEGINS_N).in_contact
    assert felt.push(ENDS_N + 0.1).in_contact
    assert not felt.push(ENDS_N).in_contact
    assert not felt.push(BEGINS_N - 0.1).in_contact
    assert felt.feel.knocks == 1


def test_a_force_that_wavers_about_the_threshold_knocks_once() -> None:
    felt = Felt()
    for index in range(200):
        felt.push(BEGINS_N + math.sin(index))
    assert felt.feel.knocks == 1


def test_the_transient_is_the_impulse_lost_within_the_window() -> None:
    felt = Felt()
    felt.push(0.0, velocity=0.9, seconds=1.0)
    felt.push(0.0, velocity=0.7, seconds=WINDOW_S)
    felt.push(15.0, velocity=0.2)
    assert felt.feel.knock == pytest.approx(MINIMUM + PER_NEWTON_SECOND * 0.5)


def test_a_hard_knock_is_one_and_a_soft_one_is_felt() -> None:
    felt = Felt()
    felt.push(0.0, velocity=50.0)
    assert felt.push(15.0).knock == 1.0
    felt.push(0.0, seconds=1.0)
    assert felt.push(15.0).knock == MINIMUM
    assert felt.feel.knocks == 2


def test_the_continuous_pattern_goes_from_ten_to_forty_newtons() -> None:
    felt = Felt()
    assert felt.push(9.0).press == 0.0
    assert felt.push(BEGINS_N).press == pytest.approx(MINIMUM)
    assert felt.push(25.0).press == pytest.approx((MINIMUM + 1.0) / 2.0)
    assert felt.push(FULL_N).press == pytest.approx(1.0)
    assert felt.push(400.0).press == 1.0
    assert felt.push(9.0).press == MINIMUM
    assert felt.push(5.0).press == 0.0


def test_an_old_sample_and_one_that_is_no_number_change_nothing() -> None:
    felt = Felt()
    felt.push(5.0)
    felt.feel.update(felt.time_s, Q, REST7, (0.0, 0.0, 50.0))
    felt.feel.update(felt.time_s + 1.0, Q, REST7, (0.0, math.nan, 50.0))
    assert felt.feel.knocks == 0


def test_a_loop_that_begins_anew_is_felt_from_there() -> None:
    felt = Felt()
    felt.push(0.0, velocity=5.0, seconds=1.0)
    felt.feel.update(0.001, Q, REST7, (0.0, 0.0, 12.0))
    assert (felt.feel.knocks, felt.feel.knock) == (1, MINIMUM)


@given(st.lists(st.floats(0.0, 1e4), max_size=200))
def test_whatever_the_force_intensities_stay_within_bounds_and_knocks_rise_by_one(
    forces: list[float],
) -> None:
    felt = Felt()
    for force in forces:
        before = felt.feel.knocks
        feel = felt.push(force)
        assert feel.knocks - before in (0, 1)
        assert feel.press == 0.0 or MINIMUM <= feel.press <= 1.0
        assert feel.knock == 0.0 or MINIMUM <= feel.knock <= 1.0
        assert (feel.press > 0.0) == feel.in_contact


def test_the_lost_impulse_is_the_tool_s_inertia_times_what_it_lost() -> None:
    dynamics = ArmDynamics()
    dynamics.update(np.array(Q), np.zeros(7))
    change = np.linalg.pinv(dynamics.jacobian) @ np.array([0.0, 0.0, -0.25, 0.0, 0.0, 0.0])
    inertia = np.linalg.inv(dynamics.jacobian @ np.linalg.inv(dynamics.mass) @ dynamics.jacobian.T)
    expected = float(np.linalg.norm((inertia @ np.array([0, 0, -0.25, 0, 0, 0]))[:3]))
    assert lost_impulse(Q, change.tolist()) == pytest.approx(expected, rel=1e-6)
    assert 0.5 < expected < 3.0


def test_through_a_singularity_the_impulse_stays_finite() -> None:
    stretched: Joints7 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert lost_impulse(stretched, (0.1,) * 7) < 20.0
