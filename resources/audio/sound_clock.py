"""When each block of a microphone ended: by counting, since blocks come in clusters and late. Pure.

Sound cannot come before it was made, so the earliest arrivals are right and count as they are; in between
blocks are counted, a little slowly, so that a microphone whose clock drifts is followed either way.
"""

from __future__ import annotations

from typing import Final

from resources.audio.format import BLOCK_S

DRIFT: Final = 5e-4
"""A converter's clock is off by no more than this, in seconds a second."""

LOST_S: Final = 0.25
"""Whoever is later than this has lost sound, and does not merely come late [s]."""


LATE_S: Final = 1.0
"""Numbered sound that has not caught up within so long has stood still where it is made [s]."""


class SoundClock:
    """Gives each block the moment at which it ended; both clocks are CLOCK_MONOTONIC [s]."""

    def __init__(self) -> None:
        self._until_s: float | None = None

    def block(self, arrived_s: float) -> float:
        """Of a block that came at `arrived_s`, less what came after it in the same cluster."""
        if self._until_s is None or arrived_s - (self._until_s + BLOCK_S) > LOST_S:
            self._until_s = arrived_s
        else:
            self._until_s = _counted_s(self._until_s, arrived_s)
        return self._until_s


class NumberedClock:
    """The same for blocks that are numbered: those that were held up on their way, and came all at once,
    have lost nothing. CLOCK_MONOTONIC [s]."""

    def __init__(self) -> None:
        self._until_s: float | None = None
        self._late_since_s: float | None = None

    def block(self, arrived_s: float, missing: int = 0) -> tuple[float, bool]:
        """When the next block ended, which came at `arrived_s`; and whether sound is missing before it.

        missing: so many before it have not come.
        """
        if self._until_s is None:
            self._until_s = arrived_s
            return arrived_s, missing > 0
        self._until_s = _counted_s(self._until_s + missing * BLOCK_S, arrived_s)
        if arrived_s - self._until_s <= LOST_S:
            self._late_since_s = None
        elif self._late_since_s is None:
            self._late_since_s = arrived_s
        elif arrived_s - self._late_since_s > LATE_S:
            self._until_s, self._late_since_s = arrived_s, None
            return arrived_s, True
        return self._until_s, missing > 0


def _counted_s(before_s: float, arrived_s: float) -> float:
    """One block after `before_s`: not after it came, and never back."""
    counted_s = before_s + BLOCK_S * (1.0 + DRIFT)
    return max(min(counted_s, arrived_s), before_s + BLOCK_S / 2)
