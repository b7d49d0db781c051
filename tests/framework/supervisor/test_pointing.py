""" "That" and "there": what was pointed at goes into the plan; what is not clear is asked."""

from __future__ import annotations

import asyncio

import pytest

from framework.plan import Do, Instruction, Pointing, Reference, Source
from framework.plan.instruction import SpokenWord
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import BLUE, LabDesk, lab_scene


def at(t_s: float, **things: float) -> tuple[Pointing, ...]:
    return tuple(Pointing(thing.replace("_", " "), t_s, likelihood) for thing, likelihood in things.items())


@lab_scene()
async def test_what_is_pointed_at_is_meant(desk: LabDesk) -> None:
    await desk.say_and_settle("track that", pointing=at(-0.9, blue_cup=0.9))
    assert desk.parameters("track") == {"thing": "blue"}
    await desk.say_and_settle("show this", pointing=at(0.7, hand=0.9, dock=1.0))
    assert desk.parameters("show") == {"what": "hand"}, "the dock is nothing to be shown"


@pytest.mark.parametrize("t_s", [-1.1, 0.7])
def test_what_was_pointed_at_long_ago_or_later_is_not(t_s: float) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("track that", pointing=at(t_s, hand=0.9))
        assert reply.events[-1].text == 'What do you mean by "that"? Point, please, or name it.'
        desk.say("cancel")

    scene()


@lab_scene()
async def test_two_that_are_nearly_as_likely_are_asked_about(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that", pointing=at(0.0, hand=0.6, blue_cup=0.5, dock=0.6))
    assert reply.events[-1].text == 'What do you mean by "that"? 1: hand, 2: blue cup'
    assert desk.say("the blue one").succeeded
    assert await reply.done()
    assert desk.parameters("track") == {"thing": "blue"}


@lab_scene()
async def test_a_narrow_lead_is_confirmed(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that", pointing=at(0.0, hand=0.6, blue_cup=0.2))
    assert reply.events[-1].text == "Shall I track the hand? (yes or no)"
    desk.say("no")
    await desk.say_and_settle("track that", pointing=at(desk.now_s(), hand=0.9, blue_cup=0.05))
    assert desk.running == ["track"]


@lab_scene()
async def test_two_things_of_the_name_that_is_pointed_at_are_asked_about(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that", pointing=at(0.0, red_cup=0.9))
    assert (
        reply.events[-1].text
        == 'What do you mean by "that"? 1: red cup on the table, 2: red cup on the shelf'
    )
    desk.say("2")
    assert await reply.done()
    assert desk.parameters("track") == {"thing": "red_2"}


@lab_scene()
async def test_several_words_point_each_at_its_own_time(desk: LabDesk) -> None:
    words = (SpokenWord("put", 0.1), SpokenWord("that", 0.5), SpokenWord("there", 3.0))
    pointing = (Pointing("hand", 0.4, 0.9), Pointing("dock", 3.2, 0.9), Pointing("table", 0.5, 0.9))
    desk.supervisor.tell(Instruction("put that there", pointing=pointing, words=words))
    await desk.settle()
    assert desk.parameters("put") == {"thing": "hand", "place": "dock"}


@lab_scene()
async def test_of_several_words_only_the_unclear_one_is_asked_about(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("put that there", pointing=at(0.0, hand=0.9, dock=0.5, table=0.5))
    assert reply.events[-1].text == 'What do you mean by "there"? 1: dock, 2: table'
    desk.say("table")
    await desk.settle()
    assert desk.parameters("put") == {"thing": "hand", "place": "table"}


@lab_scene()
async def test_without_pointing_an_earlier_action_may_be_meant(desk: LabDesk) -> None:
    await desk.say_and_settle("go then show that")
    assert desk.running == ["go"]
    desk.of("go").succeed("hand")
    await desk.settle()
    assert desk.parameters("show") == {"what": "hand"}


@pytest.mark.parametrize("name", ["the hand", "hand", "I mean the hand", "no, the hand"])
def test_point_please_is_answered_with_a_name(name: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("track that")
        assert desk.say(name).succeeded, desk.last
        assert await reply.done()
        assert desk.parameters("track") == {"thing": "hand"}

    scene()


@pytest.mark.parametrize("words", ["", "that", "that one"])
def test_point_please_is_answered_by_pointing(words: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("track that")
        answer = desk.say(words, source=Source.GESTURE, pointing=at(desk.now_s(), blue_cup=0.9))
        assert answer.succeeded
        assert await reply.done()
        assert desk.parameters("track") == {"thing": "blue"}

    scene()


@lab_scene()
async def test_point_please_and_what_does_not_answer_it(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that", who="ann", pointing=at(0.0, dock=1.0))
    question = 'What do you mean by "that"? dock does not fit there. Point, please, or name it.'
    assert reply.events[-1].text == question
    for text in ("yes", "1", "the dock", "blah", "that", "it"):
        refused = desk.say(text, who="ann")
        assert refused.succeeded is False and question in refused.events[-1].text, text
    assert desk.supervisor.answer("q1", 1, "ann").succeeded is False
    assert desk.say("the hand", who="bob").succeeded is False
    assert reply.succeeded is None
    await asyncio.sleep(15.0)
    assert reply.succeeded is False and "no answer came within 15 s" in reply.events[-1].text
    assert desk.stage.made == []


@lab_scene()
async def test_naming_one_of_two_asks_which(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that")
    desk.say("the red cup")
    assert desk.last == 'What do you mean by "that"? 1: red cup on the table, 2: red cup on the shelf'
    desk.say("1")
    assert await reply.done()


@lab_scene()
async def test_an_instruction_instead_of_pointing_withdraws_the_question(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track that")
    await desk.say_and_settle("go")
    assert reply.succeeded is False and desk.running == ["go"]


@lab_scene()
async def test_a_name_by_voice_does_not_make_a_dangerous_action_a_typed_one(desk: LabDesk) -> None:
    await desk.say_and_settle("grab that")
    desk.say("the hand", source=Source.SPEECH)
    await desk.settle()
    assert desk.running == []
    assert desk.supervisor.questions[0].text == "Shall I grab the hand?"
    desk.say("no")


@lab_scene()
async def test_what_was_pointed_at_and_is_gone_is_not_used(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("grab that", source=Source.SPEECH, pointing=at(0.0, hand=0.9))
    desk.lab.things["things"] = [BLUE]
    desk.say("yes")
    assert reply.succeeded is False and desk.stage.made == []
    assert '"hand" is not there any more' in reply.events[-1].text


@lab_scene()
async def test_a_plan_that_points_without_words_is_asked_about_too(desk: LabDesk) -> None:
    reply = desk.supervisor.carry_out(Do("track", {"thing": Reference("that", is_pointing=True)}), who="ann")
    assert reply.events[-1].kind is EventKind.ASKED
    desk.say("the hand", who="ann")
    assert await reply.done()
