"""Brings what arrives on foreign threads over to the event loop, in order and within bounds.

It knows nothing of messages: items go in on any thread and come out, one by
one, on the loop. When it is full, newly arrived items are dropped and counted:
whoever numbers his items notices the gap.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_BATCH = 128


class Inbox(Generic[T]):
    """A queue with many writers on any thread and one reader on the loop.

    Args:
        loop: where `deliver` is called.
        deliver: takes one item; what it raises goes to the loop's exception handler.
        limit_items: so many items wait at most.
        limit_bytes: so many bytes wait at most, as the writers declare them.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        deliver: Callable[[T], None],
        *,
        limit_items: int = 65_536,
        limit_bytes: int = 64 << 20,
    ) -> None:
        self._loop = loop
        self._deliver = deliver
        self._limit_items = limit_items
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._items: deque[tuple[T, int]] = deque()
        self._bytes = 0
        self._woken = False
        self._closed = False
        self.dropped = 0

    def put(self, item: T, size: int = 0) -> None:
        """Queue an item, on any thread; never waits for the loop.

        An item of size 0 is always taken (there are few of these, and each counts).
        """
        with self._lock:
            if self._closed:
                return
            if size and (len(self._items) >= self._limit_items or self._bytes + size > self._limit_bytes):
                self.dropped += 1
                return
            self._items.append((item, size))
            self._bytes += size
            if self._woken:
                return
            self._woken = True
        self._wake()

    def drain(self) -> None:
        """Deliver all that waits, now; only on the loop's thread."""
        while self._deliver_batch():
            pass

    def close(self) -> None:
        """Forget what waits and take no more."""
        with self._lock:
            self._closed = True
            self._items.clear()
            self._bytes = 0

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._turn)
        except RuntimeError:  # the loop is closed: nobody will ever read again
            self.close()

    def _turn(self) -> None:
        """One batch a turn of the loop, so that a flood does not hold up everything else."""
        if self._deliver_batch():
            self._loop.call_soon(self._turn)

    def _deliver_batch(self) -> bool:
        """Deliver some; whether more are waiting. If not, the next `put` wakes the loop again."""
        for _ in range(_BATCH):
            with self._lock:
                if not self._items:
                    self._woken = False
                    return False
                item, size = self._items.popleft()
                self._bytes -= size
            try:
                self._deliver(item)
            except Exception as error:
                self._loop.call_exception_handler(
                    {"message": f"whoever was handed {type(item).__name__} raised", "exception": error}
                )
        return True
