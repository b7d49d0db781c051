"""Where the base has been: its departures, and the way that it came lately.

Whoever is given the base to move departs from where it stands. What it did not move by is no departure. Pure:
the controller manager says who is given it, and where it is.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from resources.types.routes import Departure, Spot

#: A stay is another one than the one before if it is so far away, or turned by so much [m], [rad].
_ELSEWHERE_M, _ELSEWHERE_RAD = 0.10, 0.10

#: So near to where it once started it is back there [m].
_BACK_M = 0.30

#: The way is kept in such steps [m], for so many of them, and so long [s].
_STEP_M, _STEPS, _KEPT_S = 0.10, 400, 600.0


class BaseTrack:
    """Of one base. now_s: a clock."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._here: Spot | None = None
        self._start: Spot | None = None
        self._departed: Spot | None = None
        self._before: Spot | None = None
        self._way: deque[tuple[float, Spot]] = deque(maxlen=_STEPS)

    def departs(self) -> None:
        """Somebody is given the base, where it is."""
        self._settle()
        self._departed = self._here

    def at(self, spot: Spot) -> None:
        """Where it is now."""
        self._here = spot
        if self._departed is None:
            self._departed = spot
        if not self._way or _is_elsewhere(self._way[-1][1], spot):
            self._way.append((self._now_s(), spot))

    def departure(self, which: Departure) -> Spot | None:
        """Where it stood; None if it has not gone anywhere since it was switched on."""
        self._settle()
        return self._start if which is Departure.START else self._before

    @property
    def way(self) -> tuple[Spot, ...]:
        """Where it came by lately."""
        since_s = self._now_s() - _KEPT_S
        return tuple(spot for stamp_s, spot in self._way if stamp_s >= since_s)

    def _settle(self) -> None:
        """What was driven since the last departure counts if it led elsewhere."""
        here, departed = self._here, self._departed
        if here is None or departed is None or not _is_elsewhere(departed, here):
            return
        self._before = departed
        if self._start is None or math.dist(departed[:2], self._start[:2]) < _BACK_M:
            self._start = departed


def _is_elsewhere(one: Spot, other: Spot) -> bool:
    return (
        math.dist(one[:2], other[:2]) > _ELSEWHERE_M
        or abs(math.remainder(one[2] - other[2], 2 * math.pi)) > _ELSEWHERE_RAD
    )
