"""A ring for messages of any size: a larger one takes its place when one comes that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from framework.errors import MalformedMessage
from framework.transport.ring import RingReader, RingWriter

_LEAST_BYTES: Final = 2048
_LEAST_SLOTS: Final = 3
_MOST_MEMORY: Final = 32 << 20
"""So much memory a ring may take, unless three messages need more [bytes]."""

_PAGE: Final = 4096


class GrowingRing:
    """The only writer of one. A larger one begins with what was in the smaller one, under the same numbers.

    slots: of small messages; of large ones there are fewer. most_bytes: no message may have more.
    Raises what `RingWriter` raises.
    """

    def __init__(self, directory: Path, name: str, *, slots: int, most_bytes: int) -> None:
        self._directory = directory
        self._name = name
        self._slots = slots
        self._most_bytes = most_bytes
        self._writer = self._made(_LEAST_BYTES)

    @property
    def path(self) -> Path:
        """Where it is, and stays."""
        return self._writer.path

    def write(self, payload: bytes, *, stamp_s: float, meta: bytes = b"") -> None:
        """Publish it. Raises MalformedMessage if it is too large, SharedMemoryFull if there is no room."""
        size = len(payload)
        if size > self._most_bytes:
            raise MalformedMessage(f"a message of {size} bytes came; {self._most_bytes} are allowed")
        if size > self._writer.slot_bytes:
            self._grow(size)
        self._writer.write(payload, stamp_s=stamp_s, meta=meta)

    def close(self) -> None:
        """The end; idempotent."""
        self._writer.close()

    def _grow(self, size: int) -> None:
        with RingReader(self.path) as former:
            kept = former.since(0)
            newest = former.sequence
        larger = self._made(min(max(size + size // 4, 2 * self._writer.slot_bytes), self._most_bytes))
        kept = kept[-(larger.slots - 2) :]
        larger.sequence = kept[0].sequence - 1 if kept else newest
        for sample in kept:
            larger.write(sample.payload, stamp_s=sample.stamp_s, meta=sample.meta)
        former_writer, self._writer = self._writer, larger
        former_writer.close()

    def _made(self, slot_bytes: int) -> RingWriter:
        slots = max(_LEAST_SLOTS, min(self._slots, _MOST_MEMORY // (slot_bytes + _PAGE)))
        return RingWriter(self._directory, self._name, slot_bytes=slot_bytes, slots=slots, replace=True)
