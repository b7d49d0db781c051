"""The time of one plan: the installation's clock, but it stands still while the plan is paused.

"For ten seconds" means ten seconds of doing it, so a pause does not use them up. Whoever waits for a moment
names it, and the tree is woken then; nobody polls.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from framework.clock import Clock

#: Timers may fire this much early: the loop rounds, and so do sums of floats [s].
EARLY_S = 1e-6


class Stopwatch:
    """Runs from the start. `wake` is called when the earliest moment asked for has come."""

    def __init__(self, clock: Clock, wake: Callable[[], None]) -> None:
        self._clock = clock
        self._wake = wake
        self._paused_s = 0.0
        self._held_since_s: float | None = None
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at_s = math.inf

    def now_s(self) -> float:
        """The clock without the pauses so far."""
        now_s = self._clock.now_s() if self._held_since_s is None else self._held_since_s
        return now_s - self._paused_s

    def hold(self) -> None:
        """The plan is paused."""
        if self._held_since_s is None:
            self._held_since_s = self._clock.now_s()
            self.close()

    def go_on(self) -> None:
        """The plan goes on. Alarms are forgotten: who still waits asks again at the next tick."""
        if self._held_since_s is not None:
            self._paused_s += self._clock.now_s() - self._held_since_s
            self._held_since_s = None

    def wake_at(self, due_s: float) -> None:
        """Wake the tree at this moment of `now_s`, unless it is woken before; needs a running loop."""
        if self._held_since_s is not None or due_s >= self._alarm_at_s or not math.isfinite(due_s):
            return
        self.close()
        self._alarm_at_s = due_s
        self._alarm = asyncio.create_task(self._ring(due_s - self.now_s()), name="alarm of a plan")

    def close(self) -> None:
        """No alarm any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._alarm_at_s = None, math.inf

    async def _ring(self, after_s: float) -> None:
        await self._clock.sleep(after_s)
        self._alarm, self._alarm_at_s = None, math.inf
        self._wake()
