"""What the histories of registrars are played on: registrars, users, and what each of them sees.

Nothing here knows how a registrar works. A `User` notes what it is told and when; a `Thing` when it came up,
who commanded it and when it came to rest; what must hold is said by the histories with `must`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from framework.interlock import Interlock, Permit
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.registrar.journal import JournalEntry
from framework.scenarios.invariants import Breach
from framework.testing.vanishing import vanish
from framework.transport.messages import Ask, Audit, Heartbeat, Holding, Message
from pilothouse.testbed.histories.breaches import Broke, must
from pilothouse.testbed.histories.networks import Network, StageTransport, WireTransport
from pilothouse.testbed.histories.things import Request, Thing, label
from pilothouse.testbed.histories.users import User

SETTLES_S: Final = 0.02
"""After so long all has been said where a message takes no time."""

WINDOW_S: Final = 0.25
"""What is silent for so long is told of (design: within 250 ms)."""

BEAT_S: Final = 0.1

EMPTY_WITHIN_S: Final = 12.0
"""After everybody has left, nothing is up any more; who stays behind is waited for besides."""

UNTOLD: Final = Breach.UNTOLD
NEVER_ENDED: Final = Breach.NEVER_ENDED
STRANGER: Final = "stranger"
_ONE_S_OWN: Final = (Ask, Heartbeat, Audit, Holding)


class History(NamedTuple):
    """How one is played. beat_s: of the heartbeats of its registrars; None: they are all in one process.

    times: so many for each seed of a campaign: what has more ways to go needs more of them. network: what it
    does to messages between registrars that changes nothing outside.
    """

    play: Callable[[HistoryStage], Awaitable[None]]
    beat_s: float | None = None
    times: int = 1
    network: Network = Network.STEADY


def arrives(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
    """Nothing in particular becomes of a message."""
    return None


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
        self.fate: Callable[[str, str, Message], tuple[float, ...] | None] = arrives
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
        self.lost, self.cut, self.fate = 0.0, set(), arrives
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
        if self.cut or self.lost or self.somebody_is_gone or self.fate is not arrives:
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
