"""Telling the owner what is wrong without drowning it: the first at once, then at most one a second;
and that it is over, once nothing has been wrong for a while."""

from __future__ import annotations

from collections.abc import Callable

from framework.status import Severity

Say = Callable[[Severity, str], None]


class Complaints:
    """Counts everything and says some of it, as warnings. `count` and `last` are for reports.

    Call `settle` now and then: a single complaint must not stand for ever.
    """

    def __init__(self, say: Say, *, every_s: float = 1.0, over_after_s: float = 3.0) -> None:
        self._say = say
        self._every_s = every_s
        self._over_after_s = over_after_s
        self._over_at_s = float("inf")
        self._silent_until_s = float("-inf")
        self._unsaid = 0
        self.count = 0
        self.last = ""

    def add(self, text: str, now_s: float) -> None:
        """Something was wrong at `now_s`."""
        self.count += 1
        self.last = text
        self._over_at_s = now_s + self._over_after_s
        if now_s < self._silent_until_s:
            self._unsaid += 1
            return
        more = f" (and {self._unsaid} more since the last warning)" if self._unsaid else ""
        self._unsaid = 0
        self._silent_until_s = now_s + self._every_s
        self._say(Severity.WARNING, text + more)

    def settle(self, now_s: float) -> None:
        """Say OK if the last complaint is long enough ago."""
        if now_s >= self._over_at_s:
            self._over_at_s = float("inf")
            self._say(Severity.OK, "nothing has been wrong for a while")
