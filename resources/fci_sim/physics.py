"""The simulated arm itself: MuJoCo with our arm model, a gripper, and what stands around it.

Takes torques and finger forces, gives what the control box measures. Decides nothing, knows no wire.
"""

from __future__ import annotations

import logging
import math
import xml.etree.ElementTree as ET
from typing import Final

import msgspec
import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from framework.errors import DescriptionError
from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.kinematic_tree import KinematicTree
from resources.arms.mjcf import MjcfDocument, add_tree, numbers
from resources.arms.parameters import JOINT_COUNT

Array = NDArray[np.float64]

TIMESTEP_S: Final = 0.001
HOME: Final = (0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0, 1.5707963267948966, 0.7853981633974483)

#: Contacts as stiff as the time step allows: time constant [s] and damping ratio of MuJoCo's constraints.
_HARD: Final = "0.002 1"
_HARDNESS: Final = (0.99, 0.999, 1e-4, 0.5, 2.0)  # share of the constraint that is enforced, and its profile

#: What the last rotor adds to its joint at high frequencies [kg m²]; the arm's own torque control hides it
#: below `_HIDDEN_HZ`. Without it joint 7 (7 g m² with the hand) would be unstable under the joint damping of
#: 15 N m s/rad that the manufacturer's examples have: sampled at 1 kHz, a mass takes less than 2 m/dt.
_ROTORS: Final = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02)
_HIDDEN_HZ: Final = 20.0
_HIDDEN_SHARE: Final = TIMESTEP_S / (TIMESTEP_S + 1.0 / (2.0 * math.pi * _HIDDEN_HZ))

log = logging.getLogger("pilothouse.fci_sim")

_ARM = slice(0, JOINT_COUNT)


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the arm starts with, and stands in.

    Attributes:
        q: the posture at start (7,) [rad].
        table_m: height of a table's surface over the arm's foot [m]; None has no table.
        object_width_m: width of something rigid between the fingers [m]; 0 is nothing.
        payload_kg: a mass at the tool that is really there, whatever SetLoad says.
    """

    q: tuple[float, ...] = HOME
    table_m: float | None = None
    object_width_m: float = 0.0
    payload_kg: float = 0.0


class ArmPhysics:
    """One arm with its gripper. Arrays are views that each `step` renews.

    Raises DescriptionError for a scene that cannot be.
    """

    def __init__(self, scene: Scene = Scene()) -> None:
        mujoco.set_mju_user_warning(_warned)
        self.scene = scene
        self.tree = arm_tree()
        self.limits = tuple(joint.limits for joint in self.tree.joints())[:JOINT_COUNT]
        self.finger_limits = next(
            joint.limits for joint in self.tree.joints() if joint.name == finger_names()[0]
        )
        _check(scene, tuple((limit.lower, limit.upper) for limit in self.limits))
        self.model = mujoco.MjModel.from_xml_string(_scene_mjcf(self.tree, scene))
        self.data = mujoco.MjData(self.model)
        self._asked = mujoco.MjData(self.model)  # for questions about other postures
        for number, name in enumerate((*joint_names(), *finger_names())):
            assert self.model.joint(name).dofadr[0] == number, "the arm's joints come first, then the fingers"
        self.fingers = slice(JOINT_COUNT, JOINT_COUNT + 2)
        # Fingers of 15 g under 100 N would sink millimetres into soft stops.
        self.model.jnt_solref[self.fingers] = [float(value) for value in _HARD.split()]
        self.model.jnt_solimp[self.fingers] = _HARDNESS
        self._rotors: Array = np.array(_ROTORS)
        self.model.dof_armature[_ARM] += self._rotors
        self._flange = int(self.model.site("flange").id)
        self._wrist = int(self.model.body("link7").id)
        data = self.data
        self.q: Array = data.qpos[_ARM]  # (7,) [rad]
        self.dq: Array = data.qvel[_ARM]  # (7,) [rad/s]
        self.wrench: Array = np.zeros(6)  # (6,) on the point of `push_at`, in the base frame [N, N m]
        self._motor: Array = data.ctrl[_ARM]
        self._finger_motor: Array = data.ctrl[self.fingers]
        self._full_mass: Array = np.zeros((self.model.nv, self.model.nv))
        self._applied: Array = np.zeros(self.model.nv)  # by `wrench`
        self._lead: Array = np.zeros(JOINT_COUNT)  # what the motors add so as to damp about a velocity
        self._acceleration: Array = np.zeros(JOINT_COUNT)  # that the rotors' torque is known for
        self._spatial: Array = np.zeros(6)  # rotation first, as MuJoCo has it
        self._twist: Array = np.zeros(6)
        self._flange_position: Array = data.site_xpos[self._flange]
        self._flange_rotation: Array = data.site_xmat[self._flange].reshape(3, 3)
        bodies = [self.model.body(int(body)).name for body in self.model.geom_bodyid]
        self._links = tuple("hand" if "finger" in body else body for body in bodies)  # of each geom
        self.place(scene.q)

    def place(self, q: ArrayLike) -> None:
        """Put the arm into a posture (7,) [rad], at rest."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[_ARM] = q
        self.hold_object(self.scene.object_width_m)
        self._acceleration[:] = 0.0
        self.data.qpos[self.fingers] = self.finger_limits.upper
        mujoco.mj_step1(self.model, self.data)

    def hold_object(self, width_m: float) -> None:
        """Something rigid of this width stands between the fingers from now on; 0 is nothing."""
        self.model.jnt_range[self.fingers, 0] = width_m / 2

    @property
    def object_width_m(self) -> float:
        """Of what stands between the fingers, 0 if nothing does."""
        return 2.0 * float(self.model.jnt_range[self.fingers.start, 0])

    @property
    def width_m(self) -> float:
        """Between the fingers."""
        first, second = self.data.qpos[self.fingers]
        return float(first + second)

    @property
    def finger_speed(self) -> float:
        """Rate of `width_m` [m/s]."""
        first, second = self.data.qvel[self.fingers]
        return float(first + second)

    def damp(self, damping: Array, velocity: Array | None = None) -> None:
        """The motors damp the joints about a velocity (7,) [rad/s], None for rest, from now on.

        `damping` (7,) [N m s/rad] is integrated implicitly: no value is unstable.
        """
        self.model.dof_damping[_ARM] = damping
        self._lead[:] = 0.0 if velocity is None else damping * velocity

    def damping_torque(self) -> Array:
        """(7,) what `damp` came to in the last step [N m]."""
        torque: Array = self.data.qfrc_passive[_ARM] + self._lead
        return torque

    def step(self, torque: ArrayLike, finger_force: float, *, push_at: Array | None = None) -> None:
        """One millisecond on.

        Args:
            torque: of the arm's motors (7,) [N m], beside what carries the weight.
            finger_force: of each finger, positive opens [N].
            push_at: point of the hand where `wrench` acts, in the base frame; None pushes nothing.
        """
        data = self.data
        self._motor[:] = torque
        self._finger_motor[:] = finger_force
        self._applied[:] = 0.0
        if push_at is not None:
            mujoco.mj_applyFT(
                self.model, data, self.wrench[:3], self.wrench[3:], push_at, self._wrist, self._applied
            )
        data.qfrc_applied[:] = self._applied
        data.qfrc_applied[_ARM] += self._lead
        self._acceleration += _HIDDEN_SHARE * (data.qacc[_ARM] - self._acceleration)
        data.qfrc_applied[_ARM] += self._rotors * self._acceleration
        # The second half first: what depends on the posture then belongs to the posture that is told.
        mujoco.mj_step2(self.model, data)
        mujoco.mj_step1(self.model, data)

    @property
    def base_T_flange(self) -> Array:
        """(4, 4)."""
        return _transform(self._flange_position, self._flange_rotation)

    def flange_at(self, q: ArrayLike) -> Array:
        """`base_T_flange` (4, 4) in another posture (7,)."""
        data = self._asked
        data.qpos[_ARM] = q
        mujoco.mj_kinematics(self.model, data)
        return _transform(data.site_xpos[self._flange], data.site_xmat[self._flange].reshape(3, 3))

    def flange_twist(self) -> Array:
        """(6,) of the flange in the base frame: translation [m/s], rotation [rad/s]."""
        kind = mujoco.mjtObj.mjOBJ_SITE
        mujoco.mj_objectVelocity(self.model, self.data, kind, self._flange, self._spatial, 0)
        self._twist[:3], self._twist[3:] = self._spatial[3:], self._spatial[:3]
        return self._twist

    def jacobian(self, point: Array) -> Array:
        """(6, 7) of a point of the last link that is now at `point` (3,), in the base frame."""
        return self._jacobian(self.data, point)

    def asked_jacobian(self, point: Array) -> Array:
        """The same in the posture that `flange_at` was asked for last."""
        mujoco.mj_comPos(self.model, self._asked)
        return self._jacobian(self._asked, point)

    def _jacobian(self, data: mujoco.MjData, point: Array) -> Array:
        rows = np.empty((6, self.model.nv))
        mujoco.mj_jac(self.model, data, rows[:3], rows[3:], point, self._wrist)
        return rows[:, _ARM]

    def mass(self) -> Array:
        """(7, 7) [kg m²]; the fingers count as part of the hand."""
        mujoco.mj_fullM(self.model, self.data, self._full_mass)
        mass: Array = self._full_mass[_ARM, _ARM]
        mass[np.diag_indices(JOINT_COUNT)] -= self._rotors
        return mass

    def coriolis(self) -> Array:
        """(7,) C q̇ [N m]."""
        bias: Array = self.data.qfrc_bias[_ARM] - self.data.qfrc_gravcomp[_ARM]
        if self.scene.payload_kg:
            bias = bias - self.payload_weight()
        return bias

    def motor_torque(self) -> Array:
        """(7,) what the joints' sensors measure [N m]: motors with weight and damping."""
        hidden = self._rotors * (self._acceleration - self.data.qacc[_ARM])
        torque: Array = self.data.qfrc_actuator[_ARM] + self.damping_torque() + hidden
        return torque

    def pushed(self) -> Array:
        """(7,) torque that the surroundings exert on the joints [N m]: contacts, end stops, `wrench`."""
        torque: Array = self.data.qfrc_constraint[_ARM] + self._applied[_ARM]
        return torque

    def payload_weight(self) -> Array:
        """(7,) torque that would carry what hangs at the tool [N m]."""
        if not self.scene.payload_kg:
            return np.zeros(JOINT_COUNT)
        return self.weight(self.scene.payload_kg, self.data.xpos[int(self.model.body("payload").id)])

    def weight(self, mass_kg: float, point: Array) -> Array:
        """(7,) joint torque that carries `mass_kg` at `point` of the last link (3,), in the base frame."""
        down = np.zeros(self.model.nv)
        force, none = np.array([0.0, 0.0, -mass_kg * self.model.opt.gravity[2]]), np.zeros(3)
        mujoco.mj_applyFT(self.model, self.data, force, none, point, self._wrist, down)
        return down[_ARM]

    def touches_itself(self) -> bool:
        """Whether two links of the arm are in contact; fingers and hand count as one."""
        data = self.data
        if data.ncon == 0:
            return False
        links = self._links
        pairs = ((links[first], links[second]) for first, second in data.contact.geom[: data.ncon])
        return any(first != second and "table" not in (first, second) for first, second in pairs)


def _transform(position: Array, rotation: Array) -> Array:
    transform = np.eye(4)
    transform[:3, :3] = rotation
    transform[:3, 3] = position
    return transform


def check_scene(scene: Scene) -> None:
    """Raises DescriptionError for a scene that cannot be."""
    limits = [joint.limits for joint in arm_tree().joints()][:JOINT_COUNT]
    _check(scene, tuple((limit.lower, limit.upper) for limit in limits))


def _warned(words: str) -> None:
    """MuJoCo itself would write a file into whatever folder we were started in."""
    log.warning("the arm's physics: %s", words)


def _check(scene: Scene, ranges: tuple[tuple[float, float], ...]) -> None:
    if len(scene.q) != JOINT_COUNT:
        raise DescriptionError(f"the posture q has {len(scene.q)} joints; the arm has {JOINT_COUNT}")
    for number, (value, (lower, upper)) in enumerate(zip(scene.q, ranges, strict=True), 1):
        if not lower <= value <= upper:
            raise DescriptionError(
                f"joint {number} cannot start at {value} rad; it goes from {lower} to {upper}"
            )
    if scene.table_m is not None and not -2.0 <= scene.table_m <= 2.0:
        raise DescriptionError(f"a table at {scene.table_m} m cannot be; it may stand from -2 to 2 m")
    if not 0.0 <= scene.object_width_m <= 0.08:
        raise DescriptionError(
            f"an object of {scene.object_width_m} m does not fit; the fingers open to 0.08 m"
        )
    if not 0.0 <= scene.payload_kg <= 20.0:
        raise DescriptionError(f"a payload of {scene.payload_kg} kg cannot be; it may weigh 0 to 20 kg")


def _scene_mjcf(tree: KinematicTree, scene: Scene) -> str:
    document = MjcfDocument("fci_sim")
    ET.SubElement(
        document.root, "option", jacobian="dense", integrator="implicitfast", timestep=str(TIMESTEP_S)
    )
    asset = document.section("asset")
    materials = {solid.material for link in tree.links() for solid in link.solids if solid.material}
    for material in sorted(materials):
        ET.SubElement(asset, "material", name=material, rgba="0.8 0.8 0.8 1")
    world = document.section("worldbody")
    add_tree(document, world, tree, gravity_compensated=True)
    if scene.payload_kg:
        hand = world.find(".//body[@name='hand']")
        assert hand is not None
        payload = ET.SubElement(hand, "body", name="payload", pos=numbers((0.0, 0.0, 0.1034)))
        inertia = numbers((1e-4 * scene.payload_kg,) * 3)
        ET.SubElement(payload, "inertial", pos="0 0 0", mass=repr(scene.payload_kg), diaginertia=inertia)
    if scene.table_m is not None:
        table = ET.SubElement(world, "body", name="table", pos=numbers((0.5, 0.0, scene.table_m - 0.05)))
        ET.SubElement(table, "geom", type="box", size="0.4 0.6 0.05", solref=_HARD)
        for link in ("link0", "link1"):
            ET.SubElement(document.section("contact"), "exclude", body1="table", body2=link)
    return document.text()
