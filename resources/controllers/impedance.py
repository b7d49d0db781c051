"""The control law: the torque that puts springs and dampers around a reference. No limits, no modes.

Paper 000, eq 9–13, repaired (the stiffness as printed would go limp), and the same idea for joints.

    τ = Jᵀ [ f(e) + D ė ] + C q̇ + Jᵀ Λ ( ẍ_d − J̇ q̇ ) + N τ₀
    f_i = F_max,i tanh( K_i e_i / F_max,i )          the printed sech² stiffness is its tangent
    Λ = ( J M⁻¹ Jᵀ )⁻¹,  N = 1 − Jᵀ Λ J M⁻¹

The null space is the dynamically consistent one: with it the posture torque τ₀ does not accelerate the tool,
while the kinematic projector I − Jᵀ (Jᵀ)⁺ (paper 001, eq 4) leaves static forces alone but disturbs the tool
as soon as it moves. It costs nothing here, since it is one more acceleration for Λ to take off.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Vector3
from resources.controllers.settings import ArmSettings

Array = NDArray[np.float64]

# The frequency² of a mode [1/s²] below which it has none.
_LEAST = 0.5


class ToolImpedance:
    """The tool as a mass on saturating springs along the axes of the base."""

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings) -> None:
        self._dynamics = dynamics
        self._springs = (
            *((settings.stiffness, settings.force_max),) * 3,
            *((settings.turn_stiffness, settings.torque_max),) * 3,
        )
        self._floor = settings.damping_floor
        self._twice_ratio = 2.0 * settings.damping_ratio
        self._heaviest = settings.heaviest
        self._posture_stiffness: Array = np.array(settings.posture_stiffness)
        self._posture_damping: Array = np.array(settings.posture_damping)
        self._mobility: Array = np.zeros((6, 7))  # J M⁻¹
        self._softness: Array = np.zeros((6, 6))  # Λ⁻¹ = J M⁻¹ Jᵀ
        self._modes: Array = np.eye(6)  # W: columns are the modes, in the stiffness' metric
        self._frequencies: Array = np.ones(6)  # σ: their frequencies squared, K₀ [1/s²]

    def torque(
        self,
        inverse_mass: Array,
        errors: tuple[Vector3, Vector3],
        target_twist: Array,
        target_acceleration: Array,
        posture: Array,
        q: Array,
        dq: Array,
        grip: float,
    ) -> Array:
        """(7,) [N m], without weight.

        Args:
            inverse_mass: M⁻¹ (7, 7).
            errors: e, position [m] and rotation vector [rad] from tool to target, in the axes of the base.
            target_twist, target_acceleration: ẋ_d, ẍ_d (6,).
            posture: for the null space, (7,) [rad].
            grip: share of the springs that acts; 0 only damps.
        """
        dynamics = self._dynamics
        jacobian, mobility = dynamics.jacobian, self._mobility
        force, roots = self._spring(errors, grip)
        jacobian.dot(inverse_mass, mobility)
        mobility.dot(jacobian.T, self._softness)
        # Double diagonalisation (Albu-Schäffer 2003): Λ = Q Qᵀ, K = Q K₀ Qᵀ. With S = K^½ Λ⁻¹ K^½ = V σ Vᵀ
        # and W = K^½ V it is Q = W σ^-½ and K₀ = σ, so Λ = W σ⁻¹ Wᵀ and D = 2ζ Q K₀^½ Qᵀ = 2ζ W σ^-½ Wᵀ.
        scale: Array = np.array(roots)
        column = scale[:, None]
        frequencies, vectors = np.linalg.eigh(self._softness * (column * scale))
        modes = column * vectors
        weights = self._eased(frequencies)
        self._modes, self._frequencies = modes, frequencies

        pull = self._posture_stiffness * (posture - q)
        pull -= self._posture_damping * dq
        correction = target_acceleration - dynamics.jacobian_rate_dq
        correction -= mobility.dot(pull)
        lag = modes.T.dot(target_twist - dynamics.twist)
        lag *= self._twice_ratio * np.sqrt(weights)
        lag += modes.T.dot(correction) * weights
        force += modes.dot(lag)
        torque: Array = jacobian.T.dot(force)
        torque += dynamics.coriolis
        torque += pull
        return torque

    def joint_velocities(self, twist: Array) -> Array:
        """The joint velocities (7,) that a twist (6,) of the tool takes, with the last torque's modes."""
        inertial = self._modes.dot(self._modes.T.dot(twist) / np.maximum(self._frequencies, _LEAST))
        velocities: Array = self._mobility.T.dot(inertial)
        return velocities

    def _spring(self, errors: tuple[Vector3, Vector3], grip: float) -> tuple[Array, list[float]]:
        """f(e) (6,), and the square roots of the present (secant) stiffnesses, which damping goes by."""
        forces, roots = [], []
        for (stiffness, most), error in zip(self._springs, (*errors[0], *errors[1]), strict=True):
            share = stiffness * error / most
            force = most * math.tanh(share)
            softening = 1.0 if abs(share) < 1e-6 else force / (stiffness * error)
            forces.append(grip * force)
            roots.append(math.sqrt(stiffness * max(softening, self._floor)))
        return np.array(forces), roots

    def _eased(self, frequencies: Array) -> Array:
        """1/σ, without its pole: near a singularity a direction weighs ever more, and no force can move it.

        Untouched in regular postures; below the bound it goes over smoothly into what falls to nothing, so
        that neither feed-forward nor null space throws the arm into (or out of) the singularity.
        """
        bound = self._heaviest
        if frequencies[0] >= bound:
            return 1.0 / frequencies
        ratio = np.maximum(frequencies, 0.0) / bound
        eased = ratio * (3.0 - 2.0 * ratio) / bound
        return np.where(ratio < 1.0, eased, 1.0 / np.maximum(frequencies, bound))


class JointImpedance:
    """The joints on springs around a reference, with the whole dynamics as feed-forward.

    Where the springs together would press with more than F_max at the tool, they are weakened: the saturation
    of the tool's law, in the direction that counts.
    """

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings) -> None:
        self._dynamics = dynamics
        self._compliant: Array = np.array(settings.joint_stiffness)
        self._firm: Array = np.array(settings.braking_stiffness)
        self._firmness = 0.0
        self._stiffen(self._compliant)
        self._twice_ratio = 2.0 * settings.damping_ratio
        self._force_max, self._torque_max = settings.force_max, settings.torque_max

    @property
    def firmness(self) -> float:
        """How firm the springs are: 0 as compliant as they hold, 1 as stiff as they brake."""
        return self._firmness

    @firmness.setter
    def firmness(self, share: float) -> None:
        if share != self._firmness:
            self._firmness = share
            self._stiffen(self._compliant + share * (self._firm - self._compliant))

    def _stiffen(self, stiffness: Array) -> None:
        self._stiffness = stiffness
        roots = np.sqrt(stiffness)
        self._roots: Array = roots
        self._metric: Array = 1.0 / np.outer(roots, roots)

    def spring(self, error: Array) -> Array:
        """What the springs alone would do (7,) [N m]; `error`: from joints to reference (7,) [rad]."""
        return self._stiffness * error

    def share(self, wrench: Array) -> float:
        """Of springs that press with this wrench (6,) at the tool, how much may act."""
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        pressed = max(
            math.sqrt(fx * fx + fy * fy + fz * fz) / self._force_max,
            math.sqrt(tx * tx + ty * ty + tz * tz) / self._torque_max,
        )
        return 1.0 if pressed < 1e-6 else math.tanh(pressed) / pressed

    def torque(self, spring: Array, velocity_error: Array, target_acceleration: Array) -> Array:
        """(7,) [N m], without weight: springs, double-diagonalised damping and M q̈_d + C q̇.

        Here M = Q Qᵀ and K = Q K₀ Qᵀ: with K^-½ M K^-½ = V σ Vᵀ it is Q = K^½ V σ^½, and so
        D = 2ζ K^½ V σ^½ Vᵀ K^½.
        """
        dynamics = self._dynamics
        weights, vectors = np.linalg.eigh(dynamics.mass * self._metric)
        lag = vectors.T.dot(self._roots * velocity_error)
        lag *= self._twice_ratio * np.sqrt(weights)
        torque: Array = self._roots * vectors.dot(lag)
        torque += spring
        torque += dynamics.mass.dot(target_acceleration)
        torque += dynamics.coriolis
        return torque
