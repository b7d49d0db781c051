"""What is known of an arm in this tick: measured, modelled and estimated. Decides nothing."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from framework.errors import MotionFailed
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Quaternion, Vector3
from resources.controllers.observer import MomentumObserver, WrenchMap
from resources.controllers.pursuit import ZERO3
from resources.controllers.rotation import quaternion_of
from resources.controllers.settings import ArmSettings
from resources.types.motion import Vector6

Array = NDArray[np.float64]


class ArmState:
    """An arm's state, brought up to date once a tick; laws and references read it.

    Attributes:
        q, dq: measured (7,) [rad], [rad/s]; positions, velocities: the same as floats.
        dynamics: updated to them; inverse_mass: M⁻¹ (7, 7).
        position, rotation: the tool's pose in the base frame.
        external: what the surroundings do to the joints, estimated (7,) [N m].
        wrench: the same at the tool, estimated (6,) [N, N m].
        force: of the surroundings on the tool: measured if the arm can, else estimated [N].
    """

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings) -> None:
        self.dynamics = dynamics
        self.q: Array = np.zeros(7)
        self.dq: Array = np.zeros(7)
        self.positions: list[float] = [0.0] * 7
        self.velocities: list[float] = [0.0] * 7
        self.inverse_mass = dynamics.inverse_mass
        self.position: Vector3 = ZERO3
        self.rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)
        self.wrench: Array = np.zeros(6)
        self.force: Vector3 = ZERO3
        self.wrenches = WrenchMap(dynamics)
        self._observer = MomentumObserver(dynamics, settings.observer_gain)

    @property
    def external(self) -> Array:
        """(7,) [N m], see above."""
        return self._observer.torque

    @property
    def fastest(self) -> float:
        """The speed of the fastest joint [rad/s]."""
        velocities = self.velocities
        return max(max(velocities), -min(velocities))

    def restart(self, q: Array, dq: Array) -> None:
        """A new measurement without a past. MotionFailed if it is not finite."""
        self._measure(q, dq)
        self._observer.restart(self.dq)
        self.wrench = np.zeros(6)
        self.force = ZERO3

    def update(self, q: Array, dq: Array, applied: Array, wrench: Vector6 | None, dt_s: float) -> None:
        """The next measurement. MotionFailed if it is not finite; nothing has changed then.

        Args:
            applied: the torque of the period that ended, without weight (7,) [N m].
            wrench: at the tool, as measured; None if nothing measures it.
        """
        self._measure(q, dq)
        self._observer.update(self.dq, applied, dt_s)
        self.wrench = self.wrenches.wrench(self._observer.torque)
        fx, fy, fz = self.wrench[:3].tolist() if wrench is None else wrench[:3]
        self.force = (fx, fy, fz)

    def _measure(self, q: Array, dq: Array) -> None:
        positions, velocities = q.tolist(), dq.tolist()
        if not math.isfinite(sum(positions) + sum(velocities)):
            raise MotionFailed(
                f"the arm's measured state is not finite: joints {positions}, velocities {velocities}"
            )
        self.q[:] = q
        self.dq[:] = dq
        self.positions, self.velocities = positions, velocities
        dynamics = self.dynamics
        dynamics.update(q, dq)
        pose = dynamics.base_T_tool
        x, y, z = pose[:3, 3].tolist()
        self.position = (x, y, z)
        self.rotation = quaternion_of(pose)
        self.wrenches.update()
