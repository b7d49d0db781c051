"""The operator process: puts everything together, and carries out its owner's orders.

It moves nothing itself. When it ends, for whatever reason, its rings fall silent, and whatever followed a
hand holds still within `SILENCE_S` on its own clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import StreamError
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.status import Severity
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from resources.operator.arguments import IceServer, OperatorArguments
from resources.operator.cloud_source import CloudSource
from resources.operator.hand_rings import HandRings
from resources.operator.links import OperatorLink
from resources.operator.lost_impulse import prepare
from resources.operator.memory_file import keep_port, port_again, read_memory
from resources.operator.operators import Operators
from resources.operator.orders import (
    Console,
    Ice,
    Kick,
    OpenPairing,
    OperatorOrder,
    SeatOf,
    Shown,
    decode_order,
)
from resources.operator.pairing import PairingDesk
from resources.operator.protocol import PageSays
from resources.operator.server import OperatorServer
from resources.operator.sessions import Session, SessionBook
from resources.operator.short_turns import ask_for_short_turns
from resources.types.operator import OperatorLinksHandle
from resources.web import static_files

LOOK_EVERY_S: Final = 0.1
TELL_EVERY_S: Final = 0.2
"""Changes of the handle are told at most so often: each is an UPDATE for everybody who holds it."""


async def main(child: Child, arguments: OperatorArguments) -> None:
    """Serve operators until told to stop."""
    ask_for_short_turns()  # beside what draws and computes on this machine; if it cannot be had, then not
    stop = EmergencyStop.attach(Path(arguments.run_directory))
    try:
        await asyncio.to_thread(prepare)
        await _Process(child, arguments, stop).run()
    finally:
        stop.close()


class _Process:
    """What the main function remembers."""

    def __init__(self, child: Child, arguments: OperatorArguments, stop: EmergencyStop) -> None:
        directory = Path(arguments.run_directory)
        self._child = child
        self._arguments = arguments
        self._changes = asyncio.Event()
        self._changes.set()
        self._orders = asyncio.Event()
        self._clouds = CloudSource()
        self._told = b""
        self._untold: list[str] = []
        self._desk = PairingDesk()
        self._ice: tuple[IceServer, ...] = ()
        self._operators = Operators(
            directory=directory,
            stop=stop,
            book=SessionBook(read_memory(directory)),
            installation=arguments.installation,
            console=arguments.console,
            console_certificate=arguments.console_certificate,
            monotonic_s=time.monotonic,
            changed=self._changes.set,
        )
        self._server = OperatorServer(
            self._operators,
            self._desk,
            self._link,
            host=arguments.host,
            port=arguments.port or port_again(directory, "127.0.0.1"),
            names=arguments.names,
            state=Path(arguments.state),
            dist=Path(arguments.dist) if arguments.dist else static_files.DIST,
            open_page=Path(arguments.open_page) if arguments.open_page else None,
            monotonic_s=time.monotonic,
            changed=self._changes.set,
            report=self._report,
        )
        if arguments.awaits_ice:
            self._server.reachable.clear()

    async def run(self) -> None:
        """Until cancelled."""
        loop = asyncio.get_running_loop()
        woken = self._child.on_wake

        def on_wake() -> None:
            """From the thread that reads the channel."""
            if woken is not None:
                woken()
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._orders.set)

        self._child.on_wake = on_wake
        await asyncio.to_thread(_remove_left_rings, Path(self._arguments.run_directory))
        try:
            async with self._server:
                await asyncio.to_thread(keep_port, Path(self._arguments.run_directory), self._server.port)
                self._orders.set()  # what came before somebody listened
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._tell())
                    tasks.create_task(self._look())
                    tasks.create_task(self._obey())
        finally:
            await self._operators.close()
            await self._clouds.close()

    def _report(self, words: str) -> None:
        """Something that people should know; what comes before anybody hears us is said then.

        It passes: a warning alone would stand until it is called off.
        """
        if not self._told:
            self._untold.append(words)
            return
        self._child.status(Severity.WARNING, words)
        self._child.status(Severity.OK, "operators are served")

    async def _tell(self) -> None:
        """Whoever owns this process learns of each change, not too often."""
        while True:
            await self._changes.wait()
            self._changes.clear()
            handle = OperatorLinksHandle(
                self._server.address,
                self._server.pairing(),
                self._operators.lines(),
                self._operators.away(),
                self._operators.log.notes,
            )
            encoded = msgspec.json.encode(handle)
            if encoded != self._told:
                self._told = encoded
                self._child.ready(encoded)
                untold, self._untold = self._untold, []
                for words in untold:
                    self._report(words)
            await asyncio.sleep(TELL_EVERY_S)

    async def _look(self) -> None:
        while True:
            self._operators.look()
            self._desk.has_expired(time.monotonic())  # closes a code whose time is over
            self._changes.set()  # a round trip's time has no event of its own; what is the same is not told
            await asyncio.sleep(LOOK_EVERY_S)

    async def _obey(self) -> None:
        while True:
            await self._orders.wait()
            self._orders.clear()
            for payload in self._child.commands():
                try:
                    order = decode_order(payload)
                except UNREADABLE as error:
                    self._report(f"an order was not understood: {error}")
                else:
                    self._carry_out(order)

    def _carry_out(self, order: OperatorOrder) -> None:
        match order:
            case Console(token=token):
                self._server.let_in_by(token)
                self._operators.speak(token)
            case Ice(servers=servers):
                self._ice = servers
                self._server.reachable.set()
            case OpenPairing(for_s=for_s):
                self._desk.open(time.monotonic(), for_s)
                self._changes.set()
            case Kick(session=session, words=words):
                self._operators.kick(session, words)
            case SeatOf():
                self._operators.seat_of(order)
            case Shown():
                self._operators.show(order)

    def _link(
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageSays], None],
        on_change: Callable[[], None],
    ) -> OperatorLink:
        return OperatorLink(
            session.id,
            rings=rings,
            ice=self._ice,
            relay_only=self._arguments.relay_only,
            host=self._arguments.host,
            monotonic_s=time.monotonic,
            on_words=on_words,
            on_change=on_change,
            clouds=self._clouds,
        )


def _remove_left_rings(directory: Path) -> None:
    """Hands of a process before this one that was killed; who still reads them hears silence either way."""
    for path in directory.glob("hand_*.ring"):
        with suppress(StreamError), RingReader(path) as ring:
            if not Path(f"/proc/{ring.writer_pid}").exists():
                path.unlink(missing_ok=True)
