"""Where time comes from. Nobody in the framework calls `time.monotonic` for itself.

`LoopClock` follows the running event loop, so the same code runs on real time
and on the virtual-time loop of `framework.testing`. Deadlines, watchdogs and
heartbeats use `now_s` (monotonic); `wall_s` only stamps records for people to
read, because it may be stepped at any moment.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Two readings of time and one way to wait."""

    def now_s(self) -> float:
        """Monotonic seconds from an arbitrary start; never goes back."""
        ...

    def wall_s(self) -> float:
        """Seconds since 1970-01-01 UTC, for records only."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; a wait of zero or less still lets others run."""
        ...


class LoopClock:
    """The running loop's time; virtual when the loop is virtual."""

    def now_s(self) -> float:
        """Monotonic seconds of the running loop; outside of a loop the system's."""
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return time.monotonic()

    def wall_s(self) -> float:
        """Seconds since 1970-01-01 UTC; a virtual loop counts from its own epoch."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return time.time()
        epoch_s: float | None = getattr(loop, "virtual_epoch_s", None)
        return time.time() if epoch_s is None else epoch_s + loop.time()

    async def sleep(self, seconds: float) -> None:
        """Wait on the running loop."""
        await asyncio.sleep(max(0.0, seconds))
