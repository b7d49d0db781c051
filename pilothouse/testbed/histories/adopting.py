"""Children of an owner that was killed, claimed by a new one: who is claimed, told what, and left alone.

The claiming is that of real children (`framework.processes.adoption`); only the kernel is scripted: processes
by their numbers, sockets, pipes, and who was sent which signal.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import signal
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

from framework.errors import MalformedMessage, ProcessError
from framework.processes import adoption, body, wire
from framework.processes.adoption import AdoptedBody, kill_leftover
from framework.processes.child_events import (
    ChildEvent,
    Failed,
    LossReason,
    Lost,
    Ready,
    Said,
    StopHow,
    Stopped,
)
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import AdoptionRecord, Body, ChildProcess, Sink
from framework.scenarios.invariants import Breach
from framework.status import Severity
from framework.testing.children import ScriptedLauncher
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage

UP: Final = Breach.UPBRINGING
UNTOLD: Final = Breach.UNTOLD
TOKEN: Final = "token of its birth"
ADDRESS: Final = "pilothouse-orphan"
STARTS_WITHIN_S: Final = 3.0
FOUND_WITHIN_S: Final = 0.1
"""After it listens, it is claimed by then."""


class Answer(Enum):
    """What comes of a claim."""

    GRANTED = "it is granted"
    GONE = "the process is gone"
    ANOTHER = "the number is another process's by now"
    FOREIGN = "somebody else listens at its address"
    REFUSED = "it refuses"
    SILENT = "it says nothing"
    DEAF = "it never listens"
    CUT_OFF = "the claim cannot be sent"


class Orphan:
    """A process whose owner was killed. notices_s: after so long it listens for a new one [s]."""

    def __init__(self, kernel: Kernel, answer: Answer, notices_s: float) -> None:
        self.kernel = kernel
        self.answer = answer
        self.pid, self.ticks = 4711, 1234
        self.is_alive = answer is not Answer.GONE
        self.listens_s = kernel.now_s + (notices_s if answer is not Answer.DEAF else float("inf"))
        self.claimed_s: list[float] = []
        self.orders: list[wire.Order] = []
        self.signals: list[tuple[int, bool]] = []
        self.channel: Channel | None = None
        self.is_granted = False

    def claim(self, data: bytes) -> None:
        """Somebody has sent this, with its descriptors."""
        self.claimed_s.append(self.kernel.now_s)
        must(data == wire.frame(wire.Claim(TOKEN)), f"it is claimed with {data!r}", UP)
        answer = {Answer.GRANTED: self._grant, Answer.REFUSED: self._refuse}.get(self.answer)
        if answer is not None:
            self.kernel.loop.call_later(0.01, answer)

    def says(self, report: wire.Report) -> None:
        """Over the channel, if that is open."""
        if self.is_alive and self.channel is not None and not self.channel.is_closed:
            self.channel.sink.received(report)

    def ends(self) -> None:
        """The kernel tells whoever holds it."""
        if self.is_alive:
            self.is_alive = False
            self.kernel.tell_of_its_end(self.pid)

    def ordered(self, order: wire.Order) -> None:
        """Its owner's word."""
        self.orders.append(order)
        if isinstance(order, wire.Quit):
            self.kernel.loop.call_later(0.01, self.ends)

    def signalled(self, number: int, *, group: bool) -> None:
        """By whoever does so."""
        self.signals.append((number, group))
        if number != signal.SIGCONT:
            self.kernel.loop.call_later(0.01, self.ends)

    def _grant(self) -> None:
        self.is_granted = True
        self.says(wire.ReadyReport(b"as it is"))
        self.says(wire.Beat(next_within_s=float("inf")))

    def _refuse(self) -> None:
        if self.channel is not None:
            self.channel.sink.closed()


class End:
    """A socket that is to be connected."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.is_blocking = True
        self.kernel.opened(self)

    def setblocking(self, is_blocking: bool) -> None:
        self.is_blocking = is_blocking

    def connect(self, address: str) -> None:
        must(not self.is_blocking, "the loop waits for a child that does not answer", Breach.NEVER_ENDED)
        orphan = self.kernel.orphan
        if address != f"\0{ADDRESS}" or self.kernel.now_s < orphan.listens_s:
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    def getsockopt(self, level: int, option: int, size: int) -> bytes:
        pid = 815 if self.kernel.orphan.answer is Answer.FOREIGN else self.kernel.orphan.pid
        return struct.pack("3i", pid, 1000, 1000)[:size]

    def close(self) -> None:
        self.kernel.closed(self)


class Channel:
    """Instead of `OwnerChannel`."""

    unfinished_bytes = 0

    def __init__(self, end: End, sink: Sink) -> None:
        self.end = end
        self.sink = sink
        self.is_closed = False
        end.kernel.orphan.channel = self

    def send(self, order: wire.Order) -> bool:
        self.end.kernel.orphan.ordered(order)
        return True

    def pump(self) -> None: ...

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.end.close()


class Prints:
    """Instead of `Output`: nothing is printed."""

    last_lines: tuple[str, ...] = ()

    def __init__(self, descriptor: int, on_line: Callable[[str], None]) -> None:
        self._kernel = Kernel.now
        self._descriptor = descriptor
        self._is_open = True

    def pump(self) -> None: ...

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._kernel.close(self._descriptor)


class Kernel:
    """What a new owner sees of it. now: the one that is played."""

    now: Kernel

    def __init__(self, stage: HistoryStage, answer: Answer, notices_s: float = 0.0) -> None:
        Kernel.now = self
        self.loop = asyncio.get_running_loop()
        self.stage = stage
        self.open: set[object] = set()
        self.held: dict[int, int] = {}
        self.readers: dict[int, Callable[[], None]] = {}
        self.pipes: dict[int, int] = {}
        self._last_fd = 100
        self.orphan = Orphan(self, answer, notices_s)
        self.record = AdoptionRecord("orphan", self.orphan.pid, self.orphan.ticks, ADDRESS, TOKEN)

    @property
    def now_s(self) -> float:
        return self.loop.time()

    def opened(self, what: object) -> None:
        self.open.add(what)

    def closed(self, what: object) -> None:
        must(what in self.open, "what is closed already is closed again: it may be another one's by now", UP)
        self.open.remove(what)

    def tell_of_its_end(self, pid: int) -> None:
        for fd in [fd for fd, of in self.held.items() if of == pid and fd in self.readers]:
            self.loop.call_soon(self.readers[fd])

    # -- as `os`, `socket`, `signal`, and a loop that hears of ends

    def pidfd_open(self, pid: int) -> int:
        if pid != self.orphan.pid or not self.orphan.is_alive:
            raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
        fd = self._new()
        self.held[fd] = pid
        return fd

    def pipe(self) -> tuple[int, int]:
        read_end, write_end = self._new(), self._new()
        self.pipes[read_end], self.pipes[write_end] = write_end, read_end
        return read_end, write_end

    def close(self, fd: int) -> None:
        self.closed(fd)
        self.held.pop(fd, None)

    def killpg(self, pid: int, number: int) -> None:
        self._signalled(pid, number, group=True)

    def pidfd_send_signal(self, fd: int, number: int) -> None:
        self._signalled(self.held[fd], number, group=False)

    def send_fds(self, end: End, data: list[bytes], descriptors: list[int]) -> None:
        if self.orphan.answer is Answer.CUT_OFF:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        lifeline, printed, output = descriptors
        must(all(fd in self.open for fd in descriptors), "it is sent what is closed", UP)
        must(self.pipes[printed] == output and lifeline not in (printed, output), "it is sent other ends", UP)
        self.lifeline = self.pipes[lifeline]
        self.orphan.claim(b"".join(data))

    def started_ticks(self, pid: int) -> int | None:
        if pid != self.orphan.pid or not self.orphan.is_alive:
            return None
        return self.orphan.ticks + (1 if self.orphan.answer is Answer.ANOTHER else 0)

    def add_reader(self, fd: int, callback: Callable[[], None]) -> None:
        self.readers[fd] = callback

    def remove_reader(self, fd: int) -> None:
        self.readers.pop(fd, None)

    def _new(self) -> int:
        self._last_fd += 1
        self.opened(self._last_fd)
        return self._last_fd

    def _signalled(self, pid: int, number: int, *, group: bool) -> None:
        if pid != self.orphan.pid or not self.orphan.is_alive:
            raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
        self.orphan.signalled(number, group=group)

    @contextmanager
    def played(self) -> Iterator[None]:
        """Owners see this one, and no other."""
        sockets = SimpleNamespace(
            socket=lambda *_: End(self),
            send_fds=self.send_fds,
            AF_UNIX=0,
            SOCK_STREAM=0,
            SOL_SOCKET=0,
            SO_PEERCRED=0,
        )
        numbers = {name: getattr(signal, name) for name in ("SIGKILL", "SIGCONT", "SIGINT", "SIGTERM")}
        signals = SimpleNamespace(pidfd_send_signal=self.pidfd_send_signal, **numbers)
        loops = SimpleNamespace(
            call_soon=self.loop.call_soon,
            call_later=self.loop.call_later,
            time=self.loop.time,
            add_reader=self.add_reader,
            remove_reader=self.remove_reader,
        )
        instead: tuple[tuple[Any, str, object], ...] = (
            (adoption, "os", self),
            (adoption, "socket", sockets),
            (adoption, "started_ticks", self.started_ticks),
            (adoption, "OwnerChannel", Channel),
            (adoption, "Output", Prints),
            (body, "os", self),
            (body, "signal", signals),
            (body, "asyncio", SimpleNamespace(get_running_loop=lambda: loops)),
        )
        with ExitStack() as stack:
            for where, name, what in instead:
                stack.enter_context(mock.patch.object(where, name, what))
            yield


class Heir:
    """The new owner of an orphan, and what it is told when."""

    def __init__(self, stage: HistoryStage, kernel: Kernel) -> None:
        self.stage = stage
        self.kernel = kernel
        self.spec = ProcessSpec(("orphan",), "orphan", adopt_grace_s=5.0, start_timeout_s=STARTS_WITHIN_S)
        self.launcher = ScriptedLauncher()
        self.told: list[tuple[float, ChildEvent]] = []
        self.bodies: list[AdoptedBody] = []

        def claimed(spec: ProcessSpec, sink: Sink) -> Body:
            self.bodies.append(AdoptedBody(spec, sink, lambda line: None, kernel.record))
            return self.bodies[-1]

        def told(event: ChildEvent) -> None:
            self.told.append((stage.now_s, event))

        lots = random.Random(stage.lots.random())
        self.child = ChildProcess(self.spec, self.launcher._started, lots, told, first_body_of=claimed)

    def of(self, kind: type[ChildEvent]) -> list[tuple[float, Any]]:
        """What was told of this kind."""
        return [(at_s, each) for at_s, each in self.told if isinstance(each, kind)]


REFUSALS: Final = {
    Answer.GONE: "is gone",
    Answer.ANOTHER: "is another one by now",
    Answer.FOREIGN: "is held by process 815",
    Answer.REFUSED: "it refused the claim",
    Answer.SILENT: "not ready within",
    Answer.DEAF: "not ready within",
    Answer.CUT_OFF: "could not be sent",
}
AFTER_S: Final = {Answer.SILENT: STARTS_WITHIN_S, Answer.DEAF: STARTS_WITHIN_S}


async def claimed(stage: HistoryStage) -> None:
    """Who is claimed and grants it is had as it is; anybody else is told, in time, and left alone."""
    lots = stage.lots
    answer = lots.choice((*[Answer.GRANTED] * 4, *Answer))
    notices_s = lots.choice((0.0, 0.07, 0.6))
    kernel = Kernel(stage, answer, notices_s)
    orphan, heir = kernel.orphan, Heir(stage, kernel)
    began_s = stage.now_s
    with kernel.played():
        try:
            async with heir.child.running():
                must(answer is Answer.GRANTED, f"{answer.value}, and it counts as adopted", UP)
                took_s = stage.now_s - began_s
                must(took_s < notices_s + FOUND_WITHIN_S, f"it is claimed after {took_s:.2f} s", UNTOLD)
                await lives_on(stage, heir)
            judge_its_leaving(heir)
        except ProcessError as error:
            must(answer is not Answer.GRANTED, f"it grants the claim, and is told as {error}", UP)
            must(REFUSALS[answer] in str(error), f"{answer.value}: told as {error}", UNTOLD)
            late_s = stage.now_s - began_s
            wanted_s = AFTER_S.get(answer, 0.0 if answer in (Answer.GONE, Answer.ANOTHER) else notices_s)
            most_s = wanted_s + FOUND_WITHIN_S + (0.3 if answer in AFTER_S else 0.0)
            must(wanted_s <= late_s + 1e-9 < most_s, f"{answer.value}: told after {late_s:.2f} s", UNTOLD)
            failed = heir.of(Failed)
            must(len(failed) == 1, f"{answer.value}: told {len(failed)} times", UNTOLD)
            must(
                not orphan.signals, f"{answer.value}, and it is sent {orphan.signals}", Breach.SURPRISE_MOTION
            )
            must(not orphan.orders, f"{answer.value}, and it is told {orphan.orders}", Breach.SURPRISE_MOTION)
            must(not heir.of(Ready), f"{answer.value}, and it is told as ready", UNTOLD)
        knows = answer in (Answer.GRANTED, Answer.REFUSED, Answer.SILENT)
        must(len(orphan.claimed_s) == knows, f"{answer.value}: claimed {len(orphan.claimed_s)} times", UP)
        await asyncio.sleep(1.0)
        must(not kernel.open, f"{answer.value}: {len(kernel.open)} descriptors are left open", Breach.LEAKED)
        must(not kernel.readers, f"{answer.value}: who is gone is still listened for", Breach.LEAKED)
        must(not heir.launcher.running, "what is started instead lives on", Breach.LEAKED)


async def lives_on(stage: HistoryStage, heir: Heir) -> None:
    """As any child does: it is told things, tells things, and dies; and its owner holds its lifeline."""
    lots = stage.lots
    kernel, child = heir.kernel, heir.child
    orphan = kernel.orphan
    ((_, ready),) = heir.of(Ready)
    must(child.handle == ready.handle == b"as it is", f"its handle is {child.handle!r}", UP)
    must(child.pid == orphan.pid, f"it is shown as process {child.pid}", UNTOLD)
    must(child.record == kernel.record, "it could not be adopted again", UP)
    must(kernel.lifeline in kernel.open, "it loses its new owner as well", UP)
    must(child.send(b"go") and orphan.orders == [wire.Command(b"go")], "it does not obey", Breach.DOING)
    channel = orphan.channel
    assert channel is not None
    orphan.says(wire.StatusReport(Severity.ERROR, "it flickers"))
    channel.sink.warn("it does not read")
    said = [each.message for _, each in heir.of(Said)]
    must(said == ["it flickers", "it does not read"], f"what it says is told as {said}", UNTOLD)
    lost = {"dies": LossReason.DIED, "closes": LossReason.CLOSED, "jumbles": LossReason.GARBAGE}
    how = lots.choice((*lost, "babbles", "is left", "is left"))
    failed_s = stage.now_s
    match how:
        case "dies":
            orphan.ends()
        case "closes":
            channel.sink.closed()
        case "jumbles":
            channel.sink.bad_frame(str(MalformedMessage("no frame")))
        case "babbles":
            channel.sink.unreadable("no message")
            warned = [each.message for _, each in heir.of(Said)][len(said) :]
            must(len(warned) == 1 and "no message" in warned[0], f"nonsense is told as {warned}", UNTOLD)
    if how in lost:
        await asyncio.sleep(0.3)
        reasons = [(each.reason, at_s - failed_s < 0.25) for at_s, each in heir.of(Lost)]
        must(reasons == [(lost[how], True)], f"it {how}, and is told as {heir.of(Lost)}", UNTOLD)
        how_it_was = next(each.message for _, each in heir.of(Lost))
        must(how != "dies" or "only its first owner could see" in how_it_was, f"told as {how_it_was}", UNTOLD)
        await child.ready()
        must(heir.launcher.life("orphan").is_alive and len(heir.bodies) == 1, "it is not started afresh", UP)
        must(not orphan.is_alive, "a second one beside the one that was adopted", UP)
        must(kernel.lifeline not in kernel.open, "what is lost is still held", Breach.LEAKED)
        return


def judge_its_leaving(heir: Heir) -> None:
    """It was asked to leave, as a child of one's own, and that is told."""
    signals = heir.kernel.orphan.signals
    if not heir.launcher.lives:
        must(signals[:1] == [(signal.SIGINT, False)], f"it is asked to leave with {signals}", UP)
        must(
            [each.how for _, each in heir.of(Stopped)] == [StopHow.INTERRUPTED],
            f"told as {heir.told}",
            UNTOLD,
        )


async def thought_better(stage: HistoryStage) -> None:
    """The new owner leaves before its claim is answered: then it was never its own, and is left alone."""
    lots = stage.lots
    kernel = Kernel(stage, lots.choice((Answer.SILENT, Answer.SILENT, Answer.DEAF)))
    heir = Heir(stage, kernel)

    async def claims() -> None:
        async with heir.child.running():
            must(False, "it counts as adopted", UP)

    with kernel.played():
        claiming = asyncio.create_task(claims())
        await asyncio.sleep(lots.uniform(0.1, STARTS_WITHIN_S - 0.1))
        claiming.cancel()
        done, _ = await asyncio.wait([claiming], timeout=10.0)
        must(done, "who thinks better of it waits for ever", Breach.NEVER_ENDED)
        orphan = kernel.orphan
        must(not orphan.signals, f"it is sent {orphan.signals}", Breach.SURPRISE_MOTION)
        must(not orphan.orders and orphan.is_alive, f"it is told {orphan.orders}", Breach.SURPRISE_MOTION)
        must(len(heir.of(Stopped)) == 1, f"told as {heir.told}", UNTOLD)
        must(not kernel.open, f"{len(kernel.open)} descriptors are left open", Breach.LEAKED)


async def leftovers(stage: HistoryStage) -> None:
    """What could not be adopted is killed with all that came of it; nobody else ever is."""
    answer = stage.lots.choice((Answer.SILENT, Answer.SILENT, Answer.GONE, Answer.ANOTHER))
    kernel = Kernel(stage, answer)
    orphan = kernel.orphan
    with kernel.played():
        was_there = kill_leftover(kernel.record)
        must(was_there is (answer is Answer.SILENT), f"{answer.value}: told as {was_there}", UNTOLD)
        signals = [(signal.SIGKILL, True)] if answer is Answer.SILENT else []
        must(orphan.signals == signals, f"{answer.value}: it is sent {orphan.signals}", UP)
        must(not kernel.open, f"{answer.value}: it is still held", Breach.LEAKED)
        await asyncio.sleep(0.1)
        must(not kill_leftover(kernel.record), "what is gone is killed again", UNTOLD)


HISTORIES: Final = (
    History(claimed, None, 5),
    History(thought_better),
    History(leftovers, None, 2),
)
