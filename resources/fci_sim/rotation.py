"""Rotation vectors and column-major transforms, as the control interface has them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def transform(column_major: Sequence[float]) -> Array:
    """(4, 4) from 16 numbers, column after column."""
    return np.array(column_major, dtype=np.float64).reshape(4, 4).T


def columns(matrix: Array) -> Array:
    """16 numbers, column after column, from (4, 4)."""
    return matrix.T.ravel()


def is_transform(matrix: Array, *, tolerance: float = 1e-5) -> bool:
    """Whether (4, 4) is a rigid transform: last row 0 0 0 1, rotation orthonormal and right-handed."""
    if not np.isfinite(matrix).all() or np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() > tolerance:
        return False
    rotation = matrix[:3, :3]
    straight = np.abs(rotation.T @ rotation - np.eye(3)).max() <= tolerance
    return bool(straight and np.linalg.det(rotation) > 0.0)


def rotation_vector(rotation: Array) -> Array:
    """(3,) axis times angle [rad] of a rotation matrix (3, 3); angles up to, but not at, half a turn."""
    (_, a, b), (c, _, d), (e, f, _) = rotation.tolist()
    x, y, z = (f - d) / 2, (b - e) / 2, (c - a) / 2
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = (float(np.trace(rotation)) - 1.0) / 2
    scale = 1.0 if sine < 1e-12 else math.atan2(sine, cosine) / sine
    return np.array((x * scale, y * scale, z * scale))


def rotation_of(vector: Array) -> Array:
    """Rotation matrix (3, 3) of axis times angle (3,) [rad] (Rodrigues)."""
    x, y, z = vector.tolist()
    angle = math.sqrt(x * x + y * y + z * z)
    cross = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    if angle < 1e-9:
        nearly: Array = np.eye(3) + cross
        return nearly
    sine, versine = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    turned: Array = np.eye(3) + sine * cross + versine * (cross @ cross)
    return turned


def difference(of: Array, to: Array) -> Array:
    """(6,) that leads from transform `of` to `to`, (4, 4) each: translation [m], rotation vector [rad]."""
    way = np.empty(6)
    way[:3] = to[:3, 3] - of[:3, 3]
    way[3:] = rotation_vector(to[:3, :3] @ of[:3, :3].T)
    return way
