"""What an arm can reach is known before it moves: accepted if it can, refused in words if it cannot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from framework.errors import CommandRefused
from pilothouse.testbed.arm_stage import HOME, ArmStage
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose, axis_angle, product
from resources.controllers.arrival import held_up
from resources.controllers.reach import Reach
from resources.controllers.settings import ArmSettings
from resources.controllers.workspace import WorkspaceGuard
from resources.types.motion import MovePose
from resources.types.streams import Pose7
from tests.resources.controllers.watching import run_until_ended

SETTINGS = ArmSettings()
DYNAMICS = ArmDynamics()
REACH = Reach(DYNAMICS, SETTINGS)


def tool(q: NDArray[np.float64]) -> Pose7:
    pose = Pose.from_matrix(DYNAMICS.forward(q))
    return (*pose.position, *pose.quaternion)


def beside_home(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose7:
    pose = tool(np.array(HOME))
    return (pose[0] + x, pose[1] + y, pose[2] + z, *pose[3:])


@pytest.mark.parametrize(
    ("way", "asked", "about_cm"),
    [((0.0, 0.0, 0.5), "50 cm", 31), ((-0.4, 0.0, 0.0), "40 cm", 35), ((0.0, 0.0, 2.0), "2 m", 31)],
)
def test_too_far_is_refused_with_how_far_it_reaches(
    way: tuple[float, float, float], asked: str, about_cm: int
) -> None:
    words = REACH.short_of(np.array(HOME), beside_home(*way))
    assert words.startswith("the arm reaches only about ")
    assert words.endswith(f" cm further that way; {asked} were asked for")
    found = float(words.split()[5])
    assert found == pytest.approx(about_cm, abs=100 * math.hypot(*way) / 32 + 1)


def test_a_turn_that_joints_cannot_make_is_refused_with_how_far_it_turns() -> None:
    pose = tool(np.array(HOME))
    turned = (*pose[:3], *product(axis_angle((0.0, 1.0, 0.0), 2.5), pose[3:]))  # the fingers towards the arm
    words = REACH.short_of(np.array(HOME), turned)
    assert words.startswith("the arm can turn only about ") and words.endswith("° of 143° that way"), words
    less = (*pose[:3], *product(axis_angle((0.0, 1.0, 0.0), 2.0), pose[3:]))
    assert REACH.short_of(np.array(HOME), less) == ""


@pytest.mark.parametrize("metres", [1.5, 3.0, 100.0])
def test_what_no_arm_of_this_length_reaches_is_always_refused(metres: float) -> None:
    rng = np.random.default_rng(4)
    lower, upper = np.array(SETTINGS.limits.lower), np.array(SETTINGS.limits.upper)
    for _ in range(40):
        away = rng.normal(size=3)
        x, y, z = (metres * away / np.linalg.norm(away)).tolist()
        assert REACH.short_of(rng.uniform(lower, upper), (x, y, z, 1.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("spread", [0.1, 0.3, 0.5])
def test_goals_that_nearby_postures_have_are_accepted(spread: float) -> None:
    """At least 99.5 % of them, from anywhere within the workspace."""
    guard = WorkspaceGuard(SETTINGS)
    rng = np.random.default_rng(7)
    margin = SETTINGS.wall_distance + 0.03
    lower, upper = np.array(SETTINGS.limits.lower) + margin, np.array(SETTINGS.limits.upper) - margin
    tried = refused = 0
    while tried < 1000:
        start = rng.uniform(lower, upper)
        goal = tool(np.clip(start + rng.uniform(-spread, spread, 7), lower, upper))
        if not (guard.contains(goal[:3]) and guard.contains(tool(start)[:3])):
            continue
        tried += 1
        refused += bool(REACH.short_of(start, goal))
    assert refused <= 0.005 * tried, refused


def test_a_search_is_bounded_and_leaves_the_laws_own_results_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamics = ArmDynamics()
    dynamics.update(np.array(HOME), np.full(7, 0.1))
    before = dynamics.jacobian.copy(), dynamics.mass.copy(), dynamics.base_T_tool.copy()
    looks = 0
    kinematics = ArmDynamics.kinematics

    def counted(self: ArmDynamics, q: NDArray[np.float64]) -> object:
        nonlocal looks
        looks += 1
        return kinematics(self, q)

    monkeypatch.setattr(ArmDynamics, "kinematics", counted)
    reach = Reach(dynamics, SETTINGS)
    assert reach.short_of(np.array(HOME), beside_home(z=0.6))
    assert looks <= 3 * 4 + 21 + 5 * 7
    after = dynamics.jacobian, dynamics.mass, dynamics.base_T_tool
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_arm_refuses_before_it_moves_and_reaches_what_it_accepts() -> None:
    stage = ArmStage()
    with pytest.raises(CommandRefused, match=r"reaches only about \d+ cm further"):
        stage.controller.begin(MovePose(beside_home(z=0.5)), stage.now_s, stage.now_s)
    assert stage.controller.mode == "hold" and stage.controller.is_at_rest
    goal = beside_home(z=0.25)
    stage.controller.begin(MovePose(goal, speed=0.3), stage.now_s, stage.now_s)
    assert run_until_ended(stage).why == ""
    assert math.dist(stage.tool, goal[:3]) < 0.01


def test_what_is_touched_and_what_is_only_too_far_are_two_different_words() -> None:
    assert held_up(True, "9 mm are missing") == "something is in the way: 9 mm are missing"
    assert held_up(False, "9 mm are missing") == (
        "the arm cannot get any further, though nothing touches it: 9 mm are missing"
    )


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((1.407, 0.0, 0.3), "55.7 cm outside the arm's workspace, ahead"),
        ((-0.9, -0.95, 0.3), "11.2 cm outside the arm's workspace, behind it and to its right"),
        ((0.3, 0.0, -2.6), "2 m outside the arm's workspace, below it"),
        ((0.3, 0.9, 1.2), "5 cm outside the arm's workspace, to its left"),
    ],
)
def test_outside_the_workspace_is_said_as_people_say_it(
    place: tuple[float, float, float], words: str
) -> None:
    assert WorkspaceGuard(SETTINGS).outside(place) == words
