"""Instructions from people: carried out, refused, stopped, paused, asked back; and always answered."""

from __future__ import annotations

import asyncio

import pytest

from framework.errors import PlanError
from framework.plan import Do, Source
from framework.plugins.action import Risk
from framework.supervisor import EventKind
from framework.testing import VirtualLoop, run, run_on
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind

SLOW = Kind("slow", end_takes_s=1.0)
DEAF = Kind("deaf", ignores_cancel=True)
DANGER = Kind("danger", risk=Risk.DANGEROUS)


@scene()
async def test_an_instruction_is_heard_understood_started_and_done(desk: Desk) -> None:
    reply = await desk.say_and_settle("a", who="ann")
    assert desk.running == ["a"]
    desk.of("a").succeed()
    assert await reply.done()
    kinds = [event.kind for event in reply.events]
    assert kinds == [EventKind.HEARD, EventKind.UNDERSTOOD, EventKind.STARTED, EventKind.ENDED]
    assert [event async for event in reply] == reply.events
    assert {event.who for event in reply.events} == {"ann"}
    assert [event.kind for event in desk.supervisor.journal("1")] == kinds[2:]
    assert desk.supervisor.ended_plans()[0].state == "succeeded"


@scene()
async def test_a_continuous_plan_is_settled_when_it_is_established(desk: Desk) -> None:
    reply = await desk.say_and_settle("stays")
    assert reply.succeeded is None
    desk.of("stays").ready()
    assert await reply.done()
    assert reply.events[-1].kind is EventKind.ESTABLISHED
    assert desk.running == ["stays"]


@scene()
async def test_a_failure_is_told_in_words(desk: Desk) -> None:
    reply = await desk.say_and_settle("a")
    desk.of("a").fail("the last camera died")
    assert not await reply.done()
    assert reply.events[-1].text == "That did not work: a. The last camera died."


@scene()
async def test_a_failure_does_not_say_twice_what_has_failed(desk: Desk) -> None:
    reply = await desk.say_and_settle("a")
    desk.of("a").fail("a failed: front_camera is unplugged", "front_camera is unplugged")
    assert not await reply.done()
    assert reply.events[-1].text == "That did not work: a. front_camera is unplugged."


@scene(Kind("gone", unavailable="its module is broken"))
async def test_what_cannot_be_done_is_refused_and_changes_nothing(desk: Desk) -> None:
    for text, words in [
        ("dance", "could begin with"),
        ("gone", "unavailable: its module is broken"),
        ("crash", "parser failed"),
        ("", "heard nothing"),
        (" \t\n\x00\x1b ", "heard nothing"),
        ("?!", "did not understand"),
    ]:
        reply = desk.say(text)
        assert reply.succeeded is False
        assert words in reply.events[-1].text, text
        assert reply.events[-1].kind is EventKind.REFUSED
    assert desk.supervisor.plans() == ()


@scene()
async def test_endless_text_is_refused_without_asking_the_parser(desk: Desk) -> None:
    for text in ["word " * 10_000, "stop " * 10_000, "x" * 1_000_000, "\x00" * 5000, "🦾" * 3000]:
        reply = desk.say(text)
        assert reply.succeeded is False
        assert len(reply.events[0].text) < 300
        counted = "10000 words; 200" if " " in text else f"{len(text)} characters; 2000"
        is_empty = not text.strip("\x00")
        assert (f"too long: {counted} are the most", "heard nothing")[is_empty] in reply.events[-1].text
    assert desk.words.asked == 0


@scene()
async def test_control_characters_are_not_repeated(desk: Desk) -> None:
    reply = await desk.say_and_settle("\x1b]0;a\x07\u202e\u200b")
    assert all(character.isprintable() for event in reply.events for character in event.text)
    reply = await desk.say_and_settle("\x00 a \r\n")
    assert desk.running == ["a"]


@scene()
async def test_several_plans_run_at_once(desk: Desk) -> None:
    await desk.say_and_settle("a")
    await desk.say_and_settle("b and c")
    assert desk.running == ["a", "b", "c"]
    assert [plan.words for plan in desk.supervisor.plans()] == ["a", "b and c"]


@scene(Kind("drive", alone="the right arm"), Kind("track", alone="the right arm"))
async def test_a_collision_is_said_with_who_has_it(desk: Desk) -> None:
    await desk.say_and_settle("drive")
    reply = await desk.say_and_settle("track")
    assert any("needs the right arm, which is in use: drive" in event.text for event in reply.events)


@scene()
async def test_the_same_instruction_twice_is_done_once(desk: Desk) -> None:
    first = await desk.say_and_settle("stays")
    second = await desk.say_and_settle("stays")
    assert len(desk.stage.made) == 1
    assert "already" in second.events[-1].text
    desk.of("stays").ready()
    assert await first.done() and await second.done()
    third = desk.say("stays")
    assert third.succeeded is True
    await desk.say("stop").done()
    await desk.say_and_settle("stays")
    assert len(desk.stage.made) == 2


@scene(SLOW)
async def test_stop_ends_everything_and_waits_until_it_is_at_rest(desk: Desk) -> None:
    started = await desk.say_and_settle("slow")
    await desk.say_and_settle("a then b")
    stopped = desk.say("STOP!!")
    assert desk.of("a").cancelled_because == ["stopped by the operator"]
    assert stopped.succeeded is None
    assert await stopped.done()
    assert desk.running == []
    assert started.succeeded is False
    assert stopped.events[-1].text == "All is at rest."


@scene()
async def test_stop_with_nothing_to_stop_is_fine(desk: Desk) -> None:
    assert desk.say("stop").succeeded is True


@scene()
async def test_stop_while_starting(desk: Desk) -> None:
    started = desk.say("a and b")
    stopped = desk.say("stop")
    assert await stopped.done()
    assert started.succeeded is False
    assert desk.stage.made == []


@scene(SLOW)
async def test_stop_during_stop_is_settled_too(desk: Desk) -> None:
    await desk.say_and_settle("slow")
    first = desk.say("stop")
    await desk.settle()
    second = desk.say("stop")
    assert await second.done() and await first.done()
    assert desk.of("slow").cancelled_because == ["stopped by the operator"]


@scene(DEAF)
async def test_stop_is_bounded(desk: Desk) -> None:
    await desk.say_and_settle("deaf")
    begun_s = asyncio.get_running_loop().time()
    await desk.say("stop").done()
    assert asyncio.get_running_loop().time() - begun_s < 3.0
    assert any("abandoned" in text for text in desk.texts(EventKind.ERROR))


def test_an_action_that_never_ends_does_not_hang_anybody() -> None:
    async def main() -> None:
        desk = Desk(Kind("dead", ignores_everything=True))
        async with desk.supervisor:
            await desk.say_and_settle("dead")
            assert await desk.say("stop").done() is False
            assert desk.supervisor.plans() == ()
            again = await desk.say_and_settle("a")
            assert desk.running == ["dead", "a"]
        assert again.succeeded is False
        desk.of("dead").succeed()
        await desk.settle()

    run(main)


@scene()
async def test_leaving_settles_every_reply(desk: Desk) -> None:
    desk.say("danger")
    await desk.say_and_settle("a")
    desk.say("cancel a")


@scene()
async def test_cancel_one_of_several_by_name(desk: Desk) -> None:
    await desk.say_and_settle("a")
    await desk.say_and_settle("b then c")
    await desk.say_and_settle("stays")
    reply = desk.say("cancel b")
    assert await reply.done()
    await desk.settle()
    assert desk.running == ["a", "stays", "c"]
    assert await desk.say("stop staying").done()
    assert await desk.say("cancel plan 1").done()
    assert desk.running == ["c"]
    reply = desk.say("cancel dancing")
    assert reply.succeeded is False
    assert "I am doing this: b, then c" in reply.events[-1].text
    assert await desk.say("cancel").done()
    assert desk.running == []


@scene()
async def test_cancel_without_a_name_asks_which(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    await desk.say_and_settle("b", who="ann")
    asked = await desk.say_and_settle("cancel", who="ann")
    assert asked.succeeded is None
    assert "1: a, 2: b, 3: all of these" in asked.events[-1].text
    refused = desk.say("the second", who="bob")
    assert refused.succeeded is False
    assert "ann is asked" in refused.events[-1].text
    assert desk.say("yes", who="ann").succeeded is False
    assert desk.say("7", who="ann").succeeded is False
    assert desk.say("the second one", who="ann").succeeded is True
    assert await asked.done()
    assert desk.running == ["a"]


@scene(Kind("stop_at_the_door"))
async def test_words_like_stop_may_belong_to_an_action(desk: Desk) -> None:
    await desk.say_and_settle("stop at the door")
    assert desk.running == ["stop_at_the_door"]


@scene()
async def test_pause_and_carry_on(desk: Desk) -> None:
    await desk.say_and_settle("a then b")
    assert desk.say("pause").succeeded
    await desk.settle()
    assert desk.of("a").state == "paused"
    assert desk.say("pause").succeeded is False
    desk.of("a").succeed()
    await desk.settle()
    assert desk.running == []
    assert "I have paused" in desk.supervisor.what_is_done()
    assert desk.say("carry on").succeeded
    await desk.settle()
    assert desk.running == ["b"]
    assert desk.say("carry on").succeeded is False
    assert desk.texts(EventKind.PAUSED) == ["I pause: a, then b."]
    assert desk.texts(EventKind.RESUMED) == ["I carry on: a, then b."]


@scene()
async def test_a_paused_plan_can_be_stopped(desk: Desk) -> None:
    await desk.say_and_settle("a")
    desk.say("pause")
    assert await desk.say("stop").done()
    assert desk.running == []


@scene()
async def test_what_are_you_doing(desk: Desk) -> None:
    assert "I am doing nothing." in desk.say("What are you doing?").events[-1].text
    await desk.say_and_settle("stays")
    desk.of("stays").ready()
    await desk.say_and_settle("a and b")
    answer = desk.say("what are you doing?").events[-1]
    assert answer.kind is EventKind.ANSWERED
    assert answer.text == (
        "I am staysing (stays is ready). "
        "I am doing this: a and b (a is running: a runs; b is running: b runs)."
    )


@scene()
async def test_an_action_asks_and_is_answered_by_its_operator(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    desk.of("a").ask("I cannot grasp the cup: take the arm?")
    await desk.settle()
    hint = 'say "carry on", or answer in words; I wait'
    assert desk.texts(EventKind.ASKED) == [f"I cannot grasp the cup: take the arm? ({hint})"]
    assert desk.say("carry on", who="bob").succeeded is False
    assert desk.say("carry on", who="ann").succeeded is True
    assert desk.of("a").answers == ["carry on"]
    desk.of("a").ask("again?")
    assert desk.say("no", who="ann").succeeded is True
    assert desk.of("a").answers == ["carry on", "no"]


@scene()
async def test_yes_without_a_question(desk: Desk) -> None:
    assert "not asked you anything" in desk.say("yes").events[-1].text


@scene()
async def test_an_ambiguous_text_is_asked_about(desk: Desk) -> None:
    reply = await desk.say_and_settle("either")
    assert reply.events[-1].text == "What do you mean? 1: a, 2: b"
    assert desk.running == []
    desk.say("2")
    await desk.settle()
    assert desk.running == ["b"]
    desk.of("b").succeed()
    assert await reply.done()


@scene(DANGER)
async def test_a_dangerous_action_is_confirmed_unless_somebody_typed_it(desk: Desk) -> None:
    await desk.say_and_settle("danger", source=Source.TYPED)
    assert desk.running == ["danger"]
    await desk.say("stop").done()
    for wishes in ({"source": Source.SPEECH}, {"source": Source.GESTURE}, {"confidence": 0.8}):
        reply = await desk.say_and_settle("danger", **wishes)
        assert reply.events[-1].text == "Shall I danger? (yes or no)"
        assert desk.running == []
        desk.say("no")
        assert reply.succeeded is False
    await desk.say_and_settle("danger", source=Source.SPEECH)
    desk.say("yes", source=Source.SPEECH)
    await desk.settle()
    assert desk.running == ["danger"]


@scene(DANGER)
async def test_a_proposal_is_always_confirmed(desk: Desk) -> None:
    reply = desk.supervisor.carry_out(Do("a"), Source.PROPOSER)
    await desk.settle()
    assert reply.succeeded is None and desk.running == []
    assert desk.supervisor.questions[0].text == "That is a proposal, not what you said. Shall I a?"


@scene()
async def test_a_proposer_commands_and_confirms_nothing(desk: Desk) -> None:
    await desk.say_and_settle("a")
    asked = await desk.say_and_settle("either")
    for text in ("stop", "pause", "1", "yes", "reset", "emergency stop"):
        assert desk.say(text, source=Source.PROPOSER).succeeded is False
    await desk.settle()
    assert desk.running == ["a"] and asked.succeeded is None and not desk.latch.is_latched


def test_after_closing_nothing_starts_but_the_emergency_stop_still_works() -> None:
    async def main() -> None:
        desk = Desk(DANGER)
        async with desk.supervisor:
            await desk.say_and_settle("a")
        for text in ("a", "either", "danger", "stop", "reset", "what are you doing?"):
            assert desk.say(text, source=Source.SPEECH).succeeded is False
        assert desk.supervisor.carry_out(Do("a")).succeeded is False
        assert await desk.say("emergency stop").done()
        assert desk.latch.is_latched
        assert len(desk.stage.made) == 1

    loop = VirtualLoop()
    run_on(loop, main)
    assert loop.leftovers == ()


@scene()
async def test_progress_does_not_flood_the_history(desk: Desk) -> None:
    reply = await desk.say_and_settle("a")
    for number in range(1000):
        desk.of("a").progress(number / 1000)
        await asyncio.sleep(0.01)
    told = [event.data["fraction"] for event in desk.said if "fraction" in event.data]
    assert 18 <= len(told) <= 22
    desk.of("a").say("the door is stuck")
    assert desk.said[-1].text == "the door is stuck"
    desk.of("a").progress(1.0)
    assert desk.said[-1].text == "100% done"
    desk.of("a").succeed()
    assert await reply.done()


@scene()
async def test_no_answer_in_time_is_a_no(desk: Desk) -> None:
    reply = await desk.say_and_settle("either")
    await asyncio.sleep(15.0)
    assert await reply.done() is False
    assert "no answer came within 15 s" in reply.events[-1].text
    assert desk.say("1").succeeded is False


@scene()
async def test_stop_withdraws_questions(desk: Desk) -> None:
    reply = await desk.say_and_settle("either")
    desk.say("stop")
    assert reply.succeeded is False
    desk.say("1")
    await desk.settle()
    assert desk.stage.made == []


# -- actions that end others


@scene()
async def test_an_action_ends_others_but_not_itself(desk: Desk) -> None:
    await desk.say_and_settle("a")
    await desk.say_and_settle("b and c")
    service = desk.stage.service
    assert service is not None
    assert service.stop("", asked_by="b") == ("a",)
    await desk.settle()
    assert desk.running == ["b", "c"]
    assert service.stop("c", asked_by="b") == ("c",)
    await desk.settle()
    assert desk.running == ["b"]
    with pytest.raises(PlanError, match="is not being done; I am doing this: b and c"):
        service.stop("dance", asked_by="b")
    assert service.stop("", asked_by="b") == ()


# -- the emergency stop


@scene(SLOW)
async def test_emergency_stop_in_words_latches_first_and_ends_all(desk: Desk) -> None:
    await desk.say_and_settle("slow", who="ann")
    reply = desk.say("Emergency stop!", who="bob")
    assert desk.latch.is_latched
    assert desk.of("slow").cancelled_because == ['emergency stop: "Emergency stop!" was said by bob']
    assert await reply.done()
    assert desk.running == []
    refused = desk.say("a")
    assert refused.succeeded is False
    assert 'say "reset" first' in refused.events[-1].text
    assert "The emergency stop is set" in desk.supervisor.what_is_done()


@scene()
async def test_resetting_is_confirmed_and_starts_nothing(desk: Desk) -> None:
    await desk.say_and_settle("stays")
    await desk.say("emergency stop").done()
    assert desk.say("reset", source=Source.SPEECH).succeeded is False
    reply = desk.say("reset", who="ann")
    assert "Take back the emergency stop" in reply.events[-1].text
    assert desk.say("yes", who="bob").succeeded is False
    assert desk.say("yes", who="ann", source=Source.SPEECH).succeeded is False
    assert desk.latch.is_latched
    desk.say("yes", who="ann")
    assert reply.succeeded is True and not desk.latch.is_latched
    await asyncio.sleep(5.0)
    assert desk.running == [] and len(desk.stage.made) == 1
    assert len(desk.texts(EventKind.RESET)) == 1
    await desk.say_and_settle("a")
    assert desk.running == ["a"]


@scene()
async def test_a_second_stop_is_not_reset_by_the_answer_to_the_first(desk: Desk) -> None:
    desk.say("emergency stop")
    reply = await desk.say_and_settle("reset")
    desk.latch.latch("the button")
    desk.supervisor.look_at_emergency()
    desk.say("yes")
    assert desk.latch.is_latched and desk.latch.reason == "the button"
    assert reply.succeeded is False


@scene()
async def test_another_process_latches_and_resets(desk: Desk) -> None:
    await desk.say_and_settle("a")
    desk.latch.latch("the command line")
    await desk.settle()
    assert desk.running == []
    assert any("the command line" in text for text in desk.texts(EventKind.EMERGENCY))
    desk.latch.reset(desk.latch.token)
    await desk.settle()
    assert len(desk.texts(EventKind.RESET)) == 1
    assert desk.running == []


@scene()
async def test_between_two_looks_nothing_starts_either(desk: Desk) -> None:
    desk.latch.latch("the button")
    assert desk.say("a").succeeded is False
    await desk.settle()
    assert desk.stage.made == []


@scene(DANGER)
async def test_a_yes_starts_nothing_when_somebody_has_just_latched(desk: Desk) -> None:
    reply = await desk.say_and_settle("danger", source=Source.SPEECH)
    desk.latch.latch("the button")
    desk.say("yes")
    await desk.settle()
    assert desk.stage.made == []
    assert reply.succeeded is False


@scene()
async def test_a_plan_waiting_for_a_yes_does_not_start_while_latched(desk: Desk) -> None:
    reply = await desk.say_and_settle("either")
    desk.latch.latch("the button")
    desk.say("1")
    await desk.settle()
    assert desk.stage.made == []
    assert reply.succeeded is False


@scene()
async def test_a_latch_that_fails_stops_the_plans_all_the_same_and_is_shouted(desk: Desk) -> None:
    await desk.say_and_settle("a")
    desk.latch.breaks = True
    reply = desk.supervisor.emergency_stop("test")
    await reply.done()
    assert desk.running == []
    assert any("COULD NOT BE SET" in text for text in desk.texts(EventKind.ERROR))


@scene()
async def test_reset_by_a_confirmed_command(desk: Desk) -> None:
    assert desk.supervisor.reset_emergency("ann").succeeded is False
    desk.supervisor.emergency_stop("test")
    assert desk.supervisor.reset_emergency("ann").succeeded is True
    assert "Confirmed by ann" in desk.texts(EventKind.RESET)[0]
