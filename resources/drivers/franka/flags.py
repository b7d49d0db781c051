"""The arm's error flags in words that tell a person what happened and what to look at.

The names are pylibfranka's (`RobotState.current_errors`), and those between quotes in its messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

_NO_REFERENCE: Final = "a motion that this driver never asks for was wrong"

#: What each flag means. Those of motion generators cannot come up under torque control; they have words too.
WORDS: Final[dict[str, str]] = {
    "joint_position_limits_violation": "a joint went beyond its range",
    "cartesian_position_limits_violation": "the arm left its permitted space",
    "self_collision_avoidance_violation": "the arm came too near to itself",
    "joint_velocity_violation": "a joint was too fast",
    "cartesian_velocity_violation": "the tool was too fast",
    "force_control_safety_violation": "the force on the tool was more than is safe",
    "joint_reflex": "a joint met more resistance than it may",
    "cartesian_reflex": "the tool met more resistance than it may",
    "max_goal_pose_deviation_violation": "the tool was too far from its goal",
    "max_path_pose_deviation_violation": "the tool was too far from its path",
    "cartesian_velocity_profile_safety_violation": "the tool was faster than its safety profile permits",
    "communication_constraints_violation": "too many commands came late or never: look at network and load",
    "power_limit_violation": "the arm needed more power than it may",
    "controller_torque_discontinuity": "a torque changed too quickly",
    "tau_j_range_violation": "a torque was beyond what the joint can give",
    "instability_detected": "the arm began to oscillate",
    "joint_move_in_wrong_direction": "a joint beyond its range was moved further out",
    "force_controller_desired_force_tolerance_violation": "the force was too far from what was wanted",
    "start_elbow_sign_inconsistent": "the elbow stood on the wrong side at the start",
    "joint_p2p_insufficient_torque_for_planning": "the joints are too weak for the motion with this load",
    "base_acceleration_initialization_timeout": "the acceleration sensor of the base did not start",
    "base_acceleration_invalid_reading": "the acceleration sensor of the base gave no sense",
    "joint_position_motion_generator_start_pose_invalid": _NO_REFERENCE,
    "joint_motion_generator_position_limits_violation": _NO_REFERENCE,
    "joint_motion_generator_velocity_limits_violation": _NO_REFERENCE,
    "joint_motion_generator_velocity_discontinuity": _NO_REFERENCE,
    "joint_motion_generator_acceleration_discontinuity": _NO_REFERENCE,
    "joint_via_motion_generator_planning_joint_limit_violation": _NO_REFERENCE,
    "cartesian_position_motion_generator_start_pose_invalid": _NO_REFERENCE,
    "cartesian_position_motion_generator_invalid_frame": _NO_REFERENCE,
    "cartesian_motion_generator_elbow_limit_violation": _NO_REFERENCE,
    "cartesian_motion_generator_elbow_sign_inconsistent": _NO_REFERENCE,
    "cartesian_motion_generator_start_elbow_invalid": _NO_REFERENCE,
    "cartesian_motion_generator_velocity_limits_violation": _NO_REFERENCE,
    "cartesian_motion_generator_velocity_discontinuity": _NO_REFERENCE,
    "cartesian_motion_generator_acceleration_discontinuity": _NO_REFERENCE,
    "cartesian_motion_generator_joint_position_limits_violation": _NO_REFERENCE,
    "cartesian_motion_generator_joint_velocity_limits_violation": _NO_REFERENCE,
    "cartesian_motion_generator_joint_velocity_discontinuity": _NO_REFERENCE,
    "cartesian_motion_generator_joint_acceleration_discontinuity": _NO_REFERENCE,
    "cartesian_spline_motion_generator_violation": _NO_REFERENCE,
}

_QUOTED = re.compile(r'"([a-z][a-z0-9_]+)"')


def flags_in(text: str) -> tuple[str, ...]:
    """The flags that one of pylibfranka's messages names, in its order."""
    return tuple(_QUOTED.findall(text))


def flags_up(errors: Any) -> tuple[str, ...]:
    """The flags that are up in a `pylibfranka.Errors`."""
    return tuple(flag for flag in WORDS if getattr(errors, flag, False))


def in_words(flags: Iterable[str]) -> str:
    """What the flags mean, each with its name for whoever looks it up; one that is unknown is named only."""
    told = [f"{WORDS[flag]} ({flag})" if flag in WORDS else flag for flag in flags]
    return ", ".join(told) or "the arm did not say why"
