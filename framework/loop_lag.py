"""How late the main event loop is: status and experiments report it, because a late loop stops late.

What people said while it did not turn lies in buffers that tell no times: `hung_s` says when to doubt it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Final

PERIOD_S: Final = 0.02

#: What comes so soon after the loop has hung [s] may have been said while it did.
DOUBTED_S: Final = 0.5

#: Wake-ups that are remembered: the last two minutes.
KEPT: Final = 6000


class LoopLag:
    """Wakes every `period_s` while it is entered (`async with`), and notes how late it was woken."""

    def __init__(self, period_s: float = PERIOD_S) -> None:
        self._period_s = period_s
        self._late_s: deque[float] = deque(maxlen=KEPT)
        self._hung_s = 0.0
        self._turned_s = -math.inf
        #: When it last woke, CLOCK_MONOTONIC [s]; None until then. Read by the watchdog's thread.
        self.woken_s: float | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LoopLag:
        self._task = asyncio.create_task(self._watch(), name="loop lag")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self.woken_s = None
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def quantile_ms(self, fraction: float) -> float | None:
        """So late [ms] or less was this fraction of all wake-ups; None if there were none."""
        return None if not self._late_s else 1e3 * quantile(self._late_s, fraction)

    def hung_s(self, now_s: float) -> float:
        """So long the loop did not turn [s], if that ended within the last `DOUBTED_S`; else 0.

        now_s: by the loop's clock.
        """
        return self._hung_s if now_s - self._turned_s < DOUBTED_S else 0.0

    def note(self, late_s: float, now_s: float) -> None:
        """It turned at now_s, by its own clock, so much later than it was to."""
        self._late_s.append(late_s)
        if now_s - self._turned_s >= DOUBTED_S or late_s > self._hung_s:
            self._hung_s, self._turned_s = late_s, now_s

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + self._period_s
            await asyncio.sleep(self._period_s)
            now_s = loop.time()
            self.woken_s = time.monotonic()
            self.note(max(0.0, now_s - due_s), now_s)


def quantile(samples: Iterable[float], fraction: float) -> float:
    """The smallest sample that at least `fraction` of all do not exceed (nearest rank)."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, max(0, -int(-fraction * len(ordered) // 1) - 1))]
