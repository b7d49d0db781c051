"""Virtual walls under an arm that is guided, told, pushed and restarted: felt, and never entered."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import CommandRefused, DescriptionError
from pilothouse.experiments.twin.attempts import ATTEMPTS, Attempt, tried
from pilothouse.testbed.arm_stage import HOME, ArmStage
from resources.twin.guard import ArmGuard, arm_guard, guards
from resources.twin.model import TwinArm
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.twin.twin import Coupling
from resources.types.motion import Guide, MoveJoints, MovePose, TrackTwist
from resources.types.streams import Pose7

LEFT_WALL = Surroundings(walls=(Wall((0.0, 0.30, 0.0), (0.0, -2.0, 0.0), "the wall to the left"),))


def walled(surroundings: Surroundings = LEFT_WALL, *, friction: bool = False) -> tuple[ArmStage, ArmGuard]:
    guard = arm_guard(surroundings)
    assert guard is not None
    return ArmStage(walls=guard, friction=friction), guard


def nearest(guard: ArmGuard) -> float:
    """How far outside of the margin that is kept [m]."""
    near = guard.near()
    return near[0].distance_m if near else math.inf


def moved(pose: Pose7, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose7:
    return (pose[0] + x, pose[1] + y, pose[2] + z, *pose[3:])


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Wall((0, 0, math.nan), (0, 0, 1)), "finite"),
        (lambda: Wall((0, 0, 0), (0, 0, 0)), "free side"),
        (lambda: NoGoBox((0, 0, 0), (1, 1, 0), "the rack"), "the rack: its lower corner"),
        (lambda: Margin(kept_m=-0.01), "kept_m is -0.01; 0 to 0.3"),
        (lambda: Margin(felt_m=0.0), "felt_m is 0"),
    ],
)
def test_what_cannot_be_kept_clear_of_is_refused_in_words(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(DescriptionError, match=words):
        make()


def test_goals_in_a_wall_or_a_box_are_refused_before_anything_moves() -> None:
    box = NoGoBox((0.45, -0.35, 0.2), (0.6, -0.2, 0.6), "the rack")
    stage, _ = walled(Surroundings(LEFT_WALL.walls, (box,)))
    pose = stage.controller.base_T_tool
    for command, words in (
        (MovePose(moved(pose, y=0.4)), "the hand would enter the wall to the left"),
        (MovePose(moved(pose, y=0.19)), "come within .* mm .at least 40 are kept. of the wall to the left"),
        (MovePose(moved(pose, x=0.2, y=-0.45)), "the hand would enter the rack"),
        (MoveJoints((1.5, *HOME[1:])), "the arm would enter the wall to the left"),
    ):
        with pytest.raises(CommandRefused, match=words):
            stage.controller.begin(command, 0.0, 0.0)
    assert stage.controller.mode == "hold"


def test_an_arm_that_stands_within_a_margin_may_leave_it_and_is_not_thrown() -> None:
    near = Surroundings(walls=(Wall((0.0, 0.12, 0.0), (0.0, -1.0, 0.0)),))
    stage, guard = walled(near)
    stage.step()
    assert nearest(guard) < 0.0
    fastest = 0.0
    dynamics = stage.controller.state.dynamics
    before = dynamics.link_capsules()[:, :6]
    for _ in range(50):
        stage.run(0.01)
        now = dynamics.link_capsules()[:, :6]
        ways = np.linalg.norm((now - before).reshape(-1, 2, 3), axis=2)
        before, fastest = now, max(fastest, float(ways.max()) / 0.01)
    assert fastest < 0.3, "it comes out of it by itself, no faster than a hand would lead it"
    stage.run(1.0)
    assert nearest(guard) > -0.005, "it comes out by itself"
    stage.controller.begin(MovePose(moved(stage.controller.base_T_tool, y=-0.1)), stage.now_s, stage.now_s)
    stage.run(1.5)
    assert nearest(guard) > -0.001


# ---------------------------------------------------------------- what is felt


def test_nothing_is_added_far_from_walls() -> None:
    stage, _ = walled()
    stage.controller.begin(Guide(), 0.0, 0.0)
    stage.push((3.0, -3.0, 0.0))
    free = ArmStage()
    free.controller.begin(Guide(), 0.0, 0.0)
    free.push((3.0, -3.0, 0.0))
    stage.run(0.3)
    free.run(0.3)
    assert np.array_equal(stage.q, free.q)


def test_a_hand_against_a_wall_feels_it_stiff_and_still_and_can_slide_along() -> None:
    stage, guard = walled(friction=True)
    stage.controller.begin(Guide(), 0.0, 0.0)
    stage.push((0.0, 40.0, 0.0))
    stage.run(1.2)
    nears: list[float] = []
    stage.run(0.1, lambda stage: nears.append(nearest(guard)))
    assert 0.0 < min(nears) <= max(nears) < 0.02
    assert max(nears) - min(nears) < 0.0005, "it rests against the wall"
    stage.push((0.0, 20.0, 0.0))
    stage.run(0.5)
    assert 0.0 < nearest(guard) - nears[-1] < 0.01, "it gives way by millimetres"
    before = stage.tool.copy()
    stage.push((12.0, 20.0, 0.0))
    stage.run(0.4)
    assert float(stage.tool[0] - before[0]) > 0.03, "along the wall it is free"
    assert nearest(guard) > 0.0


@pytest.mark.parametrize(("number", "lasts_s"), [(7, 1.0), (11, 2.4)])
def test_attempts_to_collide_end_outside_of_the_margin(number: int, lasts_s: float) -> None:
    course = tried(ATTEMPTS[number], lasts_s=lasts_s)
    assert course.kept.min() >= 0.0
    assert course.push_n > 50.0


@pytest.mark.soak
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.what)
def test_no_attempt_enters_a_margin_for_as_long_as_it_lasts(attempt: Attempt) -> None:
    assert tried(attempt, lasts_s=4.0).kept.min() >= 0.0


def test_an_arm_that_is_pressed_hard_against_a_wall_stands_and_is_free_as_soon_as_it_is_pulled_away() -> None:
    stage, guard = walled(Surroundings(walls=(Wall((0.0, 0.0, 0.2), (0.0, 0.0, 1.0)),)), friction=True)
    stage.controller.begin(Guide(), 0.0, 0.0)
    stage.push((20.0, 0.0, -80.0))
    stage.run(1.5)
    assert float(np.abs(stage.dq).max()) < 0.1, "it is not led along the wall"
    assert nearest(guard) > 0.0
    before = float(stage.tool[2])
    stage.push((0.0, 0.0, 15.0))
    stage.run(0.8)
    assert float(stage.tool[2]) - before > 0.05, "it clings to nothing"


def test_without_walls_the_same_attempt_enters() -> None:
    assert tried(ATTEMPTS[7], guarded=False, lasts_s=1.0).kept.min() < 0.0


def test_a_stream_into_a_wall_is_held_in_front_of_it() -> None:
    stage, guard = walled()
    closest = math.inf
    for _ in range(60):
        stage.controller.begin(TrackTwist((0.0, 1.0, 0.0, 0.0, 0.0, 0.0)), stage.now_s, stage.now_s)
        stage.run(0.02)
        closest = min(closest, nearest(guard))
    assert 0.0 < closest < 0.03
    assert float(np.abs(stage.dq).max()) < 0.1


# ---------------------------------------------------------------- stability


def ringing(coupling: Coupling) -> float:
    """How much the distance still swings a second after a hand came to the wall (peak to peak) [m].

    The paper's wall alone, without the backstop; a slow drift along the wall is no swing.
    """
    (guard,) = guards((TwinArm(),), LEFT_WALL, coupling, backstop=False)
    stage = ArmStage(walls=guard, friction=True)
    stage.controller.begin(Guide(), 0.0, 0.0)
    stage.push((0.0, 25.0, 0.0))
    stage.run(1.4)
    nears: list[float] = []
    stage.run(0.25, lambda stage: nears.append(nearest(guard)))
    times = np.arange(len(nears))
    swing = np.array(nears) - np.polyval(np.polyfit(times, nears, 2), times)
    return float(np.ptp(swing))


def test_the_wall_is_calm_as_it_is_set_and_with_less_gain_or_a_slower_low_pass() -> None:
    for coupling in (Coupling(), Coupling(gain=0.7), Coupling(low_pass=40.0)):
        assert ringing(coupling) < 0.0002, coupling


@pytest.mark.parametrize("coupling", [Coupling(velocity_share=0.0), Coupling(gain=1.5)])
def test_as_printed_or_with_too_much_gain_an_arm_bounces_off_the_wall(coupling: Coupling) -> None:
    assert ringing(coupling) > 0.002
