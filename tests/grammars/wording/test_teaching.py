"""A refusal blames the verb: what is wanted of a thing for which there is no action is no action."""

from __future__ import annotations

import pytest

from framework.events import Subject
from framework.plan import NotUnderstood
from framework.plugins.phrases import SlotList
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import Guests, action, parameter

SIDES = SlotList("side", values=(("left", ("left",)), ("right", ("right",))))
ARM = (parameter("side", str, "", one_of=("", "left", "right")),)
LANGUAGE = CompiledLater(
    (
        action("home", ("(bring|take|put) the [{side}] arm home",), *ARM, lists=(SIDES,)),
        action("grasp", ("grab [with the {side} gripper]",), *ARM, lists=(SIDES,)),
        action(
            "look",
            ("(look at|check) {pot}",),
            parameter("pot", str),
            lists=(SlotList("pot", "world.things"),),
        ),
    )
)
WORLD = Guests(**{"world.things": ("red pot", "kettle", "hand")})


def _refused(text: str) -> NotUnderstood:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    return result


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("take the white cup", "take"),
        ("grab the cup with the right gripper", "grab"),
        ("bring me the cup from over there", "bring"),
        ("please put the xyzzy on the shelf", "put"),
        ("inspect the kettle", "inspect"),
        ("push the front kettle on the shelf 5 cm further", "push the front kettle"),
        ("hand me the white cup", "hand you the white cup"),
        ("hand the kettle over to my colleague", "hand the kettle over"),
        ("an inspection of the kettle, please", "inspect the kettle"),
        ("take over this tube", "take over this tube"),
        ("put on some lofi", "put on some lofi"),
        ("drop it on the kettle", "drop it on the kettle"),
        ("look at the kettle, bring it here", "bring it here"),
        ("if it is there bring it here", "bring it here"),
        ("put it where it belongs", "put it where"),
        ("put that thing back", "put that thing back"),
        ("the kettle onto the shelf", "put the kettle onto the shelf"),
        ("the kettle to me please, fast", "bring the kettle to you"),
        ("take the left arm home while the right one pushes the kettle", "push the kettle"),
        ("I'd be so grateful if you'd wipe the kettle", "wipe the kettle"),
        ("make a tower out of the red pot", "make a tower out of the red pot"),
        ("take a selfie of us", "take a selfie of you"),
        ("play whist with me", "play whist with you"),
        ("keep me company", "keep you company"),
        ("pick that up", "pick that up"),
        ("take the kettle pleeease", "take the kettle."),
        ("grab the kettle somewhat to the side", "grab the kettle somewhat to the side"),
        ("the kettle, grab it 4 cm to behind", "grab it 4 cm to behind"),
        ("can I ride on you up to the attic", "let you ride on me up to the attic"),
        ("let me lean on your arm", "let you lean on my arm"),
        ("would you mind threading this needle", "thread this needle"),
        ("tie up the boat", "tie up the boat"),
        ("grab the kettle and the white cup", "grab the kettle and the white cup"),
        ("catch! I'll toss it to you", "catch"),
        ("bring the left arm home and whistle", "whistle."),
        ("take the kettle with me please, I am in a hurry", "take the kettle with you."),
    ],
)
def test_what_our_verbs_are_not_for_is_beyond_us(text: str, verb: str) -> None:
    refused = _refused(text)
    assert refused.kind is Subject.NO_ACTION
    assert f"I cannot {verb}" in refused.reason


@pytest.mark.parametrize(
    "text",
    [
        "take the left arm somewhere",
        "bring the arm to the shelf",
        "check the xyzzy",
        "bring it home",
        "take hold of the left arm",
        "put 30 grad to the left",
        "take the left arm to the kettle",
        "forgive me, look at the zzyzx",
        "look at the zzyzx, clap clap clap",
        "check 45",
        "cancel the delivery",
        "pop the left arm up",
        "the left arm, up 5 cm, like the mill",
    ],
)
def test_what_they_are_for_is_not(text: str) -> None:
    assert _refused(text).kind is not Subject.NO_ACTION


@pytest.mark.parametrize(
    ("text", "fault", "good"),
    [
        ("check the kettle, then pour it", "pour it", "check the kettle"),
        ("look at the kettle first zzyzx and wipe the shelf", "wipe the shelf", "look at"),
        ("bring the left arm home qwerty and sing us a song", "sing you a song", "bring the left arm"),
    ],
)
def test_of_several_parts_the_one_at_fault_is_named(text: str, fault: str, good: str) -> None:
    sentence = _refused(text).reason.partition("You could say")[0]
    assert fault in sentence and good not in sentence


def test_a_number_is_no_name() -> None:
    assert "I know no" not in _refused("look at 45").reason
