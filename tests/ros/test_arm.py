"""An arm over ROS: it goes where it is told, never jumps, and stands when anybody it needs is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from framework.processes.spec import ProcessSpec, python_child
from framework.transport.ring import RingWriter
from resources.children.specs import ENV_WITHOUT_GL
from resources.drivers.ros.motion_arguments import Joints, RosArmArguments, RosJointArguments
from resources.types.masters import HandSample, encode_hand
from resources.types.motion import (
    ArmSample,
    ControllerKind,
    Follow,
    Hold,
    MoveJoints,
    MovePose,
    TrackTwist,
)
from resources.types.streams import StreamHandle
from tests.ros.harness import RosHarness, ros_harness
from tests.ros.moving import ArmDiary, Heard, Moved, moved

READY = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)
"""Where their arm begins."""

_BUSY_S = 0.25
"""What two busy cores may add."""


class Rig:
    """An arm of theirs, and our two processes."""

    def __init__(self, ros: RosHarness, arm: Moved, folder: Path) -> None:
        self.ros, self.arm = ros, arm
        self.diary = ArmDiary(folder / "arm.diary")
        self.heard = Heard(folder / "arm.heard")

    def theirs(self, *options: str) -> None:
        """Start their arm."""
        self.ros.run("arm", "--diary", str(self.diary.path), "--heard", str(self.heard.path), *options)

    async def ours(self, *, beats: float = 2.5, **parameters: Any) -> None:
        """Start our processes; they are taken for dead without so many beats."""
        of_joints = RosJointArguments(run_directory=self.ros.directory, device="arm", **parameters)
        program = "resources.drivers.ros.joints_child:main"
        seen = await self.ros.start("joints", program, of_joints, StreamHandle, hang_after_beats=beats)
        arguments = RosArmArguments(
            run_directory=self.ros.directory,
            device="arm",
            orders=self.arm.orders,
            seen=seen.ring,
            **parameters,
        )
        spec = ProcessSpec(
            python_child("resources.drivers.ros.arm_child:main", arguments),
            "arm",
            env=ENV_WITHOUT_GL,
            start_timeout_s=20.0,
            hang_after_beats=beats,
            restart=None,
        )
        self.arm.watch(await self.ros.home.start("arm", spec, StreamHandle))

    async def up(self, way_m: float) -> MovePose:
        """A goal so far above where the tool is."""
        sample: ArmSample = await self.arm.sample()
        x, y, z, *rotation = sample.base_T_tool
        qx, qy, qz, qw = rotation
        return MovePose((x, y, z + way_m, qx, qy, qz, qw), speed=0.1)

    async def rising(self) -> None:
        """It is on its way up."""
        self.arm.hold()
        await self.arm.following(await self.up(0.25), lambda s: s.loop.progress > 0.05)


@asynccontextmanager
async def rig(folder: Path, *options: str, **parameters: Any) -> AsyncIterator[Rig]:
    async with ros_harness() as ros, moved(ros, "arm", ControllerKind.ARM) as arm:
        one = Rig(ros, arm, folder)
        one.theirs(*options)
        await one.ours(**parameters)
        yield one


@pytest.mark.parametrize("by", [Joints.POSITIONS, Joints.VELOCITIES, Joints.TRAJECTORY])
def test_it_goes_up_and_home_and_nothing_is_sent_when_nobody_holds_it(tmp_path: Path, by: Joints) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--by", by.value, by=by) as one:
            home = (await one.arm.sample()).q
            one.arm.hold()
            goal = await one.up(0.1)
            assert await one.arm.carry_out(goal) == ""
            sample = await one.arm.until(lambda s: s.loop.is_at_rest)
            assert sample.base_T_tool == pytest.approx(goal.base_T_tool, abs=0.006)
            assert await one.arm.carry_out(MoveJoints(home)) == ""
            one.arm.let_go()
            await one.heard.is_silent(0.7)
            assert (await one.arm.sample()).q == pytest.approx(home, abs=0.01)

    asyncio.run(main())


def test_a_new_holding_begins_where_the_arm_is_even_if_its_controller_was_off(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            one.arm.hold()
            assert await one.arm.carry_out(await one.up(0.1)) == ""
            one.arm.let_go()
            await one.heard.is_silent(0.7)
            # Whoever else moves it meanwhile: their arm begins anew, where it began at first.
            one.theirs()
            await one.arm.until(lambda s: s.loop.fault)
            await one.arm.until(lambda s: s.q == pytest.approx(READY, abs=1e-6))
            while words := await one.arm.recover():  # who listens is not known at once
                assert words == "nobody listens to /forward_position_controller/commands"
            one.arm.hold()
            one.arm.holder.keep(Hold())
            first = (await one.heard.until(bool))[0]
            jump_mrad = 1000 * max(abs(a - b) for a, b in zip(first[1:], READY, strict=True))
            assert jump_mrad <= 1.0
            assert await one.arm.carry_out(await one.up(0.05)) == ""

    asyncio.run(main())


def test_what_does_not_follow_ends_the_motion_and_is_told_nothing_old_after(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--off-after-s", "0", "--on-after-s", "3") as one:
            one.arm.hold()
            words = await one.arm.carry_out(await one.up(0.2))
            assert "the arm does not follow: joint" in words
            assert "its controller is off" in words
            await one.heard.is_silent(0.5)
            began_s = one.diary.turns()[0][0]
            await one.diary.until(lambda turns: turns[-1][0] > began_s + 3.2)
            assert not any(any(turn[1:8]) for turn in one.diary.turns())
            assert await one.arm.carry_out(await one.up(0.05)) == ""

    asyncio.run(main())


def test_it_stands_by_an_emergency_stop_while_the_supervisor_is_silent_and_without_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--by", "velocities", by=Joints.VELOCITIES) as one:
            await one.rising()
            one.ros.home.beats = False
            stopped_s = time.monotonic()
            one.ros.home.emergency.latch("a test")
            assert await one.diary.stands_since(stopped_s) < 0.3 + _BUSY_S
            assert "emergency stop: a test" in (await one.arm.sample()).loop.stopped
            one.arm.holder.cease()
            one.ros.home.beats = True
            one.ros.home.emergency.reset(one.ros.home.emergency.latest)
            await one.arm.until(lambda s: not s.loop.stopped)
            await one.rising()
            silent_s = time.monotonic()
            one.ros.home.beats = False
            assert await one.diary.stands_since(silent_s) < 0.2 + 0.3 + _BUSY_S

    asyncio.run(main())


@pytest.mark.parametrize(
    ("by", "ours", "how"),
    [
        (Joints.POSITIONS, "joints", signal.SIGKILL),
        (Joints.VELOCITIES, "joints", signal.SIGSTOP),
        (Joints.VELOCITIES, "arm", signal.SIGSTOP),
    ],
)
def test_without_either_of_our_processes_it_stands(
    tmp_path: Path, by: Joints, ours: str, how: signal.Signals
) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--by", by.value, by=by) as one:
            await one.rising()
            gone_s = time.monotonic()
            os.kill(one.ros.child(ours).pid, how)
            assert await one.diary.stands_since(gone_s) < 0.2 + _BUSY_S

    asyncio.run(main())


@pytest.mark.parametrize("ours", ["arm", "joints"])
def test_our_process_that_was_stopped_and_goes_on_does_not_move_it(tmp_path: Path, ours: str) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--by", "velocities", by=Joints.VELOCITIES, beats=100) as one:
            await one.rising()
            gone_s = time.monotonic()
            os.kill(one.ros.child(ours).pid, signal.SIGSTOP)
            await one.diary.until(lambda turns: turns[-1][0] > gone_s + 0.4)
            os.kill(one.ros.child(ours).pid, signal.SIGCONT)
            goes_on_s = time.monotonic()
            assert await one.diary.stands_since(goes_on_s) < 0.05

    asyncio.run(main())


def test_a_stream_moves_it_and_stops_when_it_ceases(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--by", "velocities", by=Joints.VELOCITIES) as one:
            one.arm.hold()
            before = (await one.arm.sample()).base_T_tool
            while (await one.arm.sample()).base_T_tool[2] < before[2] + 0.05:
                one.arm.holder.number += 1  # each target of a stream is a new one
                one.arm.holder.want(TrackTwist((0.0, 0.0, 0.08, 0.0, 0.0, 0.0)))
            ceased_s = time.monotonic()
            assert await one.diary.stands_since(ceased_s) < 0.1 + 0.3 + _BUSY_S

    asyncio.run(main())


class Hand:
    """Writes a person's hand, as the operator process does."""

    def __init__(self, folder: Path) -> None:
        self.ring = RingWriter(folder, "hand_me_right", slot_bytes=1024, slots=8)
        self._number = 0

    async def be(self, z: float, engagement: int, seconds: float, *, to: float | None = None) -> None:
        """At a height for a while, or on the way from it to another."""
        end = z if to is None else to
        steps = max(1, round(seconds / 0.016))
        for step in range(1, steps + 1):
            self._number += 1
            now_s = time.monotonic()
            pose = (0.0, 0.0, z + (end - z) * step / steps, 0.0, 0.0, 0.0, 1.0)
            sample = HandSample("me", self._number, now_s, now_s, engagement, base_T_hand=pose)
            self.ring.write(encode_hand(sample), stamp_s=now_s)
            await asyncio.sleep(0.016)


def test_a_hand_moves_it_and_when_that_falls_silent_it_stands(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            hand = Hand(tmp_path)
            one.arm.hold()
            before = (await one.arm.sample()).base_T_tool
            pressing = 0
            while True:  # on a busy machine a gap opens the clutch: a person presses anew
                pressing += 1
                one.arm.holder.keep(Follow(str(hand.ring.path), "me"))
                await hand.be(0.0, 0, 0.3)
                await hand.be(0.0, pressing, 0.4)
                await hand.be(0.0, pressing, 0.6, to=0.05)
                await hand.be(0.05, pressing, 0.2)
                silent_s = time.monotonic()
                if (await one.arm.sample()).base_T_tool[2] > before[2] + 0.03:
                    break
            assert await one.diary.stands_since(silent_s) < 0.1 + 0.3 + _BUSY_S
            assert "100 ms" in (await one.arm.until(lambda s: s.loop.engaged == 0)).loop.disengaged
            hand.ring.close()

    asyncio.run(main())


def test_states_that_are_none_are_a_fault(tmp_path: Path) -> None:
    async def main() -> None:
        words = "panda_joint5 is at nan rad"
        async with rig(tmp_path, "--nan-after-s", "3") as one:
            one.arm.hold()
            one.arm.holder.keep(await one.up(0.3))
            sample = await one.arm.until(lambda s: s.loop.fault)
            assert words in sample.loop.fault
            assert await one.diary.stands_since(time.monotonic()) < 0.3 + _BUSY_S
            assert words in await one.arm.recover()

    asyncio.run(main())


GOALS: dict[str, Any] = {
    "by": Joints.GOALS,
    "commands": "/joint_trajectory_controller/follow_joint_trajectory",
}


def elsewhere(sample: ArmSample) -> MoveJoints:
    """A posture not far from that of now."""
    q1, q2, q3, q4, q5, q6, q7 = sample.q
    return MoveJoints((q1 + 0.5, q2, q3, q4, q5, q6 - 0.3, q7), speed=0.3)


def test_by_goals_it_goes_to_postures_only_and_a_goal_is_cancelled_when_its_holder_lets_go(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with rig(tmp_path, **GOALS) as one:
            one.arm.hold()
            assert "goes to postures only" in await one.arm.carry_out(await one.up(0.1))
            goal = elsewhere(await one.arm.sample())
            assert await one.arm.carry_out(goal) == ""
            assert (await one.arm.sample()).q == pytest.approx(goal.joints, abs=0.01)
            await one.arm.following(MoveJoints(READY, speed=0.2), lambda s: s.q[0] < 0.4)
            one.arm.let_go()
            let_go_s = time.monotonic()
            assert await one.diary.stands_since(let_go_s) < 0.1 + _BUSY_S
            sample = await one.arm.until(lambda s: s.loop.is_at_rest)
            assert sample.q[0] > 0.1
            one.arm.hold()
            assert await one.arm.carry_out(MoveJoints(READY)) == ""

    asyncio.run(main())


@pytest.mark.parametrize("ours", ["arm", "joints"])
def test_by_goals_a_process_that_is_killed_ends_the_goal_or_its_server_does(
    tmp_path: Path, ours: str
) -> None:
    async def main() -> None:
        async with rig(tmp_path, **GOALS) as one:
            one.arm.hold()
            goal = elsewhere(await one.arm.sample())
            await one.arm.following(goal, lambda s: s.q[0] > 0.1)
            gone_s = time.monotonic()
            os.kill(one.ros.child(ours).pid, signal.SIGKILL)
            stands_s = await one.diary.stands_since(gone_s)
            if ours == "arm":
                assert stands_s < 0.2 + _BUSY_S
            else:  # nobody is left to cancel it: the goal ends by itself, where it was to end
                assert one.diary.turns()[-1][8:] == pytest.approx(goal.joints, abs=0.01)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("option", "words"),
    [("--refuses", "refuses the goal"), ("--never-ends", "the arm's controller does not end the goal")],
)
def test_by_goals_whatever_their_server_does_ends_in_words(tmp_path: Path, option: str, words: str) -> None:
    async def main() -> None:
        async with rig(tmp_path, option, **GOALS) as one:
            one.arm.hold()
            assert words in await one.arm.carry_out(elsewhere(await one.arm.sample()))
            await one.arm.until(lambda s: s.loop.is_at_rest)

    asyncio.run(main())
