"""Registrars on machines of their own, and what a network between them can do to what they say.

As between machines that talk over `framework.transport.zenoh`. A connection (TCP) loses nothing by itself and
keeps the order, but nobody is waited for: where there is no room, what is said is lost, in that direction
alone; and it is late. Machines that are parted hear nothing of each other; either end gives the connection up
by itself, after a while, and then the other's registrars are gone for it. When they are joined again the ends
find each other one after the other, and the same incarnations are seen again; what is heard of one that is
not seen yet waits for that, and what is said to one that is not seen is said to nobody.

The registrars promise more than that needs: where a network does not keep the order (`Order.NONE`) any
message may overtake any other, and come twice.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final

from framework.transport.interface import Link, Listener
from framework.transport.local import LocalLink
from framework.transport.messages import Message, Peer
from pilothouse.testbed.histories.networks import StageTransport

REACH_S: Final = 0.004
"""What a message takes at most where nothing is wrong."""

Heard = Callable[[str, str, Message], None]
"""Takes sender, receiver and message."""


class Order(Enum):
    """KEPT: what is said later is heard later. NONE: in any order, and some of it twice."""

    KEPT = "kept"
    NONE = "none"


class Way:
    """From one machine to another. lost: so much of what is said is; late_s: the rest is so late [s]."""

    def __init__(self) -> None:
        self.lost = 0.0
        self.late_s = 0.0
        self.is_open = True
        self.arrives_s = 0.0


class MachinesTransport(StageTransport):
    """Each registrar on a machine of its own, in virtual time; who is there, each sees for itself.

    most_late_s: no message is later than this so far [s]. seen_s: when a registrar (the first) has seen
    another one last [s]. on_said is called with everything that leaves a machine, on_heard before and
    on_answered after everything that is heard on one.
    """

    def __init__(self, lots: random.Random, beat_s: float) -> None:
        super().__init__(beat_s=beat_s)
        self.lots = lots
        self.order = Order.KEPT
        self.most_late_s = REACH_S
        self.on_said: Heard = lambda sender, to, message: None
        self.on_heard: Heard = lambda sender, to, message: None
        self.on_answered: Heard = lambda sender, to, message: None
        self.seen_s: dict[tuple[str, str], float] = {}
        self._ways: dict[tuple[str, str], Way] = {}
        self._seen: dict[str, dict[str, Peer]] = {}
        self._held: dict[tuple[str, str], list[tuple[str, Message]]] = {}

    def way(self, sender: str, to: str) -> Way:
        """From one to the other."""
        return self._ways.setdefault((sender, to), Way())

    def worsen(self, sender: str, to: str, *, lost: float, late_s: float) -> None:
        """From now on so much is lost there, and late [s]."""
        way = self.way(sender, to)
        way.lost, way.late_s = lost, late_s
        # What comes twice may be as late once more.
        self.most_late_s = max(
            self.most_late_s, REACH_S + (late_s if self.order is Order.KEPT else 2 * late_s)
        )

    def part(self, some: Iterable[str], others: Iterable[str], given_up_s: Callable[[], float]) -> None:
        """Nothing gets through any more. given_up_s: after how long an end gives the connection up [s]."""
        loop = asyncio.get_running_loop()
        for one in some:
            for other in others:
                for here, there in ((one, other), (other, one)):
                    self.way(here, there).is_open = False
                    loop.call_later(given_up_s(), self._give_up, here, there)

    def join_again(self, found_s: Callable[[], float]) -> None:
        """All are joined and all is well again; found_s: after how long each end finds the other [s]."""
        loop = asyncio.get_running_loop()
        for (sender, to), way in self._ways.items():
            way.lost = way.late_s = 0.0
            if not way.is_open:
                way.is_open = True
                loop.call_later(found_s(), self._look, to, sender)

    # -- as its base

    def join(self, name: str, listener: Listener, *, durable: bool = False) -> Link:
        """As its base; who is parted from it is not seen."""
        self._seen[name] = {}
        for other in list(self.links):
            self._held.pop((other, name), None)
        self._boots += 1
        link = LocalLink(self, Peer(name, str(self._boots), (), durable), listener)
        self.links[name] = link
        self.announce(link.peer)
        for other in list(self.peers):
            self._look(name, other)
        return link

    def announce(self, peer: Peer) -> None:
        """Everyone who is not parted from it learns of it."""
        self.peers[peer.name] = peer
        for name in list(self.links):
            self._look(name, peer.name)

    def remove(self, link: LocalLink) -> None:
        """It is gone; who is parted from it does not hear of that yet."""
        if self.links.get(link.peer.name) is not link:
            return
        del self.links[link.peer.name]
        del self.peers[link.peer.name]
        for name in list(self.links):
            self._look(name, link.peer.name)

    def carry(self, sender: str, to: str, message: Message) -> None:
        """Bring one message over, if it gets there."""
        if sender == to:
            self.links[to].receive(sender, message)
            return
        here = self.links.get(sender)
        meant = self._seen.get(sender, {}).get(to)
        if meant is None or here is None:
            return
        self.on_said(sender, to, message)
        way = self.way(sender, to)
        lots = self.lots
        if not way.is_open or lots.random() < way.lost:
            return
        loop = asyncio.get_running_loop()
        at_s = loop.time() + lots.uniform(0.0002, REACH_S) + lots.uniform(0.0, way.late_s)
        if self.order is Order.KEPT:
            at_s = way.arrives_s = max(at_s, way.arrives_s + 1e-9)
        elif way.lost and lots.random() < way.lost:
            again_s = at_s + lots.uniform(0.0, way.late_s)
            loop.call_at(again_s, self._gets_there, here.peer, meant.boot, to, message)
        loop.call_at(at_s, self._gets_there, here.peer, meant.boot, to, message)

    # -- inside

    def _gets_there(self, sender: Peer, boot: str, to: str, message: Message) -> None:
        link = self.links.get(to)
        if link is None or link.boot != boot or not self.way(sender.name, to).is_open:
            return
        seen = self._seen[to].get(sender.name)
        if seen is None or seen.boot != sender.boot:
            self._held.setdefault((sender.name, to), []).append((sender.boot, message))
        else:
            self._hears(link, sender.name, message)

    def _hears(self, link: LocalLink, sender: str, message: Message) -> None:
        self.on_heard(sender, link.peer.name, message)
        link.receive(sender, message)
        self.on_answered(sender, link.peer.name, message)

    def _look(self, name: str, other: str) -> None:
        """What a registrar sees of another one that it is not parted from."""
        link = self.links.get(name)
        if name == other or link is None or not self.way(other, name).is_open:
            return
        before, now = self._seen[name].get(other), self.peers.get(other)
        if before is not None and (now is None or now.boot != before.boot):
            del self._seen[name][other]
            link.lost(before)
        if now is None or now == before:
            return
        self._seen[name][other] = now
        self.seen_s[name, other] = asyncio.get_running_loop().time()
        link.seen(now)
        for boot, message in self._held.pop((other, name), []):
            if boot == now.boot and self.links.get(name) is link:
                self._hears(link, other, message)

    def _give_up(self, name: str, other: str) -> None:
        link = self.links.get(name)
        if link is None or self.way(other, name).is_open:
            return
        if (seen := self._seen[name].pop(other, None)) is not None:
            link.lost(seen)
