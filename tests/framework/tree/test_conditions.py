"""Conditions that cannot be told at once: a sensor has to be started, or "it" is still to come."""

from __future__ import annotations

import asyncio

import pytest

from framework.plan import (
    Compare,
    Comparison,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
    While,
    in_words,
)
from framework.plan.ast import Decide
from framework.tree.run import PlanState
from tests.framework.tree.play import OPEN, STAYS, A, B, Play, scene
from tests.framework.tree.scripted import Facts, Kind


class Late(Facts):
    """Facts that are still being found out."""

    def __init__(self, **facts: bool | None) -> None:
        super().__init__(**facts)
        self.finds_out = True

    def nobody_knows(self) -> None:
        self.finds_out = False
        self.set()


@pytest.mark.parametrize("plan", [If(OPEN, A, B), While(A, OPEN), Sequence((Decide(OPEN), A))])
def test_what_is_being_found_out_is_waited_for(plan: Plan) -> None:
    @scene
    async def play_it() -> None:
        play = Play(plan, facts=Late())
        await play.settle()
        assert play.running == [] and not play.task.done()
        play.facts.set(open=True)
        await play.settle()
        assert play.running == ["a"]
        await play.after(lambda: play.of("a").succeed())
        await play.outcome()

    play_it()


@pytest.mark.parametrize("plan", [If(OPEN, A, B), While(A, OPEN), Decide(OPEN)])
def test_what_cannot_be_found_out_fails_in_words(plan: Plan) -> None:
    @scene
    async def play_it() -> None:
        facts = Late()
        play = Play(plan, facts=facts)
        await play.settle()
        facts.nobody_knows()
        outcome = await play.outcome()
        assert outcome.state is PlanState.FAILED
        assert "nobody can tell whether door is open" in outcome.words

    play_it()


@pytest.mark.parametrize(
    "plan",
    [
        Until(STAYS, State("seen", {"thing": Reference("it")})),
        While(STAYS, State("seen", {"thing": Reference("it")}, False)),
        Parallel((STAYS, Wait(State("seen", {"thing": Reference("it")})))),
        Sequence((STAYS, If(Compare("seen", {"thing": Reference("it")}, Comparison.LESS, 1.0), B))),
    ],
)
def test_it_in_a_condition_is_what_an_action_gives(plan: Plan) -> None:
    @scene
    async def play_it() -> None:
        play = Play(plan, facts=Facts(seen=None))
        await play.settle()
        assert play.running == ["stays"] and not play.facts.asked
        await play.after(lambda: play.of("stays").ready("hand"))
        assert {tuple(each.arguments.items()) for each in play.facts.asked} == {(("thing", "hand"),)}
        play.tree.stop("enough")
        await play.outcome()

    play_it()


@scene
async def test_nothing_that_it_could_mean_is_said() -> None:
    play = Play(If(State("seen", {"thing": Reference("it")}), A), facts=Facts(seen=True))
    outcome = await play.outcome()
    assert outcome.state is PlanState.FAILED
    assert 'nothing that "it" could mean' in outcome.words


@pytest.mark.parametrize(
    "first",
    [
        Until(STAYS, Elapsed(10.0)),
        While(STAYS, OPEN),
        Parallel((Until(STAYS, Elapsed(10.0)), Do("also"))),
        If(OPEN, Until(STAYS, Elapsed(10.0))),
    ],
    ids=in_words,
)
def test_what_ends_by_itself_is_not_passed_before_it_has(first: Plan) -> None:
    """ "Show it for ten seconds, then …": established is not enough."""

    @scene
    async def play_it() -> None:
        play = Play(Sequence((first, B)), Kind("also", continuous=True), facts=Facts(open=True))
        await play.settle()
        for runner in play.stage.made:
            runner.ready()
        await play.settle()
        assert "b" not in play.running and play.tree.state is PlanState.RUNNING
        await asyncio.sleep(10.0)
        await play.after(lambda: play.facts.set(open=False))
        assert "b" in play.running
        play.tree.stop("enough")
        await play.outcome()

    play_it()


@scene
async def test_a_last_step_that_ends_by_itself_is_established_all_the_same() -> None:
    play = Play(Sequence((A, Until(STAYS, Elapsed(10.0)))))
    await play.settle()
    assert play.tree.state is PlanState.RUNNING
    await play.after(play.of("a").succeed)
    assert play.tree.state is PlanState.RUNNING
    await play.after(play.of("stays").ready)
    assert play.states[-1] is PlanState.ESTABLISHED
    assert (await play.outcome()).state is PlanState.SUCCEEDED


@scene
async def test_what_has_begun_goes_on_to_its_end_though_its_condition_is_being_found_out_again() -> None:
    play = Play(Sequence((While(A, OPEN), B)), facts=Late(open=True))
    await play.settle()
    assert play.running == ["a"]
    await play.after(lambda: play.facts.set(open=None))
    assert play.running == ["a"]
    await play.after(lambda: play.of("a").succeed())
    assert play.running == ["b"], "its end is not noticed"
    play.of("b").succeed()
    await play.outcome()


@pytest.mark.parametrize("is_open", [True, False])
def test_what_was_not_chosen_is_not_waited_for(is_open: bool) -> None:
    """ "It" after a choice is what was given before, if the branch that was taken gives nothing and stays."""
    kinds = [
        Kind("first", after_s=0.1, value="the cup"),
        Kind("gives", after_s=0.1, value="the hand"),
        Kind("gives nothing", continuous=True, ready_after_s=0.1),
        Kind("take"),
    ]
    branches = (Do("gives nothing"), Do("gives")) if is_open else (Do("gives"), Do("gives nothing"))
    plan = Sequence((Do("first"), If(OPEN, *branches), Do("take", {"thing": Reference()})))

    @scene
    async def play_it() -> None:
        play = Play(plan, *kinds, facts=Facts(open=is_open))
        await asyncio.sleep(1.0)
        assert play.of("take").parameters == {"thing": "the cup"}
        play.tree.stop("enough")
        await play.outcome()

    play_it()
