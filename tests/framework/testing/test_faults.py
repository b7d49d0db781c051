"""Fault plans: wrong plans, faults that fail, order, times, and the same seed."""

from __future__ import annotations

import asyncio
import math

import pytest

from framework.errors import DescriptionError
from framework.testing import run
from framework.testing.faults import Choice, Fault, FaultPlan, random_faults


@pytest.mark.parametrize("at_s", [-0.1, math.nan, math.inf])
def test_an_impossible_time_is_refused(at_s: float) -> None:
    with pytest.raises(DescriptionError, match="give a time of 0 s or later"):
        FaultPlan().at(at_s, print)


def test_an_unknown_name_is_refused_and_nothing_is_added() -> None:
    plan = FaultPlan(named={"kill": print, "hang": print})
    with pytest.raises(DescriptionError, match="no fault named 'kil'; known are: hang, kill"):
        plan.extend([Fault(1.0, "kill"), Fault(2.0, "kil")])
    assert plan.faults == ()


@pytest.mark.parametrize(("choices", "mean_interval_s"), [([], 1.0), (["kill"], 0.0), (["kill"], math.nan)])
def test_random_faults_need_something_to_draw_from(choices: list[str], mean_interval_s: float) -> None:
    with pytest.raises(DescriptionError, match="at least one choice and a mean interval above 0 s"):
        random_faults(0, 10, choices, mean_interval_s)


def test_a_fault_that_cannot_be_injected_ends_the_plan_and_is_on_the_timeline() -> None:
    def breaks() -> None:
        raise ProcessLookupError("already gone")

    plan = FaultPlan().at(1.0, breaks).at(2.0, print)
    with pytest.raises(ProcessLookupError):
        run(plan.run)
    (only,) = plan.timeline
    assert str(only) == "     1.000 s  breaks(): ProcessLookupError('already gone')"


def test_a_cancelled_plan_does_no_more() -> None:
    done: list[str] = []
    plan = FaultPlan().at(1.0, done.append, "first").at(3.0, done.append, "second")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2.0):
                await plan.run()
        await asyncio.sleep(10.0)

    run(main)
    assert done == ["first"]
    assert len(plan.timeline) == 1


def test_faults_happen_in_order_at_their_times() -> None:
    done: list[tuple[float, str]] = []

    def fail(device: str) -> None:
        done.append((asyncio.get_running_loop().time(), device))

    async def fail_slowly(device: str) -> None:
        await asyncio.sleep(1.0)
        fail(device)

    async def main() -> None:
        await asyncio.sleep(100.0)  # times count from here
        await plan.run()

    plan = FaultPlan(named={"fail": fail})
    plan.at(2.0, "fail", "camera").at(1.0, fail, "lidar").at(2.0, fail_slowly, "arm").at(2.5, fail, "base")
    run(main)
    assert done == [(101.0, "lidar"), (102.0, "camera"), (103.0, "arm"), (103.0, "base")]
    assert plan.as_lines().splitlines() == [
        "     1.000 s  fail('lidar')",
        "     2.000 s  fail('camera')",
        "     2.000 s  fail_slowly('arm')",
        "     3.000 s  fail('base'), planned for 2.500 s",
    ]
    assert [(entry.began_s, entry.ended_s) for entry in plan.timeline][2] == (2.0, 3.0)


def test_the_same_seed_draws_the_same_faults_in_order() -> None:
    choices: list[Choice] = ["hang", ("kill", "camera"), ("kill", "lidar")]
    first = list(random_faults(7, 1000, choices, 0.5))
    assert list(random_faults(7, 1000, choices, 0.5)) == first
    assert list(random_faults(8, 1000, choices, 0.5)) != first
    assert {(fault.what, fault.arguments) for fault in first} == {
        ("hang", ()),
        ("kill", ("camera",)),
        ("kill", ("lidar",)),
    }
    times = [fault.at_s for fault in first]
    assert times == sorted(times)
    assert 400.0 < times[-1] < 600.0


def test_ten_thousand_random_faults_take_no_time_to_speak_of() -> None:
    count = dict.fromkeys(("kill", "hang"), 0)

    def happen(name: str) -> None:
        count[name] += 1

    plan = FaultPlan(random_faults(1, 10_000, [(happen, "kill"), (happen, "hang")], 1.0))
    assert len(run(plan.run)) == 10_000
    assert sum(count.values()) == 10_000
