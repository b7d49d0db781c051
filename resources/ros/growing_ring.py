"""A ring for messages of any size: a larger one takes its place when one comes that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from framework.errors import MalformedMessage
from framework.transport.ring import RingWriter

_LEAST_BYTES: Final = 2048


class GrowingRing:
    """The only writer of one. Who reads it goes over to the larger one by itself, after what it had.

    most_bytes: no message may have more. Raises what `RingWriter` raises.
    """

    def __init__(self, directory: Path, name: str, *, slots: int, most_bytes: int) -> None:
        self._directory = directory
        self._name = name
        self._slots = slots
        self._most_bytes = most_bytes
        self._writer = RingWriter(directory, name, slot_bytes=_LEAST_BYTES, slots=slots, replace=True)

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
            larger = min(max(2 * self._writer.slot_bytes, 1 << (size - 1).bit_length()), self._most_bytes)
            former = self._writer
            self._writer = RingWriter(
                self._directory, self._name, slot_bytes=larger, slots=self._slots, replace=True
            )
            former.close()
        self._writer.write(payload, stamp_s=stamp_s, meta=meta)

    def close(self) -> None:
        """The end; idempotent."""
        self._writer.close()
