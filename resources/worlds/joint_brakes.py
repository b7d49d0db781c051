"""The brakes in an arm's joints, which lock it when its drives have no power."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import ArmParameters

Joints = NDArray[np.float64]  # (7,)


class JointBrakes:
    """Brakes that hold with the motors' greatest torques, and slip beyond them."""

    # Near-critical for the arm's own inertia, and far from the sampling limit d·dt/I = 2 at 1 kHz.
    _STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 80.0])  # [N m/rad]
    _DAMPING = np.array([50.0, 50.0, 40.0, 30.0, 10.0, 8.0, 2.0])  # [N m s/rad]

    def __init__(self, arm: ArmParameters) -> None:
        self._holding = np.array([link.limits.effort for link in arm.links])
        self._at: Joints | None = None

    @property
    def are_engaged(self) -> bool:
        """Whether they hold."""
        return self._at is not None

    def engage(self, q: Joints) -> None:
        """From now on; once they hold, again changes nothing."""
        if self._at is None:
            self._at = np.array(q)

    def release(self) -> None:
        """Let go."""
        self._at = None

    def torque(self, q: Joints, dq: Joints) -> Joints:
        """What the brakes do to the joints [N m], (7,), gravity aside."""
        assert self._at is not None
        stretch = np.clip(self._at - q, -self._holding / self._STIFFNESS, self._holding / self._STIFFNESS)
        self._at = q + stretch  # further than this they slip
        braked: Joints = np.clip(
            self._STIFFNESS * stretch - self._DAMPING * dq, -self._holding, self._holding
        )
        return braked
