"""What runs inside a child that speaks our protocol.

    python -P -m framework.processes.child module:function '{"arguments": "as JSON"}'

The function gets a `Child` and, if it takes a second parameter, the arguments decoded to that
parameter's annotated type. A plain function runs a main loop and beats from it:

    def main(child: Child, arguments: CameraArguments) -> None:
        camera = open_camera(arguments.serial)
        child.safe_stop = camera.stop
        child.ready(handle)
        while not child.stopping:
            frame = camera.read()                # a blocking driver
            child.sampled("color")
            child.beat()                         # cheap: notes that the loop has turned

An `async def` function runs on an event loop, whose turns are noted. A thread sends the beats; they
say how long ago the main loop last turned, and whether it computes meanwhile: see pulse.py.

A PilothouseError out of the function before the child is ready is a refusal to start: its words alone are
printed, in one line, and they are what the owner tells. Any other exception keeps its traceback.

SIGINT sets `stopping` and wakes `commands` and `wait`. SIGTERM besides raises SystemExit in the main
thread, out of whatever it blocks in; before the child is ready SIGINT does so too. `safe_stop` runs
when the main function has ended, and when it cannot end: see lifeline.py. The interval timer and
SIGALRM of the process are ours.

Imports the standard library and msgspec only: a child should be ready soon.
"""

from __future__ import annotations

import gc
import importlib
import math
import os
import queue
import signal
import sys
import time
import typing
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import msgspec

from framework.errors import PilothouseError, ProcessError
from framework.processes import wire
from framework.processes.lifeline import ExitCode, Lifeline, end_group
from framework.processes.pulse import Pulse
from framework.status import Severity
from framework.unreadable import UNREADABLE

MAX_WAITING_COMMANDS: Final = 1000
_MAX_MESSAGE_CHARS: Final = 4000
_MAX_REFUSAL_CHARS: Final = 600
_CO_COROUTINE: Final = 0x80  # of a code object; importing inspect for it costs more than all of this
_WAKE: Final = b""  # put into the queue of commands to end a wait; no command is empty


class Child:
    """The child's own view of itself and its owner. One a process, made by `run_child`."""

    def __init__(self, birth: wire.Birth) -> None:
        self.name = birth.name
        self.stopping = False
        self.is_ready = False
        self.on_wake: Callable[[], None] | None = None  # an event loop's way of being woken from a thread
        self._beat_s = birth.beat_s
        self._collect_garbage = birth.collect_garbage
        self._alarm_due = 0.0
        self._pulse = Pulse(birth)
        self._commands: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # safe to use in signal handlers
        self._waiting: list[bytes] = []  # commands that came during `wait`
        self._told_full = False
        self.lifeline = Lifeline(birth, self._pulse, self._on_command, self.stop)

    # ------------------------------------------------------------ to the owner

    def ready(self, handle: bytes = b"") -> None:
        """Say that it works from now on. Again later: the handle has changed. At most 60 KiB."""
        if len(handle) > wire.MAX_PAYLOAD_BYTES:
            limit = wire.MAX_PAYLOAD_BYTES
            raise ProcessError(f"a handle of {len(handle)} bytes; at most {limit} are allowed; use a stream")
        if not self._collect_garbage:
            gc.collect()
            gc.freeze()
            gc.disable()
        self.is_ready = True
        self._pulse.turned(time.monotonic())
        self._pulse.is_on = True
        self.lifeline.ready(handle)

    def beat(self) -> None:
        """The main loop turns; call it in every turn. Costs 0.2 µs."""
        now = time.monotonic()
        self._pulse.turned(now)
        if now >= self._alarm_due:
            self._alarm_due = now + self._beat_s
            self.lifeline.put_off_alarm()

    def busy(self, for_s: float) -> None:
        """A call that blocks comes next: the main loop's next turn may take this long, in seconds.

        Said at once, by the calling thread: the call may keep the interpreter lock.
        """
        self._pulse.blocks(time.monotonic(), for_s)
        self.lifeline.beat()
        self._alarm_due = 0.0
        self.lifeline.put_off_alarm(for_s)

    def expect(self, stream: str) -> None:
        """A stream exists from now on, without a sample yet."""
        self._pulse.sampled_at.setdefault(stream, -math.inf)

    def sampled(self, stream: str = "") -> None:
        """A stream has a new sample, just now."""
        self._pulse.sampled_at[stream] = time.monotonic()

    def status(self, severity: Severity, message: str) -> None:
        """Say how it is. ERROR: degraded, until OK. FATAL: it gives up and wants to be ended."""
        self.lifeline.send(wire.StatusReport(severity, message[:_MAX_MESSAGE_CHARS]))

    # ------------------------------------------------------------ from the owner

    @property
    def safe_stop(self) -> Callable[[], None] | None:
        """What makes the child safe. It must not need the main loop: a thread may call it."""
        return self.lifeline.safe_stop

    @safe_stop.setter
    def safe_stop(self, function: Callable[[], None] | None) -> None:
        self.lifeline.safe_stop = function

    def commands(self, timeout_s: float = 0.0) -> list[bytes]:
        """The commands that have come, oldest first.

        Waits for a first one at most this long, beating meanwhile; empty at the end of that time, and
        when it is to stop.
        """
        found = [command for command in self._waiting if command]
        self._waiting.clear()
        until = time.monotonic() + timeout_s
        while True:
            try:
                while True:
                    if command := self._commands.get_nowait():
                        found.append(command)
            except queue.Empty:
                left_s = until - time.monotonic()
                if found or self.stopping or left_s <= 0:
                    self._told_full = False
                    return found
            self.beat()
            try:
                first = self._commands.get(timeout=min(left_s, self._beat_s))
            except queue.Empty:
                continue
            if first:
                found.append(first)

    def wait(self, timeout_s: float) -> bool:
        """Do nothing for this long, but beat. Returns whether it is to stop (then at once)."""
        until = time.monotonic() + timeout_s
        while not self.stopping and (left_s := until - time.monotonic()) > 0:
            self.beat()
            with suppress(queue.Empty):
                self._waiting.append(self._commands.get(timeout=min(left_s, self._beat_s)))
        return self.stopping

    def stop(self) -> None:
        """Ask the main loop to leave, from any thread or signal handler."""
        self.stopping = True
        self._commands.put(_WAKE)
        if self.on_wake is not None:
            self.on_wake()

    def _on_command(self, payload: bytes) -> None:
        if not payload:
            return
        if self._commands.qsize() < MAX_WAITING_COMMANDS:
            self._commands.put(payload)
            if self.on_wake is not None:
                self.on_wake()
        elif not self._told_full:
            self._told_full = True
            text = f"{MAX_WAITING_COMMANDS} commands wait to be collected; newer ones are dropped"
            self.status(Severity.WARNING, text)


Main = Callable[..., int | None] | Callable[..., Awaitable[int | None]]


def run_child(main: Main, birth: wire.Birth, arguments: bytes | None = None) -> int:
    """Run a child's main function to its end. Returns the exit code."""
    child = Child(birth)
    parameters = (child,) if arguments is None else (child, _decode_arguments(main, arguments))
    in_main = True

    def on_signal(number: int, _frame: FrameType | None) -> None:
        child.stop()
        if in_main and (number == signal.SIGTERM or not child.is_ready):
            raise SystemExit(ExitCode.OK)

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    code: int = ExitCode.OK
    last_words = ""
    try:
        if main.__code__.co_flags & _CO_COROUTINE:
            code = _run_async(main, child, parameters) or ExitCode.OK
        else:
            result = main(*parameters)
            code = result if isinstance(result, int) else ExitCode.OK
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else ExitCode.RAISED
    except Exception as error:
        if isinstance(error, PilothouseError) and not child.is_ready and str(error).strip():
            last_words = _in_one_line(error.why)
            code = ExitCode.REFUSED
        else:
            import traceback

            traceback.print_exc()
            if isinstance(error, PilothouseError):
                last_words = _in_one_line(error.why)
            code = ExitCode.RAISED
    finally:
        in_main = False
        child.busy(birth.stop_s + birth.safe_stop_s)
        child.lifeline.make_safe()
        child.lifeline.main_left.set()
    if last_words:
        print(last_words, file=sys.stderr, flush=True)  # the last line: that is where the owner looks for it
    if child.lifeline.is_orphaned:
        end_group()
    return code


def _run_async(main: Callable[..., Any], child: Child, parameters: tuple[object, ...]) -> int | None:
    import asyncio  # 6 ms that a child without a loop does not pay

    async def beating() -> None:
        while True:
            child.beat()
            await asyncio.sleep(child.lifeline.birth.beat_s)

    async def whole() -> int | None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        cancelled_by_us = False

        def wake() -> None:
            nonlocal cancelled_by_us
            if child.stopping and not cancelled_by_us:
                cancelled_by_us = True
                task.cancel()

        def on_term() -> None:
            child.stop()
            task.cancel()  # a second time, should the first have been swallowed

        def wake_from_thread() -> None:
            with suppress(RuntimeError):  # the loop may have closed meanwhile
                loop.call_soon_threadsafe(wake)

        child.on_wake = wake_from_thread
        loop.add_signal_handler(signal.SIGINT, child.stop)
        loop.add_signal_handler(signal.SIGTERM, on_term)
        beats = asyncio.create_task(beating())
        try:
            code: int | None = await main(*parameters)
        except asyncio.CancelledError:
            if not child.stopping:
                raise
            return None
        finally:
            child.on_wake = None
            beats.cancel()
        return code

    return asyncio.run(whole())


def _in_one_line(text: str) -> str:
    """Without line breaks, and not too long; what is cut, is cut between words."""
    line = " ".join(text.split())
    if len(line) <= _MAX_REFUSAL_CHARS:
        return line
    return line[:_MAX_REFUSAL_CHARS].rpartition(" ")[0] + " …"


def _decode_arguments(main: Callable[..., Any], arguments: bytes) -> object:
    hints = typing.get_type_hints(main)
    second = main.__code__.co_varnames[1 : main.__code__.co_argcount]
    return msgspec.json.decode(arguments, type=hints.get(second[0], Any) if second else Any)


def _find_target(target: str) -> Main:
    where, _, name = target.rpartition(":")
    if where.endswith(".py"):
        from importlib.util import module_from_spec, spec_from_file_location

        spec = spec_from_file_location("_pilothouse_child_target", where)
        if spec is None or spec.loader is None or not os.path.isfile(where):
            raise ProcessError(f"{target!r}: there is no file {where}")
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    elif where:
        module = importlib.import_module(where)
    else:
        raise ProcessError(f"{target!r} is no target; give module:function or /folder/file.py:function")
    main: Main | None = getattr(module, name, None)
    if not hasattr(main, "__code__"):
        raise ProcessError(f"{target!r}: module {where} has no function {name!r}")
    return typing.cast(Main, main)


def main_of_child(argv: list[str]) -> int:
    """`python -m framework.processes.child`: find the function, run it."""
    pipe = os.environ.pop(wire.CHILD_VARIABLE, "")  # popped: it is not for grandchildren
    if not pipe.isdecimal() or len(argv) not in (2, 3):
        usage = "usage: framework.processes.child module:function [ARGUMENTS AS JSON]"
        print(f"{usage}; it is started by a ProcessLauncher, not by hand", file=sys.stderr)
        return ExitCode.WRONG_TARGET
    try:
        with open(int(pipe), "rb") as told:
            birth = msgspec.json.decode(told.read(), type=wire.Birth)
        main = _find_target(argv[1])
    except (ProcessError, ImportError, OSError, *UNREADABLE) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return ExitCode.WRONG_TARGET
    return run_child(main, birth, argv[2].encode() if len(argv) == 3 else None)


if __name__ == "__main__":
    # The target imports this module by its name; it must meet the same classes.
    from framework.processes.child import main_of_child as _main_of_child

    sys.exit(_main_of_child(sys.argv))
