"""From a page's clock to this machine's, measured all the time, and the round trip. Pure: times come in.

The two clocks differ by an offset that hardly changes. A packet that was sent at s by the page's clock and
received at r by ours says that the offset is at most r - s (it cannot have come before it was sent); one of
ours that left at e and came at p by the page's clock says that it is at least e - p. The smallest of the
former and the largest of the latter of the last ten seconds bound it from both sides, whatever the jitter, to
half the shortest round trip (Cristian, Probabilistic clock synchronization, 1989, with both directions
kept apart). Bounds widen with age, for clocks drift.

A page's clock may also step (a phone that slept). Then new bounds contradict the old ones: what contradicts
is not believed, and only when nothing else comes, everything is measured anew.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

WINDOW_S: Final = 1.0
WINDOWS: Final = 10
"""The best bound of each window is kept, for so many windows."""

DRIFT: Final = 3e-4
"""Quartz of phones is within 100 ppm; three times that [s/s]."""

CONTRADICTS_S: Final = 0.02
"""Bounds that exclude each other by more than this are not both right [s]."""

BELIEVED_AFTER: Final = 5
"""So many contradictions in a row are a step of the page's clock."""

ROUND_TRIPS: Final = 300


class _Bound:
    """The tightest of the last windows' bounds from above; for bounds from below, negate."""

    def __init__(self) -> None:
        self._best: deque[tuple[float, float]] = deque(maxlen=WINDOWS)  # (when it was measured, bound) [s]
        self._window_s = -math.inf

    @property
    def is_empty(self) -> bool:
        return not self._best

    def add(self, bound_s: float, now_s: float) -> None:
        if now_s >= self._window_s + WINDOW_S:
            self._window_s = now_s
            self._best.append((now_s, bound_s))
        elif bound_s <= self._best[-1][1] + DRIFT * (now_s - self._best[-1][0]):
            self._best[-1] = (now_s, bound_s)

    def at(self, now_s: float) -> float:
        """Infinite while nothing is known. What is older than the windows, but the last, does not count."""
        oldest_s = now_s - WINDOW_S * WINDOWS
        while len(self._best) > 1 and self._best[0][0] < oldest_s:
            self._best.popleft()
        return min((bound_s + DRIFT * (now_s - at_s) for at_s, bound_s in self._best), default=math.inf)


class ClockMap:
    """A page's clock, mapped to CLOCK_MONOTONIC of this machine; all times in seconds."""

    def __init__(self) -> None:
        self._forget()
        self._contradictions = 0
        self._round_trips: deque[float] = deque(maxlen=ROUND_TRIPS)
        self.steps = 0
        """How often the page's clock was found to have stepped."""

    def observe(self, sent_s: float, received_s: float, echo_s: float = 0.0, held_s: float = 0.0) -> bool:
        """Learn from a packet; whether its times agree with what is known. If not, they are not used.

        Args:
            sent_s: by the page's clock. received_s: by ours, never falling.
            echo_s: ours, of the packet that came to the page `held_s` before `sent_s`; 0 none.
        """
        above = received_s - sent_s
        round_trip = received_s - echo_s - held_s
        below = echo_s - (sent_s - held_s) if echo_s > 0.0 else -math.inf
        agrees = (
            above >= self._lower(received_s) - CONTRADICTS_S
            and below <= self._upper.at(received_s) + CONTRADICTS_S
            and below <= above + CONTRADICTS_S  # of itself: a negative round trip
        )
        if not agrees:
            self._contradictions += 1
            if self._contradictions < BELIEVED_AFTER:
                return False
            self.steps += 1
            self._forget()
            if below > above + CONTRADICTS_S:
                return False
        self._contradictions = 0
        self._upper.add(above, received_s)
        if echo_s > 0.0:
            self._negated_lower.add(-below, received_s)
            self._round_trips.append(max(round_trip, 0.0))
        return agrees

    @property
    def is_known(self) -> bool:
        """Whether anything was observed."""
        return not self._upper.is_empty

    def offset_s(self, now_s: float) -> float:
        """What to add to the page's clock; before the first echo, as if the fastest packet took no time."""
        upper, lower = self._upper.at(now_s), self._lower(now_s)
        return upper if math.isinf(lower) else (upper + lower) / 2.0

    def to_monotonic(self, page_s: float, received_s: float) -> float:
        """A time of the page's in ours; never later than `received_s`."""
        return min(page_s + self.offset_s(received_s), received_s)

    def round_trip_s(self) -> tuple[float, float] | None:
        """Median and 99th percentile of the last 300; None before the first."""
        if not self._round_trips:
            return None
        ordered = sorted(self._round_trips)
        last = len(ordered) - 1
        return ordered[last // 2], ordered[math.ceil(0.99 * last)]

    def _lower(self, now_s: float) -> float:
        return -self._negated_lower.at(now_s)

    def _forget(self) -> None:
        self._upper = _Bound()
        self._negated_lower = _Bound()
