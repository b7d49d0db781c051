"""The twin's body: arms and what they must not enter, as a MuJoCo model. Margins are in its geometry.

Every link is capsules, as thick as the link and its margin (`resources/arms/covering.py`: each solid is
inside its capsule); only declared pairs of shapes meet, without friction, so that a hand slides along a
wall. Weight is left out: the arms carry their own (`g` and the weight's torque cancel in eq 1). Fingers stand
half open, in capsules that both of them fill.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.arm import arm_tree, finger_names, joint_names
from resources.arms.covering import covering_capsule
from resources.arms.kinematic_tree import KinematicTree, Link
from resources.arms.lumping import locked
from resources.arms.mjcf import MjcfDocument, add_tree, numbers, placed
from resources.arms.pose import Pose, compose
from resources.twin.obstacles import NoGoBox, Surroundings, Wall

Array = NDArray[np.float64]

PERIOD_S = 0.001
"""Of the twin's physics."""

REACH_M = 0.12
"""What is nearer than this is known of, felt or not."""

# A wall as stiff as the twin can have it: five periods.
_STIFF = {"solref": "0.005 1", "solimp": "0.95 0.99 0.001", "condim": "1"}

# These stand where they are mounted: what stands near them there is no intrusion.
_STANDING = ("link0", "link1")

# A hand may come near its own arm's foot, never its neighbours in the chain.
_OWN_HAND, _OWN_FOOT = ("link7", "hand", "left_finger", "right_finger"), ("link0", "link1", "link2")


class TwinArm(msgspec.Struct, frozen=True):
    """An arm that has a twin: its names' prefix, where it stands in the model's frame, what it carries.

    own: what it alone must not enter (walls and boxes in its base frame, its robot's body in the model's),
    with its margin; None: it has nothing of its own, and the margin of all.
    """

    prefix: str = ""
    at: Pose = Pose()
    tree: KinematicTree | None = None
    own: Surroundings | None = None


class TwinModel:
    """A compiled model. surroundings: what no arm must enter, in the model's frame.

    Attributes:
        model: MuJoCo's. dofs: the seven of each arm, as slices of `qpos` and `qvel`.
        felt: of each geom, what its margin is thicker by than what must be kept [m].
        words: of each geom, for people. arm_of: of each body, the number of its arm; -1: of none.
    """

    def __init__(self, arms: tuple[TwinArm, ...], surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        document = MjcfDocument("twin")
        option = {"jacobian": "dense", "integrator": "implicitfast", "timestep": repr(PERIOD_S)}
        ET.SubElement(document.root, "option", option, gravity="0 0 0")
        world = document.section("worldbody")
        words: dict[str, str] = {}
        felt: dict[str, float] = {}
        common = [
            *_walls(world, surroundings.walls, words, ""),
            *_boxes(world, surroundings.boxes, words, ""),
        ]
        fixed: list[list[str]] = []
        links: list[list[tuple[str, str]]] = []
        for arm in arms:
            fixed.append([*common, *_owned(world, arm, words)])
            tree = _rigid_hand(arm_tree(arm.prefix) if arm.tree is None else arm.tree, arm.prefix)
            add_tree(document, world, _bare(tree), arm.at)
            margin = surroundings.margin if arm.own is None else arm.own.margin
            kept = margin.kept_m + margin.felt_m
            links.append(list(_thicken(world, tree, arm.prefix, kept, words)))
            felt |= {name: margin.felt_m for _, name in links[-1]}
        pairs = _pairs(fixed, links)
        for first, second in pairs:
            ET.SubElement(
                document.section("contact"), "pair", _STIFF, geom1=first, geom2=second, gap=repr(REACH_M)
            )
        self.model = model = mujoco.MjModel.from_xml_string(document.text())
        self.dofs = tuple(_dofs(model, arm.prefix) for arm in arms)
        self.words = tuple(words[model.geom(number).name] for number in range(int(model.ngeom)))
        self.felt: Array = np.array(
            [felt.get(model.geom(number).name, 0.0) for number in range(int(model.ngeom))]
        )
        self.arm_of = tuple(_arm_of(model, body, self.dofs) for body in range(int(model.nbody)))


def _owned(world: ET.Element, arm: TwinArm, words: dict[str, str]) -> Iterator[str]:
    """What one arm alone must not enter."""
    if arm.own is None:
        return
    frame = ET.SubElement(world, "body", {"name": f"{arm.prefix}surroundings", **placed(arm.at)})
    yield from _walls(frame, arm.own.walls, words, arm.prefix)
    yield from _boxes(frame, arm.own.no_go, words, arm.prefix)
    yield from _boxes(world, arm.own.body, words, f"{arm.prefix}body_")


def _walls(frame: ET.Element, walls: tuple[Wall, ...], words: dict[str, str], prefix: str) -> Iterator[str]:
    for number, wall in enumerate(walls):
        name = f"{prefix}wall{number}"
        words[name] = wall.words
        # Off a plane's z axis MuJoCo takes a quaternion or the axis itself.
        ET.SubElement(
            frame,
            "geom",
            {"name": name, "type": "plane", "size": "0 0 1", "zaxis": numbers(wall.normal), **_SILENT},
            pos=numbers(wall.point),
        )
        yield name


def _boxes(
    frame: ET.Element, boxes: tuple[NoGoBox, ...], words: dict[str, str], prefix: str
) -> Iterator[str]:
    for number, box in enumerate(boxes):
        name = f"{prefix}box{number}"
        words[name] = box.words
        low, high = np.array(box.lower), np.array(box.upper)
        ET.SubElement(
            frame,
            "geom",
            {"name": name, "type": "box", "size": numbers((high - low) / 2), **_SILENT},
            pos=numbers((high + low) / 2),
        )
        yield name


_SILENT = {"contype": "0", "conaffinity": "0"}  # only declared pairs meet


def _rigid_hand(tree: KinematicTree, prefix: str) -> KinematicTree:
    arm = joint_names(prefix)
    fingers = finger_names(prefix)
    others = {
        joint.name: 0.5 * (joint.limits.lower + joint.limits.upper) if joint.name in fingers else 0.0
        for joint in tree.joints()
        if joint.name not in arm
    }
    return locked(tree, others)


def _bare(tree: KinematicTree) -> KinematicTree:
    def stripped(link: Link) -> Link:
        children = tuple(stripped(child) for child in link.children)
        return msgspec.structs.replace(link, solids=(), children=children)

    return KinematicTree(stripped(tree.root))


def _thicken(
    world: ET.Element, tree: KinematicTree, prefix: str, by_m: float, words: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Put the links' capsules into the document; the names of link (without prefix) and geom."""
    bodies = {body.get("name"): body for body in world.iter("body")}
    side = f"{prefix.rstrip('_')} " if prefix else ""
    for link in tree.links():
        short = link.name.removeprefix(prefix)
        for number, solid in enumerate(solid for solid in link.solids if solid.collides):
            turn, length, radius = covering_capsule(solid.shape)
            name = f"{link.name}#{number}"
            size = numbers((radius + by_m, max(length / 2, 1e-4)))
            place = placed(compose(solid.pose, turn))
            # Those are the arm's masses already.
            attributes = {"name": name, "type": "capsule", "size": size, "mass": "0", **_SILENT, **place}
            ET.SubElement(bodies[link.name], "geom", attributes)
            words[name] = f"the {side}{_PARTS.get(short, 'arm')}"
            yield short, name


_PARTS = {"hand": "hand", "left_finger": "hand", "right_finger": "hand", "link7": "wrist", "link0": "foot"}


def _pairs(fixed: list[list[str]], arms: list[list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Who must not meet whom; `fixed`: what stands in the way of each arm."""
    pairs: list[tuple[str, str]] = []
    for number, links in enumerate(arms):
        moving = [name for short, name in links if short not in _STANDING]
        pairs += [(obstacle, name) for obstacle in fixed[number] for name in moving]
        hand = [name for short, name in links if short in _OWN_HAND]
        foot = [name for short, name in links if short in _OWN_FOOT]
        pairs += [(own, name) for own in foot for name in hand]
        for others in arms[number + 1 :]:
            pairs += [
                (mine, theirs)
                for short, mine in links
                for other, theirs in others
                # Feet do not come nearer to each other.
                if not (short in _STANDING and other in _STANDING)
            ]
    return pairs


def _dofs(model: mujoco.MjModel, prefix: str) -> slice:
    first = int(model.joint(joint_names(prefix)[0]).dofadr[0])
    return slice(first, first + 7)


def _arm_of(model: mujoco.MjModel, body: int, arms: tuple[slice, ...]) -> int:
    """By the last joint that moves the body."""
    while body and not model.body_dofnum[body]:
        body = int(model.body_parentid[body])
    dof = int(model.body_dofadr[body]) if body else -1
    return next((number for number, dofs in enumerate(arms) if dofs.start <= dof < dofs.stop), -1)
