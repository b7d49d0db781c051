"""A gripper over ROS: opens, closes, grasps, keeps what it holds; whatever its server does ends in words."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from resources.drivers.ros.motion_arguments import RosGripperArguments
from resources.types.motion import ControllerKind, MoveGripper
from resources.types.streams import StreamHandle
from tests.ros.harness import RosHarness, ros_harness
from tests.ros.moving import GripperDiary, Moved, moved

CLOSE = MoveGripper(0.0)
GRASP = MoveGripper(0.0, grasp=True)
OPEN = MoveGripper(0.08)

_BUSY_S = 0.25
"""What two busy cores may add."""


class Rig:
    """A gripper of theirs, and our process."""

    def __init__(self, ros: RosHarness, gripper: Moved, diary: GripperDiary) -> None:
        self.ros, self.gripper, self.diary = ros, gripper, diary

    def theirs(self, *options: str) -> None:
        """Start their gripper."""
        self.ros.run("gripper", "--diary", str(self.diary.path), *options)

    async def ours(self) -> None:
        """Start our process."""
        arguments = RosGripperArguments(
            run_directory=self.ros.directory, device="gripper", orders=self.gripper.orders
        )
        program = "resources.drivers.ros.gripper_child:main"
        stream = await self.ros.start("gripper", program, arguments, StreamHandle)
        self.gripper.watch(stream)
        self.gripper.hold()


@asynccontextmanager
async def rig(folder: Path, *options: str) -> AsyncIterator[Rig]:
    async with ros_harness() as ros, moved(ros, "gripper", ControllerKind.GRIPPER) as gripper:
        one = Rig(ros, gripper, GripperDiary(folder / "gripper.diary"))
        one.theirs(*options)
        await one.ours()
        yield one


def test_it_grasps_what_is_there_and_keeps_it_until_it_is_told_to_open(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--thing-m", "0.05") as one:
            gripper = one.gripper
            assert await gripper.carry_out(GRASP) == ""
            sample = await gripper.until(lambda s: s.holds)
            assert sample.width_m == pytest.approx(0.05, abs=1e-3)
            one.ros.home.emergency.latch("a test")
            await gripper.until(lambda s: s.loop.stopped)
            one.ros.home.emergency.reset(one.ros.home.emergency.latest)
            await gripper.until(lambda s: not s.loop.stopped)
            gripper.let_go()
            gripper.hold()
            assert (await gripper.sample()).holds
            assert await gripper.carry_out(OPEN) == ""
            sample = await gripper.sample()
            assert (sample.holds, sample.width_m) == (False, pytest.approx(0.08, abs=1e-3))

    asyncio.run(main())


def test_a_grasp_of_nothing_fails_and_a_goal_is_cancelled_when_its_holder_lets_go(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            assert "closed on nothing" in await one.gripper.carry_out(GRASP)
            await one.gripper.following(OPEN, lambda s: s.width_m > 0.01)
            one.gripper.let_go()
            let_go_s = time.monotonic()
            assert await one.diary.stands_since(let_go_s) < 0.1 + _BUSY_S
            assert (await one.gripper.until(lambda s: s.loop.is_at_rest)).width_m < 0.07

    asyncio.run(main())


@pytest.mark.parametrize(("options", "words"), [(("--refuses",), "gripper_cmd refuses the goal")])
def test_a_server_that_takes_nothing_is_told(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    async def main() -> None:
        async with rig(tmp_path, *options) as one:
            assert words in await one.gripper.carry_out(CLOSE)

    asyncio.run(main())


def test_a_goal_that_never_ends_ends_here_and_one_that_cannot_be_cancelled_is_a_fault(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--never-ends", "--keeps-on") as one:
            await one.gripper.following(CLOSE, lambda s: s.width_m < 0.07)
            one.gripper.holder.cease()  # its orders lapse, and the goal is cancelled
            sample = await one.gripper.until(lambda s: s.loop.fault)
            assert "does not end what it has been told to end" in sample.loop.fault

    asyncio.run(main())


def test_a_server_that_is_stopped_or_killed_with_a_goal_running_is_a_fault(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            await one.gripper.following(CLOSE, lambda s: s.width_m < 0.07)
            one.ros.kill("gripper", signal.SIGSTOP)
            sample = await one.gripper.until(lambda s: s.loop.fault)
            assert "no state of its fingers for 0.5" in sample.loop.fault
            one.ros.kill("gripper")
            one.theirs()
            await one.gripper.until(lambda s: s.width_m == pytest.approx(0.08, abs=1e-4))
            await one.gripper.until(lambda s: s.loop.is_at_rest)
            while words := await one.gripper.recover():  # who serves is not known at once
                assert words == "nobody serves /gripper_controller/gripper_cmd"
            one.gripper.hold()
            # The dead server counts as one that is there for some seconds, and answers nothing.
            while words := await one.gripper.carry_out(MoveGripper(0.06)):
                assert "has not answered" in words
                assert await one.gripper.recover() == ""
                one.gripper.hold()

    asyncio.run(main())


def test_our_process_gone_leaves_a_goal_to_their_server_which_ends_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            await one.gripper.following(CLOSE, lambda s: s.width_m < 0.07)
            gone_s = time.monotonic()
            os.kill(one.ros.child("gripper").pid, signal.SIGKILL)
            assert await one.diary.stands_since(gone_s) < 1.0 + _BUSY_S

    asyncio.run(main())
