"""Between two people's hands nothing begins that waits for what goes from one to the other."""

from __future__ import annotations

import pytest

from framework.events import EventKind
from framework.plugins.events import RunState
from framework.tree.run import PlanState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.test_asked_by import DRIVE, TWO
from tests.framework.supervisor.test_holding_back import HOME, MOVE, states

WHY = "phone 2 does not drive"


async def one_waits(desk: Desk) -> None:
    """Move waits for what phone 1 drives; home goes on, and b moves nothing."""
    for words in ("move", "home", "b"):
        await desk.say_and_settle(words, who="ann")
    for name in ("move", "b"):
        desk.of(name).to(RunState.WAITING)


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_what_waits_is_paused_for_that_time_and_nothing_else_is(desk: Desk) -> None:
    await one_waits(desk)
    async with desk.supervisor.between_hands(WHY, lambda: True):
        found = {name: desk.of(name).state for name in ("move", "home", "b")}
        assert found == {"move": RunState.PAUSED, "home": RunState.RUNNING, "b": RunState.WAITING}
    assert desk.of("move").state is RunState.RUNNING
    assert set(states(desk).values()) == {PlanState.RUNNING}
    assert not desk.texts(EventKind.PAUSED)
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_if_nobody_has_it_afterwards_it_waits_for_a_word(desk: Desk) -> None:
    await one_waits(desk)
    with pytest.raises(ZeroDivisionError):
        async with desk.supervisor.between_hands(WHY, lambda: False):
            raise ZeroDivisionError("scripted")
    assert states(desk) == {"move": PlanState.PAUSED, "home": PlanState.RUNNING, "b": PlanState.RUNNING}
    assert f'{WHY}; "move" is paused: say "carry on" to go on.' in desk.texts(EventKind.PAUSED)
    assert await desk.say("carry on", who="ann").done()
    assert desk.of("move").state is RunState.RUNNING
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_what_an_operator_pauses_meanwhile_stays_paused(desk: Desk) -> None:
    await one_waits(desk)
    async with desk.supervisor.between_hands(WHY, lambda: True):
        assert await desk.say("pause", who="ann").done()
    assert desk.of("move").state is RunState.PAUSED
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_nothing_that_moves_begins_in_that_time_and_all_else_does(desk: Desk) -> None:
    """Neither the next step of a plan, nor a plan that is new."""
    await desk.say_and_settle("a then move", who="ann")
    await desk.say_and_settle("b then c", who="ann")
    async with desk.supervisor.between_hands(WHY, lambda: True):
        desk.of("a").succeed()
        desk.of("b").succeed()
        await desk.say_and_settle("home", who="ann")
        assert desk.running == ["c"]
        await desk.say_and_settle("drive", who="phone 2")
        assert desk.running == ["c", "drive"], "that is what is waited for"
    await desk.settle()
    assert sorted(desk.running) == ["c", "drive", "home", "move"]
    assert not desk.texts(EventKind.PAUSED)
    assert await desk.say("stop").done()


@scene(DRIVE, MOVE, HOME, world=TWO)
async def test_what_would_have_begun_waits_for_a_word_if_nobody_has_it(desk: Desk) -> None:
    await desk.say_and_settle("a then move", who="ann")
    await desk.say_and_settle("b then home", who="ann")
    async with desk.supervisor.between_hands(WHY, lambda: False):
        desk.of("a").succeed()
        await desk.settle()
    assert states(desk) == {"a, then move": PlanState.PAUSED, "b, then home": PlanState.RUNNING}
    assert not desk.stage.has_run("move")
    assert f'{WHY}; "a, then move" is paused: say "carry on" to go on.' in desk.texts(EventKind.PAUSED)
    assert await desk.say("carry on", who="ann").done()
    await desk.settle()
    assert desk.of("move").state is RunState.RUNNING
    assert await desk.say("stop").done()
