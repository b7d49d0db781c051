"""What the surroundings do to an arm, from torques and motion alone: the momentum observer. No force sensor.

Paper 000, eq 14–15. Friction that nobody models counts as surroundings.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics

Array = NDArray[np.float64]

# Where the product of the Jacobian's singular values falls below this, its inverse is damped (Nakamura 1986).
_SINGULAR, _DAMPING = 0.02, 0.03


class MomentumObserver:
    """τ̂ = K [ M q̇ − ∫ ( τ + Cᵀ q̇ + τ̂ ) ds ] (eq 15); τ is without the weight, which is carried anyway.

    A first-order low-pass of what truly acts, of gain K [1/s] (20 N appear to 95 % in 3/K).
    """

    def __init__(self, dynamics: ArmDynamics, gain: float) -> None:
        self.torque: Array = np.zeros(7)  # (7,) [N m] τ̂_ext
        self._dynamics = dynamics
        self._gain = gain
        self._integral: Array = np.zeros(7)
        self._rate: Array = np.zeros(7)

    def restart(self, dq: Array) -> None:
        """Nothing acts, from the state that `dynamics` was updated with last."""
        self.torque[:] = 0.0
        np.dot(self._dynamics.mass, dq, out=self._integral)

    def update(self, dq: Array, applied: Array, dt_s: float) -> None:
        """One period on, after `dynamics.update`; `applied`: the torque of the period before, (7,) [N m]."""
        rate, dynamics = self._rate, self._dynamics
        np.add(applied, dynamics.coriolis_transposed_dq, out=rate)
        rate += self.torque
        rate *= dt_s
        self._integral += rate
        np.dot(dynamics.mass, dq, out=self.torque)
        self.torque -= self._integral
        self.torque *= self._gain


class WrenchMap:
    """The wrench at the tool that joint torques amount to: Ŵ = (Jᵀ)⁺ τ (eq 14), damped near singularities.

    Eq 14 as printed gives no wrench: it needs the pseudo-inverse of Jᵀ. Torques that no wrench at the tool
    explains (a push at the elbow) are projected away.
    """

    def __init__(self, dynamics: ArmDynamics) -> None:
        self._dynamics = dynamics
        self._product: Array = np.zeros((6, 6))
        self._factor: Array = np.zeros((6, 6))
        self._moments: Array = np.zeros(6)
        self._eye: Array = np.eye(6)

    def update(self) -> None:
        """For the posture that `dynamics` was updated with last."""
        jacobian = self._dynamics.jacobian
        jacobian.dot(jacobian.T, self._product)
        self._factor[:] = self._product
        mujoco.mju_cholFactor(self._factor, 1e-12)
        manipulability = float(self._factor.diagonal().prod())
        if manipulability < _SINGULAR:
            short = 1.0 - manipulability / _SINGULAR
            self._factor[:] = self._product
            self._factor += self._eye * (_DAMPING * short) ** 2
            mujoco.mju_cholFactor(self._factor, 1e-12)

    def wrench(self, torque: Array) -> Array:
        """(6,) [N, N m] at the tool point in the axes of the base, of joint torques (7,) [N m]."""
        found: Array = np.empty(6)
        self._dynamics.jacobian.dot(torque, self._moments)
        mujoco.mju_cholSolve(found, self._factor, self._moments)
        return found
