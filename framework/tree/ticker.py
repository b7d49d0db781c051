"""When a tree is ticked: when something has changed, and never more often than so many times a second.

The first change after a quiet time is acted upon at once; what changes within
one period after a tick is taken together in the next. Nothing ticks otherwise.
"""

from __future__ import annotations

import asyncio
import math

from framework.clock import Clock

MOST_TICKS_PER_S = 50.0


class Ticker:
    """Coalesces changes into ticks for one waiter."""

    def __init__(self, clock: Clock, most_per_s: float = MOST_TICKS_PER_S) -> None:
        self._clock = clock
        self._period_s = 1.0 / most_per_s
        self._changed = asyncio.Event()
        self._last_s = -math.inf
        self.ticks = 0

    def wake(self) -> None:
        """Something has changed."""
        self._changed.set()

    async def next(self) -> None:
        """Return when it is time to tick."""
        await self._changed.wait()
        if (early_s := self._last_s + self._period_s - self._clock.now_s()) > 0:
            await self._clock.sleep(early_s)
        self._changed.clear()
        self._last_s = self._clock.now_s()
        self.ticks += 1
