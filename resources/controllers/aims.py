"""What goals and twists for the tool mean: the target that its reference follows, period by period.

Streams of poses are in `stream_aim.py`, commands for joints in `joint_aims.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from resources.arms.pose import Quaternion, Vector3
from resources.controllers.clock import Clock, pace_for
from resources.controllers.freshness import Freshness, age, freshness
from resources.controllers.reference import ToolReference, ToolTarget
from resources.controllers.rotation import turned
from resources.controllers.settings import ArmSettings
from resources.controllers.trajectory import to_goal
from resources.types.motion import TrackTwist

# A goal that is nearer than this needs no trajectory [m], [rad].
_THERE = 1e-5


class LineAim:
    """Straight to a pose, the rotation along the geodesic in step; a motion that way is carried on."""

    def __init__(
        self,
        reference: ToolReference,
        position: Vector3,
        rotation: Quaternion,
        speed: float,
        turn: float,
        settings: ArmSettings,
    ) -> None:
        self.goal = ToolTarget(position, rotation)
        self.target = stay(reference)
        self._start = reference.position, reference.rotation
        way, axis = reference.away(self.goal)
        self._way, self._axis = way, axis
        length, angle = math.hypot(*way), math.hypot(*axis)
        tool, turning = settings.tool, settings.turn
        # Along a parameter from 0 to 1: whichever of way and turn allows less.
        bounds = [math.inf, math.inf, math.inf]
        for size, values in (
            (length, (min(speed, tool.speed), tool.acceleration, tool.jerk)),
            (angle, (min(turn, turning.speed), turning.acceleration, turning.jerk)),
        ):
            if size > _THERE:
                bounds = [min(bound, value / size) for bound, value in zip(bounds, values, strict=True)]
        if math.inf in bounds:
            bounds = [1.0, 1.0, 1.0]  # it is there already
        pace = 0.0
        if length > 1e-3:
            (vx, vy, vz), (x, y, z) = reference.velocity, way
            pace = min(max((vx * x + vy * y + vz * z) / length**2, 0.0), bounds[0])
        # A fifth of acceleration and jerk is left for changes of the clock's pace.
        self._trajectory = to_goal(
            ([0.0], [pace], [0.0]), [1.0], bounds[:1], [0.8 * bounds[1]], [0.8 * bounds[2]]
        )
        self.clock = Clock(self._trajectory.duration_s if max(length, angle) > _THERE else 0.0)

    def at(self, pace: float, dt_s: float) -> ToolTarget:
        """The target one period later."""
        self.target = self._next(pace, dt_s)
        return self.target

    def _next(self, pace: float, dt_s: float) -> ToolTarget:
        clock = self.clock
        change = clock.advance(pace, dt_s)
        (share,), (rate,), (bend,) = self._trajectory.at(clock.now_s)
        if clock.is_over:
            return self.goal
        bend = bend * clock.pace**2 + rate * change
        rate *= clock.pace
        (x, y, z), rotation = self._start
        (dx, dy, dz), (rx, ry, rz) = self._way, self._axis
        return ToolTarget(
            (x + share * dx, y + share * dy, z + share * dz),
            turned((share * rx, share * ry, share * rz), rotation),
            (rate * dx, rate * dy, rate * dz),
            (rate * rx, rate * ry, rate * rz),
            (bend * dx, bend * dy, bend * dz),
            (bend * rx, bend * ry, bend * rz),
        )


class TwistAim:
    """The newest twist of a stream: the target moves with it, on a leash around the tool."""

    def __init__(self, settings: ArmSettings) -> None:
        self._settings = settings
        self._command = TrackTwist((0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        self.given_s = 0.0

    def take(self, command: TrackTwist, given_s: float) -> None:
        """A new target of the stream."""
        self._command, self.given_s = command, given_s

    def at(self, now_s: float, reference: ToolReference, tool: Vector3) -> ToolTarget:
        """From where the reference is, with the twist."""
        if freshness(age(self.given_s, now_s), self._settings) is not Freshness.FRESH:
            return stay(reference)
        vx, vy, vz, wx, wy, wz = self._command.twist
        (x, y, z), (px, py, pz) = reference.position, tool
        ex, ey, ez = x - px, y - py, z - pz
        away = math.sqrt(ex * ex + ey * ey + ez * ez)
        if away > 0.5 * self._settings.leash and (outward := (vx * ex + vy * ey + vz * ez) / away) > 0.0:
            less = outward * (1.0 - pace_for(away, self._settings.leash)) / away
            vx, vy, vz = vx - less * ex, vy - less * ey, vz - less * ez
        return ToolTarget(reference.position, reference.rotation, (vx, vy, vz), (wx, wy, wz))


def stay(reference: ToolReference) -> ToolTarget:
    """Where the reference is: it comes to rest."""
    return ToolTarget(reference.position, reference.rotation)


def position_of(pose: Sequence[float]) -> Vector3:
    """Of a pose of seven numbers."""
    return (pose[0], pose[1], pose[2])


def rotation_of(pose: Sequence[float]) -> Quaternion:
    """Of a pose of seven numbers whose quaternion has been checked, made exactly unit length."""
    x, y, z, w = pose[3:7]
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    return (x * scale, y * scale, z * scale, w * scale)
