"""A gripper of a world: its fingers in the model, and the controller that drives them."""

from __future__ import annotations

import mujoco

from resources.arms.arm import finger_names
from resources.controllers.gripper import GripperController
from resources.types.motion import ControllerKind, GripperSample, Joints7, LoopState
from resources.types.streams import IDENTITY
from resources.worlds.part import Drives


class GripperPart(Drives):
    """See `WorldPart`. Without its controller the spindle stands where it is, and keeps its grip."""

    kind = ControllerKind.GRIPPER

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, prefix: str, width_m: float) -> None:
        names = finger_names(prefix)
        self.prefix = prefix
        self.frame = f"{prefix}hand"
        self.robot_T_base = IDENTITY
        self.home: Joints7 | None = None
        self.mechanism = GripperController(width_m)
        self._data = data
        first = int(model.joint(names[0]).qposadr[0])
        self._fingers = data.qpos[first : first + 2]
        dof = int(model.joint(names[0]).dofadr[0])
        self._velocities = data.qvel[dof : dof + 2]
        motor = int(model.actuator(names[0]).id)
        self._motors = data.ctrl[motor : motor + 2]
        super().__init__()
        self._fingers[:] = width_m / 2

    def tick(self, now_s: float, dt_s: float) -> None:
        """See `WorldPart.tick`."""
        if self._is_cut and self._stands_still(dt_s):
            self.mechanism.lock()
        first, second = self._fingers.tolist()
        fast, faster = self._velocities.tolist()
        self._motors[:] = self.mechanism.tick((first, second), (fast, faster), dt_s)

    def restart(self) -> None:
        """See `WorldPart.restart`: what is held stays held."""
        self._silent_s = None
        self.mechanism.rest()
        self.mechanism.unlock()

    def sample(self, loop: LoopState, time_s: float) -> GripperSample:
        """See `WorldPart.sample`."""
        controller = self.mechanism
        return GripperSample(time_s, loop, controller.width_m, controller.force_n, controller.holds)
