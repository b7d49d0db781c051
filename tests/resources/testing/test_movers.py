"""The testing kit for what moves: it is fenced as the real thing is, and does what a test writes down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import pilothouse as ph
from framework.plugins.client import client_for
from framework.testing.pytest_plugin import VirtualRunner
from resources.testing import ScriptedArm, ScriptedBase, ScriptedGripper, ScriptedMovers
from resources.testing.scripted_mover import ScriptedMover
from resources.types.motion_clients import ArmClient, BaseClient, GripperClient

HERE = (0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)


def arm_at(pose: ph.Pose7 = HERE) -> ScriptedArm:
    arm = ScriptedArm("left")
    arm.base_T_tool = pose
    return arm


class Harness:
    """Some movers, and a registrar to ask for them."""

    def __init__(self, directory: Path, *movers: ScriptedMover) -> None:
        transport = ph.LocalTransport()
        self.movers = ScriptedMovers(transport, directory, *movers)
        self.registrar = ph.ResourceRegistrar("test", transport)

    @asynccontextmanager
    async def holding(self, request: Any, **wishes: Any) -> AsyncIterator[Any]:
        async with self.registrar.request(request, exclusive=True, **wishes) as lease:
            client = client_for("it", request, lease)
            try:
                yield client
            finally:
                client.end()


def on(
    virtual: VirtualRunner,
    directory: Path,
    *movers: ScriptedMover,
    play: Callable[[Harness], Awaitable[None]],
) -> None:
    async def scene() -> None:
        harness = Harness(directory, *movers)
        async with harness.movers, harness.registrar:
            await play(harness)
            await asyncio.sleep(0.2)
            assert harness.movers.registrar.snapshot().is_empty

    virtual(scene)


async def held(harness: Harness, for_s: float = 0.0) -> None:
    async with harness.holding(ph.Arm("left")):
        await asyncio.sleep(for_s)


def test_goals_take_their_time_and_are_reached(virtual: VirtualRunner, tmp_path: Path) -> None:
    arm, gripper, base = arm_at(), ScriptedGripper("left"), ScriptedBase()

    async def play(harness: Harness) -> None:
        client: Any
        async with harness.holding(ph.Arm("left")) as client:
            assert isinstance(client, ArmClient)
            began_s = asyncio.get_running_loop().time()
            await client.move_to((0.5, *HERE[1:]), speed=0.1)
            assert asyncio.get_running_loop().time() - began_s == pytest.approx(1.0, abs=0.1)
            assert (await client.state()).base_T_tool == pytest.approx((0.5, *HERE[1:]))
            arm.speed = 0.5
            await client.move_to(HERE, speed=0.1)
            assert asyncio.get_running_loop().time() - began_s == pytest.approx(3.0, abs=0.2)
        async with harness.holding(ph.Gripper()) as client:
            assert isinstance(client, GripperClient)
            await client.close()
            assert not (await client.state()).holds
        async with harness.holding(ph.Base()) as client:
            assert isinstance(client, BaseClient)
            await client.move_to(1.0, 0.5, 3.0)
            assert base.odometry == pytest.approx((1.0, 0.5, 3.0))

    on(virtual, tmp_path, arm, gripper, base, play=play)


def test_streams_are_followed_while_they_are_fresh(virtual: VirtualRunner, tmp_path: Path) -> None:
    arm, base = ScriptedArm("left"), ScriptedBase()

    async def play(harness: Harness) -> None:
        client: Any
        async with harness.holding(ph.Base()) as client:
            for _ in range(50):
                client.drive(forward=0.5)
                await asyncio.sleep(0.02)
            await asyncio.sleep(1.0)
            assert base.odometry[0] == pytest.approx(0.5, abs=0.07)  # and no further
        async with harness.holding(ph.Arm("left")) as client:
            for step in range(50):
                client.track_joints((0.01 * step, *arm.home[1:]))
                await asyncio.sleep(0.02)
            assert arm.q[0] == pytest.approx(0.49, abs=0.011)
            assert arm.fastest == pytest.approx(0.5, rel=0.01)

    on(virtual, tmp_path, arm, base, play=play)


def test_what_a_test_writes_down_goes_wrong(virtual: VirtualRunner, tmp_path: Path) -> None:
    arm = arm_at()

    async def play(harness: Harness) -> None:
        client: Any
        async with harness.holding(ph.Arm("left")) as client:
            arm.block("something stands there", at=0.3)
            with pytest.raises(ph.MotionFailed, match="something stands there"):
                await client.move_to((0.5, *HERE[1:]))
            assert arm.base_T_tool[0] == pytest.approx(0.43, abs=0.01)
            arm.refusal = "not today"
            with pytest.raises(ph.MotionFailed, match="not today"):
                await client.move_to(HERE)
            arm.refusal = ""
            with pytest.raises(ph.MotionFailed, match="of the workspace is"):
                await client.move_to((5.0, *HERE[1:]))
        with pytest.raises(ph.ResourceFailed, match='a reflex: say "recover the left arm"'):
            await shaken(harness)
        with pytest.raises(ph.ResourceUnavailable, match="a reflex"):
            await held(harness)
        async with harness.registrar.request(ph.Recovery("left_arm")):
            pass
        async with harness.holding(ph.Arm("left")) as client:
            await client.move_to(HERE)

    async def shaken(harness: Harness) -> None:
        async with harness.holding(ph.Arm("left")) as client:
            arm.reflex("a reflex", at=0.5)
            await asyncio.gather(client.move_to(HERE), return_exceptions=True)
            await asyncio.sleep(1.0)

    on(virtual, tmp_path, arm, play=play)


def test_a_former_holder_moves_nothing(virtual: VirtualRunner, tmp_path: Path) -> None:
    arm = arm_at()

    async def play(harness: Harness) -> None:
        former = asyncio.create_task(moving(harness))
        await asyncio.sleep(0.5)
        async with harness.holding(ph.Motion("left_arm"), priority=ph.Priority.OPERATOR):
            before = arm.base_T_tool
            await asyncio.sleep(1.0)
            assert arm.base_T_tool == before
        with pytest.raises(ph.Preempted):
            await former

    async def moving(harness: Harness) -> None:
        async with harness.holding(ph.Arm("left")) as client:
            await client.move_to((0.5, *HERE[1:]), speed=0.05)

    on(virtual, tmp_path, arm, play=play)


def test_who_wants_any_arm_gets_one_that_is_free_and_well(virtual: VirtualRunner, tmp_path: Path) -> None:
    left, right = ScriptedArm("left"), ScriptedArm("right")

    async def play(harness: Harness) -> None:
        async with harness.holding(ph.Arm("left")), harness.holding(ph.Arm()) as client:
            assert client.device == "right_arm"
        left.reflex("a reflex")
        async with harness.registrar.request(ph.ArmState("left")):
            await asyncio.sleep(0.1)
        async with harness.holding(ph.Arm()) as client:
            assert client.device == "right_arm"

    on(virtual, tmp_path, left, right, play=play)


def test_an_emergency_stop_ends_every_grant(virtual: VirtualRunner, tmp_path: Path) -> None:
    arm = arm_at()

    async def play(harness: Harness) -> None:
        holder = asyncio.create_task(held(harness, 5.0))
        await asyncio.sleep(0.5)
        harness.movers.emergency_stop("enough")
        with pytest.raises(ph.ResourceFailed, match="emergency stop: enough"):
            await holder
        with pytest.raises(ph.ResourceUnavailable, match="emergency stop"):
            await held(harness)
        harness.movers.lift_emergency_stop()
        async with harness.holding(ph.Arm("left")) as client:
            await client.move_to((0.5, *HERE[1:]))

    on(virtual, tmp_path, arm, play=play)
