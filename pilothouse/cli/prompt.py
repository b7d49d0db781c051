"""The prompt at a terminal while something may happen: a line is read, news come in between, seconds count.

The line is edited by the terminal itself. The seconds stand in front of it, in a
place of fixed width, so that what is being typed stays as it is.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
from contextlib import suppress

from pilothouse.cli.answers import Asked

_SAVE, _RESTORE, _CLEAR = "\x1b7", "\x1b8", "\r\x1b[K"


class Prompt:
    """Asks at standard input. `wake` may be called from any thread, all else from one."""

    def __init__(self) -> None:
        self.asked: Asked | None = None
        self._until_s: float | None = None
        self._has_input = True
        self._shown = ""
        self._wake_read, self._wake_write = os.pipe()

    @staticmethod
    def is_possible() -> bool:
        """Whether somebody is there to be asked."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def wake(self) -> None:
        """Something has come."""
        os.write(self._wake_write, b"!")

    def close(self) -> None:
        """Leave the terminal as it was."""
        self.leave()
        # The pipe stays open: whoever wakes us late must not write into another file.

    def ask(self, asked: Asked) -> None:
        """Begin to ask. What was typed before the question was there is no answer to it."""
        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
        self.asked = asked
        self._until_s = None if asked.within_s is None else time.monotonic() + asked.within_s
        self._draw()

    def leave(self) -> None:
        """Do not ask any more."""
        if self.asked is not None:
            self.asked = None
            self._write(_CLEAR)

    def print(self, text: str) -> None:
        """Print a line above the prompt."""
        if self.asked is None:
            print(text, flush=True)
            return
        self._write(f"{_CLEAR}{text}\n")
        self._draw()

    def wait(self) -> str | None:
        """Wait until something has come (None) or a line was typed."""
        while True:
            watched = [self._wake_read]
            if self.asked is not None and self._has_input:
                watched.append(sys.stdin.fileno())
            ready, _, _ = select.select(watched, [], [], 0.25 if self.asked is not None else None)
            if self._wake_read in ready:
                os.read(self._wake_read, 4096)
                return None
            if ready:
                line = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
                if line:
                    self._draw()
                    return line
                self._has_input = False  # Ctrl-D: whoever is there does not want to answer
            self._count()

    def _draw(self) -> None:
        if self.asked is None:
            return
        self._shown = self._seconds()
        self._write(f"{self._shown} your answer: ")

    def _count(self) -> None:
        """The seconds that are left, in their place."""
        seconds = self._seconds()
        if self.asked is not None and seconds != self._shown:
            self._shown = seconds
            self._write(f"{_SAVE}\r{seconds}{_RESTORE}")

    def _seconds(self) -> str:
        if self._until_s is None:
            return "[no hurry]"
        return f"[{max(0.0, self._until_s - time.monotonic()):4.0f} s]"

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
