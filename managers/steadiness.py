"""Whether a child that is started again and again is worth relying on. Pure; `now` is monotonic seconds."""

from __future__ import annotations

import math
from typing import Final

CALM_S: Final = 30.0
"""Who has been up for so long is steady, whatever was before [s]."""

MANY: Final = 3
"""So many starts anew, none of them followed by a calm, make it unsteady."""


class Steadiness:
    """Counts the losses of one child in a row: those that came before it had been up for `CALM_S`."""

    def __init__(self) -> None:
        self.in_a_row = 0
        self._up_since_s = -math.inf

    @property
    def is_unsteady(self) -> bool:
        """Whether it keeps failing."""
        return self.in_a_row >= MANY

    def up(self, now: float) -> None:
        """It is ready again."""
        self._up_since_s = now

    def lost(self, now: float) -> None:
        """It was up, and is no more."""
        self.in_a_row = 1 if now - self._up_since_s >= CALM_S else self.in_a_row + 1
        self._up_since_s = math.inf

    def has_calmed(self, now: float) -> bool:
        """Whether it has been up for long enough; then the count begins anew."""
        if now - self._up_since_s < CALM_S:
            return False
        self.in_a_row = 0
        return True
