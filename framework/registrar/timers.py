"""All deadlines of one core in one place, so that the shell keeps a single timer.

Setting and clearing are constant-time; the earliest one is looked up only when
the shell's timer goes off.
"""

from __future__ import annotations

import math
from collections.abc import Callable

TimerKey = tuple[str, int | str]


class Timers:
    """Deadlines by key. `wake_s` is no later than the earliest of them."""

    __slots__ = ("_due", "wake_s")

    def __init__(self) -> None:
        self._due: dict[TimerKey, tuple[float, Callable[[], None]]] = {}
        self.wake_s = math.inf

    def set(self, key: TimerKey, at_s: float, action: Callable[[], None]) -> None:
        """Have `action` called at the first tick not before `at_s`; replaces the key's earlier one."""
        self._due[key] = (at_s, action)
        if at_s < self.wake_s:
            self.wake_s = at_s

    def clear(self, key: TimerKey) -> None:
        """Forget a deadline; unknown keys are fine."""
        self._due.pop(key, None)

    def pending(self, besides: tuple[str, ...] = ()) -> list[TimerKey]:
        """The keys of all deadlines, except those of the kinds named."""
        return [key for key in self._due if key[0] not in besides]

    def shift(self, by_s: float) -> None:
        """Move all deadlines: while our own process was suspended nobody could meet one."""
        self._due = {key: (at_s + by_s, action) for key, (at_s, action) in self._due.items()}
        self.wake_s += by_s

    def tick(self, now_s: float) -> None:
        """Call what is due, earliest first, and find the next wake-up."""
        due = sorted(
            ((at_s, key) for key, (at_s, _) in self._due.items() if at_s <= now_s), key=lambda pair: pair[0]
        )
        for at_s, key in due:
            entry = self._due.get(key)
            if entry is not None and entry[0] == at_s:
                del self._due[key]
                entry[1]()
        self.wake_s = min((at_s for at_s, _ in self._due.values()), default=math.inf)
