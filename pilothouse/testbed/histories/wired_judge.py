"""What must hold of machines that a network joins badly: all the time, and once it has been whole."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from types import TracebackType
from typing import Final

from framework.errors import ResourceUnavailable
from framework.registrar.snapshot import LeaseView, ResourceView
from framework.scenarios.invariants import Breach
from framework.status import ReasonKind, Severity
from pilothouse.testbed.histories.breaches import Broke, must
from pilothouse.testbed.histories.distance import RECONFIRMED_S, REPAIRED_S
from pilothouse.testbed.histories.stage import WINDOW_S
from pilothouse.testbed.histories.things import Request, Thing, Tower, label
from pilothouse.testbed.histories.users import User
from pilothouse.testbed.histories.wired import MOST_LATE_S, TOWER, WiredStage

GRACE_S: Final = 0.5
"""Who is thrown out has so long to leave by themselves."""

LOOKS_S: Final = 0.025
ROUNDED_S: Final = 0.02
FATAL: Final = Severity.FATAL
UNTOLD: Final = Breach.UNTOLD
MOTION: Final = Breach.SURPRISE_MOTION


class WiredJudge:
    """Looks at everything all the time while it is entered (`async with`), and at rest when asked to."""

    def __init__(self, wired: WiredStage) -> None:
        self._wired = wired
        self._stage = wired.stage
        self._looked_at: dict[Request, int] = {}
        self._obeyed: dict[Request, bytes] = {}
        self._open: list[User] = []
        self._known = 0
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> WiredJudge:
        self._looking = asyncio.create_task(self._look_all_the_time())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._looking is not None
        self._looking.cancel()
        with suppress(asyncio.CancelledError):
            await self._looking

    # -- all the time

    async def _look_all_the_time(self) -> None:
        while True:
            await asyncio.sleep(LOOKS_S)
            try:
                self._look()
            except Broke as broke:
                self._stage.broke(broke.breach, str(broke))
                return

    def _look(self) -> None:
        now_s = self._stage.now_s
        asked = self._wired.asked
        self._open += asked[self._known :]
        self._known = len(asked)
        for user in self._open:
            until_s = (
                user.asked_s + self._wired.timeouts_s.get(user, math.inf) * len(user.requests) + ROUNDED_S
            )
            must(
                not user.waits or now_s <= until_s, f"{user.who} waits on after its time", Breach.NEVER_ENDED
            )
            self._judge_silence_for(user)
            if user.over_s is not None:
                self._judge_refusal(user)
        self._open = [user for user in self._open if user.over_s is None]
        for name in self._stage.registrars:
            self._judge_silence_at(name)
        for thing in self._stage.things.values():
            self._judge_motion(thing)
            self._judge_obeyed(thing)

    def _judge_silence_for(self, user: User) -> None:
        """Who hears nothing of whom they have something from, or wait for, is told so in time."""
        if not (user.has_it or user.waits) or user in self._wired.ended_s:
            return
        if user.waits and len(user.requests) > 1:
            return  # they may be about to ask for the second one
        server = self._wired.server_of(user.requests[0])
        if server in self._wired.durable or server == user.at:
            return
        since_s = min(
            self._wired.overheard.silent_s(server, user.at),
            self._stage.now_s - max(user.asked_s, user.has_s or 0.0),
        )
        what = "has something of" if user.has_it else "waits for"
        words = f"{user.who} {what} {server}, has heard nothing of it for {since_s:.3f} s, and is not told"
        must(since_s <= WINDOW_S + ROUNDED_S, words, UNTOLD if user.has_it else Breach.NEVER_ENDED)

    def _judge_refusal(self, user: User) -> None:
        """Who is refused what another one has is told of one who has it, or had until a moment ago."""
        if user.reason is not ReasonKind.HELD:
            return
        assert isinstance(user.error, ResourceUnavailable)
        assert user.over_s is not None
        holder = user.error.reason.holder
        since_s = user.over_s - 2 * WINDOW_S - 2 * self._wired.transport.most_late_s - 1.0
        for other in self._stage.users:
            if other.who == holder:
                is_there = other.over_s is None or other.over_s >= since_s
                must(is_there, f"{user.who} is told to ask {holder}, who left long ago", UNTOLD)

    def _judge_silence_at(self, server: str) -> None:
        """What somebody has who is not heard of any more is nobody's in time."""
        now_s = self._stage.now_s
        if server in self._wired.durable and now_s - self._wired.entered_s[server] < RECONFIRMED_S + 1.0:
            return  # they have more time to be heard of after a restart
        for view in self._stage.registrars[server].snapshot().leases:
            if view.side != "lent" or view.client == server:
                continue
            since_s = min(
                self._wired.overheard.silent_s(view.client, server),
                now_s - self._wired.overheard.asked_s(server, view.id),
            )
            words = f"{server} keeps {view.request} for {view.who}, silent for {since_s:.3f} s"
            must(since_s <= WINDOW_S + ROUNDED_S, words, Breach.DANGLING)

    def _judge_motion(self, thing: Thing) -> None:
        """What nobody has any more comes to rest within one window, whatever is lost."""
        if not thing.is_moving or not thing.obeyed:
            return
        _, lease, payload = thing.obeyed[-1]
        user, _ = self._wired.sent[payload]
        if thing.request not in user.requests:
            self._judge_motion_below(thing, user)
            return
        told_s = [at_s for at_s, each in user.statuses if each.severity is FATAL and each.lease_id == lease]
        ends_s = [
            *told_s,
            *(each for each in (self._wired.ended_s.get(user), user.over_s) if each is not None),
        ]
        if not ends_s:
            return
        ended_s = min(ends_s)
        within_s = WINDOW_S + self._wired.transport.most_late_s + (thing.rest_s or 0.0) + ROUNDED_S
        if told_s:
            within_s += GRACE_S
        late_s = self._stage.now_s - ended_s
        words = f"{label(thing.request)} moves on for {late_s:.2f} s after {user.who} has had it"
        must(late_s <= within_s, words, MOTION)

    def _judge_motion_below(self, thing: Thing, user: User) -> None:
        """What was moved through what stands on it rests within one window of a death, however many wires."""
        if user not in self._wired.killed:
            return
        for other in self._stage.users:
            if TOWER in other.requests and (
                other.over_s is None or other.over_s >= self._wired.ended_s[user]
            ):
                return  # what stands on it goes on for others, or goes down in good order
        within_s = WINDOW_S + 2 * self._wired.transport.most_late_s + (thing.rest_s or 0.0) + ROUNDED_S
        late_s = self._stage.now_s - self._wired.ended_s[user]
        words = f"{label(thing.request)} moves on for {late_s:.2f} s after {user.who} was killed"
        must(late_s <= within_s, words, MOTION)

    def _judge_obeyed(self, thing: Thing) -> None:
        """Each command is obeyed once, in order, soon, and while it is the present holder's."""
        if thing.rest_s is None:
            return
        for at_s, lease, payload in thing.obeyed[self._looked_at.get(thing.request, 0) :]:
            user, sent_s = self._wired.sent[payload]
            what = f"{label(thing.request)} obeys {payload.decode()}"
            must(at_s - sent_s <= MOST_LATE_S + ROUNDED_S, f"{what}, {at_s - sent_s:.2f} s old", MOTION)
            before = [holder for since_s, holder in thing.holders if since_s < at_s][-1:]
            holders = [*before, *(holder for since_s, holder in thing.holders if since_s == at_s)]
            must(lease in holders, f"{what}, of {lease}; {holders} have it", Breach.CONTENTION)
            last = self._obeyed.get(thing.request, b" 0")
            is_in_order = int(payload.split()[-1]) > int(last.split()[-1])
            must(
                is_in_order or user is not self._wired.sent.get(last, (None,))[0],
                f"{what} after {last!r}",
                MOTION,
            )
            self._obeyed[thing.request] = payload
        self._looked_at[thing.request] = len(thing.obeyed)

    # -- at rest

    async def rest(self, *, asked: int = 3) -> None:
        """All is joined again, and after a while nothing is left of what has happened on the way.

        asked: so many ask for something just then, and wait.
        """
        self._wired.joins()
        for _ in range(asked):
            self._wired.asks_something(patiently=True)
        await self._stage.settle(REPAIRED_S + self._wired.transport.most_late_s + 1.0)
        while any(user.told_s is not None and user.over_s is None for user in self._stage.users):
            await self._stage.settle(
                0.2
            )  # somebody hangs: what comes of it when they leave comes to rest, too
        await self._stage.settle(0.5)
        self._judge_wishes()
        self._judge_books()
        for request, thing in self._stage.things.items():
            if thing.is_up and thing.came_up_s:
                self._judge_condition(thing)
            masters = [view for view in self._leases("lent") if view.request == request and view.generation]
            must(masters or not thing.is_moving, f"{label(request)} moves for nobody", MOTION)
        for user in self._stage.users:
            told = {status.lease_id for _, status in user.statuses if status.lease_id}
            must(len(told) <= len(user.requests), f"{user.who} is told of {sorted(told)}", Breach.CONTENTION)

    async def works(self) -> None:
        """All that was wanted is given back; then somebody can have each thing, and is obeyed."""
        stage = self._stage
        for user in stage.users:
            if user.over_s is None:
                self._wired.leaves(user)
        for thing in stage.things.values():
            thing.breaks = ""
        await stage.settle(4.0)  # also who hangs has left by now
        at = stage.lots.choice([name for name in self._wired.clients if name not in self._wired.gone])
        for request in self._wired.wanted:
            user = self._wired.asks(at, request, exclusive=True)
            await stage.settle(0.5)
            must(user.has_it, f"{user.who} does not get {label(request)}: {user.error!r}")
            self._wired.commands()
            await stage.settle(0.1)
            (obeyed,) = stage.things[request].obeyed[-1:] or [(0.0, "", b"")]
            refused = stage.things[request].refused[-1:]
            must(obeyed[1] == user.lease.id, f"{user.who} is not obeyed by {label(request)}: {refused}")
            self._wired.leaves(user)
            await stage.settle(0.8)
            must(not stage.things[request].is_up, f"{label(request)} is up for nobody", Breach.LEAKED)

    def _leases(self, side: str) -> list[LeaseView]:
        views = [view for each in self._stage.registrars.values() for view in each.snapshot().leases]
        return [view for view in views if view.side in (side, "both")]

    def _judge_wishes(self) -> None:
        """What is up is somebody's, who has it knows so, and nobody waits for what is free."""
        for request, thing in self._stage.things.items():
            mine = [user for user in self._stage.users if request in user.requests and user.has_it]
            masters = [user.who for user in mine if user.lease.held.exclusive]
            must(len(masters) <= 1, f"{label(request)} has {len(masters)} masters: {masters}")
            must(thing.is_up or not mine, f"{[user.who for user in mine]} have {label(request)}, not up")
        queued = {view.who for view in self._leases("lent") if view.phase == "queued"}
        for user in self._stage.users:
            is_plain = len(user.requests) == 1 and not isinstance(user.requests[0], Tower)
            is_known = not user.waits or not is_plain or user.who in queued
            must(is_known, f"{user.who} waits, and nobody knows of it", Breach.NEVER_ENDED)
        for registrar in self._stage.registrars.values():
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
        for lease in sorted(wanted):
            mine, other = held[lease], lent[lease]
            says = (mine.who, mine.exclusive, mine.priority, mine.phase == "granted")
            says_there = (other.who, other.exclusive, other.priority, other.phase == "granted")
            must(says == says_there, f"one side says {mine}, the other {other}", Breach.DANGLING)
            is_same = mine.phase != "granted" or mine.generation == other.generation
            must(is_same, f"one side says {mine}, the other {other}", Breach.DANGLING)
        for registrar in self._stage.registrars.values():
            for resource in registrar.snapshot().resources:
                self._judge_holds(resource, [lent[lease] for lease in resource.leases], [*held.values()])
                if resource.holder in lent:
                    queue = [lent[lease] for lease in resource.waiting]
                    self._judge_queue(lent[resource.holder], queue)

    def _judge_holds(self, resource: ResourceView, clients: list[LeaseView], held: list[LeaseView]) -> None:
        """What it stands on is held with the highest right of its clients, for one of them."""
        clients = [view for view in clients if view.phase != "ended"]
        for view in held:
            is_its = view.resource in resource.depends_on and view.client == resource.registrar
            if clients and is_its and not self._is_of_a_user(view):
                is_so = view.priority == max(each.priority for each in clients)
                is_so = is_so and view.who in [each.who for each in clients]
                must(is_so, f"{resource.request} has {view} for {clients}", Breach.CONTENTION)

    def _is_of_a_user(self, view: LeaseView) -> bool:
        """Whether somebody has asked for just that, and not for what stands on it."""
        return any(user.who == view.who and view.request in user.requests for user in self._stage.users)

    def _judge_queue(self, holder: LeaseView, queue: list[LeaseView]) -> None:
        """It is in its order, and who waits knows for whom, and as which one."""
        # What somebody has only reserved for more to come is taken from nobody.
        ranks = [view.priority for view in (holder, *queue) if view.phase != "reserved"]
        must(ranks == sorted(ranks, reverse=True), f"{[view.who for view in queue]} wait as {ranks}")
        pending = {view.who for view in self._leases("lent") if view.phase == "pending"}
        for number, view in enumerate(queue, 1):
            is_of_tools = view.client == "tools" and not self._is_of_a_user(view)
            for user in self._stage.users:
                is_theirs = user.who == view.who and user.at == view.client
                is_below = is_of_tools and user.requests == (TOWER,) and user.who in pending
                if user.waits and user.wait and (is_theirs or is_below) and len(user.requests) == 1:
                    place = (holder.who, number)
                    must(user.place == place, f"{user.who} is told {user.place}, not {place}", UNTOLD)

    def _judge_condition(self, thing: Thing) -> None:
        """Who has it knows how it is, or what it stands on, and its handle."""
        below = [self._stage.things[need] for need, _ in thing.needs]
        said = [self._wired.well.get((each.request, each.lives)) for each in (thing, *below)]
        is_well = max((each for each in said if each is not None), default=Severity.OK)
        is_new = any((each.request, each.lives) in self._wired.handles for each in (thing, *below))
        handle = self._wired.handles.get((thing.request, thing.lives), f"handle of {label(thing.request)}")
        for user in self._stage.users:
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
