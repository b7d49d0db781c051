"""What a thread is doing, by the kernel's account, and what it gets of the processors.

Standard library only: children import it.
"""

from __future__ import annotations

import os
import time


def state_of(pid: int, thread: str) -> bytes:
    """The kernel's letter for it (proc(5)); nothing for one that has ended."""
    try:
        with open(f"/proc/{pid}/task/{thread}/stat", "rb") as stat:
            return stat.read().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return b""


class ThreadProcessor:
    """What a thread of this process gets of the processors.

    Args:
        ident: Python's number for it.
        native: the kernel's.
    """

    def __init__(self, ident: int, native: int) -> None:
        self._clock = time.pthread_getcpuclockid(ident)
        self._native = native
        self._looked_s = time.monotonic()
        self._used_s = time.clock_gettime(self._clock)

    def waited_s(self, now_s: float) -> float:
        """For how long since the last call others had them; 0 if it is asleep now. now_s: CLOCK_MONOTONIC."""
        passed_s, self._looked_s = now_s - self._looked_s, now_s
        before_s, self._used_s = self._used_s, time.clock_gettime(self._clock)
        if state_of(os.getpid(), str(self._native)) != b"R":
            return 0.0
        return max(0.0, passed_s - (self._used_s - before_s))
