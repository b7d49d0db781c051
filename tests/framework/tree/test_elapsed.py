"""Conditions of time: from when on it counts, that pauses do not, and that nobody polls for it."""

from __future__ import annotations

import asyncio
import math

import pytest

from framework.plan import AllOf, AnyOf, Do, Elapsed, If, Parallel, Plan, Sequence, State, Until, Wait, While
from framework.testing import run
from framework.tree import NodeState, PlanState
from tests.framework.tree.play import OPEN, STAYS, A, Play, scene
from tests.framework.tree.scripted import Facts, Kind

TICK_S = 0.021


def now_s() -> float:
    return asyncio.get_running_loop().time()


@scene
async def test_for_ten_seconds_is_ten_seconds_and_three_ticks_long() -> None:
    play = Play(Until(STAYS, Elapsed(10.0)))
    await play.settle()
    before = play.tree.ticks
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert 10.0 <= now_s() <= 10.0 + 2 * TICK_S
    assert play.tree.ticks - before <= 3  # the alarm, and the end of what stayed


@scene
async def test_a_day_costs_no_more() -> None:
    play = Play(Until(STAYS, Elapsed(86_400.0)))
    await play.outcome()
    assert now_s() == pytest.approx(86_400.0, abs=0.1)
    assert play.tree.ticks <= 6


@scene
async def test_time_that_is_paused_does_not_count() -> None:
    play = Play(Until(STAYS, Elapsed(10.0)))
    await asyncio.sleep(4.0)
    play.tree.pause()
    await asyncio.sleep(100.0)
    play.tree.resume()
    await asyncio.sleep(1.0)
    play.tree.pause()
    await asyncio.sleep(50.0)
    play.tree.resume()
    await play.outcome()
    assert now_s() == pytest.approx(160.0, abs=2 * TICK_S)


@scene
async def test_it_counts_from_where_the_node_begins() -> None:
    play = Play(
        Sequence((Do("slow"), Until(STAYS, Elapsed(2.0)), Wait(Elapsed(1.5)))), Kind("slow", after_s=3.0)
    )
    await play.outcome()
    assert now_s() == pytest.approx(6.5, abs=4 * TICK_S)


@scene
async def test_a_node_that_is_reached_in_a_pause_begins_after_it() -> None:
    play = Play(Sequence((Do("slow"), Wait(Elapsed(2.0)))), Kind("slow", after_s=1.0))
    await asyncio.sleep(0.5)
    play.tree.pause()
    play.of("slow").succeed()
    await asyncio.sleep(60.0)
    assert play.tree.view().children[1].state is NodeState.IDLE
    play.tree.resume()
    await play.outcome()
    assert now_s() == pytest.approx(62.5, abs=2 * TICK_S)


@pytest.mark.parametrize(
    ("condition", "ends_s"),
    [
        (AllOf((OPEN, Elapsed(5.0))), 20.0),
        (AllOf((OPEN, Elapsed(30.0))), 30.0),
        (AnyOf((OPEN, Elapsed(5.0))), 5.0),
        (AnyOf((OPEN, Elapsed(30.0))), 20.0),
        (AnyOf((Elapsed(40.0), AllOf((OPEN, Elapsed(25.0))), State("unknown"))), 25.0),
        (AllOf((Elapsed(3.0), AnyOf((Elapsed(7.0), Elapsed(9.0))))), 7.0),
        (Elapsed(0.0), 0.0),
    ],
)
@pytest.mark.parametrize("join", [Until, Wait])
def test_among_other_conditions(condition: AllOf | AnyOf | Elapsed, ends_s: float, join: type) -> None:
    async def play_it() -> None:
        plan: Plan = Wait(condition) if join is Wait else Until(STAYS, condition)
        play = Play(plan, facts=Facts(open=False))
        asyncio.get_running_loop().call_later(20.0, lambda: play.facts.set(open=True))
        assert (await play.outcome()).state is PlanState.SUCCEEDED
        assert now_s() == pytest.approx(ends_s, abs=3 * TICK_S)

    run(play_it)


@scene
async def test_several_wait_each_for_its_own_time() -> None:
    play = Play(Parallel(tuple(Wait(Elapsed(float(each))) for each in (3, 1, 2, 1))))
    states = []
    for _ in range(3):
        await asyncio.sleep(1.05)
        states.append([child.state.is_over for child in play.tree.view().children])
    assert states == [[False, True, False, True], [False, True, True, True], [True] * 4]
    await play.outcome()


@scene
async def test_while_and_if_look_before_any_time_has_passed() -> None:
    assert (await Play(While(A, Elapsed(1.0))).outcome()).state is PlanState.SUCCEEDED
    play = Play(If(Elapsed(1.0), A, Do("b")))
    await play.settle()
    assert play.running == ["b"]
    play.of("b").succeed()
    await play.outcome()


@pytest.mark.parametrize("duration_s", [math.inf, math.nan])
def test_a_time_that_never_comes_sets_no_alarm(duration_s: float) -> None:
    async def play_it() -> None:
        play = Play(Until(STAYS, Elapsed(duration_s)))
        await asyncio.sleep(86_400.0)
        assert play.running == ["stays"]
        play.tree.stop("enough")
        await play.outcome()

    run(play_it)


@scene
async def test_a_stopped_plan_leaves_no_alarm() -> None:
    play = Play(Until(STAYS, Elapsed(1000.0)))
    await play.settle()
    play.tree.stop("enough")
    await play.outcome()
