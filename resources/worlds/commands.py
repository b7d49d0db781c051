"""What may be commanded in a world, and what is refused. Each command is data with the time it was given.

Commands that move something are a stream: the world stops a part by itself when its last command is
older than `COMMAND_TIMEOUT_S`. Repeating a command keeps its motion going and never restarts it.
Who may command is decided by leases, elsewhere.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TypeAlias

import msgspec

from framework.errors import CommandRefused
from resources.arms.parameters import JOINT_COUNT, PANDA, PANDA_HAND

COMMAND_TIMEOUT_S = 0.2
MAX_GRIPPER_WIDTH_M = 2 * PANDA_HAND.finger_limits.upper


class Part(Enum):
    """What can be commanded and stopped on its own."""

    BASE = "base"
    LEFT_ARM = "left_arm"
    RIGHT_ARM = "right_arm"

    @property
    def prefix(self) -> str:
        """Prefix of an arm's names in the model; the base has none."""
        return {Part.BASE: "", Part.LEFT_ARM: "left_", Part.RIGHT_ARM: "right_"}[self]


ARMS = (Part.LEFT_ARM, Part.RIGHT_ARM)


class BaseLimits(msgspec.Struct, frozen=True):
    """Bounds of the base's motion: m/s, rad/s, m/s², rad/s²."""

    speed: float = 1.0
    turn: float = 1.5
    acceleration: float = 1.2
    turn_acceleration: float = 3.0
    # Stopping may be harder than driving.
    deceleration: float = 2.5
    turn_deceleration: float = 6.0


BASE_LIMITS = BaseLimits()


class BaseVelocity(msgspec.Struct, frozen=True, tag=True):
    """Drive: velocities in the base frame, within `BASE_LIMITS`."""

    stamp_s: float
    forward: float = 0.0  # [m/s]
    left: float = 0.0  # [m/s]
    turn: float = 0.0  # [rad/s], counter-clockwise


class ArmPosture(msgspec.Struct, frozen=True, tag=True):
    """Go to a posture and hold it."""

    stamp_s: float
    arm: Part
    joints: tuple[float, ...]  # (7,) [rad]
    speed: float = 0.3  # share of the joints' velocity limits, in (0, 1]


class WristSweep(msgspec.Struct, frozen=True, tag=True):
    """Swing joint 7 to and fro between two angles while the others hold."""

    stamp_s: float
    arm: Part
    lower: float = -math.pi / 4  # [rad]
    upper: float = 3 * math.pi / 4  # [rad]
    velocity: float = 1.2  # [rad/s]


class GripperWidth(msgspec.Struct, frozen=True, tag=True):
    """Open or close the fingers to a width. No stream: a stop keeps the grasp and drops nothing."""

    stamp_s: float
    arm: Part
    width_m: float
    force_n: float = 20.0


Command: TypeAlias = BaseVelocity | ArmPosture | WristSweep | GripperWidth


def part_of(command: Command) -> Part:
    """Which part a command moves."""
    return Part.BASE if isinstance(command, BaseVelocity) else command.arm


def check(command: Command) -> None:
    """Refuse what is not finite, out of limits, or meant for a part that cannot do it.

    Raises:
        CommandRefused: saying which value came and what is allowed. Nothing has changed then.
    """
    if not math.isfinite(command.stamp_s):
        raise CommandRefused(
            f"{type(command).__name__}: stamp_s is {command.stamp_s}; it must be a finite time"
        )
    match command:
        case BaseVelocity():
            for name, value in (("forward", command.forward), ("left", command.left)):
                _bounded(command, name, value, -BASE_LIMITS.speed, BASE_LIMITS.speed)
            _bounded(command, "turn", command.turn, -BASE_LIMITS.turn, BASE_LIMITS.turn)
        case ArmPosture():
            if len(command.joints) != JOINT_COUNT:
                raise CommandRefused(
                    f"ArmPosture has {len(command.joints)} joints; this arm has {JOINT_COUNT}"
                )
            for number, (value, link) in enumerate(zip(command.joints, PANDA.links, strict=True), start=1):
                _bounded(command, f"joint {number}", value, link.limits.lower, link.limits.upper)
            _bounded(command, "speed", command.speed, 0.01, 1.0)
        case WristSweep():
            limits = PANDA.links[-1].limits
            _bounded(command, "lower", command.lower, limits.lower, limits.upper)
            _bounded(command, "upper", command.upper, limits.lower, limits.upper)
            _bounded(command, "velocity", command.velocity, 0.05, limits.velocity)
            if command.upper - command.lower < 0.1:
                raise CommandRefused(
                    f"WristSweep from {command.lower} to {command.upper} rad: upper must exceed lower by 0.1"
                )
        case GripperWidth():
            _bounded(command, "width_m", command.width_m, 0.0, MAX_GRIPPER_WIDTH_M)
            _bounded(command, "force_n", command.force_n, 0.0, PANDA_HAND.finger_limits.effort)
    if not isinstance(command, BaseVelocity) and command.arm not in ARMS:
        raise CommandRefused(
            f"{type(command).__name__} was sent to {command.arm.value}; it is for left_arm or right_arm"
        )


def _bounded(command: Command, name: str, value: float, lower: float, upper: float) -> None:
    if not math.isfinite(value) or not lower <= value <= upper:
        raise CommandRefused(
            f"{type(command).__name__}: {name} is {value}; allowed is {lower:g} to {upper:g}"
        )
