"""What tests of everything that moves over ROS share: a holder, its reports, a scanner that sees nothing."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from framework.transport.ring import RingWriter
from resources.children.arguments import ControlArguments
from resources.types.motion import (
    ArmSample,
    BaseSample,
    ControllerKind,
    EndKind,
    GripperSample,
    LoopState,
    MotionCommand,
)
from resources.types.streams import SampleMeta, StreamHandle, encode_meta
from tests.framework.processes.family import PATIENCE_S
from tests.resources.children.harness import Holder, Watcher
from tests.ros.harness import RosHarness


class Moved:
    """One device whose process runs: who holds it, and what it reports."""

    def __init__(self, ros: RosHarness, device: str, kind: ControllerKind) -> None:
        self.device = device
        self.orders = str(ros.home.directory.path / f"orders_{device}.ring")
        arguments = ControlArguments(device=device, kind=kind, part="", orders=self.orders)
        self.holder = Holder(ros.home.directory.path, arguments)
        self.holder.write()
        self._watcher: Watcher | None = None
        self._generation = 0

    def watch(self, stream: StreamHandle) -> None:
        """Its process is ready."""
        self._watcher = Watcher(stream)

    def hold(self) -> None:
        """Somebody holds it from now on."""
        self._generation += 1
        self.holder.grant(f"lease {self._generation}", self._generation)

    def let_go(self) -> None:
        """Nobody does."""
        self.holder.cease()
        self.holder.grant("", self._generation)

    async def sample(self) -> Any:
        """The next report."""
        assert self._watcher is not None
        return await self._watcher.motion()

    async def until(self, wanted: Callable[[Any], bool]) -> Any:
        """The first report that is as wanted."""
        sample: ArmSample | GripperSample | BaseSample | None = None
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not wanted(sample := await self.sample()):
                    pass
        except TimeoutError:
            raise AssertionError(f"the last report was {sample}") from None
        return sample

    async def end_of(self, number: int) -> LoopState:
        """What became of a wish."""
        state: LoopState = (
            await self.until(lambda s: s.loop.done == number or s.loop.refused_number == number)
        ).loop
        return state

    async def carry_out(self, command: MotionCommand) -> str:
        """Have it do something; why it failed, or "". A busy machine's hiccup is wished again."""
        while True:
            number = self.holder.keep(command)
            state = await self.end_of(number)
            self.holder.cease()
            if state.refused_number == number:
                kind, words = state.refused_as, state.refusal
            else:
                kind, words = state.ended, state.outcome
            if not kind.passes or kind is EndKind.REACHED:
                return words

    async def following(self, command: MotionCommand, wanted: Callable[[Any], bool]) -> int:
        """Have it be on its way, so far as is wanted; the number of the wish."""
        while True:
            number = self.holder.keep(command)
            sample = await self.until(
                lambda s, number=number: s.loop.done == number or wanted(s)  # type: ignore[misc]
            )
            if sample.loop.following == number:
                return number
            assert sample.loop.ended.passes, sample.loop.outcome

    async def recover(self) -> str:
        """Order a recovery; what is wrong after it, or ""."""
        wanted = self.holder.orders.recoveries + 1
        self.holder.write(recoveries=wanted)
        sample = await self.until(lambda s: wanted in (s.loop.recoveries, s.loop.unrecovered))
        return str(sample.loop.fault)


@asynccontextmanager
async def moved(ros: RosHarness, device: str, kind: ControllerKind) -> AsyncIterator[Moved]:
    """One that is not running yet; its mailbox is there."""
    one = Moved(ros, device, kind)
    with one.holder:
        yield one


@asynccontextmanager
async def open_floor(ros: RosHarness, moved: Moved) -> AsyncIterator[None]:
    """A scanner that looks out for a base, and sees nothing within 20 m, 25 times a second."""
    ranges = np.full(361, 20.0, np.float32)
    with RingWriter(
        ros.home.directory.path, "floor_scans", slot_bytes=ranges.nbytes, slots=8, replace=True
    ) as writer:

        async def scan() -> None:
            while True:
                meta = SampleMeta(
                    time.monotonic(), angle_min=-math.pi, angle_increment=math.pi / 180, range_max=25.0
                )
                writer.write(ranges, stamp_s=time.monotonic(), meta=encode_meta(meta))
                await asyncio.sleep(0.04)

        scanning = asyncio.create_task(scan())
        moved.holder.write(scans=(("floor", str(writer.path)),))
        try:
            yield
        finally:
            scanning.cancel()


class Diary:
    """What a part of `tests.ros_robot` has written down: the truth, whoever else lives.

    path: its file; numbers: how many stand in a line, the first of them its monotonic time [s].
    """

    numbers = 0

    def __init__(self, path: Path) -> None:
        self.path = path

    def turns(self) -> list[tuple[float, ...]]:
        """All lines that are whole."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [tuple(map(float, line.split())) for line in lines if len(line.split()) == self.numbers]

    async def until(self, wanted: Callable[[list[tuple[float, ...]]], bool]) -> list[tuple[float, ...]]:
        """Wait until it is as wanted; at least one line."""
        while not (turns := self.turns()) or not wanted(turns):
            await asyncio.sleep(0.02)
        return turns

    async def is_silent(self, duration_s: float) -> None:
        """Wait until nothing has come for so long."""
        while not (turns := self.turns()) or time.monotonic() - turns[-1][0] < duration_s:
            await asyncio.sleep(0.05)

    def moves(self, turn: tuple[float, ...]) -> bool:
        """Whether it moved then."""
        raise NotImplementedError

    async def stands_since(self, event_s: float) -> float:
        """So long after an event it moved last [s]; it must have been standing for half a second."""
        while True:
            turns = self.turns()
            went = [turn[0] for turn in turns if self.moves(turn)]
            if turns and turns[-1][0] - max([event_s, *went]) > 0.5:
                return max(went, default=event_s) - event_s
            await asyncio.sleep(0.05)


class BaseDiary(Diary):
    """Of a base: time, velocity (3), pose (3), and how long ago a command came [s]."""

    numbers = 8

    def moves(self, turn: tuple[float, ...]) -> bool:
        """See `Diary`."""
        return any(turn[1:4])


class ArmDiary(Diary):
    """Of an arm: time, velocities (7), positions (7) [rad]."""

    numbers = 15

    def moves(self, turn: tuple[float, ...]) -> bool:
        """See `Diary`: more than what holding takes."""
        return max(map(abs, turn[1:8])) > 0.01


class Heard(Diary):
    """What an arm was told: time, numbers (7)."""

    numbers = 8


class GripperDiary(Diary):
    """Of a gripper: time, speed and position of a finger."""

    numbers = 3

    def moves(self, turn: tuple[float, ...]) -> bool:
        """See `Diary`."""
        return abs(turn[1]) > 0.001
