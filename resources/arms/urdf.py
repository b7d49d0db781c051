"""Writes kinematic trees as URDF, with the names and extensions that Franka's robot model has.

Knows the file format; `arm_urdf` is the one place that knows an arm. What URDF cannot say is
approximated and named here: a capsule is a cylinder and two spheres, friction is dry and viscous.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping

from resources.arms.arm import arm_tree
from resources.arms.friction import dry_and_viscous
from resources.arms.kinematic_tree import (
    Box,
    Capsule,
    Cylinder,
    Joint,
    JointKind,
    KinematicTree,
    Link,
    Shape,
    Solid,
)
from resources.arms.parameters import PANDA, PANDA_HAND, ArmParameters, Inertia
from resources.arms.pose import Pose, Vector3, compose, rotation_matrix


def arm_urdf(
    prefix: str = "",
    *,
    gripper: bool = True,
    friction: bool = False,
    arm: ArmParameters = PANDA,
) -> str:
    """The arm as URDF, with Franka's names: `link0` … `link8` (the flange), `joint1` … `joint7`, `hand_tcp`.

    Without `gripper` it is what a Franka sends for `GetRobotModel`: seven degrees of freedom and the bare
    flange, since libfranka adds the weight of the hand from the robot's state.
    """
    tree = arm_tree(prefix, arm=arm, gripper=PANDA_HAND if gripper else None)
    names = {f"{prefix}flange": f"{prefix}link8", f"{prefix}tool": f"{prefix}hand_tcp"}
    return tree_urdf(tree, f"{prefix}{arm.name}", frame_links=names, friction=friction)


def tree_urdf(
    tree: KinematicTree, name: str, *, frame_links: Mapping[str, str] | None = None, friction: bool = False
) -> str:
    """A whole mechanism. Every frame becomes a link without mass, called as `frame_links` says.

    Revolute and prismatic joints carry limits and, as Franka's do, `position_based_velocity_limits`.
    With `friction` their `dynamics` hold the linear fit of the identified friction, else none.
    """
    robot = ET.Element("robot", name=name)
    called = {} if frame_links is None else frame_links
    _add_link(robot, tree.root)
    for link in tree.links():
        for frame in link.frames:
            below = called.get(frame.name, frame.name)
            ET.SubElement(robot, "link", name=below)
            # Franka's fixed joint before link8 is joint8; others are called after what they carry.
            number = below.rpartition("link")
            joint = f"{number[0]}joint{number[2]}" if number[2].isdigit() else f"{below}_joint"
            _add_joint(robot, joint, link.name, below, frame.pose)
        for child in link.children:
            _add_link(robot, child)
            joint = child.joint.name if child.joint is not None else f"{child.name}_joint"
            _add_joint(robot, joint, link.name, child.name, child.pose, child.joint, friction=friction)
    for first, second in tree.coupled:
        follower = next(each for each in robot.iter("joint") if each.get("name") == second)
        ET.SubElement(follower, "mimic", joint=first)
    ET.indent(robot)
    return '<?xml version="1.0"?>\n' + ET.tostring(robot, encoding="unicode") + "\n"


def roll_pitch_yaw(pose: Pose) -> Vector3:
    """URDF's angles [rad] of a pose's orientation: Rz(yaw) · Ry(pitch) · Rx(roll)."""
    r = rotation_matrix(pose.quaternion)
    pitch = math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0]))
    if math.hypot(r[0, 0], r[1, 0]) < 1e-9:
        # Looking straight up or down only yaw ± roll is determined.
        return (math.atan2(-r[1, 2], r[1, 1]), pitch, 0.0)
    return (math.atan2(r[2, 1], r[2, 2]), pitch, math.atan2(r[1, 0], r[0, 0]))


def _add_link(robot: ET.Element, link: Link) -> None:
    element = ET.SubElement(robot, "link", name=link.name)
    if link.inertia is not None:
        _add_inertia(element, link.inertia)
    for solid in link.solids:
        for role in ("visual", "collision") if solid.collides else ("visual",):
            for pose, shape in _drawn(solid):
                part = ET.SubElement(element, role)
                _add_origin(part, pose)
                _add_geometry(part, shape)


def _add_inertia(link: ET.Element, inertia: Inertia) -> None:
    element = ET.SubElement(link, "inertial")
    _add_origin(element, Pose(inertia.centre))
    ET.SubElement(element, "mass", value=repr(inertia.mass))
    (xx, yy, zz), (xy, xz, yz) = inertia.moments, inertia.products
    values = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    ET.SubElement(element, "inertia", {name: repr(value) for name, value in values.items()})


def _add_joint(
    robot: ET.Element,
    name: str,
    parent: str,
    child: str,
    pose: Pose,
    joint: Joint | None = None,
    *,
    friction: bool = False,
) -> None:
    element = ET.SubElement(robot, "joint", name=name, type="fixed" if joint is None else joint.kind.value)
    _add_origin(element, pose)
    ET.SubElement(element, "parent", link=parent)
    ET.SubElement(element, "child", link=child)
    if joint is None:
        return
    limits = joint.limits
    ET.SubElement(element, "axis", xyz=_numbers(joint.axis))
    ET.SubElement(
        element,
        "limit",
        lower=repr(limits.lower),
        upper=repr(limits.upper),
        effort=repr(limits.effort),
        velocity=repr(limits.velocity),
    )
    if joint.kind is JointKind.REVOLUTE:
        # libfranka keeps |q̇| ≤ √(2 d (distance to the limit)) − offset with d the deceleration. None are
        # published for this arm: this is the speed from which its acceleration limit still stops it in time.
        ET.SubElement(
            element,
            "position_based_velocity_limits",
            velocity_offset="0.0",
            deceleration_limit=repr(limits.acceleration),
        )
    if friction and joint.friction is not None:
        dry, viscous = dry_and_viscous(joint.friction, limits.velocity)
        ET.SubElement(element, "dynamics", damping=repr(viscous), friction=repr(dry))


def _add_origin(element: ET.Element, pose: Pose) -> None:
    ET.SubElement(element, "origin", xyz=_numbers(pose.position), rpy=_numbers(roll_pitch_yaw(pose)))


def _drawn(solid: Solid) -> list[tuple[Pose, Shape | float]]:
    """What URDF has for a solid, with poses in the link; a number is a sphere's radius."""
    if not isinstance(solid.shape, Capsule):
        return [(solid.pose, solid.shape)]
    radius, length = solid.shape.radius, solid.shape.length
    ends = [compose(solid.pose, Pose((0.0, 0.0, sign * length / 2))) for sign in (-1, 1)]
    return [(solid.pose, Cylinder(radius, length)), *((end, radius) for end in ends)]


def _add_geometry(part: ET.Element, shape: Shape | float) -> None:
    geometry = ET.SubElement(part, "geometry")
    match shape:
        case Box(size=size):
            ET.SubElement(geometry, "box", size=_numbers(size))
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            ET.SubElement(geometry, "cylinder", radius=repr(radius), length=repr(length))
        case radius:
            ET.SubElement(geometry, "sphere", radius=repr(radius))


def _numbers(values: Iterable[float]) -> str:
    """With all their digits, so that a reader's model agrees with the parameters to rounding."""
    return " ".join(repr(float(value) + 0.0) for value in values)  # + 0: no "-0.0"
