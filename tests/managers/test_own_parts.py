"""What the robot's own arms and grippers are like, as their control loops say it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from managers.context_tree import ContextTree
from managers.own_parts import HOLDING, OwnPart
from resources.robots.description import RobotDescription
from resources.types.arms import Gripper
from resources.types.context import ThingKind
from resources.types.control import Simulation, ThingReport
from resources.types.motion import MoveGripper
from tests.managers.scripted_world import InWorld, PlayedWorld, keep
from tests.managers.surroundings import ROBOT, WORLD, at

Play = Callable[[Any], None]


def test_they_are_known_as_soon_as_the_world_runs_and_nothing_is_started_for_it(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        assert [part.name for part in world.manager.parts()] == ["left arm", "right arm", "left gripper"]
        assert not any(part.state or part.robot_T_part for part in world.manager.parts()), "nothing runs"
        watcher = await world.asking(Simulation(world.robot.world), exclusive=False)
        await asyncio.sleep(0.2)
        arm, _, gripper = world.manager.parts()
        assert arm.robot_T_part is not None and arm.states == ()
        assert gripper.robot_T_part == arm.robot_T_part, "it is where its arm's tool is"
        assert (gripper.states, gripper.state) == (("open", "closed"), "open")
        client = await world.asking(Gripper("left"))
        await keep(client, MoveGripper(0.0), 1.5)
        assert world.manager.parts()[2].state == "closed"
        await client.leave()
        await asyncio.sleep(0.2)
        assert world.manager.parts()[2].state == "closed", "also while nobody moves it"
        await watcher.leave()
        await asyncio.sleep(0.5)
        assert not any(part.state for part in world.manager.parts())

    in_world(scene)


def test_nothing_is_known_before_the_manager_is_up_and_after_it_is_left(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        await world.manager.__aexit__(None, None, None)
        assert world.manager.parts() == ()
        await world.manager.__aexit__(None, None, None)

    in_world(scene)


def known() -> ContextTree:
    made = ContextTree(ROBOT)
    made.learn(WORLD)
    return made


def test_the_tree_has_them_beside_what_the_world_says() -> None:
    tree = known()
    tree.sense([ThingReport("robot", at(1.0, 2.0))])
    tool = at(0.5, 0.2, 0.9)
    tree.feel((OwnPart("left arm", tool), OwnPart("left gripper", tool, ("open", "closed"), "open")))
    (arm,) = tree.called("the left arm")
    assert (arm.kind, arm.part_of, arm.robot_T_thing) == (ThingKind.ROBOT, "tester", tool)
    assert arm.world_T_thing == pytest.approx(at(1.5, 2.2, 0.9))
    (gripper,) = tree.called("left gripper")
    assert (gripper.state, gripper.robot_T_thing) == ("open", tool)
    before = tree.things
    tree.feel((OwnPart("left arm", at(0.501, 0.2, 0.9)), OwnPart("left gripper", tool, (), "open")))
    assert tree.things is before, "so little is none"
    tree.feel((OwnPart("left arm", tool), OwnPart("left gripper", tool, ("open", "closed"), HOLDING)))
    assert tree.called("left gripper")[0].state == HOLDING


def test_without_a_world_only_where_the_robot_stands_is_missing() -> None:
    tree = ContextTree(RobotDescription("bare", ROBOT.devices))
    tree.feel((OwnPart("arm", at(0.4, 0.0, 0.5)), OwnPart("gripper")))
    (arm,) = tree.called("arm")
    assert (arm.world_T_thing, arm.robot_T_thing) == (None, at(0.4, 0.0, 0.5))
    assert tree.called("gripper")[0].state == ""
