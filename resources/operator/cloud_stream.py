"""The shown camera's cloud, sent to one page: evenly, within a rate, newest wins.

What is sent of a cloud is decided in `cloud.py`, where it comes from in `cloud_source.py`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from aiortc import RTCDataChannel

from resources.operator.cloud import chunk_points, encode_chunk
from resources.operator.cloud_source import CloudSource, SourcedCloud
from resources.types.sensors import CameraFeed
from resources.types.streams import IDENTITY, Pose7, StreamHandle

RATE_BITS: Final = 3_000_000
"""Of a page [bit/s]. Data channels take 4 to 6 Mbit/s at 20 ms and 1 % loss before they fall behind."""

MOST_HZ: Final = 10.0
MOST_POINTS: Final = 8000

SILENT_EVERY_S: Final = 0.5
"""A chunk that only says an age comes so often while the camera is silent [s]."""

WORTHLESS_S: Final = 0.4
"""What of a cloud was not sent within this is left out: it is thinner then, and the next one newer [s]."""

_AHEAD_BYTES: Final = 8 * 1024
_MOST_CREDIT: Final = RATE_BITS / 8 / 20  # what a late tick may catch up on


class CloudStream:
    """Call `look` some sixty times a second."""

    def __init__(self, channel: RTCDataChannel) -> None:
        self.clouds = 0
        """How many were begun."""
        self.failed = ""
        """Why no cloud is sent any more, in words; the link goes on without."""
        self._channel = channel
        self._source = CloudSource((), None, MOST_POINTS)
        self._what: tuple[tuple[CameraFeed, ...], StreamHandle | None, Pose7] = ((), None, IDENTITY)
        self._sourcing: asyncio.Task[SourcedCloud | None] | None = None
        self._sources_gone: list[CloudSource] = []
        self._cloud: SourcedCloud | None = None
        self._chunks: deque[tuple[int, bytes]] = deque()
        self._chunk_count = 0
        self._begun_s = self._asked_s = self._credit_s = self._said_s = 0.0
        self._credit = 0.0

    def show(
        self,
        cameras: tuple[CameraFeed, ...],
        base: StreamHandle | None = None,
        world_T_robot: Pose7 = IDENTITY,
    ) -> None:
        """Cameras from now on, in order of preference; the rest as for `CloudSource`."""
        what = cameras, base, world_T_robot
        if what == self._what:
            return
        self._what = what
        if self._sourcing is None:
            self._source.close()
        else:
            self._sources_gone.append(self._source)  # a thread reads it yet
        self._source = CloudSource(cameras, base, MOST_POINTS, world_T_robot)
        self._cloud = None
        self._chunks.clear()

    def look(self, now_s: float) -> None:
        """Send what may be sent now; CLOCK_MONOTONIC [s]."""
        self._take_sourced(now_s)
        if self._channel.readyState != "open":
            return
        self._credit = min(self._credit + (now_s - self._credit_s) * RATE_BITS / 8, _MOST_CREDIT)
        self._credit_s = now_s
        if self._chunks and now_s - self._begun_s > WORTHLESS_S:
            self._chunks.clear()
        while self._chunks and self._credit > 0.0 and self._channel.bufferedAmount < _AHEAD_BYTES:
            self._send(*self._chunks.popleft(), now_s)
        if self._chunks:
            return
        if self._cloud is not None and now_s - self._said_s > SILENT_EVERY_S:
            self._send(0, b"", now_s)
        if self._sourcing is None and not self.failed and now_s - self._asked_s >= 1.0 / MOST_HZ:
            self._asked_s = now_s
            self._sourcing = asyncio.ensure_future(asyncio.to_thread(self._source.newest, now_s))

    async def close(self) -> None:
        """Let go of the rings; at most a few milliseconds."""
        if self._sourcing is not None:
            await asyncio.wait({self._sourcing})
            self._sourcing.exception()
        for source in (*self._sources_gone, self._source):
            source.close()

    def _take_sourced(self, now_s: float) -> None:
        if self._sourcing is None or not self._sourcing.done():
            return
        done, self._sourcing = self._sourcing, None
        if self._sources_gone:  # what was read is not shown any more
            while self._sources_gone:
                self._sources_gone.pop().close()
            return
        if (error := done.exception()) is not None:
            self.failed = f"the camera's cloud failed: {error!r}"
            return
        cloud = done.result()
        if cloud is None:
            return
        self.clouds += 1
        self._cloud, self._begun_s = cloud, now_s
        chunks = chunk_points(cloud.packed)
        self._chunk_count = len(chunks)
        self._chunks.extend(enumerate(chunks))

    def _send(self, chunk: int, points: bytes, now_s: float) -> None:
        assert self._cloud is not None
        payload = encode_chunk(
            cloud=self.clouds,
            chunk=chunk,
            chunks=self._chunk_count,
            camera=self._cloud.camera,
            age_ms=1e3 * (now_s - self._cloud.stamp_s),
            points=points,
        )
        self._channel.send(payload)
        self._credit -= len(payload)
        self._said_s = now_s
