"""What people say beside an order: carried out without a question, unless the remark changes it or warns."""

from __future__ import annotations

import pytest

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.plan.ast import Cancel, Plan
from framework.plan.parser import Understood
from pilothouse.experiments.language.lab import Lab, our_lab


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


def unasked(here: Lab, text: str) -> Plan | None:
    """What is done without a question; None if nothing is."""
    read = here.language.parse(text, here.world)
    if not isinstance(read, Understood):
        return None
    best, *others = read.readings
    is_tied = any(each.confidence == best.confidence and each.plan != best.plan for each in others)
    is_unsure = best.confidence < LEAST_CONFIDENCE or best.is_assumed or is_tied
    return None if is_unsure or isinstance(best.plan, Cancel) else best.plan


@pytest.mark.parametrize(
    "text",
    [
        # somebody or something is where the robot goes, or works
        "drive back one metre, there is a person behind you",
        "Drive backwards 1 m, my daughter is playing right behind you",
        "my foot is under your wheel, so drive forward 20 cm",
        "A nurse is kneeling next to you, so turn left 90 degrees",
        "close the right gripper, my finger is in it",
        "lower the left arm 20 cm, my head is under it",
        "drive forward 1 m, somebody is lying there",
        "drive forward 1 m because there is a child in your way",
        # something is broken, or forbidden
        "drive to the door, the door is locked",
        "lift the left arm 10 cm, the left one is broken",
        "the right arm is stuck, so raise the right arm 10 cm",
        "lower the left arm 10 cm, our engineer forbids it",
        "drive to the shelf, it isn't safe",
        "The visitors aren't allowed near it, so drive to the drum",
        "open the gripper, you will drop it",
        "drive to the door, the boss hasn't approved it",
        # care does not help there
        "close the right gripper gently, my sleeve is caught",
        # what changes the order
        "raise the left arm 20 cm, I said the right one",
        "close the gripper, not too hard, the left one I mean",
        "the red one's mine, so look at the cup",
        "drive to the table, the boss prefers the shelf",
        "the nurse wants the left one, so open the gripper",
        "you can't turn, so turn left 90 degrees",
        "20 cm is enough, so raise the left arm",
        "the boss prefers the shelf, so drive there",
        # denied
        "good morning, don't drive to the door",
        "the boss wouldn't like you to turn left",
        "the boss doesn't want you to turn left",
        "nobody wants you to turn left",
        "my sister wanted you to turn left, but I don't",
        "I doubt the boss wants you to turn left",
        "if you'd be so kind as not to move, turn left",
        # a condition, and no courtesy
        "drive forward 1 m, if there is no trouble with the cable",
    ],
)
def test_what_warns_or_changes_or_denies_is_not_carried_out_unasked(here: Lab, text: str) -> None:
    assert unasked(here, text) is None


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # greetings and tags
        (
            "Good afternoon everyone, and now, dear robot, lift your left arm ten centimetres",
            "raise the left arm 10 cm",
        ),
        ("Hello dear, nice to see you. Please go to the door", "drive to the door"),
        ("Let's close the right hand now, shall we?", "close the right gripper"),
        ("Drive to the table, isn't that exciting?", "drive to the table"),
        ("Turn to face the door, if you please", "turn to the door"),
        # courtesy
        ("Close both grippers, if it isn't a bother", "close both grippers"),
        ("If you'd be so good, close both grippers", "close both grippers"),
        ("Would it be too much to ask you to open the left gripper?", "open the left gripper"),
        # premises
        (
            "The children at the back can't see, so could you please turn right 30 degrees?",
            "turn right 30 degrees",
        ),
        ("My back hurts, so would you raise your right arm by 20 cm?", "raise the right arm 20 cm"),
        ("Lighting's rubbish in here, so show me the camera", "show the camera"),
        ("I can't see a thing down here so raise the left arm 15 cm", "raise the left arm 15 cm"),
        ("Time for the next group, so back to the table", "drive to the table"),
        ("The bus leaves at noon, so drive to the door", "drive to the door"),
        # remarks behind it
        ("show the camera, my mum doesn't believe me", "show the camera"),
        ("Drive back 40 cm, I'm carrying a ladder", "drive back 40 cm"),
        ("Show the camera, our guests love that", "show the camera"),
        # wishes for others
        ("I'd love the class to see your grip: open the left gripper", "open the left gripper"),
        ("The boss would like to see the camera", "show the camera"),
        ("My physiotherapist would like you to raise the left arm 20 cm", "raise the left arm 20 cm"),
        ("It would be lovely if we could see the camera", "show the camera"),
        # idioms
        ("While you're at it, close the left gripper", "close the left gripper"),
        (
            "Bring both arms home and, while you're at it, reverse 30 cm",
            "bring both arms home and reverse 30 cm",
        ),
        # what warns of nothing, or of nothing that moves, or is heeded
        ("drive back 30 cm, there is nobody behind you", "drive back 30 cm"),
        ("show the camera, there is a person behind you", "show the camera"),
        ("drive back 30 cm slowly, there is a cable on the floor", "drive back 30 cm slowly"),
        ("my phone is dead, so say hello", "say hello"),
    ],
)
def test_what_is_only_said_beside_an_order_asks_nothing(here: Lab, said: str, plain: str) -> None:
    meant = unasked(here, plain)
    assert meant is not None
    assert unasked(here, said) == meant


def test_a_question_for_others_is_answered(here: Lab) -> None:
    plan = unasked(here, "one of the boys would like to know what you are able to do")
    assert plan == unasked(here, "what can you do?")


def test_what_warns_is_named(here: Lab) -> None:
    read = here.language.parse("drive back one metre, there is a person behind you", here.world)
    assert isinstance(read, Understood)
    assert read.readings[0].warned == ("there is a person behind you",)


def test_words_to_be_said_are_said_with_idioms(here: Lab) -> None:
    assert "at it" in str(unasked(here, "say 'while you're at it, close the gripper'"))
