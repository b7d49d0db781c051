"""When a page is not to be believed any more: too many of its messages are none of ours. Has no clock."""

from __future__ import annotations

from collections import deque
from typing import Final

MOST_INVALID: Final = 20
"""So many within a second, on one connection, and it has to be dropped."""


class BadMessages:
    """Counts the messages of one connection that were out of bounds."""

    def __init__(self) -> None:
        self._times_s: deque[float] = deque(maxlen=MOST_INVALID)

    def are_too_many(self, now_s: float) -> bool:
        """Count one that has come now, and say whether there were `MOST_INVALID` of them within a second."""
        self._times_s.append(now_s)
        return len(self._times_s) == MOST_INVALID and now_s - self._times_s[0] < 1.0
