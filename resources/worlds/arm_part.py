"""An arm of a world: its joints in the model, the controller that drives them, its brakes, its reflexes."""

from __future__ import annotations

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import MotionFailed
from resources.arms.arm import joint_names
from resources.arms.dynamics import ArmDynamics
from resources.arms.friction import JointFriction
from resources.arms.parameters import PANDA
from resources.controllers.arm import ArmController
from resources.controllers.guarding import Guard
from resources.controllers.settings import ArmSettings
from resources.twin.obstacles import Surroundings
from resources.types.motion import REST6, ArmSample, ControllerKind, Joints7, LoopState, Vector6, Workspace
from resources.worlds.joint_brakes import JointBrakes
from resources.worlds.mounted_arm import MountedArm
from resources.worlds.part import Drives
from resources.worlds.reflexes import Reflexes, ReflexLimits
from resources.worlds.tool_contact import ToolContact

_IDLE_STEPS = 5
"""An arm that rests untouched is looked after in every fifth step only: most arms rest most of the time."""


class ArmOptions(msgspec.Struct, frozen=True):
    """How real an arm is. friction: joints have it, and no controller knows.

    workspace: its controller's; surroundings: what its controller keeps it out of, with other arms' prefixes.
    """

    friction: bool = False
    workspace: Workspace | None = None
    surroundings: Surroundings = Surroundings()
    reflexes: ReflexLimits = ReflexLimits()


class ArmPart(Drives):
    """See `WorldPart`. Without its controller it brakes, and its brakes lock, as they do at a reflex.

    Attributes: q, dq: the joints as they stand in the physics now (7,) [rad], [rad/s].
    """

    kind = ControllerKind.ARM

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        mounted: MountedArm,
        options: ArmOptions,
        walls: Guard | None = None,
    ) -> None:
        """walls: what `surroundings` amount to (`guarding.py`); None: nothing keeps it out of places."""
        names = joint_names(mounted.prefix)
        self.prefix = mounted.prefix
        self.frame = f"{mounted.prefix}link0"
        self.robot_T_base = (*mounted.robot_T_base.position, *mounted.robot_T_base.quaternion)
        self.home: Joints7 | None = mounted.home
        self._mounted, self._options, self._walls = mounted, options, walls
        self._data = data
        positions = _span([int(model.joint(name).qposadr[0]) for name in names])
        dofs = _span([int(model.joint(name).dofadr[0]) for name in names])
        motors = _span([int(model.actuator(name).id) for name in names])
        # Views cost a tenth of what looking the field up costs.
        self.q, self.dq = data.qpos[positions], data.qvel[dofs]  # (7,) each
        self._motors = data.ctrl[motors]
        self._lost = data.qfrc_applied[dofs]
        self._constraint = data.qfrc_constraint[dofs]
        self.q[:] = mounted.home
        self._contact = ToolContact(model, data, mounted.prefix)
        self._reflexes = Reflexes(PANDA, options.reflexes, float(model.opt.timestep))
        self._friction = JointFriction.of_arm(PANDA) if options.friction else None
        self._brakes = JointBrakes(PANDA, float(model.opt.timestep), lambda: _mass(model, data, dofs))
        self._wrench: Vector6 = REST6
        self._fault = ""
        super().__init__()
        self._skipped = 0
        self.mechanism = self._controller()

    def tick(self, now_s: float, dt_s: float) -> None:
        """See `WorldPart.tick`."""
        self._wrench = self._contact.wrench() or REST6
        if self._friction is not None:
            np.negative(self._friction.torque(self.dq), out=self._lost)
        if reflex := self._reflexes.look(self._wrench, self.mechanism.tau_external):
            self._stop(reflex)
        if not self._is_cut:
            if self._skipped < _IDLE_STEPS - 1 and self._is_idle():
                self._skipped += 1
            else:
                self._drive(now_s, (1 + self._skipped) * dt_s)
                self._skipped = 0
        elif self._stands_still(dt_s):
            self._brakes.engage(self.q)
        if self._brakes.are_engaged:
            self._motors[:] = self._brakes.torque(self.q, self.dq)
            # The controller's observer has to know what really drove the joints.
            self.mechanism.tau[:] = self._motors

    def restart(self) -> None:
        """See `WorldPart.restart`."""
        self._silent_s = None
        self.recover()
        self.mechanism = self._controller()

    def fault(self) -> str:
        """See `WorldPart.fault`."""
        return self._fault

    def recover(self) -> None:
        """See `WorldPart.recover`."""
        self._fault = ""
        self._reflexes.reset()

    def sample(self, loop: LoopState, time_s: float) -> ArmSample:
        """See `WorldPart.sample`."""
        return self.mechanism.sample(time_s, loop, self._wrench)

    def _is_idle(self) -> bool:
        """A touch or a command ends its rest in this very step; what its joints show, within five."""
        if not (self._reflexes.is_quiet and self.mechanism.is_at_rest):
            return False
        return not self._data.nefc or not self._constraint.any()

    def _drive(self, now_s: float, dt_s: float) -> None:
        controller = self.mechanism
        try:
            torque = controller.tick(self.q, self.dq, now_s, dt_s, self._wrench)
        except MotionFailed as error:
            self._stop(f"reflex: {error}")
            return
        if not np.isfinite(torque).all():
            self._stop("reflex: the controller gave a torque that is no number")
        elif controller.is_locked or self._fault:
            self._brakes.engage(self.q)
        else:
            self._brakes.release()
            self._motors[:] = torque

    def _stop(self, why: str) -> None:
        self._fault = self._fault or why
        self._brakes.engage(self.q)

    def _controller(self) -> ArmController:
        settings = ArmSettings()
        if self._options.workspace is not None:
            settings = msgspec.structs.replace(settings, workspace=self._options.workspace)
        tree = self._mounted.tree
        controller = ArmController(ArmDynamics(tree, prefix=self.prefix), settings, self._walls)
        controller.reset(self.q, self.dq)
        return controller


def _mass(model: mujoco.MjModel, data: mujoco.MjData, dofs: slice) -> NDArray[np.float64]:
    """Inertia of a mechanism in its joints' space (n, n), all else held still."""
    whole = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, whole)
    return whole[dofs, dofs]


def _span(indices: list[int]) -> slice:
    """Consecutive entries as a slice: a view costs a tenth of a gather, a thousand times a second."""
    first = indices[0]
    if indices != list(range(first, first + len(indices))):
        raise ValueError(f"joints of a mechanism must be consecutive in the model, not {indices}")
    return slice(first, first + len(indices))
