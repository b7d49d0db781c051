"""What is taught, kept, led and driven by hand, and what only seems to be said."""

from __future__ import annotations

import pytest

from framework.dialogue.choices import best_of
from framework.events import Subject
from framework.plan.ast import Reference, actions_of
from framework.plan.parser import NotUnderstood, Understood
from pilothouse.experiments.language.judged import is_unasked
from pilothouse.experiments.language.lab import Lab, our_lab
from tests.language.test_in_a_hurry import certain


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    "said",
    [
        "right arm up 10 cm, then forward 5 cm",
        "left arm: up 3, forward 4, down 2",
        "the right wrist 20 degrees to the left then 40 to the right",
        "raise the left arm 10 cm, then back 3 cm",
        "save the pose of the right arm as base9, forward 10 cm",
    ],
)
def test_a_bare_way_behind_an_arm_may_be_that_arm(here: Lab, said: str) -> None:
    """It is asked, and one of the answers moves the arm where the other one drives."""
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    actions = [{do.action for do in actions_of(each.plan)} for each in best_of(result.readings)]
    assert len(actions) == 2 and any("drive" in each for each in actions)
    assert any("drive" not in each for each in actions)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("left arm up 5 cm, then drive forward 5 cm", "raise the left arm 5 cm, then drive forward 5 cm"),
        ("arms home, then back 50 cm", "arms home, then drive back 50 cm"),
        ("right arm: forward 10 cm, up 5 cm", "move the right arm forward 10 cm, then up 5 cm"),
    ],
)
def test_it_is_not_where_no_arm_or_a_verb_stands_before(here: Lab, said: str, plain: str) -> None:
    assert certain(here, said) == certain(here, plain)


@pytest.mark.parametrize(
    "said",
    [
        "go to kiosk9, then remember this place as kiosk9",  # before it is one
        "if the door is open go to kiosk9",
        "you could have closed the gripper by now",
        "show front camera on left half and the scan on the right half",  # no half turn
        "and the left one",  # no degree
        "go to the shelf but not to the table",
        "teach me a motion now",
        "learn a motion now",  # which is not called "now"
        "zigzag9",  # a word alone is no motion
    ],
)
def test_what_is_not_said_is_not_done_unasked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert not (isinstance(result, Understood) and is_unasked(result.readings))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # taught
        ("learn this motion R arm call it swipe1", "teach the motion swipe1 with the right arm"),
        (
            "I show you now a wiping movement on the right arm, learn it under the name 'wipe'.",
            "teach the motion wipe with the right arm",
        ),
        ("i wanna teach u a dance with the left arm, its called floss", "teach floss with the left arm"),
        ("Watch: a new movement. Left arm. It is called nudge.", "teach nudge with the left arm"),
        ("you'll learn a movement now. right arm. the name is jab", "teach jab with the right arm"),
        # played
        ("wave", "repeat wave"),
        ("wave twice with 3 seconds in between", "do wave twice with 3 seconds in between"),
        # kept
        ("this pose = 'wave1', left arm, save it", "remember the pose of the left arm as wave1"),
        ("Okay right there, that's your mark. Call it mark one.", "remember this place as mark one"),
        ("the left arm lies well, keep that posture as 'dawn'", "remember the pose of the left arm as dawn"),
        # led by hand
        ("L arm freedrive i wanna push it around", "make the left arm compliant"),
        ("I want to take the right arm by hand, make it loose", "make the right arm compliant"),
        # driven by hand
        ("Taking the stick. Phone control, base.", "let me drive the base with my phone"),
        (
            "I think I shall steer you myself for a moment, with the keyboard here",
            "let me drive the base with the keys",
        ),
        # where, and how
        ("look at the valve with left", "look at the valve with the left arm"),
        ("right wrist cam on the valve, and hold it there", "look at the valve with the right arm"),
        ("1 m back away from the table", "drive back 1 m"),
        ("drive 1 m forward at the slowest", "drive 1 m forward slowly"),
        ("both gripers close, but not to hard", "close both grippers gently"),
        ("Keep your camera always on the hand with the marker board.", "track the hand"),
        ("search where the red cup has landed", "where is the red cup"),
        ("show the front camera, I want to see what you see", "show the front camera"),
        ("drive to the door, I'll be right behind", "drive to the door"),
        ("turn left 20 degrees, describe", "turn left 20 degrees, describe what you see"),
    ],
)
def test_it_means_the_same(here: Lab, said: str, plain: str) -> None:
    assert certain(here, said) == certain(here, plain)


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("save R arm pose as p1, up 30cm, back to p1", "go_to_pose"),
        ("call this place kiosk9, go to the door, wait 5 s, return to kiosk9", "drive_to"),
        ("teach your right arm to flick9, then do flick9 twice", "repeat_motion"),
        ("remember this view as gauge9, drive back 1 m, show gauge9", "show"),
    ],
)
def test_a_name_is_known_to_the_rest_of_the_text(here: Lab, said: str, used: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    assert [do.action for do in actions_of(result.readings[0].plan)][-1] == used


@pytest.mark.parametrize("said", ["drive somewhat nearer", "come a bit closer", "go nearer by half a metre"])
def test_nearer_to_what_is_asked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood)
    (do,) = actions_of(result.readings[0].plan)
    assert do.parameters["thing"] == Reference("nearer", "", is_pointing=True)


@pytest.mark.parametrize(
    "said", ["go a bit that way", "come away from the shelf a bit", "move away from the table"]
)
def test_which_way_is_asked(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) and len(best_of(result.readings)) == 4


@pytest.mark.parametrize(
    ("said", "cannot"),
    [
        ("follow that guy", "I cannot follow that guy"),
        ("the red cup must go away", "I cannot take away the red cup"),
        ("at first the red cup onto the shelf", "I cannot put the red cup onto the shelf"),
        ("loosen the bolt on the flange", "I cannot loosen the bolt on the flange"),
        ("the rest please tip into the drum", "I cannot tip into the drum"),
        ("send a text to my boss", "I cannot send a text to your boss"),
    ],
)
def test_what_nobody_here_can_do_is_named_by_its_verb(here: Lab, said: str, cannot: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, NotUnderstood) and result.kind is Subject.NO_ACTION
    assert str(result).startswith(cannot)


@pytest.mark.parametrize(
    "said", ["keep the arms still please now", "lift the tip of the tool 5", "raise the boom"]
)
def test_what_can_be_done_is_not_denied(here: Lab, said: str) -> None:
    result = here.language.parse(said, here.world)
    assert isinstance(result, Understood) or result.kind is not Subject.NO_ACTION
