"""Between two people's hands nothing begins that waits for what goes from one to the other."""

from __future__ import annotations

import pytest

from framework.plugins.events import RunState
from framework.supervisor.events import EventKind
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
