"""Which device serves a wish to move: `Arm("left")`, `Arm()`, `Gripper()`, `Base()`; and which arm is read.

The free ones come first, by priority, then by reliability; one that cannot be had is followed by the next.
Once held it does not wander: what was begun with one arm is not gone on with by another.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from framework.errors import LeaseError, ResourceHeld, ResourceUnavailable, all_refused
from framework.registrar import Lease, Supply
from framework.status import Severity, Status
from framework.transport.messages import Command
from managers.control_loops import ControlLoops, MotionHandle
from managers.motion import Motions
from resources.robots.description import DeviceDescription
from resources.types.arms import ArmHandle, ControlLoop, Motion
from resources.types.motion import ControllerKind
from resources.types.naming import listed, plain

#: How the registrar says that somebody else has it: then waiting can help.


def _there_is(kind: ControllerKind, devices: Sequence[DeviceDescription]) -> str:
    """What there is instead, as people call it: a side only where it has one."""
    names = listed(f"the {plain(device.name)}" for device in devices)
    if len(devices) == 1 and not devices[0].mount:
        return f'{names} is the only one and has no side: say "the {kind.value}"'
    return f"there {'is' if len(devices) == 1 else 'are'} {names}"


class DeviceChoice:
    """Provides what selects a device."""

    def __init__(self, loops: ControlLoops, motions: Motions) -> None:
        self._loops = loops
        self._motions = motions

    @asynccontextmanager
    async def move(self, kind: ControllerKind, side: str, supply: Supply) -> AsyncIterator[MotionHandle]:
        """A device to move; its holder's commands are passed on as they are."""
        async with AsyncExitStack() as stack:
            name, lease = await self._grasp(stack, kind, side, supply)
            mover = self._motions.of(name)
            assert mover is not None, "its motion is held"

            def carry_out(command: Command) -> None:
                try:
                    lease.send(command.payload, sent_s=command.sent_s)
                except LeaseError:
                    return  # it has just been lost, which its holder is told in a moment

            supply.on_command(carry_out)
            supply.declare_safe_stop(mover.come_to_rest, device=name)
            yield lease.value

    @asynccontextmanager
    async def read(self, side: str, supply: Supply) -> AsyncIterator[ArmHandle]:
        """An arm's state, whoever moves it."""
        async with AsyncExitStack() as stack:
            candidates = self._loops.devices.best_first(self._of(ControllerKind.ARM, side))
            refusals: list[ResourceUnavailable] = []
            for device in candidates:
                try:
                    await stack.enter_async_context(supply.request(ControlLoop(device.name)))
                except ResourceUnavailable as error:
                    refusals.append(error)
                    continue
                handle = self._loops.of(device.name).handle
                assert isinstance(handle, ArmHandle), "its loop is held"
                yield handle
                return
            raise all_refused(refusals)

    def _of(self, kind: ControllerKind, side: str) -> list[DeviceDescription]:
        """The devices that fit. Raises ResourceUnavailable, with those there are, if none does."""
        every = [device for device in self._loops.devices.described if device.kind == kind]
        fitting = [device for device in every if side in ("", device.mount)]
        if fitting:
            return fitting
        if not every:
            raise ResourceUnavailable(f"this robot has no {kind.value}")
        raise ResourceUnavailable(f"there is no {side} {kind.value}; {_there_is(kind, every)}")

    async def _grasp(
        self, stack: AsyncExitStack, kind: ControllerKind, side: str, supply: Supply
    ) -> tuple[str, Lease]:
        """The first that can be had. Raises ResourceUnavailable that says of each why not."""
        candidates = self._of(kind, side)
        if len(candidates) == 1:
            (device,) = candidates
            # Asked for once only, so that it keeps its place in the queue.
            request = self._request(device.name, supply, wait=supply.is_patient)
            return device.name, await stack.enter_async_context(request)
        while True:
            change = self._loops.devices.next_change
            refusals: list[ResourceUnavailable] = []
            held: list[str] = []
            for name in self._in_order(candidates):
                try:
                    return name, await stack.enter_async_context(self._request(name, supply))
                except ResourceUnavailable as error:
                    refusals.append(error)
                    if isinstance(error, ResourceHeld):
                        held.append(name)
            if not (held and supply.is_patient):
                raise all_refused(refusals)
            lease = await self._queue(stack, held, change, supply)
            if lease is not None:
                return held[0], lease

    def _in_order(self, candidates: Sequence[DeviceDescription]) -> list[str]:
        best = self._loops.devices.best_first(candidates)
        return [device.name for device in sorted(best, key=lambda d: not self._motions.is_free(d.name))]

    def _request(
        self, name: str, supply: Supply, *, wait: bool = False
    ) -> AbstractAsyncContextManager[Lease]:
        def told(status: Status) -> None:
            if status.severity is Severity.UPDATE:  # a scanner that guards it has come or gone
                supply.update(self._loops.of(name).handle, status.message, because=status)

        return supply.request(Motion(name), exclusive=True, wait=wait, on_status=told)

    async def _queue(
        self, stack: AsyncExitStack, names: Sequence[str], change: asyncio.Event, supply: Supply
    ) -> Lease | None:
        """Wait in the queue for the first; None as soon as another one is free, or not held any more.

        In one queue only: with a high priority it would else preempt everybody for a single device.
        """
        first, *others = names
        scope = asyncio.timeout(None)
        noticing = asyncio.create_task(self._until_free(others, change))
        loop = asyncio.get_running_loop()
        is_queueing = True

        def give_up(task: asyncio.Task[None]) -> None:
            if is_queueing and not task.cancelled():
                scope.reschedule(loop.time())

        try:
            async with scope:
                noticing.add_done_callback(give_up)
                return await stack.enter_async_context(self._request(first, supply, wait=True))
        except TimeoutError:
            return None
        finally:
            is_queueing = False
            noticing.cancel()
            await asyncio.gather(noticing, return_exceptions=True)

    async def _until_free(self, names: Sequence[str], change: asyncio.Event) -> None:
        """Once a change: one that is only reserved seems free, and is refused all the same."""
        while True:
            await change.wait()
            change = self._loops.devices.next_change
            if any(self._motions.is_free(name) for name in names):
                return
