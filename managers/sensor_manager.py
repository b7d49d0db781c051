"""The sensor manager: which device serves which wish.

It provides `Device` (one device of the robot description, opened by its driver)
and the wishes that select one: `Camera`, `Lidar`, `SweptLidar`, `Microphone`, and
`Loudspeaker`: that one is no sensor, and chosen in the same way. Candidates are
ordered by priority, then by reliability; one that has crashed rests for a while.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from framework.clock import Clock, LoopClock
from framework.errors import ResourceUnavailable
from framework.interlock import Interlock
from framework.plugins.driver import DeviceContext, DriverSpec
from framework.plugins.left_behind import watched
from framework.registrar import ResourceRegistrar, Supply
from framework.state import StateFolder
from framework.status import Hop
from framework.transport.interface import Transport
from managers.devices import Devices, DeviceView
from managers.ears import EarFor, must_listen, with_ear
from managers.reliability import Reliability
from managers.selection import Candidates, Selection
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.sensors import Camera, Device, DeviceFeed, Lidar, Microphone, SweptLidar
from resources.types.voice import Loudspeaker, LoudspeakerFeed

AUDIO: Final = "audio"
LOUDSPEAKER: Final = "loudspeaker"

#: What each kind of device can serve as.
SERVES = {
    "rgbd": ("rgbd", "rgb"),
    "rgb": ("rgb",),
    "scan": ("scan",),
    "cloud": ("cloud",),
    AUDIO: (AUDIO,),
    LOUDSPEAKER: (LOUDSPEAKER,),
}


class SensorManager:
    """Opens devices while somebody needs them, and chooses among them.

    Args:
        robot: the devices there are.
        drivers: what opens them, by name.
        directory: the run directory, where their streams are made.
        state: where scores are kept between runs.
        interlock: who may move by itself.
        ear_for: the process that hears "emergency stop" at a microphone: none is opened without it.
    """

    def __init__(
        self,
        transport: Transport,
        robot: RobotDescription,
        drivers: Mapping[str, DriverSpec],
        directory: Path,
        *,
        ear_for: EarFor | None = None,
        clock: Clock | None = None,
        state: StateFolder | None = None,
        interlock: Interlock | None = None,
    ) -> None:
        self._directory = directory
        self._ear_for = ear_for
        self._clock = clock or LoopClock()
        self._devices = Devices(
            robot.robot, "sensor", robot.sensors, drivers, self._clock, Reliability(state)
        )
        self.registrar = ResourceRegistrar("sensor_manager", transport, clock=clock, interlock=interlock)
        self.registrar.provides(Device, start_timeout_s=60.0, stop_timeout_s=15.0)(self._device)
        self.registrar.provides(Camera, start_timeout_s=90.0, stop_timeout_s=20.0)(self._camera)
        self.registrar.provides(Lidar, start_timeout_s=90.0, stop_timeout_s=20.0)(self._lidar)
        self.registrar.provides(SweptLidar, start_timeout_s=90.0, stop_timeout_s=20.0)(self._swept_lidar)
        self.registrar.provides(Microphone, start_timeout_s=90.0, stop_timeout_s=20.0)(self._microphone)
        self.registrar.provides(Loudspeaker, start_timeout_s=90.0, stop_timeout_s=20.0)(self._loudspeaker)

    async def __aenter__(self) -> SensorManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self.registrar.__aexit__(*error)
        finally:
            await self._devices.reliability.close()

    # -- what people see and do

    def devices(self) -> tuple[DeviceView, ...]:
        """All sensors of the robot, in the order of its description."""
        return tuple(map(self._devices.view, self._devices.described))

    def unplug(self, name: str, *, noticed: bool = True) -> None:
        """See `Devices.unplug`."""
        self._devices.unplug(name, noticed=noticed)

    def retry(self, name: str) -> None:
        """See `Devices.retry`."""
        self._devices.retry(name)

    def plug_in(self, name: str) -> None:
        """See `Devices.plug_in`."""
        self._devices.plug_in(name)

    # -- providers

    @asynccontextmanager
    async def _device(self, request: Device, supply: Supply) -> AsyncIterator[DeviceFeed]:
        devices = self._devices
        device = devices.known(request.name)
        refusal = devices.refusal(device)
        if refusal is not None:
            raise refusal
        driver = devices.driver(device)
        ear_for = must_listen(device.name, self._ear_for) if device.kind == AUDIO else None
        context = DeviceContext(device.name, device.mount, self.registrar, supply, self._directory)
        try:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(watched(device.driver, type(driver).__module__))
                feed = await stack.enter_async_context(driver.provide(context))
                if device.kind == LOUDSPEAKER and not isinstance(feed, LoudspeakerFeed):
                    given = f"a {type(feed).__name__}, no LoudspeakerFeed"
                    raise ResourceUnavailable(f"the driver of {device.name} gives {given}")
                if ear_for is not None:
                    await stack.enter_async_context(with_ear(device.name, feed, ear_for, supply))
                devices.opened(device.name, supply)
                yield feed
        finally:
            devices.closed(device.name)

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

    @asynccontextmanager
    async def _microphone(self, request: Microphone, supply: Supply) -> AsyncIterator[Any]:
        what = str(request)
        async with self._select(what, (AUDIO,), request.mount, request.return_to_preferred, supply) as feed:
            yield feed

    @asynccontextmanager
    async def _loudspeaker(self, request: Loudspeaker, supply: Supply) -> AsyncIterator[Any]:
        what, returns = str(request), request.return_to_preferred
        async with self._select(what, (LOUDSPEAKER,), request.mount, returns, supply) as feed:
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
            changed=self._devices.until_changed,
            picked=lambda name: None,
            failed=self._has_failed,
        )
        async with Selection(what, candidates, supply, self._clock, returns=returns).running() as feed:
            yield feed

    def _in_order(self, fits: Callable[[DeviceDescription], bool]) -> tuple[str, ...]:
        """What fits, best first."""
        fitting = [device for device in self._devices.described if fits(device)]
        return tuple(device.name for device in self._devices.best_first(fitting))

    def _has_failed(self, name: str, why: str, hops: tuple[Hop, ...]) -> None:
        """A device failed, at the start or in use: it rests, lest a crashing one be tried for ever.

        Unless something further down failed, which others stand on as well: that was not the device's fault.
        """
        device = self._devices.known(name)
        own = next((i for i, hop in enumerate(hops) if hop.request == str(Device(name))), 0)
        if not self._devices.why_not(device) and own <= 1:
            self._devices.failed(device, why, rests=True)
