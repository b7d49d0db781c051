"""A model as primitive shapes, for whoever draws it elsewhere: geometry once, body poses often."""

from __future__ import annotations

from enum import Enum

import msgspec
import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.arms.mjcf import ROBOT_GROUP
from resources.arms.pose import Quaternion, Vector3, from_mujoco


class ShapeKind(Enum):
    """Primitive shapes; axes of round ones lie along z."""

    PLANE = "plane"
    SPHERE = "sphere"
    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    BOX = "box"


class ShapeDescription(msgspec.Struct, frozen=True):
    """One shape of a body. `size` [m] are full measures, by kind:

    plane and box: edges along x, y, z (a plane's z is 0); sphere: diameter three times; cylinder and
    capsule: diameter, diameter, length (of a capsule: of its cylindrical part, without the ends).
    """

    kind: ShapeKind
    size: Vector3
    position: Vector3  # in the body
    quaternion: Quaternion  # x y z w, in the body
    rgba: tuple[float, float, float, float]
    texture: str  # name of the texture on it, or ""
    robot: bool  # belongs to a robot, not to its surroundings


class BodyDescription(msgspec.Struct, frozen=True):
    """One body; its index in `SceneDescription.bodies` is its row in `body_poses`."""

    name: str
    parent: str
    fixed: bool  # never moves: its pose need not be sent again
    shapes: tuple[ShapeDescription, ...]


class SceneDescription(msgspec.Struct, frozen=True):
    """All bodies of a model in its own order; the first is the world."""

    bodies: tuple[BodyDescription, ...]


_KINDS = {
    int(mujoco.mjtGeom.mjGEOM_PLANE): ShapeKind.PLANE,
    int(mujoco.mjtGeom.mjGEOM_SPHERE): ShapeKind.SPHERE,
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): ShapeKind.CAPSULE,
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): ShapeKind.CYLINDER,
    int(mujoco.mjtGeom.mjGEOM_BOX): ShapeKind.BOX,
}


def scene_description(model: mujoco.MjModel) -> SceneDescription:
    """Every body with its shapes; shapes that are no primitives are left out."""
    shapes: list[list[ShapeDescription]] = [[] for _ in range(model.nbody)]
    for geom in range(model.ngeom):
        kind = _KINDS.get(int(model.geom_type[geom]))
        if kind is not None:
            body = int(model.geom_bodyid[geom])
            shapes[body].append(_shape(model, geom, kind))
    return SceneDescription(
        tuple(
            BodyDescription(
                name=model.body(body).name,
                parent=model.body(int(model.body_parentid[body])).name if body else "",
                fixed=bool(model.body_weldid[body] == 0 and model.body_mocapid[model.body_rootid[body]] < 0),
                shapes=tuple(shapes[body]),
            )
            for body in range(model.nbody)
        )
    )


def body_poses(data: mujoco.MjData) -> NDArray[np.float32]:
    """World poses of all bodies, (nbody, 7): position [m], quaternion x y z w."""
    poses = np.empty((len(data.xpos), 7), np.float32)
    poses[:, :3] = data.xpos
    poses[:, 3:6] = data.xquat[:, 1:]
    poses[:, 6] = data.xquat[:, 0]
    return poses


def _shape(model: mujoco.MjModel, geom: int, kind: ShapeKind) -> ShapeDescription:
    a, b, c = (2 * float(value) for value in model.geom_size[geom])
    size: Vector3
    match kind:
        case ShapeKind.PLANE:
            size = (a, b, 0.0)
        case ShapeKind.BOX:
            size = (a, b, c)
        case ShapeKind.SPHERE:
            size = (a, a, a)
        case ShapeKind.CAPSULE | ShapeKind.CYLINDER:
            size = (a, a, b)
    material = int(model.geom_matid[geom])
    colours = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    red, green, blue, alpha = (float(value) for value in colours)
    x, y, z = (float(value) for value in model.geom_pos[geom])
    return ShapeDescription(
        kind,
        size,
        (x, y, z),
        from_mujoco(model.geom_quat[geom]),
        (red, green, blue, alpha),
        _texture(model, material),
        bool(model.geom_group[geom] == ROBOT_GROUP),
    )


def _texture(model: mujoco.MjModel, material: int) -> str:
    if material < 0:
        return ""
    # A material has a texture for each role; the first that is set is the one our scenes use.
    used = [int(number) for number in np.ravel(model.mat_texid[material]) if number >= 0]
    return str(model.texture(used[0]).name) if used else ""
