"""One action in the tree from beginning to end: what its runner is told, and what is said of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from py_trees.common import Status

from framework.events import EventKind
from framework.interlock import Permit
from framework.plan import Do, Parallel, Sequence
from framework.plan.graph import Ended
from framework.plugins.events import RunState
from framework.tree import NodeState, PlanState
from framework.tree.action import PauseCause
from tests.framework.tree.play import STAYS, A, B, Play, scene
from tests.framework.tree.scripted import Kind, Scripted

SLOW = Kind("slow", end_takes_s=1.0)


class Told:
    """Notes each word that a runner is told, and passes it on."""

    def __init__(self, runner: Scripted) -> None:
        self.words: list[str] = []
        for name in ("pause", "resume", "cancel"):
            setattr(runner, name, self._noted(name, getattr(runner, name)))

    def _noted(self, name: str, order: Any) -> Any:
        def carry_out(*given: Any, **more: Any) -> None:
            self.words.append(name)
            order(*given, **more)

        return carry_out


@scene
async def test_of_two_causes_the_first_pauses_and_the_last_resumes_and_in_between_nothing_is_told() -> None:
    play = Play(A)
    await play.settle()
    told = Told(play.of("a"))
    action = play.tree.actions[0]
    action.resume(PauseCause.EDGE)  # there was none
    action.pause(PauseCause.PLAN)
    action.pause(PauseCause.EDGE)
    action.pause(PauseCause.EDGE)
    action.resume(PauseCause.PLAN)
    action.resume(PauseCause.PLAN)
    assert told.words == ["pause"]
    action.resume(PauseCause.EDGE)
    assert told.words == ["pause", "resume"]
    play.of("a").succeed()
    await play.outcome()


@scene
async def test_what_is_told_to_end_is_told_nothing_else_any_more() -> None:
    play = Play(Parallel((Do("slow"), B)), SLOW)
    await play.settle()
    told = Told(play.of("slow"))
    action = play.tree.actions[0]
    action.pause(PauseCause.EDGE)
    action.wind_down("enough")
    action.wind_down("enough, I said")
    action.pause(PauseCause.PLAN)
    action.resume(PauseCause.PLAN)
    action.resume(PauseCause.EDGE)
    action.cancel("nobody wants it")
    assert told.words == ["pause", "cancel"]
    assert play.of("slow").cancelled_because == ["enough"]
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_what_ends_is_not_paused_on_its_way() -> None:
    play = Play(Do("slow"), SLOW)
    await play.settle()
    told = Told(play.of("slow"))
    action = play.tree.actions[0]
    action.wind_down("enough")
    for cause in PauseCause:
        action.pause(cause)
        action.resume(cause)
    assert told.words == ["cancel"]
    await play.outcome()
    action.pause(PauseCause.EDGE)
    assert told.words == ["cancel"]


@scene
async def test_what_has_failed_has_failed_whoever_takes_it_back_later() -> None:
    play = Play(A)
    await play.settle()
    play.of("a").fail("the cup is gone")
    await play.outcome()
    action = play.tree.actions[0]
    action.cancel("nobody wants it")
    assert action.update() is Status.FAILURE and action.state_now() is NodeState.FAILED


@scene
async def test_its_permit_names_plan_and_action() -> None:
    play = Play(Parallel((A, B)))
    await play.settle()
    assert play.stage.permits == [Permit("1", action.node_id) for action in play.tree.actions]
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_whoever_s_it_is_says_so_with_the_end_and_only_then() -> None:
    play = Play(Parallel((A, B)))
    await play.settle()
    first, second = play.tree.actions
    first.end_by_word()
    first.wind_down("done")
    second.wind_down("")
    assert (play.of("a").ends_by_word, play.of("b").ends_by_word) == (True, False)
    assert play.of("b").cancelled_because == ["it was stopped"]
    await play.outcome()


@scene
async def test_its_state_on_its_way() -> None:
    play = Play(Parallel((Do("slow"), A)), SLOW)
    action = play.tree.actions[0]
    states = [action.state_now()]
    await play.settle()
    states.append(action.state_now())
    action.cancel("nobody wants it")
    await play.settle()
    states.append(action.state_now())
    await asyncio.sleep(1.0)
    states.append(action.state_now())
    assert states == [
        NodeState.IDLE,
        NodeState.RUNNING,
        NodeState.STOPPING,
        NodeState.CANCELLED,
    ]
    assert action.ended is Ended.STOPPED
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_what_never_began_was_left_out_and_not_stopped() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()
    action = play.tree.actions[1]
    assert not action.has_begun and action.may_still_give
    action.wind_down("enough")
    assert action.has_begun and not action.may_still_give
    assert action.state_now() is NodeState.SKIPPED
    play.tree.stop("enough")
    await play.outcome()
    assert not play.stage.has_run("b")


@scene
async def test_what_is_ended_between_its_start_and_its_first_step_was_left_out_too() -> None:
    play = Play(A)
    while not play.stage.made:
        await asyncio.sleep(0)
    assert play.of("a").state is RunState.WAITING
    play.tree.stop("enough")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.CANCELLED, "enough")
    action = play.tree.actions[0]
    assert action.state_now() is NodeState.SKIPPED and play.of("a").state is RunState.WAITING
    assert not [each for each in play.events if each.kind in (EventKind.CANCELLED, EventKind.ENDED)]


@pytest.mark.parametrize(
    ("value", "ended"), [(False, Ended.FALSE), (None, Ended.TRUE), (0, Ended.TRUE), (True, Ended.TRUE)]
)
def test_only_no_is_no(value: Any, ended: Ended) -> None:
    async def main() -> None:
        play = Play(A)
        await play.settle()
        play.of("a").succeed(value)
        await play.outcome()
        assert play.tree.actions[0].ended is ended

    scene(main)()


@scene
async def test_what_is_said_of_it_ends_with_it() -> None:
    play = Play(Parallel((STAYS, A, B)), Kind("asks"))
    await play.settle()
    stays, asks, moves = play.tree.actions
    await play.after(lambda: play.of("stays").ready("a cup"))
    await play.after(lambda: play.of("a").ask("shall I?"))
    await play.after(lambda: play.of("b").progress(0.5))
    assert asks.may_still_give and not stays.may_still_give
    assert (stays.is_established, stays.value, asks.is_asking, moves.fraction) == (True, "a cup", True, 0.5)
    await play.after(lambda: play.of("b").to(play.of("b").state.WAITING, "waits for the arm"))
    assert moves.fraction == -1.0 and moves.detail == "waits for the arm"
    # Each is cut off in the state it is in: what its runner last said counts no more.
    for name, action in (("stays", stays), ("a", asks)):
        runner = play.of(name)
        action.cancel("nobody wants it")
        await play.settle()
        runner.state = runner.state.READY if name == "stays" else runner.state.ASKING
    assert (stays.is_established, stays.value, asks.is_asking) == (False, None, False)
    play.of("b").succeed()
    await play.outcome()


@scene
async def test_its_end_is_said_once_and_by_the_tree_with_the_runner_s_words_and_reason() -> None:
    play = Play(Parallel((A, B)))
    await play.settle()
    play.of("a").say("looks for the cup")
    play.of("a").progress(0.25)
    play.of("a").fail("the cup is gone", "it was taken")
    await play.outcome()
    action = play.tree.actions[0]
    said = [event for event in play.events if event.data.get("node") == action.node_id]
    assert [event.kind for event in said].count(EventKind.FAILED) == 1
    assert (action.detail, action.why) == ("the cup is gone", "it was taken")
    assert {"node": action.node_id, "fraction": 0.25} in [event.data for event in said]


@scene
async def test_values_given_for_this_run_go_before_those_of_the_plan() -> None:
    play = Play(Sequence((A, Do("b", {"speed": 1, "side": "left"}))))
    await play.settle()
    play.tree.actions[1].give({"speed": 2})
    play.of("a").succeed()
    await play.settle()
    assert play.of("b").parameters == {"speed": 2, "side": "left"}
    play.of("b").succeed()
    await play.outcome()


@scene
async def test_what_cannot_be_told_to_pause_goes_on_and_what_cannot_be_told_to_end_is_cut_off() -> None:
    play = Play(Parallel((Do("odd"), A)), Kind("odd", raises_at="cancel"))
    await play.settle()
    runner, action = play.of("odd"), play.tree.actions[0]
    runner.pause = lambda: 1 // 0  # type: ignore[method-assign,assignment]
    action.pause(PauseCause.EDGE)
    await play.settle()
    assert runner.is_running and not action.is_quiet
    action.cancel("nobody wants it")
    await play.settle()
    assert not runner.is_running and action.is_quiet, "it runs on until its time is up"
    assert [event.kind for event in play.events].count(EventKind.ERROR) == 2
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_one_that_ends_in_time_is_not_said_to_have_been_abandoned() -> None:
    play = Play(Do("slow"), SLOW)
    await play.settle()
    play.tree.actions[0].cancel("nobody wants it")
    await asyncio.sleep(60.0)
    assert EventKind.ERROR not in [event.kind for event in play.events]
    await play.outcome()
