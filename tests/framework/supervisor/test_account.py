"""Why it stopped, whether it is done, what was said: the chain of causes in plain words."""

from __future__ import annotations

import asyncio

import pytest

from framework.supervisor.account import About
from framework.supervisor.book import MOST_ENDED
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind

GO = Kind("go", after_s=60.0)
QUICK = Kind("quick", after_s=0.5)
FAIL = Kind("fail", after_s=0.5, fails="the arm has a fault")
ASK = Kind("ask", only_answers=True, after_s=0.5)


async def said(desk: Desk, *texts: str) -> None:
    for text in texts:
        desk.say(text)
        await asyncio.sleep(1.0)


@scene(GO, QUICK, FAIL, ASK)
async def test_nothing_was_asked_for(desk: Desk) -> None:
    account = desk.supervisor.account
    assert account(About.WHY).startswith("I was asked to do nothing yet")
    assert account(About.DONE) == "I was asked to do nothing yet."
    assert account(About.HEARD) == "You have said nothing to me before."
    assert account(About.FAULTS) == ""
    assert "nothing is to come" in account(About.STEPS)


@scene(GO, QUICK, FAIL, ASK)
async def test_it_stopped_because_somebody_said_so(desk: Desk) -> None:
    await said(desk, "go", "stop", "ask")
    why = desk.supervisor.account(About.WHY)
    assert why == 'You said "go", and I began: go. I stopped because you said "stop".'
    assert desk.supervisor.account(About.STOPPED) == 'I stopped because you said "stop"; until then: go.'
    assert desk.supervisor.account(About.DONE).startswith("No, not to its end: go.")


@scene(GO, QUICK, FAIL, ASK)
async def test_it_stopped_because_it_was_done_or_did_not_work(desk: Desk) -> None:
    account = desk.supervisor.account
    await said(desk, "quick")
    assert account(About.WHY).endswith("I stopped because that is done.")
    assert account(About.DONE) == "Yes, that is done: quick."
    assert account(About.DONE, "fail") == "No: that was not done; the last was: quick."
    await said(desk, "fail")
    assert account(About.WHY).endswith("I stopped because it did not work: the arm has a fault.")
    assert account(About.FAULTS) == "The last thing did not work: fail: the arm has a fault."
    assert account(About.STOPPED).startswith("Nobody has said so.")


@scene(GO, QUICK, FAIL, ASK)
async def test_what_was_done_is_remembered_however_much_is_asked_since(desk: Desk) -> None:
    await said(desk, "quick", *["ask"] * MOST_ENDED, "fail")
    assert desk.supervisor.account(About.DONE, "quick") == "Yes, that is done: quick."
    assert len(desk.supervisor.ended_plans()) == MOST_ENDED
    await said(desk, *["go", "stop"] * MOST_ENDED)
    assert {plan.words for plan in desk.supervisor.ended_plans()} == {"go"}


@scene(GO, QUICK, FAIL, ASK)
async def test_it_has_not_stopped_or_waits(desk: Desk) -> None:
    account = desk.supervisor.account
    await said(desk, "go then quick")
    assert account(About.WHY).startswith("I have not stopped: ")
    assert account(About.DONE).startswith("Not yet: ")
    assert account(About.UNTIL).startswith("I cannot know how long it takes yet. ")
    assert account(About.STEPS) == "Now: go. Next: quick."
    await said(desk, "pause")
    assert "I pause: " in account(About.WHY)
    assert desk.supervisor.plans(), "answering has ended nothing"


@scene(GO, QUICK, FAIL, ASK)
async def test_an_emergency_stop_is_the_first_cause(desk: Desk) -> None:
    await said(desk, "go", "emergency stop")
    why = desk.supervisor.account(About.WHY)
    assert why.startswith("The emergency stop is set")
    assert 'I stopped because you said "emergency stop" (the emergency stop).' in why


@scene(GO, QUICK, FAIL, ASK)
async def test_what_was_refused_is_why_nothing_was_done(desk: Desk) -> None:
    await said(desk, "nonsense")
    why = desk.supervisor.account(About.WHY)
    assert why.startswith('You said "nonsense", and I did nothing: ')
    assert desk.supervisor.account(About.HEARD).startswith('You said "nonsense". ')


@pytest.mark.parametrize("words", ["ask", "ask then ask"])
def test_a_question_takes_no_open_question_away(words: str) -> None:
    @scene(GO, ASK, Kind("a"), Kind("b"), Kind("c"))
    async def play(desk: Desk) -> None:
        await said(desk, "either")
        (question,) = desk.supervisor.questions
        await said(desk, words)
        assert desk.supervisor.questions == (question,)
        await said(desk, "go")
        assert not desk.supervisor.questions

    play()
