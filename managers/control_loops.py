"""Control loops as resources: a device that moves is opened by its driver, its loop's reports are watched.

A loop is up whoever commands it. One that falls silent, ends or talks nonsense has failed; one that reports a
fault (a reflex) stays up, with a WARNING, until it has been recovered. Who may command it is `motion.py`'s.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock
from framework.errors import DescriptionError, PilothouseError, ResourceUnavailable, StreamError
from framework.plugins.driver import DeviceContext
from framework.plugins.left_behind import watched
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity
from framework.transport.ring import RingReader
from managers.devices import Devices
from resources.children.arguments import ControlArguments
from resources.controllers.mailbox import OrdersWriter
from resources.drivers.simulated.mechanism import SimulatedMechanism
from resources.robots.description import DeviceDescription
from resources.types.arms import ArmHandle, BaseHandle, ControlHandle, ControlLoop, GripperHandle
from resources.types.motion import ControllerKind, LoopState, MotionSample, Orders
from resources.types.naming import plain
from resources.types.samples import decode

MotionHandle = ArmHandle | GripperHandle | BaseHandle

LOOK_S = 0.02
"""How often reports are looked at [s]; they come every 10 ms."""

SILENCE_S = 2.0
"""A loop that reports nothing for so long has failed [s]: two busy cores may delay it, but not so much."""

FIRST_REPORT_S = 5.0
"""The first report has to come within this [s]."""

log = logging.getLogger("pilothouse.managers")


class Control:
    """One device that moves, for this manager: its mailbox, and what its loop reports while that is up.

    report: the newest. listeners: called with each new one. lost: why the loop is given up, "" while it is
    not.
    """

    def __init__(self, device: DeviceDescription, directory: Path, monotonic_s: Callable[[], float]) -> None:
        self.device = device
        self.handle: MotionHandle | None = None
        self.state: LoopState | None = None
        self.report: MotionSample | None = None
        self.fault = ""
        self.lost = ""
        self.listeners: list[Callable[[LoopState], None]] = []
        self.orders = Orders()
        self._monotonic_s = monotonic_s
        self._mailbox = OrdersWriter(directory, device.name)
        self.order()  # a loop counts from the first orders that it finds
        self._reader: RingReader | None = None
        self._seen = 0

    @property
    def mailbox(self) -> Path:
        """Where the loop finds its orders."""
        return self._mailbox.path

    @property
    def remedy(self) -> str:
        """Its fault, and what can be done about it; "" without one."""
        return self.remedy_of(self.fault)

    def remedy_of(self, fault: str) -> str:
        """The same for a fault that somebody else has seen."""
        return f'{self.device.name}: {fault}: say "recover the {plain(self.device.name)}"' if fault else ""

    def order(self, **changes: Any) -> None:
        """Change what is ordered; all the rest stays."""
        self.orders = msgspec.structs.replace(self.orders, **changes)
        self._mailbox.write(self.orders, self._monotonic_s())

    def look(self) -> LoopState | None:
        """The newest report there is. Raises StreamError if it cannot be read, or the loop has ended."""
        if self._reader is None:
            return None
        sample = self._reader.latest(self._seen)
        if sample is not None:
            self._seen = sample.sequence
            self.report = _report(sample, self.handle)
            self.state = self.report.loop
            self.fault = self.state.fault
        elif self._reader.closed:
            raise StreamError("its control loop has ended")
        return self.state

    @contextmanager
    def open(self, handle: MotionHandle) -> Iterator[None]:
        """Its driver has opened it: there are reports from now on. Raises StreamError without a stream."""
        with RingReader(Path(handle.state.ring)) as self._reader:
            self.handle, self.lost, self._seen = handle, "", 0
            self.state = self.report = None
            try:
                yield
            finally:
                self.handle = self.state = self.report = self._reader = None

    def close(self) -> None:
        """No more orders."""
        self._mailbox.close()


class ControlLoops:
    """Provides `ControlLoop`.

    Args:
        devices: the arms, grippers and bases there are.
        monotonic_s: reads CLOCK_MONOTONIC, with which orders are stamped.
    """

    def __init__(
        self, devices: Devices, directory: Path, clock: Clock, monotonic_s: Callable[[], float]
    ) -> None:
        self.devices = devices
        self._directory = directory
        self._clock = clock
        self._monotonic_s = monotonic_s
        self._controls: dict[str, Control] = {}

    def open(self) -> None:
        """Make every device's mailbox. Raises SharedMemoryFull."""
        for device in self.devices.described:
            self._controls[device.name] = Control(device, self._directory, self._monotonic_s)

    def close(self) -> None:
        """Remove the mailboxes; idempotent."""
        for control in self._controls.values():
            control.close()

    @property
    def are_up(self) -> bool:
        """Whether any loop runs."""
        return any(control.state is not None for control in self._controls.values())

    def of(self, name: str) -> Control:
        """The device's; raises ResourceUnavailable if there is none of that name."""
        return self._controls[self.devices.known(name).name]

    def plug_in(self, name: str) -> None:
        """Its loop begins anew if it was made to fail: now, or when its world goes on."""
        control = self.of(name)
        control.order(lives=control.orders.lives + 1, lives_after=control.orders.generation)

    def simulated(self) -> tuple[ControlArguments, ...]:
        """What the simulated world is told of what moves in it. A device described wrongly is left out."""
        found: dict[tuple[ControllerKind, str], ControlArguments] = {}
        for device in self.devices.described:
            try:
                driver = self._simulating(device)
                if driver is None:
                    continue
                mailbox = self._controls[device.name].mailbox
                arguments = driver.arguments(device.name, device.mount, mailbox)
            except (ResourceUnavailable, DescriptionError) as error:
                log.warning("the simulated world moves no %s: %s", device.name, error)
                continue
            other = found.setdefault((arguments.kind, arguments.part), arguments)
            if other is not arguments:
                log.warning("the simulated world moves no %s: %s is the same", device.name, other.device)
        return tuple(found.values())

    def is_simulated(self, name: str) -> bool:
        """Whether its loop runs in the simulated world's process, and so fails by that."""
        try:
            return self._simulating(self.devices.known(name)) is not None
        except ResourceUnavailable:
            return False

    def _simulating(self, device: DeviceDescription) -> SimulatedMechanism | None:
        driver = self.devices.driver(device)
        return driver if isinstance(driver, SimulatedMechanism) else None

    @asynccontextmanager
    async def provide(
        self, registrar: ResourceRegistrar, request: ControlLoop, supply: Supply
    ) -> AsyncIterator[ControlHandle]:
        """The loop, once it reports."""
        device = self.devices.known(request.device)
        why_not = self.devices.why_not(device)
        if why_not:
            raise ResourceUnavailable(why_not)
        control = self._controls[device.name]
        context = DeviceContext(
            device.name, device.mount, registrar, supply, self._directory, control.mailbox
        )
        is_up = False
        try:
            driver = self.devices.driver(device)
            async with watched(device.driver, type(driver).__module__), driver.provide(context) as handle:
                with control.open(handle):
                    await self._first_report(control)
                    watching = asyncio.create_task(
                        self._watch(control, supply), name=f"watch over {device.name}"
                    )
                    self.devices.opened(device.name, supply)
                    is_up = True
                    try:
                        yield _handle(device, handle)
                    finally:
                        watching.cancel()
                        await asyncio.gather(watching, return_exceptions=True)
                        self.devices.closed(device.name)
        except PilothouseError as error:
            # What failed further down others stand on as well: that was not the device's fault.
            if not getattr(error, "hops", ()):
                self.devices.failed(device, str(error), rests=False)
            if not is_up and not self.is_simulated(device.name):
                self.devices.did_not_start(device, getattr(error, "message", str(error)))
            raise

    async def _first_report(self, control: Control) -> None:
        try:
            async with asyncio.timeout(FIRST_REPORT_S):
                while control.look() is None:
                    await self._clock.sleep(LOOK_S)
        except TimeoutError:
            raise ResourceUnavailable(
                f"{control.device.name}: its control loop has reported nothing within {FIRST_REPORT_S:g} s"
            ) from None
        except StreamError as error:
            raise ResourceUnavailable(f"{control.device.name}: {error}") from error

    async def _watch(self, control: Control, supply: Supply) -> None:
        """Tell of faults, and when it has failed."""
        name = control.device.name
        last: LoopState | None = None
        warned = ""
        silent_s, looked_s = 0.0, self._clock.now_s()
        while True:
            try:
                state = control.look()
            except StreamError as error:
                self._lose(control, supply, str(error))
                return
            now_s = self._clock.now_s()
            if state is None or state is last:
                # A stretch in which we stood still ourselves does not count.
                silent_s += min(now_s - looked_s, 5 * LOOK_S)
            else:
                last, silent_s = state, 0.0
                for listener in tuple(control.listeners):
                    listener(state)
                if state.fault and state.fault != warned:
                    supply.report(Severity.WARNING, control.remedy)
                elif warned and not state.fault:
                    supply.report(Severity.OK, f"{name} has recovered")
                warned = state.fault
            looked_s = now_s
            if silent_s > SILENCE_S:
                self._lose(control, supply, f"its control loop has been silent for {SILENCE_S:g} s")
                return
            await self._clock.sleep(LOOK_S)

    def _lose(self, control: Control, supply: Supply, why: str) -> None:
        control.lost = why
        self.devices.failed(control.device, why, rests=False)
        supply.fail(f"{control.device.name}: {why}")


def _handle(device: DeviceDescription, handle: MotionHandle) -> ControlHandle:
    return ControlHandle(
        device.name, ControllerKind(device.kind), device.mount, handle.driver, handle.state, handle.frame
    )


def _report(sample: Any, handle: MotionHandle | None) -> MotionSample:
    assert handle is not None
    decoded = decode(sample, handle.state.format)
    if not isinstance(decoded, MotionSample):
        raise StreamError(
            f"its stream is of format {handle.state.format.value!r}, which no control loop reports in"
        )
    return decoded
