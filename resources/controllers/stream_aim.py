"""What a stream of poses means: its newest pose, moved on, unless it cannot be or has grown old."""

from __future__ import annotations

import math

from resources.arms.pose import Vector3
from resources.controllers.aims import position_of, rotation_of, stay
from resources.controllers.freshness import Freshness, age, freshness
from resources.controllers.outliers import Belief, OutlierGate
from resources.controllers.pursuit import ZERO3
from resources.controllers.reference import ToolReference, ToolTarget
from resources.controllers.rotation import between, turned
from resources.controllers.settings import ArmSettings
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import TrackPose

CARRIED_S = 0.04
"""A target is moved on with its own velocity for so long [s]: two pictures of a phone, and a late third."""


class StreamAim:
    """The newest pose of a stream, moved on with its own feed-forward while it is fresh."""

    def __init__(self, settings: ArmSettings, guard: WorkspaceGuard, gate: OutlierGate) -> None:
        self._settings, self._guard, self._gate = settings, guard, gate
        self._target: ToolTarget | None = None
        self._believed: ToolTarget | None = None
        self._believed_s = 0.0
        # What is still to be made up for of a jump that was believed in the end [m], [rad].
        self._behind: tuple[Vector3, Vector3] | None = None
        self.given_s = 0.0

    def take(self, command: TrackPose, given_s: float, reference: ToolReference) -> None:
        """A new target of the stream."""
        given = position_of(command.base_T_tool), rotation_of(command.base_T_tool)
        believed = self._believed
        if believed is None:
            expected, since_s = (reference.position, reference.rotation), 0.0
        else:
            since_s = max(given_s - self.given_s, 0.0)
            moved = _moved(
                believed, min(max(given_s - self._believed_s, 0.0), self._settings.target_lapses_s)
            )
            expected = moved.position, moved.rotation
        position, rotation, belief = self._gate.passed(expected, given, since_s, given_s)
        self.given_s = given_s
        if belief is Belief.DOUBTED:  # the twist of a pose that cannot be is no better
            self._target = ToolTarget(position, rotation)
            return
        if belief is Belief.AFTER_ALL:
            (x, y, z), (px, py, pz) = position, reference.position
            self._behind = (px - x, py - y, pz - z), between(rotation, reference.rotation)
        vx, vy, vz, wx, wy, wz = command.twist
        ax, ay, az, bx, by, bz = command.acceleration
        self._target = self._believed = ToolTarget(
            position, rotation, (vx, vy, vz), (wx, wy, wz), (ax, ay, az), (bx, by, bz)
        )
        self._believed_s = given_s

    def at(self, now_s: float, dt_s: float, reference: ToolReference) -> ToolTarget:
        """Where to be at the end of this period: on with the target, or nowhere when it has lapsed."""
        assert self._target is not None
        passed_s = age(self.given_s, now_s)
        if freshness(passed_s, self._settings) is not Freshness.FRESH:
            return stay(reference)
        target = _carried_on(self._target, passed_s + dt_s, self._settings.target_lapses_s)
        if self._behind is not None:
            target = self._catching_up(target, self._behind, dt_s)
        nearest = self._guard.nearest(target.position)
        if nearest != target.position:
            return target._replace(position=nearest, velocity=ZERO3, acceleration=ZERO3)
        return target

    def _catching_up(self, target: ToolTarget, behind: tuple[Vector3, Vector3], dt_s: float) -> ToolTarget:
        """A target on its slow way from before a jump to behind it."""
        way = _less(behind[0], self._settings.catch_up * dt_s)
        turn = _less(behind[1], self._settings.catch_up_turn * dt_s)
        self._behind = None if way == turn == ZERO3 else (way, turn)
        x, y, z = target.position
        return target._replace(
            position=(x + way[0], y + way[1], z + way[2]), rotation=turned(turn, target.rotation)
        )


def _carried_on(target: ToolTarget, time_s: float, lapses_s: float) -> ToolTarget:
    """A target that is not renewed: moved on for as long as samples are usually apart, then ever slower, so
    that it rests when it lapses: nobody knows where the hand has gone, least of all at full speed."""
    if time_s <= CARRIED_S:
        return _moved(target, time_s)
    target = _moved(target, CARRIED_S)
    fades_s = lapses_s - CARRIED_S
    since_s = min(time_s - CARRIED_S, fades_s)
    way_s, share, rate = (
        since_s - since_s * since_s / (2.0 * fades_s),
        1.0 - since_s / fades_s,
        -1.0 / fades_s,
    )
    (x, y, z), (vx, vy, vz), (wx, wy, wz) = target.position, target.velocity, target.turning
    return ToolTarget(
        (x + vx * way_s, y + vy * way_s, z + vz * way_s),
        turned((wx * way_s, wy * way_s, wz * way_s), target.rotation),
        (vx * share, vy * share, vz * share),
        (wx * share, wy * share, wz * share),
        (vx * rate, vy * rate, vz * rate),
        (wx * rate, wy * rate, wz * rate),
    )


def _moved(target: ToolTarget, time_s: float) -> ToolTarget:
    """The target a little later, with constant acceleration."""
    if time_s == 0.0:
        return target
    half = 0.5 * time_s * time_s
    (x, y, z), (vx, vy, vz), (ax, ay, az) = target.position, target.velocity, target.acceleration
    (wx, wy, wz), (bx, by, bz) = target.turning, target.turning_rate
    return ToolTarget(
        (x + vx * time_s + ax * half, y + vy * time_s + ay * half, z + vz * time_s + az * half),
        turned((wx * time_s + bx * half, wy * time_s + by * half, wz * time_s + bz * half), target.rotation),
        (vx + ax * time_s, vy + ay * time_s, vz + az * time_s),
        (wx + bx * time_s, wy + by * time_s, wz + bz * time_s),
        target.acceleration,
        target.turning_rate,
    )


def _less(vector: Vector3, length: float) -> Vector3:
    """The vector, shorter by a length; zero if it is no longer than that."""
    x, y, z = vector
    size = math.sqrt(x * x + y * y + z * z)
    if size <= length:
        return ZERO3
    scale = 1.0 - length / size
    return (x * scale, y * scale, z * scale)
