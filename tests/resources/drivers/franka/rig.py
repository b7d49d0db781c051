"""The process of a real arm or gripper before a control box: mailbox, latch and heartbeat, no managers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from framework.processes.child_events import Said
from framework.processes.emergency import EmergencyStop
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess
from framework.registrar.fencing import CommandStamp
from framework.transport.ring import RingReader
from framework.transport.run_directory import RunDirectory
from resources.controllers.mailbox import OrdersWriter
from resources.drivers.franka.arguments import FciArmArguments, FciGripperArguments, Realtime
from resources.drivers.franka.handles import FciGripperFeed
from resources.drivers.franka.specs import fci_arm_spec, fci_gripper_spec
from resources.types.motion import (
    ArmSample,
    EndKind,
    GripperSample,
    MotionCommand,
    MovePose,
    Orders,
    Wanted,
)
from resources.types.streams import Pose7, StreamHandle
from tests.framework.processes.family import Diary, launcher

S = TypeVar("S", ArmSample, GripperSample)

TRIES = 5
PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong


class Rig(Generic[S]):
    """The manager's side of one child. `holder` commands with rising numbers; `repeats` as clients do."""

    def __init__(
        self,
        child: ChildProcess,
        diary: Diary,
        emergency: EmergencyStop,
        mailbox: OrdersWriter,
        stream: StreamHandle,
        sample_type: type[S],
    ) -> None:
        self.child = child
        self.diary = diary
        self.emergency = emergency
        self.beats = True
        self.stream = stream
        self.orders = Orders()
        self._mailbox = mailbox
        self._sample_type: type[S] = sample_type
        self._reader = RingReader(Path(stream.ring))
        self._seen = 0
        self._sequence = 0
        self._number = 0
        self._repeating: asyncio.Task[None] | None = None

    # ------------------------------------------------------------ what a manager does

    def order(self, **changes: Any) -> None:
        """Change the orders as they stand."""
        self.orders = msgspec.structs.replace(self.orders, **changes)
        self._mailbox.write(self.orders, time.monotonic())

    def hold(self, lease: str) -> None:
        """Somebody else has it now; "" nobody."""
        self._sequence = 0
        generation = self.orders.generation + bool(lease)
        self.order(holder=lease, generation=generation, stamp=None, wanted=None)

    def wish(self, command: MotionCommand, number: int = 0) -> int:
        """One command of the holder; a number repeats one."""
        if not number:
            self._number += 1
        self._sequence += 1
        orders = self.orders
        stamp = CommandStamp(orders.holder, orders.generation, self._sequence, time.monotonic())
        self.order(stamp=stamp, wanted=Wanted(number or self._number, command))
        return number or self._number

    def repeat(self, command: MotionCommand) -> int:
        """A command of the holder, repeated until the next one or `cease`."""
        self.cease()
        number = self.wish(command)

        async def go_on() -> None:
            while True:
                await asyncio.sleep(0.03)
                self.wish(command, number)

        self._repeating = asyncio.create_task(go_on())
        return number

    def cease(self) -> None:
        """No more repetitions."""
        if self._repeating is not None:
            self._repeating.cancel()
            self._repeating = None

    # ------------------------------------------------------------ what can be seen

    async def sample(self) -> S:
        """The next report."""
        async with asyncio.timeout(PATIENCE_S):
            while (sample := self._reader.latest(self._seen)) is None:
                await asyncio.sleep(0.002)
        self._seen = sample.sequence
        decoded: S = msgspec.msgpack.decode(sample.payload, type=self._sample_type)
        return decoded

    async def until(self, condition: Callable[[S], bool]) -> S:
        """The first report that is so."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition(sample := await self.sample()):
                pass
        return sample

    async def ended(self, number: int) -> str:
        """What became of a command: "" if its goal was reached."""
        return (await self._ended(number))[0]

    async def _ended(self, number: int) -> tuple[str, EndKind]:

        def is_over(sample: S) -> bool:
            loop = sample.loop
            # On a busy machine a command may be too old when it comes; it is repeated.
            return loop.done == number or (
                loop.refused_number == number and loop.refused_as is not EndKind.LATE
            )

        sample = await self.until(is_over)
        self.cease()
        loop = sample.loop
        if loop.done == number:
            return loop.outcome, loop.ended
        return f"refused: {loop.refusal}", loop.refused_as

    async def carry_out(self, command: MotionCommand) -> str:
        """Have a command carried out: "" or why its goal was not reached.

        What a busy machine did not serve in time, and what therefore came to rest, is wished anew.
        """
        for _ in range(TRIES - 1):
            outcome, kind = await self._ended(self.repeat(command))
            if not kind.passes:
                return outcome
        return await self.ended(self.repeat(command))

    async def faulty(self) -> str:
        """The fault that it reports."""
        sample = await self.until(lambda s: bool(s.loop.fault))
        self.cease()
        return sample.loop.fault

    async def recovered(self) -> str:
        """Order a recovery: "" once it is well, or the fault that it still has after it was carried out."""
        number = self.orders.recoveries + 1
        self.order(recoveries=number)
        sample = await self.until(lambda s: s.loop.recoveries >= number or s.loop.unrecovered >= number)
        return sample.loop.fault

    def said(self) -> str:
        """All that the child has told."""
        return " | ".join(said.message for said in self.diary.all(Said))


@asynccontextmanager
async def arm(address: str, **changes: Any) -> AsyncIterator[Rig[ArmSample]]:
    """An arm's child at work. `spec`: changes of its ProcessSpec; all else: of its arguments."""
    spec_changes = changes.pop("spec", {})
    # A test that is not about the heartbeat must not fail where the machine is busy.
    changes.setdefault("heartbeat_timeout_s", 2.0)
    changes.setdefault("realtime", Realtime.NONE)
    async with _rig("arm") as (directory, mailbox, start):
        arguments = FciArmArguments(
            run_directory=str(directory), device="arm", address=address, orders=str(mailbox.path), **changes
        )
        spec = msgspec.structs.replace(fci_arm_spec(arguments), **spec_changes)
        async with start(spec) as (child, diary, emergency):
            stream = msgspec.json.decode(child.handle, type=StreamHandle)
            rig = Rig(child, diary, emergency, mailbox, stream, ArmSample)
            async with _beating(rig):
                yield rig


@asynccontextmanager
async def gripper(address: str, **changes: Any) -> AsyncIterator[Rig[GripperSample]]:
    """A gripper's child at work."""
    changes.setdefault("heartbeat_timeout_s", 2.0)
    async with _rig("gripper") as (directory, mailbox, start):
        arguments = FciGripperArguments(
            run_directory=str(directory),
            device="gripper",
            address=address,
            orders=str(mailbox.path),
            **changes,
        )
        async with start(fci_gripper_spec(arguments)) as (child, diary, emergency):
            feed = msgspec.json.decode(child.handle, type=FciGripperFeed)
            rig = Rig(child, diary, emergency, mailbox, feed.state, GripperSample)
            async with _beating(rig):
                yield rig


@asynccontextmanager
async def _rig(name: str) -> AsyncIterator[tuple[Path, OrdersWriter, Any]]:
    with RunDirectory.create() as directory:
        emergency = EmergencyStop.create(directory.path)
        emergency.beat(time.monotonic())
        mailbox = OrdersWriter(directory.path, name)
        diary = Diary()

        @asynccontextmanager
        async def start(spec: ProcessSpec) -> AsyncIterator[tuple[ChildProcess, Diary, EmergencyStop]]:
            async with launcher().launch(spec, on_event=diary) as child:
                yield child, diary, emergency

        try:
            yield directory.path, mailbox, start
        finally:
            mailbox.close()
            emergency.remove()


@asynccontextmanager
async def _beating(rig: Rig[S]) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            if rig.beats:
                rig.emergency.beat(time.monotonic())
            await asyncio.sleep(0.02)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        rig.cease()
        beating.cancel()


def raised(pose: Pose7, by_m: float) -> MovePose:
    """Straight up."""
    x, y, z, *rotation = pose
    qx, qy, qz, qw = rotation
    return MovePose((x, y, z + by_m, qx, qy, qz, qw))
