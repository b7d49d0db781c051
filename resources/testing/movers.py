"""Arms, grippers and bases as resources: their control loops are the real ones, what moves is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from framework.errors import ResourceUnavailable
from framework.registrar import CommandStamp, ResourceRegistrar, Supply
from framework.transport.interface import Transport
from framework.transport.messages import Command
from framework.transport.ring import RingWriter
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.testing.scripted_mover import ScriptedMover
from resources.types.arms import Arm, ArmState, Base, ControlHandle, Gripper, Motion, Recovery
from resources.types.motion import ControllerKind, Orders, decode_wanted, encode_motion
from resources.types.naming import listed, plain
from resources.types.streams import StreamFormat, StreamHandle

TICK_S = 0.01
"""How often a loop runs and reports."""

_SLOT_BYTES = 4096


class ScriptedLoop:
    """The control loop of one mover; it runs while somebody has to do with it."""

    def __init__(self, mover: ScriptedMover, directory: Path) -> None:
        self.mover = mover
        self.core = ControlLoopCore(mover.device, mover)
        self.stop = MotionStop()
        self.orders = Orders()
        self.failed: set[Supply] = set()
        name = f"motion_{mover.device}"
        self.state = StreamHandle(
            name, str(directory / f"{name}.ring"), StreamFormat(mover.kind.value), "base", 1.0 / TICK_S
        )
        self._directory = directory
        self._users = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def why_not(self) -> str:
        """Why it must not move now, and what to say about that; "" if it may."""
        device = self.mover.device
        if self.core.fault:
            return f'{device}: {self.core.fault}: say "recover the {plain(device)}"'
        return f"{device} does not move: {self.stop.words}" if self.stop.words else ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """It runs meanwhile."""
        self._users += 1
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"loop of {self.mover.device}")
            await asyncio.sleep(2 * TICK_S)
        try:
            yield
        finally:
            self._users -= 1
            if not self._users and self._task is not None:
                task, self._task = self._task, None
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def tick(self) -> None:
        """Wait until it has run once more."""
        await asyncio.sleep(TICK_S)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        before_s = loop.time()
        with RingWriter(
            self._directory, self.state.name, slot_bytes=_SLOT_BYTES, slots=8, replace=True
        ) as ring:
            while True:
                now_s = loop.time()
                self._step(now_s, now_s - before_s)
                ring.write(encode_motion(self.mover.sample(now_s, self.core.state())), stamp_s=now_s)
                before_s = now_s
                await asyncio.sleep(TICK_S)

    def _step(self, now_s: float, passed_s: float) -> None:
        self.core.begin_turn(self.orders, self.stop, now_s, recover=self.mover.recover)
        self.mover.tick(passed_s, now_s)
        self.core.end_turn(now_s, self.mover.fault)
        if self.why_not:
            for supply in self.failed:
                supply.fail(self.why_not)
            self.failed.clear()


class ScriptedMovers:
    """A registrar that provides Arm, ArmState, Gripper, Base, Motion and Recovery; an async context manager.

    Args:
        directory: where the rings are made.
        movers: what there is.
    """

    def __init__(
        self, transport: Transport, directory: Path, *movers: ScriptedMover, name: str = "movers"
    ) -> None:
        self.registrar = ResourceRegistrar(name, transport)
        self._loops = {mover.device: ScriptedLoop(mover, directory) for mover in movers}
        provides = self.registrar.provides
        provides(Motion)(self._motion)
        provides(ArmState)(self._arm_state)
        provides(Recovery)(self._recovery)
        for request_type in (Arm, Gripper, Base):
            provides(request_type, start_timeout_s=600.0)(self._mover)

    async def __aenter__(self) -> Self:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.registrar.__aexit__(kind, error, trace)

    def emergency_stop(self, reason: str = "") -> None:
        """Nothing moves any more, and every motion fails."""
        for loop in self._loops.values():
            loop.stop = MotionStop(emergency=True, reason=reason, token=loop.stop.token + 1)

    def lift_emergency_stop(self) -> None:
        """What asks anew may move."""
        for loop in self._loops.values():
            loop.stop = MotionStop(token=loop.stop.token)

    # -- providers

    @asynccontextmanager
    async def _motion(self, request: Motion, supply: Supply) -> AsyncIterator[Any]:
        loop = self._loop(request.device)
        async with loop.running():
            if loop.why_not:
                raise ResourceUnavailable(loop.why_not)
            supply.on_holder(lambda lease, generation: _held(loop, lease, generation))
            supply.on_command(lambda command: _commanded(loop, supply, command))
            supply.declare_safe_stop(lambda: _come_to_rest(loop))
            loop.failed.add(supply)
            try:
                yield loop.mover.handle(loop.state)
            finally:
                loop.failed.discard(supply)

    @asynccontextmanager
    async def _mover(self, request: Arm | Gripper | Base, supply: Supply) -> AsyncIterator[Any]:
        kind = {Arm: ControllerKind.ARM, Gripper: ControllerKind.GRIPPER, Base: ControllerKind.BASE}[
            type(request)
        ]
        loops = self._of(kind, getattr(request, "side", ""))
        free = [loop for loop in loops if not (loop.orders.holder or loop.core.fault)]
        device = (free or loops)[0].mover.device
        wish = self.registrar.request(Motion(device), exclusive=True, wait=supply.is_patient)
        async with wish as motion:
            supply.on_command(lambda command: motion.send(command.payload))
            supply.declare_safe_stop(lambda: _come_to_rest(self._loops[device]))
            yield motion.value

    @asynccontextmanager
    async def _arm_state(self, request: ArmState) -> AsyncIterator[Any]:
        loop = self._of(ControllerKind.ARM, request.side)[0]
        async with loop.running():
            yield loop.mover.handle(loop.state)

    @asynccontextmanager
    async def _recovery(self, request: Recovery) -> AsyncIterator[ControlHandle]:
        loop = self._loop(request.device)
        async with loop.running():
            loop.orders = msgspec.structs.replace(loop.orders, recoveries=loop.orders.recoveries + 1)
            while loop.core.fault:
                await loop.tick()
            mover = loop.mover
            yield ControlHandle(mover.device, mover.kind, mover.side, "scripted", loop.state)

    def _loop(self, device: str) -> ScriptedLoop:
        loop = self._loops.get(device)
        if loop is None:
            raise ResourceUnavailable(f"nothing is called {device!r}; there is {listed(self._loops)}")
        return loop

    def _of(self, kind: ControllerKind, side: str) -> list[ScriptedLoop]:
        every = [loop for loop in self._loops.values() if loop.mover.kind is kind]
        found = [loop for loop in every if side in ("", loop.mover.side)]
        if not found:
            there = listed(plain(loop.mover.device) for loop in every) or "none"
            raise ResourceUnavailable(f"there is no {f'{side} {kind.value}'.strip()}; there is {there}")
        return found


def _held(loop: ScriptedLoop, lease: str, generation: int) -> None:
    loop.orders = msgspec.structs.replace(loop.orders, holder=lease, generation=generation)


def _commanded(loop: ScriptedLoop, supply: Supply, command: Command) -> None:
    stamp = CommandStamp(supply.holder, supply.generation, command.sequence, command.sent_s)
    loop.orders = msgspec.structs.replace(loop.orders, stamp=stamp, wanted=decode_wanted(command.payload))


async def _come_to_rest(loop: ScriptedLoop) -> None:
    loop.orders = msgspec.structs.replace(loop.orders, rests=loop.orders.rests + 1)
    async with loop.running():
        while loop.core.state().rests < loop.orders.rests:
            await loop.tick()
