"""Poses in space, as actions need them: chained, inverted, turned. Pure, and without numpy.

A pose `a_T_b` is position [m] and quaternion x y z w; it maps coordinates of frame b to frame a. Where a
thing is, as people say it, is `whereabouts.py`'s.
"""

from __future__ import annotations

import math

from resources.types.streams import Pose7

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

#: Below this, a direction or an angle is none.
_NOTHING = 1e-12


def position_of(pose: Pose7) -> Vector3:
    """Its first three numbers."""
    return pose[0], pose[1], pose[2]


def rotation_of(pose: Pose7) -> Quaternion:
    """Its last four numbers."""
    return pose[3], pose[4], pose[5], pose[6]


def pose(position: Vector3, rotation: Quaternion) -> Pose7:
    """Both in one."""
    return (*position, *rotation)


def chained(a_T_b: Pose7, b_T_c: Pose7) -> Pose7:
    """a_T_c."""
    turn = rotation_of(a_T_b)
    x, y, z = turned(turn, position_of(b_T_c))
    return pose((a_T_b[0] + x, a_T_b[1] + y, a_T_b[2] + z), unit(product(turn, rotation_of(b_T_c))))


def inverse(a_T_b: Pose7) -> Pose7:
    """b_T_a."""
    back = conjugate(rotation_of(a_T_b))
    x, y, z = turned(back, position_of(a_T_b))
    return pose((-x, -y, -z), back)


def turned(rotation: Quaternion, vector: Vector3) -> Vector3:
    """A vector after a rotation."""
    x, y, z, w = rotation
    # v + 2 q × (q × v + w v)
    cx, cy, cz = _cross((x, y, z), vector)
    dx, dy, dz = _cross((x, y, z), (cx + w * vector[0], cy + w * vector[1], cz + w * vector[2]))
    return vector[0] + 2.0 * dx, vector[1] + 2.0 * dy, vector[2] + 2.0 * dz


def product(first: Quaternion, second: Quaternion) -> Quaternion:
    """The rotation `second`, then `first`."""
    ax, ay, az, aw = first
    bx, by, bz, bw = second
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def conjugate(rotation: Quaternion) -> Quaternion:
    """The rotation back."""
    x, y, z, w = rotation
    return -x, -y, -z, w


def unit(rotation: Quaternion) -> Quaternion:
    """Of length 1."""
    length = math.sqrt(sum(value * value for value in rotation))
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length


def about(axis: Vector3, angle: float) -> Quaternion:
    """The rotation about an axis of any length by an angle [rad]."""
    length = math.hypot(*axis)
    if length < _NOTHING:
        return 0.0, 0.0, 0.0, 1.0
    share = math.sin(angle / 2.0) / length
    return axis[0] * share, axis[1] * share, axis[2] * share, math.cos(angle / 2.0)


def between(one: Vector3, other: Vector3) -> Quaternion:
    """The shortest rotation that takes one direction to the other; of opposite ones, about an axis across."""
    axis = _cross(one, other)
    along = sum(a * b for a, b in zip(one, other, strict=True))
    if math.hypot(*axis) < 1e-9 * math.hypot(*one) * math.hypot(*other):
        across = (1.0, 0.0, 0.0) if abs(one[0]) < 0.9 * math.hypot(*one) else (0.0, 1.0, 0.0)
        return (0.0, 0.0, 0.0, 1.0) if along >= 0.0 else about(_cross(one, across), math.pi)
    return about(axis, math.atan2(math.hypot(*axis), along))


def angle_between(one: Quaternion, other: Quaternion) -> float:
    """How far one rotation is from another [rad], 0 to π."""
    x, y, z, w = product(conjugate(one), other)
    return 2.0 * math.atan2(math.hypot(x, y, z), abs(w))


def _cross(one: Vector3, other: Vector3) -> Vector3:
    return (
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    )
