"""Several people with one robot: whose pause stays, who is meant by "carry on", whose "it" it is."""

from __future__ import annotations

from framework.plan import Cancel, Do, Parallel, Sequence
from framework.supervisor import EventKind
from framework.testing import VirtualLoop, run_on
from framework.tree.run import PlanState
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.lab import LabDesk, lab_scene
from tests.framework.tree.scripted import Kind

KEEPS = Kind("keep", continuous=True, retains=True, ready_after_s=0.01)


def states(desk: Desk) -> dict[str, PlanState]:
    return {plan.words: PlanState(plan.state) for plan in desk.supervisor.plans()}


@scene()
async def test_what_another_has_paused_stays_paused_beside_ones_own(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    assert desk.say("pause", who="ann").succeeded
    await desk.say_and_settle("b", who="bob")
    assert desk.say("pause plan 2", who="bob").succeeded
    await desk.settle()
    assert states(desk) == {"a": PlanState.PAUSED, "b": PlanState.PAUSED}
    said = desk.say("carry on", who="bob")
    await desk.settle()
    assert states(desk) == {"a": PlanState.PAUSED, "b": PlanState.RUNNING}
    assert any("as ann has said" in event.text for event in said.events)
    assert desk.say("carry on", who="bob").succeeded, "once more: then it is ann's that is meant"
    await desk.settle()
    assert states(desk) == {"a": PlanState.RUNNING, "b": PlanState.RUNNING}


@scene()
async def test_to_pause_what_is_paused_lets_nothing_else_rest(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    assert desk.say("pause", who="ann").succeeded
    await desk.say_and_settle("b", who="ann")
    said = desk.say("pause plan 1", who="bob")
    await desk.settle()
    assert states(desk) == {"a": PlanState.PAUSED, "b": PlanState.RUNNING}
    assert any("is paused already" in event.text for event in said.events)


@lab_scene()
async def test_to_pause_what_is_not_being_done_ends_nothing_that_is_paused(desk: LabDesk) -> None:
    await desk.say_and_settle("drive", who="ann")
    desk.say("pause", who="ann")
    said = desk.say("pause track", who="bob")
    await desk.settle()
    assert [plan.state for plan in desk.supervisor.plans()] == [PlanState.PAUSED]
    assert any('"track" is not being done' in event.text for event in said.events)


@scene()
async def test_what_only_others_have_paused_goes_on_at_the_first_word(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    desk.say("pause", who="ann")
    await desk.settle()
    assert desk.say("carry on", who="bob").succeeded
    await desk.settle()
    assert states(desk) == {"a": PlanState.RUNNING}


@scene(KEEPS)
async def test_what_others_have_paused_stays_so_when_one_gives_back_what_one_kept(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    desk.say("pause", who="ann")
    await desk.say_and_settle("keep", who="bob")
    assert await desk.say("carry on", who="bob").done()
    await desk.settle()
    assert states(desk) == {"a": PlanState.PAUSED}, "bob's word was for what bob kept"


@scene(KEEPS)
async def test_what_is_kept_and_paused_goes_on_by_carry_on_and_is_not_ended_by_it(desk: Desk) -> None:
    await desk.say_and_settle("keep", who="ann")
    desk.say("pause", who="ann")
    await desk.settle()
    assert desk.say("carry on", who="ann").succeeded
    await desk.settle()
    assert states(desk) == {"keep": PlanState.ESTABLISHED}


@scene()
async def test_what_goes_on_is_established_once(desk: Desk) -> None:
    await desk.say_and_settle("stays")
    desk.of("stays").ready()
    await desk.settle()
    desk.say("pause")
    await desk.settle()
    desk.say("carry on")
    await desk.settle()
    desk.of("stays").ready()
    await desk.settle()
    assert len(desk.texts(EventKind.ESTABLISHED)) == 1


@scene(Kind("slow", end_takes_s=1.0))
async def test_what_is_ending_already_is_not_meant(desk: Desk) -> None:
    await desk.say_and_settle("slow", who="ann")
    ending = desk.say("cancel slow", who="ann")
    refused = desk.say("cancel slow", who="bob")
    assert refused.succeeded is False and "is not being done" in refused.events[-1].text
    assert await ending.done()
    assert desk.of("slow").cancelled_because == ["cancelled by ann"]


@scene()
async def test_a_plan_that_ends_everything_else_goes_on_itself(desk: Desk) -> None:
    await desk.say_and_settle("a")
    reply = desk.supervisor.carry_out(Sequence((Cancel(""), Do("b"))))
    await desk.settle()
    assert desk.running == ["b"]
    desk.of("b").succeed()
    assert await reply.done()
    assert states(desk) == {}


@scene()
async def test_an_answer_that_is_none_does_not_carry_an_action_on(desk: Desk) -> None:
    await desk.say_and_settle("a", who="ann")
    desk.of("a").ask("take the arm?")
    await desk.settle()
    (question,) = desk.supervisor.questions
    assert desk.supervisor.answer(question.id, 2, "ann").succeeded is False
    assert desk.of("a").answers == [] and desk.supervisor.questions == (question,)


@scene()
async def test_a_stop_by_another_process_is_not_taken_back_by_an_answer_to_the_one_before(desk: Desk) -> None:
    desk.say("emergency stop")
    reply = await desk.say_and_settle("reset")
    desk.latch.latch("the button")  # nobody has looked since
    desk.say("yes")
    assert desk.latch.is_latched and desk.latch.reason == "the button"
    assert reply.succeeded is False


@scene(Kind("stubborn", ignores_cancel=True))
async def test_a_stop_leaves_no_question_open_of_an_action_that_does_not_end(desk: Desk) -> None:
    await desk.say_and_settle("stubborn", who="ann")
    desk.of("stubborn").ask("shall I?")
    await desk.settle()
    desk.say("stop", who="ann")
    assert desk.supervisor.questions == ()
    assert desk.say("yes", who="ann").succeeded is False
    assert desk.of("stubborn").answers == []


@scene()
async def test_no_and_yes_in_one_breath_is_no_yes(desk: Desk) -> None:
    asked = await desk.say_and_settle("either", who="ann")
    assert desk.say("no, yes", who="ann").succeeded is False
    await desk.settle()
    assert desk.stage.made == [] and asked.succeeded is not True


@lab_scene()
async def test_it_is_never_what_somebody_elses_plan_has_found(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="bob")
    desk.of("track").ready("hand")
    await desk.settle()
    refused = await desk.say_and_settle("show it", who="ann")
    assert refused.succeeded is False and not desk.stage.has_run("show")
    await desk.say_and_settle("show it", who="bob")
    assert desk.stage.has_run("show")


def test_a_supervisor_that_is_closed_begins_nothing_for_a_program_either() -> None:
    async def main() -> None:
        desk = Desk()
        async with desk.supervisor:
            pass
        assert desk.supervisor.carry_out(Do("a")).succeeded is False
        await desk.settle()
        assert desk.stage.made == []

    loop = VirtualLoop()
    run_on(loop, main)
    assert loop.leftovers == ()


@scene()
async def test_two_that_run_beside_each_other_are_both_joined(desk: Desk) -> None:
    first = desk.supervisor.carry_out(Parallel((Do("a"), Do("b"))))
    await desk.settle()
    second = desk.supervisor.carry_out(Parallel((Do("a"), Do("b"))))
    desk.of("a").succeed()
    desk.of("b").succeed()
    assert await first.done() and await second.done()


@scene()
async def test_to_say_the_same_again_carries_on_what_is_paused_unless_another_has_paused_it(
    desk: Desk,
) -> None:
    await desk.say_and_settle("a", who="ann")
    desk.say("pause", who="ann")
    await desk.settle()
    said = await desk.say_and_settle("a", who="bob")
    assert states(desk) == {"a": PlanState.PAUSED}
    assert "as ann has said" in said.events[1].text
    await desk.say_and_settle("a", who="ann")
    assert states(desk) == {"a": PlanState.RUNNING}
