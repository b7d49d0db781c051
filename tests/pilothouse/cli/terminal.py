"""A program at a real terminal: keys are pressed, the screen is read."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fcntl import ioctl
from struct import pack
from termios import TIOCSWINSZ

DEADLINE_S = 60.0


class Terminal:
    """The near end of a terminal with a program at the far end."""

    def __init__(self, pid: int, descriptor: int) -> None:
        self._pid = pid
        self._descriptor = descriptor
        self.screen = ""
        self._seen = 0

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._descriptor, keys.encode())

    def until(self, text: str) -> str:
        """Read until this appears after what was waited for before; all that came until then."""
        deadline_s = time.monotonic() + DEADLINE_S
        while text not in self.screen[self._seen :]:
            left_s = deadline_s - time.monotonic()
            assert left_s > 0, f"{text!r} never appeared: {self.screen[self._seen :]!r}"
            if select.select([self._descriptor], [], [], left_s)[0] and not self._read():
                raise AssertionError(f"it ended without {text!r}: {self.screen[self._seen :]!r}")
        end = self.screen.index(text, self._seen) + len(text)
        found, self._seen = self.screen[self._seen : end], end
        return found

    def ended(self) -> int:
        """Read to the end; the exit code."""
        deadline_s = time.monotonic() + DEADLINE_S
        while select.select([self._descriptor], [], [], max(0.0, deadline_s - time.monotonic()))[0]:
            if not self._read():
                return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        raise AssertionError(f"it does not end: {self.screen[self._seen :]!r}")

    def _read(self) -> bool:
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:  # Linux says so when the far end has been closed
            return False
        self.screen += data.decode(errors="replace")
        return bool(data)


@contextmanager
def terminal(argv: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Terminal]:
    """A program at a terminal of 100 columns; it is ended when this is left."""
    # No fork of this process, which has threads: the child is a fresh program from the beginning.
    near, far = pty.openpty()
    ioctl(far, TIOCSWINSZ, pack("HHHH", 40, 100, 0, 0))
    pid = os.posix_spawn(
        argv[0],
        list(argv),
        dict(environment or os.environ) | {"TERM": "xterm"},
        # Opened there, by the leader of a session, it is the one that Ctrl-C comes from.
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.ttyname(far), os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ],
        setsid=True,
    )
    os.close(far)
    try:
        yield Terminal(pid, near)
    finally:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(near)
