"""The gripper's mechanism: commands in, calls and stops out."""

from __future__ import annotations

import math
import random

import pytest

from framework.errors import CommandRefused
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.drivers.franka.fingers import Answer, Call, Fingers, What
from resources.types.motion import Hold, MotionCommand, MoveGripper
from tests.effort import seeds

OPEN, CLOSED = 0.08, 0.0


def begin(fingers: Fingers, command: MotionCommand) -> None:
    fingers.begin(command, 0.0, 0.0)


def answered(
    fingers: Fingers, width_m: float, *, ok: bool = True, grasped: bool = False, problem: str = ""
) -> str:
    """The call under way ends; what became of the goal, "…" if it has not ended."""
    fingers.answered(Answer(ok=ok, problem=problem))
    fingers.measured(width_m, grasped)
    ended = fingers.ended()
    return "…" if ended is None else ended.why


def test_opening_is_a_move_and_closing_a_grasp_without_an_opinion_about_the_size() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.04, speed=0.03))
    assert fingers.call() == Call(What.MOVE, 0.04, 0.03)
    assert fingers.call() is None, "one at a time"
    assert not fingers.is_at_rest
    assert answered(fingers, 0.04) == ""
    begin(fingers, MoveGripper(0.0, force_n=30))
    assert fingers.call() == Call(What.GRASP, 0.0, 0.05, 30, OPEN)
    assert answered(fingers, 0.0) == ""
    assert fingers.is_at_rest


def test_a_grasp_that_holds_is_the_goal_and_one_that_closed_on_nothing_is_a_failure() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.0, grasp=True))
    fingers.call()
    assert answered(fingers, 0.03, grasped=True) == ""
    assert fingers.holds
    assert fingers.force_n == 20.0
    assert fingers.mode == "grasp"
    fingers.measured(OPEN, is_grasped=False)
    begin(fingers, MoveGripper(0.0, grasp=True))
    fingers.call()
    assert answered(fingers, -1e-4, grasped=True) == (
        "the gripper closed on nothing: its fingers stand 0 mm apart"
    )
    assert fingers.wants_stop, "they need not press on each other"
    assert not fingers.holds


def test_opening_against_something_says_how_far_it_came() -> None:
    fingers = Fingers(CLOSED, OPEN)
    begin(fingers, MoveGripper(OPEN))
    fingers.call()
    assert "opened to 50 mm only, not to 80" in answered(fingers, 0.05, ok=False)


def test_homing_comes_first_once_unless_something_is_held() -> None:
    fingers = Fingers(0.05, OPEN, homing=True)
    begin(fingers, MoveGripper(0.02))
    assert fingers.call() == Call(What.HOMING)
    assert fingers.mode == "find the end stops"
    assert answered(fingers, OPEN) == "…"
    assert fingers.call() == Call(What.MOVE, 0.02, 0.05)
    assert answered(fingers, 0.02) == ""
    begin(fingers, MoveGripper(0.03))
    assert fingers.call() == Call(What.MOVE, 0.03, 0.05)

    holding = Fingers(0.03, OPEN, holds=True, homing=True)
    begin(holding, MoveGripper(OPEN))
    assert holding.call() == Call(What.MOVE, OPEN, 0.05), "homing would drop it without having been asked to"


def test_homing_that_fails_ends_the_goal_and_is_tried_again_with_the_next() -> None:
    fingers = Fingers(0.05, OPEN, homing=True)
    begin(fingers, MoveGripper(0.02))
    fingers.call()
    assert "did not find its end stops" in answered(fingers, 0.05, ok=False)
    assert fingers.call() is None
    begin(fingers, MoveGripper(0.02))
    assert fingers.call() == Call(What.HOMING)


def test_coming_to_rest_stops_a_call_but_not_a_grasp() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.0))
    fingers.call()
    fingers.rest()
    assert fingers.wants_stop
    fingers.stopped()
    fingers.rest()
    assert not fingers.wants_stop, "once"
    assert not fingers.is_at_rest, "not before the call has ended"
    assert answered(fingers, 0.05, ok=False, problem="aborted") == "…", (
        "its goal ended with the order to rest"
    )
    assert fingers.is_at_rest

    holding = Fingers(0.03, OPEN, holds=True)
    holding.rest()
    holding.lock()
    assert not holding.wants_stop
    assert holding.mode == "locked"


def test_a_new_command_stops_the_call_of_the_former_before_its_own() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.0))
    fingers.call()
    begin(fingers, MoveGripper(0.06))
    assert fingers.wants_stop
    assert fingers.call() is None
    fingers.stopped()
    assert answered(fingers, 0.07, ok=False, problem="aborted") == "…"
    assert fingers.call() == Call(What.MOVE, 0.06, 0.05)
    assert answered(fingers, 0.06) == ""


def test_a_call_that_ended_before_it_could_be_stopped_leaves_nothing_to_stop() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.0))
    fingers.call()
    fingers.rest()
    fingers.answered(Answer(ok=True))
    assert not fingers.wants_stop
    assert fingers.is_at_rest


def test_a_gripper_that_gives_up_says_why() -> None:
    fingers = Fingers(OPEN, OPEN)
    begin(fingers, MoveGripper(0.04))
    fingers.call()
    assert (
        answered(fingers, 0.06, ok=False, problem="Command failed!") == "the gripper gave up: Command failed!"
    )


@pytest.mark.parametrize(
    "command",
    [
        Hold(),
        MoveGripper(-0.01),
        MoveGripper(0.09),
        MoveGripper(math.nan),
        MoveGripper(0.02, speed=0.0),
        MoveGripper(0.02, speed=0.2),
        MoveGripper(0.02, force_n=200),
        MoveGripper(0.07, grasp=True),
    ],
)
def test_what_it_cannot_do_is_refused_and_changes_nothing(command: MotionCommand) -> None:
    fingers = Fingers(0.05, OPEN)
    with pytest.raises(CommandRefused):
        begin(fingers, command)
    assert fingers.call() is None
    assert fingers.is_at_rest


def test_a_width_that_is_no_number_changes_nothing() -> None:
    fingers = Fingers(0.05, OPEN)
    fingers.measured(math.nan, is_grasped=True)
    assert (fingers.width_m, fingers.holds) == (0.05, False)


def test_an_emergency_stop_stops_a_call_and_keeps_what_is_held() -> None:
    fingers = Fingers(OPEN, OPEN)
    core = ControlLoopCore("gripper", fingers)
    begin(fingers, MoveGripper(0.0))
    fingers.call()
    core.look(MotionStop(emergency=True, token=1), 0.0)
    assert fingers.wants_stop


@seeds("seed", 50)
def test_whatever_happens_one_call_is_out_at_most_and_rest_is_reached(seed: int) -> None:
    dice = random.Random(seed)
    fingers = Fingers(0.05, OPEN, homing=dice.random() < 0.5)
    out = 0
    for _ in range(200):
        match dice.randrange(6):
            case 0:
                width = dice.choice((0.0, 0.02, 0.05, 0.08))
                begin(fingers, MoveGripper(width)) if dice.random() < 0.8 else fingers.lock()
            case 1:
                fingers.rest()
            case 2 if fingers.wants_stop:
                fingers.stopped()
            case 3:
                out += fingers.call() is not None
                assert out <= 1
            case 4 if out:
                fingers.answered(Answer(ok=dice.random() < 0.7, problem=dice.choice(("", "aborted"))))
                out = 0
            case _:
                fingers.measured(dice.uniform(0.0, OPEN), dice.random() < 0.3)
    fingers.rest()
    if fingers.wants_stop:
        fingers.stopped()
    if out:
        fingers.answered(Answer(problem="aborted"))
    assert fingers.is_at_rest
    assert fingers.call() is None
