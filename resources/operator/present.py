"""One session that is there: its hands, its link, its words to the main process, what it may do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from resources.operator.console_link import ConsoleLink
from resources.operator.hand_rings import HandRings
from resources.operator.orders import Shown
from resources.operator.protocol import Health, OperatorWords, PointAt, WayIn
from resources.operator.sessions import Session
from resources.types.operator import SessionLine
from resources.types.operator_client import Seat, SeatOrder
from resources.types.whereabouts import POINTS_FOR_S, Ray

MOST_CHARS: Final = 400
"""Of words in a list."""

WHY_OVER_S: Final = 5.0
"""Why a link is over is said for so long in lists [s]; that it is, as long as it is."""


class Link(Protocol):
    """A page's link, of whichever kind, on the session's `HandRings`. One that has ended never comes back."""

    ended: str

    @property
    def is_alive(self) -> bool: ...

    def tell(self, words: OperatorWords) -> None: ...

    def show(self, shown: Shown) -> None: ...

    def seat(self, order: SeatOrder, holder: str = "") -> None: ...

    def health(self) -> Health: ...

    async def close(self, words: str = "") -> None: ...


class Present:
    """One session, with everything that is done for it."""

    def __init__(self, session: Session, rings: HandRings) -> None:
        self.session = session
        self.rings = rings
        self.link: Link | None = None
        self.leave: Callable[[str, WayIn], None] | None = None
        self.console: ConsoleLink | None = None
        self.speaking: asyncio.Task[None] | None = None
        self.tracking = ""
        self._points_at: Ray | None = None
        self._pointed_s = 0.0
        self.seat = SeatOrder(Seat.WATCHING)
        self._rtt_ms: float | None = None
        self._over_s: float | None = None
        self._is_over_told = False

    def tell(self, words: OperatorWords) -> None:
        """Tell its page, if there is one."""
        if self.link is not None:
            self.link.tell(words)

    @property
    def is_alive(self) -> bool:
        """Whether its link is up."""
        return self.link is not None and self.link.is_alive

    def point(self, at: PointAt, now_s: float) -> None:
        """It points there now."""
        self._points_at, self._pointed_s = (*at.origin, *at.direction), now_s

    def points_at(self, now_s: float) -> Ray | None:
        """Where it points; None if it has not said so for a while."""
        return self._points_at if now_s - self._pointed_s <= POINTS_FOR_S else None

    def look(self, now_s: float) -> bool:
        """A few times a second. Whether `line` says something else for it."""
        if self.link is None or not self.link.ended:
            self._over_s, self._is_over_told = None, False
        elif self._over_s is None:
            self._over_s = now_s
        elif not self._is_over_told and now_s - self._over_s > WHY_OVER_S:
            self._is_over_told = True
            return True
        return False

    def _words(self, health: Health | None) -> str:
        """Of the link, for lists."""
        if health is not None:
            opened = f"the clutch was opened because {health.broken}" if health.broken else ""
            return "; ".join(filter(None, (opened, health.words)))
        return self.link.ended if self.link is not None and not self._is_over_told else ""

    def line(self) -> SessionLine:
        """For lists. The round trip's time only changes if it is another one: each change is told to many."""
        health = self.link.health() if self.link is not None and self.is_alive else None
        now_ms, shown_ms = health.rtt_ms[0] if health and health.rtt_ms else None, self._rtt_ms
        if now_ms is None or shown_ms is None or abs(now_ms - shown_ms) > max(2.0, 0.25 * shown_ms):
            self._rtt_ms = None if now_ms is None else round(now_ms, 1)
        return SessionLine(
            self.session.id,
            self.session.name,
            self.session.kind,
            alive=self.is_alive,
            driving=self.seat.seat is not Seat.WATCHING,
            tracking=self.tracking,
            rtt_ms=self._rtt_ms,
            words=self._words(health)[:MOST_CHARS],
            hands=self.rings.hands,
            points_at=self._points_at,
            pointed_s=self._pointed_s,
        )
