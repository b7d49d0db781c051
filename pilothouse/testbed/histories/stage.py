"""What the histories of registrars are played on: registrars, users, and what each of them sees.

Nothing here knows how a registrar works. A `User` notes what it is told and when; a `Thing` when it came up,
who commanded it and when it came to rest; what must hold is said by the histories with `must`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

import msgspec

from framework.errors import CommandRefused, LeaseError, Preempted, ResourceFailed, ResourceUnavailable
from framework.interlock import Interlock, Permit
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.registrar.fencing import CommandGate, CommandStamp
from framework.registrar.journal import JournalEntry
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity, Status
from framework.testing.vanishing import vanish
from framework.transport.codec import decode, encode
from framework.transport.local import LocalLink, LocalTransport
from framework.transport.messages import Ask, Audit, Command, Heartbeat, Holding, Message, Peer

SETTLES_S: Final = 0.02
"""After so long all has been said where a message takes no time."""

WINDOW_S: Final = 0.25
"""What is silent for so long is told of (design: within 250 ms)."""

BEAT_S: Final = 0.1

EMPTY_WITHIN_S: Final = 12.0
"""After everybody has left, nothing is up any more; who stays behind is waited for besides."""


class Network(Enum):
    """What a network does to every message, and what must not be seen from the outside.

    DOUBLED: each comes twice, the second time a little later. JUMBLED: what is said at once comes in any
    order. BYTES: each travels as bytes, as between processes. STRANGE: somebody whom it does not concern says
    the same, too.
    """

    STEADY = "steady"
    DOUBLED = "doubled"
    JUMBLED = "jumbled"
    BYTES = "bytes"
    STRANGE = "strange"


class StageTransport(LocalTransport):
    """late_s: so much later everybody hears that somebody is gone [s]; where nobody has left a word."""

    late_s = 0.0

    def remove(self, link: LocalLink) -> None:
        """As its base, perhaps later."""
        if not self.late_s or self.links.get(link.peer.name) is not link:
            super().remove(link)
            return
        del self.links[link.peer.name]
        del self.peers[link.peer.name]
        asyncio.get_running_loop().call_later(self.late_s, self._tell_of_its_end, link.peer)

    def _tell_of_its_end(self, peer: Peer) -> None:
        for other in list(self.links.values()):
            other.lost(peer)


class WireTransport(StageTransport):
    """What is carried is encoded and decoded, as between processes; what cannot be, the sender tells."""

    needs_loop = True

    def carry(self, sender: str, to: str, message: Message) -> None:
        """Bring one message over, as bytes. Raises TransportError."""
        if sender != to:
            message = decode(encode(1, message)).message
        super().carry(sender, to, message)


class History(NamedTuple):
    """How one is played. beat_s: of the heartbeats of its registrars; None: they are all in one process.

    times: so many for each seed of a campaign: what has more ways to go needs more of them. network: what it
    does to messages between registrars that changes nothing outside.
    """

    play: Callable[[HistoryStage], Awaitable[None]]
    beat_s: float | None = None
    times: int = 1
    network: Network = Network.STEADY


class Broke(Exception):
    """Something that has to hold did not."""

    def __init__(self, breach: Breach, words: str) -> None:
        super().__init__(words)
        self.breach = breach


def must(holds: object, words: str, breach: Breach = Breach.CONTENTION) -> None:
    """Raises Broke unless it holds."""
    if not holds:
        raise Broke(breach, words)


_FATAL: Final = Severity.FATAL
UNTOLD: Final = Breach.UNTOLD
NEVER_ENDED: Final = Breach.NEVER_ENDED
STRANGER: Final = "stranger"
_ONE_S_OWN: Final = (Ask, Heartbeat, Audit, Holding)


class Asked(msgspec.Struct, frozen=True):
    """A request of these histories: what is asked for, by the name of its device."""

    device: str
    mode: str = ""


class Base(msgspec.Struct, frozen=True):
    """Of what others stand on."""

    device: str


class Tower(msgspec.Struct, frozen=True):
    """Of what stands on something that stands on something."""

    device: str


Request = Asked | Base | Tower


class Thing:
    """One thing of the world, from the outside: how often it is up, whom it obeys, whether it rests.

    needs: what it stands on, and how that is asked for. rest_s: how long it takes to come to rest; None: it
    does not move. wont_rest: its safe stop raises instead. starts, stops: [s]; None: it never does.
    """

    def __init__(
        self, stage: HistoryStage, request: Request, needs: Iterable[tuple[Request, dict[str, Any]]] = ()
    ) -> None:
        self.stage = stage
        self.request = request
        self.needs = tuple(needs)
        self.rest_s: float | None = None
        self.wont_rest = False
        self.start_s: float | None = 0.0
        self.stop_s: float | None = 0.0
        self.breaks = ""
        self.came_up_s: list[float] = []
        self.went_down_s: list[float] = []
        self.is_up = False
        self.said_to_fail = ""
        self.lives = 0
        self.has_crashed = False
        self.has_hung = False
        self.is_moving = False
        self.rests_s: list[float] = []
        self.obeyed: list[tuple[float, str, bytes]] = []
        self.refused: list[str] = []
        self.holders: list[tuple[float, str]] = []
        self.gate = CommandGate(max_age_s=0.25)
        self.supply: Supply | None = None
        self.ends_with = ""
        self.held: list[Lease] = []
        self._broken: asyncio.Future[None] | None = None
        self.passes_on = True

    def crash(self, words: str) -> None:
        """Its provider raises, all at once."""
        if self._broken is not None and not self._broken.done():
            self._broken.set_exception(OSError(words))

    def fail(self, words: str) -> None:
        """It says itself that it has failed."""
        assert self.supply is not None
        self.said_to_fail = words
        self.supply.fail(words)

    @asynccontextmanager
    async def life(
        self, registrar: ResourceRegistrar, request: Request, supply: Supply
    ) -> AsyncIterator[str]:
        """Its provider."""
        stage = self.stage
        async with AsyncExitStack() as stack:
            held = []
            for need, wishes in self.needs:
                wishes = dict(wishes)
                if wishes.get("exclusive"):
                    wishes.setdefault("wait", supply.is_patient)
                lease = await stack.enter_async_context(registrar.request(need, **wishes))
                below = stage.things[need]
                must(
                    below.is_up or wishes.get("optional"),
                    f"{label(request)} starts before {label(need)} is up",
                    Breach.UPBRINGING,
                )
                held.append(lease)
            self.held = held
            must(
                not self.is_up or self.stop_s is None,  # what hangs is given up after a while
                f"{label(request)} is opened twice at once",
                Breach.UPBRINGING,
            )
            must(not self.is_moving, f"{label(request)} is opened while it moves", Breach.UPBRINGING)
            if not stage.is_wanted(request):
                stage.broke(Breach.UPBRINGING, f"{label(request)} is opened for nobody")
            self.is_up, self.supply, self.said_to_fail = True, supply, ""
            self.lives += 1
            self.has_crashed = False
            life = self.lives
            try:
                if self.start_s is None:
                    await asyncio.Event().wait()
                await asyncio.sleep(self.start_s or 0.0)
                if self.breaks:
                    raise OSError(self.breaks)
                if self.rest_s is not None:
                    supply.declare_safe_stop(self._come_to_rest, device=request.device)
                supply.on_command(self._commanded)
                supply.on_holder(self._held_by)
                self.came_up_s.append(stage.now_s)
                self._broken = asyncio.get_running_loop().create_future()
                async with asyncio.TaskGroup() as group:
                    watching = group.create_task(self._until_broken(self._broken))
                    try:
                        yield f"handle of {label(request)}"
                    finally:
                        watching.cancel()
            except BaseExceptionGroup:
                self.has_crashed = True  # there was no time to stop anything
                raise
            finally:
                hangs = self.stop_s is None
                self.has_hung = self.has_hung or hangs
                if self.has_crashed and self.lives == life:
                    pass
                elif hangs:
                    while self.stop_s is None:  # whatever it is told
                        with suppress(asyncio.CancelledError):
                            await asyncio.sleep(0.5)
                elif self.stop_s:
                    await asyncio.sleep(self.stop_s)
                if self.is_up and self.lives == life:
                    for need, wishes in self.needs:
                        if not hangs and not wishes.get("optional") and wishes.get("on_failure") != "tell":
                            stage.below_goes_last(self, need)
                    self.is_up = False
                    self.went_down_s.append(stage.now_s)

    async def _until_broken(self, broken: asyncio.Future[None]) -> None:
        await broken

    async def _come_to_rest(self) -> None:
        if self.wont_rest:
            raise OSError("its brakes are worn")
        await asyncio.sleep(self.rest_s or 0.0)
        self.is_moving = False
        self.rests_s.append(self.stage.now_s)

    def _held_by(self, lease: str, generation: int) -> None:
        self.holders.append((self.stage.now_s, lease))
        assert self.supply is not None
        knows = (self.supply.holder, self.supply.generation)
        must(knows == (lease, generation), f"{lease} has it, and its provider knows {knows}", UNTOLD)
        if lease:
            must(not self.is_moving, f"{label(self.request)} is granted while it moves")
            self.gate.open(lease, generation)
        else:
            self.gate.close()

    def _commanded(self, command: Command) -> None:
        stage = self.stage
        if self.rest_s is not None:
            stamp = CommandStamp(command.lease, command.generation, command.sequence, command.sent_s)
            try:
                self.gate.check(stamp, stage.now_s)
            except CommandRefused as refusal:
                self.refused.append(str(refusal))
                return
            self.is_moving = True
        self.obeyed.append((stage.now_s, command.lease, command.payload))
        for lease in self.held if self.passes_on else ():
            with suppress(LeaseError):
                lease.send(command.payload, sent_s=command.sent_s)


def label(request: Request) -> str:
    """As the histories call it."""
    return f"{type(request).__name__.lower()} {getattr(request, 'device', request)}"


class User:
    """Somebody who asks for something, or for several things at once, and what becomes of that."""

    def __init__(
        self,
        stage: HistoryStage,
        registrar: ResourceRegistrar,
        requests: tuple[Request, ...],
        who: str,
        *,
        stays_s: float = 0.0,
        **wishes: Any,
    ) -> None:
        self.stage = stage
        self.who = who
        self.at = ""
        self.requests = requests
        self.priority: Priority = wishes.get("priority", Priority.AUTONOMY)
        self.wait: bool = wishes.get("wait", False)
        self.stays_s = stays_s
        self.leases: tuple[Lease, ...] = ()
        self.asked_s = stage.now_s
        self.has_s: float | None = None
        self.told_s: float | None = None
        self.over_s: float | None = None
        self.error: BaseException | None = None
        self.statuses: list[tuple[float, Status]] = []
        self.fatal: dict[str, int] = {}
        self._listening: list[asyncio.Task[None]] = []
        self._news: set[tuple[str, str, Severity, str]] = set()
        self._leaves = asyncio.Event()
        self._by_word = False
        self._wanted: Any = (
            registrar.request(requests[0], on_status=self._told, who=who, **wishes)
            if len(requests) == 1
            else registrar.request_all(*requests, on_status=self._told, who=who, **wishes)
        )
        self.task = asyncio.create_task(self._use(), name=who)

    @property
    def has_it(self) -> bool:
        """Whether it was given everything and has not been told that it lost any of it."""
        return (
            self.has_s is not None
            and self.over_s is None
            and self.told_s is None
            and not self._leaves.is_set()
        )

    @property
    def lease(self) -> Lease:
        """The one, or the first."""
        return self.leases[0]

    @property
    def waits(self) -> bool:
        """Whether nothing has come of it yet."""
        return self.has_s is None and self.over_s is None

    @property
    def reason(self) -> ReasonKind | None:
        """Why it was refused, or lost it."""
        match self.error:
            case ResourceUnavailable():
                return self.error.reason.kind
            case ResourceFailed() | Preempted():
                return self.error.status.reason.kind
            case _:
                return None

    @property
    def place(self) -> tuple[str, int] | None:
        """For whom it was told last that it waits, and at which place."""
        queued = [each.reason for _, each in self.statuses if each.reason.kind is ReasonKind.QUEUED]
        return (queued[-1].holder, queued[-1].place) if queued else None

    @property
    def hears_nothing_more(self) -> bool:
        """Whether all have come to their end who listen to what it had."""
        return all(each.done() for each in self._listening)

    def said(self, severity: Severity) -> list[Status]:
        """What it was told of this kind."""
        return [each for _, each in self.statuses if each.severity is severity]

    def leave(self, *, by_word: bool = False, why: str = "") -> None:
        """It has done what it wanted; or gives up waiting."""
        self._by_word = by_word
        for lease in self.leases:
            lease.lets_go(why, by_word=by_word)
        self._leaves.set()
        if self.waits:
            self.task.cancel()

    def send(self, payload: bytes = b"go") -> None:
        """Command the first of what it has. Raises LeaseError."""
        self.lease.send(payload)

    def _told(self, status: Status) -> None:
        news = (status.lease_id, status.id, status.severity, status.message)
        if status.id and news in self._news:
            self.stage.broke(Breach.TOLD_TWICE, f"{self.who} is told twice of one thing: {status.message}")
        self._news.add(news)
        self.statuses.append((self.stage.now_s, status))
        if status.severity is Severity.FATAL:
            self.told_s = self.told_s if self.told_s is not None else self.stage.now_s
            times = self.fatal[status.lease_id] = self.fatal.get(status.lease_id, 0) + 1
            if times > 1:
                self.stage.broke(Breach.TOLD_TWICE, f"{self.who} is told twice of one end: {status.message}")

    async def _use(self) -> None:
        try:
            async with self._wanted as given:
                self.leases = (given,) if isinstance(given, Lease) else given
                self.has_s = self.stage.now_s
                hears = (self._reads, self._waits_for_its_end)
                self._listening = [
                    asyncio.create_task(each(lease)) for each in hears for lease in self.leases
                ]
                try:
                    await self._leaves.wait()
                finally:
                    if self.stays_s and not self._leaves.is_set():
                        await asyncio.sleep(self.stays_s)
        except (ResourceUnavailable, ResourceFailed, Preempted) as error:
            self.error = error
        finally:
            self.over_s = self.stage.now_s

    async def _reads(self, lease: Lease) -> None:
        """Whoever reads a lease's statuses is told what its handler is told."""
        before = len([each for _, each in self.statuses if each.lease_id == lease.id])
        heard: list[Status] = []
        async for status in lease.statuses():
            heard.append(status)
        told = [each for _, each in self.statuses if each.lease_id == lease.id][before:]
        if heard != told:
            self.stage.broke(Breach.UNTOLD, f"{self.who} reads {heard}, and is told {told}")

    async def _waits_for_its_end(self, lease: Lease) -> None:
        """Whoever waits for a lease's failure is told it, or that the lease was left without one."""
        failed: Status | None = None
        with suppress(LeaseError):
            failed = await lease.failed()
        fatal = [each for _, each in self.statuses if each.lease_id == lease.id and each.severity is _FATAL]
        if ([failed] if failed is not None else []) != fatal:
            self.stage.broke(Breach.UNTOLD, f"{self.who} waits for {failed}, and is told {fatal}")


class HistoryStage:
    """Some registrars on a transport of their own, in virtual time. Leave it (`async with`): all is judged.

    make_folder: of the disk, if anybody needs it. beat_s: of heartbeats; None: all are in one process.
    """

    def __init__(
        self,
        lots: random.Random,
        make_folder: Callable[[], Path],
        *,
        beat_s: float | None = None,
        network: Network = Network.STEADY,
    ) -> None:
        self.lots = lots
        self._make_folder = make_folder
        self.network = network
        self._network_lots = random.Random(lots.random())
        self.transport = (WireTransport if network is Network.BYTES else StageTransport)(beat_s=beat_s)
        self.interlock: Interlock | None = None
        self.registrars: dict[str, ResourceRegistrar] = {}
        self.things: dict[Request, Thing] = {}
        self.users: list[User] = []
        self.latency_s = 0.0
        self.lost = 0.0
        self.cut: set[str] = set()
        self.somebody_is_gone = False
        self.fate: Callable[[str, str, Message], tuple[float, ...] | None] = lambda *_: None
        self.sent: list[tuple[float, str, str, Message]] = []
        self._broken: list[Broke] = []
        self._stacks: dict[str, AsyncExitStack] = {}
        self._offers: dict[str, list[tuple[type, dict[str, float]]]] = {}
        self._entries: dict[str, list[JournalEntry]] = {}
        if beat_s is not None:
            self.latency_s = lots.uniform(0.0002, 0.004)
            self.transport.disturb = self._carried

    @cached_property
    def folder(self) -> Path:
        """On the disk; most histories need none, and to make one and remove it takes longer than they do."""
        return self._make_folder()

    @property
    def now_s(self) -> float:
        """Virtual time."""
        return asyncio.get_running_loop().time()

    def broke(self, breach: Breach, words: str) -> None:
        """Seen where nothing may be raised."""
        self._broken.append(Broke(breach, words))

    async def __aenter__(self) -> HistoryStage:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await self._all_leave()
                self.judge()
        finally:
            for user in self.users:
                user.task.cancel()
            self.transport.disturb = None
            for name in reversed(tuple(self._stacks)):
                await self._stacks.pop(name).aclose()
            await asyncio.gather(*(user.task for user in self.users), return_exceptions=True)

    def judge(self) -> None:
        """Raises what was seen."""
        if self._broken:
            raise self._broken[0]

    async def _all_leave(self) -> None:
        """Everybody leaves, and nothing is left of anything."""
        self.lost, self.cut, self.fate = 0.0, set(), lambda *_: None
        stay_s = 0.0
        for user in self.users:
            if not user.task.done():
                stay_s = max(stay_s, user.stays_s)
                user.leave()
        for thing in self.things.values():
            thing.stop_s = 0.0 if thing.stop_s is None else thing.stop_s
        await asyncio.sleep(EMPTY_WITHIN_S + stay_s)
        for user in self.users:
            must(user.task.done(), f"{user.who} never hears of an end", Breach.NEVER_ENDED)
            wrong = None if user.task.cancelled() else user.task.exception()
            if wrong is not None:
                raise wrong
            must(user.hears_nothing_more, f"who listens to what {user.who} had waits for ever", NEVER_ENDED)
        for registrar in self.registrars.values():
            view = registrar.snapshot()
            left = [f"{each.request} ({each.state})" for each in view.resources]
            must(not left, f"{registrar.name} still has {', '.join(left)}", Breach.LEAKED)
            leases = [f"{each.side} {each.request} for {each.who}" for each in view.leases]
            must(not leases, f"{registrar.name} still knows leases: {', '.join(leases)}", Breach.DANGLING)
        if not self.somebody_is_gone:
            self._judge_journals()
        for thing in self.things.values():
            must(not thing.is_up, f"{label(thing.request)} is up for nobody", Breach.LEAKED)
            must(not thing.is_moving, f"{label(thing.request)} moves for nobody", Breach.SURPRISE_MOTION)

    def _judge_views(self) -> None:
        """Whoever looks at a registrar sees what everybody has of it, and what is up for them."""
        if self.cut or self.lost or self.somebody_is_gone:
            return  # then those that look see what there was
        for name, registrar in self.registrars.items():
            view = registrar.snapshot()
            leases = {each.id: each for each in view.leases}
            for user in self.users:
                if user.at != name or not user.has_it or not all(each.is_granted for each in user.leases):
                    continue
                for lease in user.leases:
                    seen = leases.get(lease.id)
                    must(seen is not None, f"what {user.who} has is not shown", UNTOLD)
                    assert seen is not None
                    what = (seen.who, seen.request, seen.exclusive, seen.generation, seen.priority)
                    has = (user.who, lease.request, lease.held.exclusive, lease.generation, lease.priority)
                    must(what == has, f"what {user.who} has is shown as {seen}", UNTOLD)
                    must(seen.phase in ("granted", "ready"), f"{user.who} has what is {seen.phase}", UNTOLD)
            for each in view.resources:
                thing = self.things.get(each.request)
                masters = [user for user in self.users if user.has_it and user.requests == (each.request,)]
                having = {
                    user.lease.id for user in masters if user.lease.is_granted and user.lease.generation
                }
                must(not having or having == {each.holder}, f"{having} have it, and {each.holder} is shown")
                if thing is not None and each.state == "failed" and thing.said_to_fail:
                    is_said = thing.said_to_fail in each.detail
                    must(is_said, f"{label(each.request)} is shown to fail for {each.detail!r}", UNTOLD)

    def _judge_journals(self) -> None:
        """What was done is written down, in its order, once: who was given what, and what came up for it."""
        granted: dict[str, list[JournalEntry]] = {}
        came_up: dict[Request, int] = {}
        for name, registrar in self.registrars.items():
            entries = list(registrar.journal.entries())
            must(entries == self._entries[name], f"the journal of {name} is not what was heard", UNTOLD)
            times = [each.at_s for each in entries]
            must(times == sorted(times), f"the journal of {name} is not in order", UNTOLD)
            for entry in entries:
                if entry.deed is JournalKind.GRANT:
                    granted.setdefault(entry.lease, []).append(entry)
                elif entry.deed is JournalKind.READY:
                    came_up[entry.request] = came_up.get(entry.request, 0) + 1
        for request, thing in self.things.items():
            times_up, written = len(thing.came_up_s), came_up.get(request, 0)
            must(times_up == written, f"{label(request)} came up {times_up} times, written {written}", UNTOLD)
        for user in self.users:
            for lease in user.leases:
                found = granted.get(lease.id, [])
                what = f"{user.who} was given {label(lease.request)}"
                must(len(found) == 1, f"{what}: written {len(found)} times", UNTOLD)
                must(found[0].who == user.who, f"{what}: written for {found[0].who}", UNTOLD)
                must(found[0].generation == lease.generation, f"{what}: with another number", UNTOLD)

    # -- who is there

    async def enter(self, name: str, *, durable: bool = False) -> ResourceRegistrar:
        """A registrar, which provides what was offered under its name before."""
        registrar = ResourceRegistrar(
            name, self.transport, catalog=self.folder / name if durable else None, interlock=self.interlock
        )
        stack = self._stacks[name] = AsyncExitStack()
        offers = self._offers.get(name, ())
        is_ready = self._network_lots.random() < 0.5  # all is provided before anybody sees that it is there
        for kind, policy in offers if is_ready else ():
            self._provide(registrar, kind, policy)
        await stack.enter_async_context(registrar)
        self.registrars[name] = registrar
        self._entries[name] = []
        registrar.journal.listen(self._entries[name].append)
        for kind, policy in () if is_ready else offers:
            self._provide(registrar, kind, policy)
        return registrar

    def offer(self, at: str, kind: type, **policy: float) -> None:
        """Have it provided there; what it takes to bring a thing up is the thing's own."""
        self._offers.setdefault(at, []).append((kind, policy))
        if at in self.registrars:
            self._provide(self.registrars[at], kind, policy)

    def _provide(self, registrar: ResourceRegistrar, kind: type, policy: dict[str, float]) -> None:
        def provider(request: Request, supply: Supply) -> AbstractAsyncContextManager[str]:
            return self.thing(request).life(registrar, request, supply)

        registrar.provides(kind, **policy)(provider)

    async def leaves(self, name: str) -> None:
        """In order."""
        self.somebody_is_gone = True
        await self._stacks.pop(name).aclose()
        del self.registrars[name]

    def kill(self, name: str) -> None:
        """With no word to anybody."""
        self.somebody_is_gone = True
        del self._stacks[name]
        registrar = self.registrars.pop(name)
        for user in [each for each in self.users if each.at == name]:
            self.users.remove(user)
            user.task.cancel()
        for request, thing in self.things.items():
            if any(type(request) is kind for kind, _ in self._offers.get(name, ())):
                thing.is_up = thing.is_moving = False  # what it ran ends with it
                thing.has_crashed = True
        vanish(registrar)

    def thing(self, request: Request, *needs: tuple[Request, dict[str, Any]]) -> Thing:
        """What it is made of; by default nothing."""
        if request not in self.things:
            self.things[request] = Thing(self, request, needs)
        return self.things[request]

    def is_wanted(self, request: Request) -> bool:
        """Whether somebody wants it, or something that stands on it; or did so just now."""
        if not self.users or self.somebody_is_gone or self.lost or self.cut:
            return True  # then nobody knows, or others than users want it
        recent_s = self.now_s - 0.1
        to_see = [
            each
            for user in self.users
            if user.over_s is None or user.over_s >= recent_s
            for each in user.requests
        ]
        wanted: set[Request] = set()
        while to_see:
            if (each := to_see.pop()) not in wanted:
                wanted.add(each)
                to_see += [need for need, _ in (self.things[each].needs if each in self.things else ())]
        return request in wanted

    def below_goes_last(self, above: Thing, need: Request) -> None:
        """What it stands on is there until it has stopped."""
        below = self.things[need]
        if any(thing.stop_s is None or thing.has_hung for thing in self.things.values()):
            return  # what hangs above is waited for so long and no longer
        if self.cut or (self.somebody_is_gone and self.transport.beat_s is not None):
            return  # where somebody has gone silent, all that was for them ends in one window
        if not below.is_up and not below.has_crashed:
            self.broke(Breach.UPBRINGING, f"{label(need)} went down under {label(above.request)}")

    def user(self, at: str, *requests: Request, who: str = "", **wishes: Any) -> User:
        """Somebody asks for this."""
        user = User(self, self.registrars[at], requests, who or f"{at} {len(self.users)}", **wishes)
        user.at = at
        self.users.append(user)
        return user

    def permit(self, plan: str) -> Permit:
        """A plan's, as it is now."""
        assert self.interlock is not None
        return self.interlock.permit(plan)

    # -- what is between them

    async def settle(self, for_s: float = SETTLES_S) -> None:
        """All that was said arrives."""
        await asyncio.sleep(for_s + 12 * self.latency_s)
        self._judge_views()
        self.judge()

    def _said_by_a_stranger(self, to: str, message: Message) -> None:
        """Soon, and once more later. What is asked for is asked for by anybody, and beats are one's own."""
        if isinstance(message, _ONE_S_OWN):
            return
        loop = asyncio.get_running_loop()
        for late_s in (self.latency_s / 2, self._network_lots.uniform(0.0, 0.3)):
            loop.call_later(late_s, self._arrives, to, message)

    def _arrives(self, to: str, message: Message) -> None:
        link = self.transport.links.get(to)
        if link is not None:
            link.receive(STRANGER, message)

    def _carried(self, sender: str, to: str, message: Message) -> tuple[float, ...]:
        self.sent.append((self.now_s, sender, to, message))
        if sender == to:
            return (0.0,)
        if sender in self.cut or to in self.cut:
            return ()
        later_s = self.fate(sender, to, message)
        if later_s is not None:
            return tuple(self.latency_s + each for each in later_s)
        if self.lost:
            fate = self.lots.random()
            times = 0 if fate < self.lost else 2 if fate < 2 * self.lost else 1
            return tuple(self.latency_s + self.lots.uniform(0.0, 0.04) for _ in range(times))
        match self.network:
            case Network.DOUBLED:
                return (self.latency_s, self.latency_s + self._network_lots.choice((0.0, 0.001, 0.03)))
            case Network.STRANGE:
                self._said_by_a_stranger(to, message)
                return (self.latency_s,)
            case Network.JUMBLED:
                return (self._network_lots.uniform(0.0, 2 * self.latency_s),)
            case _:
                return (self.latency_s,)
