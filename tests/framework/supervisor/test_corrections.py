""" "No, the scan": the last instruction of the same operator, said once more with other words in it."""

from __future__ import annotations

import asyncio

import pytest

from framework.plan import Pointing, Source
from tests.framework.supervisor.lab import HAND, LabDesk, lab_scene


@pytest.mark.parametrize(
    ("first", "correction", "words"),
    [
        ("track the hand", "no, the blue cup", "track the blue cup"),
        ("track the hand", "No, I meant the blue cup!", "track the blue cup"),
        ("track the hand", "not the hand, the blue cup", "track the blue cup"),
        ("track the hand", "not the hand but the blue cup", "track the blue cup"),
        ("track the hand", "no, not the hand, I meant the blue cup", "track the blue cup"),
        ("track the hand", "I mean show the hand", "show the hand"),
        ("track the hand", "rather show the blue cup", "show the blue cup"),
        ("track the hand", "no, go then show the blue cup", "go, then show the blue cup"),
        ("track the hand", "not track the hand, show the hand", "show the hand"),
        ("track the hand then show the hand", "not hand, the blue cup", ""),
        ("go then track the hand", "sorry, the blue cup", "go, then track the blue cup"),
        ("wait ten then track the hand", "no, twenty", "wait twenty, then track the hand"),
        ("wait ten then track the hand", "no, the blue cup", "wait ten, then track the blue cup"),
        ("go until I say ok", "no, enough", "go until enough is said"),
        ("go until I say ok", "no, track the hand", "track the hand"),
        ("put the hand there", "no, the dock", "put the hand the dock"),
    ],
)
def test_what_a_correction_makes_of_the_last_instruction(first: str, correction: str, words: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle(first, who="ann")
        await desk.say_and_settle(correction, who="ann")
        if not words:
            assert desk.supervisor.questions
            desk.say("cancel", who="ann")
            return
        assert [plan.words for plan in desk.supervisor.plans()] == [words]

    scene()


@lab_scene()
async def test_the_last_plan_is_over_before_the_new_one_starts(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    desk.say("no, the blue cup", who="ann")
    assert desk.running == ["track"] and len(desk.stage.made) == 1
    assert desk.of("track").cancelled_because == ["the operator has corrected it"]
    await desk.settle()
    assert len(desk.stage.made) == 2 and desk.parameters("track") == {"thing": "blue"}
    said = [event.text for event in desk.said if "track" in event.text]
    assert "I end: track the hand." in said


@lab_scene()
async def test_a_correction_that_could_mean_several_is_asked_about(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand then show the hand")
    reply = await desk.say_and_settle("no, the blue cup")
    assert reply.events[-1].text == (
        "What do you mean? 1: track the blue cup, then show the hand, "
        "2: track the hand, then show the blue cup"
    )
    assert desk.running == [], "what is wrong does not go on while that is asked"
    desk.say("2")
    await desk.settle()
    assert [plan.words for plan in desk.supervisor.plans()] == ["track the hand, then show the blue cup"]


@lab_scene()
async def test_a_correction_that_changes_nothing_is_refused_and_the_plan_goes_on(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    for text in ("no, the dock", "not the camera, the blue cup", "no, blah", "not ten, twenty"):
        refused = desk.say(text)
        assert refused.succeeded is False, text
        assert 'in "track the hand"; I go on with it: track the hand.' in refused.events[-1].text
    assert desk.running == ["track"]


@lab_scene()
async def test_another_operators_instruction_is_not_corrected(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    assert desk.say("no, the blue cup", who="bob").succeeded is False
    await desk.say_and_settle("no, show the blue cup", who="bob")
    assert [plan.words for plan in desk.supervisor.plans()] == ["track the hand", "show the blue cup"]


@lab_scene()
async def test_a_proposer_corrects_nothing(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    await desk.say_and_settle("no, the blue cup", who="ann", source=Source.PROPOSER)
    assert [plan.words for plan in desk.supervisor.plans()] == ["track the hand"]
    assert desk.running == ["track"]


@lab_scene()
async def test_while_a_question_is_open(desk: LabDesk) -> None:
    asked = await desk.say_and_settle("grab the hand", source=Source.SPEECH)
    corrected = await desk.say_and_settle("no, the blue cup", source=Source.SPEECH)
    assert asked.succeeded is False and "you have corrected it" in asked.events[-1].text
    assert corrected.events[-1].text == "Shall I grab the blue cup? (yes or no)"
    assert desk.stage.made == []
    desk.say("yes", source=Source.SPEECH)
    await desk.settle()
    assert desk.parameters("grab") == {"thing": "blue"}


@lab_scene()
async def test_a_spoken_correction_of_a_typed_instruction_is_a_spoken_one(desk: LabDesk) -> None:
    await desk.say_and_settle("grab the hand")
    assert desk.running == ["grab"]
    await desk.say_and_settle("no, the blue cup", source=Source.SPEECH)
    assert desk.running == []
    assert desk.supervisor.questions[0].text == "Shall I grab the blue cup?"
    desk.say("no")


@lab_scene()
async def test_a_typed_correction_of_what_was_heard_is_as_unsure_as_that(desk: LabDesk) -> None:
    await desk.say_and_settle("grab the hand", confidence=0.6)
    desk.say("yes")
    await desk.settle()
    await desk.say_and_settle("no, the blue cup")
    assert desk.running == []
    assert desk.supervisor.questions[0].text == "Shall I grab the blue cup?"
    await desk.say_and_settle("no, grab the blue cup")
    assert desk.running == ["grab"], "said as a whole, it is the operator's own"


@lab_scene()
async def test_no_stop_is_a_stop(desk: LabDesk) -> None:
    for text in ("no, stop!", "no stop", "sorry, stop everything", "no no stop"):
        await desk.say_and_settle("track the hand")
        await desk.say(text).done()
        assert desk.running == [], text
    await desk.say_and_settle("track the hand")
    assert desk.say("no, wait").succeeded
    assert desk.supervisor.plans()[0].state == "paused"


@lab_scene()
async def test_after_a_stop_nothing_is_corrected(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    await desk.say("stop").done()
    assert desk.say("no, the blue cup").succeeded is False
    assert desk.running == []


@lab_scene()
async def test_a_stop_while_the_last_plan_ends_starts_nothing(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    corrected = desk.say("no, the blue cup")
    await desk.say("stop").done()
    await desk.settle()
    assert corrected.succeeded is False and len(desk.stage.made) == 1


@lab_scene()
async def test_just_ended_counts_and_long_ago_does_not(desk: LabDesk) -> None:
    await desk.say_and_settle("wait ten")
    desk.of("wait").succeed()
    await asyncio.sleep(50.0)
    await desk.say_and_settle("no, twenty")
    assert desk.parameters("wait") == {"duration_s": 20.0}
    desk.of("wait").succeed()
    await asyncio.sleep(61.0)
    assert desk.say("no, ten").succeeded is False


@lab_scene()
async def test_pointing_once_more_corrects(desk: LabDesk) -> None:
    await desk.say_and_settle("track that", pointing=(Pointing("hand", 0.0),))
    await desk.say_and_settle("no, that", pointing=(Pointing("blue", desk.now_s()),))
    assert [plan.words for plan in desk.supervisor.plans()] == ["track the blue cup"]


@lab_scene()
async def test_a_correction_is_spelt_wrong_itself(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    reply = await desk.say_and_settle("no, the blue cub")
    assert 'Did you mean "blue cup" where you said "blue cub"?' in reply.events[-1].text
    desk.say("yes")
    await desk.settle()
    assert desk.parameters("track") == {"thing": "blue"}
    desk.lab.things["things"] = [HAND]


@lab_scene()
async def test_an_emergency_stop_keeps_a_correction_from_starting(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    reply = desk.say("no, the blue cup")
    desk.latch.latch("the button")
    await desk.settle()
    assert reply.succeeded is False and desk.running == [] and len(desk.stage.made) == 1


@lab_scene()
async def test_long_texts_are_corrected_in_bounded_time(desk: LabDesk) -> None:
    await desk.say_and_settle(" then ".join(["go"] * 60))
    desk.language.parsed.clear()
    assert desk.say("no, the blue cup").succeeded is False
    await desk.say_and_settle(" then ".join(["wait ten"] * 13))
    desk.say("no, twenty")
    assert len(desk.language.parsed) < 300
    desk.say("cancel")


@lab_scene()
async def test_who_has_joined_another_one_s_plan_does_not_end_it_by_a_correction(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    await desk.say_and_settle("track the hand", who="bob")
    assert len(desk.stage.made) == 1
    await desk.say_and_settle("no, go", who="bob")
    assert desk.of("track").cancelled_because == []
    assert "track the hand" in [plan.words for plan in desk.supervisor.plans()]


@lab_scene()
async def test_more_of_what_is_no_measure_is_not_about_what_was_done_last(desk: LabDesk) -> None:
    await desk.say_and_settle("wait ten", who="ann")
    before = len(desk.stage.made)
    await desk.say_and_settle("sing more", who="ann")
    assert len(desk.stage.made) == before
    assert desk.said[-1].text.startswith("I did not understand")


@pytest.mark.parametrize(
    "correction", ["no, the blue cup", "not the hand, the blue cup", "I mean the blue cup"]
)
def test_what_was_spoken_is_spoken_still_if_it_is_corrected_by_typing(correction: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("track the hand", source=Source.SPEECH, confidence=0.97)
        await desk.say_and_settle(correction)
        (plan,) = desk.supervisor.plans()
        assert plan.words == "track the blue cup" and plan.source is Source.SPEECH
        await desk.say("stop").done()

    scene()
