"""Who came in and who was turned away, for the installation's log. Pure: time comes in.

Of strangers only so many are noted one by one, so that nobody can flood the log; the others are counted.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from resources.operator.sessions import Session
from resources.types.operator import Entered, EntryNote, Refusal, TurnedAway
from resources.web.rate_limit import RateLimit

MOST_NOTES: Final = 32
"""That wait to be read."""

REFUSALS_PER_S: Final = 0.1
REFUSALS_AT_ONCE: Final = 5.0


class EntryLog:
    """The newest notes."""

    def __init__(self) -> None:
        self._notes: deque[EntryNote] = deque(maxlen=MOST_NOTES)
        self._limit = RateLimit(REFUSALS_PER_S, REFUSALS_AT_ONCE)
        self._number = 0
        self._others = 0

    @property
    def notes(self) -> tuple[EntryNote, ...]:
        """The oldest first."""
        return tuple(self._notes)

    def entered(self, session: Session, address: str, *, by_code: bool) -> None:
        """Somebody is in."""
        self._number += 1
        self._notes.append(Entered(self._number, session.name, session.kind, address, by_code))

    def turned_away(self, why: Refusal, address: str, now_s: float) -> None:
        """Somebody is not."""
        if not self._limit.allows(now_s):
            self._others += 1
            return
        self._number += 1
        self._notes.append(TurnedAway(self._number, why, address, self._others))
        self._others = 0
