"""The shown camera's cloud, sent to one page: evenly, within a rate, newest wins.

What is sent of a cloud is decided in `cloud.py`, where it comes from in `cloud_source.py`.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from aiortc import RTCDataChannel

from resources.operator.cloud import encode_chunk
from resources.operator.cloud_source import WORKS_S, CloudSource, SourcedCloud

RATE_BITS: Final = 3_000_000
"""Of a page [bit/s]. Data channels take 4 to 6 Mbit/s at 20 ms and 1 % loss before they fall behind."""

SILENT_EVERY_S: Final = 0.5
"""A chunk that only says an age comes so often while the camera is silent [s]."""

WORTHLESS_S: Final = 0.4
"""What of a cloud was not sent within this is left out: it is thinner then, and the next one newer [s]."""

_AHEAD_BYTES: Final = 8 * 1024
_MOST_CREDIT: Final = RATE_BITS / 8 / 20  # what a late tick may catch up on


class CloudStream:
    """Call `look` some sixty times a second."""

    def __init__(self, channel: RTCDataChannel, source: CloudSource) -> None:
        self.clouds = 0
        """How many were begun."""
        self._channel = channel
        self._source = source
        self._cloud: SourcedCloud | None = None
        self._chunks: deque[tuple[int, bytes]] = deque()
        self._begun_s = self._credit_s = self._said_s = 0.0
        self._credit = 0.0

    @property
    def failed(self) -> str:
        """Why no cloud is sent any more, in words; the link goes on without."""
        return self._source.failed

    def look(self, now_s: float) -> None:
        """Send what may be sent now; CLOCK_MONOTONIC [s]."""
        self._source.look(now_s)
        newest = self._source.newest
        if newest is None:  # something else is shown, or nothing
            self._cloud = None
            self._chunks.clear()
        if self._channel.readyState != "open":
            return
        self._credit = min(self._credit + (now_s - self._credit_s) * RATE_BITS / 8, _MOST_CREDIT)
        self._credit_s = now_s
        if self._chunks and now_s - self._begun_s > WORTHLESS_S:
            self._chunks.clear()
        is_new = newest is not None and newest is not self._cloud and now_s - newest.stamp_s < WORKS_S
        if newest is not None and is_new and not self._chunks:
            self.clouds += 1
            self._cloud, self._begun_s = newest, now_s
            self._chunks.extend(enumerate(newest.chunks))
        while self._chunks and self._credit > 0.0 and self._channel.bufferedAmount < _AHEAD_BYTES:
            self._send(*self._chunks.popleft(), now_s)
        if not self._chunks and self._cloud is not None and now_s - self._said_s > SILENT_EVERY_S:
            self._send(0, b"", now_s)

    def _send(self, chunk: int, points: bytes, now_s: float) -> None:
        assert self._cloud is not None
        payload = encode_chunk(
            cloud=self.clouds,
            chunk=chunk,
            chunks=len(self._cloud.chunks),
            camera=self._cloud.camera,
            age_ms=1e3 * (now_s - self._cloud.stamp_s),
            points=points,
        )
        self._channel.send(payload)
        self._credit -= len(payload)
        self._said_s = now_s
