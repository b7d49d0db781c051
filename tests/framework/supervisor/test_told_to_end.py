"""Whose words have ended what somebody drives: only the driver's own say as well that the way is clear."""

from __future__ import annotations

import msgspec
import pytest

from framework.plan import Do, State, Until
from framework.plugins.events import RunState
from framework.tree.run import PlanState
from framework.tree.view import NodeState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.test_asked_by import DRIVE, TWO
from tests.framework.supervisor.test_holding_back import MOVE, hold_back, states

#: It takes its time to end: meanwhile it says that it does not drive any more.
SLOW = msgspec.structs.replace(DRIVE, end_takes_s=0.5)
HIS = Do("drive", {"session": "phone 1"})


async def drives(desk: Desk, words: str) -> None:
    """Ann's motion waits for what phone 1 drives."""
    await desk.say_and_settle("move", who="ann")
    await desk.say_and_settle(words, who="phone 1")
    assert desk.of("drive").state is RunState.READY


@scene(SLOW, MOVE, world=TWO)
async def test_what_fails_beside_it_says_nothing(desk: Desk) -> None:
    await drives(desk, "drive and b")
    desk.of("b").fail("scripted")
    await desk.settle()
    assert hold_back(desk) == ("move",)
    assert await desk.say("stop").done()


@pytest.mark.parametrize("who", ["phone 1", "ann"])
def test_what_was_said_of_it_before_it_went_on_is_past(who: str) -> None:
    @scene(SLOW, MOVE, world=TWO)
    async def play(desk: Desk) -> None:
        await drives(desk, "drive and b")
        await desk.say_and_settle("pause drive", who=who)
        await desk.say_and_settle("carry on with drive", who="ann")
        desk.of("b").fail("scripted")
        await desk.settle()
        assert hold_back(desk) == ("move",)
        assert await desk.say("stop").done()

    play()


@scene(SLOW, MOVE, world=TWO)
async def test_what_was_said_of_another_part_of_its_plan_is_not_said_of_it(desk: Desk) -> None:
    await drives(desk, "drive and b and c")
    await desk.say_and_settle("stop b", who="phone 1")
    desk.of("c").fail("scripted")
    await desk.settle()
    assert hold_back(desk) == ("move",)
    assert await desk.say("stop").done()


@scene(SLOW, MOVE, world=TWO)
async def test_a_plan_that_pauses_by_itself_is_paused_by_nobody(desk: Desk) -> None:
    await drives(desk, "drive and b")
    assert desk.stage.service is not None
    assert desk.stage.service.pause("b cannot go on", asked_by="b")
    assert hold_back(desk) == ("move",)
    assert await desk.say("stop").done()


@scene(SLOW, MOVE, world=TWO)
async def test_pausing_what_is_paused_already_says_nothing(desk: Desk) -> None:
    await drives(desk, "drive and b")
    await desk.say_and_settle("pause drive", who="ann")
    await desk.say_and_settle("pause drive", who="phone 1")
    assert hold_back(desk) == ("move",)
    assert await desk.say("stop").done()


@pytest.mark.parametrize("who", ["phone 1", "console"])
def test_what_ends_as_it_was_wanted_ends_by_the_words_of_who_wanted_it(who: str) -> None:
    @scene(SLOW, MOVE, world=TWO)
    async def play(desk: Desk) -> None:
        await desk.say_and_settle("move", who="ann")
        desk.supervisor.carry_out(Until(HIS, State("late")), who=who)
        await desk.settle()
        await desk.say_and_settle("pause drive", who="ann")
        await desk.say_and_settle("carry on with drive", who="ann")
        desk.facts.set(late=True)
        await desk.settle()
        (plan,) = (plan for plan in desk.supervisor.plans() if "drive" in plan.words)
        assert plan.state is PlanState.RUNNING
        assert plan.tree.children[0].state is NodeState.STOPPING
        assert hold_back(desk) == (() if who == "phone 1" else ("move",))
        assert states(desk)["move"] is (PlanState.RUNNING if who == "phone 1" else PlanState.PAUSED)
        assert await desk.say("stop").done()

    play()
