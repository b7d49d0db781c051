"""Joint friction as functions of velocity: the identified sigmoid for all joints at once, and its linear fit.

The numbers are in `parameters.py`; whoever steps a simulation subtracts the torque from its motors'.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resources.arms.parameters import PANDA, ArmParameters, Friction

Array = NDArray[np.float64]


class JointFriction:
    """Friction of n joints: A/(1+e^(−a(q̇+o))) − A/(1+e^(−a o)) (Gaz et al., RA-L 2019)."""

    def __init__(self, joints: Sequence[Friction]) -> None:
        """One `Friction` a joint, base first."""
        self._half = np.array([each.amplitude / 2 for each in joints])  # (n,) [N m]
        self._steepness = np.array([each.slope / 2 for each in joints])  # (n,) [s/rad]
        self._shift = np.array([each.slope * each.offset / 2 for each in joints])  # (n,)
        self._at_rest = self._half * np.tanh(self._shift)

    @staticmethod
    def of_arm(arm: ArmParameters = PANDA) -> JointFriction:
        """That of an arm's seven joints."""
        return JointFriction([link.friction for link in arm.links])

    def torque(self, dq: ArrayLike, out: Array | None = None) -> Array:
        """Friction torques (n,) [N m] at velocities `dq` (n,) [rad/s], to be subtracted from the motors'.

        Zero at rest; written into `out` (not `dq` itself) if given.
        """
        torque: Array = np.multiply(self._steepness, dq, out=out)
        torque += self._shift
        np.tanh(torque, out=torque)
        torque *= self._half
        torque -= self._at_rest
        return torque


def dry_and_viscous(friction: Friction, velocity: float) -> tuple[float, float]:
    """Coulomb torque [N m] and damping [N m s/rad] that come nearest to a sigmoid up to ±`velocity` [rad/s].

    Least squares over all velocities of that range, on the mean of both directions: file formats know
    no direction. Close at speed; near rest the sigmoid is far below the Coulomb torque.
    """
    count = 1000
    speeds = (np.arange(count) + 0.5) * velocity / count  # midpoints
    measured = [(friction.torque(float(v)) - friction.torque(-float(v))) / 2 for v in speeds]
    dry, viscous = np.linalg.lstsq(np.column_stack([np.ones(count), speeds]), np.array(measured), rcond=None)[
        0
    ]
    return max(float(dry), 0.0), max(float(viscous), 0.0)
