"""An action that cannot go on asks: numbered, clickable, without a deadline, and told apart from others."""

from __future__ import annotations

import asyncio

from framework.plan import Source
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import LabDesk, lab_scene


async def ask(desk: LabDesk, name: str, text: str, who: str = "ann") -> None:
    await desk.say_and_settle(name, who=who)
    desk.of(name.split()[0]).ask(text)
    await desk.settle()


@lab_scene()
async def test_it_is_a_question_with_an_id_and_waits(desk: LabDesk) -> None:
    await ask(desk, "go", "take the arm?")
    (event,) = [event for event in desk.said if event.kind is EventKind.ASKED]
    assert event.text == 'take the arm? (say "carry on", or answer in words; I wait)'
    assert {key: event.data[key] for key in ("question", "options", "option_1")} == {
        "question": "q1",
        "options": 1,
        "option_1": "carry on",
    }
    (question,) = desk.supervisor.questions
    assert (question.id, question.who, question.text) == ("q1", "ann", "take the arm?")
    await asyncio.sleep(3600.0)
    assert [each.id for each in desk.supervisor.questions] == ["q1"]
    clicked = desk.supervisor.answer("q1", 1, "ann")
    assert clicked.succeeded and clicked.events[-1].text == "I carry on: go."
    assert desk.of("go").answers == ["carry on"]
    assert not desk.supervisor.questions
    assert desk.supervisor.answer("q1", 1, "ann").succeeded is False


@lab_scene()
async def test_answers_in_words(desk: LabDesk) -> None:
    await ask(desk, "go", "which side?")
    for text in ("the left one", "2", "yes", "no"):
        assert desk.say(text, who="ann").succeeded is True
        assert desk.of("go").answers[-1] == text
        assert desk.supervisor.questions == ()
        desk.of("go").ask("and now?")
    assert desk.supervisor.answer(desk.supervisor.questions[0].id, 0, "ann").succeeded
    assert desk.of("go").answers[-1] == "no"


@lab_scene()
async def test_an_instruction_is_no_answer_and_withdraws_nothing(desk: LabDesk) -> None:
    await ask(desk, "go", "which side?")
    await desk.say_and_settle("track the hand", who="ann")
    assert desk.running == ["go", "track"]
    assert desk.of("go").answers == [] and len(desk.supervisor.questions) == 1
    await desk.say_and_settle("track the red cup", who="ann")
    assert desk.say("1", who="ann").succeeded, "the supervisor's own question is answered first"
    assert desk.of("go").answers == []
    assert desk.say("1", who="ann").succeeded
    assert desk.of("go").answers == ["1"]


@lab_scene()
async def test_a_correction_of_the_instruction_is_no_answer_to_its_action(desk: LabDesk) -> None:
    await ask(desk, "put the hand the dock", "which side?")
    await desk.say_and_settle("no, the blue cup", who="ann")
    assert [plan.words for plan in desk.supervisor.plans()] == ["put the blue cup the dock"]
    desk.of("put").ask("which side?")
    assert desk.say("no, the left one", who="ann").succeeded
    assert desk.of("put").answers == ["no, the left one"]


@lab_scene()
async def test_others_do_not_answer(desk: LabDesk) -> None:
    await ask(desk, "go", "which side?")
    assert desk.say("left", who="bob").succeeded is False
    assert desk.say("carry on", who="bob").succeeded is False
    assert desk.supervisor.answer("q1", 1, "bob").succeeded is False
    assert desk.say("left", who="ann", source=Source.PROPOSER).succeeded is False
    unclear = desk.say("left", who="ann", confidence=0.4)
    assert unclear.succeeded is False and "not hear that clearly" in unclear.events[-1].text
    assert desk.of("go").answers == []


@lab_scene()
async def test_a_plan_of_nobody_is_answered_by_anybody(desk: LabDesk) -> None:
    await ask(desk, "go", "which side?", who="")
    assert desk.supervisor.answer("q1", 1, "bob").succeeded
    desk.of("go").ask("again?")
    assert desk.say("left", who="ann").succeeded
    assert desk.of("go").answers == ["carry on", "left"]


@lab_scene()
async def test_two_that_ask_are_told_apart_by_one_question(desk: LabDesk) -> None:
    await ask(desk, "go", "take the arm?")
    await ask(desk, "put the hand the dock", "is it free?")
    reply = desk.say("carry on", who="ann")
    assert reply.events[-1].text == (
        'Whom do you answer with "carry on"? 1: go: take the arm?, 2: put the hand the dock: is it free?'
    )
    assert desk.say("the second", who="ann").succeeded
    assert reply.succeeded is True
    assert desk.of("put").answers == ["carry on"] and desk.of("go").answers == []
    desk.say("yes", who="ann")
    assert desk.of("go").answers == ["yes"]


@lab_scene()
async def test_the_end_of_the_action_ends_the_question(desk: LabDesk) -> None:
    await ask(desk, "go", "take the arm?")
    await ask(desk, "put the hand the dock", "is it free?")
    reply = desk.say("carry on", who="ann")
    desk.of("put").succeed()
    await desk.settle()
    assert [question.text for question in desk.supervisor.questions[1:]] == ["take the arm?"]
    desk.say("2", who="ann")
    assert reply.succeeded is False and "does not ask any more" in reply.events[-1].text
    await desk.say("stop").done()
    assert desk.supervisor.questions == ()


@lab_scene()
async def test_asking_again_makes_the_older_question_stale(desk: LabDesk) -> None:
    await ask(desk, "go", "take the arm?")
    desk.of("go").ask("really?")
    assert [question.id for question in desk.supervisor.questions] == ["q2"]
    assert desk.supervisor.answer("q1", 1, "ann").succeeded is False
    assert desk.of("go").answers == []


@lab_scene()
async def test_who_wants_the_same_is_asked_as_well(desk: LabDesk) -> None:
    await ask(desk, "go", "is the way clear?", who="a terminal that is gone")
    assert desk.say("yes", who="bob").succeeded is False
    again = await desk.say_and_settle("go", who="bob")
    assert [event.text for event in again.events if event.kind is EventKind.ASKED] == [
        'is the way clear? (say "yes" or "no"; I wait)'
    ]
    assert again.events[-1].data["options"] == 0, "buttons are yes and no"
    assert again.events[-1].data["question"] == "q1" and again.events[-1].who == "bob"
    assert desk.supervisor.answer("q1", 1, "cat").succeeded is False
    assert desk.supervisor.answer("q1", 1, "bob").succeeded
    assert desk.of("go").answers == ["carry on"]


@lab_scene()
async def test_a_question_is_no_answer(desk: LabDesk) -> None:
    await ask(desk, "go", "is the way clear?")
    for text in ("is the way clear", "what fault?", "why", "the left one?"):
        reply = desk.say(text, who="ann")
        await asyncio.sleep(0.1)
        assert reply.succeeded is False
        assert "I still wait for an answer: is the way clear?" in reply.events[-1].text
    assert desk.of("go").answers == []
    assert [question.id for question in desk.supervisor.questions] == ["q1"]
