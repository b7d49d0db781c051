"""A wrist that sweeps for whoever holds the sweep, and rests for everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from framework.errors import Preempted, ResourceFailed
from framework.status import Priority
from managers.wrist_sweep import SWEEP
from resources.controllers.loop import MotionStop
from resources.types.arms import Arm
from resources.types.control import WristSweep
from resources.types.motion import ORDER_PERIOD_S
from tests.faults.stage import Client, Stage, now_s
from tests.managers.scripted_world import InWorld, PlayedWorld, asking

Play = Callable[[Any], None]


async def sweeping(stage: Stage, arm: str = "right", **wishes: Any) -> Client:
    return await asking(stage, WristSweep(arm), **wishes)


def angle(world: PlayedWorld, device: str = "right_arm") -> float:
    mechanism: Any = world.control(device).loop.core.mechanism
    return float(mechanism.q[6])


def test_it_swings_between_its_bounds_for_as_long_as_it_is_held(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await sweeping(world.stage)
        assert (client.value.arm, client.value.lower, client.value.upper) == (
            "right",
            SWEEP.lower,
            SWEEP.upper,
        )
        angles = []
        began_s = now_s()
        while now_s() - began_s < 6.0:
            await asyncio.sleep(0.01)
            angles.append(angle(world))
        assert min(angles) == pytest.approx(SWEEP.lower, abs=0.02)
        assert max(angles) == pytest.approx(SWEEP.upper, abs=0.02)
        orders = [order for _, order in world.seen["right_arm"] if order.stamp is not None]
        assert len(orders) == pytest.approx(6.0 / ORDER_PERIOD_S, abs=4)
        assert len({order.wanted.number for order in orders if order.wanted}) == 1
        await client.leave()
        await asyncio.sleep(0.3)
        assert world.state("right_arm").is_at_rest

    in_world(scene)


def test_who_only_watches_sweeps_nothing(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        watcher = await sweeping(world.stage, exclusive=False)
        await asyncio.sleep(1)
        assert watcher.lease is not None and world.state("right_arm").following == 0
        await sweeping(world.stage)
        await asyncio.sleep(0.2)
        assert world.state("right_arm").mode == "sweep"

    in_world(scene)


def test_two_arms_sweep_at_once(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        left = await sweeping(world.stage, "left")
        await sweeping(world.stage, "right")
        await asyncio.sleep(0.5)
        assert {world.state(device).mode for device in ("left_arm", "right_arm")} == {"sweep"}
        await left.leave()
        await asyncio.sleep(0.5)
        assert [world.state(device).mode for device in ("left_arm", "right_arm")] == ["hold", "sweep"]

    in_world(scene)


def test_an_operator_takes_the_arm_and_the_sweep_goes_on_afterwards(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        sweep = await sweeping(world.stage)
        await asyncio.sleep(0.5)
        operator = await world.asking(Arm("right"), priority=Priority.OPERATOR)
        assert isinstance(sweep.error, Preempted) and operator.value.device == "right_arm"
        await asyncio.sleep(1)
        assert world.state("right_arm").mode == "hold"
        sweep.ask(WristSweep("right"), exclusive=True, wait=True)
        await asyncio.sleep(1)
        await operator.leave()
        await sweep.answer()
        await asyncio.sleep(0.2)
        assert world.state("right_arm").mode == "sweep"

    in_world(scene)


def test_it_begins_anew_after_the_supervisor_was_silent(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await sweeping(world.stage)
        await asyncio.sleep(0.5)
        world.stop = MotionStop(alone=True)
        await asyncio.sleep(0.5)
        assert world.state("right_arm").is_at_rest and not client.told
        world.stop = MotionStop()
        await asyncio.sleep(0.3)
        assert world.state("right_arm").mode == "sweep" and not client.told

    in_world(scene)


def test_an_emergency_stop_ends_it(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        client = await sweeping(world.stage)
        await asyncio.sleep(0.5)
        world.stop = MotionStop(emergency=True, token=1)
        await asyncio.sleep(0.2)
        assert isinstance(client.error, ResourceFailed) and "emergency stop" in str(client.error)
        world.stop = MotionStop(token=1)
        await asyncio.sleep(1)
        assert world.state("right_arm").is_at_rest

    in_world(scene)


def test_an_arm_that_is_not_there_is_refused_in_words(in_world: InWorld) -> None:
    async def scene(world: PlayedWorld) -> None:
        assert "there is no arm 'third'; there are left and right" in str(
            (await sweeping(world.stage, "third")).error
        )

    in_world(scene)
