"""What could hit what, by where arms stand and how far they reach."""

from __future__ import annotations

import numpy as np
import pytest

from resources.arms.arm import arm_tree
from resources.arms.dynamics import ArmDynamics
from resources.arms.parameters import PANDA
from resources.arms.pose import Vector3
from resources.robots.description import parse_description
from resources.robots.in_reach import in_reach, reach_m

ROBOT = """\
robot: two
devices:
  - {name: camera, driver: c, kind: rgb}
  - {name: left_arm, driver: a, kind: arm, mount: left}
  - {name: right_arm, driver: a, kind: arm, mount: right}
  - {name: left_gripper, driver: g, kind: gripper, mount: left}
  - {name: right_gripper, driver: g, kind: gripper, mount: right}
"""
BASE = "  - {name: base, driver: b, kind: base}\n"
LEFT, RIGHT = ("left_arm", "left_gripper"), ("right_arm", "right_gripper")


def stand(apart_m: float) -> dict[str, Vector3]:
    return {"left_arm": (0.0, 0.0, 0.0), "right_arm": (0.0, apart_m, 0.0)}


def reached(device: str, feet: dict[str, Vector3], *, base: bool = False) -> set[str]:
    robot = parse_description(ROBOT + (BASE if base else ""), "robot.yaml")
    return set(in_reach(device, robot.controllers, feet.get))


@pytest.mark.parametrize("device", [*LEFT, *RIGHT])
def test_arms_that_stand_near_each_other_could_meet_and_so_could_their_grippers(device: str) -> None:
    assert reached(device, stand(0.5)) == {*LEFT, *RIGHT} - {device}


@pytest.mark.parametrize("device", [*LEFT, *RIGHT])
def test_arms_that_stand_far_from_each_other_could_not_but_a_gripper_is_on_its_arm(device: str) -> None:
    side = LEFT if device in LEFT else RIGHT
    assert reached(device, stand(5.0)) == {*side} - {device}


def test_a_base_carries_all_of_it() -> None:
    assert reached("base", stand(5.0), base=True) == {*LEFT, *RIGHT}
    assert "base" in reached("left_arm", stand(5.0), base=True)


@pytest.mark.parametrize("device", ["left_arm", "left_gripper", "something else"])
def test_what_is_not_known_counts_as_in_reach(device: str) -> None:
    assert reached(device, {}) == {*LEFT, *RIGHT} - {device}


def test_no_posture_brings_the_tool_further_than_the_reach() -> None:
    arm = ArmDynamics(arm_tree())
    lots = np.random.default_rng(0)
    lower, upper = ([getattr(link.limits, end) for link in PANDA.links] for end in ("lower", "upper"))
    furthest_m = max(
        float(np.hypot.reduce(arm.forward(q)[:3, 3])) for q in lots.uniform(lower, upper, (500, 7))
    )
    assert 0.7 < furthest_m < reach_m() < 2.0
