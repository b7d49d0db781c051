"""Poses that cannot be: a tracked phone or hand jumps when its tracking slips, and the arm must not follow.

A target is compared with where the last believed one should have got to by now. The further away it is,
the less of the difference counts: sech²(distance / scale), what paper 000 (eq 12) prints as a stiffness and
that makes a good gate. A jump that lasts (the operator did move, or tracking came back elsewhere) is
believed in the end, and then approached under all limits.
"""

from __future__ import annotations

import math
from enum import Enum, auto

from resources.arms.pose import Quaternion, Vector3
from resources.controllers.rotation import between, turned
from resources.controllers.settings import ArmSettings

# Below this weight a target is not followed; nearer than this, in units of the gate, it is untouched.
_DOUBTED, _PLAUSIBLE = 0.3, 0.1


class Belief(Enum):
    """What the gate thinks of a pose."""

    BELIEVED = auto()
    DOUBTED = auto()
    AFTER_ALL = auto()  # it jumped, and stayed there


class OutlierGate:
    """Lets plausible poses through and holds jumps back; counts them."""

    def __init__(self, settings: ArmSettings) -> None:
        self._gate, self._gate_turn = settings.gate, settings.gate_turn
        self._speed, self._turn = settings.tool.speed, settings.turn.speed
        self._patience_s = settings.gate_patience_s
        self.outliers = 0
        self.remark = ""  # about the last outlier, for people
        self._doubted_since_s: float | None = None
        self._doubted: Vector3 = (0.0, 0.0, 0.0)

    def restart(self) -> None:
        """What comes next is compared with nothing that was doubted before."""
        self._doubted_since_s = None

    def passed(
        self,
        expected: tuple[Vector3, Quaternion],
        given: tuple[Vector3, Quaternion],
        since_s: float,
        now_s: float,
    ) -> tuple[Vector3, Quaternion, Belief]:
        """Where to go of what was given, and whether it was believed.

        Args:
            expected: where the last believed target has got to by now.
            since_s: since the target before was given [s]; in longer gaps one can have moved further.
        """
        (ex, ey, ez), (gx, gy, gz) = expected[0], given[0]
        dx, dy, dz = gx - ex, gy - ey, gz - ez
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        rx, ry, rz = between(expected[1], given[1])
        angle = math.sqrt(rx * rx + ry * ry + rz * rz)
        scale = self._gate + self._speed * since_s
        far = max(distance / scale, angle / (self._gate_turn + self._turn * since_s))
        if far < _PLAUSIBLE:  # untouched: sech² would take off less than one percent
            self._doubted_since_s = None
            return (*given, Belief.BELIEVED)
        weight = 1.0 / math.cosh(min(far, 50.0)) ** 2
        if weight >= _DOUBTED:
            self._doubted_since_s = None
            position = (ex + weight * dx, ey + weight * dy, ez + weight * dz)
            turn = (weight * rx, weight * ry, weight * rz)
            return (position, turned(turn, expected[1]), Belief.BELIEVED)
        since = self._doubted_since_s
        if since is None or math.dist(self._doubted, given[0]) > scale:
            self._doubted_since_s = since = now_s  # a jump, or a jump out of a jump
            self.outliers += 1
            self.remark = (
                f"a target jumped by {distance:.2f} m and {math.degrees(angle):.0f}°; it is not followed "
                f"unless it stays there for {self._patience_s:g} s"
            )
        self._doubted = given[0]
        if now_s - since >= self._patience_s:
            self._doubted_since_s = None
            return (*given, Belief.AFTER_ALL)
        return (*expected, Belief.DOUBTED)
