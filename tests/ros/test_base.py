"""A base over ROS: it drives, and it stands when anybody who has a say in it is gone."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from resources.drivers.ros.motion_arguments import RosBaseArguments
from resources.types.motion import BaseSample, ControllerKind, Drive, MoveBase
from resources.types.streams import StreamHandle
from tests.ros.harness import RosHarness, ros_harness
from tests.ros.moving import BaseDiary, Moved, moved, open_floor

WATCHDOG_S = 0.3
"""Of the base itself (`tests.ros_robot.base`)."""

_BUSY_S = 0.25
"""What two busy cores may add."""


class Rig:
    """A base of theirs, and our process."""

    def __init__(self, ros: RosHarness, base: Moved, diary: BaseDiary) -> None:
        self.ros, self.base, self.diary = ros, base, diary

    def theirs(self, *options: str) -> None:
        """Start their base."""
        self.ros.run("base", "--diary", str(self.diary.path), *options)

    async def ours(self, *, beats: float = 2.5, **parameters: Any) -> None:
        """Start our process; it is taken for dead without so many beats."""
        arguments = RosBaseArguments(
            run_directory=self.ros.directory, device="base", orders=self.base.orders, **parameters
        )
        stream = await self.ros.start(
            "base",
            "resources.drivers.ros.base_child:main",
            arguments,
            StreamHandle,
            rate_hz=50.0,
            hang_after_beats=beats,
        )
        self.base.watch(stream)

    async def driving(self) -> None:
        """It goes forward."""
        self.base.hold()
        await self.base.following(MoveBase(50.0, 0.0, 0.0, speed=0.4), lambda s: s.velocity[0] > 0.3)


@asynccontextmanager
async def rig(folder: Path, *options: str, **parameters: Any) -> AsyncIterator[Rig]:
    async with (
        ros_harness() as ros,
        moved(ros, "base", ControllerKind.BASE) as base,
        open_floor(ros, base),
    ):
        one = Rig(ros, base, BaseDiary(folder / "base.diary"))
        one.theirs(*options)
        await one.ours(**parameters)
        yield one


def test_it_goes_where_it_is_told_and_leaves_the_wheels_to_others_then(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            one.base.hold()
            assert await one.base.carry_out(MoveBase(0.3, 0.1, 0.4)) == ""
            sample: BaseSample = await one.base.until(lambda s: s.loop.is_at_rest)
            assert sample.odometry == pytest.approx((0.3, 0.1, 0.4), abs=0.01)
            one.base.let_go()
            turn = one.diary.turns()[-1]
            assert turn[4:7] == pytest.approx((0.3, 0.1, 0.4), abs=0.01)
            await one.base.until(lambda s: one.diary.turns()[-1][7] > 0.4)

    asyncio.run(main())


def test_it_stands_by_an_emergency_stop_while_the_supervisor_is_silent_and_without_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, "--stamped", stamped=True) as one:
            await one.driving()
            one.ros.home.beats = False
            stopped_s = time.monotonic()
            one.ros.home.emergency.latch("a test")
            # Braking from .4 m/s takes .25 s.
            assert await one.diary.stands_since(stopped_s) < 0.25 + _BUSY_S
            sample = await one.base.sample()
            assert "emergency stop: a test" in sample.loop.stopped
            one.base.holder.cease()
            one.ros.home.beats = True
            one.ros.home.emergency.reset(one.ros.home.emergency.latest)
            await one.base.until(lambda s: not s.loop.stopped)
            await one.driving()
            silent_s = time.monotonic()
            one.ros.home.beats = False
            assert await one.diary.stands_since(silent_s) < 0.2 + 0.25 + _BUSY_S

    asyncio.run(main())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_without_our_process_its_own_watchdog_stops_it(tmp_path: Path, how: signal.Signals) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            await one.driving()
            gone_s = time.monotonic()
            os.kill(one.ros.child("base").pid, how)
            assert await one.diary.stands_since(gone_s) < WATCHDOG_S + _BUSY_S

    asyncio.run(main())


def test_our_process_that_was_stopped_and_goes_on_does_not_move_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path, beats=100) as one:
            await one.driving()
            gone_s = time.monotonic()
            os.kill(one.ros.child("base").pid, signal.SIGSTOP)
            await one.diary.until(lambda turns: turns[-1][0] > gone_s + 0.4)
            os.kill(one.ros.child("base").pid, signal.SIGCONT)
            goes_on_s = time.monotonic()
            assert await one.diary.stands_since(goes_on_s) < 0.05

    asyncio.run(main())


def test_odometry_whose_node_is_gone_is_a_fault_that_ends_with_a_recovery(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            await one.driving()
            one.ros.kill("base", signal.SIGSTOP)
            sample = await one.base.until(lambda s: s.loop.fault)
            assert "no odometry for 0.3" in sample.loop.fault
            assert "/base has /odom, but no message comes" in sample.loop.fault
            assert "no odometry" in await one.base.recover()
            one.ros.kill("base")
            one.theirs()
            await one.base.until(lambda s: abs(s.odometry[0]) < 0.01)
            while words := await one.base.recover():  # who listens is not known at once
                assert words == "nobody listens to /cmd_vel"
            one.base.hold()
            # The dead one counts as a listener for some seconds: until the new one is known nothing moves.
            while words := await one.base.carry_out(MoveBase(0.2, 0.0, 0.0)):
                assert words == "something holds the base"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--jump-after-s", "1.5"), "its odometry: it jumped by 2.0"),
        (("--late-after-s", "1.5"), "/odom: its (time .* goes back by 9|stamp is 100)"),
    ],
)
def test_odometry_that_is_none_stops_it(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    async def main() -> None:
        async with rig(tmp_path, *options) as one:
            one.base.hold()
            one.base.holder.keep(MoveBase(50.0, 0.0, 0.0, speed=0.4))
            sample = await one.base.until(lambda s: s.loop.fault)
            assert re.search(words, sample.loop.fault)
            faulty_s = time.monotonic()
            assert await one.diary.stands_since(faulty_s) < 0.25 + _BUSY_S

    asyncio.run(main())


def test_what_nobody_scans_is_not_driven(tmp_path: Path) -> None:
    async def main() -> None:
        async with rig(tmp_path) as one:
            one.base.holder.write(scans=())
            one.base.hold()
            one.base.holder.keep(Drive(forward=0.2))
            sample = await one.base.until(lambda s: s.blocked)
            assert sample.blocked == "no scanner guards the base"
            assert not any(turn[1] for turn in one.diary.turns())

    asyncio.run(main())
