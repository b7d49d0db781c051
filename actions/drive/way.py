"""Whether the way of a base is free: what is in it is said, waited for, and in the end given way to.

A scanner that tells nothing is something else than an obstacle, and is said otherwise: whoever looks for what
is in the way would look in vain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pilothouse as ph
from resources.types.motion import BaseSample
from resources.types.motion_clients import BaseClient

#: Who only passes by is not worth a word [s].
_PASSES_BY_S = 0.5

_OBSTACLE = ("waiting for the way to be free", "the way is free again", "the way is blocked")
_BLIND = (
    "waiting to see where I drive",
    "I see again where I drive",
    "I cannot see where I drive, though nothing is known to be in the way",
)


class Way:
    """Looked at again and again while the base drives.

    Args:
        patience_s: so long it is waited for.
        say: told what keeps the base from driving, and that it does no more.
    """

    def __init__(self, base: BaseClient, patience_s: float, say: Callable[[str], None]) -> None:
        self._base = base
        self._patience_s = patience_s
        self._say = say
        self._since_s: float | None = None
        self._said: tuple[str, ...] = ()

    def look(self) -> None:
        """Raises MotionFailed if the base was kept from driving for too long."""
        sample = self._base.latest_motion()
        if not isinstance(sample, BaseSample) or not sample.blocked:
            if self._said:
                self._say(self._said[1])
            self._since_s, self._said = None, ()
            return
        words = _BLIND if sample.is_blind else _OBSTACLE
        waiting, _, failed = words
        now_s = asyncio.get_running_loop().time()
        self._since_s = now_s if self._since_s is None else self._since_s
        waited_s = now_s - self._since_s
        if waited_s >= self._patience_s:
            raise ph.MotionFailed(f"{failed}: {sample.blocked}")
        if waited_s >= _PASSES_BY_S and self._said is not words:
            self._said = words
            self._say(f"{waiting}: {sample.blocked}")
