"""A controller written for a simulation, on an arm: hardware in the loop (paper 001, 2.2).

The simulation's state is superseded by the measured one, the controller computes as it always does, and the
torque it would have given to the simulation is given to the arm. Nothing here knows which arm that is.
"""

from __future__ import annotations

from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class SimulationController(Protocol):
    """Written for a simulation: reads its state, writes its motors. Knows no hardware."""

    def control(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """For the state in `data` (`mj_forward` has been called): fill `data.ctrl`, without weight [N m]."""
        ...


class InTheLoop:
    """A simulation whose controller moves either the simulation itself, or an arm that is measured.

    Args:
        model: an arm whose weight is compensated; its joints come first.
        controller: moves it.
    """

    def __init__(self, model: mujoco.MjModel, controller: SimulationController) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self._controller = controller
        self._joints = int(model.nu)

    def supersede(self, q: Array, dq: Array, time_s: float) -> None:
        """From now on this is the state: joints (n,) [rad], [rad/s], and the time [s]."""
        data, count = self.data, self._joints
        data.qpos[:count] = q
        data.qvel[:count] = dq
        data.time = time_s
        mujoco.mj_forward(self.model, data)

    def torque(self) -> Array:
        """What the controller gives for the present state (n,) [N m], within what the motors may do."""
        self._controller.control(self.model, self.data)
        bounds = self.model.actuator_ctrlrange
        return np.asarray(np.clip(self.data.ctrl, bounds[:, 0], bounds[:, 1]))

    def tick(self, q: Array, dq: Array, time_s: float) -> Array:
        """Hardware in the loop: the torque for a measured state (n,) [N m]."""
        self.supersede(q, dq, time_s)
        return self.torque()

    def step(self) -> Array:
        """No hardware: the same controller moves the simulation by a step. The torque (n,) [N m]."""
        mujoco.mj_forward(self.model, self.data)
        torque = self.torque()
        mujoco.mj_step(self.model, self.data)
        return torque
