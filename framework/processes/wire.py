"""What owner and child say to each other, and how it is cut into frames. Bytes in, messages out.

A frame is a little-endian u32 length and that many bytes of msgpack: one tagged message. One
stream socket carries both directions. After a frame whose length cannot be true nothing behind
it can be trusted; a frame whose content makes no sense harms only itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from framework.status import Severity
from framework.unreadable import UNREADABLE

MAX_FRAME_BYTES: Final = 64 * 1024
MAX_PAYLOAD_BYTES: Final = 60 * 1024  # of a handle or a command; leaves room for what is around it
CHILD_VARIABLE: Final = "PILOTHOUSE_CHILD"
"""The environment variable with the number of the pipe in which a child finds its `Birth`, to its end.

Not the `Birth` itself: it holds a token, and a process's environment can be read for as long as it lives."""

_HEADER_BYTES: Final = 4


class Birth(msgspec.Struct, frozen=True, gc=False):
    """What a child must know at once: its file descriptors, its rhythm, its adoption address.

    channel: the socket. lifeline: read end of a pipe that only ends. output: read end of its own
    output pipe, or -1; kept so that printing cannot fail between owners.
    hang_after_s, slow_after_s: after how much silence a living owner calls it hung; see `ProcessSpec`.
    stop_s: how long its main loop may take to leave by itself.
    """

    name: str
    channel: int
    lifeline: int
    output: int
    beat_s: float
    hang_after_s: float
    slow_after_s: float
    start_timeout_s: float
    stop_s: float
    safe_stop_s: float
    adopt_grace_s: float
    collect_garbage: bool
    address: str
    token: str


# ---------------------------------------------------------------- child → owner


class ReadyReport(msgspec.Struct, frozen=True, gc=False, tag="ready"):
    """The child is ready, or has a new handle. At most 60 KiB, opaque to us."""

    handle: bytes


class Beat(msgspec.Struct, frozen=True, gc=False, tag="beat", omit_defaults=True):
    """The process is alive, and this is how its main loop stands. Sent by a thread beside the main loop.

    loop_age_s: since the main loop last turned. at_work: some thread of the process has had, or waits for,
    the processor of late: a main loop that does not turn computes, or gets no time to.
    stream_age_s: age of the newest sample of its oldest stream, infinite if there is none yet;
    None if it has no streams. stream: that stream's name. next_within_s: the main loop's next turn,
    and the next beat, may take this long (during a call that blocks); 0 is the usual rhythm.
    """

    stream_age_s: float | None = None
    stream: str = ""
    next_within_s: float = 0.0
    loop_age_s: float = 0.0
    at_work: bool = False


class StatusReport(msgspec.Struct, frozen=True, gc=False, tag="status"):
    """Something about itself in words. FATAL means that it gives up."""

    severity: Severity
    message: str


class Started(msgspec.Struct, frozen=True, gc=False, tag="started"):
    """A guardian's: the foreign program runs under this process id."""

    pid: int


Report = ReadyReport | Beat | StatusReport | Started

# ---------------------------------------------------------------- owner → child


class Command(msgspec.Struct, frozen=True, gc=False, tag="command"):
    """Bytes for the child's main loop."""

    payload: bytes


class Quit(msgspec.Struct, frozen=True, gc=False, tag="quit"):
    """Make yourself safe and end at once, whatever the main loop is doing."""


class Claim(msgspec.Struct, frozen=True, gc=False, tag="claim"):
    """A new owner's first word; two file descriptors come with it: lifeline and output."""

    token: str


Order = Command | Quit | Claim


def frame(message: Report | Order) -> bytes:
    """One message as it goes over the wire."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(_HEADER_BYTES, "little") + content


class FrameReader:
    """Cuts a stream of bytes into frames. Holds at most one unfinished frame."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def unfinished_bytes(self) -> int:
        """How much of an unfinished frame has arrived."""
        return len(self._buffer)

    def feed(self, data: bytes, take: Callable[[bytes], None]) -> None:
        """Hand each complete frame to `take`. MalformedMessage comes after those before the bad one."""
        buffer = self._buffer
        buffer += data
        at = 0
        try:
            while len(buffer) - at >= _HEADER_BYTES:
                size = int.from_bytes(buffer[at : at + _HEADER_BYTES], "little")
                if not 0 < size <= MAX_FRAME_BYTES:
                    raise MalformedMessage(f"a frame of {size} bytes; 1 to {MAX_FRAME_BYTES} are allowed")
                end = at + _HEADER_BYTES + size
                if len(buffer) < end:
                    return
                content = bytes(buffer[at + _HEADER_BYTES : end])
                at = end
                take(content)
        finally:
            del buffer[:at]


_REPORTS: Final = msgspec.msgpack.Decoder(Report)
_ORDERS: Final = msgspec.msgpack.Decoder(Order)


def read_report(content: bytes) -> Report:
    """A child's message. Raises MalformedMessage."""
    try:
        report: Report = _REPORTS.decode(content)
    except UNREADABLE as error:
        raise MalformedMessage(f"{error} in {len(content)} bytes beginning {content[:24]!r}") from None
    if isinstance(report, Beat):
        age, promise = report.stream_age_s, report.next_within_s
        spans = (promise, report.loop_age_s)
        if (age is not None and not age >= 0) or not all(0 <= span < math.inf for span in spans):
            said = f"stream_age_s={age}, next_within_s={promise}, loop_age_s={report.loop_age_s}"
            raise MalformedMessage(f"a beat with {said}; 0 or more is allowed")
    return report


def read_order(content: bytes) -> Order:
    """An owner's message. Raises MalformedMessage."""
    try:
        order: Order = _ORDERS.decode(content)
    except UNREADABLE as error:
        raise MalformedMessage(f"{error} in {len(content)} bytes beginning {content[:24]!r}") from None
    return order
