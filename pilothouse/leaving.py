"""How a command that holds an installation ends: in order if that is possible, in time in any case.

    Ctrl-C, SIGTERM    words at once; the main task is cancelled, and takes everything down in order
    NAMES_AFTER_S      what is still waited for is named; if the main loop is blocked, everything is stopped
    LEAVES_WITHIN_S    cut off: everything is made safe, what is left is named, children are told to end, exit
    a second signal    cut off at once

A thread watches this. The kernel's own note of a signal wakes it (`signal.set_wakeup_fd`), so it works while
a plugin blocks the main loop or swallows its cancellation, and when the main function has returned and Python
waits for a plugin's threads. Should it not get the interpreter lock, a timer of the C library exits
(`faulthandler`).

Cutting off leaves nothing behind: control processes hold still when the heartbeat is gone or the emergency
stop is set, every child ends itself when its owner's pipe closes (`framework.processes.lifeline`), and files
are replaced whole or not at all (`framework.state`).

Exit codes: the command's own if it ended in order; `CUT_OFF` if something had to be left behind; 128 and the
signal's number if it was told a second time before it had ended.
"""

from __future__ import annotations

import faulthandler
import gc
import logging
import os
import select
import signal
import socket
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Protocol

LEAVES_WITHIN_S: Final = 4.0
"""From the signal to the exit at the latest, with a margin to the five seconds that are promised."""

NAMES_AFTER_S: Final = 1.0
"""What has not ended by then is named."""

LINGERS_S: Final = 0.5
"""The command has ended, and threads of plugins get so long."""

CUT_OFF: Final = 1

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_EXITS_WITHIN_S: Final = 0.7  # once it is cut off, whatever holds the interpreter lock or the disk
_STAYS_S: Final = 0.05  # who is at the same place for so long is blocked
_IDLE: Final = ("_worker", "_wait_for_tstate_lock")  # of an executor; asyncio, that waits for one
_MOST_NAMED: Final = 8
_NUDGE: Final = signal.SIGURG  # which does nothing, but interrupts what the main thread waits in
_NUDGES: Final = 20
_NUDGES_EVERY_S: Final = 0.02
_LOOK: Final = 0  # a byte beside the numbers of signals
_LIBRARY: Final = sysconfig.get_paths()["stdlib"]


class Left(Protocol):
    """What is left: an installation. Each may be called from another thread, and twice."""

    def make_safe(self) -> object:
        """It is cut off, or the main loop is blocked: everything that moves is to stand."""

    def forget(self) -> object:
        """It is cut off, and all is safe: remove what others would find."""

    def awaited(self) -> Iterable[str]:
        """What does not end, in words."""
        ...


class Leaving:
    """Watches over the end of a command, from the first signal on. A context manager of the main thread."""

    def __init__(
        self,
        *,
        within_s: float = LEAVES_WITHIN_S,
        names_after_s: float = NAMES_AFTER_S,
        lingers_s: float = LINGERS_S,
    ) -> None:
        self._left: Left | None = None
        self._within_s = within_s
        self._names_after_s = names_after_s
        self._lingers_s = lingers_s
        self._signals = 0
        self._nudges = 0  # still to come
        self._ends_s = self._names_s = float("inf")
        self._is_over = False
        self._beginning = threading.Lock()
        self._caught_up = threading.Event()

    def __enter__(self) -> Leaving:
        self._present = set(threading.enumerate())
        self._woken, self._wake = socket.socketpair()
        for end in (self._woken, self._wake):
            end.setblocking(False)
        self._nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        self._handlers = {number: signal.getsignal(number) for number in (*_SIGNALS, _NUDGE)}
        # Also where SIGINT was ignored (nohup). asyncio.run puts its own in this one's place, and cancels
        # its main task with it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _as_interrupt)
        signal.signal(_NUDGE, _as_nothing)
        self._noted = signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, name="leaving", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in _SIGNALS:  # from here on the thread alone acts on them: one would break off our own end
            signal.signal(number, _as_nothing)
        self._catch_up()
        if self.is_leaving:
            self.lingers()
            for thread in self._left_threads():  # Python would wait for them without end
                thread.join()
        self._is_over = True
        self._look()
        self._thread.join()
        if self.is_leaving:
            # Python's own end takes seconds with a robot's language in memory; its timer stays, too.
            gc.freeze()
        signal.set_wakeup_fd(self._noted)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._woken.close()
        self._wake.close()
        os.close(self._nowhere)

    @property
    def is_leaving(self) -> bool:
        """Whether it was told to leave, or leaves by itself."""
        return self._ends_s < float("inf")

    def watches(self, left: Left) -> None:
        """What the command holds from now on."""
        self._left = left

    def begins(self) -> None:
        """The command leaves, for whatever reason: from now on time counts. Idempotent."""
        with self._beginning:
            if self.is_leaving:
                return
            now_s = time.monotonic()
            self._names_s = now_s + self._names_after_s
            self._ends_s = now_s + self._within_s
            faulthandler.dump_traceback_later(self._within_s + _EXITS_WITHIN_S, exit=True, file=self._nowhere)
        self._look()

    def lingers(self) -> None:
        """All is down in order, and what does not end soon now is a plugin's."""
        self.begins()
        self._ends_s = min(self._ends_s, time.monotonic() + self._lingers_s)
        self._look()

    # ------------------------------------------------------------ the thread

    def _watch(self) -> None:
        while True:  # what came before the end is read even if the end was quicker: a second signal counts
            next_s = min(self._names_s, self._ends_s) - time.monotonic()
            if self._nudges:
                self._nudge()
                next_s = min(next_s, _NUDGES_EVERY_S)
            select.select([self._woken], [], [], None if next_s == float("inf") else max(0.0, next_s))
            with suppress(BlockingIOError):
                for number in self._woken.recv(64):
                    if number in _SIGNALS:
                        self._told(signal.Signals(number))
            self._caught_up.set()
            if self._is_over:
                return
            if time.monotonic() >= self._names_s:
                self._names_s = float("inf")
                self._name()
            if time.monotonic() >= self._ends_s:
                self._cut_off(CUT_OFF)

    def _told(self, number: signal.Signals) -> None:
        self._signals += 1
        if self._signals > 1:
            self._cut_off(128 + number)
        _say("Stopping … (Ctrl-C or SIGTERM once more: leave at once)")
        self._nudges = _NUDGES
        self.begins()

    def _nudge(self) -> None:
        """A signal between the main thread's last look and its wait does not end that wait: others do."""
        self._nudges -= 1
        signal.pthread_kill(threading.main_thread().ident or 0, _NUDGE)

    def _name(self) -> None:
        """What holds it up. A blocked loop takes nobody down in order: whatever moves is stopped here."""
        if _blocked_at() is not None:
            self._make_safe()
            _say("The main loop is blocked: everything that moves is stopped.")
        self._say_awaited("Still waiting for")

    def _cut_off(self, code: int) -> None:
        """Safe first, then words, then what others would find, then the end. Never returns."""
        faulthandler.dump_traceback_later(_EXITS_WITHIN_S, exit=True, file=self._nowhere)
        self._make_safe()
        self._say_awaited("Leaving without")
        _say("Arms and bases hold still by themselves; all processes below this one end with it.")
        _quietly(_end_children)
        if self._left is not None:
            _quietly(self._left.forget)
        _quietly(logging.shutdown)
        _quietly(sys.stdout.flush)
        os._exit(code)

    def _make_safe(self) -> None:
        if self._left is not None:
            _quietly(self._left.make_safe)

    # ------------------------------------------------------------ what is awaited

    def _say_awaited(self, words: str) -> None:
        found: list[str] = []
        if (where := _blocked_at()) is not None:
            found.append(f"the main loop, in {where}")
        if (left := self._left) is not None:
            _quietly(lambda: found.extend(left.awaited()))
        frames = sys._current_frames()
        for thread in self._left_threads():
            frame = frames.get(thread.ident or 0)
            if frame is not None and frame.f_code.co_name not in _IDLE:
                found.append(f"the thread {thread.name!r}, in {_place(frame)}")
        found = list(dict.fromkeys(found))
        more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        _say(f"{words}: {'; '.join(found[:_MOST_NAMED]) or 'the end of the main task'}{more}")

    def _left_threads(self) -> list[threading.Thread]:
        """That Python waits for at its end, and that were not there before."""
        return [each for each in threading.enumerate() if not each.daemon and each not in self._present]

    def _catch_up(self) -> None:
        """Wait until each signal so far counts: the main task may have ended before the watch read it."""
        self._caught_up.clear()
        self._look()
        self._caught_up.wait(_EXITS_WITHIN_S)

    def _look(self) -> None:
        with suppress(OSError):  # a full buffer is as good
            self._wake.send(bytes([_LOOK]))


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM is Ctrl-C to whoever runs now: Python's own handler, or that of asyncio.run."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def _as_nothing(number: int, frame: FrameType | None) -> None:
    """The handlers of earlier signals have run before this one."""


def _end_children() -> None:
    """Ours end with their owner's pipe in any case; this is for those of plugins and experiments."""
    for thread in Path("/proc/self/task").iterdir():
        for child in (thread / "children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGTERM)


def _blocked_at() -> str | None:
    """Where the main thread is and stays; None if it waits for events, or gets on."""
    found: list[tuple[FrameType, int]] = []
    for pause_s in (0.0, _STAYS_S):
        time.sleep(pause_s)
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        if frame is None or (frame.f_back is not None and frame.f_back.f_code.co_name == "_run_once"):
            return None
        if _is_leaving(frame) or frame.f_code.co_name in _IDLE:
            return None
        found.append((frame, frame.f_lasti))
    return _place(found[0][0]) if found[0] == found[1] else None


def _is_leaving(frame: FrameType | None) -> bool:
    """Whether somebody is at its own end already, in here: all that it did is over."""
    while frame is not None and frame.f_code.co_filename != __file__:
        frame = frame.f_back
    return frame is not None


def _place(frame: FrameType) -> str:
    """File, line and function of the innermost code that is not Python's own library."""
    found: FrameType | None = frame
    while found is not None and found.f_code.co_filename.startswith((_LIBRARY, "<frozen")):
        found = found.f_back
    code = (found or frame).f_code
    return f"{code.co_filename}:{(found or frame).f_lineno} ({code.co_name})"


def _say(words: str) -> None:
    """To standard error, at once; nobody who does not read it holds this up."""
    writable = select.poll()
    writable.register(2, select.POLLOUT)
    with suppress(OSError):
        if writable.poll(0):
            os.write(2, f"{words}\n".encode(errors="replace"))


def _quietly(work: Callable[[], Any]) -> None:
    """What raises here holds up nobody's end."""
    try:
        work()
    except Exception as error:
        _say(f"While leaving: {type(error).__name__}: {error}")
