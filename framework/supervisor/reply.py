"""What somebody who gave an instruction hears back: its own events, until it is settled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from framework.events import Event, EventKind

MOST_EVENTS = 1000


class Reply:
    """The events of one instruction, as an asynchronous iterator; it may be read late and more than once.

    It is settled when the plan is established or has ended, or the instruction was refused.
    `succeeded` is None until then. Nobody has to read it.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.succeeded: bool | None = None
        self.plan = ""
        self._news = asyncio.Event()

    def add(self, event: Event) -> None:
        """For the supervisor: one more event, unless it is settled (or an action talks without end)."""
        if self.succeeded is None and (len(self.events) < MOST_EVENTS or event.kind is not EventKind.DOING):
            self.events.append(event)
            self._wake()

    def settle(self, succeeded: bool) -> None:
        """For the supervisor: nothing more will come. Idempotent; the first answer counts."""
        if self.succeeded is None:
            self.succeeded = succeeded
            self._wake()

    async def __aiter__(self) -> AsyncIterator[Event]:
        read = 0
        while True:
            while read < len(self.events):
                read += 1
                yield self.events[read - 1]
            if self.succeeded is not None:
                return
            await self._news.wait()

    async def done(self) -> bool:
        """Wait until it is settled: True if the plan succeeded or is established."""
        while self.succeeded is None:
            await self._news.wait()
        return self.succeeded

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
