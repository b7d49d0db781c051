"""What is between the registrars of a history: what a network does, and when an end is heard of."""

from __future__ import annotations

import asyncio
from enum import Enum

from framework.transport.codec import decode, encode
from framework.transport.local import LocalLink, LocalTransport
from framework.transport.messages import Message, Peer


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
