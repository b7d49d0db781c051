"""The pictures that belong to a name: of a device, in which a thing is seen, of a remembered view."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from framework.errors import ResourceUnavailable, StreamError
from framework.registrar import ResourceRegistrar
from framework.transport.ring import RingReader
from managers.context_tree import ContextTree
from resources.robots.description import RobotDescription
from resources.types.context import KnownThing, ThingKind, Tracked
from resources.types.memory import RememberedView
from resources.types.naming import either, plain, unknown
from resources.types.sensors import CameraFeed, Device
from resources.types.sights import Picture, Sight, SightFeed
from resources.types.streams import Pose7, decode_meta
from resources.types.whereabouts import into

#: What else `show` takes: kinds of streams.
KINDS = ("camera", "scan", "cloud")


class Sights:
    """Provides `Sight`.

    Args:
        registrar: for what the pictures come from.
        views: the remembered views.
    """

    def __init__(
        self,
        registrar: ResourceRegistrar,
        robot: RobotDescription,
        tree: ContextTree,
        views: Callable[[], tuple[RememberedView, ...]],
    ) -> None:
        self._registrar = registrar
        self._robot = robot
        self._tree = tree
        self._views = views

    @asynccontextmanager
    async def provide(self, request: Sight) -> AsyncIterator[SightFeed]:
        """One name's pictures."""
        async with AsyncExitStack() as held:
            yield SightFeed(request.of, await self._pictures(request.of, held))

    async def _pictures(self, of: str, held: AsyncExitStack) -> tuple[Picture, ...]:
        view = next((view for view in self._views() if view.name == plain(of)), None)
        if view is not None:
            return tuple(
                [await self._device(shown.device, held, shown.title or view.name) for shown in view.shown]
            )
        things = self._tree.called(of)
        if not things:
            raise ResourceUnavailable(unknown(of, self._names(), "what I can show is"))
        if len(things) > 1:
            names = either(thing.name for thing in things)
            raise ResourceUnavailable(f"{len(things)} things are called {plain(of)!r}; say {names}")
        (thing,) = things
        if thing.kind is ThingKind.SENSOR:
            return (await self._device(thing.name, held, ""),)
        if thing.marker is not None:
            lease = await held.enter_async_context(self._registrar.request(Tracked(thing.name)))
            camera: str = lease.value.camera
            return (await self._device(camera, held, f"{thing.spoken}, seen with {camera}"),)
        return (await self._looking_at(thing, held),)

    async def _device(self, name: str, held: AsyncExitStack, title: str) -> Picture:
        lease = await held.enter_async_context(self._registrar.request(Device(name)))
        return Picture(name, lease.value.stream, title)

    async def _looking_at(self, thing: KnownThing, held: AsyncExitStack) -> Picture:
        """The first camera in whose picture the thing's middle lies, the preferred ones first."""
        if thing.world_T_thing is None:
            raise ResourceUnavailable(f"I do not know where the {thing.spoken} is, and nothing can find it")
        reasons = []
        cameras = [device for device in self._robot.devices if device.kind in ("rgbd", "rgb")]
        for device in sorted(cameras, key=lambda device: -device.priority):
            async with AsyncExitStack() as tried:
                try:
                    lease = await tried.enter_async_context(self._registrar.request(Device(device.name)))
                except ResourceUnavailable as error:
                    reasons.append(error.message)
                    continue
                if _is_in_picture(lease.value, thing.world_T_thing):
                    held.push_async_exit(tried.pop_all())
                    title = f"{thing.spoken}, seen with {device.name}"
                    return Picture(device.name, lease.value.stream, title)
                reasons.append(f"{device.name} does not look there")
        why = "; ".join(reasons) or "the robot has no camera"
        raise ResourceUnavailable(f"no camera sees the {thing.spoken} now: {why}")

    def _names(self) -> tuple[str, ...]:
        views = (view.name for view in self._views())
        return (*KINDS, *dict.fromkeys(thing.spoken for thing in self._tree.things), *views)


def _is_in_picture(feed: CameraFeed, world_T_thing: Pose7) -> bool:
    """Whether a thing's middle is within the picture that the camera took last."""
    try:
        with RingReader(Path(feed.stream.ring)) as reader:
            sample = reader.latest()
    except StreamError:
        return False
    if sample is None:
        return False
    world_T_camera = decode_meta(sample.meta).world_T_frame
    if world_T_camera is None:
        return False
    right, down, ahead = into(world_T_camera, world_T_thing[:3])
    lens = feed.intrinsics
    if ahead <= 0.05:
        return False
    column, row = lens.fx * right / ahead + lens.cx, lens.fy * down / ahead + lens.cy
    return 0 <= column < lens.width and 0 <= row < lens.height
