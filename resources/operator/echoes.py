"""How old what comes over a stream may be: told by pings, whose answers wait in the same buffers. Pure.

A stream in order (TCP) never loses anything, it delivers late; how late cannot be told from messages without
a time of their own. But the answer to a ping comes behind whatever was sent before it: what arrives now is no
older than the newest ping that was answered.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

PING_EVERY_S: Final = 0.1
_MOST: Final = 32


class Echoes:
    """Of one connection. Times are any monotonic clock's [s]."""

    def __init__(self) -> None:
        self._asked: deque[tuple[bytes, float]] = deque(maxlen=_MOST)
        self._number = 0
        self._answered_s = -math.inf

    def due(self, now_s: float) -> bytes | None:
        """A ping to be sent now, if it is time for one."""
        if self._asked and now_s - self._asked[-1][1] < PING_EVERY_S:
            return None
        self._number += 1
        payload = self._number.to_bytes(4, "little")
        self._asked.append((payload, now_s))
        return payload

    def answer(self, payload: bytes) -> None:
        """An answer came. One to nothing that was asked (lately) tells nothing."""
        for asked, at_s in self._asked:
            if asked == payload:
                self._answered_s = max(self._answered_s, at_s)

    def oldest_s(self, now_s: float) -> float:
        """So old may be what comes now, at most [s]; infinite before the first answer."""
        return now_s - self._answered_s
