"""What is known, put together from the robot, the world, contacts and operators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from managers.context_tree import ContextTree, differ
from resources.robots.description import RobotDescription
from resources.types.context import Known, KnownThing, ThingKind
from resources.types.control import ThingReport
from resources.types.memory import RememberedPlace
from tests.faults.stage import Stage
from tests.managers.surroundings import CARTONS, DOOR, ROBOT, WORLD, Surroundings, at

Play = Callable[[Any], None]


def tree(robot: RobotDescription = ROBOT) -> ContextTree:
    made = ContextTree(robot)
    made.learn(WORLD)
    return made


def names(things: tuple[KnownThing, ...]) -> list[str]:
    return [thing.name for thing in things]


def test_the_world_s_robot_is_ours_and_says_where_we_are() -> None:
    known = tree()
    assert "robot" not in names(known.things)
    (robot,) = known.called("tester")
    assert (robot.kind, robot.world_T_thing) == (ThingKind.ROBOT, at(0.0, 0.0))
    (gripper,) = known.called("left gripper")
    assert gripper.part_of == "tester"
    known.sense([ThingReport("robot", at(1.0, 2.0))])
    assert known.called("tester")[0].world_T_thing == at(1.0, 2.0)


def test_of_people_it_is_known_when_they_were_told_of() -> None:
    known, ann = ContextTree(ROBOT), KnownThing("Ann", ThingKind.PERSON, at(1.0, 0.0))

    def told() -> float | None:
        return known.called("Ann")[0].told_wall_s

    known.learn((*WORLD, ann), 10.0)
    assert told() == 10.0
    known.learn((*WORLD, ann), 20.0)
    assert told() == 10.0, "it is the same again"
    known.learn((*WORLD, msgspec.structs.replace(ann, world_T_thing=at(2.0, 0.0))), 30.0)
    assert told() == 30.0
    known.sense([ThingReport("Ann", at(3.0, 0.0))])
    assert told() is None, "a sensor follows her"
    assert known.called("table")[0].told_wall_s is None


def test_what_stands_on_something_is_part_of_it() -> None:
    things = {thing.name: thing for thing in tree().things}
    assert things["red cup"].part_of == "table"
    assert [things[each.name].part_of for each in CARTONS] == ["shelf", "shelf"]
    assert things["door"].part_of == ""


def test_what_can_be_followed_is_known_but_not_where() -> None:
    (hand,) = tree().called("hand")
    assert (hand.marker, hand.world_T_thing) == (7, None)


def test_two_may_be_called_the_same_and_a_name_is_one_s_own() -> None:
    assert names(tree().called("the Carton")) == ["carton 1", "carton 2"]
    assert names(tree().called("carton 2")) == ["carton 2"]
    assert tree().called("teapot") == ()


def test_it_is_the_very_same_answer_as_long_as_nothing_has_changed() -> None:
    states = {"front_camera": "free"}
    known = ContextTree(ROBOT, lambda: states)
    known.learn(WORLD)
    known.sense([ThingReport("robot", at(0.0, 0.0)), ThingReport("door", at(3.8, 1.9, 1.0), "open")])
    before = known.things
    known.sense([ThingReport("robot", at(0.001, 0.0)), ThingReport("door", at(3.8, 1.9, 1.0), "open")])
    known.remember(())
    assert known.things is before
    known.sense([ThingReport("door", at(3.8, 1.9, 1.0), "closed")])
    assert known.things is not before and known.called("door")[0].state == "closed"
    before = known.things
    states["front_camera"] = "unplugged"
    assert known.things is not before and known.called("front camera")[0].state == "unplugged"


def test_other_sources_and_operators_add_things() -> None:
    known = ContextTree(RobotDescription("bare", ROBOT.devices))
    gate = KnownThing("gate", ThingKind.FIXTURE, states=("open", "closed"), state="closed")
    known.tell(gate)
    known.tell(msgspec.structs.replace(gate, state="open"))
    known.remember((RememberedPlace("dock", at(1.0, 0.0)),))
    assert known.called("gate")[0].state == "open"
    assert known.called("dock") == (KnownThing("dock", ThingKind.PLACE, at(1.0, 0.0)),)
    known.remember(())
    assert not known.called("dock")


@pytest.mark.parametrize(
    ("change", "is_told"),
    [
        ({"world_T_thing": at(3.81, 1.9, 1.0)}, False),
        ({"world_T_thing": at(3.9, 1.9, 1.0)}, True),
        ({"world_T_thing": (3.8, 1.9, 1.0, 0.0, 0.0, 0.1, 0.995)}, True),
        ({"world_T_thing": None}, True),
        ({"state": "closed"}, True),
        ({"colour": "blue"}, True),
    ],
)
def test_only_what_matters_is_told(change: dict[str, Any], is_told: bool) -> None:
    assert differ((DOOR,), (msgspec.structs.replace(DOOR, **change),), 0.05) is is_told
    assert differ((DOOR,), (), 0.05) and not differ((DOOR,), (DOOR,), 0.05)


def test_who_holds_it_hears_of_a_door_that_closes(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        await around.open()
        client = await around.client(Known())
        around.door("open")
        await asyncio.sleep(1.0)
        assert client.severities == ()
        around.door("closed")
        await asyncio.sleep(0.3)
        assert client.severities == ("UPDATE",)
        assert next(thing for thing in client.value.things if thing.name == "door").state == "closed"
        await client.leave()
        await around.end()

    play(scene)


def test_a_look_without_any_client_is_up_to_date_as_well(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Surroundings(stage)
        context = await around.open()
        client = await around.client(Known())
        await client.leave()
        around.door("closed")
        around.robot_at(1.0, 0.0)
        await asyncio.sleep(0.3)
        assert context.called("door")[0].state == "closed"
        assert context.things() is context.things()
        assert context.called("tester")[0].world_T_thing == at(1.0, 0.0)
        await around.end()
        assert context.called("door")[0].state == "closed", "a world that is gone says nothing"

    play(scene)
