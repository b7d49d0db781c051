"""The gesture manager: from the hands that cameras and headsets see to what they show.

It provides `Hands` (the tracked hands of one source) and `Gestures` (what they show, read by a process of its
own). The hands of a page are there for as long as that has them switched on; those before a camera of the
robot are looked for by a process, while somebody wants them. What a gesture means is nobody's business here:
`gesturing.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.status import ReasonKind, Severity, Status
from framework.transport.interface import Transport
from framework.transport.ring import RingWriter
from resources.children.starting import handed_over
from resources.robots.description import CAMERAS, RobotDescription
from resources.types.gestures import (
    MOST_BYTES,
    Gestures,
    GesturesFeed,
    Hands,
    HandsFeed,
    TrackedHand,
    encode_hands,
)
from resources.types.processes import Process
from resources.types.sensors import Camera, CameraFeed, Device
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, encode_meta
from resources.types.whereabouts import Point

HANDS_HZ: Final = 30.0
SLOTS: Final = 32
"""Pictures that are kept: a second of the fastest source."""

MOST_SOURCES: Final = 8
"""Each has a process of its own."""

STARTED_WITHIN_S: Final = 60.0

_META: Final = encode_meta(SampleMeta())


class HandsSource:
    """Where the hands of one source are written: what was checked before (`encode_hands` checks it again)."""

    def __init__(self, feed: HandsFeed, writer: RingWriter) -> None:
        self.feed = feed
        self._writer = writer

    def write(self, hands: Sequence[TrackedHand], taken_s: float) -> None:
        """The hands of one picture, none included. Raises MalformedMessage for what are none."""
        self._writer.write(encode_hands(hands), stamp_s=taken_s, meta=_META)


class GestureManager:
    """Provides hands and what they show.

    Args:
        directory: the run directory, where streams are written.
        reader: the process that reads the hands of a source.
        tracker: the process that looks for hands before a camera: under which source, in which stream, and
            the camera. Raises PilothouseError if there is none on this machine.
        cameras: the robot's, as requests, by the names under which their hands are served.
    """

    def __init__(
        self,
        transport: Transport,
        directory: Path,
        reader: Callable[[HandsFeed], ProcessSpec],
        tracker: Callable[[str, str, CameraFeed], ProcessSpec],
        cameras: Mapping[str, Camera | Device],
        *,
        clock: Clock | None = None,
    ) -> None:
        self._directory = directory
        self._reader = reader
        self._tracker = tracker
        self._cameras = cameras
        self._sources: dict[str, HandsSource] = {}
        self._gone: dict[str, asyncio.Event] = {}
        self._count = 0
        self.registrar = ResourceRegistrar("gesture_manager", transport, clock=clock)
        self.registrar.provides(Hands, start_timeout_s=STARTED_WITHIN_S, stop_timeout_s=10.0)(self._hands)
        self.registrar.provides(Gestures, start_timeout_s=STARTED_WITHIN_S, stop_timeout_s=10.0)(
            self._gestures
        )

    async def __aenter__(self) -> GestureManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    @contextmanager
    def source(self, name: str, up: Point | None) -> Iterator[HandsSource]:
        """A source that is switched on while this is open. up: what is up in the frame of its hands.

        Raises ResourceUnavailable if one of this name is on already, or too many are; SharedMemoryFull.
        """
        if name in self._sources or name in self._cameras:
            raise ResourceUnavailable(f"the hands of {name} are watched already; switch that off first")
        if len(self._sources) >= MOST_SOURCES:
            on = ", ".join(sorted(self._sources))
            raise ResourceUnavailable(
                f"the hands of {len(self._sources)} sources are watched, no more are: {on}; switch one off"
            )
        ring = self._next_stream()
        writer = RingWriter(self._directory, ring, slot_bytes=MOST_BYTES, slots=SLOTS)
        stream = StreamHandle(ring, str(writer.path), StreamFormat.REPORT, ring, HANDS_HZ)
        source = self._sources[name] = HandsSource(HandsFeed(name, stream, up), writer)
        gone = self._gone[name] = asyncio.Event()
        try:
            yield source
        finally:
            del self._sources[name], self._gone[name]
            gone.set()
            writer.close()

    def _next_stream(self) -> str:
        self._count += 1
        return f"hands_{self._count}"

    @asynccontextmanager
    async def _hands(self, request: Hands, supply: Supply) -> AsyncIterator[HandsFeed]:
        camera = self._cameras.get(request.source)
        provide = self._of_page(request, supply) if camera is None else self._before(camera, request, supply)
        async with provide as feed:
            yield feed

    @asynccontextmanager
    async def _before(
        self, request: Camera | Device, wanted: Hands, supply: Supply
    ) -> AsyncIterator[HandsFeed]:
        """Before a camera of the robot. Another one in its place is another source, to be asked for anew."""

        def changed(status: Status) -> None:
            if status.severity is Severity.UPDATE:
                supply.fail(f"another camera has taken the place of {wanted.source}")

        def heard_of(status: Status) -> None:
            if status.reason.kind is ReasonKind.NEEDS_HUMAN:
                supply.fail(f"nobody looks for hands before {wanted.source} any more: {status.message}")

        async with self.registrar.request(request, on_status=changed) as camera:
            feed = camera.value
            if not isinstance(feed, CameraFeed):
                raise ResourceUnavailable(
                    f"{wanted.source} is no camera; hands are looked for before cameras"
                )
            tracker = Process(self._tracker(wanted.source, self._next_stream(), feed))
            async with self.registrar.request(tracker, on_status=heard_of) as process:
                yield handed_over(process, HandsFeed)

    @asynccontextmanager
    async def _of_page(self, request: Hands, supply: Supply) -> AsyncIterator[HandsFeed]:
        source = self._sources.get(request.source)
        if source is None:
            on = ", ".join(sorted(self._sources)) or "nobody's"
            cameras = ", ".join(sorted(self._cameras)) or "none"
            raise ResourceUnavailable(
                f"the hands of {request.source} are not watched now, but {on}; switch gestures on there, or "
                f"name a camera of the robot: {cameras}"
            )
        gone = self._gone[request.source]

        async def tell() -> None:
            await gone.wait()
            supply.fail(f"{request.source} has switched its gestures off, or has gone")

        telling = asyncio.create_task(tell(), name=f"the end of {request}")
        try:
            yield source.feed
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    @asynccontextmanager
    async def _gestures(self, request: Gestures, supply: Supply) -> AsyncIterator[GesturesFeed]:
        def heard_of(status: Status) -> None:
            if status.reason.kind is ReasonKind.NEEDS_HUMAN:
                supply.fail(f"nobody reads the hands of {request.source} any more: {status.message}")

        async with self.registrar.request(Hands(request.source)) as hands:
            reader = Process(self._reader(hands.value))
            async with self.registrar.request(reader, on_status=heard_of) as process:
                yield handed_over(process, GesturesFeed)


def cameras_by_name(robot: RobotDescription) -> dict[str, Camera | Device]:
    """The robot's cameras, as requests: each by its name, and what looks from a mount by that."""
    cameras = [device for device in robot.devices if device.kind in CAMERAS]
    mounts: dict[str, Camera | Device] = {each.mount: Camera(each.mount) for each in cameras if each.mount}
    return mounts | {each.name: Device(each.name) for each in cameras}
