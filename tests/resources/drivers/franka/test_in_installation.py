"""A whole installation with a real arm: robot file, managers, and the genuine pylibfranka below."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Priority, ReasonKind
from pilothouse.installation import Installation, Settings
from resources.fci_sim import Reflex, SimulatedControlBox, UserStop
from resources.robots.worlds import ROBOTS
from resources.types.arms import Arm, Gripper, Recovery
from resources.types.motion import MoveGripper
from resources.types.motion_clients import ArmClient, GripperClient
from tests.resources.drivers.franka.bench import without_pauses
from tests.resources.drivers.franka.rig import raised
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

EXAMPLE = ROBOTS / "hardware" / "franka_bench.yaml"


def robot_file(folder: Path, address: str) -> Path:
    """What an integrator does with our example: another address."""
    file = folder / "robot.yaml"
    text = EXAMPLE.read_text()
    assert text.count("address: 172.16.0.2") == 2
    # Nothing here is about the heartbeat, which a busy machine may delay.
    text = text.replace("172.16.0.2", f"{address}\n      heartbeat_timeout_s: 1.5", 1)
    text = text.replace("172.16.0.2", f"{address}, heartbeat_timeout_s: 1.5")
    text = text.replace("realtime: ignore", "realtime: none")
    file.write_text(text.replace("homing: true", "homing: false"))
    return file


@asynccontextmanager
async def installation(folder: Path, address: str) -> AsyncIterator[Installation]:
    settings = Settings(state=folder / "state", robot=str(robot_file(folder, address)), port=0)
    async with asyncio.timeout(240), Installation(settings) as running:
        with without_pauses():
            yield running


def client(lease: Lease) -> ArmClient:
    return ArmClient("arm", lease)


async def nudge(arm: ArmClient, by_m: float) -> None:
    """A little way up."""
    before = (await arm.state()).base_T_tool
    goal = raised(before, by_m).base_T_tool
    await arm.move_to(goal)
    assert (await arm.state()).base_T_tool[2] == pytest.approx(goal[2], abs=3e-3)


async def moved(running: Installation) -> None:
    """Have it for a plan, and move it."""
    registrar, permit = running.managers.registrars[0], running.interlock.permit("1")
    async with registrar.request(Arm(), exclusive=True, permit=permit) as lease:
        await nudge(client(lease), 0.01)


async def moved_by_word_only(running: Installation) -> None:
    """After a loss it is moved by nobody, until an operator says so."""
    with pytest.raises(ResourceUnavailable) as refused:
        await moved(running)
    assert refused.value.reason.kind is ReasonKind.NEEDS_WORD
    running.interlock.give_word("1")
    await moved(running)


async def recovered(registrar: ResourceRegistrar) -> None:
    """What somebody has confirmed."""
    async with registrar.request(Recovery("arm")):
        pass


def test_an_arm_is_moved_taken_by_an_operator_has_a_reflex_and_is_recovered(tmp_path: Path) -> None:
    async def preempted(registrar: ResourceRegistrar, box: SimulatedControlBox) -> None:
        moving = asyncio.Event()

        async def autonomy() -> None:
            async with registrar.request(Arm(), exclusive=True) as lease:
                arm = client(lease)
                goal = raised((await arm.state()).base_T_tool, 0.15).base_T_tool
                await arm.move_to(
                    goal, speed=0.02, progress=lambda done: moving.set() if done > 0.02 else None
                )

        task = asyncio.create_task(autonomy())
        await moving.wait()
        async with registrar.request(Arm(), exclusive=True, priority=Priority.OPERATOR) as lease:
            with pytest.raises(Preempted):
                await task
            status = await asyncio.to_thread(box.status)
            assert max(map(abs, status.dq)) < 0.02, "the next holder gets an arm that stands"
            await nudge(client(lease), 0.02)

    async def hurt(running: Installation, box: SimulatedControlBox) -> None:
        registrar, permit = running.managers.registrars[0], running.interlock.permit("1")
        async with registrar.request(Arm(), exclusive=True, permit=permit) as lease:
            await nudge(client(lease), 0.02)
            box.inject(Reflex(flag="cartesian_reflex"))
            await asyncio.Event().wait()

    async def scenario(box: SimulatedControlBox) -> None:
        async with installation(tmp_path, box.address) as running:
            registrar = running.managers.registrars[0]
            await preempted(registrar, box)
            running.interlock.give_word("1")
            with pytest.raises(ResourceFailed) as failed:
                await hurt(running, box)
            assert "the tool met more resistance than it may (cartesian_reflex)" in str(failed.value)
            assert 'say "recover the arm"' in str(failed.value)
            with pytest.raises(ResourceUnavailable, match="cartesian_reflex"):
                await moved(running)
            await recovered(registrar)
            await moved_by_word_only(running)

    with SimulatedControlBox(lock_step=True) as box:
        asyncio.run(scenario(box))


def test_a_user_stop_refuses_recovery_in_words_and_a_box_that_dies_is_replaced_by_a_new_one(
    tmp_path: Path,
) -> None:
    async def cut_off(registrar: ResourceRegistrar, box: SimulatedControlBox) -> None:
        async with registrar.request(Arm(), exclusive=True) as lease:
            await nudge(client(lease), 0.02)
            os.kill(box.pid, signal.SIGKILL)
            await asyncio.Event().wait()

    async def scenario(first: SimulatedControlBox) -> None:
        async with installation(tmp_path, first.address) as running:
            registrar = running.managers.registrars[0]
            with pytest.raises(ResourceUnavailable, match="user stop is pressed"):
                await moved(running)
            with pytest.raises(
                ResourceUnavailable, match="has not recovered: the user stop is pressed: release"
            ):
                await recovered(registrar)
            await asyncio.to_thread(first.clear)
            await recovered(registrar)
            with pytest.raises(ResourceFailed, match="no link to the arm"):
                await cut_off(registrar, first)
            first.close()
            with pytest.raises(ResourceUnavailable, match="FCI"):
                await moved(running)
            second = SimulatedControlBox(lock_step=True, addresses=first.addresses)
            await asyncio.to_thread(second.__enter__)
            try:
                await moved_by_word_only(running)
            finally:
                await asyncio.to_thread(second.close)

    with SimulatedControlBox(faults=[UserStop()]) as first:
        asyncio.run(scenario(first))


def test_the_gripper_of_the_file_is_one_too(tmp_path: Path) -> None:
    async def scenario(box: SimulatedControlBox) -> None:
        async with installation(tmp_path, box.address) as running:
            registrar = running.managers.registrars[0]
            async with registrar.request(Gripper(), exclusive=True) as lease:
                gripper = GripperClient("gripper", lease)
                await gripper.carry_out(MoveGripper(0.03, speed=0.1))
                assert (await gripper.state()).width_m == pytest.approx(0.03, abs=1e-3)

    with SimulatedControlBox(lock_step=False) as box:
        asyncio.run(scenario(box))
