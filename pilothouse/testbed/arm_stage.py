"""One arm on its mounting face, weight compensated, with a table if wanted: here laws are measured in step.

No world, no process, no wall clock. The property tests of the control law use it, too.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.dynamics import ArmDynamics
from resources.arms.friction import JointFriction
from resources.arms.lumping import locked
from resources.arms.mjcf import MjcfDocument, add_tree, numbers
from resources.controllers.arm import ArmController
from resources.controllers.guarding import Guard
from resources.controllers.settings import ArmSettings
from resources.types.motion import Joints7

Array = NDArray[np.float64]

HOME: Joints7 = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
"""Elbow up, the tool pointing down in front of the arm [rad]."""

PERIOD_S = 0.001

_FINGERS_M = 0.02  # as the control law's own model has them: half open


class ArmStage:
    """An arm and what it touches, a millisecond a step.

    Args:
        table_m: height of a table's top above the mounting face; None leaves it out.
        settings: of the control law.
        friction: whether the joints have the friction that nobody compensates.
        encoder_bits: of the joint encoders per turn, velocities being their differences; 0 measures exactly.
        q: where it starts, at rest (7,) [rad].
        walls: what keeps it out of places.
    """

    def __init__(
        self,
        *,
        table_m: float | None = None,
        settings: ArmSettings | None = None,
        friction: bool = False,
        encoder_bits: int = 0,
        q: Joints7 = HOME,
        walls: Guard | None = None,
    ) -> None:
        self.model = mujoco.MjModel.from_xml_string(_document(table_m))
        self.data = mujoco.MjData(self.model)
        self.controller = ArmController(ArmDynamics(), settings, walls)
        self.now_s = 0.0
        self._friction = JointFriction.of_arm() if friction else None
        self._resolution = 2.0 * np.pi / 2**encoder_bits if encoder_bits else 0.0
        self._loss: Array = np.zeros(7)
        self._tool = int(self.model.site("tool").id)
        self._table = int(self.model.geom("table").id) if table_m is not None else -1
        self._wrench: Array = np.zeros(6)
        self._contact: Array = np.zeros(6)
        self.data.qpos[:] = q
        mujoco.mj_forward(self.model, self.data)
        self._before = self._read()
        self.controller.reset(self._before, self.dq)

    @property
    def q(self) -> Array:
        """(7,) [rad]."""
        return np.array(self.data.qpos)

    @property
    def dq(self) -> Array:
        """(7,) [rad/s]."""
        return np.array(self.data.qvel)

    @property
    def tool(self) -> Array:
        """Where the tool point truly is (3,) [m]; MuJoCo's own place of it is a step old."""
        return self.controller.state.dynamics.forward(self.data.qpos)[:3, 3]

    def push(self, force: tuple[float, float, float]) -> None:
        """From now on, this force acts at the tool point (3,) [N]."""
        self._wrench[:3] = force

    def step(self) -> Array:
        """One period: tick, then physics. Returns the torque that was given (7,) [N m]."""
        q = self._read()
        dq = (q - self._before) / PERIOD_S if self._resolution else self.data.qvel
        self._before = q
        torque = self.controller.tick(q, dq, self.now_s, PERIOD_S)
        self.apply(torque)
        self.now_s += PERIOD_S
        return torque

    def _read(self) -> Array:
        """The joints as their encoders show them (7,) [rad]."""
        if not self._resolution:
            return self.q
        return np.round(self.q / self._resolution) * self._resolution

    def apply(self, torque: Array) -> None:
        """One period of physics under a torque (7,) [N m]."""
        data = self.data
        data.ctrl[:] = torque
        data.qfrc_applied[:] = 0.0
        if self._friction is not None:
            data.qfrc_applied[:] -= self._friction.torque(data.qvel, out=self._loss)
        if any(self._wrench.tolist()):
            body = int(self.model.site_bodyid[self._tool])
            mujoco.mj_applyFT(
                self.model, data, self._wrench[:3], self._wrench[3:], self.tool, body, data.qfrc_applied
            )
        mujoco.mj_step(self.model, data)

    def run(self, seconds: float, each: Callable[[ArmStage], None] | None = None) -> None:
        """Step for so long; `each` is called after every step."""
        for _ in range(round(seconds / PERIOD_S)):
            self.step()
            if each is not None:
                each(self)

    def table_force(self) -> float:
        """What the table bears [N]."""
        total = 0.0
        for number in range(int(self.data.ncon)):
            contact = self.data.contact[number]
            if self._table in (contact.geom1, contact.geom2):
                mujoco.mj_contactForce(self.model, self.data, number, self._contact)
                total += float(self._contact[0])
        return total


def _document(table_m: float | None) -> str:
    document = MjcfDocument("stage")
    ET.SubElement(
        document.root, "option", jacobian="dense", integrator="implicitfast", timestep=repr(PERIOD_S)
    )
    for name in ("arm_shell", "arm_joint", "rubber"):
        ET.SubElement(document.section("asset"), "material", name=name, rgba="0.8 0.8 0.8 1")
    world = document.section("worldbody")
    if table_m is not None:
        size, place = numbers((0.3, 0.5, 0.05)), numbers((0.6, 0.0, table_m - 0.05))
        ET.SubElement(world, "geom", name="table", type="box", size=size, pos=place)
    tree = locked(arm_tree(), dict.fromkeys(finger_names(), _FINGERS_M))
    assert tuple(joint.name for joint in tree.joints()) == joint_names()
    add_tree(document, world, tree, gravity_compensated=True)
    return document.text()
