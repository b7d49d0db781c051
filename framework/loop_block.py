"""Which single callback of the event loop took how long: for experiments and for whoever looks for a block.

`loop_lag.py` says how late the loop is, `loop_watchdog.py` who holds it at this moment. Here every callback
is timed, which costs a microsecond each: not for an installation that runs.
"""

from __future__ import annotations

import asyncio
import time
from heapq import heappush, heappushpop
from types import TracebackType
from typing import Any

import msgspec

KEPT = 50


class Block(msgspec.Struct, frozen=True, order=True):
    """One callback. processor_s: of the loop's own thread; wall_s also counts what others took meanwhile.

    doing: what the measurement was at; what: the callback.
    """

    processor_s: float
    wall_s: float
    doing: str = ""
    what: str = ""


class LoopBlocks:
    """Times the callbacks of all loops of this process while it is entered (`with`); one at a time."""

    def __init__(self) -> None:
        self.doing = ""
        self.callbacks = 0
        self._longest: list[Block] = []
        self._longest_wall_s = 0.0
        self._run: Any = None

    def __enter__(self) -> LoopBlocks:
        run = self._run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            wall_s, processor_s = time.perf_counter(), time.thread_time()
            try:
                run(handle)
            finally:
                self._note(handle, time.perf_counter() - wall_s, time.thread_time() - processor_s)

        setattr(asyncio.Handle, "_run", timed)  # noqa: B010  # the loop calls nothing else
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        setattr(asyncio.Handle, "_run", self._run)  # noqa: B010

    @property
    def longest(self) -> tuple[Block, ...]:
        """The callbacks that took most processor time, the longest first."""
        return tuple(sorted(self._longest, reverse=True))

    @property
    def processor_ms_max(self) -> float:
        """Of the longest callback, processor time of the loop's thread."""
        return 1e3 * max((block.processor_s for block in self._longest), default=0.0)

    @property
    def wall_ms_max(self) -> float:
        """Of the longest callback, time that passed: on a busy machine others have a part in it."""
        return 1e3 * self._longest_wall_s

    def _note(self, handle: asyncio.Handle, wall_s: float, processor_s: float) -> None:
        self.callbacks += 1
        self._longest_wall_s = max(self._longest_wall_s, wall_s)
        if len(self._longest) == KEPT and processor_s <= self._longest[0].processor_s:
            return
        block = Block(processor_s, wall_s, self.doing, described(handle))
        if len(self._longest) < KEPT:
            heappush(self._longest, block)
        else:
            heappushpop(self._longest, block)


def described(handle: asyncio.Handle) -> str:
    """A callback in words: the task that it wakes, or the function."""
    callback = getattr(handle, "_callback", None)
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        coroutine = task.get_coro()
        return f"task {task.get_name()!r} ({getattr(coroutine, '__qualname__', coroutine)})"
    return getattr(callback, "__qualname__", repr(callback))
