"""Cameras start one after the other: several that begin at once overload a hub, and some give nothing then.

A process has the turn as long as it holds a name that the kernel gives to one only; a process that dies gives
it back. By serial number: who has a smaller one among those that begin together goes first.
"""

from __future__ import annotations

import socket
import time
from types import TracebackType
from typing import Final, Self

from framework.processes.child import Child

WAIT_AT_MOST_S: Final = 15.0
"""Whoever waited so long begins anyway [s]: one that does not get on must not keep all others away."""

STAGGER_S: Final = 0.15
"""Between the first tries of two cameras that begin together [s]."""

_TRY_AGAIN_S: Final = 0.05
_NAME: Final = "\0pilothouse realsense start"  # of the kernel, not of the file system: nothing is left behind


class StartTurn:
    """The turn to start a camera on this machine. Enter it, start, leave it when the first picture has come.

    rank: how many cameras with a smaller serial number there are.
    """

    def __init__(self, child: Child, rank: int, *, name: str = _NAME) -> None:
        self._child = child
        self._rank = rank
        self._name = name
        self._held: socket.socket | None = None

    def __enter__(self) -> Self:
        self._child.wait(self._rank * STAGGER_S)
        until_s = time.monotonic() + WAIT_AT_MOST_S
        while not self._taken() and time.monotonic() < until_s and not self._child.stopping:
            self._child.wait(_TRY_AGAIN_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pass_on()

    def pass_on(self) -> None:
        """Let the next one start; idempotent."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def _taken(self) -> bool:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            held.bind(self._name)
        except OSError:
            held.close()
            return False
        self._held = held
        return True
