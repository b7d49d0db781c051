""" "Let me drive": who says it is who drives; and "carry on" and "done", which end what somebody keeps."""

from __future__ import annotations

from framework.dialogue.asked_by import AskedBy
from framework.plan import Do, Known, Sequence
from framework.plugins.events import RunState
from framework.plugins.parameters import ParameterSpec
from framework.status import Priority
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.tree.scripted import Kind, Stage

SESSION = ParameterSpec("session", str, "", asked_by="sessions")
DRIVE = Kind(
    "drive",
    (SESSION,),
    continuous=True,
    retains=True,
    ready_after_s=0.05,
    priority=Priority.OPERATOR,
    alone="arm",
)
HOLD = Kind("hold", continuous=True, retains=True, ready_after_s=0.05, alone="arm")


class Sessions:
    """A world in which people hold phones."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def names(self, kind: str) -> tuple[str, ...]:
        return self._names if kind == "sessions" else ()

    def known(self, kind: str) -> tuple[Known, ...]:
        return tuple(Known(name, name) for name in self.names(kind))


TWO = Sessions("phone 1", "phone 2")


def test_who_asks_is_filled_in_where_nobody_was_named_and_only_if_it_can_be_they() -> None:
    asked_by = AskedBy(Stage(DRIVE, HOLD), TWO)
    plan = Sequence((Do("hold"), Do("drive"), Do("drive", {"session": "phone 1"})))
    assert asked_by.filled(plan, "phone 2") == Sequence(
        (Do("hold"), Do("drive", {"session": "phone 2"}), Do("drive", {"session": "phone 1"}))
    )
    assert asked_by.filled(plan, "console") == plan
    assert AskedBy(Stage(DRIVE), Sessions("phone 1")).filled(Do("drive"), "console") == Do(
        "drive", {"session": "phone 1"}
    )
    assert AskedBy(Stage(DRIVE), Sessions()).filled(Do("drive"), "console") == Do("drive")


def test_it_is_read_back_only_if_there_are_several_whom_it_could_be() -> None:
    drive = Do("drive", {"session": "phone 1"})
    assert AskedBy(Stage(DRIVE), Sessions("phone 1")).shortened(drive) == Do("drive")
    assert AskedBy(Stage(DRIVE), TWO).shortened(drive) == drive
    assert AskedBy(Stage(DRIVE), TWO).shortened(Do("unknown")) == Do("unknown")


@scene(DRIVE, world=TWO)
async def test_the_same_words_of_two_people_are_two_plans(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="phone 1")
    await desk.say_and_settle("drive", who="phone 2")
    assert [plan.words for plan in desk.supervisor.plans()] == [
        "drive phone 1",
        "drive phone 2",
    ]
    assert desk.of("drive").parameters == {"session": "phone 2"}
    assert await desk.say("stop").done()


@scene(DRIVE, HOLD, world=TWO)
async def test_carry_on_and_done_end_what_this_operator_keeps_and_nobody_elses(desk: Desk) -> None:
    await desk.say_and_settle("hold", who="ann")
    await desk.say_and_settle("drive", who="phone 1")
    assert desk.running == ["hold", "drive"], "with more right it is not refused"
    for words in ("carry on", "done"):
        refused = desk.say(words, who="phone 2")
        assert refused.succeeded is False
    assert desk.running == ["hold", "drive"]
    assert await desk.say("carry on", who="phone 1").done()
    assert desk.running == ["hold"]
    assert await desk.say("I'm done", who="ann").done()
    assert desk.running == []


@scene(DRIVE, world=Sessions("phone 1"))
async def test_whoever_drives_may_end_it_though_somebody_else_has_asked_for_it(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="console")
    for state, detail, does in (
        (RunState.RUNNING, "nearly there", '"drive" is with phone 1'),
        (RunState.READY, "phone 1 drives the arm", "Phone 1 drives the arm"),
    ):
        desk.of("drive").to(state, detail)
        await desk.settle()
        for words in ("carry on", "done"):
            refused = await desk.say_and_settle(words, who="console")
            assert refused.succeeded is False
            instead = f'{does}: it says "carry on" there, or hand it over on the console.'
            assert refused.events[-1].text == instead
    assert desk.running == ["drive"], "though the console has asked for it"
    assert await desk.say("carry on", who="phone 1").done()
    assert desk.running == []


@scene(DRIVE, HOLD, world=TWO)
async def test_what_is_paused_goes_on_though_somebody_else_drives(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="phone 1")
    desk.of("drive").to(RunState.READY, "phone 1 drives the arm")
    await desk.settle()
    refused = await desk.say_and_settle("done", who="ann")
    assert refused.events[-1].text.startswith('Phone 1 drives the arm: it says "carry on" there')
    await desk.say_and_settle("a", who="ann")
    await desk.say_and_settle("pause a", who="ann")
    assert await desk.say("carry on", who="ann").done()
    assert desk.running == ["drive", "a"]
    assert await desk.say("stop", who="ann").done()


@scene(DRIVE, world=TWO)
async def test_one_who_keeps_something_may_take_it_with_more_right(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="phone 1")
    refused = desk.say("drive then drive", who="phone 1")
    assert refused.succeeded is False, "but not with as much"
    assert await desk.say("stop").done()


@scene(DRIVE, HOLD, world=TWO)
async def test_what_is_paused_is_resumed_before_anything_is_ended(desk: Desk) -> None:
    await desk.say_and_settle("hold", who="ann")
    await desk.say_and_settle("pause", who="ann")
    await desk.say_and_settle("carry on", who="ann")
    assert desk.running == ["hold"]
    assert await desk.say("stop").done()


@scene(DRIVE, world=Sessions("phone 1"))
async def test_the_same_wish_of_somebody_whose_it_is_not_is_another_wish(desk: Desk) -> None:
    await desk.say_and_settle("drive", who="phone 1")
    again = await desk.say_and_settle("drive", who="phone 1")
    assert again.succeeded is True and again.events[1].text == "That is being done already: drive."
    other = await desk.say_and_settle("drive", who="terminal")
    assert not any("already" in event.text for event in other.events)
    assert desk.running == ["drive", "drive"], "what it needs is not to be had: that is for its action to say"
    assert (await desk.say_and_settle("drive", who="terminal")).plan == other.plan
    assert (await desk.say_and_settle("carry on", who="terminal")).succeeded is False, "it is with phone 1"
    assert await desk.say("stop").done()


@scene(HOLD, world=TWO)
async def test_what_is_nobodys_in_particular_is_the_same_for_everybody(desk: Desk) -> None:
    await desk.say_and_settle("hold", who="ann")
    joined = await desk.say_and_settle("hold", who="bob")
    assert joined.events[1].text == "That is being done already: hold."
    assert desk.running == ["hold"]
    assert await desk.say("stop").done()
