"""Whether the way of a base is free: what is in it is said, waited for, and in the end given way to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pilothouse as ph
from resources.types.motion import BaseSample
from resources.types.motion_clients import BaseClient

#: Who only passes by is not worth a word [s].
_PASSES_BY_S = 0.5


class Way:
    """Looked at again and again while the base drives.

    Args:
        patience_s: so long an obstacle is waited for.
        say: told what is in the way, and that it is free again.
    """

    def __init__(self, base: BaseClient, patience_s: float, say: Callable[[str], None]) -> None:
        self._base = base
        self._patience_s = patience_s
        self._say = say
        self._since_s: float | None = None
        self._is_said = False

    def look(self) -> None:
        """Raises MotionFailed if something has been in the way for too long."""
        sample = self._base.latest_motion()
        reason = sample.blocked if isinstance(sample, BaseSample) else ""
        if not reason:
            if self._is_said:
                self._say("the way is free again")
            self._since_s, self._is_said = None, False
            return
        now_s = asyncio.get_running_loop().time()
        self._since_s = now_s if self._since_s is None else self._since_s
        waited_s = now_s - self._since_s
        if waited_s >= self._patience_s:
            raise ph.MotionFailed(f"the way is blocked: {reason}")
        if waited_s >= _PASSES_BY_S and not self._is_said:
            self._is_said = True
            self._say(f"waiting for the way to be free: {reason}")
