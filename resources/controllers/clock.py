"""A goal's own time, which waits for whoever follows. Real time comes in as periods."""

from __future__ import annotations

# How much a goal's clock may change its pace in a second.
_PACE_RATE = 2.0


class Clock:
    """A goal's own time: it slows down while what follows it lags behind, and stands if it is held up."""

    def __init__(self, duration_s: float) -> None:
        self.duration_s = duration_s
        self.now_s = 0.0
        self.pace = 1.0

    def advance(self, pace: float, dt_s: float) -> float:
        """One period on, towards a pace from 0 to 1. Returns by how much the pace changes [1/s]."""
        change = min(max(pace - self.pace, -_PACE_RATE * dt_s), _PACE_RATE * dt_s)
        self.pace += change
        self.now_s = min(self.now_s + self.pace * dt_s, self.duration_s)
        return change / dt_s

    @property
    def is_over(self) -> bool:
        """Whether the goal's trajectory is at its end."""
        return self.now_s >= self.duration_s

    @property
    def progress(self) -> float:
        """From 0 to 1."""
        return 1.0 if self.duration_s <= 0.0 else self.now_s / self.duration_s


def pace_for(lag: float, most: float) -> float:
    """The pace of a clock whose follower is `lag` behind: from full at half of `most` to none there."""
    return min(1.0, max(0.0, 2.0 - 2.0 * lag / most))
