"""A topic that should come steadily: that nothing comes is told, and why, and that it goes on."""

from __future__ import annotations

from typing import Final

from framework.status import Severity
from resources.ros.participant import Connection

LEAST_SILENCE_S: Final = 0.3
_PERIODS: Final = 3.0


class Silence:
    """Watches one connection.

    rate_hz: how often messages should come; a silence of three periods, of .3 s at least, is told.
    """

    def __init__(self, connection: Connection, rate_hz: float) -> None:
        self._connection = connection
        self._after_s = max(LEAST_SILENCE_S, _PERIODS / rate_hz)
        self._is_silent = False

    def silent_s(self, now_s: float) -> float:
        """For how long nothing has come; 0 before the first message [s]."""
        newest_s = self._connection.newest_s
        return 0.0 if newest_s is None else now_s - newest_s

    def look(self, now_s: float) -> tuple[Severity, str] | None:
        """What is to be told now, if anything has changed."""
        silent_s = self.silent_s(now_s)
        is_silent = silent_s > self._after_s
        if is_silent == self._is_silent:
            return None
        self._is_silent = is_silent
        if is_silent:
            return Severity.ERROR, f"no message for {silent_s:.2f} s: {self._connection.why_silent()}"
        return Severity.OK, f"{self._connection.topic} goes on"
