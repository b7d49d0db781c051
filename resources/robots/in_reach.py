"""Which devices of a robot could hit another one or be hit by it, for the motion interlock. Pure.

By where arms stand and how far they reach; what is not known counts as in reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from resources.arms.parameters import PANDA, PANDA_HAND, ArmParameters, CapsuleSize, GripperParameters
from resources.arms.pose import Vector3
from resources.robots.description import CONTROLLERS, DeviceDescription
from resources.types.motion import ControllerKind

Foot = Callable[[str], Vector3 | None]
"""Where an arm stands, in the robot's frame [m]; None if that is not known."""


def reach_m(arm: ArmParameters = PANDA, gripper: GripperParameters = PANDA_HAND) -> float:
    """No part of this arm, or of the gripper on it, is ever further from its foot [m]: all joints in line."""
    joints = sum(math.hypot(link.dh.a, link.dh.d) for link in arm.links)
    ends = [gripper.tool_offset_m, *(_extent_m(each) for each in gripper.hand_capsules)]
    thickest = max(each.radius for link in arm.links for each in link.capsules)
    return joints + arm.flange_m + max(ends) + thickest


def in_reach(device: str, devices: Sequence[DeviceDescription], foot: Foot) -> tuple[str, ...]:
    """The other devices that move and that it could hit, or be hit by.

    A base carries everything; a gripper is where the arm of its side is; arms meet if their reaches do. A
    device that is not described could hit all of them.
    """
    moving = [each for each in devices if each.kind in CONTROLLERS]
    own = next((each for each in moving if each.name == device), None)
    others = (each for each in moving if each.name != device)
    return tuple(each.name for each in others if own is None or _may_meet(own, each, moving, foot))


def _may_meet(
    one: DeviceDescription, other: DeviceDescription, moving: Sequence[DeviceDescription], foot: Foot
) -> bool:
    if ControllerKind.BASE.value in (one.kind, other.kind):
        return True
    mine, theirs = list(_arms_of(one, moving)), list(_arms_of(other, moving))
    if not mine or not theirs:
        return True
    return any(_is_near(foot(a), foot(b)) for a in mine for b in theirs)


def _arms_of(device: DeviceDescription, moving: Sequence[DeviceDescription]) -> Iterator[str]:
    """Itself; of a gripper the arms of its side, which may carry it."""
    if device.kind == ControllerKind.ARM.value:
        yield device.name
    else:
        arms = (each for each in moving if each.kind == ControllerKind.ARM.value)
        yield from (each.name for each in arms if each.mount == device.mount)


def _is_near(a: Vector3 | None, b: Vector3 | None) -> bool:
    # Each as far as the arms that we know; another class would come with its driver's parameters.
    return a is None or b is None or math.dist(a, b) <= 2.0 * reach_m()


def _extent_m(capsule: CapsuleSize) -> float:
    return math.hypot(*capsule.centre) + capsule.length / 2.0 + capsule.radius
