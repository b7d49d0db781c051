"""A registrar in a process of its own: `python distant.py NAME LISTEN CONNECT WINDOW_S [CATALOG]`.

A test drives it. It prints one JSON line for each thing that happens, with the machine's
monotonic time, and obeys one-line commands on its standard input.
"""

from __future__ import annotations

import asyncio
import enum
import json
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar import JournalEntry, Lease, ResourceRegistrar, Supply
from framework.registrar.core import CorePolicy
from framework.registrar.provider_task import Provider
from framework.status import Hop, Priority, Status
from framework.transport.messages import Command
from framework.transport.zenoh import ZenohTransport

#: How long the slow provider takes to stop [s].
SLOW_STOP_S = 2.0


class Mode(enum.Enum):
    PARKED = "parked"
    FOLLOWING = "following"


class ArmHandle(msgspec.Struct, frozen=True):
    """A handle with everything that plain containers lose."""

    mode: Mode
    joints: tuple[float, ...]
    calibration: bytes


class Cloud(msgspec.Struct, frozen=True, tag=True):
    points: int


class Scan(msgspec.Struct, frozen=True, tag=True):
    rays: tuple[int, ...]


class Arm(msgspec.Struct, frozen=True):
    """Moves, so it has a safe stop."""

    handle_type: ClassVar[type] = ArmHandle

    side: str


class Chain(msgspec.Struct, frozen=True):
    """Holds an arm exclusively, and is slow to let go of it."""

    side: str


class Sensor(msgspec.Struct, frozen=True):
    """Its handle is one of two structs."""

    handle_type: ClassVar[object] = Cloud | Scan

    name: str


class Nameless(msgspec.Struct, frozen=True):
    """A struct comes back, but the request does not say which."""

    name: str


class Wrong(msgspec.Struct, frozen=True):
    """Something else comes back than the request says."""

    handle_type: ClassVar[type] = Cloud

    name: str


class Huge(msgspec.Struct, frozen=True):
    """The handle is longer than a message may be."""

    name: str


REQUESTS: dict[str, type] = {
    "arm": Arm,
    "chain": Chain,
    "sensor": Sensor,
    "nameless": Nameless,
    "wrong": Wrong,
    "huge": Huge,
}
PARKED = ArmHandle(Mode.PARKED, (0.0, 0.5), b"\x00\xff")
FOLLOWING = ArmHandle(Mode.FOLLOWING, (0.25,), b"")


def say(event: str, **facts: object) -> None:
    """One line for the test."""
    print(json.dumps({"event": event, "at_s": time.monotonic(), **facts}), flush=True)


class Distant:
    """The registrar, what it provides and what it holds."""

    def __init__(self, registrar: ResourceRegistrar) -> None:
        self.registrar = registrar
        self.supplies: dict[str, Supply] = {}
        self.leases: dict[str, Lease] = {}
        self.let_go: dict[str, asyncio.Event] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.baseline = 0
        registrar.journal.listen(self.journalled)

    def journalled(self, entry: JournalEntry) -> None:
        say("did", deed=entry.deed.value, who=entry.who, why=entry.why, generation=entry.generation)

    # -- what it provides

    def provide(self, kind: str) -> None:
        providers: dict[str, Provider] = {
            "arm": self.arm,
            "chain": self.chain,
            "sensor": self.sensor,
            "nameless": self.nameless,
            "wrong": self.wrong,
            "huge": self.huge,
        }
        self.registrar.provides(REQUESTS[kind])(providers[kind])

    @asynccontextmanager
    async def arm(self, request: Arm, supply: Supply) -> AsyncIterator[ArmHandle]:
        async def safe_stop() -> None:
            say("safe_stop", side=request.side)

        def commanded(command: Command) -> None:
            say("commanded", text=command.payload.decode(), generation=command.generation)

        supply.declare_safe_stop(safe_stop)
        supply.on_command(commanded)
        self.supplies[request.side] = supply
        say("up", side=request.side)
        yield PARKED
        say("down", side=request.side)

    @asynccontextmanager
    async def chain(self, request: Chain) -> AsyncIterator[str]:
        async with self.registrar.request(Arm(request.side), exclusive=True):
            try:
                yield "chained"
            finally:
                say("stopping slowly")
                await asyncio.sleep(SLOW_STOP_S)

    @asynccontextmanager
    async def sensor(self, request: Sensor) -> AsyncIterator[Cloud | Scan]:
        yield Scan((1, 2))

    @asynccontextmanager
    async def nameless(self, request: Nameless) -> AsyncIterator[list[Scan]]:
        yield [Scan((1,))]

    @asynccontextmanager
    async def wrong(self, request: Wrong) -> AsyncIterator[Scan]:
        yield Scan((1,))

    @asynccontextmanager
    async def huge(self, request: Huge) -> AsyncIterator[bytes]:
        yield bytes(2 << 20)

    # -- what it holds

    def hold(self, key: str, request: Any, *options: str) -> None:
        self.let_go[key] = asyncio.Event()
        task = asyncio.get_running_loop().create_task(self.holding(key, request, options))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def holding(self, key: str, request: Any, options: tuple[str, ...]) -> None:
        def told(status: Status) -> None:
            value = repr(self.leases[key].value) if key in self.leases else ""
            say("told", key=key, severity=status.severity.name, text=status.message, value=value)

        try:
            async with self.registrar.request(
                request,
                exclusive="exclusive" in options,
                wait="wait" in options,
                priority=Priority.OPERATOR if "operator" in options else Priority.AUTONOMY,
                on_status=told,
            ) as lease:
                self.leases[key] = lease
                say("granted", key=key, value=repr(lease.value), generation=lease.generation, lease=lease.id)
                await self.let_go[key].wait()
            say("left", key=key)
        except ResourceUnavailable as error:
            say("refused", key=key, text=str(error), hops=names(error.hops))
        except ResourceFailed as error:
            say("failed", key=key, text=str(error), hops=names(error.hops))
        except Preempted as error:
            say("preempted", key=key, text=str(error), by=error.by)
        finally:
            self.leases.pop(key, None)

    # -- what is left

    def census(self) -> dict[str, Any]:
        snapshot = self.registrar.snapshot()
        links = descriptors()
        return {
            "empty": snapshot.is_empty,
            "resources": len(snapshot.resources),
            "leases": len(snapshot.leases),
            "tasks": len(asyncio.all_tasks()),
            "sockets": sum(link.startswith("socket:") for link in links),
            "pollers": sum(link.startswith("anon_inode:") for link in links),
            "files": sum(not link.startswith(("socket:", "anon_inode:")) for link in links),
            "python_threads": threading.active_count(),
            "children": children(),
        }

    async def settle(self, **wanted: int) -> None:
        """Wait until nothing is held and lent, and no more is open than `wanted`; then say what there is."""
        deadline_s = time.monotonic() + 10.0
        while time.monotonic() < deadline_s:
            census = self.census()
            if census["empty"] and all(census[name] <= most for name, most in wanted.items()):
                break
            await asyncio.sleep(0.02)
        say("settled", **self.census())


def descriptors() -> list[str]:
    """All that is open."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one with which the folder itself is read
            found.append(os.readlink(f"/proc/self/fd/{number}"))
    return found


def children() -> list[str]:
    """The processes that any thread of this one has started."""
    found: list[str] = []
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # Zenoh's threads come and go
            found += (thread / "children").read_text().split()
    return found


def names(hops: tuple[Hop, ...]) -> list[str]:
    return [hop.registrar for hop in hops]


async def live(name: str, listen: str, connect: str, window_s: str, catalog: str = "") -> None:
    """Obey until told to leave."""
    transport = ZenohTransport(
        listen=(listen,) if listen else (),
        connect=tuple(connect.split(",")) if connect else (),
        discovery_s=10.0,
    )
    policy = CorePolicy(window_s=float(window_s))
    registrar = ResourceRegistrar(name, transport, policy=policy, catalog=Path(catalog) if catalog else None)
    distant = Distant(registrar)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(commands), sys.stdin
    )
    with transport:
        async with registrar:
            say("joined", endpoint=transport.endpoints[0], **distant.census())
            while command := (await commands.readline()).decode().split():
                match command:
                    case ["provide", *kinds]:
                        for kind in kinds:
                            distant.provide(kind)
                    case ["hold", key, kind, argument, *options]:
                        distant.hold(key, REQUESTS[kind](argument), *options)
                    case ["let-go", key]:
                        distant.let_go[key].set()
                    case ["command", key, text]:
                        distant.leases[key].send(text.encode())
                    case ["follow", side]:
                        distant.supplies[side].update(FOLLOWING)
                    case ["mislead", side]:
                        distant.supplies[side].update(Scan((1,)))
                    case ["census"]:
                        say("census", **distant.census())
                    case ["settle", sockets, files, tasks]:
                        await distant.settle(sockets=int(sockets), files=int(files), tasks=int(tasks))
                    case ["leave"]:
                        break
    say("ends")


if __name__ == "__main__":
    asyncio.run(live(*sys.argv[1:]))
