"""Words that a plan waits for, and what is being done as a condition."""

from __future__ import annotations

import asyncio

import pytest

from framework.plan import Do, Sequence, Source, State, Wait, While
from framework.supervisor import EventKind
from tests.framework.supervisor.lab import LabDesk, lab_scene


@pytest.mark.parametrize("said", ["enough", "Enough!", "please, enough", "ENOUGH now"])
def test_until_i_say(said: str) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        reply = await desk.say_and_settle("show the hand until I say enough", who="ann")
        assert desk.running == ["show"]
        heard = desk.say(said, who="ann")
        assert heard.succeeded is True
        assert (heard.events[-1].kind, heard.events[-1].text) == (EventKind.ANSWERED, 'I heard "enough".')
        await desk.settle()
        assert desk.running == [] and await reply.done()
        # Nobody waits for it any more.
        assert desk.say("enough", who="ann").succeeded is False

    scene()


@lab_scene()
async def test_only_the_plans_own_operator_is_listened_to(desk: LabDesk) -> None:
    await desk.say_and_settle("show the hand until I say enough", who="ann")
    refused = desk.say("enough", who="bob")
    assert refused.succeeded is False and refused.events[-1].kind is EventKind.REFUSED
    assert desk.say("enough enough", who="ann").succeeded is False
    assert desk.say("enough", who="ann", source=Source.PROPOSER).succeeded is False
    assert desk.running == ["show"]
    await desk.say_and_settle("show the blue cup until I say enough", who="")
    assert desk.say("enough", who="bob").succeeded is True
    await desk.settle()
    assert [plan.who for plan in desk.supervisor.plans()] == ["ann"]


@lab_scene()
async def test_what_was_said_before_does_not_count(desk: LabDesk) -> None:
    await desk.say_and_settle("go then wait until I say enough then track the hand")
    assert desk.say("enough").succeeded is False
    desk.of("go").succeed()
    await desk.settle()
    assert desk.running == []
    assert desk.say("enough").succeeded is True
    await desk.settle()
    assert desk.running == ["track"]


@lab_scene()
async def test_twice_in_one_plan_waits_twice(desk: LabDesk) -> None:
    await desk.say_and_settle("wait until I say next then go then wait until I say next then track the hand")
    assert desk.say("next").succeeded
    await desk.settle()
    assert desk.running == ["go"]
    desk.of("go").succeed()
    await desk.settle()
    assert desk.running == []
    assert desk.say("next").succeeded
    await desk.settle()
    assert desk.running == ["track"]


@lab_scene()
async def test_stop_is_never_kept_waiting(desk: LabDesk) -> None:
    await desk.say_and_settle("show the hand until I say stop")
    await desk.say_and_settle("go")
    assert await desk.say("stop").done()
    assert desk.running == []


@lab_scene()
async def test_an_awaited_command_is_heard_and_not_carried_out(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    await desk.say_and_settle("wait until I say pause then track the hand")
    desk.say("pause")
    await desk.settle()
    assert desk.running == ["go", "track"]
    assert desk.texts(EventKind.PAUSED) == []


@lab_scene()
async def test_an_answer_comes_before_an_awaited_word(desk: LabDesk) -> None:
    await desk.say_and_settle("wait until I say yes then track the hand")
    await desk.say_and_settle("go", confidence=0.5)
    desk.say("yes")
    await desk.settle()
    assert desk.running == ["go"]
    desk.say("yes")
    await desk.settle()
    assert desk.running == ["go", "track"]


@lab_scene()
async def test_a_word_that_was_not_heard_clearly_is_confirmed(desk: LabDesk) -> None:
    await desk.say_and_settle("wait until I say enough then danger")
    asked = desk.say("enough", source=Source.SPEECH, confidence=0.6)
    assert asked.events[-1].text == 'Did you say "enough"? (yes or no)'
    await desk.settle()
    assert desk.running == []
    desk.say("yes")
    await desk.settle()
    assert desk.running == ["danger"] and asked.succeeded is True


@lab_scene()
async def test_one_word_carries_all_plans_that_wait_for_it(desk: LabDesk) -> None:
    await desk.say_and_settle("wait until I say enough then track the hand")
    await desk.say_and_settle("wait until I say enough then go")
    desk.say("enough")
    await desk.settle()
    assert sorted(desk.running) == ["go", "track"]


@lab_scene()
async def test_waiting_for_what_runs(desk: LabDesk) -> None:
    waiting = Sequence((Wait(State("running", {"what": "track"})), Do("go")))
    desk.supervisor.carry_out(waiting)
    await desk.settle()
    assert desk.running == []
    await desk.say_and_settle("track the hand")
    assert desk.running == ["track", "go"]


@lab_scene()
async def test_as_long_as_something_runs(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    body = While(Do("show", {"what": "hand"}), State("running", {"what": "tracking the hand"}))
    reply = desk.supervisor.carry_out(body)
    await desk.settle()
    assert desk.running == ["track", "show"]
    await desk.say("cancel track").done()
    await desk.settle()
    assert desk.running == [] and await reply.done()
    until_idle = Sequence((Wait(State("running", {"what": "track"}, is_so=False)), Do("go")))
    desk.supervisor.carry_out(until_idle)
    await desk.settle()
    assert desk.running == ["go"]


@lab_scene()
async def test_other_conditions_are_read_by_the_installation(desk: LabDesk) -> None:
    desk.supervisor.carry_out(Sequence((Wait(State("open", {"thing": "door"})), Do("go"))))
    await desk.settle()
    desk.facts.set(open=True)
    await desk.settle()
    assert desk.running == ["go"]
    await asyncio.sleep(0)


@lab_scene()
async def test_as_long_as_i_have_not_said_it(desk: LabDesk) -> None:
    not_said = State("said", {"words": "enough"}, is_so=False)
    desk.supervisor.carry_out(While(Do("show", {"what": "hand"}), not_said))
    await desk.settle()
    assert desk.running == ["show"]
    assert desk.say("enough").succeeded is True
    await desk.settle()
    assert desk.running == []
