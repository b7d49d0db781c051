"""How sure a share or a rate is, at 95 %: score intervals."""

from __future__ import annotations

import math
from typing import Final

Z: Final = 1.96


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """Bounds of a share (Wilson, Probable inference, 1927). tries: more than 0; independent of each other."""
    share, z2 = hits / tries, Z * Z
    middle = share + z2 / (2 * tries)
    half = Z * math.sqrt(share * (1.0 - share) / tries + z2 / (4 * tries * tries))
    scale = 1.0 + z2 / tries
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def rate_at_most(events: int, length: float) -> float:
    """Upper bound of a rate, of events that were counted over a length; of none, 3.84 over the length."""
    return (events + Z * Z / 2 + Z * math.sqrt(events + Z * Z / 4)) / length
