"""Plans by their numbers: pausing, resuming, ending, changing; from a program and in words."""

from __future__ import annotations

import pytest

from framework.errors import PlanError
from framework.interlock import Interlock, Permit
from framework.plan import Do, Sequence
from framework.supervisor import EventKind
from framework.tree.change import Insert, Remove, Replace
from tests.framework.supervisor.lab import LabDesk, lab_scene


@lab_scene()
async def test_pause_resume_and_stop_one_plan(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    await desk.say_and_settle("track the hand")
    supervisor = desk.supervisor
    supervisor.pause_plan("1")
    await desk.settle()
    assert [plan.state for plan in supervisor.plans()] == ["paused", "established"]
    with pytest.raises(PlanError, match=r"plan 1 \(go\) is paused; it cannot be paused"):
        supervisor.pause_plan("1")
    with pytest.raises(PlanError, match=r"plan 2 \(track the hand\) is established, not paused"):
        supervisor.resume_plan("2")
    supervisor.resume_plan("1")
    assert desk.texts(EventKind.RESUMED) == ["I carry on: go."]
    supervisor.stop_plan("2", "enough of it")
    with pytest.raises(PlanError, match="is stopping already"):
        supervisor.stop_plan("2")
    await desk.settle()
    assert desk.running == ["go"]
    for call in (supervisor.pause_plan, supervisor.resume_plan, supervisor.stop_plan):
        with pytest.raises(PlanError, match=r"plan 2 \(track the hand\) is over"):
            call("2")
        with pytest.raises(PlanError, match=r"there is no plan '7'; there are 1 \(go\)"):
            call("7")


@lab_scene()
async def test_to_pause_what_is_paused_pauses_nothing_else(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    await desk.say_and_settle("drive", who="bob")
    for text in ("pause the tracking", "pause the tracking", "pause plan 1"):
        desk.say(text, who="ann")
        await desk.settle()
        assert [plan.state for plan in desk.supervisor.plans()] == ["paused", "running"], text


@lab_scene()
async def test_changing_a_paused_plan(desk: LabDesk) -> None:
    await desk.say_and_settle("go then track the hand")
    supervisor = desk.supervisor
    with pytest.raises(PlanError, match="is running: pause it before changing it"):
        supervisor.change_plan("1", Insert(Do("danger"), after="1.2"))
    supervisor.pause_plan("1")
    steps = supervisor.plans()[0].tree.children
    for change in (
        Insert(Do("nothing"), after=steps[0].id),
        Replace(steps[1].id, Do("track", {"thing": 3.0})),
        Remove("1.77"),
        Remove(steps[0].id),
    ):
        with pytest.raises(PlanError):
            supervisor.change_plan("1", change)
    assert supervisor.plans()[0].words == "go, then track the hand"
    supervisor.change_plan("1", Insert(Do("wait", {"duration_s": 5.0}), after=steps[0].id))
    assert supervisor.plans()[0].words == "go, then wait five, then track the hand"
    assert "The plan is changed: go, then wait five, then track the hand." in desk.texts(EventKind.DOING)
    supervisor.change_plan("1", Remove(steps[1].id))
    supervisor.resume_plan("1")
    desk.of("go").succeed()
    await desk.settle()
    assert desk.running == ["wait"]
    same = await desk.say_and_settle("go then wait five")
    assert "already" in same.events[-1].text, "it is known as what it is now"
    assert supervisor.plan("1") == Sequence((Do("go"), Do("wait", {"duration_s": 5.0})))
    with pytest.raises(PlanError, match="there is no plan '7'; there is 1"):
        supervisor.plan("7")


@lab_scene()
async def test_in_words(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    await desk.say_and_settle("track the hand")
    assert desk.say("pause plan 2").succeeded
    assert [plan.state for plan in desk.supervisor.plans()] == ["running", "paused"]
    assert desk.say("resume plan two").succeeded
    assert desk.say("pause the tracking").succeeded
    assert [plan.state for plan in desk.supervisor.plans()] == ["running", "paused"]
    assert desk.say("carry on with the tracking").succeeded
    for text in ("pause plan 7", "resume dancing", "pause dancing", "cancel plan 7"):
        refused = desk.say(text)
        assert refused.succeeded is False
        assert "is not being done; I am going; I am" in refused.events[-1].text
    assert await desk.say("stop plan two").done()
    assert desk.running == ["go"]
    assert await desk.say("cancel that").done()
    assert desk.running == []


@lab_scene()
async def test_cancel_that_asks_which_if_there_are_several(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    await desk.say_and_settle("track the hand")
    asked = desk.say("cancel that")
    assert "Which one? 1: go, 2: track the hand, 3: all of these" in asked.events[-1].text
    assert desk.say("the tracking").succeeded is False
    assert desk.say("all").succeeded
    assert await asked.done()
    assert desk.running == []


@lab_scene()
async def test_cancelling_as_part_of_a_longer_instruction_is_that(desk: LabDesk) -> None:
    await desk.say_and_settle("go")
    assert desk.say("cancel dancing then go").succeeded is False
    assert (await desk.supervisor.complete("tra")).options == ("track",)
    assert (await desk.supervisor.complete("crash")).options == ()
    assert (await desk.supervisor.complete("x" * 5000)).options == ()


@lab_scene()
async def test_a_stop_of_something_asks_nothing_and_ends_all_of_it(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand")
    await desk.say_and_settle("track the blue cup")
    await desk.say_and_settle("go")
    stopped = desk.say("stop the tracking")
    assert stopped.events[-1].text == "I end tracking the hand, tracking the blue cup."
    assert await stopped.done()
    assert desk.running == ["go"]


@lab_scene()
async def test_dont_is_a_stop_while_something_is_done(desk: LabDesk) -> None:
    refused = desk.say("don't")
    assert refused.succeeded is False and "nothing is being done" in refused.events[-1].text
    await desk.say_and_settle("go")
    assert desk.say("no").succeeded is False
    assert desk.running == ["go"]
    assert await desk.say("don't!").done()
    assert desk.running == []


@lab_scene()
async def test_no_is_a_stop_of_what_moves(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    await desk.say_and_settle("drive then drive", who="ann")
    for who in ("ann", "bob"):
        await desk.say_and_settle("drive", who=who)
        said = desk.say("No!", who=who)
        assert [event.text for event in said.events[1:]] in (
            ["I stop what moves: drive, then drive; drive. All else goes on."],
            ["I stop what moves: drive. All else goes on."],
        )
        assert await said.done()
        assert said.events[-1].text == "Nothing of that moves any more."
        assert desk.running == ["track"]
    assert len([runner for runner in desk.stage.made if runner.kind.name == "drive"]) == 3, "none begins"
    refused = desk.say("no", who="bob")
    assert refused.succeeded is False and "have not asked you anything" in refused.events[-1].text


@lab_scene()
async def test_no_stops_also_what_is_yet_to_move_or_paused(desk: LabDesk) -> None:
    await desk.say_and_settle("go then drive")
    assert await desk.say("no").done()
    await desk.say_and_settle("drive")
    desk.say("pause")
    said = desk.say("no no")
    assert await said.done()
    assert said.events[1].text == "I stop what moves: drive."
    assert desk.running == [] and desk.supervisor.plans() == ()


@lab_scene()
async def test_no_to_a_question_is_the_answer_and_dont_still_stops_everything(desk: LabDesk) -> None:
    await desk.say_and_settle("track the hand", who="ann")
    await desk.say_and_settle("drive", who="ann")
    await desk.say_and_settle("track the red cup", who="ann")
    assert desk.say("no", who="ann").succeeded
    assert desk.running == ["track", "drive"], "a question was answered"
    await desk.say_and_settle("track the red cup", who="bob")
    assert await desk.say("no", who="ann").done()
    assert desk.running == ["track"], "somebody else is asked: this one meant what moves"
    await desk.say_and_settle("drive", who="ann")
    assert await desk.say("don't", who="ann").done()
    assert desk.running == []


@pytest.mark.parametrize(("said", "left"), [("no", ["go"]), ("stop the left arm", ["go", "drive"])])
def test_what_moves_for_an_action_that_moves_nothing_itself_is_meant_too(said: str, left: list[str]) -> None:
    interlock = Interlock()

    @lab_scene(interlock=interlock)
    async def scene(desk: LabDesk) -> None:
        await desk.say_and_settle("track the hand", who="ann")
        await desk.say_and_settle("go", who="ann")
        await desk.say_and_settle("drive", who="ann")
        node = desk.supervisor.plans()[0].tree.id
        interlock.moves("a grant", "left arm", "arm", lambda: Permit("1", node))
        assert await desk.say(said, who="ann").done()
        await desk.settle()
        assert desk.running == left

    scene()
