"""What pages draw, from what is shown: each arm's geometry, once; its posture comes in packets.

All our arms are of one class (`resources.arms.parameters`); how each stands and what it may reach is its own.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

from resources.arms.parameters import PANDA, PANDA_HAND, CapsuleSize
from resources.arms.pose import Vector3, axis_angle
from resources.operator.orders import Shown, ShownArm
from resources.operator.protocol import ArmPart, CameraPart, ScenePart
from resources.types.streams import Pose7

Capsule = tuple[int, Vector3, Vector3, float]
"""Number of the link, both ends of the axis in its frame [m], radius [m]."""

_FLANGE: Final = len(PANDA.links) + 1


def scene_part(shown: Shown) -> ScenePart:
    """For every page. Its arms have the index that packets name them by."""
    camera = next((CameraPart(each.device) for each in shown.cameras), None)
    words = "" if camera else "no camera gives a cloud now: you see the robot as its joints tell it"
    if not shown.arms:
        blind = "" if camera else ", and no camera gives a cloud"
        words = f"waiting for the robot: no arm tells where it is{blind}"
    return ScenePart(tuple(_arm(index, arm) for index, arm in enumerate(shown.arms)), camera, words)


def _arm(index: int, arm: ShownArm) -> ArmPart:
    rows = tuple((link.dh.a, link.dh.d, link.dh.alpha) for link in PANDA.links)
    return ArmPart(
        index,
        arm.device,
        arm.side,
        arm.robot_T_base,
        (*rows, (0.0, PANDA.flange_m, 0.0)),
        _flange_T_tool(),
        _capsules(),
        (arm.workspace.lower, arm.workspace.upper),
        arm.walls,
    )


def _flange_T_tool() -> Pose7:
    return (0.0, 0.0, PANDA_HAND.tool_offset_m, *axis_angle((0.0, 0.0, 1.0), PANDA_HAND.mount_angle))


@cache
def _capsules() -> tuple[Capsule, ...]:
    found = [_capsule(0, size) for size in PANDA.base_capsules]
    found += [_capsule(1 + number, size) for number, link in enumerate(PANDA.links) for size in link.capsules]
    # The second one of the hand is the volume that its fingers sweep; pages draw the hand and its reach.
    found += [_capsule(_FLANGE, _turned(size)) for size in PANDA_HAND.hand_capsules]
    return tuple(found)


def _capsule(link: int, size: CapsuleSize) -> Capsule:
    length = math.sqrt(sum(each * each for each in size.direction))
    half = tuple(0.5 * size.length / length * each for each in size.direction)
    start = tuple(centre - away for centre, away in zip(size.centre, half, strict=True))
    end = tuple(centre + away for centre, away in zip(size.centre, half, strict=True))
    return link, (start[0], start[1], start[2]), (end[0], end[1], end[2]), size.radius


def _turned(size: CapsuleSize) -> CapsuleSize:
    """Of the hand, in the flange's frame: it is mounted turned about z."""
    sine, cosine = math.sin(PANDA_HAND.mount_angle), math.cos(PANDA_HAND.mount_angle)

    def turn(vector: Vector3) -> Vector3:
        x, y, z = vector
        return (cosine * x - sine * y, sine * x + cosine * y, z)

    return CapsuleSize(turn(size.centre), turn(size.direction), size.radius, size.length)
