"""Registrars of different processes meet here, over Eclipse Zenoh. Registrar messages only, no streams.

Registrars that share one `ZenohTransport` hand each other objects, as in
`local`; nothing between them is encoded or leaves the process. To all others
messages go as msgpack (`codec`), numbered (`zenoh_link`). Presence is Zenoh's
liveliness (`zenoh_keys`, `presence`). What arrives on Zenoh's threads comes to
the event loop through an `inbox`; the session itself is in `zenoh_session`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping
from typing import NamedTuple, Self

import msgspec
import zenoh
from zenoh.handlers import Callback

from framework.clock import LoopClock
from framework.errors import MalformedMessage, TransportError
from framework.transport.inbox import Inbox
from framework.transport.interface import Link, Listener
from framework.transport.local import checked_name
from framework.transport.messages import Peer
from framework.transport.presence import Change, Presence, Seen
from framework.transport.zenoh_keys import Keys, Token
from framework.transport.zenoh_link import ZenohLink
from framework.transport.zenoh_session import ANYWHERE_HERE, ZenohSession, checked_endpoint

_LOG = logging.getLogger(__name__)

_OVERHEAD_BYTES = 256


class _Said(NamedTuple):
    """Bytes as they came in: for which link, at which key."""

    link: ZenohLink
    key: str
    payload: bytes


class _Present(NamedTuple):
    """A presence token that came (`now`) or went."""

    key: str
    now: bool


class _Member(NamedTuple):
    """A link, and what Zenoh holds for it."""

    link: ZenohLink
    subscriber: zenoh.Subscriber[None]
    token: Token
    declared: zenoh.LivelinessToken


class ZenohTransport:
    """The registrars of one process, and the way from them to those of all others of the installation.

    It opens at the first `join` (about 10 ms, on the calling thread; 200 ms more if
    an endpoint of `connect` does not answer yet) or by `open()`. `close()` must be called at
    the end, or use it as a context manager; what was forgotten is closed when
    the interpreter exits. All methods are called on the event loop of the first `join`.

    A name that is present is refused at `join`. If two processes join under one name so
    nearly at once that neither sees the other, the later one is expelled as soon as they
    meet: its listener is told by `malformed` and loses all peers.

    Args:
        listen: endpoints `tcp/HOST:PORT` where others can connect; a free port of 127.0.0.1 by default.
        connect: endpoints of others. One common neighbour is enough: peers find each other through it.
            An endpoint that does not answer (any more) is tried again for ever, twice a second.
        installation: registrars see those of the same installation only. It is a name, no protection.
        beat_s: period of the registrars' heartbeats [s].
        discovery_s: how long a provider that is not there yet is waited for [s].
        shared_memory: lets Zenoh use shared memory between processes of one machine.
        allow_remote: permits endpoints that are not on the loopback interface.

    Raises TransportError for an endpoint or a name that is none, or leads off this machine unasked.
    """

    needs_loop = True

    def __init__(
        self,
        *,
        listen: tuple[str, ...] = (),
        connect: tuple[str, ...] = (),
        installation: str = "default",
        beat_s: float = 0.1,
        discovery_s: float = 2.0,
        shared_memory: bool = False,
        allow_remote: bool = False,
    ) -> None:
        for endpoint in (*listen, *connect):
            checked_endpoint(endpoint, allow_remote=allow_remote)
        self.beat_s = beat_s
        self.discovery_s = discovery_s
        self._listen = listen or (ANYWHERE_HERE,)
        self._connect = connect
        self._shared_memory = shared_memory
        self._keys = Keys(installation)
        self._presence = Presence()
        self._members: dict[str, _Member] = {}
        self._session: ZenohSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: Inbox[_Said | _Present] | None = None
        self._closed = False
        self._unreadable_tokens = 0

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Where others can connect to, with the ports really used; opens the transport if need be."""
        return self._opened().endpoints

    @property
    def peers(self) -> Mapping[str, Peer]:
        """All registrars now present, by name."""
        return self._presence.peers

    def open(self) -> None:
        """Open the session, if it is not open yet.

        Raises TransportError if it has been closed, or if Zenoh cannot listen where it should.
        """
        self._opened()

    def join(self, name: str, listener: Listener, *, durable: bool = False) -> Link:
        """Enter under `name`; what is known of others is told before this returns.

        Raises TransportError if the name is taken in this installation or is no valid name,
        or if this is not the event loop of earlier calls.
        """
        checked_name(name)
        session, inbox = self._opened(), self._started()
        inbox.drain()
        if name in self.peers:
            where = "this process" if name in self._members else "another process"
            raise TransportError(
                f"a registrar named {name!r} is already here, in {where}: leave it first, "
                f"or choose another name than {', '.join(sorted(self.peers))}"
            )
        peer = Peer(name, secrets.token_hex(4), (), durable)
        token = Token(peer, session.id, int(LoopClock().wall_s() * 1e6), 0)
        link = ZenohLink(self, peer, listener)

        def said(sample: zenoh.Sample) -> None:  # on a thread of Zenoh's
            payload = sample.payload.to_bytes()
            inbox.put(_Said(link, str(sample.key_expr), payload), len(payload) + _OVERHEAD_BYTES)

        subscriber = session.zenoh.declare_subscriber(
            self._keys.inbox(name, peer.boot), Callback(said, indirect=False)
        )
        # Only now: who sees the token may write at once.
        declared = session.zenoh.liveliness().declare_token(self._keys.token(token))
        self._members[name] = _Member(link, subscriber, token, declared)
        self._apply(self._presence.put(token))
        for other in list(self.peers.values()):
            link.tell(Seen(other))
        return link

    def close(self) -> None:
        """Leave with all registrars and close the session, in about 10 ms. Idempotent.

        If a neighbour hangs with much under way to it: after 0.5 s, see `ZenohSession.close`.
        """
        self._closed = True
        members, self._members = self._members, {}
        for member in members.values():
            member.link.silence()
        if self._inbox is not None:
            self._inbox.close()
        if self._session is not None:
            self._session.close()

    def link(self, name: str) -> ZenohLink | None:
        """The link of that registrar, if it has joined here."""
        member = self._members.get(name)
        return None if member is None else member.link

    def announce(self, link: ZenohLink, peer: Peer) -> None:
        """A registrar of ours provides something else now."""
        member = self._members[peer.name]
        token = msgspec.structs.replace(member.token, peer=peer, revision=member.token.revision + 1)
        declared = self._opened().zenoh.liveliness().declare_token(self._keys.token(token))
        self._members[peer.name] = member._replace(token=token, declared=declared)
        member.declared.undeclare()  # type: ignore[no-untyped-call]
        self._apply(self._presence.put(token))
        self._apply(self._presence.delete(member.token))

    def remove(self, link: ZenohLink) -> None:
        """A registrar of ours has left. Idempotent."""
        member = self._members.get(link.peer.name)
        if member is None or member.link is not link:
            return
        del self._members[link.peer.name]
        member.declared.undeclare()  # type: ignore[no-untyped-call]
        member.subscriber.undeclare()  # type: ignore[no-untyped-call]
        self._apply(self._presence.delete(member.token))

    def publisher(self, to: Peer, sender: Peer) -> zenoh.Publisher:
        """The way out to one incarnation of a peer: never waits long, loses rather than blocks."""
        return self._opened().zenoh.declare_publisher(
            self._keys.message(to, sender),
            congestion_control=zenoh.CongestionControl.DROP,
            priority=zenoh.Priority.INTERACTIVE_HIGH,
            allowed_destination=zenoh.Locality.REMOTE,
        )

    def _opened(self) -> ZenohSession:
        if self._closed:
            raise TransportError("this transport has been closed; make a new one")
        if self._session is None:
            self._session = ZenohSession(self._listen, self._connect, shared_memory=self._shared_memory)
        return self._session

    def _started(self) -> Inbox[_Said | _Present]:
        """The inbox, made at the first join together with the watch on presence."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise TransportError("join a ZenohTransport from within a running event loop") from None
        if self._inbox is None:
            self._loop = loop
            self._inbox = inbox = Inbox[_Said | _Present](loop, self._deliver)

            def present(sample: zenoh.Sample) -> None:  # on a thread of Zenoh's, or on this one
                inbox.put(_Present(str(sample.key_expr), sample.kind == zenoh.SampleKind.PUT))

            self._opened().zenoh.liveliness().declare_subscriber(
                self._keys.all_tokens, Callback(present, indirect=False), history=True
            )
        elif loop is not self._loop:
            raise TransportError("a transport belongs to the event loop of its first join; make one per loop")
        return self._inbox

    def _deliver(self, item: _Said | _Present) -> None:
        if isinstance(item, _Said):
            item.link.take(item.key, item.payload)
            return
        try:
            token = self._keys.parse_token(item.key)
        except MalformedMessage as error:
            self._unreadable_tokens += 1
            if self._unreadable_tokens & (self._unreadable_tokens - 1) == 0:
                _LOG.warning("%s (number %d)", error, self._unreadable_tokens)
            return
        if self._session is None or token.session == self._session.id:
            return  # our own; known already
        self._apply(self._presence.put(token) if item.now else self._presence.delete(token))

    def _apply(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            own = self.link(change.peer.name)
            if own is not None and isinstance(change, Seen) and change.peer.boot != own.boot:
                own.expel(change.peer)
            for member in list(self._members.values()):
                member.link.tell(change)
