"""What can ail a played device, process or link that works: slow, lying, lossy, short of processor.

Whoever writes samples asks its ailment first; nothing else knows of them.
"""

from __future__ import annotations

from typing import Final

import msgspec

from framework.scenarios.scenario import How


class Ailment(msgspec.Struct, frozen=True):
    """slower: it writes so many times more seldom. stamps_off_s: its clock is wrong by so much.

    away_s: of each second it gets no processor for so long. place_off_m: so far from the truth is what it
    says of a place. lost: this share of what it sends never comes.
    """

    slower: float = 1.0
    stamps_off_s: float = 0.0
    away_s: float = 0.0
    place_off_m: float = 0.0
    lost: float = 0.0

    def is_away(self, now_s: float) -> bool:
        """Whether it gets no processor just now."""
        return now_s % 1.0 < self.away_s


HEALTHY: Final = Ailment()

AILMENTS: Final = {
    How.SLOW: Ailment(slower=8.0, stamps_off_s=-0.1),
    How.LIE: Ailment(stamps_off_s=0.15, place_off_m=0.03),
    How.STARVED: Ailment(away_s=0.4),
    How.LOSSY: Ailment(lost=0.4),
}
"""By the way to fail; all others are no ailments: nothing works any more."""
