"""One reader of what is said about a lease: an async iterator that loses the oldest, never blocks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from framework.status import Status

#: How many statuses a reader that does not come keeps.
UNREAD = 1024


class Statuses(AsyncIterator[Status]):
    """Keeps the latest `UNREAD`; ends when the lease does."""

    def __init__(self) -> None:
        self._kept: deque[Status] = deque(maxlen=UNREAD)
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False

    def __aiter__(self) -> AsyncIterator[Status]:
        return self

    async def __anext__(self) -> Status:
        while not self._kept:
            if self._ended:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._kept.popleft()

    def put(self, status: Status) -> None:
        self._kept.append(status)
        self._wake()

    def end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
