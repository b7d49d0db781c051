"""The asyncio shell around the judge, and `Launcher`, the interface through which managers start children.

A `ChildProcess` feeds a `ChildWatchdog` with events and time and carries out its effects on a `Body`:
a real process (launcher.py) or a scripted one (framework.testing.children). Everything about
judging, restarting and stopping is therefore the same code under both.

It belongs to one event loop. All of it runs in loop callbacks; nothing here waits for a peer
without a deadline, because every wait ends by an effect of the watch.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, assert_never

import msgspec

from framework.errors import ProcessDied, ProcessError, ProcessStartFailed
from framework.processes import wire
from framework.processes.activity import Activity
from framework.processes.child_events import (
    ChildEvent,
    ChildState,
    Exit,
    Failed,
    Lost,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    Stopped,
    Updated,
)
from framework.processes.escalation import Effect, Signal, Spawn, TellToQuit
from framework.processes.spec import ProcessSpec
from framework.processes.watchdog import ChildWatchdog
from framework.status import Severity

OnEvent = Callable[[ChildEvent], None]
OnOutput = Callable[[str, str], None]  # (name of the process, one line it printed)


class AdoptionRecord(msgspec.Struct, frozen=True):
    """What a new owner needs to take over a child; kept by whoever must survive `kill -9`. It is a secret.

    pid and started_ticks (clock ticks since boot) together name one process for ever.
    """

    name: str
    pid: int
    started_ticks: int
    address: str
    token: str


class Sink(Protocol):
    """Where a body reports what happened to it; the words of `ChildWatchdog`."""

    def received(self, report: wire.Report) -> None: ...
    def unreadable(self, what: str) -> None: ...
    def bad_frame(self, what: str) -> None: ...
    def closed(self) -> None: ...
    def exited(self, ended: Exit) -> None: ...
    def warn(self, message: str) -> None: ...


class Body(Protocol):
    """One life of a child: the process between one start and its end."""

    @property
    def pid(self) -> int: ...
    @property
    def record(self) -> AdoptionRecord | None: ...
    @property
    def last_words(self) -> tuple[str, ...]: ...
    def start(self) -> None:
        """Start it. Raises ProcessError, saying what was tried; then nothing is left behind."""

    def pump(self) -> None:
        """Report whatever has arrived by now."""

    def activity(self) -> Activity:
        """What its threads are doing now."""
        ...

    def signal(self, number: int) -> None: ...
    def quit(self) -> None:
        """Tell it to make itself safe and end, over the channel."""

    def send(self, payload: bytes) -> bool:
        """Queue a command; False if the child has left too many unread."""
        ...

    def close(self) -> None:
        """Let go of every file descriptor. Idempotent; a body reports nothing afterwards."""


BodyFactory = Callable[[ProcessSpec, Sink], Body]


class Launcher(Protocol):
    """Starts and adopts children. Real: `ProcessLauncher`. Scripted: `framework.testing.children`."""

    def launch(
        self, spec: ProcessSpec, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """Enter: started and ready, or ProcessStartFailed. Leave: stopped, and gone."""
        ...

    def adopt(
        self, spec: ProcessSpec, record: AdoptionRecord, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """As `launch`, but takes over a living child whose owner is gone. Later restarts are fresh starts."""
        ...


class ChildProcess:
    """A child as its owner sees it."""

    def __init__(
        self,
        spec: ProcessSpec,
        body_of: BodyFactory,
        rng: random.Random,
        on_event: OnEvent | None,
        first_body_of: BodyFactory | None = None,
    ) -> None:
        self.spec = spec
        self._body_of = body_of
        self._next_body_of = first_body_of or body_of
        self._on_event = on_event
        self._loop = asyncio.get_running_loop()
        self._watch = ChildWatchdog(spec, rng)
        self._body: Body | None = None
        self._effects: deque[Effect] = deque()
        self._running_effects = False
        self._timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()
        self._lost: asyncio.Future[Lost] = self._loop.create_future()
        self._end: Failed | NeedsHuman | None = None

    # ------------------------------------------------------------ what an owner asks

    @property
    def state(self) -> ChildState:
        """Where the child stands."""
        return self._watch.state

    @property
    def handle(self) -> bytes:
        """What the child handed over when it last was ready."""
        return self._watch.handle

    @property
    def pid(self) -> int:
        """Process id of the present or last life (of the guardian, for a foreign program); 0 before any."""
        return 0 if self._body is None else self._body.pid

    @property
    def restarts(self) -> int:
        """How often it became ready again."""
        return self._watch.restarts

    @property
    def record(self) -> AdoptionRecord | None:
        """What a new owner would need; changes with every restart. None if it cannot be adopted."""
        return None if self._body is None else self._body.record

    @property
    def last_words(self) -> tuple[str, ...]:
        """The last lines it printed, oldest first."""
        return () if self._body is None else self._body.last_words

    def send(self, payload: bytes) -> bool:
        """Send a command (at most 60 KiB). Never blocks.

        False: it was not sent, because the child is not ready, or reads so slowly that its queue is
        full (of which a WARNING tells).
        """
        if len(payload) > wire.MAX_PAYLOAD_BYTES:
            raise ProcessError(
                f"process {self.spec.name!r}: a command of {len(payload)} bytes; at most "
                f"{wire.MAX_PAYLOAD_BYTES} are allowed; put large data into a stream"
            )
        ready = self.state in (ChildState.READY, ChildState.DEGRADED)
        return ready and self._body is not None and self._body.send(payload)

    def retry_now(self) -> None:
        """Start it again at once, if it is waiting for its next attempt or for a human."""
        self._carry_out(self._watch.retry_now(self._loop.time()))

    async def lost(self) -> Lost:
        """Wait until it is lost; at once if it is lost now."""
        return await asyncio.shield(self._lost)

    async def ready(self) -> bytes:
        """Wait until it is ready (again); returns its handle. ProcessDied if it will not be by itself."""
        while self.state not in (ChildState.READY, ChildState.DEGRADED):
            if self._end is not None or self.state in (ChildState.STOPPING, ChildState.STOPPED):
                why = self._end or self.state.value
                text = why.what if isinstance(why, NeedsHuman) else getattr(why, "message", why)
                raise ProcessDied(f"process {self.spec.name!r}: {text}")
            self._changed.clear()
            await self._changed.wait()
        return self.handle

    # ------------------------------------------------------------ its life, for launchers

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ChildProcess]:
        """Start it, wait until it is ready; stop it at the end, whatever happens in between."""
        self._carry_out(self._watch.start(self._loop.time()))
        try:
            try:
                await self.ready()
            except ProcessDied:
                await self._until_settled()
                raise self._start_error() from None
            yield self
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Through the whole ladder, even if the waiting task is cancelled meanwhile: it is bounded."""
        self._carry_out(self._watch.stop(self._loop.time()))
        cancelled: asyncio.CancelledError | None = None
        while not self._watch.settled:
            try:
                await self._until_settled()
            except asyncio.CancelledError as error:
                cancelled = error
        if self._timer is not None:
            self._timer.cancel()
        if self._body is not None:
            self._body.close()
        if cancelled is not None:
            raise cancelled

    async def _until_settled(self) -> None:
        while not self._watch.settled:
            self._changed.clear()
            await self._changed.wait()

    def _start_error(self) -> ProcessStartFailed:
        message = self._end.message if isinstance(self._end, Failed) else "was stopped before it was ready"
        # A refusal is in the message already; what went wrong by accident is told with its traceback.
        told = self.last_words[-1:] == (message,)
        words = "" if told else "".join(f"\n    {line}" for line in self.last_words[-12:])
        return ProcessStartFailed(
            f"process {self.spec.name!r}: {message}" + (f"; it last printed:{words}" if words else "")
        )

    # ------------------------------------------------------------ events in (Sink)

    def received(self, report: wire.Report) -> None:
        """A message from the child."""
        self._carry_out(self._watch.received(report, self._loop.time()))

    def unreadable(self, what: str) -> None:
        """A frame that is no message."""
        self._carry_out(self._watch.unreadable(what, self._loop.time()))

    def bad_frame(self, what: str) -> None:
        """A channel that cannot be read any further."""
        self._carry_out(self._watch.bad_frame(what, self._loop.time()))

    def closed(self) -> None:
        """The child closed its end of the channel."""
        self._carry_out(self._watch.closed(self._loop.time()))

    def exited(self, ended: Exit) -> None:
        """The process has ended and been reaped."""
        self._carry_out(self._watch.exited(ended, self._loop.time()))

    def warn(self, message: str) -> None:
        """Something about the child that its body noticed."""
        self._carry_out([Said(Severity.WARNING, message)])

    def _on_timer(self) -> None:
        self._timer = None
        activity = Activity.SLEEPING
        if self._body is not None:
            self._body.pump()  # what has already arrived is no silence
            if self._watch.is_overdue(self._loop.time()):
                activity = self._body.activity()
        self._carry_out(self._watch.tick(self._loop.time(), activity))

    # ------------------------------------------------------------ effects out

    def _carry_out(self, effects: list[Effect]) -> None:
        """In order, also where carrying out one effect brings about others."""
        self._effects.extend(effects)
        if self._running_effects:
            return
        self._running_effects = True
        try:
            while self._effects:
                self._carry_out_one(self._effects.popleft())
        finally:
            self._running_effects = False
        self._arm_timer()

    def _carry_out_one(self, effect: Effect) -> None:
        match effect:
            case Spawn():
                self._spawn()
            case Signal(number=number):
                if self._body is not None:
                    self._body.signal(number)
            case TellToQuit():
                if self._body is not None:
                    self._body.quit()
            case Ready() | Updated() | Said() | Lost() | Retrying() | NeedsHuman() | Failed() | Stopped():
                self._tell(effect)
            case _:
                assert_never(effect)

    def _spawn(self) -> None:
        body_of, self._next_body_of = self._next_body_of, self._body_of
        if self._body is not None:
            self._body.close()
        self._body = body_of(self.spec, self)
        try:
            self._body.start()
        except ProcessError as error:
            self._effects.extend(self._watch.spawn_failed(str(error), self._loop.time()))
        else:
            self._effects.extend(self._watch.spawned(self._loop.time()))

    def _tell(self, told: ChildEvent) -> None:
        match told:
            case Ready():
                self._end = None
                if self._lost.done():
                    self._lost = self._loop.create_future()
            case Lost() if not self._lost.done():
                self._lost.set_result(told)
            case Retrying():
                self._end = None
            case Failed() | NeedsHuman():
                self._end = told
        if self._on_event is None:
            return
        try:
            self._on_event(told)
        except Exception as error:  # a listener's fault must not harm the child it listens to
            context = {"message": f"on_event of process {self.spec.name!r} raised", "exception": error}
            self._loop.call_exception_handler(context)

    def _arm_timer(self) -> None:
        self._changed.set()
        wake_at = self._watch.wake_at
        if self._timer is not None:
            if wake_at is not None and self._timer.when() <= wake_at:
                return  # an early tick does no harm and saves a timer for every beat
            self._timer.cancel()
            self._timer = None
        if wake_at is not None:
            self._timer = self._loop.call_at(wake_at, self._on_timer)
