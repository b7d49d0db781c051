"""The sensor manager: which device serves which wish.

It provides `Device` (one device of the robot description, opened by its driver)
and the wishes that select one: `Camera`, `Lidar`, `SweptLidar`. Candidates are
ordered by priority, then by reliability; one that has crashed rests for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import PilothouseError, ResourceUnavailable
from framework.plugins.driver import DeviceContext, DriverSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.state import StateFolder
from framework.status import Hop
from framework.transport.interface import Transport
from managers.reliability import Reliability
from managers.selection import Candidates, Selection
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.sensors import Camera, Device, DeviceFeed, Lidar, SweptLidar

#: What each kind of device can serve as.
SERVES = {"rgbd": ("rgbd", "rgb"), "rgb": ("rgb",), "scan": ("scan",), "cloud": ("cloud",)}


class DeviceView(msgspec.Struct, frozen=True):
    """One device as it is now. `state`: free, in use, unplugged, resting (after a crash) or unavailable."""

    name: str
    kind: str
    driver: str
    mount: str
    state: str
    detail: str
    reliability: float


class SensorManager:
    """Opens devices while somebody needs them, and chooses among them.

    Args:
        robot: the devices there are.
        drivers: what opens them, by name.
        directory: the run directory, where their streams are made.
        state: where scores are kept between runs.
    """

    def __init__(
        self,
        transport: Transport,
        robot: RobotDescription,
        drivers: Mapping[str, DriverSpec],
        directory: Path,
        *,
        clock: Clock | None = None,
        state: StateFolder | None = None,
    ) -> None:
        self._robot = robot
        self._drivers = drivers
        self._directory = directory
        self._clock = clock or LoopClock()
        self._reliability = Reliability(state)
        self._unplugged: set[str] = set()
        self._up: dict[str, Supply] = {}
        self._rests_until_s: dict[str, float] = {}
        self._reasons: dict[str, str] = {}
        self._changed = asyncio.Event()
        self.registrar = ResourceRegistrar("sensor_manager", transport, clock=clock)
        self.registrar.provides(Device, start_timeout_s=60.0, stop_timeout_s=15.0)(self._device)
        self.registrar.provides(Camera, start_timeout_s=90.0, stop_timeout_s=20.0)(self._camera)
        self.registrar.provides(Lidar, start_timeout_s=90.0, stop_timeout_s=20.0)(self._lidar)
        self.registrar.provides(SweptLidar, start_timeout_s=90.0, stop_timeout_s=20.0)(self._swept_lidar)

    async def __aenter__(self) -> SensorManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    # -- what people see and do

    def devices(self) -> tuple[DeviceView, ...]:
        """All devices of the robot, in the order of its description."""
        return tuple(self._view(device) for device in self._robot.devices)

    def unplug(self, name: str, *, noticed: bool = True) -> None:
        """The device is gone, and nobody gets it before `plug_in`.

        noticed: what uses it fails at once; else whoever drives the device has to find out.
        """
        self._known(name)
        self._unplugged.add(name)
        supply = self._up.get(name)
        if supply is not None and noticed:
            supply.fail(f"{name} was unplugged")

    def plug_in(self, name: str) -> None:
        """The device is there again, rested. Whoever prefers it may go back to it."""
        self._known(name)
        self._unplugged.discard(name)
        self._rests_until_s.pop(name, None)
        self._tell_changed()

    # -- providers

    @asynccontextmanager
    async def _device(self, request: Device, supply: Supply) -> AsyncIterator[DeviceFeed]:
        device = self._known(request.name)
        why_not = self._why_not(device)
        if why_not:
            raise ResourceUnavailable(why_not)
        try:
            driver = self._drivers[device.driver].make(device.parameters)
        except PilothouseError as error:
            raise ResourceUnavailable(f"{device.name}: {error}") from error
        context = DeviceContext(device.name, device.mount, self.registrar, supply, self._directory)
        try:
            async with driver.provide(context) as feed:
                self._up[device.name] = supply
                self._reliability.loaded(device.name)
                yield feed
        finally:
            self._up.pop(device.name, None)

    @asynccontextmanager
    async def _camera(self, request: Camera, supply: Supply) -> AsyncIterator[Any]:
        kinds = (request.kind,) if request.kind else ("rgbd", "rgb")
        if not set(kinds) <= {"rgbd", "rgb"}:
            raise ResourceUnavailable(f"there is no camera of kind {request.kind!r}; kinds are rgbd and rgb")
        what = str(request)
        async with self._select(what, kinds, request.mount, request.return_to_preferred, supply) as feed:
            yield feed

    @asynccontextmanager
    async def _lidar(self, request: Lidar, supply: Supply) -> AsyncIterator[Any]:
        what = str(request)
        async with self._select(what, ("scan",), request.mount, request.return_to_preferred, supply) as feed:
            yield feed

    @asynccontextmanager
    async def _swept_lidar(self, request: SweptLidar, supply: Supply) -> AsyncIterator[Any]:
        what = str(request)
        async with self._select(what, ("cloud",), request.mount, request.return_to_preferred, supply) as feed:
            yield feed

    # -- choosing

    @asynccontextmanager
    async def _select(
        self, what: str, kinds: Sequence[str], mount: str, returns: bool, supply: Supply
    ) -> AsyncIterator[Any]:
        def fits(device: DeviceDescription) -> bool:
            return bool(set(SERVES[device.kind]) & set(kinds)) and mount in ("", device.mount)

        candidates = Candidates(
            in_order=lambda: self._in_order(fits),
            changed=self._until_changed,
            picked=lambda name: None,
            failed=self._has_failed,
        )
        async with Selection(what, candidates, supply, self._clock, returns=returns).running() as feed:
            yield feed

    def _in_order(self, fits: Callable[[DeviceDescription], bool]) -> tuple[str, ...]:
        """What fits, best first: whole ones before resting ones, then priority, then reliability."""
        devices = [device for device in self._robot.devices if fits(device)]
        devices.sort(key=lambda d: (bool(self._why_not(d)), -d.priority, -self._reliability.of(d.name)))
        return tuple(device.name for device in devices)

    def _has_failed(self, name: str, why: str, hops: tuple[Hop, ...]) -> None:
        """A device failed, at the start or in use: it rests, lest a crashing one be tried for ever.

        Unless something further down failed, which others stand on as well: that was not the device's fault.
        """
        device = self._robot.device(name)
        own = next((i for i, hop in enumerate(hops) if hop.request == str(Device(name))), 0)
        if device is None or self._why_not(device) or own > 1:
            return
        self._reliability.failed(name)
        self._reasons[name] = why
        self._rests_until_s[name] = self._clock.now_s() + device.retry_after_s

    def _why_not(self, device: DeviceDescription) -> str:
        """Why a device cannot be opened now; "" if it can be tried."""
        if device.name in self._unplugged:
            return f"{device.name} is unplugged"
        driver = self._drivers.get(device.driver)
        if driver is None:
            known = ", ".join(sorted(self._drivers)) or "none"
            return f"{device.name} needs the driver {device.driver!r}; installed are {known}"
        if driver.unavailable:
            return f"{device.name}: its driver {device.driver!r} is unavailable: {driver.unavailable}"
        rests_s = self._rests_until_s.get(device.name, 0.0) - self._clock.now_s()
        if rests_s > 0:
            return (
                f"{device.name} failed ({self._reasons[device.name]}) and is tried again in {rests_s:.0f} s"
            )
        return ""

    def _known(self, name: str) -> DeviceDescription:
        device = self._robot.device(name)
        if device is None:
            known = ", ".join(device.name for device in self._robot.devices)
            raise ResourceUnavailable(f"{self._robot.robot} has no device {name!r}; it has {known}")
        return device

    def _view(self, device: DeviceDescription) -> DeviceView:
        why_not = self._why_not(device)
        if device.name in self._up:
            state = "in use"
        elif device.name in self._unplugged:
            state = "unplugged"
        elif why_not:
            state = "resting" if device.name in self._rests_until_s else "unavailable"
        else:
            state = "free"
        return DeviceView(
            device.name,
            device.kind,
            device.driver,
            device.mount,
            state,
            why_not,
            self._reliability.of(device.name),
        )

    async def _until_changed(self) -> None:
        await self._changed.wait()

    def _tell_changed(self) -> None:
        """Wake all who wait; the next wait is for the next change."""
        self._changed.set()
        self._changed = asyncio.Event()
