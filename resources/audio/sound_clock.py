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


class SoundClock:
    """Gives each block the moment at which it ended; both clocks are CLOCK_MONOTONIC [s]."""

    def __init__(self) -> None:
        self._until_s: float | None = None

    def block(self, arrived_s: float) -> float:
        """Of a block that came at `arrived_s`, less what came after it in the same cluster."""
        if self._until_s is None or arrived_s - (self._until_s + BLOCK_S) > LOST_S:
            self._until_s = arrived_s
        else:
            counted_s = self._until_s + BLOCK_S * (1.0 + DRIFT)
            self._until_s = max(min(counted_s, arrived_s), self._until_s + BLOCK_S / 2)
        return self._until_s
