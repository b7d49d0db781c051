"""A robot as a tree of links: the one description from which MJCF and URDF are written.

Holds structure only. `arm.py` fills it from parameters, `mjcf.py` and `urdf.py` write it down.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

import msgspec

from resources.arms.parameters import Friction, Inertia, JointLimits
from resources.arms.pose import Pose, Vector3


class JointKind(Enum):
    """How a link moves in its parent; a link without a joint is fixed."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"


class Capsule(msgspec.Struct, frozen=True, tag=True):
    """Axis along z of its own frame; `length` is that of the cylinder between the two half spheres [m]."""

    radius: float
    length: float


class Box(msgspec.Struct, frozen=True, tag=True):
    """Full edge lengths [m]."""

    size: Vector3


class Cylinder(msgspec.Struct, frozen=True, tag=True):
    """Axis along z of its own frame [m]."""

    radius: float
    length: float


Shape: TypeAlias = Capsule | Box | Cylinder


class Solid(msgspec.Struct, frozen=True):
    """A shape placed in its link, with the name of the material it is shown in."""

    shape: Shape
    pose: Pose = Pose()
    material: str = ""
    collides: bool = True


class Joint(msgspec.Struct, frozen=True):
    """A joint at the origin of its link's frame."""

    name: str
    kind: JointKind
    axis: Vector3
    limits: JointLimits
    friction: Friction | None = None


class Frame(msgspec.Struct, frozen=True):
    """A named frame fixed to a link, such as a flange."""

    name: str
    pose: Pose = Pose()


class Link(msgspec.Struct, frozen=True):
    """One rigid body. `pose` places it in its parent when its joint stands at zero."""

    name: str
    pose: Pose = Pose()
    joint: Joint | None = None
    inertia: Inertia | None = None
    solids: tuple[Solid, ...] = ()
    frames: tuple[Frame, ...] = ()
    children: tuple[Link, ...] = ()

    def walk(self) -> Iterator[Link]:
        """This link and all below it, parents before children."""
        yield self
        for child in self.children:
            yield from child.walk()


class KinematicTree(msgspec.Struct, frozen=True):
    """A whole mechanism.

    never_collide: pairs of links whose solids overlap by design. coupled: pairs of joints that a gear or
    belt keeps at the same position.
    """

    root: Link
    never_collide: tuple[tuple[str, str], ...] = ()
    coupled: tuple[tuple[str, str], ...] = ()

    def links(self) -> Iterator[Link]:
        """All links, parents before children."""
        return self.root.walk()

    def joints(self) -> Iterator[Joint]:
        """All joints, in the order of their links."""
        return (link.joint for link in self.root.walk() if link.joint is not None)
