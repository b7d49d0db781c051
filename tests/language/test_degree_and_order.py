"""How far, how much and in which order, as who learns English or types in a hurry puts it."""

from __future__ import annotations

import pytest

from framework.plan.parser import Understood
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    "said",
    [
        "drive 1 m forward but not closer to the shelf than 1 m",  # a bound on something else
        "don't go closer than one metre to the door",  # a bound is no order to go there
        "not closer than 1 m to the door",
        "go to the drum and not closer",
        "go 20 cm away from the table",  # to it, or away from it? And which way?
        "drive through the door",
        "have the drum 50 cm off",
        "the drum is 50 cm off",
        "first arm up 5 cm, second arm down 5 cm",  # two arms, not two steps
        "move the left arm up, not so far",
        "say nothing",
        "when the door is open, do nothing",
    ],
)
def test_a_bound_or_a_denial_is_never_dropped(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not (isinstance(result, Understood) and is_unasked(result.readings))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # degrees, and what they deny
        ("close the right gripper, but only weak", "close the right gripper gently"),
        ("shut R gripper not 2 hard", "close the right gripper gently"),
        ("close your right hand as softly as you possibly can", "close the right gripper gently"),
        ("close left gripper, without much force", "close the left gripper gently"),
        ("drive 1 m forward, not too briskly", "drive 1 m forward slowly"),
        ("Slowly, as slow as you only can, go to the table", "go to the table slowly"),
        ("close the gripper a little harder", "close the gripper firmly"),
        # how near
        ("go to the drum, and not nearer as one and half metre", "park 1.5 m in front of the drum"),
        ("drive to the table but no nearer than 80 cm", "park 80 cm in front of the table"),
        ("go up to the drum, leaving about eighty centimetres", "park 80 cm in front of the drum"),
        ("to barrel, and stop eighty centimetre before", "park 80 cm in front of the drum"),
        ("cabinet, 1 m off", "park 1 m in front of the cabinet"),
        ("closer 2 the shelf, half a metre", "go half a metre closer to the shelf"),
        ("go nearer to barrel, thirty centimetre maybe", "go 30 cm closer to the drum"),
        ("go closer to shelf, forty centimetre about", "go 40 cm closer to the shelf"),
        ("go a little closer to the door", "go 20 cm closer to the door"),
        # how far
        ("half metre to left, but not turn, only drive sideways", "drive left half a metre"),
        ("drive forward, not so far, thirty centimetre only", "drive forward 30 cm"),
        ("left arm lift, but not so high, only three centimetre", "raise the left arm 3 cm"),
        ("15cm up w the right", "move the right arm up 15 cm"),
        ("right hand, turn in direction of clock, sixty degree", "turn the right wrist 60 degrees clockwise"),
        # order, and what is at once
        ("both arm down six centimetre, in same time", "move both arms down 6 cm"),
        ("camera from front give on screen", "show the front camera"),
        ("lidar from wrist on screen", "show the wrist lidar"),
        ("left arm hold quiet please", "keep the left arm still"),
        (
            "first close both grippers, second arms to home, third go to door",
            "close both grippers, then both arms home, then go to the door",
        ),
        ("One: close right gripper. Two: go to door.", "close the right gripper, then go to the door"),
        ("left arm up 10 cm, back down", "raise the left arm 10 cm, then lower the left arm 10 cm"),
        ("arms up 5 cm, then back down", "both arms up 5 cm, then both arms down 5 cm"),
        (
            "while you are driving one metre backwards, would you say 'mind your toes' to the children?",
            "say 'mind your toes' while driving back one metre",
        ),
        ("if the door happens to be open, go to it", "if the door is open, go to it"),
        (
            "when door is closed, say 'please wait'. When is open, say nothing.",
            "when the door is closed, say 'please wait'",
        ),
    ],
)
def test_it_is_done_as_what_says_the_same_plainly(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert certain(here, said) == wanted
