"""Samples on their way from shared-memory rings to the pages. Bytes are carried, nothing is encoded.

A reader looks whether its ring has something newer; it survives the ring's writer, and goes over
to the ring that takes its place. Who gets the samples is decided in `server.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
import numpy as np

from framework.errors import StreamError
from framework.transport.ring import RingReader
from resources.console.backend import RingFeed
from resources.web.protocol import SampleHeader
from resources.web.samples import HEAD_BYTES, header_of, write_head

LOOK_AGAIN_S: Final = 0.25
"""How often a ring that is absent, or may have been replaced, is looked for."""

_SLACK: Final = 0.8  # a source at just this rate is not to lose samples to its jitter
_log = logging.getLogger(__name__)


class FeedReader:
    """Reads one ring and makes messages of its samples."""

    def __init__(self, view: str, feed: RingFeed) -> None:
        self.view = view
        self.feed = feed
        self._reader: RingReader | None = None
        self._room = np.empty(0, np.uint8)  # (slot_bytes,); the reader copies here, free of allocation
        self._sequence = 0
        self._due_s = 0.0
        self._look_s = 0.0
        self._complaint = ""
        self._last: tuple[SampleHeader, float, bytearray] | None = None

    def poll(self, now_s: float) -> bytearray | None:
        """The newest sample as a message, if there is a new one and its turn has come."""
        if now_s < self._due_s:
            return None
        try:
            reader = self._current_reader(now_s)
            sample = None if reader is None else reader.latest(self._sequence, into=self._room)
            if sample is None:
                return None
            self._sequence = sample.sequence
            header = header_of(
                self.view,
                self.feed.format,
                sample.sequence,
                max(0.0, now_s - sample.stamp_s),
                sample.meta,
                sample.payload.nbytes,
            )
            message = bytearray(HEAD_BYTES + sample.payload.nbytes)
            message[HEAD_BYTES:] = sample.payload
            write_head(message, header)
        except StreamError as error:
            self._complain(str(error))
            self._let_go()
            return None
        self._complaint = ""
        self._due_s = now_s + _SLACK / self.feed.most_hz
        self._last = header, sample.stamp_s, message
        return message

    def again(self, now_s: float) -> bytearray | None:
        """The last sample once more, with its age now: for a page that has just come."""
        if self._last is None:
            return None
        header, stamp_s, message = self._last
        copy = bytearray(message)
        write_head(copy, msgspec.structs.replace(header, age_s=max(0.0, now_s - stamp_s)))
        return copy

    def close(self) -> None:
        """Let go of the shared memory."""
        self._let_go()
        self._last = None

    def _current_reader(self, now_s: float) -> RingReader | None:
        if now_s < self._look_s:
            return self._reader
        self._look_s = now_s + LOOK_AGAIN_S
        if self._reader is None and not self.feed.ring.exists():
            return None  # its writer is still starting, or has ended
        if self._reader is None or self._reader.replaced():
            self._let_go()
            self._reader = RingReader(self.feed.ring)
            self._room = np.empty(self._reader.slot_bytes, np.uint8)
        return self._reader

    def _let_go(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None
        self._sequence = 0

    def _complain(self, text: str) -> None:
        if text != self._complaint:
            _log.warning("view %s is not relayed: %s", self.view, text)
        self._complaint = text


class Feeds:
    """The rings that are relayed now.

    Args:
        deliver: gets each message with the view it belongs to.
    """

    def __init__(self, deliver: Callable[[str, bytearray], None]) -> None:
        self._deliver = deliver
        self._readers: dict[str, FeedReader] = {}

    def set(self, feeds: Mapping[str, RingFeed]) -> None:
        """Relay these; readers of rings that stay are kept."""
        for view, reader in list(self._readers.items()):
            if feeds.get(view) != reader.feed:
                reader.close()
                del self._readers[view]
        for view, feed in feeds.items():
            if view not in self._readers:
                self._readers[view] = FeedReader(view, feed)

    def poll(self, now_s: float) -> None:
        """Deliver everything that is new."""
        for view, reader in self._readers.items():
            message = reader.poll(now_s)
            if message is not None:
                self._deliver(view, message)

    def last(self, now_s: float) -> list[tuple[str, bytearray]]:
        """The last sample of every view."""
        found = [(view, reader.again(now_s)) for view, reader in self._readers.items()]
        return [(view, message) for view, message in found if message is not None]
