"""Where a relative motion ends. Pure."""

from __future__ import annotations

import msgspec

import pilothouse as ph
from resources.types.motion import Joints7
from resources.types.motion_words import angle_in_words
from resources.types.naming import plain
from resources.types.poses import Vector3, conjugate, pose, position_of, rotation_of, turned
from resources.types.streams import Pose7

#: Directions as people name them: in the robot's frame, or (`out`, `in`) along the tool.
AXES: dict[str, Vector3] = {
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "out": (0.0, 0.0, 1.0),
    "in": (0.0, 0.0, -1.0),
}
_OF_TOOL = ("out", "in")

#: Turns of the wrist, about the tool's axis that points away from it.
TURNS = {"clockwise": 1.0, "counterclockwise": -1.0}

OPPOSITES = {
    way: other
    for one, two in (
        ("up", "down"),
        ("left", "right"),
        ("forward", "back"),
        ("out", "in"),
        ("clockwise", "counterclockwise"),
    )
    for way, other in ((one, two), (two, one))
}
"""The other way of each."""

_MARGIN = 0.01  # [rad], that a joint stays away from its limits


class Goal(msgspec.Struct, frozen=True):
    """Where it is to end: a pose of the tool in the arm's base frame, or joints [rad]."""

    base_T_tool: Pose7 | None = None
    joints: Joints7 | None = None


def moved(base_T_tool: Pose7, direction: str, distance_m: float, robot_T_base: Pose7) -> Goal:
    """The tool, shifted without turning."""
    frame = rotation_of(base_T_tool) if direction in _OF_TOOL else conjugate(rotation_of(robot_T_base))
    ax, ay, az = turned(frame, AXES[direction])
    x, y, z = position_of(base_T_tool)
    there = (x + distance_m * ax, y + distance_m * ay, z + distance_m * az)
    return Goal(base_T_tool=pose(there, rotation_of(base_T_tool)))


def turned_wrist(joints: Joints7, angle: float, arm: ph.ArmHandle) -> Goal:
    """The last joint, turned [rad]. Raises MotionFailed if it cannot turn so far."""
    *others, last = joints
    wanted = last + angle
    low, high = arm.lower[-1] + _MARGIN, arm.upper[-1] - _MARGIN
    if not low <= wanted <= high:
        clockwise, counterclockwise = (angle_in_words(max(room, 0.0)) for room in (high - last, last - low))
        raise ph.MotionFailed(
            f"the wrist of the {plain(arm.device)} cannot turn {angle_in_words(abs(angle))} that way: "
            f"{clockwise} are left clockwise, {counterclockwise} counterclockwise"
        )
    q1, q2, q3, q4, q5, q6 = others
    return Goal(joints=(q1, q2, q3, q4, q5, q6, wanted))
