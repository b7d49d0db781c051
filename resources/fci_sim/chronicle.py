"""What happened, in words: kept for whoever asks later, and handed on at once.

The same words again and again (a flood of garbage) are left out after a few in one second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

_KEPT = 2000
_IN_FULL = 50


class Event(msgspec.Struct, frozen=True):
    """One thing that happened: number, arm, time since the box started [s], words."""

    number: int
    arm: int
    t_s: float
    text: str

    def __str__(self) -> str:
        return f"{self.t_s:9.3f} s  arm {self.arm}: {self.text}"


class Chronicle:
    """The events of all arms of a box."""

    def __init__(self, clock: Callable[[], float], show: Callable[[Event], None] | None = None) -> None:
        self._clock = clock
        self._begun_s = clock()
        self._show = show
        self._floods: dict[tuple[int, str], tuple[int, int]] = {}  # second, times in it
        self._count = 0
        self.events: deque[Event] = deque(maxlen=_KEPT)

    def tell(self, arm: int, text: str) -> None:
        """Something happened."""
        t_s = self._clock() - self._begun_s
        second, times = self._floods.get((arm, text), (int(t_s), 0))
        if second != int(t_s):
            second, times = int(t_s), 0
        if len(self._floods) > _KEPT:
            self._floods.clear()
        self._floods[arm, text] = (second, times + 1)
        if times > _IN_FULL:
            return
        if times == _IN_FULL:
            text += " … and again; the rest of this second is left out"
        self._count += 1
        event = Event(self._count, arm, round(t_s, 4), text)
        self.events.append(event)
        if self._show is not None:
            self._show(event)
