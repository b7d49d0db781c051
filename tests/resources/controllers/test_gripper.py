"""The gripper's mechanism on two fingers with something between them, or nothing."""

from __future__ import annotations

import math

import pytest

from framework.errors import CommandRefused
from resources.arms.parameters import PANDA_HAND
from resources.controllers.gripper import GripperController
from resources.controllers.loop import Ended
from resources.types.motion import Hold, MotionCommand, MoveGripper

DT_S = 0.001
MASS_KG = 0.015


class Fingers:
    """Two fingers of 15 g, and a springy thing of some width between them (0: nothing)."""

    def __init__(self, thing_m: float = 0.0) -> None:
        self.gripper = GripperController(0.06)
        self.thing_m = thing_m
        self.way = [0.03, 0.03]
        self.velocity = [0.0, 0.0]
        self.widest_m = 0.08
        self.fastest = 0.0
        self.hardest = 0.0
        self.run(0.01)

    @property
    def width_m(self) -> float:
        return sum(self.way)

    def run(self, seconds: float) -> Ended | None:
        for _ in range(round(seconds / DT_S)):
            first, second = self.gripper.tick(
                (self.way[0], self.way[1]), (self.velocity[0], self.velocity[1]), DT_S
            )
            for finger, force in ((0, first), (1, second)):
                self.hardest = max(self.hardest, abs(force))
                least, most = self.thing_m / 2, self.widest_m / 2
                push = 0.0
                for stop, inside in ((least, self.way[finger] < least), (most, self.way[finger] > most)):
                    if inside:
                        push += 20_000.0 * (stop - self.way[finger]) - 10.0 * self.velocity[finger]
                self.velocity[finger] += (force + push) / MASS_KG * DT_S
                self.way[finger] += self.velocity[finger] * DT_S
            self.fastest = max(self.fastest, abs(sum(self.velocity)))
            if (ended := self.gripper.ended()) is not None:
                return ended
        return None

    def go(self, command: MoveGripper, seconds: float = 5.0) -> Ended | None:
        self.fastest = self.hardest = 0.0
        self.gripper.begin(command, 0.0, 0.0)
        return self.run(seconds)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (MoveGripper(math.nan), "width_m is nan; allowed is 0 to 0.08"),
        (MoveGripper(0.2), "width_m is 0.2"),
        (MoveGripper(0.01, speed=0.0), "speed is 0.0"),
        (MoveGripper(0.01, force_n=1000.0), "force_n is 1000.0; allowed is 1 to 70"),
        (MoveGripper(0.08, grasp=True), "a grasp closes, but 0.08 m is wider than the 0.060 m of now"),
        (Hold(), "Hold was sent to a gripper; it takes MoveGripper"),
    ],
    ids=repr,
)
def test_what_is_out_of_bounds_is_refused_and_changes_nothing(command: MotionCommand, why: str) -> None:
    fingers = Fingers()
    with pytest.raises(CommandRefused, match=why):
        fingers.gripper.begin(command, 0.0, 0.0)
    fingers.run(0.3)
    assert fingers.gripper.mode == "hold"
    assert fingers.width_m == pytest.approx(0.06, abs=1e-4)


def test_a_width_is_reached_at_the_speed_that_was_asked_for() -> None:
    fingers = Fingers()
    for width_m, speed in ((0.01, 0.04), (0.08, 0.08), (0.05, 0.02)):
        assert fingers.go(MoveGripper(width_m, speed=speed)) == Ended("")
        assert fingers.width_m == pytest.approx(width_m, abs=1e-3)
        assert 0.9 * speed < fingers.fastest < 1.3 * speed
        assert not fingers.gripper.holds
    assert fingers.gripper.is_at_rest and fingers.gripper.mode == "hold"


def test_closing_until_something_is_met_is_what_was_wanted() -> None:
    fingers = Fingers(thing_m=0.03)
    assert fingers.go(MoveGripper(0.0, force_n=15.0)) == Ended("")
    assert fingers.gripper.holds and fingers.gripper.mode == "grasp"
    assert fingers.gripper.force_n == pytest.approx(15.0, abs=0.5)
    assert fingers.hardest <= 15.0
    assert fingers.gripper.is_at_rest


def test_a_grasp_of_nothing_fails_in_words() -> None:
    fingers = Fingers()
    ended = fingers.go(MoveGripper(0.0, grasp=True))
    assert ended == Ended("the gripper closed on nothing: its fingers stand 0 mm apart")
    assert not fingers.gripper.holds
    ended = Fingers().go(MoveGripper(0.03, grasp=True))
    assert ended == Ended("the gripper closed on nothing: its fingers stand 30 mm apart")


@pytest.mark.parametrize("moment_s", [0.3, 0.56, 0.7, 3.0])
@pytest.mark.parametrize("what", ["rest", "lock"])
def test_what_is_gripped_is_never_dropped(moment_s: float, what: str) -> None:
    """Whatever comes, and when: while it closes, as it touches, as it presses, while it holds."""
    fingers = Fingers(thing_m=0.03)
    fingers.go(MoveGripper(0.0, force_n=15.0, grasp=True), moment_s)
    touches = fingers.width_m < 0.0302
    getattr(fingers.gripper, what)()
    fingers.run(0.5)
    if touches and moment_s > 0.65:
        assert fingers.gripper.force_n == pytest.approx(15.0, abs=0.5)
        assert fingers.gripper.holds
    assert fingers.gripper.is_at_rest
    place = fingers.width_m
    fingers.gripper.unlock()
    fingers.run(0.5)
    assert fingers.width_m == pytest.approx(place, abs=2e-4), "to be let go moves nothing"


def test_it_notices_when_what_it_held_is_gone() -> None:
    fingers = Fingers(thing_m=0.03)
    fingers.go(MoveGripper(0.0, grasp=True))
    assert fingers.gripper.holds
    fingers.thing_m = 0.0
    fingers.run(0.5)
    assert not fingers.gripper.holds
    assert fingers.gripper.force_n == 0.0


@pytest.mark.parametrize("is_stopped", [False, True])
def test_fingers_whose_thing_is_taken_out_go_nowhere_without_a_command(is_stopped: bool) -> None:
    fingers = Fingers(thing_m=0.03)
    fingers.go(MoveGripper(0.0, grasp=True))
    assert fingers.gripper.holds
    if is_stopped:
        fingers.gripper.rest()
    fingers.thing_m = 0.0
    fingers.run(2.0)
    assert not fingers.gripper.holds and fingers.gripper.is_at_rest
    assert fingers.width_m > 0.0205, "a few millimetres, not all the way"


def test_a_stop_while_something_soft_is_pinched_does_not_let_the_fingers_close_on() -> None:
    fingers = Fingers(thing_m=0.03)
    fingers.gripper.begin(MoveGripper(0.0), 0.0, 0.0)
    while not fingers.gripper._is_pushing():
        assert fingers.run(DT_S) is None
    fingers.gripper.rest()
    stopped_m = fingers.width_m
    for _ in range(2000):
        fingers.thing_m = max(fingers.thing_m - 0.012 * DT_S, 0.0)  # it gives way, 12 mm/s
        fingers.run(DT_S)
    assert fingers.gripper.is_at_rest
    assert stopped_m - fingers.width_m < 0.008


def test_what_is_held_can_be_let_go_and_gripped_harder() -> None:
    fingers = Fingers(thing_m=0.03)
    fingers.go(MoveGripper(0.0, force_n=10.0, grasp=True))
    assert fingers.go(MoveGripper(0.0, force_n=30.0, grasp=True)) == Ended("")
    assert fingers.gripper.force_n == pytest.approx(30.0, abs=0.5)
    assert fingers.go(MoveGripper(0.07)) == Ended("")
    assert not fingers.gripper.holds


def test_fingers_that_cannot_open_say_so() -> None:
    fingers = Fingers()
    fingers.widest_m = 0.065
    ended = fingers.go(MoveGripper(0.08))
    assert ended is not None
    assert "opened to 66 mm only, not to 80" in ended.why  # the stop gives way a little
    fingers.run(0.5)
    assert fingers.hardest < 25.0


def test_progress_rises_and_the_grippers_limits_are_the_models() -> None:
    fingers = Fingers()
    fingers.gripper.begin(MoveGripper(0.0), 0.0, 0.0)
    told = []
    while fingers.run(0.1) is None:
        told.append(fingers.gripper.progress)
        assert fingers.gripper.mode == "close"
    assert told == sorted(told)
    assert fingers.gripper.max_width_m == 2 * PANDA_HAND.finger_limits.upper
