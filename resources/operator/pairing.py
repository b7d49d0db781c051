"""How a device gets in: one code at a time, good for two minutes and one device.

Pure: time comes in as an argument, nothing is sent. A wrong try changes nothing: a code has 128 bits, which
nobody guesses, and a stranger must not be able to void it. A code that was good once is told from a guess, so
that whoever brings it learns what became of it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Final

from resources.types.operator import CodeEnd

PAIRING_S: Final = 120.0
LONGEST_S: Final = 900.0
MOST_OLD: Final = 32
"""Codes that are remembered as having been good once."""


def new_secret() -> str:
    """128 random bits as text that may stand in an address or a header."""
    return secrets.token_urlsafe(16)


def digest_of(secret: str) -> bytes:
    """What is kept of a secret: who reads our memory still has none."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def is_same(secret: str, digest: bytes) -> bool:
    """Whether a secret is the one of this digest; takes as long for every wrong one."""
    return hmac.compare_digest(digest_of(secret), digest)


class Attempt(Enum):
    """What became of a try to get in; the value says it to who tried, and what to do."""

    GOOD = ""
    WRONG = "this is not the code that is shown; scan it again"
    USED = "this code was used by another device; each code lets one in: have a new one made on the console"
    EXPIRED = "this code is too old; have a new one made on the console"
    NONE_OPEN = "no code is open; have one made on the console, then scan it"


class PairingDesk:
    """The one code that is open, if any. Times are any monotonic clock's [s].

    new_token: for tests.
    """

    def __init__(self, new_token: Callable[[], str] = new_secret) -> None:
        self.token = ""
        """The open code; "" while none is."""
        self.expires_s = 0.0
        self.ended: CodeEnd | None = None
        """What became of the code before, while none is open; None: there was none."""
        self._new_token = new_token
        self._digest = b""
        self._old: deque[tuple[bytes, CodeEnd]] = deque(maxlen=MOST_OLD)

    def open(self, now_s: float, for_s: float = PAIRING_S) -> str:
        """Make a new code; the one before is void. At most `LONGEST_S` long."""
        self._close(CodeEnd.EXPIRED)
        self.ended = None
        self.token = self._new_token()
        self._digest = digest_of(self.token)
        self.expires_s = now_s + min(max(for_s, 0.0), LONGEST_S)
        return self.token

    def has_expired(self, now_s: float) -> bool:
        """Close the code if its time is over; whether that was so."""
        if not self.token or now_s < self.expires_s:
            return False
        self._close(CodeEnd.EXPIRED)
        return True

    def present(self, token: str, now_s: float) -> Attempt:
        """Try a code. A good one is used up."""
        self.has_expired(now_s)
        if self.token and is_same(token, self._digest):
            self._close(CodeEnd.USED)
            return Attempt.GOOD
        for digest, end in self._old:
            if is_same(token, digest):
                return Attempt[end.name]
        return Attempt.WRONG if self.token else Attempt.NONE_OPEN

    def _close(self, end: CodeEnd) -> None:
        if self.token:
            self._old.append((self._digest, end))
            self.ended = end
        self.token, self._digest, self.expires_s = "", b"", 0.0
