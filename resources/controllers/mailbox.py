"""Orders through shared memory: written by the manager, read by the process that moves, in every tick.

The newest orders are all there is to know (`Orders` is a state), so a latest-wins ring is the right thing:
nobody waits for anybody, and a process that was stopped finds what counts now, not what counted then.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.errors import CommandRefused, StreamError
from framework.transport.ring import RingReader, RingWriter
from framework.unreadable import UNREADABLE
from resources.types.motion import Orders, decode_orders, encode_motion

_SLOT_BYTES = 4096
_SLOTS = 8


class OrdersWriter:
    """The manager's end. Raises SharedMemoryFull."""

    def __init__(self, directory: Path, device: str) -> None:
        self._ring = RingWriter(
            directory, f"orders_{device}", slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True
        )

    @property
    def path(self) -> Path:
        """For `OrdersReader`."""
        return self._ring.path

    def write(self, orders: Orders, now_s: float) -> None:
        """These orders count from now on; `now_s`: CLOCK_MONOTONIC [s]."""
        self._ring.write(encode_motion(orders), stamp_s=now_s)

    def close(self) -> None:
        """No more orders; idempotent."""
        self._ring.close()


class OrdersReader:
    """The moving process's end.

    The mailbox need not be there yet, and may be made anew under the same path: it is looked for whenever
    there is no news. One that is gone gives no orders; what it ordered lapses by itself.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ring: RingReader | None = None
        self._seen = 0

    def read(self) -> Orders | None:
        """The orders if they are new, else None.

        Raises CommandRefused for what are no orders, StreamError if the memory is corrupt.
        """
        if self._ring is None and not self._attach():
            return None
        assert self._ring is not None
        try:
            sample = self._ring.latest(self._seen)
        except StreamError:
            self._let_go()
            raise
        if sample is None:
            if self._ring.replaced():
                self._let_go()
            return None
        self._seen = sample.sequence
        try:
            return decode_orders(sample.payload)
        except UNREADABLE as error:
            raise CommandRefused(
                f"orders of {sample.payload.nbytes} bytes cannot be read: {error}"
            ) from error

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        self._let_go()

    def _attach(self) -> bool:
        with suppress(StreamError):  # it is not there yet
            self._ring = RingReader(self._path)
        return self._ring is not None

    def _let_go(self) -> None:
        if self._ring is not None:
            self._ring.close()
            self._ring = None
            self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
