"""What the joints of the two generations of arms may do, and what both may.

Panda's numbers are the arm model's; those of the Franka Research 3 are its manufacturer's [Franka Robotics,
FCI documentation, "Limits for Franka Research 3"]. Its velocity limits shrink towards the ends of its range,
which the control box checks itself and our joint walls keep away from.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from resources.arms.parameters import PANDA
from resources.controllers.settings import ArmLimits
from resources.types.motion import Joints7

FR3_LIMITS = ArmLimits(
    lower=(-2.7437, -1.7837, -2.9007, -3.0421, -2.8065, 0.5445, -3.0159),
    upper=(2.7437, 1.7837, 2.9007, -0.1518, 2.8065, 4.5169, 3.0159),
    velocity=(2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26),
    acceleration=(10.0,) * 7,
    effort=(87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0),
)


class Generation(Enum):
    """Which arm it is."""

    PANDA = "panda"
    FR3 = "fr3"


def limits_of(generation: Generation) -> ArmLimits:
    """The limits that the law keeps: a Panda's, or what both a Panda and an FR3 may.

    The law was tried with a Panda's numbers; an FR3 is not asked for more than those.
    """
    panda = ArmLimits.of(PANDA)
    return panda if generation is Generation.PANDA else narrower(panda, FR3_LIMITS)


def narrower(first: ArmLimits, second: ArmLimits) -> ArmLimits:
    """What both permit."""
    return ArmLimits(
        lower=_each(max, first.lower, second.lower),
        upper=_each(min, first.upper, second.upper),
        velocity=_each(min, first.velocity, second.velocity),
        acceleration=_each(min, first.acceleration, second.acceleration),
        effort=_each(min, first.effort, second.effort),
        effort_rate=min(first.effort_rate, second.effort_rate),
    )


def _each(choose: Callable[[float, float], float], first: Joints7, second: Joints7) -> Joints7:
    a, b, c, d, e, f, g = (float(choose(one, other)) for one, other in zip(first, second, strict=True))
    return (a, b, c, d, e, f, g)
