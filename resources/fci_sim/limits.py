"""What the arm may be asked for: limits of joints and of the end effector, and the checks against them.

The checks name the flag that a real arm raises for each of them. Manufacturer's words: a step in velocity
("velocity discontinuity") is acceleration beyond its limit, a step in acceleration is jerk beyond its limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.arms.parameters import JointLimits
from resources.fci_sim.flags import Flag

Array = NDArray[np.float64]

TORQUE_RATE: Final = 1000.0  # [N m/s]

#: What is exactly at a limit is allowed, though it came as a 32-bit float or a sum of differences.
_SLACK: Final = 1.001
#: What is measured oscillates around what is commanded, which may be at its limit.
_MEASURED_JOINT_SLACK: Final = 1.05
_MEASURED_CARTESIAN_SLACK: Final = 1.1


class CartesianLimits(msgspec.Struct, frozen=True):
    """Of the end effector: m and rad, with seconds."""

    velocity: tuple[float, float] = (1.7, 2.5)  # translation, rotation
    acceleration: tuple[float, float] = (13.0, 25.0)
    jerk: tuple[float, float] = (6500.0, 12500.0)


class JointFlags(msgspec.Struct, frozen=True):
    """Which flag stands for what: a joint motion has its own, and a Cartesian one solved for joints."""

    position: Flag
    velocity: Flag
    acceleration: Flag
    jerk: Flag


JOINT_MOTION: Final = JointFlags(
    Flag.JOINT_MOTION_GENERATOR_POSITION_LIMITS_VIOLATION,
    Flag.JOINT_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION,
    Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY,
    Flag.JOINT_MOTION_GENERATOR_ACCELERATION_DISCONTINUITY,
)
CARTESIAN_MOTION: Final = JointFlags(
    Flag.CARTESIAN_MOTION_GENERATOR_JOINT_POSITION_LIMITS_VIOLATION,
    Flag.CARTESIAN_MOTION_GENERATOR_JOINT_VELOCITY_LIMITS_VIOLATION,
    Flag.CARTESIAN_MOTION_GENERATOR_JOINT_VELOCITY_DISCONTINUITY,
    Flag.CARTESIAN_MOTION_GENERATOR_JOINT_ACCELERATION_DISCONTINUITY,
)


class Limits:
    """Every check of one arm."""

    def __init__(self, joints: Sequence[JointLimits], cartesian: CartesianLimits = CartesianLimits()) -> None:
        self.lower: Array = np.array([joint.lower for joint in joints])
        self.upper: Array = np.array([joint.upper for joint in joints])
        self.velocity: Array = np.array([joint.velocity for joint in joints])
        self.acceleration: Array = np.array([joint.acceleration for joint in joints])
        self.jerk: Array = np.array([joint.jerk for joint in joints])
        self.effort: Array = np.array([joint.effort for joint in joints])
        self.cartesian = cartesian
        self._efforts = [joint.effort * _SLACK for joint in joints]
        self._measured_velocity: Array = self.velocity * _MEASURED_JOINT_SLACK

    def joint_command(self, flags: JointFlags, q: Array, dq: Array, ddq: Array, jerk: Array) -> Flag | None:
        """The first limit that a set-point exceeds; (7,) each, in rad with seconds."""
        if ((q < self.lower) | (q > self.upper)).any():
            return flags.position
        if (np.abs(dq) > self.velocity * _SLACK).any():
            return flags.velocity
        if (np.abs(ddq) > self.acceleration * _SLACK).any():
            return flags.acceleration
        if (np.abs(jerk) > self.jerk * _SLACK).any():
            return flags.jerk
        return None

    def cartesian_command(self, twist: Array, acceleration: Array, jerk: Array) -> Flag | None:
        """The first limit that a set-point of the end effector exceeds; (6,) each, translation first."""
        limits = self.cartesian
        for part in (0, 1):
            rows = slice(3 * part, 3 * part + 3)
            if _length(twist[rows]) > limits.velocity[part] * _SLACK:
                return Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION
            if _length(acceleration[rows]) > limits.acceleration[part] * _SLACK:
                return Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_DISCONTINUITY
            if _length(jerk[rows]) > limits.jerk[part] * _SLACK:
                return Flag.CARTESIAN_MOTION_GENERATOR_ACCELERATION_DISCONTINUITY
        return None

    def torque_command(self, tau: Sequence[float], last: Sequence[float], periods: int) -> Flag | None:
        """`tau` against its range and against its change from `last` within `periods` milliseconds."""
        most = TORQUE_RATE * 0.001 * periods * _SLACK
        for now, before, effort in zip(tau, last, self._efforts, strict=True):
            if not -effort <= now <= effort:
                return Flag.TAU_J_RANGE_VIOLATION
            if not -most <= now - before <= most:
                return Flag.CONTROLLER_TORQUE_DISCONTINUITY
        return None

    def measured(self, q: Array, dq: Array, twist: Array) -> Flag | None:
        """What the arm does, whoever made it; `twist` (6,) of the end effector."""
        if ((q < self.lower) | (q > self.upper)).any():
            return Flag.JOINT_POSITION_LIMITS_VIOLATION
        if (np.abs(dq) > self._measured_velocity).any():
            return Flag.JOINT_VELOCITY_VIOLATION
        for part, limit in enumerate(self.cartesian.velocity):
            if _length(twist[3 * part : 3 * part + 3]) > limit * _MEASURED_CARTESIAN_SLACK:
                return Flag.CARTESIAN_VELOCITY_VIOLATION
        return None


def _length(vector: Array) -> float:
    x, y, z = vector.tolist()
    return float((x * x + y * y + z * z) ** 0.5)
