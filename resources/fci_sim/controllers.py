"""The control box's own controllers: they make the arm follow a reference, or stand still.

Torques leave the arm's weight out; the physics carry it. What is damped in the joints is left to the
physics as well, which integrate it implicitly: real joint stiffnesses would be unstable at 1 kHz otherwise.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.motion import Reference
from resources.fci_sim.physics import ArmPhysics
from resources.fci_sim.rotation import difference

Array = NDArray[np.float64]

MOST_JOINT_STIFFNESS: Final = 14250.0  # [N m/rad]
MOST_CARTESIAN_STIFFNESS: Final = (3000.0,) * 3 + (300.0,) * 3  # [N/m], [N m/rad]

_JOINT_STIFFNESS: Final = (3000.0, 3000.0, 3000.0, 2500.0, 2500.0, 2000.0, 2000.0)
_CARTESIAN_STIFFNESS: Final = (3000.0, 3000.0, 3000.0, 300.0, 300.0, 300.0)
_NULL_SPACE_STIFFNESS: Final = 100.0  # [N m/rad]
_DAMPING_RATIO: Final = 0.8


class InternalControllers:
    """Joint and Cartesian impedance with the stiffness that the client has set."""

    def __init__(self, physics: ArmPhysics, end_effector: EndEffector) -> None:
        self._physics = physics
        self._end_effector = end_effector
        self.joint_stiffness: Array = np.array(_JOINT_STIFFNESS)
        self.cartesian_stiffness: Array = np.array(_CARTESIAN_STIFFNESS)
        self._effort: Array = np.array([limit.effort for limit in physics.limits])

    def hold_joints(self, reference: Reference) -> Array:
        """Torque (7,) of the joint impedance."""
        physics = self._physics
        mass = physics.mass()
        damping = 2.0 * _DAMPING_RATIO * np.sqrt(self.joint_stiffness * mass.diagonal())
        physics.damp(damping, reference.dq)
        stiff = self.joint_stiffness * (reference.q - physics.q)
        return self._limited(stiff + mass @ reference.ddq + physics.coriolis())

    def hold_pose(self, reference: Reference) -> Array:
        """Torque (7,) of the Cartesian impedance; the elbow is held softly in the null space."""
        physics = self._physics
        physics.damp(np.zeros(7))
        mass = physics.mass()
        pose = self._end_effector.pose()
        jacobian = self._end_effector.jacobian(pose)  # (6, 7)
        back = np.linalg.solve(mass, jacobian.T)  # (7, 6) M⁻¹ Jᵀ
        task_mass = np.linalg.pinv(jacobian @ back, hermitian=True)  # (6, 6)
        stiffness = self.cartesian_stiffness
        damping = 2.0 * _DAMPING_RATIO * np.sqrt(stiffness * task_mass.diagonal())
        error, late = difference(pose, reference.pose), reference.twist - jacobian @ physics.dq
        task = jacobian.T @ (stiffness * error + damping * late)
        own = _NULL_SPACE_STIFFNESS * (reference.q - physics.q)
        own += 2.0 * np.sqrt(_NULL_SPACE_STIFFNESS * mass.diagonal()) * (reference.dq - physics.dq)
        own -= jacobian.T @ (task_mass @ (back.T @ own))
        return self._limited(task + own + mass @ reference.ddq + physics.coriolis())

    def be_guided(self) -> Array:
        """Torque (7,) of an arm in a person's hands: it carries itself, and is damped a little."""
        self._physics.damp(0.5 * self._effort / self._effort.max())
        return np.zeros(7)

    def leave(self) -> None:
        """Somebody else makes the torques from now on."""
        self._physics.damp(np.zeros(7))

    def _limited(self, torque: Array) -> Array:
        limited: Array = np.clip(torque, -self._effort, self._effort)
        return limited
