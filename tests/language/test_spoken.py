"""How people speak and type: dialects, learners, chat, dictation; numbers, and the most that may be."""

from __future__ import annotations

import pytest

from framework.plan.parser import Understood
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("gimme 10cm up w/ ur right arm", "move the right arm up 10 cm"),
        ("yo back up 2 feet rn", "drive back 2 feet"),
        ("turn 90 deg 2 the left k", "turn left 90 degrees"),
        ("Tak yer left airm doon five centimetres.", "lower the left arm 5 cm"),
        ("gonnae open yer right haun, big man", "open the right gripper"),
        ("lift yer left arm an turn right", "lift the left arm, then turn right"),
        ("hold on ten seconds, wid ye", "wait ten seconds"),
        ("turn links 30 grad bitte", "turn left 30 degrees"),
        ("andiamo, drive forward one meter and half", "drive forward 1.5 m"),
        ("pleeease turn riiight 90 degrees", "turn right 90 degrees"),
        ("turn left ninety degrees comma wait five seconds period", "turn left 90 degrees, wait 5 s"),
        ("close the left gripper with no more than 6 newtons", "close the left gripper with 6 newtons"),
        ("close the left jaws, maximum force 12 N", "close the left gripper with 12 newtons"),
        ("close the right gripper, 5 N max", "close the right gripper with 5 newtons"),
        (
            "drive 2 m forward at a velocity not exceeding 0.2 m/s",
            "drive forward 2 m at 0.2 metres per second",
        ),
        ("go to the table, keep the speed below 0.3 m/s", "go to the table at 0.3 metres per second"),
        ("turn one eighty degrees to the left", "turn left 180 degrees"),
        ("turn left zero nine zero degrees", "turn left 90 degrees"),
        ("drive forward one decimal five metres", "drive forward 1.5 m"),
        ("twenty-odd centimetres up with the left arm", "move the left arm up 20 cm"),
        ("turn left a third of a turn", "turn left 120 degrees"),
        ("drive back six foot", "drive back 6 feet"),
        ("drive forward 5'6\"", "drive forward 5 feet 6 inches"),
    ],
)
def test_it_is_done_as_what_says_the_same_plainly(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert wanted is not None and certain(here, said) == wanted


@pytest.mark.parametrize(
    "said",
    [
        "drive back a few centimetres",
        "drive forward 20 to 30 cm",
        "raise the left arm one or two inches",
        "turn left one eighty",  # or the left one, by eighty
    ],
)
def test_what_is_vague_is_asked_about(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) and result.readings[0].confidence < 0.9


@pytest.mark.parametrize(
    ("said", "text"),
    [("say u r late", "u r late"), ("say the comma is missing", "comma"), ("say doon wi it", "doon wi it")],
)
def test_words_that_are_passed_on_stay_as_they_were_said(here: Lab, said: str, text: str) -> None:
    plan = certain(here, said)
    assert plan is not None and text in repr(plan)
