"""The right to move one device, as a resource: its holder's commands become orders in the device's mailbox.

The registrar decides who holds it; the control loop enforces that, by holder, generation, sequence and time.
In between nothing is kept but the newest order. Whatever ends in the loop (an emergency stop, a reflex) ends
the right itself: it has to be asked for anew, so that nothing goes on by itself afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.registrar import CommandStamp, Lease, Supply
from framework.status import Severity, Status
from framework.transport.messages import Command
from framework.unreadable import UNREADABLE
from managers.base_track import BaseTrack
from managers.control_loops import LOOK_S, Control, ControlLoops, MotionHandle
from resources.types.arms import BaseHandle, ControlLoop, Motion
from resources.types.motion import BaseSample, ControllerKind, LoopState, StopKind, decode_wanted
from resources.types.sensors import Device, ScanFeed

REST_S = 2.0
"""A device has come to rest within this, or has failed [s]."""

TAKE_OVER_S = 1.0
"""A loop follows a new holder within this [s], even if its process has just had to wait for a processor."""


class Mover:
    """One device, while there is somebody who may move it.

    Args:
        monotonic_s: reads CLOCK_MONOTONIC, with which commands are stamped for the loop.
        is_gone: whether the loop is lost: then nothing is known of it any more.
        track: of a base, where it has been.
    """

    def __init__(
        self,
        control: Control,
        supply: Supply,
        clock: Clock,
        monotonic_s: Callable[[], float],
        *,
        is_gone: Callable[[], bool],
        freed: Callable[[], None],
        track: BaseTrack | None = None,
    ) -> None:
        self._control = control
        self._supply = supply
        self._clock = clock
        self._monotonic_s = monotonic_s
        self._is_gone = is_gone
        self._freed = freed
        self._track = track
        self._granted_s = 0.0
        self._is_over = False
        self._has_complained = False
        self.lease = ""
        self.generation = 0

    def held_by(self, lease: str, generation: int) -> None:
        """The commanding lease has changed: the loop hears it before any command under it."""
        self.lease, self.generation = lease, generation
        self._granted_s = self._clock.now_s()
        self._has_complained = False
        self._control.order(holder=lease, generation=generation, stamp=None, wanted=None)
        if not lease:
            self._freed()
        elif self._track is not None:
            self._track.departs()

    def carry_out(self, command: Command) -> None:
        """Order what the holder wants. What the command is worth the loop judges, and reports."""
        try:
            wanted = decode_wanted(command.payload)
        except UNREADABLE as error:
            if not self._has_complained:
                self._has_complained = True
                words = (
                    f"{self._control.device.name}: a command of {len(command.payload)} bytes is none: {error}"
                )
                self._supply.report(Severity.WARNING, words)
            return
        # The registrar's clock and that of the loop need not begin at the same moment.
        sent_s = self._monotonic_s() - (self._clock.now_s() - command.sent_s)
        stamp = CommandStamp(command.lease, command.generation, command.sequence, sent_s)
        self._control.order(stamp=stamp, wanted=wanted)

    async def come_to_rest(self) -> None:
        """Have it stop, and wait until it stands; the registrar does not wait longer than `REST_S`."""
        rests = self._control.orders.rests + 1
        self._control.order(rests=rests, stamp=None, wanted=None)
        while not self._is_gone():
            state = self._control.look()
            if state is not None and state.rests >= rests and state.is_at_rest:
                return
            await self._clock.sleep(LOOK_S)

    def look(self, state: LoopState) -> None:
        """What the loop reports: does it end the right to move?"""
        name = self._control.device.name
        if self._track is not None and isinstance(self._control.report, BaseSample):
            self._track.at(self._control.report.odometry)
        if self._is_over:
            return
        if state.fault:
            self._end(self._control.remedy)
        elif not self.lease:
            return
        elif state.generation >= self.generation and state.holder != self.lease:
            who = "the emergency stop" if state.stop is StopKind.EMERGENCY else "its control loop"
            self._end(f"{who} has ended the motion of {name}: it has to be asked for anew")
        elif state.generation < self.generation and self._clock.now_s() - self._granted_s > TAKE_OVER_S:
            why = state.stopped or f"its control loop has not followed within {TAKE_OVER_S:g} s"
            self._end(f"{name} does not move for whom it was given to: {why}")

    def _end(self, why: str) -> None:
        self._is_over = True
        self._supply.fail(why)


class Motions:
    """Provides `Motion`."""

    def __init__(self, loops: ControlLoops, clock: Clock, monotonic_s: Callable[[], float]) -> None:
        self._loops = loops
        self._clock = clock
        self._monotonic_s = monotonic_s
        self._movers: dict[str, Mover] = {}
        self._tracks: dict[str, BaseTrack] = {}

    def track_of(self, device: str) -> BaseTrack | None:
        """Where a base has been; None of what is no base, or has not been moved."""
        return self._tracks.get(device)

    def of(self, device: str) -> Mover | None:
        """Whoever moves it now; None while nobody has asked for that."""
        return self._movers.get(device)

    def is_free(self, device: str) -> bool:
        """Whether nobody holds it."""
        mover = self._movers.get(device)
        return mover is None or not mover.lease

    @asynccontextmanager
    async def provide(self, request: Motion, supply: Supply) -> AsyncIterator[MotionHandle]:
        """The right to move a device that is well and stands still."""
        async with AsyncExitStack() as stack:
            loop = await stack.enter_async_context(supply.request(ControlLoop(request.device)))
            control = self._loops.of(request.device)
            self._refuse(control)
            mover = Mover(
                control,
                supply,
                self._clock,
                self._monotonic_s,
                is_gone=lambda: bool(control.lost) or loop.status.severity is Severity.FATAL,
                freed=self._loops.devices.tell_changed,
                track=self._track(control),
            )
            await self._settle(control, mover)
            handle = control.handle
            assert handle is not None, "the loop is held"
            if isinstance(handle, BaseHandle):
                await self._guard(stack, control, handle, supply)
            stack.callback(control.listeners.remove, mover.look)
            control.listeners.append(mover.look)
            supply.on_holder(mover.held_by)
            supply.on_command(mover.carry_out)
            supply.declare_safe_stop(mover.come_to_rest, device=request.device)
            self._movers[request.device] = mover
            try:
                yield handle
            finally:
                del self._movers[request.device]
                control.order(holder="", stamp=None, wanted=None, scans=())
                self._loops.devices.tell_changed()

    def _track(self, control: Control) -> BaseTrack | None:
        if control.device.kind != ControllerKind.BASE.value:
            return None
        return self._tracks.setdefault(control.device.name, BaseTrack(self._clock.now_s))

    def _refuse(self, control: Control) -> None:
        """Raises ResourceUnavailable if it may not be moved now."""
        state = control.look()
        if state is None:
            return
        if state.fault:
            raise ResourceUnavailable(control.remedy)
        if state.stop is StopKind.EMERGENCY:
            raise ResourceUnavailable(f"{control.device.name} does not move: {state.stopped}")

    async def _settle(self, control: Control, mover: Mover) -> None:
        """Nobody gets what still moves: the last holder may have been lost with its device in motion."""
        try:
            async with asyncio.timeout(REST_S):
                await mover.come_to_rest()
        except TimeoutError:
            raise ResourceUnavailable(
                f"{control.device.name} does not come to rest within {REST_S:g} s: nobody is given what moves"
            ) from None

    async def _guard(
        self, stack: AsyncExitStack, control: Control, handle: BaseHandle, supply: Supply
    ) -> None:
        """The scanners that look out for a base; without one the loop knows what may still be done."""
        leases: dict[str, Lease] = {}

        def hand_over(_: Status | None = None) -> None:
            feeds = [(name, lease.value) for name, lease in leases.items()]
            scans = tuple((name, feed.stream.ring) for name, feed in feeds if isinstance(feed, ScanFeed))
            control.order(scans=scans)

        for name in handle.guards:
            request = supply.request(Device(name), optional=True, on_status=hand_over)
            leases[name] = await stack.enter_async_context(request)
        hand_over()
