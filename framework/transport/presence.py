"""Who is present: a pure book of incarnations. It hears of tokens and says what has changed.

A name may have several incarnations for a while: a restarted process is seen
before its predecessor's connection has broken, or somebody started a second
registrar under a name that is in use. The one that joined first counts until
it is gone; so a mistake takes nothing over, and a late farewell loses nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from framework.transport.messages import Peer
from framework.transport.zenoh_keys import Token


class Seen(msgspec.Struct, frozen=True):
    """This peer is there now, or provides something else than before."""

    peer: Peer


class Lost(msgspec.Struct, frozen=True):
    """This incarnation is gone."""

    peer: Peer


Change = Seen | Lost


class Presence:
    """All incarnations now known, and of each name the one that counts."""

    def __init__(self) -> None:
        self._tokens: dict[str, dict[str, dict[int, Token]]] = {}  # name → boot → revision
        self._current: dict[str, Peer] = {}
        self.peers: Mapping[str, Peer] = MappingProxyType(self._current)

    def put(self, token: Token) -> tuple[Change, ...]:
        """A token was declared, or declared again."""
        boots = self._tokens.setdefault(token.peer.name, {})
        boots.setdefault(token.peer.boot, {})[token.revision] = token
        return self._settle(token.peer.name)

    def delete(self, token: Token) -> tuple[Change, ...]:
        """A token was withdrawn, or the session that held it is lost. Idempotent."""
        boots = self._tokens.get(token.peer.name, {})
        revisions = boots.get(token.peer.boot, {})
        if revisions.pop(token.revision, None) is None:
            return ()
        if not revisions:
            del boots[token.peer.boot]
        if not boots:
            del self._tokens[token.peer.name]
        return self._settle(token.peer.name)

    def _settle(self, name: str) -> tuple[Change, ...]:
        """Compare who counts now with who was shown."""
        newest = [revisions[max(revisions)] for revisions in self._tokens.get(name, {}).values()]
        counts = min(newest, key=lambda token: (token.born_us, token.peer.boot), default=None)
        before = self._current.get(name)
        changes: list[Change] = []
        if before is not None and (counts is None or counts.peer.boot != before.boot):
            del self._current[name]
            changes.append(Lost(before))
        if counts is not None and counts.peer != before:
            self._current[name] = counts.peer
            changes.append(Seen(counts.peer))
        return tuple(changes)
