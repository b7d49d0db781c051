"""A rigid pose as data, and the few conversions that everything simulated needs.

Quaternions are x y z w everywhere in this project; MuJoCo's w x y z appears only where MuJoCo is
called, through `to_mujoco` and `from_mujoco`. Frames are written `a_T_b` (maps b coordinates to a).
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from resources.types.poses import Quaternion as Quaternion
from resources.types.poses import Vector3 as Vector3
from resources.types.poses import about, turned
from resources.types.poses import product as product

axis_angle = about


class Pose(msgspec.Struct, frozen=True):
    """Position [m] and orientation (unit quaternion x y z w) of one frame in another."""

    position: Vector3 = (0.0, 0.0, 0.0)
    quaternion: Quaternion = (0.0, 0.0, 0.0, 1.0)

    def matrix(self) -> NDArray[np.float64]:
        """The same pose as a homogeneous matrix."""
        transform = np.eye(4)  # (4, 4)
        transform[:3, :3] = rotation_matrix(self.quaternion)
        transform[:3, 3] = self.position
        return transform

    @staticmethod
    def from_matrix(transform: NDArray[np.float64]) -> Pose:
        """From a homogeneous matrix (4, 4) whose rotation is orthonormal."""
        x, y, z = (float(value) for value in transform[:3, 3])
        return Pose((x, y, z), quaternion_of(transform[:3, :3]))


def inverse(a_T_b: NDArray[np.float64]) -> NDArray[np.float64]:
    """`b_T_a` of a rigid `a_T_b` (4, 4)."""
    b_T_a = np.eye(4)
    b_T_a[:3, :3] = a_T_b[:3, :3].T
    b_T_a[:3, 3] = -a_T_b[:3, :3].T @ a_T_b[:3, 3]
    return b_T_a


def compose(a_T_b: Pose, b_T_c: Pose) -> Pose:
    """`a_T_c`: the frame c, known in b, as seen from a."""
    x, y, z = turned(a_T_b.quaternion, b_T_c.position)
    px, py, pz = a_T_b.position
    return Pose((px + x, py + y, pz + z), product(a_T_b.quaternion, b_T_c.quaternion))


def rotation_matrix(quaternion: Quaternion) -> NDArray[np.float64]:
    """Rotation matrix (3, 3) of a unit quaternion x y z w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of(rotation: NDArray[np.float64]) -> Quaternion:
    """Unit quaternion x y z w with w ≥ 0 of a rotation matrix (3, 3); stable for every angle."""
    # The largest eigenvector of this symmetric matrix is the quaternion (Bar-Itzhack 2000), which
    # needs no case distinction and forgives a slightly non-orthonormal matrix.
    r = np.asarray(rotation, dtype=np.float64)
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
            [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], r[0, 0] + r[1, 1] + r[2, 2]],
        ]
    )
    x, y, z, w = (float(value) for value in np.linalg.eigh(k)[1][:, -1])
    return (x, y, z, w) if w >= 0 else (-x, -y, -z, -w)


def look_along(forward: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0)) -> Quaternion:
    """Orientation whose −z axis looks along `forward` and whose +y axis is as near to `up` as can be.

    This is the camera frame of OpenGL and MuJoCo.
    """
    back = -np.asarray(forward, dtype=np.float64)
    back /= np.linalg.norm(back)
    right = np.cross(np.asarray(up, dtype=np.float64), back)
    right /= np.linalg.norm(right)
    return quaternion_of(np.column_stack([right, np.cross(back, right), back]))


def to_mujoco(quaternion: Quaternion) -> tuple[float, float, float, float]:
    """x y z w → MuJoCo's w x y z."""
    x, y, z, w = quaternion
    return (w, x, y, z)


def from_mujoco(quaternion: ArrayLike) -> Quaternion:
    """MuJoCo's w x y z → x y z w."""
    w, x, y, z = (float(value) for value in np.asarray(quaternion, dtype=np.float64))
    return (x, y, z, w)
