"""Rotations as plain floats: quaternions x y z w and rotation vectors, without the overhead of numpy.

A control tick turns a handful of them a thousand times a second; everything else uses `resources.arms.pose`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Quaternion, Vector3

_SMALL = 1e-9


def exponential(x: float, y: float, z: float) -> Quaternion:
    """The rotation by the rotation vector (x, y, z) [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < _SMALL:
        return (0.5 * x, 0.5 * y, 0.5 * z, 1.0)
    scale = math.sin(0.5 * angle) / angle
    return (x * scale, y * scale, z * scale, math.cos(0.5 * angle))


def logarithm(rotation: Quaternion) -> Vector3:
    """The rotation vector [rad] of a unit quaternion, no longer than π."""
    x, y, z, w = rotation
    if w < 0.0:  # the same rotation the short way round
        x, y, z, w = -x, -y, -z, -w
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if sine < _SMALL else 2.0 * math.atan2(sine, w) / sine
    return (x * scale, y * scale, z * scale)


def turned(vector: Vector3, rotation: Quaternion) -> Quaternion:
    """`rotation`, then turned on by a rotation vector [rad] of the base frame; of unit length."""
    bx, by, bz, bw = rotation
    ax, ay, az, aw = exponential(*vector)
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)  # rounding adds up over a million ticks
    return (x * scale, y * scale, z * scale, w * scale)


def between(start: Quaternion, end: Quaternion) -> Vector3:
    """The rotation vector of the base frame that turns `start` into `end` [rad]: log(end · start⁻¹)."""
    ax, ay, az, aw = end
    bx, by, bz, bw = start
    return logarithm(
        (
            ax * bw - aw * bx - ay * bz + az * by,
            ay * bw - aw * by - az * bx + ax * bz,
            az * bw - aw * bz - ax * by + ay * bx,
            aw * bw + ax * bx + ay * by + az * bz,
        )
    )


def quaternion_of(rotation: NDArray[np.float64]) -> Quaternion:
    """Unit quaternion of a rotation matrix (3, 3) or a pose (4, 4), by its largest element (Shepperd)."""
    (a, b, c), (d, e, f), (g, h, i) = rotation[:3, :3].tolist()
    trace = a + e + i
    if trace > max(a, e, i):
        x, y, z, w = h - f, c - g, d - b, 1.0 + trace
    elif a >= e and a >= i:
        x, y, z, w = 1.0 + a - e - i, b + d, c + g, h - f
    elif e >= i:
        x, y, z, w = b + d, 1.0 + e - a - i, f + h, c - g
    else:
        x, y, z, w = c + g, f + h, 1.0 + i - a - e, d - b
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    return (x * scale, y * scale, z * scale, w * scale)
