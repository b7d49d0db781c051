"""Two arms and a body between them, and a person who pushes: here a twin's walls are tried, in step.

The physics knows nothing of virtual walls. Distances are those of the links' own solids, taken from MuJoCo's
geometry and not from what the twin believes.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Final

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.testbed.arm_stage import HOME, PERIOD_S
from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.dynamics import ArmDynamics
from resources.arms.friction import JointFriction
from resources.arms.lumping import locked
from resources.arms.mjcf import MjcfDocument, add_tree, numbers
from resources.arms.pose import Pose, Vector3
from resources.controllers.arm import ArmController
from resources.twin.guard import guards
from resources.twin.model import TwinArm
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.twin.twin import Coupling

Array = NDArray[np.float64]

LEFT: Final = "left_"
RIGHT: Final = "right_"
MOUNTS: Final[dict[str, Vector3]] = {LEFT: (0.0, 0.32, 0.0), RIGHT: (0.0, -0.32, 0.0)}

MARGIN: Final = Margin(kept_m=0.02, felt_m=0.02)

SURROUNDINGS: Final = Surroundings(
    walls=(
        Wall((0.0, 0.0, 0.12), (0.0, 0.0, 1.0), "the table"),
        Wall((0.0, 0.75, 0.0), (0.0, -1.0, 0.0), "the left wall"),
        Wall((0.0, -0.75, 0.0), (0.0, 1.0, 0.0), "the right wall"),
        Wall((0.80, 0.0, 0.0), (-1.0, 0.0, 0.0), "the wall in front"),
    ),
    no_go=(NoGoBox((0.35, -0.10, 0.0), (0.55, 0.10, 0.35), "the box between the arms"),),
    body=(NoGoBox((-0.35, -0.13, -0.1), (-0.03, 0.13, 0.95), "the body"),),
    margin=MARGIN,
)

# Further apart than this nobody asks how far [m].
_FAR = 0.3

_STANDING = ("link0", "link1")
_HAND, _FOOT = ("link7", "hand", "left_finger", "right_finger"), ("link0", "link1", "link2")


class Person(msgspec.Struct, frozen=True):
    """Somebody who takes hold of a link and carries it somewhere, with a force that they do not exceed.

    grip: the link; at: where on it, in its frame [m]. to: where to, in the robot's frame [m]. The hand is a
    mass [kg] in soft skin; what moves it is a spring that is drawn along.
    """

    grip: str
    to: Vector3
    speed: float = 0.3
    force_n: float = 100.0
    at: Vector3 = (0.0, 0.0, 0.0)
    mass_kg: float = 1.5


_SKIN, _SKIN_DAMPING = 4000.0, 100.0  # [N/m], [N s/m]
_MUSCLE, _MUSCLE_DAMPING = 500.0, 30.0
_BEYOND = 0.4  # they mean to go on beyond it [m]


class _Pushing:
    """One person at work."""

    def __init__(self, person: Person, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._person, self._model, self._data = person, model, data
        self._body = int(model.body(person.grip).id)
        self._rotation = data.xmat[self._body].reshape(3, 3)
        self._start = self._place = self._last = self._point()
        way = np.array(person.to) - self._start
        self._direction = way / np.linalg.norm(way)
        self._length = float(np.linalg.norm(way)) + _BEYOND
        self._velocity: Array = np.zeros(3)
        self.force: Array = np.zeros(3)

    def apply(self, time_s: float) -> None:
        """Push for a period."""
        person = self._person
        gone = min(person.speed * time_s, self._length)
        pace = person.speed if gone < self._length else 0.0
        muscle = _MUSCLE * (self._start + gone * self._direction - self._place)
        muscle += _MUSCLE_DAMPING * (pace * self._direction - self._velocity)
        strength = float(np.linalg.norm(muscle))
        if strength > person.force_n:
            muscle *= person.force_n / strength
        point = self._point()
        self.force = _SKIN * (self._place - point)
        self.force += _SKIN_DAMPING * (self._velocity - (point - self._last) / PERIOD_S)
        self._last = point
        self._velocity = self._velocity + (muscle - self.force) * (PERIOD_S / person.mass_kg)
        self._place = self._place + self._velocity * PERIOD_S
        data = self._data
        mujoco.mj_applyFT(self._model, data, self.force, np.zeros(3), point, self._body, data.qfrc_applied)

    def _point(self) -> Array:
        return np.asarray(self._data.xpos[self._body] + self._rotation @ np.array(self._person.at))


class TwinStage:
    """See the module; a millisecond a step. guarded: whether virtual walls act.

    Attributes: controllers: of the left and the right arm. felt: the pushing people's forces [N].
    """

    def __init__(
        self, people: tuple[Person, ...] = (), *, guarded: bool = True, coupling: Coupling | None = None
    ) -> None:
        self.model = model = mujoco.MjModel.from_xml_string(_document())
        self.data = data = mujoco.MjData(model)
        self._pairs = _measured(model)
        self.now_s = 0.0
        self._spans = []
        for prefix in (LEFT, RIGHT):
            first = int(model.joint(joint_names(prefix)[0]).dofadr[0])
            self._spans.append(slice(first, first + 7))
            data.qpos[first : first + 7] = HOME
        mujoco.mj_forward(model, data)
        arms = tuple(TwinArm(prefix, Pose(MOUNTS[prefix])) for prefix in (LEFT, RIGHT))
        walls = guards(arms, SURROUNDINGS, coupling) if guarded else (None, None)
        self.controllers = tuple(
            ArmController(ArmDynamics(arm_tree(prefix), prefix=prefix), walls=guard)
            for prefix, guard in zip((LEFT, RIGHT), walls, strict=True)
        )
        for controller, span in zip(self.controllers, self._spans, strict=True):
            controller.reset(data.qpos[span], data.qvel[span])
        self._people = [_Pushing(person, model, data) for person in people]
        self._friction = JointFriction.of_arm()

    @property
    def push_n(self) -> float:
        """The greatest force of a person now [N]."""
        return max((float(np.linalg.norm(each.force)) for each in self._people), default=0.0)

    def step(self) -> None:
        """One period: both arms' ticks, then physics."""
        model, data = self.model, self.data
        data.qfrc_applied[:] = 0.0
        for controller, span in zip(self.controllers, self._spans, strict=True):
            data.ctrl[span] = controller.tick(data.qpos[span], data.qvel[span], self.now_s, PERIOD_S)
            data.qfrc_applied[span] -= self._friction.torque(data.qvel[span])
        for person in self._people:
            person.apply(self.now_s)
        mujoco.mj_step(model, data)
        self.now_s += PERIOD_S

    def clearance(self) -> tuple[float, float]:
        """The shortest distance of surfaces [m], and of what is left of it outside of kept margins."""
        surfaces, kept = _FAR, _FAR
        for first, second, margins in self._pairs:
            distance = mujoco.mj_geomDistance(self.model, self.data, first, second, _FAR, None)
            surfaces = min(surfaces, distance)
            kept = min(kept, distance - margins * MARGIN.kept_m)
        return surfaces, kept

    def run(self, seconds: float, each: Callable[[TwinStage], None]) -> None:
        """Step for so long; `each` is called after every step."""
        for _ in range(round(seconds / PERIOD_S)):
            self.step()
            each(self)


def _document() -> str:
    document = MjcfDocument("two arms")
    option = {"jacobian": "dense", "integrator": "implicitfast", "timestep": repr(PERIOD_S)}
    ET.SubElement(document.root, "option", option)
    for name in ("arm_shell", "arm_joint", "rubber"):
        ET.SubElement(document.section("asset"), "material", name=name, rgba="0.8 0.8 0.8 1")
    world = document.section("worldbody")
    # A half-space is measured as a slab so thick that nothing comes near its other side.
    for number, wall in enumerate(SURROUNDINGS.walls):
        normal = np.array(wall.normal)
        middle = np.array(wall.point) - normal
        half = np.where(np.abs(normal) > 0.5, 1.0, 3.0)
        _ghost(world, f"obstacle_wall{number}", half, middle)
    for number, box in enumerate(SURROUNDINGS.boxes):
        low, high = np.array(box.lower), np.array(box.upper)
        _ghost(world, f"obstacle_box{number}", (high - low) / 2, (high + low) / 2)
    for prefix, place in MOUNTS.items():
        tree = locked(arm_tree(prefix), dict.fromkeys(finger_names(prefix), 0.02))
        add_tree(document, world, tree, Pose(place), gravity_compensated=True)
    return document.text()


def _ghost(world: ET.Element, name: str, half: Array, middle: Array) -> None:
    """Something to measure to, which nothing touches."""
    shape = {"name": name, "type": "box", "contype": "0", "conaffinity": "0"}
    ET.SubElement(world, "geom", shape, size=numbers(half), pos=numbers(middle))


def _measured(model: mujoco.MjModel) -> list[tuple[int, int, int]]:
    """Pairs of geoms that must not meet, and how many margins are between them."""
    obstacles, links = [], []
    for number in range(int(model.ngeom)):
        body = model.body(int(model.geom_bodyid[number])).name
        if model.geom(number).name.startswith("obstacle"):
            obstacles.append(number)
        else:
            prefix = LEFT if body.startswith(LEFT) else RIGHT
            links.append((number, prefix, body.removeprefix(prefix)))
    pairs = []
    for number, (geom, prefix, link) in enumerate(links):
        if link not in _STANDING:
            pairs += [(geom, obstacle, 1) for obstacle in obstacles]
        for other, other_prefix, other_link in links[number + 1 :]:
            if prefix != other_prefix:
                if link not in _STANDING or other_link not in _STANDING:
                    pairs.append((geom, other, 2))
            elif link in _FOOT and other_link in _HAND:
                pairs.append((geom, other, 2))
    return pairs


def outward(direction: Vector3, length: float) -> Vector3:
    """A vector of that length in a direction."""
    x, y, z = direction
    scale = length / math.hypot(x, y, z)
    return (x * scale, y * scale, z * scale)
