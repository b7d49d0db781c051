"""Leading a simulated arm by hand, from words, and everything that cannot be led."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from framework.errors import ResourceUnavailable
from managers.leading import led
from resources.children.orders import Lead
from resources.types.control import Simulation
from resources.types.motion import Guide
from tests.faults.stage import Stage
from tests.managers.scripted_world import WORLD, InWorld, PlayedWorld, asking, keep
from tests.managers.test_world_controls import controls

Play = Callable[[Any], None]


@pytest.mark.parametrize(
    ("said", "order", "words"),
    [
        (
            "left arm up 10 cm",
            Lead("left_arm", (0.0, 0.0, 0.1)),
            "a hand leads the left arm 10 cm up, within 1.3 s",
        ),
        (
            "the right arm right 0.3m",
            Lead("right_arm", (0.0, -0.3, 0.0)),
            "a hand leads the right arm 30 cm right",
        ),
        (
            "left_arm 50 mm to the left",
            Lead("left_arm", (0.0, 0.05, 0.0)),
            "a hand leads the left arm 5 cm left",
        ),
    ],
)
def test_the_world_is_told_to_lead_an_arm(play: Play, said: str, order: Lead, words: str) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        await asking(stage, Simulation(WORLD), exclusive=False)
        told = made.put(said, "lead")
        assert told.startswith(words)
        assert told.endswith("it is not guided by hand just now, so it gives way and comes back")
        await asyncio.sleep(0.1)
        (found,) = world.orders
        assert isinstance(found, Lead) and found.device == order.device
        assert found.way == pytest.approx(order.way)
        world.end()

    play(scene)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "say which arm, up, down, left, right, forward or back, and how far: left arm up 10 cm"),
        ("left arm up", "I cannot read 'left arm up'"),
        ("left arm up 10", "I cannot read"),
        ("left arm sideways 10 cm", "I cannot read"),
        ("left arm up -10 cm", "I cannot read"),
        ("arm up 10 cm", "which arm: the left arm or right arm"),
        ("leg up 10 cm", "I know no 'leg'; what can be led is the left arm and right arm"),
        ("base up 10 cm", "I know no 'base'"),
        ("left arm up 3 m", "a hand leads an arm up to 60 cm at once, not 3 m"),
        ("left arm up 0 cm", "a hand leads an arm up to 60 cm at once"),
    ],
)
def test_what_cannot_be_led_is_refused_in_words(play: Play, said: str, why: str) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        await asking(stage, Simulation(WORLD), exclusive=False)
        with pytest.raises(ResourceUnavailable, match=why):
            made.put(said, "lead")
        assert world.orders == []
        world.end()

    play(scene)


def test_just_an_arm_is_the_one_that_is_guided(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await controls(stage, await world.open())
        client = await asking(stage)
        await keep(client, Guide(), 0.3)
        assert made.put("arm up 10 cm", "lead") == "a hand leads the left arm 10 cm up, within 1.3 s"
        await asyncio.sleep(0.1)
        assert world.orders == [Lead("left_arm", (0.0, 0.0, 0.1))]
        world.end()

    play(scene)


def test_a_real_arm_is_not_led(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        world.stage.patch.setattr(world.manager, "is_simulated", lambda _: False)
        with pytest.raises(ResourceUnavailable, match="the left arm is real: take it by the hand yourself"):
            led("left arm up 10 cm", world.manager)

    in_world(scene)
