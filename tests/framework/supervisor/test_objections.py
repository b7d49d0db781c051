"""What is refused although its action could do it, and how that is said."""

from __future__ import annotations

import math

import pytest

from framework.events import EventKind
from framework.plan.ast import (
    AllOf,
    AnyOf,
    Do,
    If,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Value,
    Wait,
    While,
)
from framework.plan.instruction import Source
from framework.plan.parser import NotUnderstood, Reading, Understood, World
from framework.plugins.parameters import ParameterSpec
from framework.supervisor.objections import beyond
from tests.framework.supervisor.desk import Desk, scene
from tests.framework.supervisor.lab import LabDesk, SmallLanguage, lab_scene
from tests.framework.tree.scripted import Kind, Stage

HOLD = Kind("hold", continuous=True, retains=True, ready_after_s=0.05, alone="left arm")
MOVE = Kind(
    "move",
    (
        ParameterSpec("distance_m", float, 0.05, "m", gt=0.0, le=1.0),
        ParameterSpec("angle_rad", float, 1.0, "rad", gt=0.0, le=math.tau),
    ),
    alone="left arm",
)
WALK = Kind("walk", alone="base")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"distance_m": 5000.0}, "5 km is too much: at most 1 m at once"),
        ({"distance_m": 1.5}, "1.5 m is too much: at most 1 m at once"),
        ({"angle_rad": math.radians(1000.0)}, "1000° is too much: at most 360° at once"),
        ({"distance_m": 0.0}, "0 m is too little: more than 0 m"),
        ({"distance_m": 1.0}, ""),
        ({"distance_m": "far"}, ""),
        ({"distance_m": math.nan}, ""),
        ({"another": 5000.0}, ""),
    ],
)
def test_numbers_are_said_as_people_say_them(given: dict[str, Value], words: str) -> None:
    assert beyond(Do("move", given), Stage(MOVE)) == words


@scene(HOLD, MOVE, WALK)
async def test_what_is_held_until_told_is_not_queued_for(desk: Desk) -> None:
    await desk.say_and_settle("hold", who="ann")
    for text in ("move", "move then walk"):
        refused = desk.say(text, who="ann")
        assert refused.succeeded is False
        assert refused.events[-1].text == (
            'That needs the left arm, and I am holding: say "stop holding" first.'
        )
    await desk.say_and_settle("walk", who="ann")
    await desk.say_and_settle("move", who="bob")
    assert desk.running == ["hold", "walk", "move"], "others queue as ever"
    assert await desk.say("stop holding", who="ann").done()
    assert desk.running == ["walk", "move"]
    assert await desk.say("cancel move", who="bob").done()
    await desk.say_and_settle("hold", who="ann")
    assert desk.running == ["walk", "hold"]
    await desk.say_and_settle("no, move", who="ann")
    assert desk.running == ["walk", "move"], "what it corrects does not stand in its way"
    assert await desk.say("stop").done()


AGAIN = Kind("again", repeats=True)


@scene(AGAIN, WALK)
async def test_what_was_never_done_is_not_done_again(desk: Desk) -> None:
    await desk.say_and_settle("walk", who="bob")
    for text in ("again", "again then walk"):
        refused = desk.say(text, who="ann")
        assert refused.succeeded is False and "nothing to repeat" in refused.events[-1].text
    unsure = desk.say("again", who="ann", source=Source.SPEECH, confidence=0.1)
    assert unsure.succeeded is False and not desk.supervisor.questions
    await desk.say_and_settle("walk then again", who="ann")
    assert desk.running == ["walk", "walk"]
    assert await desk.say("stop").done()


GUIDE = Kind(
    "guide", continuous=True, retains=True, ready_after_s=0.05, alone="arm", keeps="gripper", instead="press"
)
OPEN = Kind("open", alone="gripper")


@scene(GUIDE, OPEN, WALK)
async def test_what_is_used_besides_is_not_queued_for_either(desk: Desk) -> None:
    await desk.say_and_settle("guide", who="ann")
    for text in ("open", "walk then open"):
        refused = await desk.say_and_settle(text, who="ann")
        assert (refused.succeeded, refused.events[-1].text) == (False, "Press.")
    await desk.say_and_settle("walk", who="ann")
    await desk.say_and_settle("open", who="bob")
    assert desk.running == ["guide", "walk", "open"]
    assert await desk.say("stop").done()


SEEN = State("seen", {"thing": "block"})


@pytest.mark.parametrize(
    "plan",
    [
        Sequence((Wait(SEEN), Do("go"))),
        Until(Do("go"), SEEN),
        While(Do("go"), AllOf((SEEN, State("open", {"thing": "door"})))),
        If(AnyOf((State("said", {"words": "go on"}), SEEN)), Do("go")),
        Sequence((Do("go"), Wait(State("seen", {"thing": "block"}, is_so=False)))),
    ],
)
def test_what_nobody_will_ever_be_able_to_tell_is_not_waited_for(plan: Plan) -> None:
    @lab_scene()
    async def scene(desk: LabDesk) -> None:
        desk.facts.never["seen"] = "it carries no marker"
        refused = desk.supervisor.carry_out(plan, who="ann")
        assert refused.succeeded is False and desk.stage.made == []
        assert refused.events[-1].text == "I could never tell that: it carries no marker."
        del desk.facts.never["seen"]
        desk.supervisor.carry_out(plan, who="ann")
        await desk.settle()
        assert len(desk.supervisor.plans()) <= 1 and len(desk.said) > 1

    scene()


@lab_scene()
async def test_what_is_said_and_done_here_is_nobody_elses_to_tell(desk: LabDesk) -> None:
    desk.facts.never |= {"said": "never asked", "running": "never asked"}
    desk.supervisor.carry_out(Sequence((Wait(State("said", {"words": "go on"})), Do("go"))), who="ann")
    desk.supervisor.carry_out(Wait(State("running", {"what": "drive"})), who="ann")
    desk.supervisor.carry_out(Wait(State("seen", {"thing": Reference("it")})), who="ann")
    await desk.settle()
    assert [plan.words for plan in desk.supervisor.plans()]


class TwoMeanings(SmallLanguage):
    """ "when it is back go": seen again, or working again."""

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        if text != "when it is back go":
            return super().parse(text, world)
        back = (State("seen", {"thing": "arm"}), State("working", {"device": "arm"}))
        return Understood(tuple(Reading(Sequence((Wait(each), Do("go")))) for each in back))


def test_of_two_meanings_the_one_that_could_be_told_is_meant() -> None:
    language = TwoMeanings()

    @lab_scene(language=language)
    async def scene(desk: LabDesk) -> None:
        asked = desk.say("when it is back go")
        assert asked.events[-1].kind is EventKind.ASKED
        desk.say("no")
        desk.facts.never["seen"] = "it carries no marker"
        understood = desk.say("when it is back go")
        assert "wait until arm is working, then go" in understood.events[1].text
        await desk.say("stop").done()
        desk.facts.never["working"] = "I have none"
        refused = desk.say("when it is back go")
        assert refused.succeeded is False
        assert refused.events[-1].text == "I could never tell that: it carries no marker."

    scene()
