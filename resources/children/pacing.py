"""How many steps of a simulation are due, so that simulated time keeps up with the clock. Pure.

After a long absence (the process was stopped, the machine slept) most of it is given up: a robot
that makes up for ten seconds in one leap would be no simulation of anything.
"""

from __future__ import annotations

from collections import deque

_WINDOW_S = 1.0


class Pacer:
    """`due` says how many steps to make now. All times are CLOCK_MONOTONIC [s].

    catch_up_s: at most so much simulated time is made up for at once.
    """

    def __init__(self, now_s: float, *, timestep_s: float, catch_up_s: float = 0.1) -> None:
        self._timestep_s = timestep_s
        self._catch_up_s = catch_up_s
        self._owed_s = 0.0
        self._last_s = now_s
        self._done: deque[tuple[float, float]] = deque([(now_s, 0.0)])  # (time, simulated time so far)
        self._simulated_s = 0.0
        self.lag_s = 0.0
        self.lost_s = 0.0

    def due(self, now_s: float) -> int:
        """Steps to make now; they count as made."""
        self._owed_s += now_s - self._last_s
        self._last_s = now_s
        self.lag_s = self._owed_s
        if self._owed_s > self._catch_up_s:
            self.lost_s += self._owed_s - self._catch_up_s
            self._owed_s = self._catch_up_s
        steps = int(self._owed_s / self._timestep_s + 1e-9)
        self._owed_s -= steps * self._timestep_s
        self._simulated_s += steps * self._timestep_s
        self._done.append((now_s, self._simulated_s))
        while len(self._done) > 2 and self._done[1][0] <= now_s - _WINDOW_S:
            self._done.popleft()
        return steps

    @property
    def real_time_factor(self) -> float:
        """Simulated per real time over the last second; 1 before anything can be said."""
        (from_s, before_s), (to_s, after_s) = self._done[0], self._done[-1]
        return (after_s - before_s) / (to_s - from_s) if to_s > from_s else 1.0
