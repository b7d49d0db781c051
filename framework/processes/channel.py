"""The owner's end of the channel to one child: reads reports, queues commands. Bounded, never blocks.

What a report means is the watch's business; where the socket comes from is the body's.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Final

from framework.errors import MalformedMessage
from framework.processes import wire

if TYPE_CHECKING:
    from framework.processes.supervise import Sink

MAX_UNREAD_BYTES: Final = 256 * 1024  # commands the child has left unread, beyond the kernel's buffer
_READ_BYTES: Final = 64 * 1024
_READS_PER_PUMP: Final = 32


class OwnerChannel:
    """One stream socket, watched by the running loop."""

    def __init__(self, end: socket.socket, sink: Sink) -> None:
        end.setblocking(False)
        self._end = end
        self._sink = sink
        self._reader = wire.FrameReader()
        self._unsent = bytearray()
        self._told_full = False
        self._is_reading = True
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(end, self._read)

    def pump(self) -> None:
        """Report all that has arrived; bounded, since a mad child may write faster than we read."""
        for _ in range(_READS_PER_PUMP):
            if not self._is_reading or not self._read():
                return

    def send(self, order: wire.Order) -> bool:
        """Queue an order; False if the queue is full."""
        if self._is_closed:
            return False
        framed = wire.frame(order)
        if len(self._unsent) + len(framed) > MAX_UNREAD_BYTES:
            if not self._told_full:
                self._told_full = True
                unread_kib = len(self._unsent) // 1024
                self._sink.warn(
                    f"does not read its commands: {unread_kib} KiB are waiting; newer ones are dropped"
                )
            return False
        was_empty = not self._unsent
        self._unsent += framed
        if was_empty:
            self._write()
        return True

    def close(self) -> None:
        """Close it; for the child this is the end of its owner."""
        if not self._is_closed:
            self._stop_reading()
            self._is_closed = True
            self._loop.remove_writer(self._end)
            self._end.close()

    def _read(self) -> bool:
        """One read. Returns whether there may be more."""
        try:
            data = self._end.recv(_READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:  # reset: it died with our commands unread
            data = b""
        if not data:
            self._stop_reading()
            self._sink.closed()
            return False
        try:
            self._reader.feed(data, self._take)
        except MalformedMessage as error:
            self._stop_reading()
            self._sink.bad_frame(str(error))
            return False
        return True

    @property
    def unfinished_bytes(self) -> int:
        """How much of a frame had arrived when the child fell silent."""
        return self._reader.unfinished_bytes

    def _take(self, content: bytes) -> None:
        if not self._is_reading:
            return
        try:
            report = wire.read_report(content)
        except MalformedMessage as error:
            self._sink.unreadable(str(error))
        else:
            self._sink.received(report)

    def _write(self) -> None:
        try:
            sent = self._end.send(self._unsent)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError:  # the child is gone; its exit says so better
            self._unsent.clear()
            self._loop.remove_writer(self._end)
            return
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._end, self._write)
        else:
            self._told_full = False
            self._loop.remove_writer(self._end)

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._end)
