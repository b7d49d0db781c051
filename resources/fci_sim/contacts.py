"""What the arm feels: external torque and wrench, and when they are contacts or collisions.

Signs are the manufacturer's: what the arm does to its surroundings is positive.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.flags import Flag
from resources.fci_sim.physics import TIMESTEP_S, ArmPhysics

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_CUTOFF_HZ: Final = 100.0  # of the low-pass over the external torque
_SHARE: Final = TIMESTEP_S / (TIMESTEP_S + 1.0 / (2.0 * math.pi * _CUTOFF_HZ))
_NOTHING_NM: Final = 1e-9
_SINGULAR: Final = 1e-6  # determinant of J Jᵀ below which the wrench is told as zero
_ACCELERATING: Final = 0.1  # [rad/s²] above which the thresholds for acceleration hold


class Thresholds(msgspec.Struct, frozen=True):
    """Above `lower` it is a contact, above `upper` a collision; joints [N m], wrench [N, N m]."""

    lower_torque: tuple[float, ...] = (20.0,) * 7
    upper_torque: tuple[float, ...] = (40.0,) * 7
    lower_force: tuple[float, ...] = (20.0,) * 6
    upper_force: tuple[float, ...] = (40.0,) * 6


class Contacts:
    """External torque and wrench of one arm."""

    def __init__(self, physics: ArmPhysics, end_effector: EndEffector) -> None:
        self._physics = physics
        self._end_effector = end_effector
        self.still = Thresholds()  # while the arm is wanted to move evenly
        self.accelerating = Thresholds()
        self.torque: Array = np.zeros(7)  # (7,) filtered
        self.base_wrench: Array = np.zeros(6)  # (6,) at K, in the base frame
        self.own_wrench: Array = np.zeros(6)  # (6,) at K, in K
        self.joint_contact: Flags = np.zeros(7, dtype=np.bool_)
        self.joint_collision: Flags = np.zeros(7, dtype=np.bool_)
        self.cartesian_contact: Flags = np.zeros(6, dtype=np.bool_)
        self.cartesian_collision: Flags = np.zeros(6, dtype=np.bool_)
        self._quiet = False
        self._arrange()

    def set(self, still: Thresholds, accelerating: Thresholds) -> None:
        """New thresholds."""
        self.still, self.accelerating = still, accelerating
        self._arrange()

    def update(self, base_T_EE: Array, unknown_weight: Array | None, ddq_d: Array | None) -> Flag | None:
        """One millisecond on; names the reflex, if one is due.

        Args:
            base_T_EE: (4, 4).
            unknown_weight: (7,) of what hangs on the arm beyond the configured load, None for none.
            ddq_d: (7,) wanted acceleration of the joints, None for none.
        """
        physics = self._physics
        pushed = physics.pushed()
        if unknown_weight is not None:
            pushed = pushed - unknown_weight
        torque = self.torque
        torque += _SHARE * (-pushed - torque)
        if np.abs(torque).max() < _NOTHING_NM:
            if not self._quiet:
                self.forget()
            return None
        self._quiet = False
        self._wrench(base_T_EE)
        fast = ddq_d is not None and float(np.abs(ddq_d).max()) > _ACCELERATING
        lower_torque, upper_torque, lower_force, upper_force = self._limits[fast]
        pull, force = np.abs(torque), np.abs(self.own_wrench)
        self.joint_contact, self.joint_collision = pull > lower_torque, pull > upper_torque
        self.cartesian_contact, self.cartesian_collision = force > lower_force, force > upper_force
        if self.joint_collision.any():
            return Flag.JOINT_REFLEX
        return Flag.CARTESIAN_REFLEX if self.cartesian_collision.any() else None

    def _wrench(self, base_T_EE: Array) -> None:
        base_T_K = base_T_EE @ self._end_effector.EE_T_K
        jacobian = self._physics.jacobian(base_T_K[:3, 3])
        square = jacobian @ jacobian.T
        if np.linalg.det(square) < _SINGULAR:
            self.base_wrench, self.own_wrench = np.zeros(6), np.zeros(6)
            return
        self.base_wrench = np.asarray(np.linalg.solve(square, jacobian @ self.torque), dtype=np.float64)
        self.own_wrench = (self.base_wrench.reshape(2, 3) @ base_T_K[:3, :3]).ravel()

    def forget(self) -> None:
        """Nothing has been felt."""
        self._quiet = True
        self.torque[:] = 0.0
        self.base_wrench, self.own_wrench = np.zeros(6), np.zeros(6)
        self.joint_contact = self.joint_collision = np.zeros(7, dtype=np.bool_)
        self.cartesian_contact = self.cartesian_collision = np.zeros(6, dtype=np.bool_)

    def _arrange(self) -> None:
        self._limits = [
            (
                np.array(each.lower_torque),
                np.array(each.upper_torque),
                np.array(each.lower_force),
                np.array(each.upper_force),
            )
            for each in (self.still, self.accelerating)
        ]
