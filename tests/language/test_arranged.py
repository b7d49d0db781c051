"""How several steps go together: at once, one after the other, so far at most; and what stays meanwhile."""

from __future__ import annotations

import pytest

from framework.plan.ast import AnyOf, Do, Elapsed, If, State, Until
from framework.plan.parser import NotUnderstood, Understood
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.lab import Lab, our_lab
from pilothouse.language import language_of
from tests.language.test_in_a_hurry import certain

_OF_THE_BASE = ("drive", "drive_to", "face")


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def collide(one: Do, other: Do) -> str:
    """There is one base, and one arm on each side."""
    if one.action in _OF_THE_BASE and other.action in _OF_THE_BASE:
        return "base"
    is_same_arm = one.action in ("move", "home") and other.action in ("move", "home")
    side = one.parameters.get("side")
    return f"{side} arm" if is_same_arm and side == other.parameters.get("side") else ""


@pytest.mark.parametrize(
    "said",
    [
        "left arm up 5 cm, left arm down 5 cm, at the same time",
        "raise the left arm 5 cm and lower the left arm 5 cm, both at once",
        "simultaneously drive forward 1 m and drive back 1 m",
        "raise the left arm 5 cm while the left arm goes home",
        "drive forward 1 m while driving to the door",
        "drive to the table, drive to the door meanwhile",
    ],
)
def test_what_needs_one_thing_twice_is_not_done_at_once(here: Lab, said: str) -> None:
    language = language_of(here.catalogue, collide=collide)
    result = language.parse(said, here.world)
    assert isinstance(result, NotUnderstood)
    assert "cannot be done at the same time" in str(result)


@pytest.mark.parametrize(
    "said",
    [
        "the base stays put, drive forward 1 m",  # that is the base
        "keep the base still, turn left 20 degrees",
        "the base stays where it is",  # nothing is to be done
        "drive 0 metres forward, then another 5",  # of nothing: what would five be
        "drive to the door, another 2 m",  # so far from the door, or further
        "drive forward 1 m, turn left 30 degrees, another 3 cm more or less than that",
        "left arm up 5 cm, 3 s",  # for three seconds, or in three
        "turn left until you see the drum, at most 2 m",  # no turn is so long
        "drive forward 1 m until you see the drum, at most 2 m",  # the one or the other
        # the last two of them, or all three
        "drive to the door, open the left gripper, raise the right arm 5 cm, at the same time",
        # what is moved was said before the last motion, and there are two
        "drive forward 1 m, back 50 cm, turn left 20 degrees, then another 10 cm",
        # the first part of it is no text to be said
        "if the door's closed say knock knock, if it's open go in half a metre",
        "raise the left arm 5 cm and say hello, if it's all the same, when you are done with it",
    ],
)
def test_what_may_mean_several_is_not_done_unasked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not (isinstance(result, Understood) and is_unasked(result.readings))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # at once
        (
            "left arm up 5 cm, right arm down 5 cm, same time",
            "left arm up 5 cm and right arm down 5 cm at the same time",
        ),
        (
            "open the left gripper, close the right gripper, all at once please",
            "open the left gripper and close the right gripper at the same time",
        ),
        (
            "Left arm up 5 cm. Right arm down 5 cm. Both together.",
            "left arm up 5 cm and right arm down 5 cm at the same time",
        ),
        (
            "simultaneously raise the left arm 5 cm and drive forward 1 m",
            "raise the left arm 5 cm and drive forward 1 m at the same time",
        ),
        (
            "drive to the door, look at the drum meanwhile",
            "drive to the door and look at the drum at the same time",
        ),
        (
            "drive to the door, track the hand the whole way",
            "drive to the door and track the hand at the same time",
        ),
        (
            "drive forward 40 cm and lift the left arm 5 cm while you're rolling, one move",
            "drive forward 40 cm and lift the left arm 5 cm at the same time",
        ),
        (
            "left arm up 5 cm, right arm down 5 cm, in one go, then both arms home",
            "left arm up 5 cm and right arm down 5 cm at the same time, then both arms home",
        ),
        # one after the other
        ("both arms home, one after the other", "left arm home, then right arm home"),
        ("one after the other: left arm home, right arm home", "left arm home, then right arm home"),
        ("show the camera and track the hand, in that order", "show the camera, then track the hand"),
        # while something else does something
        ("reverse 40 cm while the arms go home", "reverse 40 cm while sending both arms home"),
        (
            "turn left 90 degrees as the left arm goes home",
            "turn left 90 degrees while sending the left arm home",
        ),
        (
            "while the base drives forward 50 cm, raise the right arm 5 cm",
            "raise the right arm 5 cm while driving the base forward 50 cm",
        ),
        # as before
        (
            "drive forward 1.5 m then left 45 degrees then another .5",
            "drive forward 1.5 m, turn left 45 degrees, drive forward 50 cm",
        ),
        ("left arm up 5 cm, say hello, then 3 cm more", "left arm up 5 cm, say hello, left arm up 3 cm"),
        ("both arms up 5 cm, wait 3 s, a further 2 cm", "both arms up 5 cm, wait 3 s, both arms up 2 cm"),
        (
            "right wrist 90 degrees clockwise, 2s, then back again",
            "right wrist 90 degrees clockwise, wait 2 s, right wrist 90 degrees counterclockwise",
        ),
        (
            "lift the left arm 5 cm and then down again just as much",
            "lift the left arm 5 cm, lower the left arm 5 cm",
        ),
        ("wave twice, 3s in between, then right arm home", "wave once, wait 3 s, wave once, right arm home"),
        (
            "turn right 15 degrees, wait 4 secs, another 15",
            "turn right 15 degrees, wait 4 s, turn right 15 degrees",
        ),
        # what stays
        ("base stays put, just the left arm forward 20 cm", "left arm forward 20 cm"),
        ("don't move the base, left arm up 5 cm", "left arm up 5 cm"),
        ("left arm up 5 cm without moving the base", "left arm up 5 cm"),
        ("leave the base where it is, and raise the left arm 5 cm", "raise the left arm 5 cm"),
        # in a manner that is about all of it, or about the last
        (
            "raise the left arm 5 cm, lower the right arm 5 cm, both at the same time, slowly",
            "slowly raise the left arm 5 cm and slowly lower the right arm 5 cm at the same time",
        ),
        (
            "raise the left arm 5 cm, wait 2 s, then back down, slowly",
            "raise the left arm 5 cm, wait 2 s, slowly lower the left arm 5 cm",
        ),
        # one of two
        (
            "if the door is closed just stay where you are, and if it's open drive forward 1 m",
            "if the door is open drive forward 1 m",
        ),
    ],
)
def test_it_is_done_as_what_says_it_plainly(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert wanted is not None and certain(here, said) == wanted


def test_so_far_or_so_long_at_most(here: Lab) -> None:
    far = certain(here, "drive forward until you see the drum, but at most 2 m")
    assert isinstance(far, Until) and isinstance(far.body, Do) and far.body.parameters["distance_m"] == 2.0
    long = certain(here, "drive forward until you see the drum, 10 seconds max")
    assert isinstance(long, Until) and isinstance(long.condition, AnyOf)
    assert Elapsed(10.0) in long.condition.conditions


def test_to_face_something_is_a_state_and_until_one_faces_it_is_to_turn_to_it(here: Lab) -> None:
    """Not: until the robot is busy facing it, which nobody has asked it to be."""
    on = certain(here, "drive forward until you are facing the drum")
    assert isinstance(on, Until) and on.condition == State("facing", {"thing": "drum"})
    asked = certain(here, "if you face the drum, open the gripper")
    assert isinstance(asked, If) and asked.condition == State("facing", {"thing": "drum"})
    turned = certain(here, "turn yourself around until you are facing the drum")
    assert turned == Do("face", {"thing": "drum"})
    assert certain(here, "turn left until you face the drum") == Until(
        Do("drive", {"direction": "turn_left"}), State("facing", {"thing": "drum"})
    )
