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
    ],
)
def test_what_they_are_for_is_not(text: str) -> None:
    assert _refused(text).kind is not Subject.NO_ACTION
