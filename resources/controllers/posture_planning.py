"""Plans in joint space: to a posture, and to rest, within the joints' limits and the tool's."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Vector3
from resources.controllers.rotation import between, quaternion_of
from resources.controllers.settings import ArmSettings
from resources.controllers.trajectory import State, Trajectory, to_goal, to_rest
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import Joints7

Array = NDArray[np.float64]

# How often on a plan the tool's speed is looked at, over which time [s], and what is kept for in between.
_LOOKS, _APART_S, _MARGIN = 24, 0.004, 0.95

# So far outside the workspace a way may lead the tool, or further out than it is already [m].
_BEYOND = 0.005

# Of the joints' acceleration that braking may use: more than moving does, for it comes unexpectedly.
_BRAKING = 0.9


class PosturePlanner:
    """Trajectories under the bounds of one arm."""

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings, guard: WorkspaceGuard) -> None:
        limits = settings.limits
        self._dynamics, self._guard = dynamics, guard
        self._tool, self._turn = settings.tool, settings.turn
        self._joint_share = settings.joint_share
        self.speed: Array = settings.joint_share * np.array(limits.velocity)
        self.acceleration: Array = settings.joint_share * np.array(limits.acceleration)
        self.jerk: Array = np.full(7, settings.joint_jerk)
        self._braking: Array = _BRAKING * np.array(limits.acceleration)

    def to_posture(self, start: State, goal: Joints7, share: float) -> Trajectory:
        """To a posture, with at most this share of the joints' own limits, and the tool within its own.

        Raises:
            CommandRefused: the tool would be outside of the workspace there, or leave it on the way.
        """
        if self._guard.beyond(place := self._tool_at(goal)) > 0.0:
            raise CommandRefused(f"the tool would be {self._guard.outside(place)}")
        speed = self.speed * min(1.0, share / self._joint_share)
        for _ in range(3):
            planned = to_goal(start, goal, speed.tolist(), self.acceleration.tolist(), self.jerk.tolist())
            excess = self._excess(planned)
            if excess <= 1.0:
                break
            speed = speed / excess
        return planned

    def sweep(self, start: State, goal: Sequence[float], speed: float) -> Trajectory:
        """To a posture of which only the last joint differs, with a velocity of it [rad/s] at most."""
        speeds = self.speed.copy()
        # The tool turns with the last joint.
        speeds[-1] = min(speed, float(speeds[-1]), _MARGIN * self._turn.speed)
        return to_goal(start, goal, speeds.tolist(), self.acceleration.tolist(), self.jerk.tolist())

    def to_rest(self, start: State) -> Trajectory:
        """To rest as soon as may be."""
        return to_rest(start, self._braking.tolist(), (2.0 * self.jerk).tolist())

    def _tool_at(self, joints: Sequence[float]) -> Vector3:
        x, y, z = self._dynamics.forward(np.array(joints))[:3, 3].tolist()
        return (x, y, z)

    def _excess(self, planned: Trajectory) -> float:
        """By which factor the tool would be too fast somewhere on the way; at most 1 if nowhere.

        CommandRefused if it would leave the workspace.
        """
        most, allowed = 0.0, self._guard.beyond(self._tool_at(planned.at(0.0)[0])) + _BEYOND
        for number in range(_LOOKS):
            time_s = planned.duration_s * (number + 0.5) / _LOOKS
            before = self._dynamics.forward(np.array(planned.at(time_s)[0]))
            x, y, z = before[:3, 3].tolist()
            if self._guard.beyond((x, y, z)) > allowed:
                raise CommandRefused(f"the way there leads the tool {self._guard.outside((x, y, z))}")
            after = self._dynamics.forward(np.array(planned.at(time_s + _APART_S)[0]))
            speed = math.dist(before[:3, 3], after[:3, 3]) / _APART_S
            turn = math.hypot(*between(quaternion_of(before), quaternion_of(after))) / _APART_S
            most = max(most, speed / self._tool.speed, turn / self._turn.speed)
        return most / _MARGIN
