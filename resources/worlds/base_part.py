"""The mobile base of a world: three planar joints with velocity drives, and the controller of these."""

from __future__ import annotations

import math

import mujoco

from resources.controllers.base import BaseController
from resources.controllers.base_guard import BaseGuard
from resources.controllers.base_ramp import REST, BaseRamp
from resources.controllers.protective_field import Outline, Twist
from resources.types.motion import BaseSample, ControllerKind, Joints7, LoopState
from resources.types.streams import IDENTITY
from resources.worlds.part import Drives
from resources.worlds.robot_outline import RobotOutline

_OUTLINE_STEPS = 20


class BasePart(Drives):
    """See `WorldPart`. Without its controller the drives brake, and lock."""

    kind = ControllerKind.BASE

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        joints: tuple[str, str, str],
        frame: str,
        outline: Outline,
    ) -> None:
        self.prefix = ""
        self.frame = frame
        self.robot_T_base = IDENTITY
        self.home: Joints7 | None = None
        self._outline = outline
        self._whole = RobotOutline(model, data, frame, outline)
        self._outline_in = 0
        self.mechanism = BaseController(outline)
        first, dof = int(model.joint(joints[0]).qposadr[0]), int(model.joint(joints[0]).dofadr[0])
        self._place, self._rates = data.qpos[first : first + 3], data.qvel[dof : dof + 3]
        motor = int(model.actuator(joints[0]).id)
        self._motors = data.ctrl[motor : motor + 3]
        self._brakes = BaseRamp()
        self._driven: Twist = REST
        super().__init__()

    @property
    def scan_guard(self) -> BaseGuard:
        """See `WorldPart.scan_guard`."""
        return self.mechanism.guard

    def odometry(self) -> tuple[float, float, float]:
        """x, y [m], yaw [rad, not wrapped]; in simulation exact."""
        x, y, yaw = self._place.tolist()
        return x, y, yaw

    def velocity(self) -> Twist:
        """Forward, left [m/s], turn [rad/s], as measured."""
        yaw = float(self._place[2])
        vx, vy, turn = self._rates.tolist()
        cos, sin = math.cos(yaw), math.sin(yaw)
        return (cos * vx + sin * vy, cos * vy - sin * vx, turn)

    def tick(self, now_s: float, dt_s: float) -> None:
        """See `WorldPart.tick`."""
        if not self._is_cut:
            self._look_at_arms()
            self._driven = self.mechanism.tick(self.odometry(), self.velocity(), now_s, dt_s)
        elif self._stands_still(dt_s):
            self._brakes.velocity = self._driven
            self._driven = self._brakes.advance(REST, dt_s)
        yaw = float(self._place[2])
        forward, left, turn = self._driven
        cos, sin = math.cos(yaw), math.sin(yaw)
        self._motors[:] = (cos * forward - sin * left, sin * forward + cos * left, turn)

    def _look_at_arms(self) -> None:
        """What juts out has to fit through as well; looked at now and then, while it matters."""
        if self._outline_in > 0 or self.mechanism.mode == "hold":
            self._outline_in -= 1
            return
        self._outline_in = _OUTLINE_STEPS
        self.mechanism.guard.outline = self._whole.now()

    def restart(self) -> None:
        """See `WorldPart.restart`."""
        self._silent_s = None
        # Drives that were told to stand at once would shake the arms as hard as a collision does.
        self.mechanism = BaseController(self._outline, driven=self._driven)

    def sample(self, loop: LoopState, time_s: float) -> BaseSample:
        """See `WorldPart.sample`."""
        base = self.mechanism
        outline = base.guard.outline.numbers
        return BaseSample(time_s, loop, base.odometry, base.velocity, base.blocked, base.is_blind, outline)
