"""What a registrar needs of whatever carries its messages. What moves bytes decides nothing.

A `Transport` is one place where registrars meet; `join` gives a registrar its
`Link`. Both implementations (`local`, `zenoh`) pass the same contract tests.
Guarantees: messages between two registrars arrive in order or not at all, each
is handed over on the event loop, `send` never blocks and never raises because
of the other end. Everything else (loss, duplicates after a reconnection) the
registrar copes with itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from framework.transport.messages import Message, Peer


class Listener(Protocol):
    """The registrar's side of a link; always called on its event loop."""

    def receive(self, sender: str, message: Message) -> None:
        """A message has arrived."""
        ...

    def peer_seen(self, peer: Peer) -> None:
        """A registrar has joined, or what it provides has changed."""
        ...

    def peer_lost(self, name: str, boot: str) -> None:
        """A registrar has left or its process is gone."""
        ...

    def malformed(self, sender: str, reason: str) -> None:
        """Bytes arrived that are no message; they have been dropped."""
        ...


class Link(Protocol):
    """One registrar's connection to its transport."""

    @property
    def boot(self) -> str:
        """This incarnation's id; differs from that of every earlier registrar of the same name."""
        ...

    @property
    def beat_s(self) -> float | None:
        """Period of heartbeats [s]; None where peers live and die together with us."""
        ...

    @property
    def discovery_s(self) -> float:
        """How long a provider that is not there yet is waited for [s]."""
        ...

    @property
    def peers(self) -> Mapping[str, Peer]:
        """All registrars now present, this one included."""
        ...

    def is_local(self, name: str) -> bool:
        """Whether that registrar lives in this process and gets objects, not bytes."""
        ...

    def advertise(self, peer: Peer) -> None:
        """Tell everyone what this registrar provides now."""
        ...

    def send(self, to: str, message: Message) -> None:
        """Hand a message over; silently dropped if nobody of that name is there."""
        ...

    def leave(self) -> None:
        """Leave at once; peers see it as `peer_lost`. Idempotent."""
        ...


class Transport(Protocol):
    """A place where registrars meet."""

    @property
    def needs_loop(self) -> bool:
        """Whether joining needs a running event loop (it hands messages over from other threads)."""
        ...

    def join(self, name: str, listener: Listener, *, durable: bool = False) -> Link:
        """Enter under a name that nobody present has.

        Raises TransportError if the name is taken or no valid name.
        """
        ...
