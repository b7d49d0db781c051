"""How registrars and their messages are named in Zenoh's key space; strings only, nothing is sent here.

    pilothouse/<installation>/peer/<name>/<boot>/<session>/<born>/<revision>/<durable>/=<type>,<type>,…
    pilothouse/<installation>/to/<name>/<boot>/<sender>/<sender's boot>

The first is a liveliness token: everything known of a present registrar is in
it, so that presence and content cannot come apart. Zenoh itself declares it
again after a reconnection and withdraws it when the process is gone.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

import msgspec

from framework.errors import MalformedMessage, TransportError
from framework.transport.local import checked_name
from framework.transport.messages import Peer

MAX_KEY_BYTES = 32_768
"""Zenoh writes a key's length in 16 bits and sends it in one batch of 48 KiB."""

_BOOT = re.compile(r"[0-9a-f]{8}")
_SESSION = re.compile(r"[0-9a-f]{1,32}")
_HEX = re.compile(r"[0-9a-f]{1,16}")


class Token(msgspec.Struct, frozen=True):
    """One registrar's presence.

    `session` is the Zenoh session it lives in, `born_us` when it joined
    [microseconds since 1970, its own wall clock]; `revision` counts how often what it
    provides has changed.
    """

    peer: Peer
    session: str
    born_us: int
    revision: int


class Keys:
    """The keys of one installation; installations do not see each other."""

    def __init__(self, installation: str) -> None:
        self._root = f"pilothouse/{_chunk(checked_name(installation))}"
        self.all_tokens = f"{self._root}/peer/**"

    def token(self, token: Token) -> str:
        """The key that says so; raises TransportError if `provides` is too long to be said."""
        peer = token.peer
        provides = ",".join(_chunk(kind) for kind in peer.provides)
        key = (
            f"{self._root}/peer/{_chunk(peer.name)}/{peer.boot}/{token.session}/{token.born_us:x}/"
            f"{token.revision:x}/{'d' if peer.durable else 'v'}/={provides}"
        )
        if len(key) > MAX_KEY_BYTES:
            raise TransportError(
                f"{peer.name} provides {len(peer.provides)} types: {len(provides)} characters; "
                f"at most {MAX_KEY_BYTES} fit. Spread them over several registrars."
            )
        return key

    def parse_token(self, key: str) -> Token:
        """What a token says; raises MalformedMessage if it is none of ours."""
        chunks = key.removeprefix(f"{self._root}/peer/").split("/")
        if len(chunks) != 7:
            raise MalformedMessage(f"the presence token {_short(key)} has {len(chunks)} parts instead of 7")
        name, boot, session, born, revision, durable, provides = chunks
        sound = (
            _BOOT.fullmatch(boot)
            and _SESSION.fullmatch(session)
            and _HEX.fullmatch(born)
            and _HEX.fullmatch(revision)
            and durable in ("d", "v")
            and provides.startswith("=")
        )
        if not sound:
            raise MalformedMessage(f"the presence token {_short(key)} cannot be read")
        try:
            peer = Peer(
                checked_name(unquote(name)),
                boot,
                tuple(unquote(kind) for kind in provides[1:].split(",") if kind),
                durable == "d",
            )
        except TransportError as error:
            raise MalformedMessage(f"the presence token {_short(key)}: {error}") from error
        return Token(peer, session, int(born, 16), int(revision, 16))

    def inbox(self, name: str, boot: str) -> str:
        """What the incarnation `boot` of the registrar `name` listens to."""
        return f"{self._root}/to/{_chunk(name)}/{boot}/*/*"

    def message(self, to: Peer, sender: Peer) -> str:
        """Where `sender` puts what it has to say to `to`."""
        return f"{self._root}/to/{_chunk(to.name)}/{to.boot}/{_chunk(sender.name)}/{sender.boot}"


def sender_of(key: str) -> tuple[str, str]:
    """Name and boot of who put something at a message key, as claimed there."""
    _, name, boot = key.rsplit("/", 2)
    return (unquote(name) if "%" in name else name), boot


def _chunk(text: str) -> str:
    """`text` without the characters that mean something in a key."""
    return quote(text, safe=":")


def _short(key: str) -> str:
    return repr(key if len(key) <= 120 else f"{key[:120]}…")
