"""What a child's beats say: since when its main loop has not turned, and how old its streams are.

The main loop only notes its turns here. The beats are sent by a thread beside it, so that work which takes
its time (a picture drawn in software) is told from a process that stands still, and a main loop that stands
still from one that computes. It sleeps no longer than until the main loop would be overdue.
"""

from __future__ import annotations

import math
import os
import threading
import time

from framework.processes import wire
from framework.processes.activity import Activity, activity_of

_WORK_S = 0.002  # processor time of one period that says: somebody works here
_LATE_S = 0.001  # judged this much after the limit, to be on the safe side of rounding


class Pulse:
    """Noted by the main loop, read by the thread that beats. Times are CLOCK_MONOTONIC [s]."""

    def __init__(self, birth: wire.Birth) -> None:
        self.is_on = False  # from when on there is something to judge
        self.sampled_at: dict[str, float] = {}  # of each stream, its newest sample
        self._beat_s = birth.beat_s
        self._hang_after_s = birth.hang_after_s
        self._turned_at = time.monotonic()
        self._promise_s = 0.0
        self._sent_at = -math.inf
        self._worked = (-math.inf, 0.0)  # when looked at last, and the processor time taken until then

    def turned(self, now: float) -> None:
        """The main loop has turned."""
        self._turned_at = now
        self._promise_s = 0.0

    def blocks(self, now: float, for_s: float) -> None:
        """It has turned, and its next turn may take this long."""
        self._turned_at = now
        self._promise_s = for_s

    def wait_s(self, now: float) -> float:
        """How long until the next beat is due: a period, or less if the main loop is overdue before that."""
        due = self._sent_at + self._beat_s
        hangs_at = self._turned_at + max(self._hang_after_s, self._promise_s) + _LATE_S
        if self._sent_at < hangs_at < due:
            due = hangs_at
        return max(0.0, due - now) if self.is_on else self._beat_s

    def beat(self, now: float) -> wire.Beat:
        """The beat to send now."""
        self._sent_at = now
        loop_age_s = max(0.0, now - self._turned_at)
        is_overdue = loop_age_s > self._hang_after_s
        age_s, stream = None, ""
        if self.sampled_at:
            stream, newest_at = min(self.sampled_at.copy().items(), key=lambda each: each[1])
            age_s = max(0.0, now - newest_at)
        has_worked = self._has_worked(now)
        at_work = is_overdue and (has_worked or self._is_running())
        return wire.Beat(age_s, stream, self._promise_s, loop_age_s, at_work)

    def _has_worked(self, now: float) -> bool:
        """Whether others than this thread have used the processor since about a period ago."""
        at, before_s = self._worked
        used_s = time.process_time() - time.thread_time()
        if now - at >= self._beat_s / 2:
            self._worked = (now, used_s)
        return used_s - before_s > _WORK_S

    def _is_running(self) -> bool:
        return activity_of(os.getpid(), besides=threading.get_native_id()) is Activity.RUNNING
