"""A token bucket: how many messages somebody may send. Takes time as an argument; no clock."""

from __future__ import annotations


class RateLimit:
    """`burst` messages at once, then `per_s` a second.

    excess: how many came beyond that, less those that came within it since: whoever sends more than twice
    what they may makes it grow without end, whoever only hiccups does not.
    """

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s = per_s
        self._burst = burst
        self._left = burst
        self._at_s = 0.0
        self.excess = 0

    def allows(self, now_s: float) -> bool:
        """Count one message, and say whether it was within the limit."""
        self._left = min(self._burst, self._left + max(0.0, now_s - self._at_s) * self._per_s)
        self._at_s = now_s
        if self._left < 1.0:
            self.excess += 1
            return False
        self._left -= 1.0
        self.excess = max(0, self.excess - 1)
        return True
