"""What each join does: when it begins, goes on, succeeds, fails; what pause and stop do to it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from framework.plan import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Do,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
    While,
)
from framework.plugins.events import RunState
from framework.testing import run
from framework.tree import NodeState, PlanOutcome, PlanState, Result, TreeView
from framework.tree.action import PauseCause
from framework.tree.view import picture
from tests.framework.tree.play import OPEN, STAYS, A, B, C, Play, scene
from tests.framework.tree.scripted import Facts, Kind


@scene
async def test_a_sequence_does_one_step_after_the_other() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()
    assert play.running == ["a"]
    await play.after(play.of("a").succeed)
    assert play.running == ["b"]
    assert len(play.stage.made) == 2
    play.of("b").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_sequence_fails_with_its_step_and_does_nothing_more() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()
    play.of("a").fail("the cup is gone")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "the cup is gone")
    assert not play.stage.has_run("b")
    assert play.tree.view().children[1].state is NodeState.SKIPPED


@scene
async def test_a_sequence_goes_on_when_a_continuous_step_is_established_and_keeps_it() -> None:
    play = Play(Sequence((STAYS, A)))
    await play.settle()
    assert play.running == ["stays"]
    await play.after(play.of("stays").ready)
    assert play.running == ["stays", "a"]
    assert play.states == []
    await play.after(play.of("a").succeed)
    assert play.running == ["stays"]
    assert play.states == [PlanState.ESTABLISHED]
    play.tree.stop("enough")
    assert (await play.outcome()).state is PlanState.CANCELLED


@scene
async def test_a_sequence_fails_when_what_it_keeps_fails_later() -> None:
    play = Play(Sequence((STAYS, A)))
    await play.settle()
    await play.after(play.of("stays").ready)
    play.of("stays").fail("the last sensor died")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "the last sensor died")
    assert play.of("a").cancelled_because


@scene
async def test_a_later_step_that_needs_the_same_alone_waits_until_the_earlier_one_is_at_rest() -> None:
    holds = Kind("holds", continuous=True, alone="the right arm", end_takes_s=0.5)
    play = Play(Sequence((Do("holds"), Do("wants"))), holds, Kind("wants", alone="the right arm"))
    await play.settle()
    await play.after(play.of("holds").ready)
    assert play.of("holds").cancelled_because == ["wants needs the right arm"]
    assert not play.stage.has_run("wants")
    before = play.tree.ticks
    await asyncio.sleep(0.5)
    assert play.tree.ticks - before <= 3  # nobody polls for its end
    assert play.running == ["wants"]
    play.of("wants").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_a_parallel_begins_all_at_once_and_succeeds_with_the_last() -> None:
    play = Play(Parallel((A, B)))
    await play.settle()
    assert play.running == ["a", "b"]
    await play.after(play.of("b").succeed)
    assert not play.task.done()
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@pytest.mark.parametrize(
    "plan",
    [
        Alongside(B, Parallel((STAYS, A))),
        Parallel((Until(Parallel((STAYS, A)), OPEN), B)),
        Parallel((Sequence((Parallel((STAYS, A)), C)), B)),
    ],
    ids=["beside", "until", "steps"],
)
def test_what_relies_on_what_fails_is_ended_at_once_also_while_another_part_comes_to_its_end(
    plan: Plan,
) -> None:
    @scene
    async def play_it() -> None:
        play = Play(plan, Kind("stays", continuous=True, end_takes_s=1.0))
        await play.settle()
        await play.after(lambda: play.of("a").fail("the camera is gone"))
        assert play.of("b").cancelled_because == ["the camera is gone"]
        outcome = await play.outcome()
        assert (outcome.state, outcome.words) == (PlanState.FAILED, "the camera is gone")
        states = {view.words: view.state for view in play.tree.view().children}
        assert list(states.values()).count(NodeState.FAILED) == 1
        assert not play.stage.has_run("c")

    play_it()


@scene
async def test_a_parallel_fails_with_the_first_and_ends_the_others_before_it_is_over() -> None:
    play = Play(Parallel((A, Do("slow"))), Kind("slow", end_takes_s=1.0))
    await play.settle()
    await play.after(lambda: play.of("a").fail("no"))
    assert play.running == ["slow"]
    assert play.tree.view().state is NodeState.STOPPING
    assert (await play.outcome()).words == "no"


@scene
async def test_alongside_ends_with_its_body() -> None:
    play = Play(Alongside(A, STAYS))
    await play.settle()
    assert play.running == ["a", "stays"]
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.of("stays").cancelled_because == ["a is done"]


@scene
async def test_alongside_a_continuous_body_the_finite_companion_ends_it() -> None:
    play = Play(Alongside(STAYS, A))
    await play.settle()
    await play.after(play.of("stays").ready)
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.of("stays").cancelled_because == ["a is done"]


@scene
async def test_alongside_a_finite_body_a_finite_companion_comes_to_its_end() -> None:
    """ "Close the gripper while driving to the table" gets there."""
    play = Play(Alongside(A, B))
    await play.settle()
    await play.after(play.of("a").succeed)
    assert play.running == ["b"]
    play.of("b").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_alongside_a_finite_body_a_finite_companion_may_end_first() -> None:
    play = Play(Alongside(A, B))
    await play.settle()
    await play.after(play.of("b").succeed)
    assert play.running == ["a"]
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_while_holds_a_body_as_long_as_its_condition() -> None:
    play = Play(While(STAYS, OPEN), facts=Facts(open=True))
    await play.settle()
    await play.after(play.of("stays").ready)
    assert play.tree.state is PlanState.ESTABLISHED
    play.facts.set(open=False)
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_while_does_not_begin_without_its_condition() -> None:
    play = Play(While(A, OPEN), facts=Facts(open=False))
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert play.stage.made == []


@scene
async def test_while_fails_as_soon_as_nobody_can_tell_any_more() -> None:
    play = Play(While(STAYS, OPEN), facts=Facts(open=True))
    await play.settle()
    await play.after(play.of("stays").ready)
    play.facts.set(open=None)
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "nobody can tell whether door is open")


@pytest.mark.parametrize("plan", [While(A, OPEN), If(OPEN, A)])
def test_what_nobody_can_tell_is_a_failure_that_says_so(plan: Plan) -> None:
    async def play_it() -> PlanOutcome:
        return await Play(plan, facts=Facts(open=None)).outcome()

    outcome = run(play_it)
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "nobody can tell whether door is open")


@scene
async def test_until_ends_its_body_when_the_condition_holds() -> None:
    play = Play(Until(STAYS, OPEN), facts=Facts(open=None))
    await play.settle()
    assert play.running == ["stays"]
    await play.after(lambda: play.facts.set(open=False))
    assert play.running == ["stays"]
    play.facts.set(open=True)
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_until_fails_with_its_body() -> None:
    play = Play(Until(A, OPEN), facts=Facts(open=False))
    await play.settle()
    play.of("a").fail("no")
    assert (await play.outcome()).words == "no"


@scene
async def test_if_is_decided_once() -> None:
    play = Play(If(OPEN, A, B), facts=Facts(open=True))
    await play.settle()
    await play.after(lambda: play.facts.set(open=False))
    assert play.running == ["a"]
    play.of("a").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED
    assert [child.state for child in play.tree.view().children] == [NodeState.SUCCEEDED, NodeState.SKIPPED]


@scene
async def test_if_takes_the_other_branch_or_none() -> None:
    play = Play(If(OPEN, A, B), facts=Facts(open=False))
    await play.settle()
    assert play.running == ["b"]
    play.of("b").succeed()
    await play.outcome()
    assert (await Play(If(OPEN, A), facts=Facts(open=False)).outcome()).state is PlanState.SUCCEEDED


@scene
async def test_when_is_a_wait_and_then_an_action() -> None:
    play = Play(Sequence((Wait(OPEN), A)), facts=Facts(open=False))
    await play.settle()
    assert play.running == []
    assert play.tree.view().children[0].detail == "waiting until door is open"
    await play.after(lambda: play.facts.set(open=True))
    assert play.running == ["a"]
    play.of("a").succeed()
    await play.outcome()


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        (AllOf((State("open"), State("late"))), False),
        (AnyOf((State("open"), State("late"))), True),
        (AllOf((State("open"), State("late", is_so=False))), True),
        (AnyOf((State("open"), State("unknown"))), True),
        (AllOf((State("late"), State("unknown"))), False),
        (AllOf((State("open"), State("unknown"))), None),
    ],
)
def test_several_conditions(condition: AllOf | AnyOf, begins: bool | None) -> None:
    async def play_it() -> None:
        play = Play(If(condition, A), facts=Facts(open=True, late=False))
        await play.settle()
        assert (play.running == ["a"]) is bool(begins)
        play.tree.stop("enough")
        assert (await play.outcome()).state is (PlanState.FAILED if begins is None else play.tree.state)

    run(play_it)


# -- results


@scene
async def test_it_is_the_result_of_the_left_neighbour() -> None:
    play = Play(Sequence((A, B, Do("c", {"thing": Reference()}))))
    await play.settle()
    await play.after(lambda: play.of("a").succeed("the cup"))
    await play.after(play.of("b").succeed)
    assert play.of("c").parameters == {"thing": "the cup"}
    play.of("c").succeed("the end")
    outcome = await play.outcome()
    assert outcome.results == (Result("a", "the cup", "1.1"), Result("c", "the end", "1.3"))


@scene
async def test_it_is_the_nearest_of_several_results() -> None:
    play = Play(Sequence((A, B, Do("c", {"thing": Reference()}))))
    await play.settle()
    await play.after(lambda: play.of("a").succeed("the cup"))
    await play.after(lambda: play.of("b").succeed("the table"))
    assert play.of("c").parameters == {"thing": "the table"}
    play.of("c").succeed()
    await play.outcome()


@scene
async def test_it_waits_for_a_parallel_neighbour_to_be_established() -> None:
    play = Play(Parallel((STAYS, Do("c", {"thing": Reference()}))))
    await play.settle()
    assert play.running == ["stays"]
    assert "waiting for what" in play.tree.view().children[1].detail
    await play.after(lambda: play.of("stays").ready("the hand"))
    assert play.of("c").parameters == {"thing": "the hand"}
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_it_may_be_of_a_certain_type_and_of_an_earlier_plan() -> None:
    earlier = (Result("x", 7), Result("y", "seven"))
    play = Play(Do("a", {"count": Reference("it", "int")}), earlier=earlier)
    await play.settle()
    assert play.of("a").parameters == {"count": 7}
    play.of("a").succeed()
    await play.outcome()


@scene
async def test_it_without_a_meaning_fails_in_words() -> None:
    outcome = await Play(Do("a", {"thing": Reference("it")})).outcome()
    assert outcome.state is PlanState.FAILED
    assert 'nothing that "it" could mean' in outcome.words


@scene
async def test_it_of_one_plan_is_not_seen_by_another() -> None:
    first, second = Play(A), Play(Sequence((A, Do("b", {"thing": Reference()}))))
    await first.settle()
    first.of("a").succeed("mine")
    second.of("a").succeed(None)
    await first.outcome()
    assert (await second.outcome()).state is PlanState.FAILED


# -- pause, stop, cancel


@scene
async def test_pause_begins_nothing_new_and_resume_goes_on() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()
    assert play.tree.pause()
    assert not play.tree.pause()
    await play.after(play.of("a").succeed)
    assert play.running == []
    assert play.tree.view().state is NodeState.PAUSED
    assert play.tree.resume()
    assert not play.tree.resume()
    await play.settle()
    assert play.running == ["b"]
    play.of("b").succeed()
    await play.outcome()
    assert play.states == [PlanState.PAUSED, PlanState.RUNNING, PlanState.SUCCEEDED]


@scene
async def test_an_action_that_was_paused_before_its_turn_begins_when_every_cause_is_gone() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()
    play.tree.actions[1].pause(PauseCause.EDGE)
    await play.after(play.of("a").succeed)
    assert play.running == []
    play.tree.pause()
    play.tree.resume()
    await play.settle()
    assert play.running == []
    play.tree.actions[1].resume(PauseCause.EDGE)
    await play.after(play.tree.look_again)
    assert play.running == ["b"]
    play.of("b").succeed()
    await play.outcome()


@scene
async def test_pause_before_the_first_tick_starts_nothing() -> None:
    play = Play(A)
    play.tree.pause()
    await play.settle()
    assert play.stage.made == []
    play.tree.stop("enough")
    await play.outcome()
    assert play.tree.view().state is NodeState.SKIPPED


@scene
async def test_stop_before_the_first_tick_starts_nothing() -> None:
    play = Play(Parallel((A, B)))
    play.tree.stop("enough")
    assert (await play.outcome()).state is PlanState.CANCELLED
    assert play.stage.made == []


@scene
async def test_stop_in_the_tick_that_starts_an_action_reaches_it() -> None:
    play = Play(A)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    while not play.stage.made:
        await asyncio.sleep(0)
    play.tree.stop("enough")
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.CANCELLED, "enough")


@scene
async def test_an_action_that_is_stopped_while_it_is_made_never_runs() -> None:
    play = Play(A)
    make = play.stage.runner

    def made(*args: Any, **wishes: Any) -> Any:
        play.tree.stop("enough")
        return make(*args, **wishes)

    play.stage.runner = made  # type: ignore[method-assign]
    assert (await play.outcome()).state is PlanState.CANCELLED
    assert play.of("a").state is RunState.WAITING


@scene
async def test_stop_during_stop_changes_nothing() -> None:
    play = Play(Do("slow"), Kind("slow", end_takes_s=1.0))
    await play.settle()
    assert play.tree.stop("enough")
    assert not play.tree.stop("more")
    await play.settle()
    assert not play.tree.stop("even more")
    assert not play.tree.pause()
    assert (await play.outcome()).words == "enough"
    assert not play.tree.stop("late")
    assert play.of("slow").cancelled_because == ["enough"]


@scene
async def test_an_action_that_does_not_end_is_cut_off_and_that_is_said() -> None:
    play = Play(Do("deaf"), Kind("deaf", ignores_cancel=True))
    await play.settle()
    begun_s = asyncio.get_running_loop().time()
    play.tree.stop("enough")
    await play.outcome()
    assert 2.0 <= asyncio.get_running_loop().time() - begun_s <= 3.0
    assert any("abandoned" in event.text for event in play.events)


def test_an_action_that_ignores_even_that_is_left_behind_and_the_plan_ends() -> None:
    async def play_it() -> None:
        play = Play(Sequence((Do("dead"), A)), Kind("dead", ignores_everything=True))
        await play.settle()
        play.tree.stop("enough")
        outcome = await play.task
        assert outcome.state is PlanState.CANCELLED
        assert len(play.tree.left_behind) == 1
        assert any("left behind" in event.text for event in play.events)
        play.of("dead").succeed()
        await play.settle()
        assert play.running == []

    run(play_it)


@scene
async def test_one_action_can_be_cancelled_and_the_rest_goes_on() -> None:
    play = Play(Parallel((A, B)))
    await play.settle()
    play.tree.actions[0].cancel("nobody wants it")
    await play.settle()
    assert play.running == ["b"]
    assert [child.state for child in play.tree.view().children] == [NodeState.CANCELLED, NodeState.RUNNING]
    play.of("b").succeed()
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_an_action_that_is_cancelled_before_its_turn_is_skipped() -> None:
    play = Play(Sequence((A, B, C)))
    await play.settle()
    play.tree.actions[1].cancel("nobody wants it")
    await play.after(play.of("a").succeed)
    assert play.running == ["c"]
    play.of("c").succeed()
    await play.outcome()


@scene
async def test_an_action_that_somebody_else_ended_is_a_failure() -> None:
    play = Play(A)
    await play.settle()
    play.of("a").give_up()
    outcome = await play.outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "somebody else ended it")


@scene
async def test_a_cancel_node_waits_for_the_end_of_what_it_cancels() -> None:
    async def cancel_others(what: str) -> str:
        await asyncio.sleep(0.5)
        return "tracking" if what == "track" else ""

    play = Play(Sequence((Cancel("track"), A)), cancel_others=cancel_others)
    await play.settle()
    assert play.running == []
    await asyncio.sleep(0.5)
    assert play.running == ["a"]
    play.of("a").succeed()
    await play.outcome()
    outcome = await Play(Cancel("dance"), cancel_others=cancel_others).outcome()
    assert (outcome.state, outcome.words) == (PlanState.FAILED, "dance is not being done")


@scene
async def test_what_has_told_nobody_yet_to_end_when_it_is_ended_was_left_out() -> None:
    called: list[str] = []

    async def cancel_others(what: str) -> str:
        called.append(what)
        return what

    play = Play(Cancel("dance"), cancel_others=cancel_others)
    while play.tree.view().state is NodeState.IDLE:
        await asyncio.sleep(0)
    play.tree.stop("enough")
    await play.outcome()
    assert called == [] and play.tree.view().state is NodeState.SKIPPED


@scene
async def test_cancelling_the_task_of_a_run_cuts_everything_off() -> None:
    play = Play(Parallel((A, Do("deaf"))), Kind("deaf", ignores_cancel=True))
    await play.settle()
    play.task.cancel()
    await asyncio.gather(play.task, return_exceptions=True)
    await play.settle()
    assert play.running == []


# -- mistakes of plugins


@pytest.mark.parametrize("where", ["making", "run", "cancel"])
def test_whatever_an_action_raises_becomes_words(where: str) -> None:
    async def play_it() -> None:
        play = Play(Parallel((Do("bad"), A)), Kind("bad", raises_at=where))
        await play.settle()
        if where == "cancel":
            play.tree.stop("enough")
            assert (await play.outcome()).state is PlanState.CANCELLED
        else:
            outcome = await play.outcome()
            assert outcome.state is PlanState.FAILED
            assert "ZeroDivisionError: scripted" in outcome.words
        assert any("scripted" in event.text for event in play.events)

    run(play_it)


@scene
async def test_a_mistake_in_the_tree_ends_the_plan_and_stops_what_runs() -> None:
    class Bad(Facts):
        def read(self, condition: object) -> bool | None:
            if self.facts:
                raise KeyError("scripted")
            return False

    play = Play(Until(A, OPEN), facts=Bad())
    await play.settle()
    assert play.running == ["a"]
    play.facts.set(open=True)
    outcome = await play.outcome()
    assert outcome.state is PlanState.FAILED
    assert "KeyError" in outcome.words


# -- ticks and views


@scene
async def test_nothing_ticks_when_nothing_changes() -> None:
    play = Play(STAYS)
    await play.settle()
    play.of("stays").ready()
    await play.settle()
    before = play.tree.ticks
    await asyncio.sleep(3600)
    assert play.tree.ticks == before
    play.tree.stop("enough")
    await play.outcome()


@scene
async def test_a_flood_of_changes_ticks_at_most_fifty_times_a_second() -> None:
    play = Play(A)
    await play.settle()
    before = play.tree.ticks
    for number in range(1000):
        play.of("a").to(play.of("a").state, f"{number}")
        await asyncio.sleep(0.001)
    assert 45 <= play.tree.ticks - before <= 51
    play.of("a").succeed()
    await play.outcome()


@scene
async def test_the_view_says_what_each_node_is_at_and_since_when() -> None:
    play = Play(Sequence((A, Parallel((B, STAYS)))))
    await asyncio.sleep(1.0)
    await play.after(play.of("a").succeed)
    view = play.tree.view()
    assert len({view.id, *(child.id for child in view.children)}) == 3
    assert view.children[0].state is NodeState.SUCCEEDED
    assert view.children[1].since_s == pytest.approx(view.children[0].since_s)
    assert view.children[1].children[0].detail == "b runs"
    drawing = picture(view)
    assert "✓ a [succeeded]" in drawing
    assert drawing.splitlines()[2].startswith("  ▸ parallel")
    play.tree.stop("enough")
    await play.outcome()
    assert isinstance(play.tree.view(), TreeView)


@scene
async def test_an_asking_action_is_seen_and_answered() -> None:
    play = Play(A)
    await play.settle()
    play.of("a").ask("take the arm?")
    await play.settle()
    assert play.tree.actions[0].is_asking
    assert play.tree.view().state is NodeState.ASKING
    play.tree.actions[0].answer("carry on")
    assert play.of("a").answers == ["carry on"]
    play.of("a").succeed()
    await play.outcome()
    assert [event.text for event in play.events if event.kind == "asked"] == ["take the arm?"]


@scene
async def test_how_much_is_done_is_seen_while_it_is_under_way() -> None:
    play = Play(Sequence((A, B)))
    await play.settle()

    def done() -> list[float]:
        return [node.fraction for node in play.tree.view().children]

    assert (done(), play.tree.view().fraction) == ([-1.0, -1.0], -1.0)
    await play.after(lambda: play.of("a").progress(0.4))
    assert done() == [0.4, -1.0]
    assert "▸ a [running 40 %]" in picture(play.tree.view())
    play.of("a").to(RunState.WAITING, "the arm was taken from it")
    assert done() == [-1.0, -1.0], "it begins anew when it gets it back"
    play.of("a").to(RunState.RUNNING)
    await play.after(lambda: play.of("a").progress(0.999))
    assert "a [running 99 %]" in picture(play.tree.view())
    await play.after(play.of("a").succeed)
    assert done() == [-1.0, -1.0]
    play.tree.stop("enough")
    await play.task
