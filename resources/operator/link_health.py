"""How well a link does, in numbers and words, from what its gate counted. Pure."""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import Final

import msgspec

from resources.operator.intake import HandIntake, IntakeCounts
from resources.operator.protocol import Health, LinkQuality
from resources.types.masters import SILENCE_S

RECENT_S: Final = 2.0
"""Words are about what happened within this [s]."""

BROKEN_S: Final = 5.0
"""So long it is said why a clutch was opened [s]."""

LEAST_POSES: Final = 20
"""So many poses tell how slow a link is."""

AGAIN_GOOD: Final = 0.9
"""A link that was too slow has to come so far below the limit, or it would be both in turn."""


TOO_SLOW: Final = (
    "the link is too slow to drive: a hand's poses come {age_ms:.0f} ms late, "
    "at most {most_ms:.0f} ms may pass"
)


class LinkHealth:
    """Looks at a gate now and then and says what is wrong, the most important first."""

    def __init__(self, intake: HandIntake) -> None:
        self._intake = intake
        self._past: deque[tuple[float, IntakeCounts]] = deque()
        self._breaks = intake.breaks
        self._broken_s = 0.0
        self._now_s = 0.0
        self._is_too_slow = False

    def look(self, now_s: float) -> None:
        """Remember the counts; a few times a second is enough."""
        self._past.append((now_s, msgspec.structs.replace(self._intake.counts)))
        while self._past[0][0] < now_s - RECENT_S:
            self._past.popleft()
        self._now_s = now_s
        if self._intake.breaks != self._breaks:
            self._breaks, self._broken_s = self._intake.breaks, now_s
        age_s = self._pose_age_s()
        limit_s = SILENCE_S * (AGAIN_GOOD if self._is_too_slow else 1.0)
        self._is_too_slow = age_s is not None and age_s > limit_s

    def _pose_age_s(self) -> float | None:
        """How old poses are when they come, the median; None if too few have come to tell."""
        ages_s = self._intake.ages_s
        return median(ages_s) if len(ages_s) >= LEAST_POSES else None

    def words(self, *, drives: bool = True) -> str:
        """The worst that is wrong with the link, or "": who drives looks at the picture, and reads one thing.

        drives: else no pose moves anything anyhow.
        """
        intake = self._intake
        if not self._past:
            return ""
        before, now = self._past[0][1], intake.counts
        if self._is_too_slow:
            return TOO_SLOW.format(age_ms=1e3 * (self._pose_age_s() or 0.0), most_ms=1e3 * SILENCE_S)
        if drives and (late := now.late - before.late):
            return f"the link is slow: {_poses(late)} came too late and moved nothing"
        if drives and (mistimed := now.mistimed - before.mistimed):
            return f"the page's clock jumps: {_poses(mistimed)} not used"
        if invalid := now.invalid - before.invalid:
            return f"{invalid} message{'s' * (invalid > 1)} of the page made no sense"
        if drives and (thinned := now.thinned - before.thinned):
            return f"the page sends too fast: {_poses(thinned)} left out"
        return ""

    def broken(self) -> str:
        """Why the gate opened the clutch, while that is new and it is not pressed anew; else ""."""
        is_new = self._intake.breaks != self._breaks or self._now_s - self._broken_s < BROKEN_S
        return self._intake.broken if is_new else ""

    def health(self, now_s: float) -> Health:
        """Quality, round trip (median, 99th percentile) and offset, words, why the clutch was opened."""
        clock = self._intake.clock
        trips = clock.round_trip_s()
        age_s = self._pose_age_s()
        return Health(
            quality=LinkQuality.TOO_SLOW if self._is_too_slow else LinkQuality.GOOD,
            pose_age_ms=None if age_s is None else 1e3 * age_s,
            rtt_ms=None if trips is None else (1e3 * trips[0], 1e3 * trips[1]),
            offset_ms=1e3 * clock.offset_s(now_s) if clock.is_known else None,
            words=self.words(),
            broken=self.broken(),
            breaks=self._intake.breaks,
        )


def _poses(count: int) -> str:
    return "1 pose" if count == 1 else f"{count} poses"
