"""Hand guiding: the arm gives way to a hand, lightly damped, and lets its limits be felt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.controllers.settings import ArmSettings
from resources.controllers.state import ArmState
from resources.controllers.workspace import WorkspaceGuard

Array = NDArray[np.float64]

# Damping of the tool above half of its speed, so that it is felt before it is needed [N s/m].
_SLOWING = 60.0


class GuideLaw:
    """The torque of a guided arm. The walls of joints are in `limits.py`, for all modes."""

    def __init__(self, state: ArmState, settings: ArmSettings, guard: WorkspaceGuard) -> None:
        self._state, self._guard = state, guard
        self._damping: Array = np.array(settings.guide_damping)
        self._stiffness, self._force_max = settings.stiffness, settings.force_max
        self._free = 0.5 * settings.tool.speed

    def torque(self) -> Array:
        """(7,) [N m], without weight."""
        state = self._state
        dynamics = state.dynamics
        torque: Array = dynamics.coriolis - self._damping * state.dq
        linear = dynamics.jacobian[:3]
        velocity = dynamics.twist[:3]
        speed = float(velocity.dot(velocity)) ** 0.5
        if speed > self._free:
            torque -= linear.T.dot(velocity * (_SLOWING * (speed - self._free) / speed))
        inside = self._guard.nearest(state.position)
        if inside != state.position:
            wall = np.array(inside) - state.position
            force = self._force_max * np.tanh(self._stiffness * wall / self._force_max)
            # It pushes back, and does not throw back.
            outward = wall != 0.0
            force -= np.where(outward, _SLOWING * velocity, 0.0)
            torque += linear.T.dot(force)
        return torque
