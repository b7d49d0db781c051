"""Registrars on several machines that a network joins badly, parts and joins again, while everybody goes on.

Nothing here is about one thing that goes wrong. Clients ask, command, leave, give up, hang, vanish and come back;
things fail and are unwell; managers are restarted; and all the while the network does what one may do
(`machines`). All the time nothing may be so that must never be; and when the network has been whole for a while
all has to be as if it always had been.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

from framework.errors import LeaseError
from framework.interlock import Interlock
from framework.registrar.effects import JournalKind
from framework.registrar.fencing import CommandGate
from framework.registrar.journal import JournalEntry
from framework.registrar.snapshot import LeaseView
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity
from framework.transport.messages import Release
from pilothouse.testbed.histories.breaches import Broke, must
from pilothouse.testbed.histories.distance import RECONFIRMED_S, REPAIRED_S
from pilothouse.testbed.histories.machines import MachinesTransport, Order
from pilothouse.testbed.histories.overheard import Overheard
from pilothouse.testbed.histories.stage import BEAT_S, WINDOW_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Request, Thing, Tower, label
from pilothouse.testbed.histories.users import User

ARMS: Final = (Asked("left"), Asked("right"))
LAMP: Final = Base("lamp")
TOWER: Final = Tower("left")
GRACE_S: Final = 0.5
LOOKS_S: Final = 0.025
ROUNDED_S: Final = 0.02
MOST_LATE_S: Final = 0.25
"""A command that is older than this is obeyed by nobody (`Thing.gate`)."""

FATAL: Final = Severity.FATAL
UNTOLD: Final = Breach.UNTOLD
MOTION: Final = Breach.SURPRISE_MOTION


class Wires:
    """A stage of machines: who provides what, who asks, and what must hold of it at any time."""

    def __init__(self, stage: HistoryStage, order: Order) -> None:
        stage.transport = self.transport = MachinesTransport(stage.lots, BEAT_S)
        stage.latency_s = 0.0
        stage.somebody_is_gone = True  # so what each should see is judged here, and not by the stage
        self.transport.order = order
        self.late_s = stage.lots.choice((0.0, 0.0, 0.02, 0.3))
        self.is_stubborn = stage.lots.random() < 0.5
        self.stage = stage
        self.overheard = Overheard(stage, self.transport)
        self.clients: tuple[str, ...] = ()
        self.durable: set[str] = set()
        self.entered_s: dict[str, float] = {}
        self.ended_s: dict[User, float] = {}
        self.timeouts_s: dict[User, float] = {}
        self.well: dict[tuple[Request, int], Severity] = {}
        self.handles: dict[tuple[Request, int], str] = {}
        self.gone: set[str] = set()
        self.is_whole_s: float | None = None
        self._asked = 0
        self._asks_again: set[User] = set()
        self._left: set[User] = set()
        self._wishes: dict[User, dict[str, Any]] = {}
        self._commands = 0
        self._by: dict[bytes, tuple[User, float]] = {}
        self._looked_at: dict[Request, int] = {}
        self._obeyed: dict[Request, bytes] = {}
        self._looking: asyncio.Task[None] | None = None

    # -- who is there

    async def enter(self, name: str) -> None:
        """A machine, with a registrar."""
        self.gone.discard(name)
        self.entered_s[name] = self.stage.now_s
        await self.stage.enter(name, durable=name in self.durable)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_all_the_time())

    def kill(self, name: str) -> None:
        """A machine is gone, without a word."""
        for user in [each for each in self.stage.users if each.at == name]:
            self.ends(user)
        self.gone.add(name)
        self.stage.kill(name)
        self._drivers_end(name)

    async def closes(self, name: str) -> None:
        """A machine is left in order: everybody there ends, and gives back what they have."""
        for user in [each for each in self.stage.users if each.at == name]:
            self.ends(user)
        self.gone.add(name)
        await self.stage.leaves(name)
        self._drivers_end(name)

    def _drivers_end(self, name: str) -> None:
        """Where no catalog is kept, the next one counts anew, with drivers that have heard of nobody."""
        for thing in self.stage.things.values():
            if name not in self.durable and self.server_of(thing.request) == name:
                thing.gate = CommandGate(max_age_s=MOST_LATE_S)

    def server_of(self, request: Request) -> str:
        """Who provides it."""
        return "tools" if isinstance(request, Tower) else "robot"

    # -- what people do

    def asks(self, at: str, *requests: Request, **wishes: Any) -> User:
        """Somebody asks."""
        self._asked += 1
        user = self.stage.user(at, *requests, **{"who": f"{at} {self._asked}", **wishes})
        self._wishes[user] = wishes
        if (timeout_s := wishes.get("timeout_s")) is not None:
            self.timeouts_s[user] = timeout_s
        return user

    def asks_something(self) -> User | None:
        """Somebody asks for something; None: nobody is there."""
        lots = self.stage.lots
        wanted: list[tuple[Request, ...]] = [(ARMS[0],), (ARMS[0],), (ARMS[1],), (LAMP,), (ARMS[0], LAMP)]
        if "tools" in self.stage.registrars:
            wanted += [(TOWER,), (TOWER,)]
        here = [name for name in self.clients if name not in self.gone]
        if not here:
            return None
        return self.asks(
            lots.choice(here),
            *lots.choice(wanted),
            exclusive=lots.random() < 0.75,
            wait=lots.random() < 0.75,
            priority=lots.choice((Priority.AUTONOMY, Priority.AUTONOMY, *Priority)),
            timeout_s=lots.choice((0.15, 0.6, 3.0, None, None)),
            stays_s=lots.choice((0.0, 0.0, 0.0, 0.2, 3.0)),
        )

    def asks_again(self) -> None:
        """Who has just lost something asks for it again, even before they have left it."""
        for user in self.stage.users:
            if user in self._asks_again or (user.told_s is None and user.over_s is None):
                continue
            self._asks_again.add(user)
            if self.is_stubborn and user.has_s and user not in self._left and user.at not in self.gone:
                self.asks(user.at, *user.requests, **self._wishes[user])

    def changes_their_mind(self) -> None:
        """Somebody asks for something, and does not want it any more at once."""
        if (user := self.asks_something()) is not None:
            late_s = self.stage.lots.choice((0.0, 0.002, 0.02))
            asyncio.get_running_loop().call_later(late_s, self.leaves, user)

    def ends(self, user: User) -> None:
        """From now on nothing is to move for this one."""
        self.ended_s.setdefault(user, self.stage.now_s)

    def leaves(self, user: User, *, by_word: bool = False) -> None:
        """Somebody has done what they wanted, or gives up waiting."""
        self._left.add(user)
        if user.told_s is None:  # else they have heard of an end already, and leave when they can
            self.ends(user)
        user.leave(by_word=by_word)

    def somebody_leaves(self) -> None:
        """Whoever has something, or waits."""
        there = [user for user in self.stage.users if user not in self.ended_s and user.over_s is None]
        if there:
            self.leaves(self.stage.lots.choice(there))

    def commands(self) -> None:
        """Everybody who has something moves it."""
        for user in self.stage.users:
            if user.has_it and user.lease.held.exclusive and user not in self.ended_s:
                self._commands += 1
                payload = f"{user.who} {self._commands}".encode()
                self._by[payload] = (user, self.stage.now_s)
                with suppress(LeaseError):  # it is lost already, and about to be told
                    user.send(payload)

    def something_happens(self) -> None:
        """To a thing."""
        lots = self.stage.lots
        views = [view for each in self.stage.registrars.values() for view in each.snapshot().resources]
        ready = [view.request for view in views if view.state in ("ready", "degraded")]
        for thing in self.stage.things.values():
            # What is being put away again after a start that failed may be asked for no more meanwhile.
            is_broken = not thing.stop_s and lots.random() < 0.1
            thing.breaks = "it does not start" if is_broken else ""
        up = [thing for thing in self.stage.things.values() if thing.request in ready and thing.is_up]
        if not up:
            return
        thing = lots.choice(up)
        assert thing.supply is not None
        life = thing.request, thing.lives
        match lots.choice(("fails", "warns", "well", "new")):
            case "fails":
                thing.fail(f"it broke {self.stage.now_s:.3f}")
            case "warns":
                self.well[life] = Severity.WARNING
                thing.supply.report(Severity.WARNING, f"it flickers {self.stage.now_s:.3f}")
            case "well":
                self.well[life] = Severity.OK
                thing.supply.report(Severity.OK, f"it is well {self.stage.now_s:.3f}")
            case _:
                self.well.pop(life, None)  # who was told that it is not well may believe either
                self.handles[life] = f"handle {self.stage.now_s:.3f}"
                thing.supply.update(self.handles[life], "it has changed")

    # -- what the network does

    def weather(self) -> None:
        """Some ways become bad, some good."""
        lots = self.stage.lots
        names = [*self.stage.registrars]
        ways = [(one, other) for one in names for other in names if one != other]
        for way in ways:
            self.transport.worsen(
                [way], lost=lots.choice((0.0, 0.0, 0.2, 0.5, 1.0)), late_s=lots.choice((0.0, self.late_s))
            )

    def parts(self) -> None:
        """Some machines from all others."""
        lots = self.stage.lots
        names = [*self.stage.registrars]
        some = lots.sample(names, lots.randint(1, len(names) - 1))
        others = [name for name in names if name not in some]
        longest_s = lots.choice((0.1, 0.6, 10.0))
        self.transport.part(some, others, lambda: lots.uniform(0.0, longest_s))

    def is_joined(self) -> None:
        """All is well again."""
        lots = self.stage.lots
        longest_s = lots.choice((0.02, 0.5))
        self.transport.join_again(lambda: lots.uniform(0.0, longest_s))

    # -- what must hold all the time

    async def _look_all_the_time(self) -> None:
        while True:
            await asyncio.sleep(LOOKS_S)
            try:
                self._look()
            except Broke as broke:
                self.stage.broke(broke.breach, str(broke))
                return

    def _look(self) -> None:
        now_s = self.stage.now_s
        for user in self.stage.users:
            until_s = user.asked_s + self.timeouts_s.get(user, 1e9) * len(user.requests) + ROUNDED_S
            must(not user.waits or now_s <= until_s, f"{user.who} waits on after its time", Breach.NEVER_ENDED)
            self._judge_silence_for(user)
        for name in self.stage.registrars:
            self._judge_silence_at(name)
        for thing in self.stage.things.values():
            self._judge_motion(thing)
            self._judge_obeyed(thing)

    def _judge_silence_for(self, user: User) -> None:
        """Who hears nothing of whom they have something from, or wait for, is told so in time."""
        if not (user.has_it or user.waits) or user in self.ended_s:
            return
        if user.waits and len(user.requests) > 1:
            return  # they may be about to ask for the second one
        server = self.server_of(user.requests[0])
        if server in self.durable or server == user.at:
            return
        since_s = min(
            self.overheard.silent_s(server, user.at),
            self.stage.now_s - max(user.asked_s, user.has_s or 0.0),
        )
        what = "has something of" if user.has_it else "waits for"
        words = f"{user.who} {what} {server}, has heard nothing of it for {since_s:.3f} s, and is not told"
        must(since_s <= WINDOW_S + ROUNDED_S, words, UNTOLD if user.has_it else Breach.NEVER_ENDED)

    def _judge_silence_at(self, server: str) -> None:
        """What somebody has who is not heard of any more is nobody's in time."""
        now_s = self.stage.now_s
        if now_s - self.entered_s[server] < 6.0 and server in self.durable:
            return  # they have more time to be heard of after a restart
        for view in self.stage.registrars[server].snapshot().leases:
            if view.side != "lent" or view.client == server:
                continue
            since_s = min(
                self.overheard.silent_s(view.client, server),
                now_s - self.overheard.asked_s(server, view.id),
            )
            words = f"{server} keeps {view.request} for {view.who}, silent for {since_s:.3f} s"
            must(since_s <= WINDOW_S + ROUNDED_S, words, Breach.DANGLING)

    def _judge_motion(self, thing: Thing) -> None:
        """What nobody has any more comes to rest within one window, whatever is lost."""
        if not thing.is_moving or not thing.obeyed:
            return
        _, lease, payload = thing.obeyed[-1]
        user, _ = self._by[payload]
        if thing.request not in user.requests:
            return  # what stands on it may go on for others
        told_s = [at_s for at_s, each in user.statuses if each.severity is FATAL and each.lease_id == lease]
        ends_s = [*told_s, *(each for each in (self.ended_s.get(user), user.over_s) if each is not None)]
        if not ends_s:
            return
        ended_s = min(ends_s)
        within_s = WINDOW_S + self.transport.most_late_s + (thing.rest_s or 0.0) + ROUNDED_S
        if told_s:
            within_s += GRACE_S  # whoever is thrown out has so long to leave by themselves
        late_s = self.stage.now_s - ended_s
        words = f"{label(thing.request)} moves on for {late_s:.2f} s after {user.who} has had it"
        must(late_s <= within_s, words, MOTION)

    def _judge_obeyed(self, thing: Thing) -> None:
        """Each command is obeyed once, in order, soon, and while it is the present holder's."""
        if thing.rest_s is None:
            return
        for at_s, lease, payload in thing.obeyed[self._looked_at.get(thing.request, 0) :]:
            user, sent_s = self._by[payload]
            what = f"{label(thing.request)} obeys {payload.decode()}"
            must(at_s - sent_s <= MOST_LATE_S + ROUNDED_S, f"{what}, {at_s - sent_s:.2f} s old", MOTION)
            before = [holder for since_s, holder in thing.holders if since_s < at_s][-1:]
            holders = [*before, *(holder for since_s, holder in thing.holders if since_s == at_s)]
            must(lease in holders, f"{what}, of {lease}; {holders} have it", Breach.CONTENTION)
            last = self._obeyed.get(thing.request, b" 0")
            is_in_order = int(payload.split()[-1]) > int(last.split()[-1])
            must(is_in_order or user is not self._by.get(last, (None,))[0], f"{what} after {last!r}", MOTION)
            self._obeyed[thing.request] = payload
        self._looked_at[thing.request] = len(thing.obeyed)

    # -- what must hold at rest

    async def rest(self) -> None:
        """All is joined again, and after a while nothing is left of what has happened on the way."""
        self.is_joined()
        await self.stage.settle(REPAIRED_S + self.transport.most_late_s + 1.0)
        self._judge_wishes()
        self._judge_books()
        for request, thing in self.stage.things.items():
            if thing.is_up and thing.came_up_s:
                self._judge_condition(thing)
            masters = [view for view in self._leases("lent") if view.request == request and view.generation]
            must(masters or not thing.is_moving, f"{label(request)} moves for nobody", MOTION)
        for user in self.stage.users:
            told = {status.lease_id for _, status in user.statuses if status.lease_id}
            must(len(told) <= len(user.requests), f"{user.who} is told of {sorted(told)}", Breach.CONTENTION)

    @property
    def wanted(self) -> tuple[Request, ...]:
        """All that can be asked for now."""
        return (*ARMS, LAMP, *((TOWER,) if "tools" in self.stage.registrars else ()))

    async def works(self) -> None:
        """All that was wanted is given back; then everybody can have everything, and is obeyed."""
        stage = self.stage
        for user in stage.users:
            if user.over_s is None:
                self.leaves(user)
        for thing in stage.things.values():
            thing.breaks = ""
        await stage.settle(4.0)  # also who hangs has left by now
        for at in self.clients:
            if at in self.gone:
                continue
            for request in self.wanted:
                user = self.asks(at, request, exclusive=True)
                await stage.settle(0.8)
                must(user.has_it, f"{user.who} does not get {label(request)}: {user.error!r}")
                self.commands()
                await stage.settle(0.1)
                (obeyed,) = stage.things[request].obeyed[-1:] or [(0.0, "", b"")]
                refused = stage.things[request].refused[-1:]
                must(obeyed[1] == user.lease.id, f"{user.who} is not obeyed by {label(request)}: {refused}")
                self.leaves(user)
                await stage.settle(0.8)
                must(not stage.things[request].is_up, f"{label(request)} is up for nobody", Breach.LEAKED)

    def _leases(self, side: str) -> list[LeaseView]:
        views = [view for each in self.stage.registrars.values() for view in each.snapshot().leases]
        return [view for view in views if view.side in (side, "both")]

    def _judge_wishes(self) -> None:
        """What is up is somebody's, who has it knows so, and nobody waits for what is free."""
        for request, thing in self.stage.things.items():
            mine = [user for user in self.stage.users if request in user.requests and user.has_it]
            masters = [user.who for user in mine if user.lease.held.exclusive]
            must(len(masters) <= 1, f"{label(request)} has {len(masters)} masters: {masters}")
            must(thing.is_up or not mine, f"{[user.who for user in mine]} have {label(request)}, not up")
        queued = {view.who for view in self._leases("lent") if view.phase == "queued"}
        for user in self.stage.users:
            is_plain = len(user.requests) == 1 and not isinstance(user.requests[0], Tower)
            is_known = not user.waits or not is_plain or user.who in queued
            must(is_known, f"{user.who} waits, and nobody knows of it", Breach.NEVER_ENDED)
        for registrar in self.stage.registrars.values():
            for view in registrar.snapshot().resources:
                is_going = view.state in ("stopping", "failed")
                must(view.leases or is_going, f"{view.request} is up for nobody", Breach.LEAKED)
                must(view.holder or not view.waiting, f"{view.request} is nobody's, and is waited for")

    def _judge_books(self) -> None:
        """What is lent is held, and the other way round; both sides say the same of it."""
        held = {view.id: view for view in self._leases("held")}
        lent = {view.id: view for view in self._leases("lent")}
        # Of what is over for somebody who has not left yet, or leaves just now, one side alone may know.
        theirs = {view.id for view in lent.values() if view.phase != "ended"}
        wanted = {view.id for view in held.values() if view.phase != "failed"}
        only = sorted((theirs - held.keys()) | (wanted - lent.keys()))
        must(not only, f"known to one end only: {only}", Breach.DANGLING)
        for lease in wanted:
            mine, other = held[lease], lent[lease]
            says = (mine.who, mine.exclusive, mine.priority, mine.phase == "granted")
            says_there = (other.who, other.exclusive, other.priority, other.phase == "granted")
            must(says == says_there, f"one side says {mine}, the other {other}", Breach.DANGLING)
            is_same = mine.phase != "granted" or mine.generation == other.generation
            must(is_same, f"one side says {mine}, the other {other}", Breach.DANGLING)
        for registrar in self.stage.registrars.values():
            for resource in registrar.snapshot().resources:
                if resource.holder in lent:
                    queue = [lent[lease] for lease in resource.waiting]
                    self._judge_queue(lent[resource.holder], queue)

    def _judge_queue(self, holder: LeaseView, queue: list[LeaseView]) -> None:
        """It is in its order, and who waits knows for whom, and as which one."""
        # What somebody has only reserved for more to come is taken from nobody.
        ranks = [view.priority for view in (holder, *queue) if view.phase != "reserved"]
        must(ranks == sorted(ranks, reverse=True), f"{[view.who for view in queue]} wait as {ranks}")
        pending = {view.who for view in self._leases("lent") if view.phase == "pending"}
        for number, view in enumerate(queue, 1):
            for user in self.stage.users:
                is_theirs = user.who == view.who and user.at == view.client
                is_below = view.client == "tools" and user.requests == (TOWER,) and user.who in pending
                if user.waits and user.wait and (is_theirs or is_below) and len(user.requests) == 1:
                    place = (holder.who, number)
                    must(user.place == place, f"{user.who} is told {user.place}, not {place}", UNTOLD)

    def _judge_condition(self, thing: Thing) -> None:
        """Who has it knows how it is, or what it stands on, and its handle."""
        below = [self.stage.things[need] for need, _ in thing.needs]
        said = [self.well.get((each.request, each.lives)) for each in (thing, *below)]
        is_well = max((each for each in said if each is not None), default=Severity.OK)
        is_new = any((each.request, each.lives) in self.handles for each in (thing, *below))
        handle = self.handles.get((thing.request, thing.lives), f"handle of {label(thing.request)}")
        for user in self.stage.users:
            if not user.has_it or user.requests != (thing.request,):
                continue
            value = user.lease.value
            must(value == handle, f"{user.who} has {value} of {label(thing.request)}, not {handle}", UNTOLD)
            spoken = [
                status.severity
                for _, status in user.statuses
                if status.severity is not Severity.UPDATE and not status.reason.place
            ]
            believed = (spoken or [Severity.OK])[-1]
            words = f"{user.who} believes {label(thing.request)} to be {believed}, it is {is_well}"
            must(believed is is_well or (is_new and is_well is Severity.OK), words, UNTOLD)


async def manned(
    stage: HistoryStage, *, durable: bool = False, clients: tuple[str, ...] = (), has_tools: bool = False
) -> Wires:
    """One manager of arms and a lamp, perhaps one of what stands on an arm, and two or three clients."""
    lots = stage.lots
    wires = Wires(stage, lots.choice(list(Order)))
    if durable:
        wires.durable = {"robot"}
    await wires.enter("robot")
    stage.offer("robot", Asked, preempt_grace_s=GRACE_S)
    stage.offer("robot", Base)
    for each in ARMS:
        arm = stage.thing(each)
        arm.rest_s = lots.choice((0.0, 0.1, 0.3))
        arm.start_s = lots.choice((0.0, 0.0, 0.3))
        arm.stop_s = lots.choice((0.0, 0.0, 0.2))
    if has_tools or lots.random() < 0.5:
        await wires.enter("tools")
        stage.offer("tools", Tower, preempt_grace_s=GRACE_S)
        stage.thing(TOWER, (ARMS[0], {"exclusive": True})).rest_s = 0.0
    wires.clients = clients or ("a", "b", "c")[: lots.randint(2, 3)]
    for name in wires.clients:
        await wires.enter(name)
    if "tools" in stage.registrars and not clients and lots.random() < 0.5:
        wires.clients += ("tools",)
    await stage.settle(0.2)
    return wires


async def goes_on(wires: Wires, for_s: float, *deeds: str) -> None:
    """Everybody does what they do for so long, and the network what it does."""
    stage, lots = wires.stage, wires.stage.lots
    until_s = stage.now_s + for_s
    while stage.now_s < until_s:
        match lots.choice(("asks", "asks", "changes", "leaves", "leaves", "happens", *deeds)):
            case "asks":
                wires.asks_something()
            case "leaves":
                wires.somebody_leaves()
            case "happens":
                wires.something_happens()
            case "changes":
                wires.changes_their_mind()
            case "weather":
                wires.weather()
            case "parts":
                wires.parts()
            case "joins":
                wires.is_joined()
            case "vanishes":
                here = [name for name in wires.clients if name not in wires.gone]
                if len(here) > 1:
                    wires.kill(lots.choice(here))
            case "closes":
                here = [name for name in wires.clients if name not in wires.gone]
                if len(here) > 1:
                    await wires.closes(lots.choice(here))
            case "manager dies" if "robot" not in wires.gone:
                wires.kill("robot")
            case "manager is back" if "robot" in wires.gone:
                await wires.enter("robot")
            case "comes back" if wires.gone & set(wires.clients):
                await wires.enter(lots.choice(sorted(wires.gone & set(wires.clients))))
            case _:
                pass
        for _ in range(lots.randint(1, 4)):
            wires.asks_again()
            wires.commands()
            await stage.settle(lots.choice((0.0, 0.02, 0.1)))


async def lossy(stage: HistoryStage) -> None:
    """The network loses, in one direction or both, and is late."""
    wires = await manned(stage)
    for _ in range(2):
        await goes_on(wires, 2.0, "weather", "weather")
        await wires.rest()
    await wires.works()


async def parted(stage: HistoryStage) -> None:
    """Machines are parted and joined again, for moments or for so long that they give each other up."""
    wires = await manned(stage)
    for _ in range(2):
        await goes_on(wires, 2.5, "parts", "joins", "weather")
        await wires.rest()
    await wires.works()


async def vanishing(stage: HistoryStage) -> None:
    """Clients vanish and come back, also while they are parted from whoever they have something of."""
    wires = await manned(stage)
    for _ in range(2):
        await goes_on(wires, 2.5, "parts", "joins", "weather", "vanishes", "closes", "comes back", "comes back")
        await wires.rest()
    await wires.works()


async def restarted(stage: HistoryStage) -> None:
    """The manager is killed and started again, with its catalog or without, whatever the network does."""
    wires = await manned(stage, durable=stage.lots.random() < 0.7)
    for _ in range(2):
        await goes_on(wires, 2.5, "weather", "parts", "joins", "manager dies", "manager is back")
        wires.is_joined()
        if "robot" in wires.gone:
            await wires.enter("robot")
        await stage.settle(RECONFIRMED_S if wires.durable else 0.0)
        await wires.rest()
    await wires.works()


class Words:
    """Who has said what, and what was lost when, as it was heard where it counts.

    A hand that lets go by its word loses nothing, whichever of its messages gets there first. surely: what was
    lost for certain; perhaps: by a hand that had nothing yet, or a wire to what somebody moved.
    """

    def __init__(self, wires: Wires) -> None:
        self._wires = wires
        self._now = 0
        self._word: dict[str, int] = {}
        self._surely: dict[str, int] = {}
        self._perhaps: dict[str, int] = {}
        self._granted: set[str] = set()
        self.paused: set[str] = set()
        wires.overheard.on_release = self._heard
        for registrar in wires.stage.registrars.values():
            registrar.journal.listen(self._written)

    def says(self, plan: str) -> None:
        """An operator starts it, or lets it go on."""
        self._now += 1
        self._word[plan] = self._now

    def may(self, plan: str, device: str) -> bool | None:
        """Whether it moves by itself there; None: that cannot be told from outside."""
        word = self._word.get(plan, 0)
        if word <= self._surely.get(device, -1):
            return False
        return None if word <= self._perhaps.get(device, -1) else True

    def word(self, plan: str) -> int:
        """Which of all words and losses its last one was."""
        return self._word.get(plan, 0)

    def is_lost_since(self, word: int, device: str) -> bool:
        """Whether something may have been lost there since then."""
        return max(self._surely.get(device, -1), self._perhaps.get(device, -1)) >= word

    def loses(self, device: str, *, surely: bool = True) -> None:
        """A hand is lost there."""
        self._now += 1
        (self._surely if surely else self._perhaps)[device] = self._now

    def _heard(self, server: str, release: Release) -> None:
        """A hand lets go: it counts if it was still thought to have, or want, something."""
        if release.by_word or not release.lease.startswith("people:"):
            return
        for view in self._wires.stage.registrars[server].snapshot().leases:
            if view.id == release.lease:
                self.loses(view.request.device, surely=view.id in self._granted)

    def _written(self, entry: JournalEntry) -> None:
        """A hand is given something, or not heard of any more; or what moves by itself has failed."""
        if entry.deed is JournalKind.FAIL:
            self.loses(entry.request.device, surely=False)
        if not entry.lease.startswith("people:"):
            return
        if entry.deed is JournalKind.GRANT:
            self._granted.add(entry.lease)
        elif entry.deed is JournalKind.REAP:
            self.loses(entry.request.device, surely=entry.lease in self._granted)


class Moving:
    """Plans that move arms by themselves, and hands that take them from them, over wires."""

    def __init__(self, wires: Wires, interlock: Interlock) -> None:
        self._wires = wires
        self._interlock = interlock
        self._words = Words(wires)
        self._plans: dict[str, Asked | Tower] = {}
        self._asked_by: dict[User, int] = {}

    def look(self) -> None:
        """Who is refused for want of a word has asked before something was lost there."""
        for user in self._wires.stage.users:
            if user.permit is None:
                continue
            word = self._asked_by.setdefault(user, self._words.word(user.permit.plan))
            device = user.requests[0].device
            is_refused = user.over_s is not None and user.reason is ReasonKind.NEEDS_WORD
            words = f"{user.permit.plan} is refused {label(user.requests[0])}, where nothing was lost since its word"
            must(not is_refused or self._words.is_lost_since(word, device), words, Breach.KEEPING)

    def begins(self) -> None:
        """A plan, on an arm or on what stands on one."""
        plan = f"plan {len(self._plans)}"
        self._plans[plan] = self._wires.stage.lots.choice((*ARMS, TOWER))
        self.goes_on(plan)

    def goes_on(self, plan: str) -> None:
        """An operator says so."""
        self._words.says(plan)
        self._words.paused.discard(plan)
        self._interlock.suspend(plan, False)
        self._interlock.give_word(plan, by="ann")
        if not self._living(plan):
            self._asks(plan)

    def pauses(self, plan: str) -> None:
        """An operator says so: it keeps what it has."""
        self._words.paused.add(plan)
        self._interlock.suspend(plan, True)

    def takes(self, device: Asked) -> None:
        """Somebody takes an arm into their hand."""
        wires = self._wires
        here = [user for user in wires.stage.users if user.requests == (device,) and user.over_s is None]
        if not [user for user in here if user.at == "people"]:
            wires.asks("people", device, exclusive=True, wait=True, priority=Priority.OPERATOR)

    def lets_go(self) -> None:
        """They have done what they wanted, and say so, or not."""
        hands = [user for user in self._wires.stage.users if user.at == "people" and user.over_s is None]
        hands = [user for user in hands if user.has_it] or hands
        if hands:
            lots = self._wires.stage.lots
            self._wires.leaves(lots.choice(hands), by_word=lots.random() < 0.7)

    def something(self) -> None:
        """One of all that."""
        lots = self._wires.stage.lots
        plans = [*self._plans]
        match lots.choice(("begins", "word", "pauses", "takes", "takes", "lets go", "lets go", "weather", "weather")):
            case "begins":
                self.begins()
            case "word" if plans:
                self.goes_on(lots.choice(plans))
            case "pauses" if plans:
                self.pauses(lots.choice(plans))
            case "takes":
                moved = [request for request in self._plans.values() if request in ARMS]
                self.takes(lots.choice(moved or ARMS))
            case "lets go":
                self.lets_go()
            case "weather":
                self._wires.weather()
            case _:
                pass

    async def judge(self) -> None:
        """All has come to rest: who may move does, or waits for somebody who has it; nobody else does."""
        await self._wires.rest()
        self.look()
        for plan, request in self._plans.items():
            if self._words.may(plan, request.device) and not self._living(plan):
                self._asks(plan)
        await self._wires.stage.settle(1.5)
        self.look()
        for plan, request in self._plans.items():
            may = self._words.may(plan, request.device)
            living = self._living(plan)
            # What is not up yet is not known to move: who waits for that is refused when it is given.
            wrongly = [user for user in living if user.has_it or request in ARMS]
            words = f"{plan} has {label(request)}, or waits for it, without a word since it was lost"
            must(may is not False or not wrongly, words, MOTION)
            masters = [
                user
                for user in self._wires.stage.users
                if user.over_s is None and user.requests[0].device == request.device and user not in living
            ]
            words = f"{plan} has the word, and does not get {label(request)}, which is free"
            must(not may or masters or any(user.has_it for user in living), words, Breach.KEEPING)
            self._judge_rest(request)

    def _judge_rest(self, request: Request) -> None:
        """What moves for paused plans only is told to rest."""
        stage = self._wires.stage
        thing = stage.things.get(request)
        using = [user for user in stage.users if request in user.requests and user.over_s is None]
        views = [view for each in stage.registrars.values() for view in each.snapshot().resources]
        leases = {lease for view in views if view.request == request for lease in view.leases}
        if thing is None or thing.supply is None or leases != {l.id for user in using for l in user.leases}:
            return  # others want it, too
        if not using or not all(user.has_it for user in using):
            return
        plans = [user.permit.plan if user.permit is not None else "" for user in using]
        rests = set(plans) <= self._words.paused
        words = f"{plans} have {label(request)}, {sorted(self._words.paused)} are paused"
        told = thing.supply.is_suspended
        must(told is rests, f"{words}: it is told {told}", MOTION if rests else Breach.KEEPING)

    def _living(self, plan: str) -> list[User]:
        return [
            user
            for user in self._wires.stage.users
            if user.over_s is None and user.permit is not None and user.permit.plan == plan
        ]

    def _asks(self, plan: str) -> None:
        permit = self._wires.stage.permit(plan)
        self._wires.asks("plans", self._plans[plan], exclusive=True, wait=True, permit=permit)


async def spoken(stage: HistoryStage) -> None:
    """Hands and plans take things from each other, and words are lost on the way, or come late."""
    stage.interlock = Interlock(lambda device: ())
    wires = await manned(stage, clients=("people", "plans"), has_tools=True)
    wires.is_stubborn = True
    moving = Moving(wires, stage.interlock)
    for _ in range(2):
        for _ in range(stage.lots.randint(16, 30)):
            moving.something()
            for _ in range(stage.lots.randint(1, 4)):
                wires.asks_again()
                moving.look()
                wires.commands()
                await stage.settle(stage.lots.choice((0.0, 0.02, 0.1)))
        await moving.judge()


HISTORIES: Final = (
    History(lossy, BEAT_S, 8),
    History(parted, BEAT_S, 8),
    History(vanishing, BEAT_S, 8),
    History(restarted, BEAT_S, 8),
    History(spoken, BEAT_S, 8),
)
