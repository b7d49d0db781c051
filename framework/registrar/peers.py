"""Who is alive, and whether both sides' books agree.

Peers in other processes send a beat each `beat_s`. A client that is silent for
`window_s` is reaped, a provider that is silent is lost. A beat also carries the
ages of leases whose own first client has gone silent, so the far end of a chain
stops within one window of the first client's last beat, however many registrars
lie between. Count and digest in the beat summarise the leases held; if they
differ from our books twice in a row, the peer is audited: that repairs
whatever lost, doubled or reordered messages have left behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from framework.registrar.effects import Deed, Send
from framework.registrar.records import Held, HeldPhase, Incident, Lent, LentPhase, Resource
from framework.status import Severity
from framework.transport.messages import Audit, Beat, Holding, Peer, Tell

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Book:
    """What one side believes about the leases between it and one peer."""

    __slots__ = ("ages_s", "beat_at_s", "count", "digest", "is_silent", "mismatches", "received")

    def __init__(self, now_s: float) -> None:
        self.count = 0
        self.digest = 0
        self.beat_at_s = now_s
        self.received = 0
        self.mismatches = 0
        self.is_silent = False
        self.ages_s: dict[str, float] = {}

    def add(self, lease: str) -> None:
        """A lease more."""
        self.count += 1
        self.digest ^= crc32(lease.encode())

    def remove(self, lease: str) -> None:
        """A lease less."""
        self.count -= 1
        self.digest ^= crc32(lease.encode())


class Peers:
    """Liveness and agreement for one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self.known: dict[str, Peer] = {}
        self.providers: dict[str, tuple[str, ...]] = {}
        self.seeking: dict[str, Held] = {}
        self._lent_to: dict[str, Book] = {}
        self._held_at: dict[str, Book] = {}
        self._last_tick_s: float | None = None
        self._beats = 0

    # -- presence

    def seen(self, peer: Peer) -> None:
        """A registrar is there, or has changed what it provides; a new incarnation replaces the old one."""
        core = self._core
        if peer.name == core.name:
            return
        before = self.known.get(peer.name)
        self.known[peer.name] = peer
        self._index()
        if before is not None and before.boot != peer.boot:
            self._client_gone(peer.name, "was restarted")
        for book in (self._lent_to.get(peer.name), self._held_at.get(peer.name)):
            if book is not None:
                book.beat_at_s = core.now_s()
        for held in list(core.holds.values()):
            if held.server == peer.name and held.server_boot != peer.boot:
                self._provider_reborn(held, peer)
        for held in list(self.seeking.values()):
            core.holding.seek(held)

    def lost(self, name: str, boot: str) -> None:
        """A registrar is gone: its leases are reaped; what it lent is lost or, with a catalog, awaited."""
        core = self._core
        peer = self.known.get(name)
        if peer is None or peer.boot != boot:
            return
        del self.known[name]
        self._index()
        self._client_gone(name, "is gone")
        for held in list(core.holds.values()):
            if held.server == name:
                self._provider_gone(held, peer, f"{name} is gone")

    def boot_of(self, name: str) -> str:
        """The incarnation of a registrar as last seen."""
        if name == self._core.name:
            return self._core.boot
        peer = self.known.get(name)
        return peer.boot if peer else ""

    # -- books

    def lent(self, lent: Lent) -> None:
        """A peer holds a lease of ours."""
        if self._core.beat_s is not None and lent.ask.client != self._core.name:
            self._book(self._lent_to, lent.ask.client).add(lent.id)

    def returned(self, lent: Lent) -> None:
        """It holds it no more."""
        book = self._lent_to.get(lent.ask.client)
        if book is not None:
            book.remove(lent.id)
            if not book.count:
                del self._lent_to[lent.ask.client]

    def holds(self, held: Held) -> None:
        """We hold a lease at a peer."""
        if self._core.beat_s is not None and held.server != self._core.name:
            self._book(self._held_at, held.server).add(held.id)

    def holds_no_more(self, held: Held) -> None:
        """We hold it no more."""
        book = self._held_at.get(held.server) if held.sent is not None else None
        if book is not None:
            book.remove(held.id)

    # -- beats

    def start(self) -> None:
        """Begin to beat, if peers live elsewhere."""
        if self._core.beat_s is not None:
            self._tick()

    def beat(self, sender: str, message: Beat) -> None:
        """A peer is alive; do our books agree?"""
        core = self._core
        peer = self.known.get(sender)
        if peer is None or peer.boot != message.boot:
            return
        now_s = core.now_s()
        held_at = self._held_at.get(sender)
        if held_at is not None:
            held_at.beat_at_s = now_s
            if held_at.is_silent:
                self._provider_awake(sender, held_at)
        book = self._lent_to.get(sender)
        if book is None:
            if message.count:
                book = self._book(self._lent_to, sender)
            else:
                return
        if message.sequence <= book.received:
            return
        book.received = message.sequence
        book.beat_at_s = now_s
        book.ages_s = message.ages_s
        if (book.count, book.digest) == (message.count, message.digest):
            book.mismatches = 0
            return
        book.mismatches += 1
        if book.mismatches >= 2:
            book.mismatches = 0
            core.effects.append(Send(sender, Audit(core.boot)))

    def audited(self, sender: str, message: Audit) -> None:
        """A provider's books differ from ours: list what we hold there, ask again where no answer came."""
        core = self._core
        mine = [held for held in core.holds.values() if held.server == sender and held.sent is not None]
        core.effects.append(Send(sender, Holding(core.boot, tuple(held.id for held in mine))))
        for held in mine:
            if held.phase in (HeldPhase.ASKED, HeldPhase.QUEUED) and held.sent is not None:
                core.effects.append(Send(sender, held.sent))

    def listed(self, sender: str, message: Holding) -> None:
        """The client's side of the books: drop what it does not hold, disown what we did not lend."""
        core = self._core
        theirs = set(message.leases)
        for lent in list(core.leases.values()):
            if lent.ask.client == sender and lent.id not in theirs:
                core.record(Deed.REAP, lent.resource, who=sender, why="its release was lost", lease=lent.id)
                core.serving.drop(lent, f"{sender} no longer holds it")
        for lease in theirs:
            if lease not in core.leases:
                text = f"{core.name} does not know this lease any more"
                core.effects.append(Send(sender, Tell(lease, 1 << 60, core.incident(), Severity.FATAL, text)))

    # -- inside

    def _tick(self) -> None:
        """One shared tick for all beats and all judgements of silence."""
        core = self._core
        assert core.beat_s is not None
        now_s = core.now_s()
        if self._last_tick_s is not None:
            gap_s = now_s - self._last_tick_s
            if gap_s > core.beat_s + core.policy.window_s / 2:
                # We were suspended ourselves: nobody's silence can be judged by that.
                for book in (*self._lent_to.values(), *self._held_at.values()):
                    book.beat_at_s += gap_s - core.beat_s
        self._last_tick_s = now_s
        self._judge(now_s)
        for name in {*self._held_at, *self._lent_to}:
            self._send_beat(name, now_s)
        core.timers.set(("beat", 0), now_s + core.beat_s, self._tick)

    def _judge(self, now_s: float) -> None:
        core = self._core
        window_s = core.policy.window_s
        for name, book in list(self._lent_to.items()):
            silent_s = now_s - book.beat_at_s
            if silent_s > window_s:
                self._client_gone(name, f"has been silent for {silent_s:.2f} s")
                if not book.count:
                    self._lent_to.pop(name, None)
                continue
            for lease, age_s in book.ages_s.items():
                lent = core.leases.get(lease)
                if lent is not None and silent_s + age_s > window_s and lent.phase is not LentPhase.ENDED:
                    self._reap(lent, "the client it is for has gone silent")
        for name, book in list(self._held_at.items()):
            silent_s = now_s - book.beat_at_s
            if silent_s > window_s and book.count and not book.is_silent:
                book.is_silent = True
                peer = self.known.get(name)
                for held in list(core.holds.values()):
                    if held.server == name:
                        self._provider_gone(held, peer, f"{name} has been silent for {silent_s:.2f} s")

    def _send_beat(self, name: str, now_s: float) -> None:
        core = self._core
        book = self._held_at.get(name)
        if book is None:
            book = self._book(self._held_at, name)
        self._beats += 1
        ages_s: dict[str, float] = {}
        for held in core.holds.values():
            if held.server == name and held.parent is not None:
                age_s = self._age_s(held.parent, now_s)
                if age_s > 0.0:
                    ages_s[held.id] = age_s
        core.effects.append(Send(name, Beat(core.boot, self._beats, book.count, book.digest, ages_s)))
        if not book.count and name not in self._lent_to:
            del self._held_at[name]

    def _age_s(self, resource: Resource, now_s: float) -> float:
        """How long the freshest client of a resource has been silent; 0 for a client in our process."""
        youngest_s: float | None = None
        for lent in resource.leases.values():
            book = self._lent_to.get(lent.ask.client)
            if book is None:
                return 0.0
            age_s = now_s - book.beat_at_s + book.ages_s.get(lent.id, 0.0)
            if youngest_s is None or age_s < youngest_s:
                youngest_s = age_s
        return youngest_s or 0.0

    def _client_gone(self, name: str, why: str) -> None:
        for lent in list(self._core.leases.values()):
            if lent.ask.client == name and lent.confirmed:
                self._reap(lent, f"{name} {why}")

    def _reap(self, lent: Lent, why: str) -> None:
        core = self._core
        core.record(Deed.REAP, lent.resource, who=lent.ask.who, why=why, lease=lent.id)
        if lent.is_live:
            # It may only be slow: if it hears this, it knows where it stands.
            core.serving.tell(
                lent, Incident(core.incident(), Severity.FATAL, f"{core.name} gave it up: {why}")
            )
        core.serving.drop(lent, why)

    def _provider_gone(self, held: Held, peer: Peer | None, why: str) -> None:
        core = self._core
        if peer is not None and peer.durable and held.phase is HeldPhase.GRANTED:
            core.holding.warn(held, f"{why}; waiting for it to come back")
            core.timers.set(
                ("reconnect", held.id),
                core.now_s() + core.policy.reconnect_s,
                lambda: core.holding.server_lost(held, why),
            )
            return
        core.holding.server_lost(held, why)

    def _provider_awake(self, name: str, book: Book) -> None:
        """A registrar that was silent, and keeps its leases, speaks again."""
        core = self._core
        book.is_silent = False
        for held in list(core.holds.values()):
            if held.server == name and held.phase is HeldPhase.GRANTED:
                core.holding.reassure(held, f"{name} is back")

    def _provider_reborn(self, held: Held, peer: Peer) -> None:
        """The registrar was restarted: reconfirm what it knows of, ask afresh for the rest."""
        core = self._core
        if held.phase is HeldPhase.FAILED or held.sent is None:
            return
        if held.phase is HeldPhase.GRANTED and not peer.durable:
            core.holding.server_lost(held, f"{peer.name} was restarted")
            return
        if held.phase is HeldPhase.RESERVED:
            core.holding.server_lost(held, f"{peer.name} was restarted")
            return
        held.sequence = 0
        if held.phase is not HeldPhase.GRANTED:
            held.server_boot = peer.boot
        core.effects.append(Send(peer.name, held.sent))

    def _index(self) -> None:
        providers: dict[str, tuple[str, ...]] = {}
        for peer in self.known.values():
            for kind in peer.provides:
                providers[kind] = (*providers.get(kind, ()), peer.name)
        self.providers = providers

    def _book(self, books: dict[str, Book], name: str) -> Book:
        book = books.get(name)
        if book is None:
            book = books[name] = Book(self._core.now_s())
        return book
