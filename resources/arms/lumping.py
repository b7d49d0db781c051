"""Makes a mechanism simpler without changing how it moves: joints are locked, rigid links become one.

A controller's model needs the gripper's weight, not its fingers: lock them, then merge all that is rigid.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.arms.kinematic_tree import Frame, Joint, JointKind, KinematicTree, Link, Solid
from resources.arms.parameters import Inertia
from resources.arms.pose import Pose, axis_angle, compose, rotation_matrix


def locked(tree: KinematicTree, positions: Mapping[str, float]) -> KinematicTree:
    """The same mechanism with the joints named in `positions` fixed there [rad or m].

    Raises:
        ValueError: the mechanism has no joint of such a name.
    """
    joints = [joint.name for joint in tree.joints()]
    unknown = sorted(set(positions).difference(joints))
    if unknown:
        raise ValueError(f"there is no joint {', '.join(unknown)}; there are {', '.join(joints)}")
    coupled = tuple(pair for pair in tree.coupled if not set(pair).intersection(positions))
    return KinematicTree(_lock(tree.root, positions), tree.never_collide, coupled)


def lumped(tree: KinematicTree) -> KinematicTree:
    """The same mechanism with every link that has no joint merged into the one that carries it.

    Merged links lose their names; their solids and frames stay where they were.
    """
    root = _merge(tree.root)
    names = {link.name for link in root.walk()}
    pairs = tuple(pair for pair in tree.never_collide if names.issuperset(pair))
    return KinematicTree(root, pairs, tree.coupled)


def combined(inertias: tuple[Inertia, ...]) -> Inertia:
    """Several bodies' inertia as that of one body; all in the same frame (parallel axis theorem)."""
    mass = sum(each.mass for each in inertias)
    centres = np.array([each.centre for each in inertias])  # (n, 3)
    centre = np.array([each.mass for each in inertias]) @ centres / mass  # (3,)
    total = np.zeros((3, 3))
    for each, own in zip(inertias, centres, strict=True):
        arm = own - centre
        total += inertia_matrix(each) + each.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return _inertia(mass, centre, total)


def inertia_matrix(inertia: Inertia) -> NDArray[np.float64]:
    """The symmetric tensor (3, 3) about the centre of mass [kg m²]."""
    (xx, yy, zz), (xy, xz, yz) = inertia.moments, inertia.products
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _lock(link: Link, positions: Mapping[str, float]) -> Link:
    children = tuple(_lock(child, positions) for child in link.children)
    pose, joint = link.pose, link.joint
    if joint is not None and joint.name in positions:
        pose = compose(pose, _displacement(joint, positions[joint.name]))
        joint = None
    return msgspec.structs.replace(link, pose=pose, joint=joint, children=children)


def _displacement(joint: Joint, position: float) -> Pose:
    if joint.kind is JointKind.REVOLUTE:
        return Pose(quaternion=axis_angle(joint.axis, position))
    x, y, z = joint.axis
    return Pose((x * position, y * position, z * position))


def _merge(link: Link) -> Link:
    inertias = [] if link.inertia is None else [link.inertia]
    solids, frames, children = list(link.solids), list(link.frames), []
    for child in (_merge(child) for child in link.children):
        if child.joint is not None:
            children.append(child)
            continue
        if child.inertia is not None:
            inertias.append(_moved(child.inertia, child.pose))
        solids += [
            Solid(solid.shape, compose(child.pose, solid.pose), solid.material, solid.collides)
            for solid in child.solids
        ]
        frames += [Frame(frame.name, compose(child.pose, frame.pose)) for frame in child.frames]
        children += [
            msgspec.structs.replace(grandchild, pose=compose(child.pose, grandchild.pose))
            for grandchild in child.children
        ]
    return Link(
        link.name,
        link.pose,
        link.joint,
        combined(tuple(inertias)) if inertias else None,
        tuple(solids),
        tuple(frames),
        tuple(children),
    )


def _moved(inertia: Inertia, pose: Pose) -> Inertia:
    rotation = rotation_matrix(pose.quaternion)
    centre = rotation @ inertia.centre + pose.position
    return _inertia(inertia.mass, centre, rotation @ inertia_matrix(inertia) @ rotation.T)


def _inertia(mass: float, centre: NDArray[np.float64], tensor: NDArray[np.float64]) -> Inertia:
    x, y, z = (float(value) for value in centre)
    xx, yy, zz = (float(value) for value in np.diag(tensor))
    xy, xz, yz = float(tensor[0, 1]), float(tensor[0, 2]), float(tensor[1, 2])
    return Inertia(mass, (x, y, z), (xx, yy, zz), (xy, xz, yz))
