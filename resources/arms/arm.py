"""Builds the kinematic tree of a seven-axis arm, with or without a two-finger gripper, from parameters.

Names carry a prefix ("left_", "right_") so that several arms live in one model:
links `link0` … `link7`, `hand`, `left_finger`, `right_finger`; joints `joint1` … `joint7`,
`finger_joint1`, `finger_joint2`; frames `flange`, `tool`.
"""

from __future__ import annotations

import math

from resources.arms.kinematic_tree import Box, Capsule, Frame, Joint, JointKind, KinematicTree, Link, Solid
from resources.arms.parameters import (
    JOINT_COUNT,
    PANDA,
    PANDA_HAND,
    ArmParameters,
    CapsuleSize,
    DhRow,
    GripperParameters,
)
from resources.arms.pose import Pose, Quaternion, Vector3, axis_angle

_X: Vector3 = (1.0, 0.0, 0.0)
_Y: Vector3 = (0.0, 1.0, 0.0)
_Z: Vector3 = (0.0, 0.0, 1.0)

# Neighbours in space whose capsules overlap in every posture. Link 1's capsule reaches below the
# mounting face, so it touches link 0 and whatever the arm stands on; the wrist's links interlock.
_OVERLAPPING = (
    ("link0", "link1"),
    ("link0", "link2"),
    ("link1", "link3"),
    ("link3", "link5"),
    ("link5", "link7"),
)


def arm_tree(
    prefix: str = "",
    *,
    arm: ArmParameters = PANDA,
    gripper: GripperParameters | None = PANDA_HAND,
    tool: tuple[Link, ...] = (),
) -> KinematicTree:
    """The arm standing at the origin of its mounting frame, z up; `tool` are more links on the flange.

    Poses of `tool` are given in the flange frame.
    """
    on_flange: list[Link] = []
    overlapping = [(prefix + first, prefix + second) for first, second in _OVERLAPPING]
    flange = Pose((0.0, 0.0, arm.flange_m))
    if gripper is not None:
        on_flange.append(_hand(prefix, gripper, flange))
        overlapping += [(f"{prefix}link{n}", f"{prefix}hand") for n in (5, 6)]
    for link in tool:
        x, y, z = link.pose.position
        on_flange.append(
            Link(
                link.name,
                Pose((x, y, z + arm.flange_m), link.pose.quaternion),
                link.joint,
                link.inertia,
                link.solids,
                link.frames,
                link.children,
            )
        )
        overlapping += [(f"{prefix}{name}", link.name) for name in ("link6", "hand")[: 2 if gripper else 1]]
    chain: tuple[Link, ...] = tuple(on_flange)
    for number in range(JOINT_COUNT, 0, -1):
        row = arm.links[number - 1]
        last = number == JOINT_COUNT
        chain = (
            Link(
                name=f"{prefix}link{number}",
                pose=dh_pose(row.dh),
                joint=Joint(f"{prefix}joint{number}", JointKind.REVOLUTE, _Z, row.limits, row.friction),
                inertia=row.inertia,
                solids=tuple(
                    _solid(size, "arm_joint" if number in (2, 4, 6) else "arm_shell") for size in row.capsules
                ),
                frames=(Frame(f"{prefix}flange", flange),) if last else (),
                children=chain,
            ),
        )
    root = Link(
        name=f"{prefix}link0",
        solids=tuple(_solid(size, "arm_shell") for size in arm.base_capsules),
        children=chain,
    )
    coupled = () if gripper is None else (finger_names(prefix),)
    return KinematicTree(root, tuple(overlapping), coupled)


def joint_names(prefix: str = "") -> tuple[str, ...]:
    """The seven joints of `arm_tree(prefix)`, base first."""
    return tuple(f"{prefix}joint{number}" for number in range(1, JOINT_COUNT + 1))


def finger_names(prefix: str = "") -> tuple[str, str]:
    """The two finger joints of `arm_tree(prefix)`; each travels half of the opening."""
    return (f"{prefix}finger_joint1", f"{prefix}finger_joint2")


def dh_pose(row: DhRow) -> Pose:
    """Frame i in frame i−1 at joint angle 0: Rx(alpha) · Tx(a) · Tz(d)."""
    position = (row.a, -math.sin(row.alpha) * row.d, math.cos(row.alpha) * row.d)
    return Pose(position, axis_angle(_X, row.alpha))


def _hand(prefix: str, gripper: GripperParameters, flange: Pose) -> Link:
    def finger(number: int, name: str, quaternion: Quaternion) -> Link:
        return Link(
            name=f"{prefix}{name}",
            pose=Pose((0.0, 0.0, gripper.finger_offset_m), quaternion),
            joint=Joint(f"{prefix}finger_joint{number}", JointKind.PRISMATIC, _Y, gripper.finger_limits),
            inertia=gripper.finger,
            solids=(
                Solid(Box((0.021, 0.015, 0.034)), Pose((0.0, 0.016, 0.017)), "arm_joint"),
                Solid(Box((0.0175, 0.0152, 0.0185)), Pose((0.0, 0.0076, 0.045)), "rubber"),
            ),
        )

    return Link(
        name=f"{prefix}hand",
        pose=Pose(flange.position, axis_angle(_Z, gripper.mount_angle)),
        inertia=gripper.hand,
        # The second capsule of the source is the volume the fingers sweep, not a part of the hand.
        solids=tuple(_solid(size, "arm_shell") for size in gripper.hand_capsules[:1]),
        frames=(Frame(f"{prefix}tool", Pose((0.0, 0.0, gripper.tool_offset_m))),),
        children=(
            finger(1, "left_finger", (0.0, 0.0, 0.0, 1.0)),
            finger(2, "right_finger", axis_angle(_Z, math.pi)),
        ),
    )


def _solid(size: CapsuleSize, material: str) -> Solid:
    if size.direction == _Z:
        quaternion: Quaternion = (0.0, 0.0, 0.0, 1.0)
    else:
        dx, dy, _ = size.direction  # all others of the tables lie in the x-y plane
        quaternion = axis_angle((-dy, dx, 0.0), math.pi / 2)
    return Solid(Capsule(size.radius, size.length), Pose(size.centre, quaternion), material)
