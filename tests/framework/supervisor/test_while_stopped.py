"""Under an emergency stop, questions are answered; what moves or starts something is refused."""

from __future__ import annotations

import asyncio

import pytest

from framework.events import EventKind
from framework.plan import Do, Parallel, Plan, Sequence
from framework.plan.ast import Elapsed, Until, Wait
from framework.plugins.action import Risk
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind

ASK = Kind("ask", while_stopped=True, after_s=0.5)
TELL = Kind("tell", while_stopped=True, after_s=0.5)
MOVE = Kind("move", risk=Risk.MOVES)
SHOW = Kind("show")


@scene(ASK, MOVE, SHOW)
async def test_a_question_is_answered_also_in_the_moment_in_which_another_process_stops(desk: Desk) -> None:
    desk.latch.latch("the button")
    assert await desk.say("ask").done()
    for refused in ("move", "show"):
        assert not await desk.say(refused).done()
        assert 'say "reset" first' in desk.texts(EventKind.REFUSED)[-1]
    assert desk.latch.is_latched


@scene(ASK, TELL, MOVE)
async def test_a_plan_of_questions_alone_is_answered(desk: Desk) -> None:
    desk.latch.latch("the button")
    await asyncio.sleep(1.0)
    ask, tell, move = Do("ask"), Do("tell"), Do("move")
    plans: tuple[tuple[Plan, bool], ...] = (
        (Sequence((ask, tell)), True),
        (Parallel((ask, tell)), True),
        (Sequence((ask, move)), False),
        (Until(ask, Elapsed(1.0)), False),
        (Wait(Elapsed(1.0)), False),
    )
    for plan, is_answered in plans:
        assert await desk.supervisor.carry_out(plan).done() is is_answered, plan


@pytest.mark.parametrize("stopped_by", ["emergency stop", "stop"])
def test_a_question_under_way_ends_by_a_stop_like_everything(stopped_by: str) -> None:
    @scene(ASK)
    async def play(desk: Desk) -> None:
        asked = desk.say("ask")
        await desk.say(stopped_by).done()
        assert asked.succeeded is False

    play()
