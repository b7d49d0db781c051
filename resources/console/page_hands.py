"""The hands that one page's camera sees: switched on and off by it, taken in within a limit of their own.

Pictures beyond the limit are dropped in silence: the newest counts, and another one is on its way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from framework.errors import PilothouseError
from resources.console.backend import PageHandsSink
from resources.web.page_messages import HANDS_PER_S, HandsSeen, WatchHands
from resources.web.protocol import GesturesSeen, Reply
from resources.web.rate_limit import RateLimit

BURST: Final = 10.0
"""So many pictures may come at once: networks hiccup."""

MOST_EXCESS: Final = 600
"""Pictures beyond the limit before the page is dropped: after a hang of ours many come at once."""

_OFF: Final = "the gestures of this page are off: no hands are taken; switch them on first"


class WatchesHands(Protocol):
    """Whoever switches the gestures of a page on (`ConsoleBackend.watch_hands`)."""

    def watch_hands(self, *, who: str, show: Callable[[GesturesSeen], None]) -> PageHandsSink: ...


class PageHands:
    """Of one page. show: tells it what is read of its hands. monotonic_s: reads CLOCK_MONOTONIC."""

    def __init__(
        self,
        backend: WatchesHands,
        who: str,
        show: Callable[[GesturesSeen], None],
        *,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._who = who
        self._show = show
        self._monotonic_s = monotonic_s
        self._limit = RateLimit(1.1 * HANDS_PER_S, BURST)
        self._sink: PageHandsSink | None = None
        self._switched = 0

    @property
    def is_flooded(self) -> bool:
        """Whether the page sends so much more than it may that it is better dropped."""
        return self._limit.excess > MOST_EXCESS

    def switch(self, message: WatchHands) -> Reply:
        """On or off; twice is as once."""
        if not message.is_on:
            self.close()
            return Reply(message.id, True, "Gestures are off.")
        if self._sink is None:
            self._switched += 1
            try:
                self._sink = self._backend.watch_hands(
                    who=self._who, show=partial(self._told, self._switched)
                )
            except PilothouseError as refusal:
                return Reply(message.id, False, str(refusal))
        return Reply(message.id, True, "Gestures are on.")

    def take(self, seen: HandsSeen) -> Reply | None:
        """One picture; what is wrong with it, if anything is."""
        now_s = self._monotonic_s()
        if not self._limit.allows(now_s):
            return None
        if self._sink is None:
            return Reply(seen.id, False, _OFF)
        try:
            self._sink.take(seen, now_s)
        except PilothouseError as refusal:
            return Reply(seen.id, False, str(refusal))
        return None

    def close(self) -> None:
        """The page has switched them off, or has gone; idempotent."""
        sink, self._sink = self._sink, None
        if sink is not None:
            sink.close()

    def _told(self, switched: int, seen: GesturesSeen) -> None:
        if switched != self._switched:
            return  # of those before, which end while the next ones are on already
        if not seen.is_on:
            self._sink = None
        self._show(seen)
