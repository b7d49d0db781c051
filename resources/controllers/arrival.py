"""Whether a goal has been reached, or will not be: by clock, distance and standing still; and why not."""

from __future__ import annotations

from resources.controllers.clock import Clock
from resources.controllers.settings import ArmSettings

# As fast as this a goal may be passed [rad/s].
SLOW = 0.05

# A clock that runs slower than this stands: something holds the arm up.
_STANDING = 0.02

# After the end of a trajectory, its goal is waited for no longer than this [s].
_LATEST_S = 8.0


class Arrival:
    """Judges one goal, tick by tick."""

    def __init__(self, settings: ArmSettings) -> None:
        self._patience_s, self._nearby = settings.patience_s, settings.nearby_factor
        self._waited_s = 0.0

    def is_due(self, clock: Clock) -> bool:
        """Whether the goal could be reached by now, or will not be."""
        return clock.is_over or clock.pace < _STANDING

    def judged(self, clock: Clock, far: float, fastest: float, still_s: float, dt_s: float) -> bool | None:
        """True if it was reached, False if it will not be, None if that cannot be said yet.

        Args:
            far: how far away the goal is, in units of what counts as reached.
            fastest: the speed of the fastest joint [rad/s]; still_s: how long none has moved [s].
        """
        if clock.is_over and far <= 1.0 and fastest < SLOW:
            return True
        self._waited_s += dt_s
        if min(self._waited_s, still_s) < self._patience_s and self._waited_s < _LATEST_S:
            return None
        # Friction may keep an arm from the last millimetres.
        return clock.is_over and far <= self._nearby


def held_up(touches: bool, missing: str) -> str:
    """Why a goal was not reached, for people: something pushes back, or the arm comes no further."""
    if touches:
        return f"something is in the way: {missing}"
    return f"the arm cannot get any further, though nothing touches it: {missing}"
