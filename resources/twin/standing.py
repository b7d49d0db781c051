"""An arm that is pressed against a wall stands while it still can, and is not led where it cannot.

A push that goes on moves an arm along the wall, towards postures in which joint 2, which bears the arm too,
has no torque left for the wall, or in which joints are at their ends. The barrier cannot help it there. So
motion along the wall is resisted before, as far as the push takes what torque there is. Pushed away from the
wall, or less hard, the arm is free again: it bears what the observer sees, no more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.controllers.limits import Permitted
from resources.controllers.state import ArmState

Array = NDArray[np.float64]

# Further than the first from where a wall is felt it is free, nearer than the second it stands with all it
# has [m]: there it rests once it bears the push, which must not come and go with that.
_NEAR_M, _AT_M = 0.03, 0.01

# Of the effort of the joint that has least left: from the first share on it resists, from the second it
# stands. Above are a quarter for the barrier, and for what coming to rest takes.
_SCARCE, _SHORT = 0.55, 0.75

# How soon it comes to rest [1/s].
_RESTING = 15.0


def standing(state: ArmState, permitted: Permitted, distances: Array, closing: Array) -> Array:
    """What to add to a torque (7,) [N m], for the arm to bear a push by itself.

    Args:
        distances: how far outside of margins that are felt (n,) [m]; closing: by what those grow less
            (n, 7) [m/rad].
    """
    scarce = _ramp(_used(state, permitted), _SCARCE, _SHORT)
    if scarce == 0.0:
        return np.zeros(7)
    pushed = state.inverse_mass.dot(state.external)
    pressed = distances[closing.dot(pushed) > 0.0]
    if not len(pressed):
        return np.zeros(7)
    share = scarce * _ramp(-float(pressed.min()), -_NEAR_M, -_AT_M)
    resting: Array = state.dynamics.mass.dot(state.dq)
    return -share * (state.external + _RESTING * resting)


def _used(state: ArmState, permitted: Permitted) -> float:
    """The greatest share of a joint's effort that it takes to bear arm and push."""
    most, least = permitted.most, permitted.least
    return float((np.abs(state.external + (most + least) / 2) / ((most - least) / 2)).max())


def _ramp(value: float, start: float, end: float) -> float:
    return min(1.0, max(0.0, (value - start) / (end - start)))
