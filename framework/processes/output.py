"""What a child prints: drained so that it never blocks on us, its last lines kept, all bounded.

Standard output and error share one pipe, so their order is kept. A child that prints more than
we care to read is read coarsely: at most every 50 ms, and only the newest lines survive. That
slows its printing to some MB/s, never so much that its main loop misses a beat.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Final

KEEP_LINES: Final = 50
MAX_LINE_CHARS: Final = 700
_READ_BYTES: Final = 64 * 1024
_FULL_SPEED_BYTES_PER_S: Final = 256 * 1024
_FULL_SPEED_LINES_PER_S: Final = 1000
_COARSE_PERIOD_S: Final = 0.05
_READS_WHEN_COARSE: Final = 16  # a pipe holds 64 KiB; one that refills meanwhile waits for the next turn


class Output:
    """The read end of a child's output pipe, watched by the running loop. Owns the descriptor."""

    def __init__(self, descriptor: int, on_line: Callable[[str], None]) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._on_line = on_line
        self._lines: deque[str] = deque(maxlen=KEEP_LINES)
        self._partial = b""
        self._loop = asyncio.get_running_loop()
        self._window_from = self._loop.time()
        self._bytes_in_window = self._lines_in_window = 0
        self._pause: asyncio.TimerHandle | None = None
        self._is_open = True
        self._loop.add_reader(descriptor, self._readable)

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines, oldest first, an unfinished one included."""
        partial = (_text(self._partial),) if self._partial.strip() else ()
        return (*self._lines, *partial)

    def pump(self) -> None:
        """Take in what is there now (before the last words are asked for); bounded."""
        if self._is_open:
            self._take_newest()

    def close(self) -> None:
        """Close the pipe. The lines stay."""
        if self._is_open:
            self._is_open = False
            if self._pause is not None:
                self._pause.cancel()
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _readable(self) -> None:
        now = self._loop.time()
        if now - self._window_from >= 1.0:
            self._window_from, self._bytes_in_window, self._lines_in_window = now, 0, 0
        if (
            self._bytes_in_window < _FULL_SPEED_BYTES_PER_S
            and self._lines_in_window < _FULL_SPEED_LINES_PER_S
        ):
            data = self._read()
            self._bytes_in_window += len(data)
            self._split(data)
        else:
            self._take_newest()
            if self._is_open:
                self._loop.remove_reader(self._descriptor)
                self._pause = self._loop.call_later(_COARSE_PERIOD_S, self._resume)

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._descriptor, self._readable)

    def _take_newest(self) -> None:
        newest, skipped = b"", 0
        for _ in range(_READS_WHEN_COARSE):
            data = self._read()
            if not data:
                break
            skipped += len(newest)
            newest = data
        if skipped:
            self._partial = b""
            self._line(f"[{skipped} bytes of output were skipped]")
        self._split(newest)

    def _read(self) -> bytes:
        if not self._is_open:
            return b""
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return b""
        if not data:
            self.close()
        return data

    def _split(self, data: bytes) -> None:
        *lines, rest = (self._partial + data).split(b"\n")
        self._partial = rest[-MAX_LINE_CHARS * 4 :]
        if (
            len(lines) > _FULL_SPEED_LINES_PER_S // 5
        ):  # one read of very short lines must not hold up the loop
            self._line(f"[{len(lines) - KEEP_LINES} lines of output were skipped]")
            lines = lines[-KEEP_LINES:]
        for line in lines:
            if line.strip():
                self._line(_text(line))

    def _line(self, text: str) -> None:
        self._lines_in_window += 1
        self._lines.append(text)
        self._on_line(text)


def _text(line: bytes) -> str:
    """One line for people: decoded whatever it is, no control characters, not too long."""
    text = line.rstrip(b"\r")[: MAX_LINE_CHARS * 4].decode("utf-8", "replace").replace("\t", "    ")
    if not text.isprintable():
        text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + " …"
