"""The brakes in an arm's joints, which lock it when its drives have no power."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import ArmParameters

Joints = NDArray[np.float64]  # (7,)
Matrix = NDArray[np.float64]  # (7, 7)

_SAME_POSTURE: Final = 0.05
"""While no joint has moved further than this, the arm's inertia is taken to be the same [rad]."""


class JointBrakes:
    """Brakes that hold with the motors' greatest torques, and slip beyond them.

    Each is a firm spring and a damper. Their torque is that of the step's end (linearly implicit Euler;
    Hairer and Wanner, Solving Ordinary Differential Equations II, IV.7), so they stand in every posture:
    where two joints turn about nearly the same axis there is hardly any inertia between them, and a damper
    that is looked at once in a step would shake what it is to hold.

    Parameters
        step_s: of the physics [s].
        mass: the arm's inertia in joint space, (7, 7) [kg m²], as it stands now.
    """

    _STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 80.0])  # [N m/rad]
    _DAMPING = np.array([50.0, 50.0, 40.0, 30.0, 10.0, 8.0, 2.0])  # [N m s/rad]

    def __init__(self, arm: ArmParameters, step_s: float, mass: Callable[[], Matrix]) -> None:
        self._holding = np.array([link.limits.effort for link in arm.links])
        self._step_s = step_s
        self._mass = mass
        self._at: Joints | None = None
        self._posture: Joints | None = None
        self._from_speed: Matrix = np.zeros((7, 7))
        self._from_stretch: Matrix = np.zeros((7, 7))

    @property
    def are_engaged(self) -> bool:
        """Whether they hold."""
        return self._at is not None

    def engage(self, q: Joints) -> None:
        """From now on; once they hold, again changes nothing."""
        if self._at is None:
            self._at = np.array(q)
            self._posture = None

    def release(self) -> None:
        """Let go."""
        self._at = None

    def torque(self, q: Joints, dq: Joints) -> Joints:
        """What the brakes do to the joints [N m], (7,), gravity aside."""
        assert self._at is not None
        if self._posture is None or np.abs(q - self._posture).max() > _SAME_POSTURE:
            self._look_at_inertia(q)
        stretch = np.clip(self._at - q, -self._holding / self._STIFFNESS, self._holding / self._STIFFNESS)
        self._at = q + stretch  # further than this they slip
        after = self._from_speed @ dq + self._from_stretch @ stretch  # speeds at the step's end
        braked: Joints = np.clip(
            self._STIFFNESS * (stretch - self._step_s * after) - self._DAMPING * after,
            -self._holding,
            self._holding,
        )
        return braked

    def _look_at_inertia(self, q: Joints) -> None:
        """(M + h D + h² K) v' = M v + h K stretch."""
        mass, step_s = self._mass(), self._step_s
        whole = mass + np.diag(step_s * self._DAMPING + step_s**2 * self._STIFFNESS)
        self._from_speed = np.asarray(np.linalg.solve(whole, mass), np.float64)
        self._from_stretch = np.asarray(np.linalg.solve(whole, np.diag(step_s * self._STIFFNESS)), np.float64)
        self._posture = np.array(q)
