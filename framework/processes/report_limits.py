"""How much a child may say, and how much of that may be unreadable, before it is of no use. Pure."""

from __future__ import annotations

from framework.processes.spec import ProcessSpec


class ReportLimits:
    """Counts the messages of one child, from each start anew. `now` is monotonic seconds."""

    def __init__(self, spec: ProcessSpec) -> None:
        self._spec = spec
        self.began(0.0)

    def began(self, now: float) -> None:
        """It is started: nothing has been said yet."""
        self._window_from = now
        self._in_window = self._unreadable = self._unreadable_in_a_row = 0

    def heard(self, now: float) -> str:
        """Count a message; why that is one too many, "" if it is not."""
        if now - self._window_from >= 1.0:
            self._window_from, self._in_window = now, 0
        self._in_window += 1
        most = self._spec.max_reports_per_s
        return f"floods its channel: over {most} messages in a second" if self._in_window > most else ""

    def was_readable(self) -> None:
        """The message that was counted last."""
        self._unreadable_in_a_row = 0

    def was_unreadable(self, what: str) -> tuple[str, str]:
        """The message that was counted last: why it is one too many, and a warning; each "" if it is none."""
        self._unreadable += 1
        self._unreadable_in_a_row += 1
        if self._unreadable_in_a_row > self._spec.max_garbage:
            return f"{self._unreadable_in_a_row} unreadable messages in a row, the last: {what}", ""
        is_news = self._unreadable & (self._unreadable - 1) == 0  # 1st, 2nd, 4th, 8th, …
        return "", f"unreadable message no. {self._unreadable}: {what}" if is_news else ""
