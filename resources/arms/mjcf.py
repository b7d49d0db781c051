"""Writes kinematic trees, solids and whole documents as MJCF. Knows MuJoCo's file format and no robot.

Numbers are written with all digits, so a compiled model agrees with the parameters to rounding.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from resources.arms.friction import dry_and_viscous
from resources.arms.kinematic_tree import Box, Capsule, Cylinder, JointKind, KinematicTree, Link, Solid
from resources.arms.pose import Pose, to_mujoco

ROBOT_GROUP = 1  # geom group of everything that belongs to a robot; rooms and things use group 0


class MjcfDocument:
    """One MJCF document in the making: its sections, and the files (name → bytes) it refers to."""

    def __init__(self, name: str) -> None:
        self.root = ET.Element("mujoco", model=name)
        self.files: dict[str, bytes] = {}
        # Angles in rad, and no reordering of Euler angles: every orientation is a quaternion.
        ET.SubElement(self.root, "compiler", angle="radian", autolimits="true")

    def section(self, name: str) -> ET.Element:
        """The top-level element `name`, made on first use."""
        found = self.root.find(name)
        return found if found is not None else ET.SubElement(self.root, name)

    def text(self) -> str:
        """The document as XML."""
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode")


def numbers(values: Iterable[float]) -> str:
    """Numbers as MJCF wants them, with all their digits."""
    return " ".join(repr(float(value)) for value in values)


def add_body(parent: ET.Element, name: str, pose: Pose = Pose(), **attributes: str) -> ET.Element:
    """A child body of `parent`."""
    return ET.SubElement(parent, "body", {"name": name, **placed(pose), **attributes})


def add_solid(body: ET.Element, solid: Solid, *, name: str = "", group: int = 0) -> ET.Element:
    """One geom, and its name only if it has one; a body with an `inertial` takes no mass from its geoms."""
    geom = ET.SubElement(body, "geom", {"group": str(group), **_shape(solid), **placed(solid.pose)})
    if name:
        geom.set("name", name)
    if solid.material:
        geom.set("material", solid.material)
    if not solid.collides:
        geom.set("contype", "0")
        geom.set("conaffinity", "0")
    return geom


def placed(pose: Pose) -> dict[str, str]:
    """`pos` and `quat` attributes; identity parts are left out."""
    attributes = {}
    if any(pose.position):
        attributes["pos"] = numbers(pose.position)
    if pose.quaternion != (0.0, 0.0, 0.0, 1.0):
        attributes["quat"] = numbers(to_mujoco(pose.quaternion))
    return attributes


def add_tree(
    document: MjcfDocument,
    parent: ET.Element,
    tree: KinematicTree,
    at: Pose = Pose(),
    *,
    gravity_compensated: bool = False,
    friction: bool = False,
) -> ET.Element:
    """Attach a mechanism to a body: links, joints, solids, frames (as sites), and a torque motor a joint.

    Coupled joints keep a motor each, and equal positions whatever these do.

    Motors and joints share their names; a motor's control is N m or N, within the joint's effort.
    With `gravity_compensated` the joints carry the weight of the links by themselves, as a Franka
    does for torque commands; that torque counts towards the effort limit.
    With `friction` the joints have MuJoCo's own, dry and viscous, fitted to the sigmoid of the
    parameters: right at speed, but MuJoCo's sticks at rest where the sigmoid creeps. A world that wants the
    identified curve itself leaves this out and subtracts `JointFriction.torque` from its motors' torques.
    Root solids do not collide with the body that the mechanism stands on. Returns the root's body.
    """
    root = _add_link(parent, tree.root, gravity_compensated, friction)
    for key, value in placed(at).items():
        root.set(key, value)
    contact = document.section("contact")
    for first, second in tree.never_collide:
        ET.SubElement(contact, "exclude", body1=first, body2=second)
    if parent.tag == "body":
        for link in [tree.root, *tree.root.children]:
            ET.SubElement(contact, "exclude", body1=parent.get("name", ""), body2=link.name)
    for first, second in tree.coupled:
        # Two time steps of 1 ms are the stiffest that MuJoCo allows: fingers pushed 3.5 N apart stay within
        # 0.02 mm of each other. Without it two equal forces would let a grasped thing slide between them.
        belt = {"solref": "0.002 1", "solimp": "0.99 0.99 0.001"}
        ET.SubElement(document.section("equality"), "joint", belt, joint1=second, joint2=first)
    actuators = document.section("actuator")
    for joint in tree.joints():
        limit = numbers((-joint.limits.effort, joint.limits.effort))
        ET.SubElement(actuators, "motor", name=joint.name, joint=joint.name, ctrlrange=limit)
    return root


def mechanism_mjcf(tree: KinematicTree, *, gravity_compensated: bool = False, friction: bool = False) -> str:
    """A document with nothing but the mechanism, bolted to the world: for models, tests and oracles."""
    document = MjcfDocument(tree.root.name)
    ET.SubElement(document.root, "option", jacobian="dense", integrator="implicitfast", timestep="0.001")
    for material in sorted(
        {solid.material for link in tree.links() for solid in link.solids if solid.material}
    ):
        ET.SubElement(document.section("asset"), "material", name=material, rgba="0.8 0.8 0.8 1")
    add_tree(
        document,
        document.section("worldbody"),
        tree,
        gravity_compensated=gravity_compensated,
        friction=friction,
    )
    return document.text()


def _add_link(parent: ET.Element, link: Link, gravity_compensated: bool, friction: bool) -> ET.Element:
    body = add_body(parent, link.name, link.pose)
    if gravity_compensated and (link.inertia is not None):
        body.set("gravcomp", "1")
    if link.inertia is not None:
        ET.SubElement(
            body,
            "inertial",
            pos=numbers(link.inertia.centre),
            mass=repr(link.inertia.mass),
            fullinertia=numbers((*link.inertia.moments, *link.inertia.products)),
        )
    if link.joint is not None:
        limits = link.joint.limits
        joint = ET.SubElement(
            body,
            "joint",
            name=link.joint.name,
            type="hinge" if link.joint.kind is JointKind.REVOLUTE else "slide",
            axis=numbers(link.joint.axis),
            range=numbers((limits.lower, limits.upper)),
            actuatorfrcrange=numbers((-limits.effort, limits.effort)),
            actuatorgravcomp="true" if gravity_compensated else "false",
        )
        if friction and link.joint.friction is not None:
            dry, viscous = dry_and_viscous(link.joint.friction, limits.velocity)
            joint.set("frictionloss", repr(dry))
            joint.set("damping", repr(viscous))
    for solid in link.solids:
        geom = add_solid(body, solid, group=ROBOT_GROUP)
        if link.inertia is None:
            geom.set("mass", "0")
    for frame in link.frames:
        ET.SubElement(body, "site", {"name": frame.name, "size": "0.005", "group": "4", **placed(frame.pose)})
    for child in link.children:
        _add_link(body, child, gravity_compensated, friction)
    return body


def _shape(solid: Solid) -> dict[str, str]:
    match solid.shape:
        case Capsule(radius=radius, length=length):
            return {"type": "capsule", "size": numbers((radius, length / 2))}
        case Cylinder(radius=radius, length=length):
            return {"type": "cylinder", "size": numbers((radius, length / 2))}
        case Box(size=size):
            return {"type": "box", "size": numbers(edge / 2 for edge in size)}
