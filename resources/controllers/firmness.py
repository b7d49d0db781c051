"""How firm the joints' springs are: stiff while the arm brakes, compliant when it has stood for a while.

What shakes an arm that comes to rest (a base that brakes, too) swings a compliant one for long. But stiff
springs ask for torque faster than motors may change it; where that happens they yield at once, for a spring
that is answered late drives the arm instead of braking it.
"""

from __future__ import annotations

# How soon springs get stiff, yield where torque is short of what they ask for, and ease when all is over [s].
_FIRMS_S, _YIELDS_S, _EASES_S, _EASES_SOON_S = 0.1, 0.03, 0.5, 0.2

# After its halt an arm may still be shaken for so long [s].
_STAYS_S = 0.2


class Firmness:
    """Of one arm. share: 0 is as compliant as it holds, 1 as stiff as it brakes."""

    def __init__(self) -> None:
        self.share = 0.0
        self._stays_s = 0.0

    def ease(self) -> None:
        """Compliant at once: nothing brakes."""
        self.share = self._stays_s = 0.0

    def step(self, *, brakes: bool, holds: bool, falls_short: bool, dt_s: float) -> float:
        """One period on; returns the share.

        Args:
            brakes: it is on its way to rest; holds: it stays where it is, as after that; else it is moved.
            falls_short: less torque than wanted could be given in the last period.
        """
        if brakes:
            self._stays_s = _STAYS_S
        elif not holds:
            self._stays_s = 0.0
        change = 0.0
        if falls_short:
            change = -dt_s / _YIELDS_S
        elif brakes or self._stays_s > 0.0:
            change = dt_s / _FIRMS_S
        elif self.share > 0.0:
            change = -dt_s / (_EASES_S if holds else _EASES_SOON_S)
        self._stays_s = max(0.0, self._stays_s - dt_s)
        self.share = min(max(self.share + change, 0.0), 1.0)
        return self.share
