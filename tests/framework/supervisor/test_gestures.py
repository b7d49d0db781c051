"""Gestures let things rest and answer questions; whatever is shown, nothing begins or goes on by it alone."""

from __future__ import annotations

import asyncio
from itertools import permutations

import pytest

from framework.plan import Instruction, Source
from framework.plugins.action import Risk
from framework.supervisor import EventKind, Reply
from framework.supervisor.answering import REACTION_S
from framework.tree.run import PlanState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.lab import LabDesk, lab_scene
from tests.framework.tree.scripted import Kind

MOVES = Kind("moves", risk=Risk.MOVES)
DANGER = Kind("danger", risk=Risk.DANGEROUS)
SURE = 0.95


def shown(desk: Desk | LabDesk, words: str, who: str = "ann", confidence: float = SURE) -> Instruction:
    return Instruction(words, Source.GESTURE, who, desk.now_s(), confidence)


def palm(desk: Desk | LabDesk, who: str = "ann", confidence: float = SURE) -> Reply | None:
    return desk.supervisor.pause_by_gesture(shown(desk, "open palm", who, confidence))


def fist(desk: Desk | LabDesk, who: str = "ann") -> Reply | None:
    return desk.supervisor.pause_by_gesture(shown(desk, "fist", who), everything=True)


def thumb(
    desk: Desk | LabDesk,
    choice: int,
    who: str = "ann",
    began_s: float | None = None,
    confidence: float = SURE,
) -> Reply | None:
    """One that was held until now."""
    began_s = desk.now_s() - 0.7 if began_s is None else began_s
    said = shown(desk, "thumb up" if choice else "thumb down", who, confidence)
    return desk.supervisor.answer_by_gesture(said, choice, began_s)


def states(desk: Desk | LabDesk) -> list[PlanState]:
    return [plan.state for plan in desk.supervisor.plans()]


@scene(MOVES)
async def test_an_open_palm_lets_what_moves_rest_and_nothing_else(desk: Desk) -> None:
    await desk.say_and_settle("moves", who="ann")
    await desk.say_and_settle("a", who="bob")
    reply = palm(desk)
    assert reply is not None and reply.succeeded
    assert states(desk) == [PlanState.PAUSED, PlanState.RUNNING]
    assert desk.said[-2].text == "open palm" and desk.said[-2].data["source"] == "gesture"
    await desk.say_and_settle("carry on", who="ann")
    assert states(desk) == [PlanState.RUNNING, PlanState.RUNNING]


@scene(MOVES)
async def test_anybodys_palm_counts_however_unsure_it_is(desk: Desk) -> None:
    await desk.say_and_settle("moves", who="ann")
    assert palm(desk, who="a stranger", confidence=0.1) is not None
    assert states(desk) == [PlanState.PAUSED]


@scene(MOVES)
async def test_a_fist_lets_everything_rest(desk: Desk) -> None:
    await desk.say_and_settle("moves", who="ann")
    await desk.say_and_settle("a", who="bob")
    reply = fist(desk)
    assert reply is not None and reply.succeeded
    assert states(desk) == [PlanState.PAUSED] * 2


@scene(MOVES)
async def test_where_nothing_moves_nothing_is_said(desk: Desk) -> None:
    assert palm(desk) is None and fist(desk) is None
    await desk.say_and_settle("a")
    assert palm(desk) is None
    await desk.say_and_settle("moves")
    assert palm(desk) is not None and palm(desk) is None
    said = len(desk.said)
    assert fist(desk) is not None and fist(desk) is None
    assert len(desk.said) > said


@scene(DANGER)
async def test_a_thumb_answers_the_question_that_was_open_before(desk: Desk) -> None:
    for choice in (1, 0):
        asked = await desk.say_and_settle("danger", source=Source.SPEECH, who="ann")
        assert desk.running == []
        await asyncio.sleep(0.8 + REACTION_S)
        reply = thumb(desk, choice)
        assert reply is not None and reply.succeeded
        await desk.settle()
        assert desk.running == ["danger"] * choice
        assert not desk.supervisor.questions
        if choice:
            desk.of("danger").succeed()
            assert await asked.done()


@scene(DANGER)
async def test_a_thumb_that_was_up_before_answers_nothing(desk: Desk) -> None:
    await asyncio.sleep(5.0)
    began_s = desk.now_s()
    await desk.say_and_settle("danger", source=Source.SPEECH, who="ann")
    (question,) = desk.supervisor.questions
    await asyncio.sleep(2.0)
    for early_s in (0.0, began_s, question.asked_s, question.asked_s + 0.9 * REACTION_S):
        assert thumb(desk, 1, began_s=early_s) is None
        assert thumb(desk, 0, began_s=early_s) is None
    assert desk.running == [] and len(desk.supervisor.questions) == 1
    assert thumb(desk, 1, began_s=question.asked_s + REACTION_S) is not None
    await desk.settle()
    assert desk.running == ["danger"]


@scene(DANGER)
async def test_a_thumb_of_somebody_else_answers_nothing(desk: Desk) -> None:
    await desk.say_and_settle("danger", source=Source.SPEECH, who="ann")
    await asyncio.sleep(2.0)
    assert thumb(desk, 1, who="bob") is None and thumb(desk, 0, who="bob") is None
    assert len(desk.supervisor.questions) == 1 and desk.running == []
    assert desk.supervisor.answer(desk.supervisor.questions[0].id, 0, "ann").succeeded


@scene(DANGER)
async def test_a_thumb_that_was_not_seen_clearly_starts_nothing(desk: Desk) -> None:
    await desk.say_and_settle("danger", source=Source.SPEECH, who="ann")
    await asyncio.sleep(2.0)
    for confidence in (0.0, 0.5, 0.89, float("nan")):
        reply = thumb(desk, 1, confidence=confidence)
        assert reply is not None and reply.succeeded is False
        assert reply.events[-1].text.startswith("I did not see that clearly enough, show it again: ")
    await desk.settle()
    assert desk.running == [] and len(desk.supervisor.questions) == 1
    assert thumb(desk, 0, confidence=0.5) is not None  # a "no" may be unsure
    assert not desk.supervisor.questions


@scene()
async def test_a_thumb_chooses_none_of_several(desk: Desk) -> None:
    await desk.say_and_settle("either", who="ann")
    await asyncio.sleep(2.0)
    reply = thumb(desk, 1)
    assert reply is not None and reply.events[-1].text.startswith("Which one?")
    assert len(desk.supervisor.questions) == 1
    assert thumb(desk, 0) is not None and not desk.supervisor.questions
    assert desk.running == []


@scene()
async def test_what_has_to_be_typed_is_not_confirmed_by_a_thumb(desk: Desk) -> None:
    desk.latch.latch("a test")
    await desk.settle()
    await desk.say_and_settle("reset", who="ann")
    await asyncio.sleep(2.0)
    reply = thumb(desk, 1)
    assert reply is not None and "not confirmed by voice or gesture" in reply.events[-1].text
    assert desk.latch.is_latched
    desk.say("no", who="ann")


@lab_scene()
async def test_what_an_action_asks_goes_on_by_no_thumb(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    for text in ("Is the way clear?", "take the arm?"):
        desk.of("go").ask(text)
        await asyncio.sleep(2.0)
        reply = thumb(desk, 1)
        assert reply is not None and reply.succeeded is False
        assert reply.events[-1].text.startswith("That is not answered by a gesture, say or type it: ")
        assert desk.of("go").answers == [] and len(desk.supervisor.questions) == 1
    assert thumb(desk, 0) is not None
    assert desk.of("go").answers == ["no"]


@pytest.mark.parametrize("order", [*permutations(("palm", "fist", "up", "down"))])
def test_no_sequence_of_gestures_lets_anything_begin_or_go_on(order: tuple[str, ...]) -> None:
    @scene(MOVES)
    async def show(desk: Desk) -> None:
        await desk.say_and_settle("moves", who="ann")
        show = {
            "palm": lambda: palm(desk),
            "fist": lambda: fist(desk),
            "up": lambda: thumb(desk, 1),
            "down": lambda: thumb(desk, 0),
        }
        is_paused = False
        for each in (*order, *order):
            show[each]()
            await asyncio.sleep(1.0)
            is_paused |= each in ("palm", "fist")
            assert states(desk) == [PlanState.PAUSED if is_paused else PlanState.RUNNING]
        kinds = {event.kind for event in desk.said}
        assert EventKind.RESUMED not in kinds and len(desk.texts(EventKind.STARTED)) == 1

    show()
