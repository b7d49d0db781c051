"""An oracle: recursive Newton-Euler on Denavit-Hartenberg transforms, after Craig, chapter 6.

Plain numpy on the parameter table; it shares no code with the generators and no recursion with MuJoCo.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import PANDA, PANDA_HAND, Inertia

Array = NDArray[np.float64]
Placed = tuple[Inertia, Array]  # a rigid body's inertia and its pose (4, 4) in link 7

WEIGHT = np.array([0.0, 0.0, 9.81])


def _cross(one: Array, other: Array) -> Array:
    """one × other, (3,) each; `np.cross`, made for arrays of any shape, takes ten times as long."""
    ax, ay, az = one.tolist()
    bx, by, bz = other.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def link_transform(number: int, q: float) -> Array:
    """Frame `number` in the one before it, (4, 4), by Craig's formula."""
    row = PANDA.links[number].dh
    ca, sa, cq, sq = np.cos(row.alpha), np.sin(row.alpha), np.cos(q), np.sin(q)
    return np.array(
        [
            [cq, -sq, 0, row.a],
            [sq * ca, cq * ca, -sa, -row.d * sa],
            [sq * sa, cq * sa, ca, row.d * ca],
            [0, 0, 0, 1],
        ]
    )


def gripper_payload(opening_m: float = PANDA_HAND.finger_limits.upper) -> tuple[Placed, ...]:
    """Hand and fingers as rigid bodies on link 7; each finger stands off by half of `opening_m`."""
    c, s = np.cos(PANDA_HAND.mount_angle), np.sin(PANDA_HAND.mount_angle)
    hand = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, PANDA.flange_m], [0, 0, 0, 1]])
    bodies = [(PANDA_HAND.hand, hand)]
    for sign in (1.0, -1.0):
        finger = np.diag([sign, sign, 1.0, 1.0])
        finger[:3, 3] = 0.0, sign * opening_m / 2, PANDA_HAND.finger_offset_m
        bodies.append((PANDA_HAND.finger, hand @ finger))
    return tuple(bodies)


def inverse_dynamics(
    q: Array, dq: Array, ddq: Array, weight: Array = WEIGHT, payload: tuple[Placed, ...] = ()
) -> Array:
    """Joint torques (7,); `weight` is minus the gravity vector in the base frame [m/s²]."""
    z = np.array([0.0, 0.0, 1.0])
    omega, alpha, acceleration = np.zeros(3), np.zeros(3), weight
    rotations, offsets, forces, moments = [], [], [], []
    for i, link in enumerate(PANDA.links):
        transform = link_transform(i, q[i])
        rotation, offset = transform[:3, :3], transform[:3, 3]
        acceleration = rotation.T @ (
            acceleration + _cross(alpha, offset) + _cross(omega, _cross(omega, offset))
        )
        carried = rotation.T @ omega
        alpha = rotation.T @ alpha + _cross(carried, dq[i] * z) + ddq[i] * z
        omega = carried + dq[i] * z
        force, moment = np.zeros(3), np.zeros(3)
        for body, pose in ((link.inertia, np.eye(4)), *(payload if i == 6 else ())):
            (xx, yy, zz), (xy, xz, yz) = body.moments, body.products
            turn = pose[:3, :3]
            inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
            centre = turn @ body.centre + pose[:3, 3]
            push = body.mass * (acceleration + _cross(alpha, centre) + _cross(omega, _cross(omega, centre)))
            force = force + push
            moment = moment + inertia @ alpha + _cross(omega, inertia @ omega) + _cross(centre, push)
        rotations.append(rotation)
        offsets.append(offset)
        forces.append(force)
        moments.append(moment)
    torque = np.zeros(7)
    force, moment = np.zeros(3), np.zeros(3)
    for i in reversed(range(7)):
        if i < 6:
            force = rotations[i + 1] @ force
            moment = rotations[i + 1] @ moment + _cross(offsets[i + 1], force)
        force = force + forces[i]
        moment = moment + moments[i]
        torque[i] = moment[2]
    return torque


def mass_matrix(q: Array, payload: tuple[Placed, ...] = ()) -> Array:
    """M (7, 7), a column an inverse dynamics."""
    zero = np.zeros(7)
    return np.column_stack([inverse_dynamics(q, zero, unit, zero[:3], payload) for unit in np.eye(7)])


def flange_jacobian(q: Array) -> tuple[Array, Array]:
    """Geometric Jacobian (6, 7) and pose (4, 4) of the flange, in the base."""
    frames, transform = [], np.eye(4)
    for i in range(7):
        transform = transform @ link_transform(i, q[i])
        frames.append(transform)
    flange = transform.copy()
    flange[:3, 3] += transform[:3, 2] * PANDA.flange_m
    columns = [
        np.concatenate([_cross(frame[:3, 2], flange[:3, 3] - frame[:3, 3]), frame[:3, 2]]) for frame in frames
    ]
    return np.array(columns).T, flange


def random_states(count: int) -> list[tuple[Array, Array]]:
    """Positions within the limits and velocities up to 2 rad/s, always the same."""
    random = np.random.default_rng(3)
    lower = np.array([link.limits.lower for link in PANDA.links])
    upper = np.array([link.limits.upper for link in PANDA.links])
    return [(random.uniform(lower, upper), random.uniform(-2, 2, 7)) for _ in range(count)]
