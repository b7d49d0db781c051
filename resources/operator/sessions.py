"""Who is there: names, the digests of their secrets, who comes back as whom. Pure: time comes in.

A page that is loaded anew brings its secret and is the same session. A session whose link is dead for
`FORGOTTEN_S` is over: its hands are gone, and it is in no list of those who are there. Its secret is good for
an hour longer, so that a phone that was put away comes back without a code: under its old name, as a new
session, because no loop may take it for the one it followed. Whoever is kicked, there or away, has to pair
anew, and is told by whom.
"""

from __future__ import annotations

import secrets
from typing import Final

import msgspec

from resources.operator.pairing import digest_of, new_secret
from resources.types.operator import DeviceKind

MOST_SESSIONS: Final = 8
MOST_AWAY: Final = 64
FORGOTTEN_S: Final = 60.0
COMES_BACK_S: Final = 3600.0
MOST_GIVEN_CHARS: Final = 24


class Session(msgspec.Struct):
    """One that is there. id: never used twice; digest: of its secret.

    alive_s: when its link was alive last [s]; is_alive: it is now.
    """

    id: str
    name: str
    kind: DeviceKind
    digest: bytes
    alive_s: float
    is_alive: bool = False


class Away(msgspec.Struct, frozen=True):
    """One that was there and may come back until `until_s`."""

    name: str
    kind: DeviceKind
    digest: bytes
    until_s: float


class Void(msgspec.Struct, frozen=True):
    """A secret that opens nothing any more, and why, for whoever brings it."""

    digest: bytes
    words: str


class Memory(msgspec.Struct, frozen=True):
    """What outlives the process: who may come back, who may not, and how many of each kind there were."""

    away: tuple[Away, ...] = ()
    counted: dict[DeviceKind, int] = {}
    void: tuple[Void, ...] = ()


class SessionBook:
    """All sessions of an installation. Times are CLOCK_MONOTONIC [s].

    memory: of the process before this one; everybody in it may come back.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        memory = memory or Memory()
        self.sessions: dict[str, Session] = {}
        self._away: dict[bytes, Away] = {away.digest: away for away in memory.away}
        self._void: dict[bytes, str] = {each.digest: each.words for each in memory.void}
        self._counted = dict(memory.counted)

    @property
    def is_full(self) -> bool:
        """Whether nobody more gets in."""
        return len(self.sessions) >= MOST_SESSIONS

    def admit(self, kind: DeviceKind, given: str, now_s: float) -> tuple[Session, str]:
        """A new session, and its secret. given: what people call the device, or ""."""
        number = self._counted.get(kind, 0) + 1
        self._counted[kind] = number
        called = _plain(given)
        name = f"{kind.value} {number}" + (f" ({called})" if called else "")
        secret = new_secret()
        return self._enter(name, kind, digest_of(secret), now_s), secret

    def of_secret(self, secret: str, now_s: float) -> Session | None:
        """Whose secret this is: one who is there, or comes back; None for anybody else."""
        digest = digest_of(secret)  # looked up by digest: how long that takes tells nothing of the secret
        for session in self.sessions.values():
            if session.digest == digest:
                return session
        away = self._away.get(digest)
        if away is None or away.until_s <= now_s or self.is_full:
            return None
        del self._away[digest]
        return self._enter(away.name, away.kind, digest, now_s)

    def find(self, id_or_name: str) -> Session | None:
        """A session that is there."""
        named = (each for each in self.sessions.values() if each.name == id_or_name)
        return self.sessions.get(id_or_name) or next(named, None)

    def is_alive(self, session: Session, alive: bool, now_s: float) -> None:
        """Its link is alive, or not."""
        if alive or session.is_alive:
            session.alive_s = now_s
        session.is_alive = alive

    def remove(self, session: Session, words: str = "") -> None:
        """It is over, and its secret is void. words: why, for whoever comes with it all the same."""
        self.sessions.pop(session.id, None)
        self._make_void(session.digest, words)

    def bar(self, name: str, words: str = "") -> bool:
        """One who is away does not come back; whether there was such a one. words: as of `remove`."""
        barred = [digest for digest, away in self._away.items() if away.name == name]
        for digest in barred:
            del self._away[digest]
            self._make_void(digest, words)
        return bool(barred)

    def away(self, now_s: float) -> tuple[Away, ...]:
        """Those who are not there and may come back, in the order in which they left."""
        return tuple(away for away in self._away.values() if away.until_s > now_s)

    def why_void(self, secret: str) -> str:
        """Why the session of this secret was ended; "" if that is not known, or nobody ended it."""
        return self._void.get(digest_of(secret), "")

    def forget(self, now_s: float) -> tuple[Session, ...]:
        """Those dead for too long, who are over now; they may come back."""
        self._away = {digest: away for digest, away in self._away.items() if away.until_s > now_s}
        over = tuple(
            each
            for each in self.sessions.values()
            if not each.is_alive and now_s - each.alive_s >= FORGOTTEN_S
        )
        for session in over:
            self.remove(session)
            self._put_away(_away(session))
        return over

    def memory(self) -> Memory:
        """What the next process is to know, should this one end now."""
        there = (_away(each) for each in self.sessions.values())
        void = tuple(Void(digest, words) for digest, words in self._void.items())
        return Memory((*self._away.values(), *there), dict(self._counted), void)

    def _enter(self, name: str, kind: DeviceKind, digest: bytes, now_s: float) -> Session:
        session = Session(secrets.token_hex(8), name, kind, digest, now_s)
        self.sessions[session.id] = session
        return session

    def _make_void(self, digest: bytes, words: str) -> None:
        if words:
            while len(self._void) >= MOST_AWAY:
                del self._void[next(iter(self._void))]
            self._void[digest] = words

    def _put_away(self, away: Away) -> None:
        while len(self._away) >= MOST_AWAY:
            del self._away[next(iter(self._away))]
        self._away[away.digest] = away


def _away(session: Session) -> Away:
    return Away(session.name, session.kind, session.digest, session.alive_s + COMES_BACK_S)


def _plain(given: str) -> str:
    """A name people gave, as far as it can stand in a list: letters, digits, spaces, "-", "." and "_"."""
    kept = "".join(each for each in given if each.isalnum() or each in " -._")
    return " ".join(kept.split())[:MOST_GIVEN_CHARS].strip()
