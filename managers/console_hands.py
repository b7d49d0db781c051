"""The hands of a page of the console, as tracked hands; and what is read of them, as the page is told it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from managers.gesturing import Gesturing
from resources.types.gestures import Reading, TrackedHand
from resources.types.whereabouts import Point
from resources.web.page_messages import HandsSeen
from resources.web.protocol import GesturesSeen, HandShown

UP: Final[Point] = (0.0, -1.0, 0.0)
"""In a page's picture, whose y goes down: cameras of computers and phones stand upright."""


class ConsoleHands:
    """Of one page, while its gestures are on (`resources.console.backend.PageHandsSink`)."""

    def __init__(self, gesturing: Gesturing, who: str, show: Callable[[GesturesSeen], None]) -> None:
        self._show = show
        self._watched = gesturing.watch(who, UP, self._read, self._ended)

    def take(self, seen: HandsSeen, arrived_s: float) -> None:
        """One picture; it was taken its age before it arrived."""
        taken_s = arrived_s - seen.age_ms / 1e3

        def hands(frame: str) -> tuple[TrackedHand, ...]:
            return tuple(
                TrackedHand(each.side, frame, taken_s, each.confidence, each.points) for each in seen.hands
            )

        self._watched.take(hands, taken_s)

    def close(self) -> None:
        """Switch them off."""
        self._watched.close()

    def _read(self, reading: Reading) -> None:
        shown = tuple(HandShown(each.side, each.kind, each.confidence, each.held) for each in reading.hands)
        self._show(GesturesSeen(True, shown, reading.trouble))

    def _ended(self, why: str) -> None:
        self._show(GesturesSeen(False, why=why))
