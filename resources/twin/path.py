"""Whether a straight way enters a wall or a box, before it is begun. Geometry only; knows no other arm.

Of a way of the tool only the hand is looked at: where the elbow will be is not known then. The twin and its
barrier look out for that on the way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose, inverse
from resources.controllers.rotation import between, turned
from resources.twin.model import TwinArm
from resources.twin.obstacles import NoGoBox, Surroundings
from resources.types.motion import Joints7
from resources.types.streams import Pose7

Array = NDArray[np.float64]

# A way is looked at in steps no longer than this [m], [rad].
_STEP, _TURN_STEP = 0.02, 0.1

# So much less than at the start is no intrusion: it was there already, and may leave [m].
_TOLERANCE = 0.001

# What stands, and what is bolted to it.
_STANDING = 2


class Clearance:
    """Of one arm, in the frame of `surroundings`. Poses and postures are in the arm's own."""

    def __init__(self, arm: TwinArm, surroundings: Surroundings) -> None:
        self._dynamics = dynamics = ArmDynamics(arm.tree, prefix=arm.prefix)
        self._surroundings = surroundings
        self._at = arm.at.matrix()
        margin = surroundings.margin
        self._kept = margin.kept_m + margin.felt_m
        names = dynamics.capsule_links
        standing = tuple(f"{arm.prefix}link{number}" for number in range(_STANDING))
        self._moving = np.array([name not in standing for name in names])
        zero = np.zeros(7)
        capsules = dynamics.link_capsules(zero)[[name == names[-1] for name in names]]
        tool_T_base = inverse(dynamics.forward(zero))
        self._hand = _moved(capsules, tool_T_base)  # (n, 7) in the tool's frame

    def line(self, start: Pose7, goal: Pose7) -> str:
        """What the hand enters on the straight line between two poses of the tool; "" if nothing."""
        turn = between(start[3:], goal[3:])
        angle = math.hypot(*turn)
        steps = 1 + math.ceil(max(math.dist(start[:3], goal[:3]) / _STEP, angle / _TURN_STEP))
        ways = []
        for share in np.linspace(0.0, 1.0, steps + 1):
            x, y, z = (
                first + share * (last - first) for first, last in zip(start[:3], goal[:3], strict=True)
            )
            rx, ry, rz = (share * value for value in turn)
            pose = Pose((x, y, z), turned((rx, ry, rz), start[3:]))
            ways.append(_moved(self._hand, self._at @ pose.matrix()))
        return self._entered(ways, "the hand")

    def posture(self, start: Joints7, goal: Joints7) -> str:
        """What the arm enters on the straight line between two postures [rad], in words; "" if nothing."""
        first, last = np.array(start), np.array(goal)
        steps = 1 + math.ceil(float(np.abs(last - first).max()) / _TURN_STEP)
        ways = []
        for share in np.linspace(0.0, 1.0, steps + 1):
            capsules = self._dynamics.link_capsules(first + share * (last - first))
            ways.append(_moved(capsules[self._moving], self._at))
        return self._entered(ways, "the arm")

    def _entered(self, ways: Sequence[Array], what: str) -> str:
        """Deeper than at the start, of capsules (n, 7) on the way."""
        rows = np.array(ways)  # (steps, n, 7)
        for wall in self._surroundings.walls:
            normal = np.array(wall.normal) / np.linalg.norm(wall.normal)
            ends = rows[..., :6].reshape(*rows.shape[:2], 2, 3)
            heights = ((ends - np.array(wall.point)) @ normal).min(axis=-1) - rows[..., 6]
            if too_near := self._too_near(heights):
                return f"{what} would {too_near} {wall.words}"
        for box in self._surroundings.boxes:
            if too_near := self._too_near(_distances(rows, box)):
                return f"{what} would {too_near} {box.words}"
        return ""

    def _too_near(self, distances: Array) -> str:
        """In words, if (steps, n) distances become too little, and less than at the start; else ""."""
        least = distances.min(axis=1)
        worst = float(least.min())
        if worst >= self._kept or worst >= float(least[0]) - _TOLERANCE:
            return ""
        if worst <= 0.0:
            return "enter"
        return f"come within {1e3 * worst:.0f} mm (at least {1e3 * self._kept:.0f} are kept) of"


def _moved(capsules: Array, a_T_b: Array) -> Array:
    """(n, 7) in frame b → in frame a."""
    moved = capsules.copy()
    ends = capsules[:, :6].reshape(-1, 2, 3) @ a_T_b[:3, :3].T + a_T_b[:3, 3]
    moved[:, :6] = ends.reshape(-1, 6)
    return moved


def _distances(rows: Array, box: NoGoBox) -> Array:
    """Of capsules (steps, n, 7) from a box (steps, n) [m]; negative inside. Convex along an axis: thirds."""
    low, high = np.array(box.lower), np.array(box.upper)
    middle, half = (low + high) / 2, (high - low) / 2
    start, end = rows[..., :3], rows[..., 3:6]

    def at(share: Array) -> Array:
        beyond = np.abs(start + share[..., None] * (end - start) - middle) - half
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
        return np.asarray(outside + np.minimum(beyond.max(axis=-1), 0.0))

    left, right = np.zeros(rows.shape[:2]), np.ones(rows.shape[:2])
    for _ in range(20):
        third = (right - left) / 3.0
        nearer_left = at(left + third) < at(right - third)
        right = np.where(nearer_left, right - third, right)
        left = np.where(nearer_left, left, left + third)
    return (
        np.asarray(np.minimum(at((left + right) / 2), np.minimum(at(left * 0), at(left * 0 + 1))))
        - rows[..., 6]
    )
