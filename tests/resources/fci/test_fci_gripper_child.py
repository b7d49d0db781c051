"""The processes of a real gripper with the genuine pylibfranka, before a simulated control box."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import Failed, Lost
from resources.fci_sim import Scene, SimulatedControlBox
from resources.types.motion import GripperSample, MoveGripper
from tests.framework.processes.family import is_running, until
from tests.resources.fci.rig import Rig, gripper
from tests.resources.fci.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

GripperRig = Rig[GripperSample]


def play(box: SimulatedControlBox, scene: Callable[[GripperRig], Awaitable[None]], **changes: object) -> None:
    """A scene with one gripper."""

    async def run() -> None:
        async with asyncio.timeout(180), gripper(box.address, **changes) as rig:
            await scene(rig)

    asyncio.run(run())


def helper_of(pid: int) -> int:
    """The process that makes the calls."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (helper,) = (int(child) for child in children)
    return helper


def test_it_opens_closes_grasps_and_says_when_there_was_nothing() -> None:
    async def scene(rig: GripperRig) -> None:
        rig.hold("lease")
        assert await rig.carry_out(MoveGripper(0.05, speed=0.1)) == ""
        outcome = await rig.carry_out(MoveGripper(0.0, speed=0.1, grasp=True))
        assert outcome == "the gripper closed on nothing: its fingers stand 0 mm apart"
        assert await rig.carry_out(MoveGripper(0.08, speed=0.1)) == ""
        box.hold_object(0.03)
        assert await rig.carry_out(MoveGripper(0.0, speed=0.1, force_n=30.0, grasp=True)) == ""
        held = await rig.sample()
        assert held.holds
        assert held.width_m == pytest.approx(0.03, abs=1e-3)
        assert held.force_n == 30.0
        rig.hold("")
        rig.emergency.latch("a test")
        kept = await rig.until(lambda s: bool(s.loop.stopped))
        assert kept.holds, "a stop drops nothing"

    with SimulatedControlBox(lock_step=False) as box:
        play(box, scene, homing=False)


def test_it_finds_its_end_stops_before_the_first_motion() -> None:
    async def scene(rig: GripperRig) -> None:
        rig.hold("lease")
        number = rig.repeat(MoveGripper(0.06, speed=0.1))
        homing = await rig.until(lambda s: s.loop.mode == "find the end stops")
        assert not homing.loop.is_at_rest
        assert await rig.ended(number) == ""

    with SimulatedControlBox(lock_step=False) as box:
        play(box, scene)


def test_a_call_that_blocks_is_stopped_in_the_middle() -> None:
    """By the emergency stop, by an order to rest, and by the next holder."""

    async def scene(rig: GripperRig) -> None:
        rig.hold("lease")
        number = rig.repeat(MoveGripper(0.0, speed=0.01))
        await rig.until(lambda s: s.loop.following == number and s.width_m < 0.078)
        rig.emergency.latch("a test")
        stopped = await rig.until(lambda s: bool(s.loop.stopped) and s.loop.is_at_rest)
        assert stopped.loop.outcome == "emergency stop: a test"
        assert stopped.width_m > 0.06
        rig.cease()
        rig.emergency.reset(rig.emergency.token)
        await rig.until(lambda s: not s.loop.stopped)
        rig.hold("another")
        number = rig.repeat(MoveGripper(0.0, speed=0.01))
        await rig.until(lambda s: s.loop.following == number and s.width_m < stopped.width_m - 2e-3)
        rig.cease()
        rig.order(rests=1, stamp=None, wanted=None)
        rested = await rig.until(lambda s: s.loop.rests == 1 and s.loop.is_at_rest)
        assert rested.width_m > 0.05
        rig.hold("a third")
        assert await rig.carry_out(MoveGripper(0.08, speed=0.1)) == ""

    with SimulatedControlBox(lock_step=False) as box:
        play(box, scene, homing=False)


@pytest.mark.soak
def test_a_box_that_dies_is_a_lost_link() -> None:
    async def scene(rig: GripperRig) -> None:
        await rig.sample()
        os.kill(box.pid, signal.SIGKILL)
        assert "no link" in (await rig.diary.first(Failed)).message

    with SimulatedControlBox(lock_step=False) as box:
        play(box, scene)


def test_the_helper_ends_with_the_process_and_the_process_with_the_helper() -> None:
    async def killed(rig: GripperRig) -> None:
        helper = helper_of(rig.child.pid)
        os.kill(rig.child.pid, signal.SIGKILL)
        await rig.diary.first(Lost)
        await until(lambda: not is_running(helper))

    async def alone(rig: GripperRig) -> None:
        await rig.sample()
        os.kill(helper_of(rig.child.pid), signal.SIGKILL)
        assert "the process that moves the gripper has ended" in (await rig.diary.first(Failed)).message

    with SimulatedControlBox(lock_step=False) as box:
        play(box, killed)
        play(box, alone)


@pytest.mark.soak
def test_a_gripper_that_holds_something_at_the_start_is_not_opened_by_itself() -> None:
    async def scene(rig: GripperRig) -> None:
        rig.hold("lease")
        assert await rig.carry_out(MoveGripper(0.0, speed=0.1, grasp=True)) == ""

    async def again(rig: GripperRig) -> None:
        assert (await rig.sample()).holds
        rig.hold("lease")
        assert await rig.carry_out(MoveGripper(0.0, grasp=True)) == ""
        assert (await rig.sample()).holds

    with SimulatedControlBox(lock_step=False, scene=Scene(object_width_m=0.04)) as box:
        play(box, scene, homing=False)
        play(box, again, homing=True)


def test_an_address_without_a_gripper_says_so() -> None:
    async def run() -> str:
        with pytest.raises(ProcessStartFailed) as caught:
            async with gripper("127.0.0.93"):
                pass
        return str(caught.value)

    assert "FCI" in asyncio.run(run())
