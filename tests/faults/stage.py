"""The stage of the fault tests: clients that keep a diary, a network and clocks that can be spoiled.

Everything runs on the virtual clock over a `LocalTransport` that behaves like a network (it beats,
so silence counts). What fails, and how, is in `subject.py`.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pytest

from framework.clock import LoopClock
from framework.errors import PilothouseError
from framework.registrar import Lease, ResourceRegistrar
from framework.status import Severity, Status
from framework.testing.children import ScriptedLauncher
from framework.transport.local import LocalTransport
from framework.transport.messages import Message
from managers.process_manager import ProcessManager, Restarted

BEAT_S = 0.1
WINDOW_S = 0.25
"""How long a peer may be silent: 2.5 beats."""

#: Longer than any stop takes here: the longest is that of a driver which never stops [s].
SETTLED_S = 17.0


def now_s() -> float:
    """Virtual seconds since the scene began."""
    return asyncio.get_running_loop().time()


class SpoiltClock(LoopClock):
    """A loop's clock that can be stepped, and whose sleepers can get stuck."""

    def __init__(self) -> None:
        self.wall_step_s = 0.0
        self.gap_s = 0.0
        self._stuck: asyncio.Event | None = None

    def now_s(self) -> float:
        """As if the process had stood still for `gap_s` in between."""
        return super().now_s() + self.gap_s

    def wall_s(self) -> float:
        """As if somebody had set the clock."""
        return super().wall_s() + self.wall_step_s

    async def sleep(self, seconds: float) -> None:
        """While stuck it does not even end when cancelled, as a read from a dead disk does not."""
        cancelled: asyncio.CancelledError | None = None
        await super().sleep(seconds)
        while self._stuck is not None and not self._stuck.is_set():
            try:
                await self._stuck.wait()
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    def get_stuck(self) -> None:
        self._stuck = asyncio.Event()

    def come_loose(self) -> None:
        if self._stuck is not None:
            self._stuck.set()


class Network:
    """What happens to each message: a `Disturbance` whose kind is chosen by name."""

    KINDS = ("duplicate message", "late message", "reordered message", "full queue")

    #: So many messages may be under way at once, each for so long [s]: when the queue is full.
    ROOM = 2
    TRANSIT_S = 0.02

    def __init__(self, lots: random.Random) -> None:
        self.kind = ""
        self.dropped = 0
        self._lots = lots
        self._cut: set[str] = set()
        self._arrivals: list[float] = []
        self._jammed_until_s = 0.0

    def cut(self, name: str) -> None:
        """Nothing reaches this registrar any more, and nothing comes from it."""
        self._cut.add(name)

    def jam(self, for_s: float) -> None:
        """Somebody else's messages take all the room for so long."""
        self._jammed_until_s = now_s() + for_s

    def __call__(self, sender: str, to: str, message: Message) -> tuple[float, ...]:
        if sender in self._cut or to in self._cut:
            return ()
        match self.kind:
            case "duplicate message":
                return (0.0, 0.0)
            case "late message":
                return (0.05,)
            case "reordered message":
                return (self._lots.random() * 0.06,)
            case "full queue":
                return self._queued()
        return (0.0,)

    def _queued(self) -> tuple[float, ...]:
        now = now_s()
        self._arrivals = [at_s for at_s in self._arrivals if at_s > now]
        if len(self._arrivals) >= self.ROOM or now < self._jammed_until_s:
            self.dropped += 1
            return ()
        self._arrivals.append(now + self.TRANSIT_S)
        return (self.TRANSIT_S,)


class Told(msgspec.Struct, frozen=True):
    """One status as it reached a client."""

    at_s: float
    status: Status


class Client:
    """Somebody who wants a resource, in a registrar of its own, and remembers all it is told."""

    def __init__(self, registrar: ResourceRegistrar) -> None:
        self.registrar = registrar
        self.told: list[Told] = []
        self.error: PilothouseError | None = None
        self.error_at_s = 0.0
        self.lease: Lease | None = None
        self.granted_at_s = 0.0
        self._task: asyncio.Task[None] | None = None
        self._answered = asyncio.Event()
        self._leave = asyncio.Event()

    def ask(self, request: Any, **wishes: Any) -> None:
        """Ask for it (as `ResourceRegistrar.request` does) and hold it until told to leave, or it is lost."""
        self.told.clear()
        self.error = None
        self._answered, self._leave = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._hold(request, wishes), name=f"body of {self.registrar.name}")

    async def answer(self, within_s: float = 30.0) -> None:
        """Wait until it is granted or refused."""
        async with asyncio.timeout(within_s):
            await self._answered.wait()

    async def leave(self) -> None:
        """Go; that never takes any time."""
        self._leave.set()
        if self._task is not None:
            began_s = now_s()
            await self._task
            assert now_s() == began_s, "leaving waited for a tear-down"

    async def give_up(self) -> None:
        """Be cancelled, whatever it is doing."""
        assert self._task is not None
        task, self._task = self._task, None
        task.cancel()
        await asyncio.wait([task])

    @property
    def severities(self) -> tuple[str, ...]:
        """What it was told, in order."""
        return tuple(each.status.severity.name for each in self.told)

    @property
    def value(self) -> Any:
        """The handle it has now."""
        assert self.lease is not None, f"{self.registrar.name} holds nothing: {self.error}"
        return self.lease.value

    def assert_told_once(self) -> None:
        """No incident twice in the same words, each under its own lease, and FATAL as the very last."""
        seen = [(each.status.id, each.status.severity) for each in self.told]
        assert len(set(seen)) == len(seen), self.told
        assert len({each.status.lease_id for each in self.told}) <= 1, self.told
        assert Severity.FATAL.name not in self.severities[:-1], self.told

    async def _hold(self, request: Any, wishes: dict[str, Any]) -> None:
        try:
            async with self.registrar.request(request, on_status=self._hear, **wishes) as lease:
                self.lease = lease
                self.granted_at_s = now_s()
                self._answered.set()
                await self._leave.wait()
        except PilothouseError as error:
            self.error = error
            self.error_at_s = now_s()
        finally:
            self.lease = None
            self._answered.set()

    def _hear(self, status: Status) -> None:
        self.told.append(Told(now_s(), status))


class Stage:
    """Registrars that are entered on one transport, and left empty at the end."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, seed: int = 0) -> None:
        self.folder = folder
        self.patch = patch
        self.lots = random.Random(seed)
        self.network = Network(self.lots)
        self.transport = LocalTransport(beat_s=BEAT_S, disturb=self.network)
        self.clock = SpoiltClock()
        self.launcher = ScriptedLauncher(rng=random.Random(seed))
        self.registrars: list[ResourceRegistrar] = []
        self.clients: list[Client] = []
        self.processes: ProcessManager
        self._came = 0
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Stage:
        await self._stack.__aenter__()
        self.restarted: list[Restarted] = []
        self.processes = await self.enter(
            ProcessManager(self.transport, self.launcher, restarted=self.restarted.append, clock=self.clock)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def enter(self, entered: Any) -> Any:
        """A manager or a registrar; it is left at the end."""
        await self._stack.enter_async_context(entered)
        self.registrars.append(getattr(entered, "registrar", entered))
        return entered

    async def come(self, number: int) -> list[Client]:
        """So many new clients."""
        new = []
        for _ in range(number):
            self._came += 1
            name = f"client-{self._came}"
            new.append(Client(await self.enter(ResourceRegistrar(name, self.transport))))
            self.clients.append(new[-1])
        return new

    def forget(self, registrar: ResourceRegistrar) -> None:
        """Its process is dead: nobody looks into its books any more."""
        self.registrars.remove(registrar)

    def is_empty(self) -> bool:
        """Nobody has, provides or awaits anything."""
        return all(registrar.snapshot().is_empty for registrar in self.registrars)

    async def everybody_leaves(self) -> None:
        """And then nothing may be up, lent, held or alive."""
        for client in self.clients:
            await client.leave()
        await asyncio.sleep(SETTLED_S)
        for registrar in self.registrars:
            assert registrar.snapshot().is_empty, registrar.snapshot()
        assert not self.launcher.running, self.launcher.running
