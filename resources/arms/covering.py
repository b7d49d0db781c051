"""Capsules that cover a mechanism's solids, placed where its bodies are: the shapes of distance checks.

A distance to a capsule is that to a line segment, minus a radius; every solid is inside its capsule.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.kinematic_tree import Box, Capsule, Cylinder, KinematicTree, Shape
from resources.arms.pose import Pose, axis_angle, compose, rotation_matrix

Array = NDArray[np.float64]


class CoveringCapsules:
    """The capsules of a mechanism in the frames of their links."""

    def __init__(self, links: tuple[str, ...], bodies: Array, ends: Array, radii: Array) -> None:
        """`bodies` (n,) are rows in MuJoCo's state, `ends` (n, 2, 3) in link frames, `radii` (n,) [m]."""
        self.links = links
        self._bodies = bodies
        self._ends = ends
        self._radii = radii

    def placed(self, data: mujoco.MjData) -> Array:
        """In the world frame of `data`, (n, 7): x y z x y z r [m]."""
        rotations = data.xmat[self._bodies].reshape(-1, 3, 3)
        rows = np.empty((len(self.links), 7))
        ends = np.matmul(self._ends, rotations.transpose(0, 2, 1))  # (n, 2, 3)
        ends += data.xpos[self._bodies, None, :]
        rows[:, :6] = ends.reshape(-1, 6)
        rows[:, 6] = self._radii
        return rows


def covering_capsules(tree: KinematicTree, model: mujoco.MjModel) -> CoveringCapsules:
    """Those of all solids of `tree` that collide, the root's first; `model` has a body for each link."""
    links: list[str] = []
    bodies: list[int] = []
    ends: list[Array] = []
    radii: list[float] = []
    for link in tree.links():
        for solid in link.solids:
            if not solid.collides:
                continue
            turn, length, radius = covering_capsule(solid.shape)
            pose = compose(solid.pose, turn)
            half = rotation_matrix(pose.quaternion)[:, 2] * (length / 2)
            links.append(link.name)
            bodies.append(int(model.body(link.name).id))
            ends.append(np.array([pose.position - half, pose.position + half]))
            radii.append(radius)
    return CoveringCapsules(
        tuple(links), np.array(bodies, dtype=np.intp), np.array(ends).reshape(-1, 2, 3), np.array(radii)
    )


def covering_capsule(shape: Shape) -> tuple[Pose, float, float]:
    """A capsule around a shape: its pose in the shape's frame (axis along z), cylinder length, radius [m]."""
    match shape:
        case Capsule(radius=radius, length=length) | Cylinder(radius=radius, length=length):
            return Pose(), length, radius
        case Box(size=(x, y, z)):
            # Along the longest edge; the two end faces' corners lie on the rims of the half spheres.
            longest = max(x, y, z)
            radius = math.sqrt(x * x + y * y + z * z - longest * longest) / 2
            if longest == z:
                return Pose(), z, radius
            axis = (0.0, 1.0, 0.0) if longest == x else (1.0, 0.0, 0.0)
            return Pose(quaternion=axis_angle(axis, math.pi / 2)), longest, radius
