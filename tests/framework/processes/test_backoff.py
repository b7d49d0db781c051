"""How long a restart waits: what makes the wait longer, and what ends that."""

from __future__ import annotations

import random

from framework.processes.backoff import Backoff
from framework.processes.spec import RestartPolicy


def backoff(**wishes: float) -> Backoff:
    return Backoff(RestartPolicy(jitter=0.0, **wishes), random.Random(0))  # type: ignore[arg-type]


def test_only_a_stable_time_begins_it_anew() -> None:
    it = backoff(first_s=0.2, stable_after_s=10.0)
    assert it.wait_s(0.0) == 0.2
    it.restarted(0.2)
    it.was_ready_for(9.9)
    assert it.wait_s(20.0) == 0.4
    it.restarted(20.4)
    it.was_ready_for(10.0)
    assert it.wait_s(40.0) == 0.2


def test_whoever_has_mended_the_cause_gets_every_try_again() -> None:
    it = backoff(first_s=0.2, most=2, within_s=10.0)
    for now_s in (0.0, 1.0):
        it.restarted(now_s)
    assert it.wait_s(2.0) is None
    it.forget()
    assert it.wait_s(2.0) == 0.2


def test_a_restart_counts_for_as_long_as_its_policy_says_and_no_longer() -> None:
    it = backoff(most=3, within_s=10.0)
    for now_s in (0.0, 1.0, 2.0):
        assert it.wait_s(now_s) is not None
        it.restarted(now_s)
    assert it.wait_s(9.99) is None
    assert it.wait_s(10.0) is not None, "the first one is forgotten"
    it.restarted(10.0)
    assert it.wait_s(10.99) is None
    assert it.wait_s(11.0) is not None
