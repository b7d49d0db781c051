"""Where somebody points at one page, taken in within a limit of its own; the page is told what that is.

What comes beyond the limit is dropped in silence: the newest counts, and another one is on its way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from framework.errors import PilothouseError
from resources.web.page_messages import POINTS_PER_S, PagePoint, PointAt
from resources.web.protocol import PointedAt, Reply
from resources.web.rate_limit import RateLimit

BURST: Final = 10.0
"""So many may come at once: networks hiccup, and whoever speaks points once more."""

MOST_EXCESS: Final = 600
"""In a row beyond the limit before the page is dropped: after a hang of ours many come at once."""


class PointsAt(Protocol):
    """Whoever keeps what pages point at (`ConsoleBackend.point`)."""

    def point(self, at: PagePoint | None, *, who: str) -> PointedAt: ...


class PagePointing:
    """Of one page. show: tells it what it points at. monotonic_s: reads CLOCK_MONOTONIC."""

    def __init__(
        self,
        backend: PointsAt,
        who: str,
        show: Callable[[PointedAt], None],
        *,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._who = who
        self._show = show
        self._monotonic_s = monotonic_s
        self._limit = RateLimit(2.0 * POINTS_PER_S, BURST)
        self._points = False
        self._shown = PointedAt()

    @property
    def is_flooded(self) -> bool:
        """Whether the page sends so much more than it may that it is better dropped."""
        return self._limit.excess > MOST_EXCESS

    def take(self, message: PointAt) -> Reply | None:
        """What is wrong with it, if anything is. That nothing is pointed at is never one too many."""
        within = self._limit.allows(self._monotonic_s())
        if not within and message.at is not None:
            return None
        try:
            pointed_at = self._backend.point(message.at, who=self._who)
        except PilothouseError as refusal:
            return Reply(message.id, False, str(refusal))
        self._points = message.at is not None
        if pointed_at != self._shown:
            self._shown = pointed_at
            self._show(pointed_at)
        return None

    def close(self) -> None:
        """The page has gone; idempotent."""
        if self._points:
            self._points = False
            self._backend.point(None, who=self._who)
