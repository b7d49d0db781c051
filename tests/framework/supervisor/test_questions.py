"""One numbered question: what answers it, who answers it, what ends it."""

from __future__ import annotations

import asyncio

import pytest

from framework.plan import Known, Source
from framework.plan.instruction import Instruction
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import BLUE, RED_ON_TABLE, LabDesk, lab_scene

WHICH = "What do you mean? 1: track the red cup on the table, 2: track the red cup on the shelf"


@lab_scene()
async def test_two_things_of_one_name_are_told_apart_by_their_hints(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track the red cup", who="ann")
    asked = reply.events[-1]
    assert (asked.kind, asked.text, asked.who) == (EventKind.ASKED, WHICH, "ann")
    assert asked.data == {
        "question": "q1",
        "options": 2,
        "option_1": "track the red cup on the table",
        "option_2": "track the red cup on the shelf",
    }
    (question,) = desk.supervisor.questions
    assert (question.id, question.who, len(question.options)) == ("q1", "ann", 2)
    assert desk.running == []
    assert desk.say("2", who="ann").succeeded
    assert await reply.done()
    assert desk.parameters("track") == {"thing": "red_2"}


@pytest.mark.parametrize(
    ("answer", "thing"),
    [
        ("1", "red_1"),
        ("one", "red_1"),
        ("Number two, please!", "red_2"),
        ("the second one", "red_2"),
        ("the first", "red_1"),
        ("the last one", "red_2"),
        ("the one on the shelf", "red_2"),
        ("on the table", "red_1"),
        ("shelf", "red_2"),
        ("track the red cup on the shelf", "red_2"),
        ("no, the one on the shelf", "red_2"),
        ("I mean the second", "red_2"),
        ("none", ""),
        ("neither", ""),
        ("none of these", ""),
        ("no", ""),
        ("cancel", ""),
        ("never mind", ""),
    ],
)
def test_answers(answer: str, thing: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("track the red cup", who="ann")
        assert desk.say(answer, who="ann").succeeded is True, desk.last
        await desk.settle()
        if thing:
            assert desk.parameters("track") == {"thing": thing}
        else:
            assert reply.succeeded is False and desk.stage.made == []
            assert reply.events[-1].text == "I leave it."

    scene()


@pytest.mark.parametrize("answer", ["3", "the ninth", "0", "yes", "the red one", "red cup", "the cup", "99"])
def test_what_is_no_clear_answer_is_asked_again(answer: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("track the red cup")
        refused = desk.say(answer)
        assert refused.succeeded is False
        assert WHICH in refused.events[-1].text
        assert reply.succeeded is None and len(desk.supervisor.questions) == 1

    scene()


@lab_scene()
async def test_a_number_that_could_be_part_of_another_option_is_not_guessed(desk: LabDesk) -> None:
    desk.lab.things["things"] = [RED_ON_TABLE, _known("c2", "on shelf 1")]
    reply = await desk.say_and_settle("track the red cup")
    assert "2: track the red cup on shelf 1" in reply.events[-1].text
    refused = desk.say("1")
    assert "That could be 1 or 2" in refused.events[-1].text
    assert desk.say("number 1").succeeded
    await desk.settle()
    assert desk.parameters("track") == {"thing": "red_1"}


@lab_scene()
async def test_only_the_one_who_asked_is_asked(desk: LabDesk) -> None:
    asked = await desk.say_and_settle("track the red cup", who="ann")
    for answer in ("1", "yes", "the second one"):
        refused = desk.say(answer, who="bob")
        assert refused.succeeded is False and "ann is asked" in refused.events[-1].text
    assert desk.say("the one on the shelf", who="bob").succeeded is False
    refused = desk.supervisor.answer("q1", 1, "bob")
    assert refused.succeeded is False and refused.events[-1].text == "Ann is asked that."
    assert asked.succeeded is None
    # Two operators have a question each, and answer their own.
    other = await desk.say_and_settle("track the red cup", who="bob")
    assert [question.who for question in desk.supervisor.questions] == ["ann", "bob"]
    desk.say("2", who="bob")
    desk.say("1", who="ann")
    assert await asked.done() and await other.done()
    assert [runner.parameters["thing"] for runner in desk.stage.made] == ["red_2", "red_1"]


@lab_scene()
async def test_clicks(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track the red cup", who="ann")
    for choice in (3, -1, 99):
        refused = desk.supervisor.answer("q1", choice, "ann")
        assert refused.succeeded is False and WHICH in refused.events[-1].text
    clicked = desk.supervisor.answer("q1", 2, "ann")
    assert clicked.succeeded is True
    assert clicked.events[0].text == "2: track the red cup on the shelf"
    assert await reply.done()
    assert desk.parameters("track") == {"thing": "red_2"}
    for question in ("q1", "q7", "", "nonsense"):
        stale = desk.supervisor.answer(question, 1, "ann")
        assert stale.succeeded is False
        assert "no open question" in stale.events[-1].text
    assert len(desk.stage.made) == 1
    await desk.say_and_settle("track the red cup", who="ann")
    assert desk.supervisor.answer("q1", 1, "ann").succeeded is False
    assert desk.supervisor.answer("q2", 0, "ann").succeeded is True
    assert desk.supervisor.questions == ()


@lab_scene()
async def test_no_answer_in_15_s_is_a_no_and_said(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track the red cup")
    await asyncio.sleep(14.5)
    assert reply.succeeded is None
    await asyncio.sleep(0.5)
    assert reply.succeeded is False
    assert reply.events[-1].text == "I leave it: no answer came within 15 s."
    late = desk.supervisor.answer("q1", 1, "")
    assert late.succeeded is False and "its time was over" in late.events[-1].text


@lab_scene()
async def test_another_instruction_withdraws_the_question_and_says_so(desk: LabDesk) -> None:
    asked = await desk.say_and_settle("track the red cup", who="ann")
    await desk.say_and_settle("go", who="bob")
    assert asked.succeeded is None
    await desk.say_and_settle("track the hand", who="ann")
    assert asked.succeeded is False
    assert asked.events[-1].text == "I leave it: you have said something else."
    assert desk.running == ["go", "track"]
    assert desk.supervisor.answer("q1", 1, "ann").succeeded is False


@lab_scene()
async def test_what_is_not_understood_leaves_the_question_open(desk: LabDesk) -> None:
    asked = await desk.say_and_settle("track the red cup")
    refused = desk.say("blah blah")
    assert refused.succeeded is False
    assert f"I still wait for an answer: {WHICH}" in refused.events[-1].text
    desk.say("1")
    assert await asked.done()


@lab_scene()
async def test_commands_do_not_answer(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    asked = await desk.say_and_settle("track the red cup")
    for text in ("what are you doing?", "pause", "carry on"):
        assert desk.say(text).succeeded is True
        assert asked.succeeded is None, text
    assert await desk.say("stop").done()
    assert asked.succeeded is False and desk.supervisor.questions == ()


@lab_scene()
async def test_part_of_an_option_that_is_an_instruction_itself_is_that(desk: LabDesk) -> None:
    await desk.say_and_settle("go then track the red cup")
    await desk.say_and_settle("go")
    assert desk.running == ["go"]
    assert [plan.words for plan in desk.supervisor.plans()] == ["go"]


@lab_scene()
async def test_endless_text_answers_nothing_and_is_not_parsed(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    desk.of("go").ask("which side?")
    asked = await desk.say_and_settle("track the red cup")
    desk.language.parsed.clear()
    for text in ("no " * 5000, "1 " * 5000, "the red cup " * 1000, "🦾" * 3000):
        refused = desk.say(text)
        assert refused.succeeded is False and "too long" in refused.events[-1].text
    for text in ("no " * 400, "the red cup on the shelf " * 70):
        assert desk.say(text).succeeded is False
    assert len(desk.language.parsed) < 10
    assert asked.succeeded is None and desk.of("go").answers == []
    for text in ("", "😀", "\x00", "?!", "\u202e"):
        desk.say(text)
    assert desk.of("go").answers == []


@lab_scene()
async def test_too_many_readings_are_refused_with_examples(desk: LabDesk) -> None:
    desk.lab.things["things"] = [_known(f"c{number}", f"on table {number}") for number in range(12)]
    reply = desk.say("track the red cup")
    assert reply.succeeded is False
    assert reply.events[-1].text == (
        "That could mean 12 things (track the red cup on table 0; track the red cup on table 1; "
        "track the red cup on table 2; …): say it more precisely."
    )


@lab_scene()
async def test_without_hints_the_values_tell_two_things_apart(desk: LabDesk) -> None:
    desk.lab.things["things"] = [_known("cup_17", ""), _known("cup_18", "")]
    reply = await desk.say_and_settle("track the red cup")
    assert reply.events[-1].text.startswith("What do you mean? 1: track the cup_17, 2: track the cup_18")
    desk.say("cancel")


@lab_scene()
async def test_a_thing_that_vanished_while_it_was_asked_about_is_not_used(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("grab the red cup", source=Source.SPEECH)
    desk.say("1")
    await desk.settle()
    assert desk.supervisor.questions[0].text == "Shall I grab the red cup on the table?"
    desk.lab.things["things"] = [BLUE]
    desk.say("yes")
    assert reply.succeeded is False
    assert "Something has changed since I asked" in reply.events[-1].text
    assert desk.stage.made == []


@lab_scene()
async def test_a_name_that_means_something_else_by_now_is_not_used(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("grab the blue cup", confidence=0.5)
    desk.lab.things["things"] = [_known("other", "", "blue cup")]
    desk.say("yes")
    assert reply.succeeded is False and desk.stage.made == []
    assert '"grab the blue cup" would be' in reply.events[-1].text


def _known(value: str, hint: str, name: str = "red cup") -> Known:
    return Known(value, name, hint=hint)


@lab_scene()
async def test_what_was_misheard_perhaps_is_asked_about(desk: LabDesk) -> None:
    others = ("track the hand", "nonsense")
    said = Instruction("track the blue cup", Source.SPEECH, "ann", alternatives=others)
    reply = desk.supervisor.tell(said)
    await desk.settle()
    assert reply.events[-1].text == "What do you mean? 1: track the blue cup, 2: track the hand"
    desk.say("2", who="ann")
    assert await reply.done()
    assert desk.parameters("track") == {"thing": "hand"}


@lab_scene()
async def test_what_may_have_been_said_in_other_words_is_not_asked_about(desk: LabDesk) -> None:
    others = ("please track the hand", "track hand")
    said = Instruction("track the hand", Source.SPEECH, "ann", alternatives=others)
    reply = desk.supervisor.tell(said)
    await desk.settle()
    assert EventKind.ASKED not in [each.kind for each in reply.events]
    assert desk.parameters("track") == {"thing": "hand"}


@lab_scene()
async def test_what_may_answer_an_open_question_may_do_so_of_who_was_asked_only(desk: LabDesk) -> None:
    answers = ("the one on the shelf", "shelf", "track the red cup on the shelf")
    may_answer = desk.supervisor.may_answer
    assert not any(may_answer(text, "ann") for text in answers)
    await desk.say_and_settle("track the red cup", who="ann")
    assert all(may_answer(text, "ann") for text in answers)
    assert not any(may_answer(text, "ann") for text in ("on the moon", "the weather is fine"))
    assert not may_answer(answers[0], "bob")
