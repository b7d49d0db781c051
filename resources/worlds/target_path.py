"""The path of the marked target: smooth and periodic, in front of the robot's camera."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from resources.arms.pose import Pose, Quaternion, Vector3, axis_angle, product, quaternion_of

# The marked face looks along −x of the world, towards the robot, and its upper edge is up.
FACING_ROBOT: Quaternion = quaternion_of(np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))


class TargetPath(msgspec.Struct, frozen=True):
    """Sines of unrelated periods on each axis (a Lissajous figure), with a slow wobble of the plate."""

    centre: Vector3 = (1.12, 0.0, 1.23)
    amplitude: Vector3 = (0.12, 0.32, 0.10)  # [m]
    period_s: Vector3 = (13.0, 9.0, 7.0)
    yaw: float = 0.35  # [rad]
    pitch: float = 0.20  # [rad]
    phase: Vector3 = (0.0, 0.0, 0.0)  # [rad]

    @staticmethod
    def seeded(seed: int) -> TargetPath:
        """A path that starts elsewhere for each seed."""
        x, y, z = (float(value) for value in np.random.default_rng([seed, 1]).uniform(0, 2 * math.pi, 3))
        return TargetPath(phase=(x, y, z))

    def pose(self, time_s: float) -> Pose:
        """World pose of the plate; its z axis is the normal of the marked face."""
        turns = [
            2 * math.pi * time_s / period + phase
            for period, phase in zip(self.period_s, self.phase, strict=True)
        ]
        sines = [math.sin(turn) for turn in turns]
        x, y, z = (
            middle + size * sine
            for middle, size, sine in zip(self.centre, self.amplitude, sines, strict=True)
        )
        yaw = axis_angle((0.0, 0.0, 1.0), self.yaw * sines[1])
        pitch = axis_angle((0.0, 1.0, 0.0), self.pitch * math.sin(turns[0] + 1.0))
        return Pose((x, y, z), product(product(yaw, pitch), FACING_ROBOT))
