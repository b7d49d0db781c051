"""Waits. Time does not count while it is paused."""

from __future__ import annotations

import asyncio

import msgspec

import pilothouse as ph

#: So many reports of progress are enough, and none comes more often than once a second.
_REPORTS = 20


class Waited(msgspec.Struct):
    """What survives a pause: the time that has passed so far [s]."""

    waited_s: float = 0.0


class Wait(ph.Action):
    """Wait for so long."""

    duration_s: float = ph.param(ge=0.0, le=86400.0, doc="how long")

    memory: Waited

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        pause_s = max(1.0, self.duration_s / _REPORTS)
        while (left_s := self.duration_s - self.memory.waited_s) > 0.0:
            begun_s, before_s = loop.time(), self.memory.waited_s
            self.progress(before_s / self.duration_s, f"waiting, {_in_words(left_s)} left")
            try:
                await asyncio.sleep(min(left_s, pause_s))
            finally:
                self.memory.waited_s = before_s + loop.time() - begun_s


def _in_words(seconds: float) -> str:
    if seconds < 90.0:
        return f"{round(seconds, 1):g} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400.0 else f"{seconds / 3600:.1f} h"
