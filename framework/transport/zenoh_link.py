"""One registrar's place in a `ZenohTransport`: what it sends and what reaches it.

Numbers what goes out, sorts what comes in (twice, too late, from a stranger, no
message at all). Who is present is the transport's business.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import zenoh

from framework.errors import MalformedMessage
from framework.transport.codec import Envelope, decode, encode
from framework.transport.interface import Listener
from framework.transport.messages import Message, Peer
from framework.transport.presence import Change, Lost
from framework.transport.zenoh_keys import sender_of

if TYPE_CHECKING:
    from framework.transport.zenoh import ZenohTransport

_LOG = logging.getLogger(__name__)

_HELD_MESSAGES = 1024
_REMEMBERED_SENDERS = 1024
_REPORTED_IN_FULL = 8


class _Route(NamedTuple):
    """The way to one incarnation of a peer."""

    boot: str
    publisher: zenoh.Publisher


class ZenohLink:
    """What `ZenohTransport.join` gives. The registrar uses the methods of `Link`, the transport the rest."""

    def __init__(self, transport: ZenohTransport, peer: Peer, listener: Listener) -> None:
        self._transport = transport
        self._listener = listener
        self._routes: dict[str, _Route] = {}
        self._said: dict[str, tuple[str, int]] = {}  # receiver → its boot, number of the last message
        self._heard: dict[str, int] = {}  # sender → number of its last message
        self._held: deque[tuple[str, str, Envelope]] = deque(maxlen=_HELD_MESSAGES)
        self._malformed: dict[str, int] = {}
        self._left = False
        self.peer = peer
        self.boot = peer.boot
        self.lost_messages = 0

    @property
    def beat_s(self) -> float | None:
        """Period of heartbeats [s]."""
        return self._transport.beat_s

    @property
    def discovery_s(self) -> float:
        """How long a provider that is not there yet is waited for [s]."""
        return self._transport.discovery_s

    @property
    def peers(self) -> Mapping[str, Peer]:
        """All registrars now present in the installation, in this process or another."""
        return self._transport.peers

    def is_local(self, name: str) -> bool:
        """Whether that registrar has joined this very transport."""
        return self._transport.link(name) is not None

    def advertise(self, peer: Peer) -> None:
        """Tell all others what this registrar provides now.

        Raises TransportError if that is too long to be told (32 KiB of type names).
        """
        if not self._left and (peer.name, peer.boot) == (self.peer.name, self.boot):
            self._transport.announce(self, peer)
            self.peer = peer

    def send(self, to: str, message: Message) -> None:
        """Hand a message over; in 10 to 20 µs if it has to leave the process.

        Nobody there, or no room for more than 5 ms: it is lost, and the receiver of the
        next one notices. Raises TransportError if it cannot be encoded, or is longer than 1 MiB.
        """
        if self._left:
            return
        local = self._transport.link(to)
        if local is not None:
            local.receive(self.peer.name, message)
            return
        peer = self.peers.get(to)
        if peer is None:
            return
        boot, number = self._said.get(to, (peer.boot, 0))
        number = number + 1 if boot == peer.boot else 1
        payload = encode(number, message)
        self._said[to] = (peer.boot, number)
        try:
            self._route(peer).put(payload)
        except zenoh.ZError as error:
            _LOG.warning("a message from %s to %s was lost: %s", self.peer.name, to, error)

    def leave(self) -> None:
        """Leave at once; peers see it as `peer_lost`. Idempotent."""
        if self._left:
            return
        self.silence()
        self._transport.remove(self)

    def silence(self) -> None:
        """Neither send nor hear anything more."""
        self._left = True
        self._held.clear()
        for name in list(self._routes):
            self._close_route(name)

    def receive(self, sender: str, message: Message) -> None:
        """Hand on what a registrar of this process sent."""
        if not self._left:
            self._listener.receive(sender, message)

    def take(self, key: str, payload: bytes) -> None:
        """Bytes have come in from another process."""
        if self._left:
            return
        name, boot = sender_of(key)
        try:
            envelope = decode(payload)
        except MalformedMessage as error:
            self._complain(name, str(error))
            return
        peer = self.peers.get(name)
        if peer is not None and peer.boot == boot:
            self._accept(name, envelope)
        else:
            # Its presence is still on its way, or its predecessor's farewell.
            self._held.append((name, boot, envelope))

    def tell(self, change: Change) -> None:
        """Somebody came, changed or went."""
        peer = change.peer
        if self._left or peer.name == self.peer.name:
            return
        if isinstance(change, Lost):
            self._close_route(peer.name)
            self._heard.pop(peer.name, None)
            self._listener.peer_lost(peer.name, peer.boot)
            return
        self._listener.peer_seen(peer)
        held, self._held = self._held, deque(maxlen=_HELD_MESSAGES)
        for name, boot, envelope in held:
            if (name, boot) != (peer.name, peer.boot):
                self._held.append((name, boot, envelope))
            elif not self._left:
                self._accept(name, envelope)

    def expel(self, elder: Peer) -> None:
        """Another process had this name before us; we learnt of it too late to be refused at the door."""
        reason = (
            f"a registrar named {self.peer.name!r} (boot {elder.boot}) joined this installation before this "
            f"one (boot {self.boot}), which therefore leaves: give it another name, or stop the other one"
        )
        _LOG.error("%s", reason)
        others = [Lost(peer) for peer in self.peers.values() if peer.name != self.peer.name]
        self._listener.malformed(self.peer.name, reason)
        for change in others:
            self.tell(change)
        self.leave()

    def _accept(self, sender: str, envelope: Envelope) -> None:
        last = self._heard.get(sender, 0)
        if envelope.sequence <= last:
            return  # it came twice, or was overtaken
        missing = envelope.sequence - last - 1
        if last and missing:
            self.lost_messages += missing
            _LOG.warning("%d messages from %s to %s were lost", missing, sender, self.peer.name)
        self._heard[sender] = envelope.sequence
        self._listener.receive(sender, envelope.message)

    def _complain(self, sender: str, reason: str) -> None:
        """Report the first few of a sender, then ever fewer, so that a flood of garbage stays harmless."""
        if len(self._malformed) >= _REMEMBERED_SENDERS:
            self._malformed.clear()
        count = self._malformed[sender] = self._malformed.get(sender, 0) + 1
        if count <= _REPORTED_IN_FULL or count & (count - 1) == 0:
            self._listener.malformed(
                sender, f"{reason} (number {count} of this sender)" if count > 1 else reason
            )

    def _route(self, peer: Peer) -> zenoh.Publisher:
        route = self._routes.get(peer.name)
        if route is None or route.boot != peer.boot:
            self._close_route(peer.name)
            route = _Route(peer.boot, self._transport.publisher(peer, self.peer))
            self._routes[peer.name] = route
        return route.publisher

    def _close_route(self, name: str) -> None:
        route = self._routes.pop(name, None)
        if route is not None:
            route.publisher.undeclare()  # type: ignore[no-untyped-call]
