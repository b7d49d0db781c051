"""A taught trajectory on a "real" arm and on its twin: how far they are apart, and what each estimator sees.

Paper 001, figures 6 and 7, in kind. The real arm is a simulation, too: with the friction of Gaz et al., an
inertia that is not the twin's, and encoders that measure positions only. One controller moves both.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Final

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.twin.law import LASTS_S, PLANE_M, TaskSpaceLaw
from pilothouse.testbed.arm_stage import HOME, PERIOD_S
from resources.arms.arm import arm_tree, finger_names
from resources.arms.dynamics import ArmDynamics
from resources.arms.friction import JointFriction
from resources.arms.lumping import locked
from resources.arms.mjcf import MjcfDocument, add_tree
from resources.arms.parameters import PANDA, ArmParameters, Inertia
from resources.arms.pose import from_mujoco
from resources.controllers.observer import MomentumObserver, WrenchMap
from resources.controllers.rotation import between
from resources.twin.in_the_loop import InTheLoop

Array = NDArray[np.float64]

UNCERTAIN: Final = 0.05
"""Standard deviation of what the real arm's masses, centres and moments differ by, as a share."""

ENCODER_BITS: Final = 20

#: Both estimators are first-order low-passes of 20 ms, so that what differs is what they leave out.
SMOOTHING: Final = 0.05
GAIN: Final = 50.0


class Track(msgspec.Struct, frozen=True):
    """What one arm did: position (n, 3) [m], rotation (n, 4), what the plane did to the tool (n, 3) [N],
    and what was made of its signals by the direct estimator and by the observer (n, 3) [N]."""

    position: Array
    rotation: Array
    force: Array
    direct: Array
    observed: Array


class Estimators:
    """The direct estimator (5) and the momentum observer (6–7), side by side on the same signals.

    In print (5) is τ_d − τ_m + g, which vanishes where motors give what they are told. What remains of a
    direct estimator without inertia and Coriolis is g − τ_m: whatever motors do beyond carrying the weight is
    taken for what the surroundings do. Smoothed exponentially, as printed.
    """

    def __init__(self, q: Array) -> None:
        self._dynamics = ArmDynamics()
        self._dynamics.update(q, np.zeros(7))
        self._observer = MomentumObserver(self._dynamics, GAIN)
        self._observer.restart(np.zeros(7))
        self._wrenches = WrenchMap(self._dynamics)
        self._direct: Array = np.zeros(7)
        self._before = q.copy()

    def update(self, q: Array, applied: Array) -> tuple[Array, Array]:
        """One period on: measured joints (7,) [rad], torque of the period that ended, without weight (7,).

        Returns the forces of direct estimator and observer (3,) each [N].
        """
        dq = (q - self._before) / PERIOD_S
        self._before = q.copy()
        self._dynamics.update(q, dq)
        self._wrenches.update()
        self._observer.update(dq, applied, PERIOD_S)
        self._direct += SMOOTHING * (-applied - self._direct)
        return self._wrenches.wrench(self._direct)[:3], self._wrenches.wrench(self._observer.torque)[:3]


class _RealArm:
    """What is measured and given torques; see the module."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.model = mujoco.MjModel.from_xml_string(_document(_perturbed(random), friction=False))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:] = HOME
        mujoco.mj_forward(self.model, self.data)
        self._friction = JointFriction.of_arm()
        self._resolution = 2.0 * np.pi / 2**ENCODER_BITS
        self._random = random

    def read(self) -> Array:
        """Joints as their encoders show them (7,) [rad]: with noise of half a step, rounded."""
        noise = self._random.normal(0.0, 0.5 * self._resolution, 7)
        return np.asarray(np.round((self.data.qpos + noise) / self._resolution) * self._resolution)

    def apply(self, torque: Array) -> None:
        """A period under a torque without weight (7,) [N m]."""
        self.data.ctrl[:] = torque
        self.data.qfrc_applied[:] = -self._friction.torque(self.data.qvel)
        mujoco.mj_step(self.model, self.data)


def real(seed: int, lasts_s: float = LASTS_S) -> Track:
    """The trajectory on the real arm: hardware in the loop."""
    arm = _RealArm(seed)
    loop = InTheLoop(twin_model(), hardware_law())
    measured = arm.read()
    seen = Estimators(measured)
    record = _Record()
    before, torque = measured, np.zeros(7)
    for period in range(round(lasts_s / PERIOD_S)):
        q = arm.read()
        forces = seen.update(q, torque)
        record.add(arm.model, arm.data, forces)
        torque = loop.tick(q, (q - before) / PERIOD_S, period * PERIOD_S)
        before = q
        arm.apply(torque)
    return record.track()


def twin(lasts_s: float = LASTS_S) -> Track:
    """The trajectory in the twin alone, moved by the same controller."""
    loop = InTheLoop(twin_model(), hardware_law())
    loop.supersede(np.array(HOME), np.zeros(7), 0.0)
    seen = Estimators(np.array(HOME))
    record = _Record()
    torque: Array = np.zeros(7)
    for _ in range(round(lasts_s / PERIOD_S)):
        forces = seen.update(np.array(loop.data.qpos), torque)
        record.add(loop.model, loop.data, forces)
        torque = loop.step()
    return record.track()


def twin_model(*, friction: bool = True) -> mujoco.MjModel:
    """The twin: the manufacturer's numbers, and MuJoCo's own friction."""
    return mujoco.MjModel.from_xml_string(_document(PANDA, friction=friction))


class _Record:
    def __init__(self) -> None:
        self._rows: list[tuple[Array, ...]] = []
        self._quaternion: Array = np.empty(4)
        self._contact: Array = np.empty(6)

    def add(self, model: mujoco.MjModel, data: mujoco.MjData, forces: tuple[Array, Array]) -> None:
        site = int(model.site("tool").id)
        mujoco.mju_mat2Quat(self._quaternion, data.site_xmat[site])
        touched: Array = np.zeros(3)
        plane = int(model.geom("plane").id)
        for number in range(int(data.ncon)):
            contact = data.contact[number]
            if plane not in (contact.geom1, contact.geom2):
                continue
            mujoco.mj_contactForce(model, data, number, self._contact)
            # The normal points from the first to the second; the arm is pushed that way if it is the second.
            sign = 1.0 if contact.geom1 == plane else -1.0
            touched += sign * contact.frame.reshape(3, 3).T @ self._contact[:3]
        position = np.array(data.site_xpos[site])
        self._rows.append((position, np.array(from_mujoco(self._quaternion)), touched, *forces))

    def track(self) -> Track:
        return Track(*(np.array(column) for column in zip(*self._rows, strict=True)))


def pose_errors(first: Track, second: Track) -> tuple[Array, Array]:
    """How far two arms are apart: (n,) [m], (n,) [rad]."""
    turns = [
        np.linalg.norm(between(tuple(a), tuple(b)))
        for a, b in zip(first.rotation.tolist(), second.rotation.tolist(), strict=True)
    ]
    return np.linalg.norm(first.position - second.position, axis=1), np.array(turns)


def hardware_law() -> TaskSpaceLaw:
    """The controller of both, from the home posture on."""
    dynamics = ArmDynamics()
    pose = dynamics.forward(np.array(HOME))
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, pose[:3, :3].ravel())
    x, y, z = pose[:3, 3].tolist()
    return TaskSpaceLaw((x, y, z), from_mujoco(quaternion))


def _document(arm: ArmParameters, *, friction: bool) -> str:
    document = MjcfDocument("fidelity")
    option = {"jacobian": "dense", "integrator": "implicitfast", "timestep": repr(PERIOD_S)}
    ET.SubElement(document.root, "option", option)
    for name in ("arm_shell", "arm_joint", "rubber"):
        ET.SubElement(document.section("asset"), "material", name=name, rgba="0.8 0.8 0.8 1")
    world = document.section("worldbody")
    plane = {"name": "plane", "type": "plane", "size": "2 2 0.1", "solref": "0.02 1", "priority": "1"}
    ET.SubElement(world, "geom", plane, pos=f"0 0 {PLANE_M!r}")
    tree = locked(arm_tree(arm=arm), dict.fromkeys(finger_names(), 0.0))
    add_tree(document, world, tree, gravity_compensated=True, friction=friction)
    # The capsules of what stands reach below the face it stands on.
    for link in ("link0", "link1"):
        ET.SubElement(document.section("contact"), "exclude", body1="world", body2=link)
    return document.text()


def _perturbed(random: np.random.Generator) -> ArmParameters:
    """As no manufacturer's table says: every mass, centre and moment is off by some percent."""

    def share() -> float:
        return 1.0 + float(np.clip(random.normal(0.0, UNCERTAIN), -2 * UNCERTAIN, 2 * UNCERTAIN))

    def off(inertia: Inertia) -> Inertia:
        x, y, z = inertia.centre
        scale = share()
        xx, yy, zz = inertia.moments
        xy, xz, yz = inertia.products
        return Inertia(
            inertia.mass * share(),
            (x * share(), y * share(), z * share()),
            (xx * scale, yy * scale, zz * scale),
            (xy * scale, xz * scale, yz * scale),
        )

    links = tuple(msgspec.structs.replace(link, inertia=off(link.inertia)) for link in PANDA.links)
    return msgspec.structs.replace(PANDA, links=links)
