"""Sensors, views and their processes, scripted: three registrars whose children are scripted.

The registrars, the judging of children and all that stands on them are the real ones; only the
processes are scripts (`children.py`), and samples are counted instead of made. For the virtual clock.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import ResourceUnavailable
from framework.processes.child_events import ChildEvent, Failed
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.testing.children import Script, ScriptedLauncher
from framework.transport.interface import Transport


class ScriptedDevice(msgspec.Struct, frozen=True):
    """A scripted sensor. start_s: until it is ready; rate_hz: of its samples."""

    name: str
    rate_hz: float = 10.0
    start_s: float = 0.5


class ScriptedSensor(msgspec.Struct, frozen=True):
    """Request: this sensor. Its handle is a `ScriptedDevice`."""

    name: str


class ScriptedView(msgspec.Struct, frozen=True):
    """Request: this sensor on the screen."""

    device: str


class ScriptedProcess(msgspec.Struct, frozen=True):
    """Request: this process."""

    spec: ProcessSpec


class Samples:
    """The samples that a process gives: counted by time, until it is frozen, or what it stands on is."""

    def __init__(self, rate_hz: float, clock: Clock, source: Samples | None = None) -> None:
        self._period_s = 1.0 / rate_hz
        self._clock = clock
        self._source = source
        self._since_s = clock.now_s()
        self._frozen_s = math.inf

    def freeze(self) -> None:
        """No further sample."""
        self._frozen_s = min(self._frozen_s, self._clock.now_s())

    def thaw(self) -> None:
        """They go on."""
        self._frozen_s = math.inf

    def latest(self) -> tuple[int, float]:
        """Number and stamp [s] of the newest one; 0 and -inf before the first."""
        until_s = min(self._ends_s(), self._clock.now_s())
        number = math.floor((until_s - self._since_s) / self._period_s + 1e-9)
        return (number, self._since_s + number * self._period_s) if number > 0 else (0, -math.inf)

    def _ends_s(self) -> float:
        return self._frozen_s if self._source is None else min(self._frozen_s, self._source._ends_s())


class Shown(msgspec.Struct, frozen=True):
    """A view that is up."""

    device: str
    samples: Samples


class ScriptedSensors:
    """Registrars `sensors`, `outputs` and `processes` of a scripted installation; an async context manager.

    devices: the sensors there are. launcher: plays the processes, named "sensor NAME" and "encoder NAME".
    samples: of each of these processes that runs, by its name. shown: the views, by their ids.
    """

    def __init__(
        self,
        transport: Transport,
        devices: Sequence[ScriptedDevice],
        launcher: ScriptedLauncher,
        *,
        clock: Clock | None = None,
    ) -> None:
        self.devices = {device.name: device for device in devices}
        self.unplugged: set[str] = set()
        self.samples: dict[str, Samples] = {}
        self.shown: dict[str, Shown] = {}
        self._launcher = launcher
        self._clock = clock or LoopClock()
        self._views = 0
        self._stack = AsyncExitStack()
        self.registrars = tuple(
            ResourceRegistrar(name, transport, clock=clock) for name in ("sensors", "outputs", "processes")
        )
        sensors, outputs, processes = self.registrars
        sensors.provides(ScriptedSensor)(self._sensor)
        outputs.provides(ScriptedView)(self._view)
        processes.provides(ScriptedProcess)(self._process)

    async def __aenter__(self) -> ScriptedSensors:
        for registrar in self.registrars:
            await self._stack.enter_async_context(registrar)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    def unplug(self, name: str) -> None:
        """Nobody gets it before `plug_in`; who has it finds out by its process, or here if that is not up."""
        self.unplugged.add(name)

    def plug_in(self, name: str) -> None:
        """It is there again."""
        self.unplugged.discard(name)

    @asynccontextmanager
    async def _sensor(self, request: ScriptedSensor, supply: Supply) -> AsyncIterator[ScriptedDevice]:
        device = self.devices.get(request.name)
        if device is None:
            raise ResourceUnavailable(f"there is no {request.name!r}; there are {', '.join(self.devices)}")
        if device.name in self.unplugged:
            raise ResourceUnavailable(f"{device.name} is unplugged")
        process = f"sensor {device.name}"
        self._launcher.set_script(process, Script(ready_after_s=device.start_s))
        async with supply.request(ScriptedProcess(_spec(process))):
            samples = self.samples[process] = Samples(device.rate_hz, self._clock)
            try:
                yield device
            finally:
                samples.freeze()
                del self.samples[process]

    @asynccontextmanager
    async def _view(self, request: ScriptedView, supply: Supply) -> AsyncIterator[ScriptedView]:
        process = f"encoder {request.device}"
        async with (
            supply.request(ScriptedSensor(request.device)) as sensor,
            supply.request(ScriptedProcess(_spec(process))),
        ):
            source = self.samples.get(f"sensor {request.device}")
            samples = self.samples[process] = Samples(sensor.value.rate_hz, self._clock, source)
            self._views += 1
            view = f"view-{self._views}"
            self.shown[view] = Shown(request.device, samples)
            try:
                yield request
            finally:
                del self.shown[view], self.samples[process]

    @asynccontextmanager
    async def _process(self, request: ScriptedProcess, supply: Supply) -> AsyncIterator[str]:
        name = request.spec.name

        def tell(told: ChildEvent) -> None:
            if isinstance(told, Failed):
                supply.fail(f"{name}: {told.message}")

        async with self._launcher.launch(request.spec, on_event=tell):
            yield name


def _spec(name: str) -> ProcessSpec:
    """As our simulated devices have it: never restarted, and judged by its stream too."""
    return ProcessSpec(("scripted",), name, restart=None, stale_after_s=1.0, hang_after_beats=10)
