"""Which commands an arm refuses at once, and in which words. What happens on the way is not checked here."""

from __future__ import annotations

import math
from collections.abc import Sequence

from framework.errors import CommandRefused
from resources.controllers.aims import position_of
from resources.controllers.settings import ArmSettings
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import (
    ArmCommand,
    Guide,
    Hold,
    MoveJoints,
    MovePose,
    Sweep,
    TrackJoints,
    TrackPose,
    TrackTwist,
)

# No metre, radian, or what they change by in a second, is so much.
_HUGE = 1e4

# Slower than this is no motion that anybody means, and trajectories of hours cannot be computed.
_LEAST_SHARE = 0.001
_LEAST_SPEED, _LEAST_TURN = 0.001, 0.001  # [m/s], [rad/s]
_LEAST_SWEEP = 0.01  # [rad/s], and [rad] from one end to the other

# A quaternion further from unit length than this is no rounding.
_UNIT = 1e-3


def check(command: object, settings: ArmSettings, guard: WorkspaceGuard) -> ArmCommand:
    """The command, if an arm can follow it. CommandRefused says why not."""
    match command:
        case MoveJoints(joints=joints, speed=speed):
            _finite("joints", joints)
            _joints(joints, settings)
            if not _LEAST_SHARE <= speed <= 1.0:
                raise CommandRefused(
                    f"a speed of {speed:g} was asked for; it is a share of the limits, {_LEAST_SHARE:g} to 1"
                )
            return command
        case MovePose(base_T_tool=pose, speed=speed, turn=turn):
            _pose(pose)
            if not guard.contains(position_of(pose)):
                raise CommandRefused(f"the goal is {guard.outside(position_of(pose))}")
            _at_least("speed", speed, _LEAST_SPEED, "m/s")
            _at_least("turn", turn, _LEAST_TURN, "rad/s")
            return command
        case TrackPose(base_T_tool=pose, twist=twist, acceleration=acceleration):
            _pose(pose)
            _finite("twist", twist)
            _finite("acceleration", acceleration)
            return command
        case TrackTwist(twist=twist):
            _finite("twist", twist)
            return command
        case TrackJoints(joints=joints, velocities=velocities):
            _finite("joints", joints)
            _finite("velocities", velocities)
            return command
        case Sweep(lower=lower, upper=upper, velocity=velocity):
            _finite("sweep", (lower, upper))
            low, high = _ranges(settings)[-1]
            if not low <= lower <= upper - _LEAST_SWEEP <= high - _LEAST_SWEEP:
                raise CommandRefused(
                    f"a sweep from {lower:.3f} to {upper:.3f} rad was asked for; "
                    f"it goes upwards by {_LEAST_SWEEP:g} rad or more, within {low:.3f} … {high:.3f} rad"
                )
            _at_least("velocity", velocity, _LEAST_SWEEP, "rad/s")
            return command
        case Guide() | Hold():
            return command
        case _:
            raise CommandRefused(f"an arm cannot follow a {type(command).__name__}")


def _finite(what: str, values: Sequence[float]) -> None:
    if not all(-_HUGE < value < _HUGE for value in values):
        found = ", ".join(f"{value:g}" for value in values)
        raise CommandRefused(
            f"the {what} are not all finite numbers (of any sense, below {_HUGE:g}): {found}"
        )


def _at_least(what: str, value: float, least: float, unit: str) -> None:
    if not least <= value < math.inf:
        raise CommandRefused(
            f"a {what} of {value:g} {unit} was asked for; it has to be finite, and at least {least:g}"
        )


def _pose(pose: Sequence[float]) -> None:
    _finite("pose's numbers", pose)
    length = math.hypot(*pose[3:7])
    if abs(length - 1.0) > _UNIT:
        raise CommandRefused(
            f"the pose's quaternion (x y z w) has length {length:.4g}; a rotation has length 1: normalise it"
        )


def _joints(joints: Sequence[float], settings: ArmSettings) -> None:
    wrong = [
        f"joint {number} = {value:.3f} rad is not in {low:.3f} … {high:.3f} rad"
        for number, (value, (low, high)) in enumerate(zip(joints, _ranges(settings), strict=True), start=1)
        if not low <= value <= high
    ]
    if wrong:
        raise CommandRefused(f"the goal is beyond where joints may go: {', '.join(wrong)}")


def _ranges(settings: ArmSettings) -> list[tuple[float, float]]:
    """Where each joint may go [rad]: its range without the walls at its ends."""
    limits, wall = settings.limits, settings.wall_distance
    return [(low + wall, high - wall) for low, high in zip(limits.lower, limits.upper, strict=True)]
