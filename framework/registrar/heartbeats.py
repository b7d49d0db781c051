"""Who is alive, and whether both sides' books agree.

Peers in other processes send a beat each `beat_s`. A client or a provider that
is silent for `window_s` is given up. A beat also carries the ages of leases
whose own first client has gone silent, so the far end of a chain stops within
one window of the first client's last beat, however many registrars lie between.

Count and digest in the beat summarise the leases a client holds: which, with
which priority, whether in earnest, and the number of the latest message heard
about each. If they differ from our books twice in a row, the peer is audited:
it lists what it holds and repeats its requests, we repeat our answers. That
repairs whatever lost, doubled or reordered messages have left behind.

That takes a while, and what was given back may be moving. So a release is said
again in each beat of the next two windows: either one of those arrives, or none
does within one window, and then the client is given up for its silence.
"""

from __future__ import annotations

import math
from collections import deque
from hashlib import blake2b
from typing import TYPE_CHECKING

from framework.interlock import Permit
from framework.registrar.effects import JournalKind, Send
from framework.registrar.records import ClientLease, ClientPhase, Resource, ServerLease, ServerPhase
from framework.status import Severity
from framework.transport.messages import Audit, Heartbeat, Holding, Release, Tell

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore

#: A client that has been silent for this many beats is mentioned to those further on.
NOTEWORTHY_BEATS = 1.5

#: Later than every number that a client has heard: what disowns a lease for good.
LAST_SEQUENCE = 1 << 60

#: A release is repeated for so many windows: whoever hears none of it by then has given us up.
REPEATED_WINDOWS = 2.0

#: So many releases at most are repeated in one beat; of more than these the books will tell.
MOST_REPEATED = 256

#: A tick that comes so late [s] says that we get too little of the processor, and our neighbours perhaps too.
STARVED_S = 0.02

#: How long that is remembered [s].
STARVED_FOR_S = 2.0

#: Silence is judged this much after its end, to be on the safe side of rounding [s].
ROUNDING_S = 1e-6


class Book:
    """What one side believes about the leases between it and one peer."""

    __slots__ = (
        "ages_s",
        "beat_at_s",
        "count",
        "digest",
        "given_back",
        "is_silent",
        "mismatches",
        "received",
    )

    def __init__(self, now_s: float) -> None:
        self.count = 0
        self.digest = 0
        self.beat_at_s = now_s
        self.received = 0
        self.mismatches = 0
        self.is_silent = False
        self.ages_s: dict[str, float] = {}
        self.given_back: deque[tuple[float, Release]] = deque(maxlen=MOST_REPEATED)


class Heartbeats:
    """Liveness and agreement for one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self._served_to: dict[str, Book] = {}
        self._held_at: dict[str, Book] = {}
        self._mentioned: dict[str, frozenset[str]] = {}
        self._last_tick_s: float | None = None
        self._starved = (0.0, -STARVED_FOR_S)  # so late was a tick [s], and when
        self._beats = 0

    # -- books

    def served(self, served: ServerLease) -> None:
        """A peer holds a lease of ours."""
        core = self._core
        if core.beat_s is not None and served.ask.client != core.name:
            book = self._book(self._served_to, served.ask.client)
            book.count += 1
            served.mark = _mark_of_served(served)
            book.digest ^= served.mark

    def served_changed(self, served: ServerLease) -> None:
        """It was told something, or has changed its wish."""
        if self._core.beat_s is None:
            return
        book = self._served_to.get(served.ask.client)
        if book is not None:
            mark = _mark_of_served(served)
            book.digest ^= served.mark ^ mark
            served.mark = mark

    def confirmed(self, served: ServerLease) -> None:
        """After a restart of ours its client has said that it holds it: it is alive as of now."""
        book = self._served_to.get(served.ask.client)
        if book is not None:
            book.beat_at_s = self._core.now_s()
        self.served_changed(served)

    def returned(self, served: ServerLease) -> None:
        """It holds it no more."""
        served.resource.last_heard_s = None
        book = self._served_to.get(served.ask.client)
        if book is not None:
            book.count -= 1
            book.digest ^= served.mark
            if not book.count:
                del self._served_to[served.ask.client]

    def holds(self, held: ClientLease) -> None:
        """We hold a lease at a peer."""
        core = self._core
        if core.beat_s is not None and held.server != core.name:
            book = self._book(self._held_at, held.server)
            book.count += 1
            held.asked_s = core.now_s()
            held.mark = _mark_of(held)
            book.digest ^= held.mark

    def held_changed(self, held: ClientLease) -> None:
        """We have heard something about it, or changed our wish."""
        if self._core.beat_s is None or held.sent is None:
            return
        book = self._held_at.get(held.server)
        if book is not None:
            mark = _mark_of(held)
            book.digest ^= held.mark ^ mark
            held.mark = mark

    def holds_no_more(self, held: ClientLease) -> None:
        """We hold it no more."""
        book = self._held_at.get(held.server) if held.sent is not None else None
        if book is not None:
            book.count -= 1
            book.digest ^= held.mark

    def gives_back(self, name: str, release: Release) -> None:
        """We tell a peer that we have left, and shall say it again."""
        core = self._core
        if core.beat_s is not None and name != core.name:
            self._book(self._held_at, name).given_back.append((core.now_s(), release))

    # -- beats

    def start(self) -> None:
        """Begin to beat, if peers live elsewhere."""
        if self._core.beat_s is not None:
            self._tick()

    def notice_standstill(self, now_s: float) -> None:
        """Our own process may have been standing still: nobody's silence can be judged by that,
        and nobody could meet a deadline of ours. To be called before anything else is looked at."""
        core = self._core
        if self._last_tick_s is None or core.beat_s is None:
            return
        late_s = now_s - self._last_tick_s - core.beat_s
        if STARVED_S < late_s < 2 * core.policy.window_s:
            self._starved = (max(late_s, self._starved_s(now_s)), now_s)
        if late_s > core.policy.window_s / 2:
            self._last_tick_s += late_s
            for book in (*self._served_to.values(), *self._held_at.values()):
                book.beat_at_s += late_s
            for held in core.holds.values():
                held.asked_s += late_s
            core.timers.shift(late_s)

    def seen(self, name: str, *, is_other: bool) -> None:
        """A peer has shown itself, perhaps as another incarnation, which counts its beats anew."""
        for book in (self._served_to.get(name), self._held_at.get(name)):
            if book is not None:
                book.beat_at_s = self._core.now_s()
                if is_other:
                    book.received = 0
                    book.ages_s = {}

    def beat(self, sender: str, message: Heartbeat) -> None:
        """A peer is alive; do our books agree?"""
        core = self._core
        peer = core.peers.known.get(sender)
        if peer is None or peer.boot != message.boot:
            return
        # Who only waits for what another of these gives back is not to be given it.
        for release in sorted(message.released, key=lambda each: core.access.has(each.lease)):
            core.serving.release(sender, release)
        now_s = core.now_s()
        held_at = self._held_at.get(sender)
        if held_at is not None and message.sequence > held_at.received:  # what comes again says nothing new
            held_at.received = message.sequence
            held_at.beat_at_s = now_s
            if held_at.is_silent:
                held_at.is_silent = False
                core.peers.provider_awake(sender)
        book = self._served_to.get(sender)
        if book is None:
            if not message.count:
                return
            book = self._book(self._served_to, sender)
        if message.sequence <= book.received:
            return
        book.received = message.sequence
        book.beat_at_s = now_s
        book.ages_s = message.ages_s
        if (book.count, book.digest) == (message.count, message.digest):
            book.mismatches = 0
            if not book.count:
                del self._served_to[sender]
        else:
            book.mismatches += 1
            if book.mismatches >= 2:
                book.mismatches = 0
                core.effects.append(Send(sender, Audit(core.boot)))
        if message.ages_s or self._mentioned:
            self._pass_on(now_s)

    def last_heard_s(self, served: ServerLease) -> float | None:
        """When the first client behind a lease was last heard of, over all hops; None in one process."""
        book = self._served_to.get(served.ask.client)
        return None if book is None else book.beat_at_s - book.ages_s.get(served.id, 0.0)

    # -- audits

    def audited(self, sender: str, message: Audit) -> None:
        """A provider's books differ from ours: list what we hold there, and say again what we want."""
        core = self._core
        mine = [held for held in core.holds.values() if held.server == sender and held.sent is not None]
        # What a restarted provider has not taken up again is as good as asked for.
        unanswered = tuple(held.id for held in mine if held.phase in _UNANSWERED or held.is_awaited)
        failed = tuple(held.id for held in mine if held.phase is ClientPhase.FAILED)
        core.effects.append(
            Send(sender, Holding(core.boot, tuple(held.id for held in mine), unanswered, failed))
        )
        peer = core.peers.known.get(sender)
        for held in mine:
            if held.is_awaited and peer is not None and held.kind not in peer.provides:
                continue  # it is still starting; it will be seen again
            core.holding.again(held)

    def listed(self, sender: str, message: Holding) -> None:
        """The client's side of the books: drop what it does not hold, disown what we did not lend."""
        core = self._core
        theirs = set(message.leases)
        for served in list(core.leases.values()):
            if served.ask.client == sender and served.id not in theirs:
                core.record(
                    JournalKind.REAP, served.resource, who=sender, why="its release was lost", lease=served.id
                )
                core.serving.drop(served, f"{sender} no longer holds it")
        for lease in message.failed:
            # Not asked for any more, so nothing else would have our news of it repeated.
            known = core.leases.get(lease)
            if known is not None and known.ask.client == sender:
                core.serving.repeat(known)
        for lease in message.leases:
            if lease not in core.leases and lease not in message.unanswered:
                core.serving.disown(lease)
                text = f"{core.name} does not know this lease any more"
                disowned = Tell(lease, LAST_SEQUENCE, core.incident(), Severity.FATAL, text)
                core.effects.append(Send(sender, disowned))

    # -- inside

    def _tick(self) -> None:
        """One shared tick for all beats."""
        core = self._core
        assert core.beat_s is not None
        now_s = core.now_s()
        self._last_tick_s = now_s
        self._judge()
        ages_s = self._ages_s(now_s)
        for name in dict.fromkeys((*self._held_at, *self._served_to)):
            self._send_beat(name, ages_s.get(name, {}))
        core.timers.set(("beat", 0), now_s + core.beat_s, self._tick)
        self._judge_in_time(now_s, judged_s=now_s)

    def _judge_in_time(self, now_s: float, *, judged_s: float = -math.inf) -> None:
        """Somebody's window may end before the next tick; then judge at its end.

        judged_s: when all were judged last: whose window had ended by then is only waiting to be forgotten.
        """
        core = self._core
        assert core.beat_s is not None
        window_s = self._window_s(now_s)
        ends_s = [
            book.beat_at_s + window_s - age_s
            for book in self._served_to.values()
            for age_s in (0.0, *book.ages_s.values())
        ]
        ends_s += [self._judged_s(name, book, now_s) for name, book in self._held_at.items() if book.count]
        soonest_s = min((at_s for at_s in ends_s if at_s > judged_s - ROUNDING_S), default=math.inf)
        soonest_s = max(soonest_s, now_s) + ROUNDING_S
        if soonest_s < now_s + core.beat_s:
            core.timers.set(("judge", 0), soonest_s, self._judge_between_ticks)

    def _judge_between_ticks(self) -> None:
        """Somebody's window has ended; another one's may end before the next tick, too."""
        now_s = self._core.now_s()
        self._judge()
        self._judge_in_time(now_s, judged_s=now_s)

    def _starved_s(self, now_s: float) -> float:
        """How late our own ticks have been of late [s]; 0 if they were in time."""
        late_s, at_s = self._starved
        return late_s if now_s - at_s < STARVED_FOR_S else 0.0

    def _window_s(self, now_s: float) -> float:
        """How long a peer may be silent: longer, up to twice, where this machine has no time for us. A beat
        goes through its sender's hands, the transport's and ours, and each may be as late as we are."""
        window_s = self._core.policy.window_s
        return window_s + min(3 * self._starved_s(now_s), window_s)

    def _judge(self) -> None:
        """Give up who has been silent for longer than the window."""
        core = self._core
        now_s = core.now_s()
        window_s = self._window_s(now_s)
        for name, book in list(self._served_to.items()):
            silent_s = now_s - book.beat_at_s
            if silent_s > window_s:
                core.peers.client_silent(name, silent_s)
                if not book.count:
                    self._served_to.pop(name, None)
                continue
            for lease, age_s in list(book.ages_s.items()):
                if silent_s + age_s > window_s:
                    served = core.leases.get(lease)
                    if (
                        served is not None
                        and served.ask.client == name
                        and served.phase is not ServerPhase.ENDED
                    ):
                        core.peers.reap(served, "the client it is for has gone silent")
        for name, book in list(self._held_at.items()):
            silent_s = now_s - book.beat_at_s
            if silent_s > window_s and book.count:
                book.is_silent = True
                core.peers.provider_silent(name, silent_s, now_s - window_s)

    def _judged_s(self, name: str, book: Book, now_s: float) -> float:
        """When the silence of a provider ends the next of the leases that we hold or ask for there."""
        window_s = self._core.policy.window_s
        if not book.is_silent or book.beat_at_s + window_s > now_s:  # or it has been seen since
            return book.beat_at_s + window_s
        since_s = [held.asked_s for held in self._core.holds.values() if held.server == name]
        since_s = [at_s for at_s in since_s if at_s >= now_s - window_s]
        return min(since_s, default=now_s) + window_s

    def _pass_on(self, now_s: float) -> None:
        """Somebody's first client has gone silent, or is back: those further on learn it at once."""
        ages_s = self._ages_s(now_s)
        for name in dict.fromkeys((*ages_s, *self._mentioned)):
            if ages_s.get(name, {}).keys() != self._mentioned.get(name, frozenset()):
                self._send_beat(name, ages_s.get(name, {}))
        self._judge_in_time(now_s)

    def _send_beat(self, name: str, ages_s: dict[str, float]) -> None:
        core = self._core
        book = self._held_at.get(name)
        if book is None:
            book = self._book(self._held_at, name)
        self._beats += 1
        self._mentioned.pop(name, None)
        if ages_s:
            self._mentioned[name] = frozenset(ages_s)
        until_s = core.now_s() - REPEATED_WINDOWS * core.policy.window_s
        while book.given_back and book.given_back[0][0] < until_s:
            book.given_back.popleft()
        released = tuple(release for _, release in book.given_back)
        beat = Heartbeat(core.boot, self._beats, book.count, book.digest, ages_s, released)
        core.effects.append(Send(name, beat))
        if not book.count and not released and name not in self._served_to:
            del self._held_at[name]

    def _ages_s(self, now_s: float) -> dict[str, dict[str, float]]:
        """By provider and lease: how long the client that a lease is for has been silent, if it has."""
        core = self._core
        assert core.beat_s is not None
        ages_s: dict[str, dict[str, float]] = {}
        known: dict[int, float] = {}
        for held in core.holds.values():
            if held.parent is not None and held.sent is not None and held.server != core.name:
                age_s = self._age_s(held.parent, now_s, known)
                if age_s > NOTEWORTHY_BEATS * core.beat_s:
                    ages_s.setdefault(held.server, {})[held.id] = age_s
        return ages_s

    def _age_s(self, resource: Resource, now_s: float, known: dict[int, float]) -> float:
        """How long the freshest client of a resource has been silent; 0 for a body in our process."""
        if resource.number in known:
            return known[resource.number]
        youngest_s: float | None = None
        for served in resource.leases.values():
            if served.phase is ServerPhase.ENDED:
                continue
            book = self._served_to.get(served.ask.client)
            if book is not None:
                age_s = now_s - book.beat_at_s + book.ages_s.get(served.id, 0.0)
            else:
                held = self._core.holds.get(served.id)
                parent = held.parent if held is not None else None
                age_s = self._age_s(parent, now_s, known) if parent is not None else 0.0
            if youngest_s is None or age_s < youngest_s:
                youngest_s = age_s
        if youngest_s is None and resource.last_heard_s is not None:
            youngest_s = now_s - resource.last_heard_s
        known[resource.number] = youngest_s or 0.0
        return known[resource.number]

    def _book(self, books: dict[str, Book], name: str) -> Book:
        book = books.get(name)
        if book is None:
            book = books[name] = Book(self._core.now_s())
        return book


_UNANSWERED = frozenset({ClientPhase.ASKED, ClientPhase.QUEUED})


def _mark(
    lease: str, sequence: int, is_committed: bool, priority: int, who: str, permit: Permit | None
) -> int:
    """What both sides have to agree on about one lease, as a number.

    No checksum: books are the exclusive or of these, and of a CRC the same difference in two leases (two lost
    changes of priority, say) would cancel itself out.
    """
    word = (
        ""
        if permit is None
        else f"{permit.plan}:{permit.epoch}:{permit.is_suspended:d}:{permit.by}{permit.wanted_by}"
    )
    text = f"{lease}:{sequence}:{is_committed:d}:{priority:d}:{who}:{word}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _mark_of_served(served: ServerLease) -> int:
    # Both sides count anew after a restart of ours: until its client has reconfirmed it they do not agree.
    return _mark(
        served.id,
        served.sequence if served.confirmed else -1,
        served.committed,
        served.priority,
        served.who,
        served.permit,
    )


def _mark_of(held: ClientLease) -> int:
    # Who has missed something does not agree, even if it has heard the latest: its grant may be what is lost.
    # Nor does who waits to hear that it still has it: what it asked when its provider was back may be lost.
    has_gap = (held.has_gap or held.is_awaited) and held.phase is not ClientPhase.FAILED
    is_committed = held.committing or not held.provisional
    sequence = -2 if has_gap else held.sequence
    return _mark(held.id, sequence, is_committed, held.priority, held.who, held.permit)
