"""Words that look like another order than they are; and numbers that no order can do anything with."""

from __future__ import annotations

import pytest

from framework.plan.parser import Understood
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    "said",
    [
        "on ten centimetres",  # how far, and no drive
        "turn left 20 newtons",
        "drive forward 20 newtons",
        "move the left arm up at 20 newtons",
        "look at the door at 0.1 m/s",
        "drive to the door, not to the table",
        "drive to the door, but not the table",
        "go home, not to the shelf",
        "I want you",  # whom, and what for?
        "give me you",
        "move the left arm up a bit, let's say 5 cm",  # two amounts
    ],
)
def test_nothing_is_left_out_unasked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not isinstance(result, Understood) or result.readings[0].confidence < 0.8


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("go closer to the table, say eight inches", "go eight inches closer to the table"),
        ("back up, shall we say two feet, and turn left", "back up two feet and turn left"),
        ("drive to the door, say hello", "drive to the door and say hello"),
        ("turn round and face the table", "face the table"),
        ("turn left and face the table", "turn left, then face the table"),
        ("I'd like you to come forward a foot, no more than that", "drive forward one foot"),
        ("drive to the door and while ur going say hello", "drive to the door and meanwhile say hello"),
        ("turn left 45 n then go home", "turn left 45 degrees, then go home"),
        (
            "when the table gets one metre or less of the robot, the robot's front we want to face the door",
            "when the table is at most one metre from the robot, face the door",
        ),
    ],
)
def test_it_means_the_same(here: Lab, said: str, plain: str) -> None:
    meant = certain(here, said)
    assert meant is not None
    assert meant == certain(here, plain)
