"""The child's end of the channel, and what happens when the owner's end closes: no child outlives its owner.

A thread reads the channel, so orders and the owner's death are noticed even while the main loop
hangs; it also sends the beats (pulse.py). At the end of the channel it

1. asks the main loop to stop and makes the child safe (`safe_stop`, in a thread of its own, bounded);
2. if it may be adopted: listens `adopt_grace_s` for a claim with its token; the connection that
   brings one becomes the channel, and life goes on;
3. else ends the process and its group, whatever the main loop is doing.

Two things a thread cannot do are left to the kernel. A stopped process (SIGSTOP) is continued by a
SIGCONT that the end of the lifeline pipe sends. A process frozen in a vendor's call that never
releases the interpreter lock is killed by an alarm that only the beats of the main loop put off.

Imports the standard library and msgspec only, and what only trouble needs when it comes: every
module costs each child some milliseconds on its way to being ready.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from enum import IntEnum
from typing import Final

from framework.errors import MalformedMessage
from framework.processes import wire
from framework.processes.pulse import Pulse
from framework.status import Severity

MAX_UNSENT_BYTES: Final = 256 * 1024
_FROZEN_AFTER_S: Final = 2.0  # at least; an owner that lives notices first, this is for when there is none
_CLAIM_TIMEOUT_S: Final = 0.5


class ExitCode(IntEnum):
    """How a child of ours ends."""

    OK = 0
    RAISED = 1
    WRONG_TARGET = 2
    ORPHANED = 75
    QUIT = 76
    REFUSED = 77  # before it was ready; why is the last line that it printed


class Lifeline:
    """The channel as the child has it. `send` may be called from any thread."""

    def __init__(
        self,
        birth: wire.Birth,
        pulse: Pulse,
        on_command: Callable[[bytes], None],
        on_stop: Callable[[], None],
    ) -> None:
        self.birth = birth
        self._pulse = pulse
        self.safe_stop: Callable[[], None] | None = None
        self.is_orphaned = False
        self.main_left = threading.Event()
        self._handle: bytes | None = None
        self._on_command = on_command
        self._on_stop = on_stop
        self._lock = threading.Lock()
        self._unsent = bytearray()
        self._socket = socket.socket(fileno=birth.channel)
        self._pipes = [birth.lifeline] + ([birth.output] if birth.output >= 0 else [])
        for descriptor in (birth.channel, *self._pipes):
            os.set_inheritable(descriptor, False)  # a grandchild must not keep our owner's end company
        self._is_safe = False
        self._safe_lock = threading.Lock()
        _continue_us_when_it_ends(birth.lifeline)
        faulthandler.register(signal.SIGALRM, chain=True)  # says where it is frozen, then dies of it
        self.put_off_alarm(birth.start_timeout_s)
        threading.Thread(target=self._run, name="lifeline", daemon=True).start()

    # ------------------------------------------------------------ to the owner

    def ready(self, handle: bytes) -> None:
        """Say that the child is ready; remembered for a later owner."""
        self._handle = handle
        self.send(wire.ReadyReport(handle))
        self.beat()

    def beat(self) -> None:
        """Say how the main loop stands."""
        if self._pulse.is_on:
            self.send(self._pulse.beat(time.monotonic()))

    def send(self, report: wire.Report) -> None:
        """Queue a report. Never blocks: a beat is dropped if earlier reports are still unsent, and
        anything once 256 KiB are; an owner that is away that long starts from the next beat.
        """
        framed = wire.frame(report)
        with self._lock:
            is_late = bool(self._unsent) and isinstance(report, wire.Beat)
            if not is_late and len(self._unsent) + len(framed) <= MAX_UNSENT_BYTES:
                self._unsent += framed
            try:
                sent = self._socket.send(self._unsent, socket.MSG_DONTWAIT) if self._unsent else 0
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # no owner: the thread is dealing with that
                self._unsent.clear()
                return
            del self._unsent[:sent]

    def put_off_alarm(self, by_s: float = 0.0) -> None:
        """The main loop is alive; it may now take `by_s` longer than usual."""
        limit_s = max(self.birth.hang_after_s, self.birth.slow_after_s)
        signal.setitimer(signal.ITIMER_REAL, by_s + max(_FROZEN_AFTER_S, 2 * limit_s))

    # ------------------------------------------------------------ safety

    def make_safe(self) -> None:
        """Run `safe_stop` once, for at most `safe_stop_s`, whatever state the main loop is in."""
        with self._safe_lock:
            if self._is_safe or self.safe_stop is None:
                return
            self._is_safe = True
            runner = threading.Thread(target=self._run_safe_stop, args=(self.safe_stop,), daemon=True)
            runner.start()
            runner.join(self.birth.safe_stop_s)
            if runner.is_alive():
                print(
                    f"safe_stop is still running after {self.birth.safe_stop_s:g} s",
                    file=sys.stderr,
                    flush=True,
                )

    def _run_safe_stop(self, safe_stop: Callable[[], None]) -> None:
        try:
            safe_stop()
        except Exception:  # whatever a driver raises: it must be seen, and the end must go on
            import traceback

            traceback.print_exc()
            self.send(wire.StatusReport(Severity.ERROR, "safe_stop raised; see its output"))

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            self._listen()
        finally:  # whatever went wrong: without this thread nobody would notice that there is no owner
            self._end_orphaned()

    def _listen(self) -> None:
        """To one owner after the other, until there is none any more."""
        while True:
            reader = wire.FrameReader()
            try:
                while data := self._receive():
                    reader.feed(data, self._take)
            except MalformedMessage as error:
                print(f"the owner's channel cannot be read: {error}", file=sys.stderr, flush=True)
            if not self._find_new_owner():
                return

    def _receive(self) -> bytes:
        """What the owner sends next, beating meanwhile; empty at the end of the channel."""
        poll = select.poll()
        try:
            poll.register(self._socket, select.POLLIN)
            while (wait_s := self._pulse.wait_s(time.monotonic())) <= 0 or not poll.poll(1e3 * wait_s):
                if wait_s <= 0:  # also where one order follows the other without a pause
                    self.beat()
            return self._socket.recv(wire.MAX_FRAME_BYTES)
        except (OSError, ValueError):
            return b""

    def _take(self, content: bytes) -> None:
        match wire.read_order(content):
            case wire.Command(payload=payload):
                self._on_command(payload)
            case wire.Quit():
                self._quit()
            case wire.Claim():
                pass  # it has an owner

    def _quit(self) -> None:
        if not self.main_left.is_set():
            print("told to quit at once; this is where it was:", file=sys.stderr, flush=True)
            import traceback

            frame = sys._current_frames().get(threading.main_thread().ident or 0)
            traceback.print_stack(frame)
        self.make_safe()
        os._exit(ExitCode.QUIT)

    def _end_orphaned(self) -> None:
        try:
            self.is_orphaned = True
            self._on_stop()
            self.make_safe()
            self.main_left.wait(self.birth.stop_s)
        finally:
            end_group()
            os._exit(ExitCode.ORPHANED)

    # ------------------------------------------------------------ adoption

    def _find_new_owner(self) -> bool:
        """Safe, then listening; whether somebody with the token came in time."""
        if self._handle is None or not self.birth.adopt_grace_s or self.main_left.is_set():
            return False
        until = time.monotonic() + self.birth.adopt_grace_s
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind("\0" + self.birth.address)
            listener.listen(4)
            self.make_safe()
            while (left_s := until - time.monotonic()) > 0 and not self.main_left.is_set():
                listener.settimeout(min(left_s, _CLAIM_TIMEOUT_S))
                with contextlib.suppress(OSError):
                    connection, _ = listener.accept()
                    if self._is_claimed(connection):
                        return True
                    connection.close()
        return False

    def _is_claimed(self, connection: socket.socket) -> bool:
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if user != os.geteuid():
            return False
        connection.settimeout(_CLAIM_TIMEOUT_S)
        data, pipes, _, _ = socket.recv_fds(connection, 4096, 3, socket.MSG_CMSG_CLOEXEC)
        if len(pipes) == 3 and self._is_our_token(data):
            connection.settimeout(None)
            self._take_over(connection, *pipes)
            return True
        for descriptor in pipes:
            os.close(descriptor)
        return False

    def _is_our_token(self, data: bytes) -> bool:
        orders: list[wire.Order] = []
        try:
            wire.FrameReader().feed(data, lambda content: orders.append(wire.read_order(content)))
        except MalformedMessage:
            return False
        match orders:
            case [wire.Claim(token=token)]:
                import hmac

                return hmac.compare_digest(token.encode(), self.birth.token.encode())
        return False

    def _take_over(self, connection: socket.socket, lifeline: int, printed: int, output: int) -> None:
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.close(printed)
        with self._lock:
            old, self._socket = self._socket, connection
            self._unsent.clear()
        old.close()
        for descriptor in self._pipes:
            os.close(descriptor)
        self._pipes = [lifeline, output]
        self._is_safe = False
        _continue_us_when_it_ends(lifeline)
        self.ready(self._handle or b"")


def end_group() -> None:
    """Kill our group, grandchildren and ourselves, if we lead one; else do nothing."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)


def _continue_us_when_it_ends(descriptor: int) -> None:
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGCONT)
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
