"""A brake on the tool itself, whatever moves it: damping that begins well below its greatest speed and turn.

References keep to their own, lower speeds. But a saturated spring, a joint at its end or a hand may make
the tool faster than what it follows.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics
from resources.controllers.settings import TOOL_SPEED, TOOL_TURN

Array = NDArray[np.float64]

# From this share of the limits on, with so much damping [N s/m], [N m s/rad].
_SHARE, _DAMPING, _TURN_DAMPING = 0.7, 120.0, 8.0


def braked(torque: Array, dynamics: ArmDynamics) -> Array:
    """`torque` (7,) [N m], with what brakes a tool that is too fast."""
    vx, vy, vz, wx, wy, wz = dynamics.twist.tolist()
    speed, turn = math.sqrt(vx * vx + vy * vy + vz * vz), math.sqrt(wx * wx + wy * wy + wz * wz)
    fast, turning = speed - _SHARE * TOOL_SPEED, turn - _SHARE * TOOL_TURN
    if fast <= 0.0 and turning <= 0.0:
        return torque
    push = -_DAMPING * max(fast, 0.0) / max(speed, 1e-9)
    twist = -_TURN_DAMPING * max(turning, 0.0) / max(turn, 1e-9)
    wrench = np.array((push * vx, push * vy, push * vz, twist * wx, twist * wy, twist * wz))
    found: Array = torque + dynamics.jacobian.T.dot(wrench)
    return found
