"""Telling the owner what is wrong without drowning it: the first at once, then at most one a second."""

from __future__ import annotations

from collections.abc import Callable

from framework.status import Severity

Say = Callable[[Severity, str], None]


class Complaints:
    """Counts everything and says some of it, as warnings. `count` and `last` are for reports."""

    def __init__(self, say: Say, *, every_s: float = 1.0) -> None:
        self._say = say
        self._every_s = every_s
        self._silent_until_s = float("-inf")
        self._unsaid = 0
        self.count = 0
        self.last = ""

    def add(self, text: str, now_s: float) -> None:
        """Something was wrong at `now_s`."""
        self.count += 1
        self.last = text
        if now_s < self._silent_until_s:
            self._unsaid += 1
            return
        more = f" (and {self._unsaid} more since the last warning)" if self._unsaid else ""
        self._unsaid = 0
        self._silent_until_s = now_s + self._every_s
        self._say(Severity.WARNING, text + more)
