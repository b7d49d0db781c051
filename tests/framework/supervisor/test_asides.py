"""Of a question that only reads, screens show the question and the answer; the rest is among the asides."""

from __future__ import annotations

import pytest

from framework.events import EventKind
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind

ASK = Kind("ask", only_answers=True, after_s=0.5)
FAIL = Kind("fail", only_answers=True, after_s=0.5, fails="nobody knows")


@scene(ASK, FAIL)
async def test_how_a_question_was_answered_is_an_aside_and_that_it_was_not_is_none(desk: Desk) -> None:
    assert await desk.say("ask").done()
    assert [event.kind for event in desk.said if not event.aside] == [EventKind.HEARD]
    asides = [event.kind for event in desk.said if event.aside]
    assert asides[0] is EventKind.UNDERSTOOD and asides[-1] is EventKind.ENDED, "the log has it all"
    assert not await desk.say("fail").done()
    assert desk.said[-1].kind is EventKind.FAILED and not desk.said[-1].aside


@pytest.mark.parametrize("said", ["a", "ask then a", "ask and a"])
def test_of_what_does_more_than_answer_nothing_is_an_aside(said: str) -> None:
    @scene(ASK, Kind("a", after_s=0.5))
    async def play(desk: Desk) -> None:
        assert await desk.say(said).done()
        assert not any(event.aside for event in desk.said)

    play()
