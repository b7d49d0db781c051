""" "Do that again": the last instruction of the same operator, through the same checks."""

from __future__ import annotations

import asyncio

import pytest

from framework.errors import PlanError
from framework.plan import Source
from tests.framework.supervisor.lab import LabDesk, lab_scene


async def repeat(desk: LabDesk, times: int = 1, asked_by: str = "again") -> str:
    assert desk.stage.service is not None
    return await desk.stage.service.repeat(times, asked_by=asked_by)


async def again(desk: LabDesk, who: str = "ann", times: int = 1, **wishes: object) -> asyncio.Task[str]:
    """An operator says it, and the action asks for it."""
    await desk.say_and_settle("again", who=who, **wishes)
    task = asyncio.create_task(repeat(desk, times))
    await desk.settle()
    return task


@lab_scene()
async def test_the_last_instruction_is_done_again(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    await desk.say_and_settle("track the hand", who="bob")
    task = await again(desk)
    assert desk.running == ["track", "again", "go"]
    assert not task.done()
    desk.of("go").succeed()
    assert await task == "go"


@lab_scene()
async def test_several_times_one_after_the_other(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    task = await again(desk, times=3)
    assert desk.running == ["go", "again"], "what still runs ends first"
    for number in range(4):
        assert len([runner for runner in desk.stage.made if runner.kind.name == "go"]) == number + 1
        assert not task.done()
        desk.of("go").succeed()
        await desk.settle()
    assert await task == "go"


@lab_scene()
async def test_what_still_runs_is_given_all_the_time_it_takes(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    task = await again(desk)
    await asyncio.sleep(3600.0)
    assert desk.running == ["go", "again"] and len(desk.stage.made) == 2
    desk.of("go").succeed()
    await desk.settle()
    desk.of("go").succeed()
    assert await task == "go"


@lab_scene()
async def test_what_is_ended_while_it_is_waited_for_is_not_done_again(desk: LabDesk) -> None:
    await desk.say_and_settle("drive", who="ann")
    task = await again(desk)
    assert await desk.say("cancel the drive", who="ann").done()
    with pytest.raises(PlanError, match="drive is not done again: that was ended"):
        await task
    assert "drive" not in desk.running
    desk.of("again").succeed()
    await desk.settle()
    task = await again(desk)  # what was ended before that was said, is wanted anew
    assert "drive" in desk.running
    desk.of("drive").succeed()
    assert await task == "drive"


@lab_scene()
async def test_what_another_operator_does_just_now_is_joined_and_stays_theirs(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    await desk.settle()
    await desk.say_and_settle("go", who="bob")
    task = await again(desk, times=2)
    assert [plan.who for plan in desk.supervisor.plans()] == ["bob", "ann"]
    desk.of("go").succeed()
    await desk.settle()
    assert [plan.who for plan in desk.supervisor.plans()] == ["ann", "ann"]
    desk.of("go").succeed()
    assert await task == "go"


@lab_scene()
async def test_again_twice_means_the_same_both_times(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    for _ in range(2):
        task = await again(desk)
        desk.of("go").succeed()
        assert await task == "go"
        desk.of("again").succeed()
        await desk.settle()


@lab_scene()
async def test_what_is_established_is_not_started_twice(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    task = await again(desk, times=5)
    assert await task == "track the hand"
    assert desk.running == ["track", "again"]


@lab_scene()
async def test_there_may_be_nothing_to_repeat(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="bob")
    with pytest.raises(PlanError, match="nothing to repeat"):
        await (await again(desk))
    with pytest.raises(PlanError, match="nothing to repeat"):
        await repeat(desk, asked_by="nobody")
    for times in (0, -1, 101):
        with pytest.raises(PlanError, match="cannot be repeated"):
            await repeat(desk, times)


@lab_scene()
async def test_what_was_refused_or_not_confirmed_is_nothing_to_repeat(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    await desk.say_and_settle("danger", source=Source.SPEECH, who="ann")
    desk.say("no", who="ann")
    desk.say("nonsense", who="ann")
    task = await again(desk)
    assert desk.running == ["again", "go"]
    desk.of("go").succeed()
    await task


@lab_scene()
async def test_a_dangerous_one_needs_its_yes_again(desk: LabDesk) -> None:
    await desk.say_and_settle("danger", who="ann", source=Source.SPEECH)
    desk.say("yes", who="ann", source=Source.SPEECH)
    await desk.settle()
    desk.of("danger").succeed()
    task = await again(desk)
    assert desk.running == ["again"]
    assert [question.text for question in desk.supervisor.questions] == ["Shall I danger?"]
    desk.say("no", who="ann")
    with pytest.raises(PlanError, match="danger was not done again: I leave it"):
        await task


@lab_scene()
async def test_a_spoken_again_of_a_typed_danger_is_confirmed(desk: LabDesk) -> None:
    await desk.say_and_settle("danger", who="ann")
    desk.of("danger").succeed()
    task = await again(desk, source=Source.SPEECH)
    assert desk.running == ["again"]
    desk.say("yes", who="ann", source=Source.SPEECH)
    await desk.settle()
    assert desk.running == ["again", "danger"]
    desk.of("danger").fail("it is stuck")
    with pytest.raises(PlanError, match=r"That did not work: danger\. It is stuck"):
        await task


@lab_scene()
async def test_what_is_not_there_any_more_is_not_repeated(desk: LabDesk) -> None:
    await desk.say_and_settle("put the hand the dock", who="ann")
    desk.of("put").succeed()
    desk.lab.things["things"] = []
    with pytest.raises(PlanError, match="Something has changed"):
        await (await again(desk))


@lab_scene()
async def test_ending_the_repetition_ends_what_it_started(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    task = await again(desk)
    task.cancel()
    await desk.settle()
    assert desk.running == ["again"]
    await desk.say_and_settle("danger", who="ann", source=Source.SPEECH)
    desk.say("yes", who="ann")
    await desk.settle()
    desk.of("danger").succeed()
    task = await again(desk)
    task.cancel()
    await desk.settle()
    assert desk.supervisor.questions == ()


@lab_scene()
async def test_a_stop_ends_it(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    task = await again(desk, times=10)
    await desk.say("stop").done()
    await desk.settle()
    assert desk.running == []
    with pytest.raises(PlanError, match="go is not done again: you have ended that"):
        await task


@lab_scene()
async def test_an_emergency_stop_keeps_it_from_starting(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann")
    desk.of("go").succeed()
    await desk.say_and_settle("again", who="ann")
    desk.latch.latch("the button")
    with pytest.raises(PlanError):
        await repeat(desk)
    assert len(desk.stage.made) == 2


async def stopped_and_reset(desk: LabDesk) -> None:
    desk.latch.latch("the button")
    await desk.settle()
    assert desk.running == []
    desk.latch.reset(desk.latch.token)
    await desk.settle()


@pytest.mark.parametrize("was_over", [False, True])
@pytest.mark.parametrize("source", [Source.TYPED, Source.SPEECH])
def test_what_moves_is_asked_about_after_an_emergency_stop(was_over: bool, source: Source) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("drive", who="ann")
        if was_over:
            desk.of("drive").succeed()
            await desk.settle()
        await stopped_and_reset(desk)
        task = await again(desk, times=2, source=source)
        assert desk.running == ["again"], "nothing moves unasked"
        (question,) = desk.supervisor.questions
        assert question.text == "That was before the emergency stop. Shall I drive?"
        desk.say("yes", who="ann", source=source)
        await desk.settle()
        assert desk.running == ["again", "drive"]
        desk.of("drive").succeed()
        await desk.settle()
        assert desk.running == ["again", "drive"], "asked once for all times"
        desk.of("drive").succeed()
        assert await task == "drive"
        desk.of("again").succeed()
        await desk.settle()
        task = await again(desk)
        assert desk.running == ["drive"] or desk.running == ["again", "drive"], "confirmed since the stop"
        desk.of("drive").succeed()
        await task

    scene()


@lab_scene()
async def test_no_to_that_repeats_nothing_and_what_moves_nothing_is_not_asked_about(desk: LabDesk) -> None:
    await desk.say_and_settle("drive", who="ann")
    await stopped_and_reset(desk)
    task = await again(desk)
    desk.say("no", who="ann")
    with pytest.raises(PlanError, match="drive was not done again: I leave it"):
        await task
    assert not [runner for runner in desk.stage.made if runner.kind.name == "drive"][1:]
    desk.of("again").succeed()
    await desk.say_and_settle("go", who="ann")
    await stopped_and_reset(desk)
    task = await again(desk)
    assert desk.running == ["again", "go"]
    desk.of("go").succeed()
    assert await task == "go"


@lab_scene()
async def test_no_ends_the_repetition_with_what_it_moves(desk: LabDesk) -> None:
    await desk.say_and_settle("drive", who="ann")
    desk.of("drive").succeed()
    task = await again(desk, times=3)
    assert desk.running == ["again", "drive"]
    said = desk.say("no", who="ann")
    assert await said.done()
    assert said.events[1].text == "I stop what moves: again; drive."
    assert desk.running == []
    with pytest.raises(PlanError):
        await task
    await desk.say_and_settle("go", who="ann")
    task = await again(desk)
    assert desk.say("no", who="ann").succeeded is False, "nothing of that moves"
    desk.of("go").succeed()
    await desk.settle()
    desk.of("go").succeed()
    await task


@lab_scene()
async def test_what_was_heard_unclearly_is_as_unclear_when_it_is_done_again(desk: LabDesk) -> None:
    await desk.say_and_settle("go", who="ann", confidence=0.5)
    desk.say("yes", who="ann")
    await desk.settle()
    desk.of("go").succeed()
    await desk.settle()
    task = await again(desk)
    assert desk.running == ["again"] and desk.supervisor.questions
    desk.say("yes", who="ann")
    await desk.settle()
    desk.of("go").succeed()
    assert await task == "go"
