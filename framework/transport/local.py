"""Registrars of one process meet here; nothing is encoded and nothing is lost.

Messages are handed over at once, on the sender's stack; registrars are built
for that. A `Disturbance` may be put in between to lose, double, delay or
reorder messages: that is how tests and scenarios make a bad network, and it
turns heartbeats on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping

from framework.errors import TransportError
from framework.transport.interface import Link, Listener
from framework.transport.messages import Message, Peer

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:#-]{0,127}")

#: Takes sender, receiver and message; gives the delays [s] after which it arrives: () loses it.
Disturbance = Callable[[str, str, Message], tuple[float, ...]]


def checked_name(name: str) -> str:
    """The name itself, if it can be a registrar's; raises TransportError if not."""
    if not NAME.fullmatch(name):
        raise TransportError(
            f"{name!r} is no registrar name: allowed are 1 to 128 letters, digits and _ . : # -, "
            "starting with a letter, a digit or _"
        )
    return name


class LocalLink:
    """One registrar's place in a `LocalTransport`."""

    discovery_s = 0.0

    def __init__(self, transport: LocalTransport, peer: Peer, listener: Listener) -> None:
        self._transport = transport
        self._listener = listener
        self.peer = peer
        self.boot = peer.boot

    @property
    def beat_s(self) -> float | None:
        """None, unless the transport was made to behave like a network."""
        return self._transport.beat_s

    @property
    def peers(self) -> Mapping[str, Peer]:
        """All registrars of this transport."""
        return self._transport.peers

    def is_local(self, name: str) -> bool:
        """Always, unless the transport was made to behave like a network."""
        return self._transport.beat_s is None or name == self.peer.name

    def advertise(self, peer: Peer) -> None:
        """Tell all others what this registrar provides now."""
        if self._transport.links.get(peer.name) is self:
            self.peer = peer
            self._transport.announce(peer)

    def send(self, to: str, message: Message) -> None:
        """Hand the message to the other registrar; who has left says nothing more."""
        if self._transport.links.get(self.peer.name) is self:
            self._transport.carry(self.peer.name, to, message)

    def leave(self) -> None:
        """Leave; everyone else is told."""
        self._transport.remove(self)

    def receive(self, sender: str, message: Message) -> None:
        """Hand on what was carried."""
        self._listener.receive(sender, message)

    def seen(self, peer: Peer) -> None:
        """Hand on that a peer came or changed."""
        self._listener.peer_seen(peer)

    def lost(self, peer: Peer) -> None:
        """Hand on that a peer went."""
        self._listener.peer_lost(peer.name, peer.boot)


class LocalTransport:
    """One object shared by the registrars of a process.

    Args:
        beat_s: heartbeat period [s]; None (the default) because registrars of
            one process cannot lose each other. Give one to test as over a network.
        disturb: decides what happens to each message; None hands all over at once.
    """

    needs_loop = False

    def __init__(self, *, beat_s: float | None = None, disturb: Disturbance | None = None) -> None:
        self.beat_s = beat_s
        self.disturb = disturb
        self.links: dict[str, LocalLink] = {}
        self.peers: dict[str, Peer] = {}
        self._boots = 0

    def join(self, name: str, listener: Listener, *, durable: bool = False) -> Link:
        """Enter under `name`; raises TransportError if it is taken or no valid name."""
        if checked_name(name) in self.links:
            raise TransportError(
                f"a registrar named {name!r} is already here: leave it first, or choose another name than "
                + ", ".join(sorted(self.links))
            )
        self._boots += 1
        link = LocalLink(self, Peer(name, str(self._boots), (), durable), listener)
        self.links[name] = link
        self.announce(link.peer)
        for peer in list(self.peers.values()):
            if peer.name != name:
                link.seen(peer)
        return link

    def announce(self, peer: Peer) -> None:
        """Everyone but the peer itself learns of it."""
        self.peers[peer.name] = peer
        for link in list(self.links.values()):
            if link.peer.name != peer.name:
                link.seen(peer)

    def remove(self, link: LocalLink) -> None:
        """The link's registrar is gone, orderly or not. Idempotent."""
        if self.links.get(link.peer.name) is not link:
            return
        del self.links[link.peer.name]
        del self.peers[link.peer.name]
        for other in list(self.links.values()):
            other.lost(link.peer)

    def carry(self, sender: str, to: str, message: Message) -> None:
        """Bring one message over, as the disturbance has it."""
        link = self.links.get(to)
        if link is None:
            return
        if self.disturb is None or sender == to:
            link.receive(sender, message)
            return
        loop = asyncio.get_running_loop()
        for delay_s in self.disturb(sender, to, message):
            loop.call_later(delay_s, self._arrive, sender, link, message)

    def _arrive(self, sender: str, link: LocalLink, message: Message) -> None:
        if self.links.get(link.peer.name) is link:
            link.receive(sender, message)
