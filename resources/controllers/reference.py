"""Where the law steers to, tick by tick: the tool's reference. What commands mean is in `aims.py`.

Every target of the tool, of a goal or a stream, goes through here on its way to the law, so that its speed,
acceleration and jerk are bounded, it stays in the workspace and comes slowly to what it may touch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Quaternion, Vector3
from resources.controllers.pursuit import ZERO3, VectorPursuit
from resources.controllers.rotation import between, quaternion_of, turned
from resources.controllers.settings import ArmSettings
from resources.controllers.workspace import WorkspaceGuard

Array = NDArray[np.float64]


class ToolTarget(NamedTuple):
    """A moving pose of the tool in the base frame, with its twist and acceleration there."""

    position: Vector3
    rotation: Quaternion
    velocity: Vector3 = ZERO3
    turning: Vector3 = ZERO3
    acceleration: Vector3 = ZERO3
    turning_rate: Vector3 = ZERO3


class ToolReference:
    """The pose, twist and acceleration that the law follows."""

    def __init__(self, settings: ArmSettings, guard: WorkspaceGuard) -> None:
        self.position: Vector3 = ZERO3
        self.rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)
        self._guard = guard
        self._linear = VectorPursuit(settings.tool, settings.bandwidth)
        self._angular = VectorPursuit(settings.turn, settings.bandwidth)

    def start(self, base_T_tool: Array, twist: Array, acceleration: Array) -> None:
        """From a pose (4, 4) with its twist and acceleration (6,), whatever was before."""
        x, y, z = base_T_tool[:3, 3].tolist()
        self.position = (x, y, z)
        self.rotation = quaternion_of(base_T_tool)
        vx, vy, vz, wx, wy, wz = twist.tolist()
        ax, ay, az, bx, by, bz = acceleration.tolist()
        self._linear.start((vx, vy, vz), (ax, ay, az))
        self._angular.start((wx, wy, wz), (bx, by, bz))

    @property
    def velocity(self) -> Vector3:
        """[m/s]."""
        return self._linear.velocity

    @property
    def turning(self) -> Vector3:
        """[rad/s]."""
        return self._angular.velocity

    @property
    def linear_acceleration(self) -> Vector3:
        """[m/s²]."""
        return self._linear.acceleration

    @property
    def turning_rate(self) -> Vector3:
        """[rad/s²]."""
        return self._angular.acceleration

    def twist(self) -> Array:
        """(6,) [m/s, rad/s]."""
        return np.array((*self._linear.velocity, *self._angular.velocity))

    def acceleration(self) -> Array:
        """(6,) [m/s², rad/s²]."""
        return np.array((*self._linear.acceleration, *self._angular.acceleration))

    def away(self, target: ToolTarget) -> tuple[Vector3, Vector3]:
        """What is missing to a target: position [m] and rotation vector [rad]."""
        (tx, ty, tz), (x, y, z) = target.position, self.position
        return (tx - x, ty - y, tz - z), between(self.rotation, target.rotation)

    def plan(self, target: ToolTarget, force: Vector3, pace: float, dt_s: float) -> None:
        """Choose the acceleration of the period that begins, from here towards a target at its end.

        Args:
            force: of the surroundings on the tool [N].
            pace: share of the speeds that may be had now (less near singularities).
        """
        linear, angular = self._linear, self._angular
        error, turn = self.away(target)
        speed = pace * linear.bounds.speed
        free = linear.wish(error, target.velocity, speed, dt_s)
        wish = self._guard.restrained(self.position, free, force)
        # A target that is too fast, or restrained, must not be pushed on by its own acceleration.
        feasible = wish == free and math.hypot(*target.velocity) <= speed
        linear.plan(wish, target.acceleration if feasible else ZERO3, speed, dt_s)
        speed = pace * angular.bounds.speed
        turning = angular.wish(turn, target.turning, speed, dt_s)
        feasible = math.hypot(*target.turning) <= speed
        angular.plan(turning, target.turning_rate if feasible else ZERO3, speed, dt_s)

    def step(self, dt_s: float) -> None:
        """To the end of the period."""
        dx, dy, dz = self._linear.step(dt_s)
        x, y, z = self.position
        self.position = (x + dx, y + dy, z + dz)
        self.rotation = turned(self._angular.step(dt_s), self.rotation)
