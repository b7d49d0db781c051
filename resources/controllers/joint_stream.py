"""Streams of joint targets: followed under the joints' limits and the tool's speed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.controllers.freshness import Freshness, age, freshness
from resources.controllers.posture_planning import PosturePlanner
from resources.controllers.pursuit import JointPursuit
from resources.controllers.settings import ArmSettings
from resources.controllers.state import ArmState
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import TrackJoints

Array = NDArray[np.float64]

# Of the tool's speed: the Jacobian is a tick old, and the pursuit takes its time to slow down.
_TOOL_SHARE = 0.85


class JointStream:
    """The newest joints of a stream, moved on with their velocities while they are fresh."""

    def __init__(self, settings: ArmSettings, planner: PosturePlanner, guard: WorkspaceGuard) -> None:
        limits = settings.limits
        margin = settings.wall_distance
        self._settings, self._guard = settings, guard
        self._pursuit = JointPursuit(
            planner.speed,
            planner.acceleration,
            planner.jerk,
            np.array(limits.lower) + margin,
            np.array(limits.upper) - margin,
            settings.bandwidth,
        )
        self._command = TrackJoints((0.0,) * 7)
        self.given_s = 0.0

    def start(self, position: Array, velocity: Array, acceleration: Array) -> None:
        """From here on (7,), whatever was."""
        self._pursuit.start(position, velocity, acceleration)

    def take(self, command: TrackJoints, given_s: float) -> None:
        """A new target of the stream."""
        self._command, self.given_s = command, given_s

    def at(self, now_s: float, state: ArmState, dt_s: float) -> tuple[Array, Array, Array]:
        """Positions, velocities, accelerations (7,) one period later."""
        pursuit, settings = self._pursuit, self._settings
        passed_s = age(self.given_s, now_s)
        if freshness(passed_s, settings) is Freshness.FRESH:
            velocities = np.array(self._command.velocities)
            wish = pursuit.wish(np.array(self._command.joints) + velocities * passed_s, velocities)
        else:
            wish = np.zeros(7)
        vx, vy, vz, wx, wy, wz = state.dynamics.jacobian.dot(wish).tolist()
        most = max(
            math.sqrt(vx * vx + vy * vy + vz * vz) / settings.tool.speed,
            math.sqrt(wx * wx + wy * wy + wz * wz) / settings.turn.speed,
        )
        share = min(1.0, _TOOL_SHARE / most) if most > 0.0 else 1.0
        share *= self._guard.share(state.position, (share * vx, share * vy, share * vz))
        if share < 1.0:
            wish *= share
        pursuit.advance(wish, np.zeros(7), dt_s)
        return pursuit.position.copy(), pursuit.velocity.copy(), pursuit.acceleration.copy()
