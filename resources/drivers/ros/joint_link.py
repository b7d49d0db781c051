"""What passes between the two processes of an arm over ROS, through shared memory: joints in, joints out.

The one has rclpy, takes `JointState` and publishes commands; the other has our law. Only the newest of each
counts, by the stamp of its ring (CLOCK_MONOTONIC).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from framework.errors import StreamError
from framework.transport.ring import RingWriter
from framework.unreadable import UNREADABLE
from resources.children.ring_news import RingNews
from resources.types.motion import REST7, Joints7

LEAST_SILENCE_S: Final = 0.3
"""Without the joints' state for so long, or for three periods of it, the arm is stopped [s]."""

FRESH_S: Final = 0.06
"""An order that is older is none any more [s]: the process with the law has stopped."""

_BYTES: Final = 64 * 1024  # a goal's way of half a minute
_SLOTS: Final = 8


class JointsSeen(msgspec.Struct, frozen=True, array_like=True):
    """The joints (7) [rad], [rad/s], in our order; trouble: why they are not to be gone by, in words.

    goal: the newest that has been sent, 0 if none; is_running: it, or one before it, has not ended; why: it
    has failed, in words; is_lost: and nobody knows what becomes of it.
    """

    q: Joints7 = REST7
    dq: Joints7 = REST7
    trouble: str = ""
    goal: int = 0
    is_running: bool = False
    why: str = ""
    is_lost: bool = False


class JointsWanted(msgspec.Struct, frozen=True, array_like=True):
    """Where the joints are to be now (7) [rad], and how fast they are to go [rad/s].

    start: how often the law has begun where the arm was measured to be. goal: the number of the goal that is
    to be carried out now, 0 if none is; points: its way, at which times [s].
    """

    q: Joints7
    dq: Joints7
    start: int = 0
    goal: int = 0
    points: tuple[tuple[float, Joints7], ...] = ()


class JointWriter:
    """One direction's end. Raises SharedMemoryFull."""

    def __init__(self, directory: Path, name: str) -> None:
        self.ring = RingWriter(directory, name, slot_bytes=_BYTES, slots=_SLOTS, replace=True)

    def write(self, message: JointsSeen | JointsWanted, stamp_s: float) -> None:
        """This counts from now on."""
        self.ring.write(msgspec.msgpack.encode(message), stamp_s=stamp_s)

    def close(self) -> None:
        """No more; idempotent."""
        self.ring.close()


Message = TypeVar("Message", JointsSeen, JointsWanted)


class JointReader(Generic[Message]):
    """The other end; its writer may come, go and be started again."""

    def __init__(self, path: Path, kind: type[Message]) -> None:
        self._news = RingNews(path)
        self._decode: Callable[[memoryview], Message] = msgspec.msgpack.Decoder(kind).decode

    def news(self) -> tuple[Message, float] | None:
        """What is new since the last look, with its stamp; also None if nobody writes, or nonsense."""
        try:
            sample = self._news.newest()
            return None if sample is None else (self._decode(sample.payload), sample.stamp_s)
        except (StreamError, *UNREADABLE):  # it lapses by itself
            return None

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        self._news.close()


def seen_name(device: str) -> str:
    """Of the ring of `JointsSeen`."""
    return f"joints_{device}"


def wanted_name(device: str) -> str:
    """Of the ring of `JointsWanted`."""
    return f"joints_wanted_{device}"
