"""How many steps are due, and how often a child may complain: time is an argument."""

from __future__ import annotations

import pytest

from framework.status import Severity
from resources.children.complaints import Complaints
from resources.children.pacing import Pacer


def test_simulated_time_keeps_up_with_an_uneven_clock() -> None:
    pacer = Pacer(100.0, timestep_s=0.001)
    steps, now_s = 0, 100.0
    for period_s in (0.01, 0.0137, 0.0001, 0.05, 0.0004) * 40:
        now_s += period_s
        steps += pacer.due(now_s)
    assert steps == pytest.approx((now_s - 100.0) / 0.001, abs=1)
    assert pacer.lost_s == 0.0
    assert pacer.real_time_factor == pytest.approx(1.0, abs=0.01)


def test_a_long_absence_is_given_up_and_told() -> None:
    pacer = Pacer(0.0, timestep_s=0.001, catch_up_s=0.1)
    assert pacer.due(10.0) == 100
    assert pacer.lag_s == pytest.approx(10.0)
    assert pacer.lost_s == pytest.approx(9.9)
    assert pacer.due(10.01) == 10
    assert pacer.real_time_factor < 0.02


def test_a_tick_shorter_than_a_step_makes_none_and_forgets_nothing() -> None:
    pacer = Pacer(0.0, timestep_s=0.01)
    assert [pacer.due(0.004 * tick) for tick in range(1, 6)] == [0, 0, 1, 0, 1]


def test_complaints_are_told_at_once_then_once_a_second_with_a_count() -> None:
    said: list[tuple[Severity, str]] = []
    complaints = Complaints(lambda severity, text: said.append((severity, text)))
    for tick in range(25):
        complaints.add(f"wrong {tick}", tick * 0.1)
    assert said == [
        (Severity.WARNING, "wrong 0"),
        (Severity.WARNING, "wrong 10 (and 9 more since the last warning)"),
        (Severity.WARNING, "wrong 20 (and 9 more since the last warning)"),
    ]
    assert (complaints.count, complaints.last) == (25, "wrong 24")
