"""What actions hold for sensors and streams: `camera.latest()`, `async for frame in camera.frames()`.

Reading is from the stream's ring in shared memory, by polling: nobody there can wake a reader. Commands go
through `Client.send`, which every client inherits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from framework.errors import StreamError
from framework.plugins.client import Client
from resources.types.samples import Cloud, Frame, Poses, Scan, Sighting, decode
from resources.types.streams import StreamHandle

if TYPE_CHECKING:
    from framework.registrar import Lease
    from framework.transport.ring import RingReader

_S = TypeVar("_S", Frame, Scan, Cloud, Poses)

#: A stream is looked at this many times in its period, between these bounds [s].
_LOOKS = 4
_SHORTEST_S = 0.002
_LONGEST_S = 0.05


class StreamClient(Client):
    """A held resource that has a stream. Follows the handle: after an UPDATE it reads the new stream."""

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._reader: RingReader | None = None

    @property
    def stream(self) -> StreamHandle:
        """The stream, as it is now."""
        handle = self.handle
        found: StreamHandle = handle if isinstance(handle, StreamHandle) else handle.stream
        return found

    def latest_sample(self, after: int = 0) -> Any:
        """The newest sample as arrays, or None if there is none with a sequence above `after`.

        Raises StreamError if the stream cannot be read, LeaseError if it is held no more.
        """
        stream = self.stream
        sample = self._open(stream).latest(after)
        return None if sample is None else decode(sample, stream.format)

    async def samples(self) -> AsyncGenerator[Any, None]:
        """Each new sample, latest first: who reads slowly misses some. Ends with the run."""
        seen, ring = 0, ""
        while True:
            stream = self.stream
            reader = self._open(stream)
            if ring != stream.ring or reader.replaced():
                if ring == stream.ring:
                    reader.reopen()
                ring, seen = stream.ring, 0
            sample = reader.latest(seen)
            if sample is not None:
                seen = sample.sequence
                yield decode(sample, stream.format)
            period_s = 1.0 / stream.rate_hz if stream.rate_hz > 0.0 else _LONGEST_S
            await asyncio.sleep(min(max(period_s / _LOOKS, _SHORTEST_S), _LONGEST_S))

    def end(self) -> None:
        """The run is over: let go of the memory."""
        super().end()
        self._close()

    def _open(self, stream: StreamHandle) -> RingReader:
        from framework.transport.ring import RingReader

        path = Path(stream.ring)
        if self._reader is not None and self._reader.path != path:
            self._close()
        if self._reader is None:
            self._reader = RingReader(path)
        return self._reader

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None


class CameraClient(StreamClient):
    """A camera: fields of CameraFeed, and its frames."""

    def latest(self, after: int = 0) -> Frame | None:
        """The newest frame; see `latest_sample`."""
        return _checked(self.latest_sample(after), Frame)

    async def frames(self) -> AsyncIterator[Frame]:
        """Each new frame; see `samples`."""
        async for frame in self.samples():
            yield _needed(frame, Frame)


class LidarClient(StreamClient):
    """A planar laser scanner: fields of ScanFeed, and its scans."""

    def latest(self, after: int = 0) -> Scan | None:
        """The newest scan; see `latest_sample`."""
        return _checked(self.latest_sample(after), Scan)

    async def scans(self) -> AsyncIterator[Scan]:
        """Each new scan; see `samples`."""
        async for scan in self.samples():
            yield _needed(scan, Scan)


class CloudClient(StreamClient):
    """A point cloud: fields of CloudFeed, and its clouds."""

    def latest(self, after: int = 0) -> Cloud | None:
        """The newest cloud; see `latest_sample`."""
        return _checked(self.latest_sample(after), Cloud)

    async def clouds(self) -> AsyncIterator[Cloud]:
        """Each new cloud; see `samples`."""
        async for cloud in self.samples():
            yield _needed(cloud, Cloud)


class TrackedClient(StreamClient):
    """A thing that is followed: fields of TrackedFeed, and its poses in the world frame."""

    def latest(self, after: int = 0) -> Poses | None:
        """The newest poses; see `latest_sample`."""
        return _checked(self.latest_sample(after), Poses)

    async def poses(self) -> AsyncGenerator[Poses, None]:
        """Each new sample; it holds no pose while the thing is not seen. See `samples`."""
        async for poses in self.samples():
            yield _needed(poses, Poses)

    async def look(self, within_s: float = 1.5) -> Sighting | None:
        """The first sighting; None if there is none in the samples of `within_s` [s on the stream's time]."""
        began_s: float | None = None
        async with aclosing(self.poses()) as samples:
            async for sample in samples:
                began_s = sample.stamp_s if began_s is None else began_s
                if sample.sighting is not None or sample.stamp_s - began_s > within_s:
                    return sample.sighting
        return None


def _checked(sample: Any, kind: type[_S]) -> _S | None:
    return None if sample is None else _needed(sample, kind)


def _needed(sample: Any, kind: type[_S]) -> _S:
    if not isinstance(sample, kind):
        raise StreamError(f"the stream gives a {type(sample).__name__}, where a {kind.__name__} belongs")
    return sample
