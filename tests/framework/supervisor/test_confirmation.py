"""What starts only after a yes, from whom, and how it is asked."""

from __future__ import annotations

import math

import pytest

from framework.errors import PlanError
from framework.plan import Cancel, Do, Plan, Sequence, Source
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import LabDesk, lab_scene

UNSURE = (Source.SPEECH, Source.GESTURE, Source.PHONE_SPEECH)


@lab_scene()
async def test_what_was_typed_or_clicked_or_written_down_starts(desk: LabDesk) -> None:
    for source in (Source.TYPED, Source.PHONE, Source.PROGRAM):
        await desk.say_and_settle("danger", source=source)
        assert desk.running == ["danger"]
        await desk.say("stop").done()


@pytest.mark.parametrize("source", UNSURE)
def test_a_dangerous_action_in_any_place_of_a_plan_is_confirmed(source: Source) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("go then wait two then danger", source=source, who="ann")
        assert [event.text for event in reply.events[1:]] == [
            "I understand: go, then wait two, then danger.",
            "Shall I go, then wait two, then danger? (yes or no)",
        ]
        assert desk.running == []
        assert desk.say("yes", source=source, who="bob").succeeded is False
        assert desk.say("maybe", source=source, who="ann").succeeded is False
        assert desk.say("yes", source=source, who="ann").succeeded is True
        await desk.settle()
        assert desk.running == ["go"]

    scene()


@pytest.mark.parametrize("source", UNSURE)
def test_what_is_harmless_is_not_asked_about(source: Source) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("go", source=source)
        assert desk.running == ["go"]

    scene()


@pytest.mark.parametrize("confidence", [0.0, 0.5, 0.899, math.nan, -1.0])
def test_what_was_not_heard_clearly_is_confirmed_whatever_it_is(confidence: float) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("go", confidence=confidence)
        assert reply.events[-1].text == "Shall I go? (yes or no)"
        unclear = desk.say("yes", confidence=confidence)
        assert unclear.succeeded is False and "not hear that clearly" in unclear.events[-1].text
        assert desk.say("no", confidence=confidence).succeeded is True
        assert reply.succeeded is False and desk.stage.made == []

    scene()


@lab_scene()
async def test_what_the_parser_is_not_sure_of_is_confirmed(desk: LabDesk) -> None:
    desk.language.confidence = 0.8
    reply = await desk.say_and_settle("go")
    assert reply.events[-1].text == "Shall I go? (yes or no)"
    desk.say("yes")
    await desk.settle()
    assert desk.running == ["go"]


@lab_scene()
async def test_a_misspelling_is_offered_and_named(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track the blue cub")
    assert reply.events[-1].text == (
        'Did you mean "blue cup" where you said "blue cub"? Shall I track the blue cup? (yes or no)'
    )
    assert desk.running == []
    desk.say("yes")
    await desk.settle()
    assert desk.parameters("track") == {"thing": "blue"}


@lab_scene()
async def test_choosing_among_several_settles_what_was_assumed(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("track the red cub")
    assert "1: track the red cup on the table" in reply.events[-1].text
    desk.say("1")
    await desk.settle()
    assert desk.running == ["track"]


@lab_scene()
async def test_choosing_by_voice_does_not_confirm_what_is_dangerous(desk: LabDesk) -> None:
    await desk.say_and_settle("grab the red cup", source=Source.TYPED)
    desk.say("1", source=Source.SPEECH)
    await desk.settle()
    assert desk.running == []
    assert desk.supervisor.questions[0].text == "Shall I grab the red cup on the table?"
    desk.say("yes", source=Source.SPEECH)
    await desk.settle()
    assert desk.running == ["grab"]


@pytest.mark.parametrize("plan", [Do("go"), Do("danger"), Sequence((Do("go"), Do("again")))])
def test_a_proposal_is_always_confirmed_and_read_back(plan: Plan) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = desk.supervisor.carry_out(plan, Source.PROPOSER, "ann")
        await desk.settle()
        words = desk.in_words(plan)
        assert [event.text for event in reply.events] == [
            f"I understand: {words}.",
            f"That is a proposal, not what you said. Shall I {words}? (yes or no)",
        ]
        desk.supervisor.say("yes", Source.PROPOSER, "ann")
        await desk.settle()
        assert desk.running == []
        desk.say("yes", who="ann")
        await desk.settle()
        assert desk.running

    scene()


@lab_scene()
async def test_a_proposer_ends_nothing(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    for plan in (Cancel(), Sequence((Do("again"), Cancel("go")))):
        reply = desk.supervisor.carry_out(plan, Source.PROPOSER)
        assert reply.succeeded is False
        assert "a proposer has nothing to end" in reply.events[-1].text.lower()
    desk.supervisor.carry_out(Do("danger"), Source.PROPOSER)
    desk.say("yes")
    await desk.settle()
    assert desk.stage.service is not None
    with pytest.raises(PlanError, match="was a proposal"):
        desk.stage.service.stop("", asked_by="danger")
    assert desk.running == ["go", "danger"]


@lab_scene()
async def test_stop_cancel_and_pause_are_never_confirmed(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    wishes = {"source": Source.SPEECH, "confidence": 0.1}
    assert desk.say("pause", **wishes).succeeded is True
    assert desk.supervisor.plans()[0].state == "paused"
    assert await desk.say("cancel go", **wishes).done()
    await desk.say_and_settle("go")
    assert await desk.say("stop", **wishes).done()
    assert desk.running == [] and desk.texts(EventKind.ASKED) == []


@lab_scene()
async def test_plans_of_several_steps_and_numbers_are_read_back(desk: LabDesk) -> None:
    reply = await desk.say_and_settle("wait twenty then track the red cup on the shelf and show the hand")
    assert reply.events[1].text == (
        "I understand: wait twenty, then track the red cup on the shelf and show the hand."
    )
