"""One arm of a world: where its joints are in the model, which law drives it, and its gripper.

The law is exchangeable (`ArmLaw`): posture hold by default, an impedance law when a controller
brings one. The arm calls it once a step, with measured positions and velocities.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.arm import finger_names, joint_names
from resources.arms.joint_posture import ArmLaw, Joints, PostureLaw
from resources.arms.parameters import PANDA
from resources.worlds.commands import ArmPosture, GripperWidth, WristSweep

_FINGER_STIFFNESS = 2000.0  # [N/m] of each finger, saturated by the commanded force
_FINGER_DAMPING = 8.0  # [N s/m]; a finger weighs 15 g, so d·dt/m stays below 1


class ArmPart:
    """Commands in, motor torques out; reads and writes only its own joints' entries of a state."""

    def __init__(
        self, model: mujoco.MjModel, prefix: str, posture: tuple[float, ...], width_m: float
    ) -> None:
        joints, fingers = joint_names(prefix), finger_names(prefix)
        self._qpos = _span([int(model.joint(name).qposadr[0]) for name in (*joints, *fingers)])
        self._qvel = _span([int(model.joint(name).dofadr[0]) for name in (*joints, *fingers)])
        self._motors = _span([int(model.actuator(name).id) for name in (*joints, *fingers)])
        self.home = np.array(posture)  # (7,)
        self.posture_law = PostureLaw(PANDA, self.home)
        self.law: ArmLaw = self.posture_law
        self._sweep: tuple[float, float, float] | None = None
        self._posture: tuple[tuple[float, ...], float] | None = None
        self._width_m = width_m
        self._force_n = 20.0

    def reset(self, data: mujoco.MjData) -> None:
        """Put the arm at its home posture."""
        data.qpos[self._qpos] = [*self.home, self._width_m / 2, self._width_m / 2]

    def measured(self, data: mujoco.MjData) -> tuple[Joints, Joints]:
        """Joint positions [rad] and velocities [rad/s], (7,) each."""
        return data.qpos[self._qpos][:7].copy(), data.qvel[self._qvel][:7].copy()

    def use_law(self, law: ArmLaw | None, data: mujoco.MjData) -> None:
        """Hand the arm to a law, or back to the posture law (None); it starts from the measured state."""
        self.law = self.posture_law if law is None else law
        self._sweep = self._posture = None
        self.law.hold(*self.measured(data))

    def take(self, command: ArmPosture | WristSweep | GripperWidth, data: mujoco.MjData) -> None:
        """Follow a command that has been checked. A repeated one changes nothing."""
        match command:
            case GripperWidth():
                self._width_m, self._force_n = command.width_m, command.force_n
            case ArmPosture():
                wanted = (command.joints, command.speed)
                if self._posture != wanted:
                    self._own_law(data)
                    self._posture, self._sweep = wanted, None
                    self.posture_law.go(np.array(command.joints), speed=command.speed)
            case WristSweep():
                sweep = (command.lower, command.upper, command.velocity)
                if self._sweep != sweep:
                    self._own_law(data)
                    self._sweep, self._posture = sweep, None
                    self._swing(data)

    def hold(self, data: mujoco.MjData) -> None:
        """Safe stop: brake from the measured state and hold; a grasp is kept."""
        self._sweep = self._posture = None
        self.law.hold(*self.measured(data))

    def tick(self, data: mujoco.MjData, dt_s: float) -> None:
        """Write the motor torques for the next step."""
        q, dq = data.qpos[self._qpos], data.qvel[self._qvel]  # (9,) each
        if self._sweep is not None and self.posture_law.reference.at_goal:
            self._swing(data)
        control: NDArray[np.float64] = data.ctrl[self._motors]
        control[:7] = self.law.torque(q[:7], dq[:7], dt_s)
        wanted, force = self._width_m / 2, self._force_n
        for finger in (7, 8):
            push = _FINGER_STIFFNESS * (wanted - float(q[finger])) - _FINGER_DAMPING * float(dq[finger])
            control[finger] = min(max(push, -force), force)

    def _own_law(self, data: mujoco.MjData) -> None:
        if self.law is not self.posture_law:
            self.use_law(None, data)

    def _swing(self, data: mujoco.MjData) -> None:
        assert self._sweep is not None
        lower, upper, velocity = self._sweep
        goal = self.posture_law.reference.goal.copy()
        now = float(data.qpos[self._qpos][6])
        goal[6] = lower if now > (lower + upper) / 2 else upper
        self.posture_law.go(goal, speed=velocity / PANDA.links[-1].limits.velocity)


def _span(indices: list[int]) -> slice:
    """Consecutive entries as a slice: a view costs a tenth of a gather, a thousand times a second."""
    first = indices[0]
    if indices != list(range(first, first + len(indices))):
        raise ValueError(f"joints of an arm must be consecutive in the model, not {indices}")
    return slice(first, first + len(indices))
