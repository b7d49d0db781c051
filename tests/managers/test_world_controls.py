"""Opening the door of the simulated world from outside, and everything that cannot be done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from framework.errors import ResourceUnavailable
from managers.context_manager import ContextManager
from managers.controller_manager import ControllerManager
from managers.world_controls import WorldControls
from resources.children.orders import Put
from resources.robots.description import RobotDescription
from resources.types.control import Simulation
from tests.faults.stage import Stage
from tests.managers.scripted_world import WORLD as SIMULATED
from tests.managers.scripted_world import PlayedWorld, asking
from tests.managers.surroundings import ROBOT, WORLD

Play = Callable[[Any], None]


async def controls(
    stage: Stage, controllers: ControllerManager, robot: RobotDescription = ROBOT
) -> WorldControls:
    context: ContextManager = await stage.enter(
        ContextManager(stage.transport, robot, lambda *_: None, clock=stage.clock)  # type: ignore[arg-type]
    )
    context._tree.learn(WORLD)
    return WorldControls(controllers, context)


@pytest.mark.parametrize(
    ("thing", "state", "order", "words"),
    [
        ("door", "closed", Put("door", "closed"), "the door will be closed in a moment"),
        ("The Door", "close", Put("door", "closed"), "the door will be closed in a moment"),
        ("door", "shut", Put("door", "closed"), "the door will be closed in a moment"),
        ("door", "open", Put("door", "open"), "the door is open already"),
    ],
)
def test_the_world_is_told(play: Play, thing: str, state: str, order: Put, words: str) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        await asking(stage, Simulation(SIMULATED), exclusive=False)
        assert made.put(thing, state) == words
        await asyncio.sleep(0.1)
        assert world.orders == [order]
        world.end()

    play(scene)


@pytest.mark.parametrize(
    ("thing", "state", "why"),
    [
        ("dor", "open", "I know no 'dor'; do you mean door"),
        ("dragon", "open", "I know no 'dragon'; what can be changed is the door"),
        ("table", "open", r"nothing can be done to 'table'; what can be changed is door \(open or closed\)"),
        ("door", "ajar", "the door cannot be 'ajar'; it can be open or closed"),
        ("", "", "I know no ''"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(play: Play, thing: str, state: str, why: str) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        await asking(stage, Simulation(SIMULATED), exclusive=False)
        with pytest.raises(ResourceUnavailable, match=why):
            made.put(thing, state)
        assert world.orders == []
        world.end()

    play(scene)


def test_a_world_that_is_gone_and_hardware_are_said(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        await asking(stage, Simulation(SIMULATED), exclusive=False)
        world.die()
        await asyncio.sleep(0.5)
        with pytest.raises(ResourceUnavailable, match="the simulated world does not run just now"):
            made.put("door", "open")
        world.end()

    play(scene)


def test_on_hardware_nobody_opens_a_door(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage, RobotDescription("bare", ()))
        hardware = msgspec.structs.replace(ROBOT, world="")
        made = await controls(stage, await world.open(), hardware)
        with pytest.raises(ResourceUnavailable, match="nothing is simulated here"):
            made.put("door", "open")
        world.end()

    play(scene)
