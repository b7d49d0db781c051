"""Steps said by their order, by how often, and by how they relate to those before them."""

from __future__ import annotations

import pytest

from framework.plan.ast import If, Sequence, State, Wait, actions_of
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
        "open the left gripper then go back",  # a gripper has no way back
        "raise the left arm 10 cm then turn back",  # an arm that was raised is not turned back
        "raise the left arm 10 cm then bring it back",  # down again, or to the back
        "raise the left arm 10 cm then drive back",
        "turn left 30 degrees, raise the left arm 10 cm, then back again",  # the one or the other
        "open the left gripper, look at the valve and close it",  # the valve
        "open the left gripper, open the right gripper, then close it",
        "open the left gripper, close the left gripper, do that again",  # both, or the last
        "look at the valve, then lower it just as much",
        "close the left gripper. Open it. Repeat that 60 times.",  # that is more often than is done
        "every ten seconds",
        "go back again",
    ],
)
def test_what_relates_to_nothing_or_to_several_is_not_done_unasked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not (isinstance(result, Understood) and is_unasked(result.readings))


def test_the_last_instruction_is_not_repeated_within_another(here: Lab) -> None:
    for said in (
        "repeat three times: forward 50 cm, back 50 cm",
        "open the left gripper, close it, repeat three times",
    ):
        plan = certain(here, said)
        assert plan is not None
        assert len([*actions_of(plan)]) == 6
        assert all(do.action != "repeat" for do in actions_of(plan))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # what has come to rest has stopped, and does not go home
        (
            "Raise the right arm by 12 cm and, once it has come to rest, lower the left arm by 5 cm.",
            "raise the right arm by 12 cm, then lower the left arm by 5 cm",
        ),
        ("drive to the door, and as soon as you have stopped say hello", "drive to the door, then say hello"),
        # what drives is the base: "for 40 mm" alone says no way
        ("move the left arm up 5 cm and drive forward for 40 mm", "left arm up 5 cm, drive forward 4 cm"),
        # the other way, as far
        (
            "turn left 90 degrees, wait five seconds, then turn back again",
            "turn left 90 degrees, wait five seconds, turn right 90 degrees",
        ),
        ("go forward 1 m and back again", "drive forward 1 m, then drive back 1 m"),
        ("drive forward 1 m then drive back", "drive forward 1 m, then drive back 1 m"),
        (
            "twist the left wrist 45 degrees clockwise and then 45 back",
            "turn the left wrist 45 degrees clockwise, turn the left wrist 45 degrees counterclockwise",
        ),
        (
            "the left wrist 30 degrees clockwise and afterwards the same back",
            "turn the left wrist 30 degrees clockwise, turn the left wrist 30 degrees counterclockwise",
        ),
        (
            "lift the left arm 5 cm, then lower it by the same amount",
            "move the left arm up 5 cm, move the left arm down 5 cm",
        ),
        # all of that
        (
            "left arm up 5 cm, wait 2 seconds, left arm down 5 cm, repeat totally twice",
            "left arm up 5 cm, wait 2 seconds, left arm down 5 cm, left arm up 5 cm, wait 2 seconds, left arm down 5 cm",  # noqa: E501
        ),
        (
            "open the left gripper, then close it, and all this we do two times",
            "open the left gripper, close the left gripper, open the left gripper, close the left gripper",
        ),
        ("say hello, wait a minute, then say it again", "say hello, wait a minute, say hello"),
        (
            "at an interval of 20 seconds look at the valve, total three times",
            "every 20 seconds look at the valve, three times",
        ),
        (
            "every ten seconds look at the valve, max three times",
            "every ten seconds look at the valve, three times",
        ),
        # which one
        ("close the left gripper, then open it", "close the left gripper, then open the left gripper"),
        ("open both grippers, then close them", "open both grippers, then close both grippers"),
        # order
        (
            "in the first place open the left gripper; in the second place, and only when that is done, go to the table",  # noqa: E501
            "open the left gripper, then go to the table",
        ),
        (
            "firstly go to the table, secondly look at the valve, and thirdly, only after these two are over, say done now",  # noqa: E501
            "go to the table, look at the valve, say done now",
        ),
        (
            "bring both arms home and, once that has been completed, and not before, drive forward half a metre",  # noqa: E501
            "bring both arms home, then drive forward half a metre",
        ),
        (
            "step one: go to the table. Step two: open the left gripper.",
            "go to the table, then open the left gripper",
        ),
        (
            "go to the shelf. On arrival open the right gripper. Report when complete.",
            "go to the shelf, then open the right gripper",
        ),
        # how long and how often, in any order
        (
            "every fifteen seconds, until I say adjourned, look at the valve",
            "every fifteen seconds look at the valve, until I say adjourned",
        ),
        ("until the door is open, wait, then say welcome", "wait until the door is open, then say welcome"),
    ],
)
def test_it_is_done_as_what_says_it_step_by_step(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert wanted is not None and certain(here, said) == wanted


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        (
            "if the door is closed say hi, if it is open say bye",
            "if the door is closed say hi otherwise say bye",
        ),
        (
            "if the door is open, go to the shelf. If the door is not open, say hi.",
            "if the door is open go to the shelf otherwise say hi",
        ),
        (
            "if the door is open go to the shelf; failing that, say hi",
            "if the door is open go to the shelf otherwise say hi",
        ),
        (
            "if the door is open go to the shelf and if it isn't just say hi",
            "if the door is open go to the shelf otherwise say hi",
        ),
        (
            "if the door is open go to the shelf, otherwise you need not do anything",
            "if the door is open go to the shelf",
        ),
        (
            "if the door is closed stay where you are, otherwise go to the shelf",
            "if the door is open go to the shelf",
        ),
        (
            "unless the door is open go to the cabinet; if it is, stay where you are",
            "unless the door is open go to the cabinet",
        ),
        (
            "unless the door is open go to the cabinet; in that case say hi",
            "if the door is not open go to the cabinet otherwise say hi",
        ),
    ],
)
def test_only_one_of_two_is_done(here: Lab, said: str, plain: str) -> None:
    wanted = certain(here, plain)
    assert wanted is not None and certain(here, said) == wanted


@pytest.mark.parametrize(
    "said", ["if the camera dies, show the lidar instead", "show the lidar if the camera ever fails"]
)
def test_what_happens_is_waited_for(here: Lab, said: str) -> None:
    plan = certain(here, said)
    assert isinstance(plan, Sequence)
    assert plan.steps[0] == Wait(State("working", {"device": "camera"}, is_so=False))


@pytest.mark.parametrize(
    "said",
    [
        "if the camera is broken show the lidar",
        "if the camera dies show the lidar, otherwise say all is well",
    ],
)
def test_what_is_so_is_decided_at_once(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) and isinstance(result.readings[0].plan, If)
