"""Scripted children: the launcher's interface without processes, for the virtual clock.

Judging, restarting and stopping are the very code that real children get (framework.processes);
only the process itself is scripted, by a `Script` or by the test's own hand:

    launcher = ScriptedLauncher({"camera": [Script(acts=(Dies(at_s=3.0),)), Script()]})
    async with launcher.launch(ProcessSpec(("camera",), "camera"), on_event=...) as child:
        ...
        launcher.life("camera").hang()

A healthy scripted child promises its next beat for ever, so a day of it costs no ticks; once told
to hang it falls silent, and is found after the same 2.5 beats as a real one.
"""

from __future__ import annotations

import asyncio
import math
import random
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec

from framework.errors import ProcessError
from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.child_events import Exit
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, Body, ChildProcess, OnEvent, Sink
from framework.status import Severity

_FOR_EVER_S: Final = math.inf
_ENDING_S: Final = 0.001  # between the signal and the exit
_QUIT_CODE: Final = 76


class Dies(msgspec.Struct, frozen=True):
    """`at_s` after it was ready: ends by a signal, or by an exit code if that is given."""

    at_s: float
    code: int | None = None
    by_signal: int = signal.SIGKILL


class Hangs(msgspec.Struct, frozen=True):
    """`at_s` after it was ready: no further beat; SIGKILL or the word to quit ends it."""

    at_s: float


class GoesStale(msgspec.Struct, frozen=True):
    """`at_s` after it was ready: beats on, but its stream has no new sample."""

    at_s: float
    stream: str = ""


class TalksNonsense(msgspec.Struct, frozen=True):
    """`at_s` after it was ready: so many unreadable messages; None breaks the channel for good."""

    at_s: float
    times: int | None = None


class Says(msgspec.Struct, frozen=True):
    """`at_s` after it was ready: a status."""

    at_s: float
    severity: Severity
    message: str


Act = Dies | Hangs | GoesStale | TalksNonsense | Says


class Script(msgspec.Struct, frozen=True):
    """One life of a scripted child.

    ready_after_s: None never gets ready. dies_before_ready: ends then instead, printing `last_words`.
    cannot_start: raised by the start itself. leaves_on: the first signal that moves it; None survives
    even SIGKILL, as a process stuck in a device driver does. leaves_after_s: how long its leaving takes.
    """

    ready_after_s: float | None = 0.05
    handle: bytes = b""
    acts: tuple[Act, ...] = ()
    dies_before_ready: bool = False
    cannot_start: str = ""
    last_words: tuple[str, ...] = ()
    leaves_on: signal.Signals | None = signal.SIGINT
    leaves_after_s: float = 0.01


class ScriptedLife:
    """A scripted process between its start and its end, for the test to play with."""

    def __init__(self, spec: ProcessSpec, script: Script, pid: int, sink: Sink) -> None:
        self.spec = spec
        self.script = script
        self.pid = pid
        self.commands: list[bytes] = []
        self.on_command: Callable[[bytes], None] | None = None
        self.before_ready: Callable[[], bytes] | None = None  # what it makes before; gives its handle
        self.is_alive = True
        self.is_hanging = False
        self.activity = Activity.SLEEPING
        self.record: AdoptionRecord | None = None
        if spec.adopt_grace_s:
            self.record = AdoptionRecord(spec.name, pid, pid, f"scripted-{pid}", f"token-{pid}")
        self._sink: Sink | None = sink
        self._is_ready = False
        self._handle = script.handle
        self._loop = asyncio.get_running_loop()
        if script.ready_after_s is not None:
            after = self._die_before_ready if script.dies_before_ready else self.become_ready
            self._loop.call_later(script.ready_after_s, after)

    # ------------------------------------------------------------ by script or by hand

    def become_ready(self, handle: bytes | None = None) -> None:
        """Say that it is ready; again: with another handle."""
        if not self.is_alive:
            return
        if not self._is_ready and self.before_ready is not None:
            self._handle = self.before_ready()
        self._handle = self._handle if handle is None else handle
        self._say(wire.ReadyReport(self._handle) if self.spec.protocol else wire.Started(self.pid))
        self._say(wire.Beat(next_within_s=_FOR_EVER_S))
        if not self._is_ready:
            self._is_ready = True
            for act in self.script.acts:
                self._loop.call_later(act.at_s, self._play, act)

    def die(self, *, code: int | None = None, by_signal: int = signal.SIGKILL) -> None:
        """End now."""
        if self.is_alive:
            self.is_alive = False
            sink, self._sink = self._sink, None
            if sink is not None:
                sink.exited(Exit(code=code) if code is not None else Exit(signal=by_signal))

    def hang(self) -> None:
        """The last beat has been sent."""
        self.is_hanging = True
        self._say(wire.Beat())

    def stand_still(self) -> None:
        """As by SIGSTOP: the last beat has been sent, and the kernel says why."""
        self.activity = Activity.STOPPED
        self.hang()

    def go_on(self) -> None:
        """As by SIGCONT."""
        self.activity = Activity.SLEEPING
        self.is_hanging = False
        self.become_ready()

    def block(self) -> None:
        """Its main loop waits for good; the thread beside it beats on, and says so."""
        self.hang()
        self._beat_blocked(self._loop.time())

    def _beat_blocked(self, since_s: float) -> None:
        if self.is_alive and self.is_hanging:
            self._say(wire.Beat(loop_age_s=self._loop.time() - since_s))
            self._loop.call_later(self.spec.beat_s, self._beat_blocked, since_s)

    def go_stale(self, stream: str = "") -> None:
        """The last sample has been taken; noticed when it is older than `stale_after_s`."""
        limit_s = self.spec.stale_after_s
        if limit_s is not None:
            stale = wire.Beat(limit_s + self.spec.beat_s, stream, _FOR_EVER_S)
            self._loop.call_later(limit_s + self.spec.beat_s, self._say, stale)

    def talk_nonsense(self, times: int | None = None) -> None:
        """So many unreadable messages; None breaks the channel for good."""
        if times is None and self._sink is not None:
            self._sink.bad_frame("a frame of 4294967295 bytes (scripted)")
        for _ in range(times or 0):
            if self._sink is not None:
                self._sink.unreadable("a message that is none (scripted)")

    def close_channel(self) -> None:
        """Its end of the channel is closed, and it lives on."""
        if self._sink is not None:
            self._sink.closed()

    def say(self, severity: Severity, message: str) -> None:
        """A status."""
        self._say(wire.StatusReport(severity, message))

    def lose_owner(self) -> None:
        """Its owner was killed: safe, then gone, unless adopted in time."""
        self._sink = None
        self._loop.call_later(self.spec.adopt_grace_s, self._die_if_unclaimed)

    def claim(self, sink: Sink) -> None:
        """It has a new owner."""
        self._sink = sink
        self._loop.call_soon(self.become_ready)

    @property
    def has_owner(self) -> bool:
        """Whether anybody hears it."""
        return self._sink is not None

    # ------------------------------------------------------------ what its owner does to it

    def signal(self, number: int) -> None:
        """A signal; what the script does not leave on, and what hangs, only SIGKILL moves."""
        leaves_on = self.script.leaves_on
        if leaves_on is None:
            return
        if number == signal.SIGKILL:
            self._loop.call_later(_ENDING_S, self.die)
        elif not self.is_hanging and (number == leaves_on or leaves_on == signal.SIGINT):
            self._loop.call_later(self.script.leaves_after_s, lambda: self.die(code=0))

    def quit(self) -> None:
        """The word to quit, which a thread of it obeys even while its main loop hangs."""
        if self.script.leaves_on is not None:
            self._loop.call_later(_ENDING_S, lambda: self.die(code=_QUIT_CODE))

    def send(self, payload: bytes) -> bool:
        """A command."""
        self.commands.append(payload)
        if self.on_command is not None and not self.is_hanging:
            self.on_command(payload)
        return True

    def _say(self, report: wire.Report) -> None:
        if self.is_alive and self._sink is not None:
            self._sink.received(report)

    def _die_if_unclaimed(self) -> None:
        if self._sink is None:
            self.die()

    def _die_before_ready(self) -> None:
        self.die(code=1)

    def _play(self, act: Act) -> None:
        match act:
            case Dies(code=code, by_signal=by_signal):
                self.die(code=code, by_signal=by_signal)
            case Hangs():
                self.hang()
            case GoesStale(stream=stream):
                self.go_stale(stream)
            case TalksNonsense(times=times):
                self.talk_nonsense(times)
            case Says(severity=severity, message=message):
                self.say(severity, message)


class _ScriptedBody:
    """One owner's hold on a scripted life."""

    def __init__(self, begin: Callable[[], ScriptedLife]) -> None:
        self._begin = begin
        self._life: ScriptedLife | None = None
        self._is_ours = True

    @property
    def pid(self) -> int:
        return 0 if self._life is None else self._life.pid

    @property
    def record(self) -> AdoptionRecord | None:
        return None if self._life is None else self._life.record

    @property
    def last_words(self) -> tuple[str, ...]:
        return () if self._life is None else self._life.script.last_words

    def start(self) -> None:
        self._life = self._begin()

    def pump(self) -> None:
        """Everything arrives at once."""

    def activity(self) -> Activity:
        return Activity.SLEEPING if self._life is None else self._life.activity

    def signal(self, number: int) -> None:
        if self._life is not None and self._is_ours:
            self._life.signal(number)

    def quit(self) -> None:
        if self._life is not None and self._is_ours:
            self._life.quit()

    def send(self, payload: bytes) -> bool:
        return self._life is not None and self._is_ours and self._life.send(payload)

    def let_go(self) -> None:
        """This owner is dead and does nothing any more."""
        self._is_ours = False

    def close(self) -> None:
        """Nothing is held."""


class ScriptedLauncher:
    """A `Launcher` whose children follow scripts.

    scripts: by the name of the process, one script, or one for each life in turn (the last one stays).
    Who has none follows the default: ready after 50 ms, obedient, immortal.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script | Sequence[Script]] | None = None,
        *,
        rng: random.Random | None = None,
    ) -> None:
        self.lives: dict[str, list[ScriptedLife]] = {}
        self._scripts = dict(scripts or {})
        self._rng = rng or random.Random(0)
        self._bodies: list[_ScriptedBody] = []
        self._next_pid = 1_000_000
        self._starts: dict[str, int] = {}

    def launch(
        self, spec: ProcessSpec, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """As `ProcessLauncher.launch`."""
        return ChildProcess(spec, self._started, self._rng, on_event).running()

    def adopt(
        self, spec: ProcessSpec, record: AdoptionRecord, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """As `ProcessLauncher.adopt`, of a child whose owner was killed by `kill_owner`."""

        def adopted(_spec: ProcessSpec, sink: Sink) -> Body:
            return self._body(lambda: self._claimed(record, sink))

        return ChildProcess(spec, self._started, self._rng, on_event, first_body_of=adopted).running()

    # ------------------------------------------------------------ for the test

    def life(self, name: str) -> ScriptedLife:
        """The present (or last) life of a process."""
        if name not in self.lives:
            raise ProcessError(f"no process {name!r} was started; there are {sorted(self.lives)}")
        return self.lives[name][-1]

    @property
    def running(self) -> tuple[str, ...]:
        """The names of all that are alive, once for each process: empty when nothing has leaked."""
        return tuple(name for name, lives in self.lives.items() for life in lives if life.is_alive)

    def set_script(self, name: str, *scripts: Script) -> None:
        """What the next lives of a process will be like."""
        self._scripts[name] = scripts
        self._starts[name] = 0

    def kill_owner(self) -> None:
        """As `kill -9` of the process that owns all these children."""
        for body in self._bodies:
            body.let_go()
        self._bodies.clear()
        for lives in self.lives.values():
            for life in lives:
                if life.is_alive:
                    life.lose_owner()

    # ------------------------------------------------------------ bodies

    def _body(self, begin: Callable[[], ScriptedLife]) -> Body:
        body = _ScriptedBody(begin)
        self._bodies.append(body)
        return body

    def _started(self, spec: ProcessSpec, sink: Sink) -> Body:
        return self._body(lambda: self._begin(spec, sink))

    def _begin(self, spec: ProcessSpec, sink: Sink) -> ScriptedLife:
        scripts = self._scripts.get(spec.name, Script())
        if isinstance(scripts, Script):
            scripts = (scripts,)
        number = self._starts.get(spec.name, 0)
        self._starts[spec.name] = number + 1
        script = scripts[min(number, len(scripts) - 1)]
        if script.cannot_start:
            raise ProcessError(script.cannot_start)
        self._next_pid += 1
        life = ScriptedLife(spec, script, self._next_pid, sink)
        self.lives.setdefault(spec.name, []).append(life)
        return life

    def _claimed(self, record: AdoptionRecord, sink: Sink) -> ScriptedLife:
        for lives in self.lives.values():
            for life in lives:
                if life.is_alive and not life.has_owner and life.record == record:
                    life.claim(sink)
                    return life
        raise ProcessError(f"nothing to adopt: process {record.pid} is gone, or the token is wrong")
