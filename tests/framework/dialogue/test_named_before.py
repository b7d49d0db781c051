"""Names that were said before, said again in other words."""

from __future__ import annotations

import pytest

from framework.dialogue.named_before import Named, named_last, with_the_nth, with_whole_names
from framework.plan import Do
from framework.plan.value import Reference
from grammars.core_file import english

WORDS = english().meta.naming_words
NAMES = ("bay 1", "bay two", "kitchen table", "door", "bayonet")
THERE = Do("go", {"thing": Reference("there", is_pointing=True)})


@pytest.mark.parametrize("unknown", ["", "bay 1", "table", "doorway", "fridge"])
def test_no_other_name_is_made_of_it(unknown: str) -> None:
    assert with_whole_names(f"back to my {unknown}", unknown, NAMES, WORDS) == ()


def test_a_name_of_which_something_was_left_out() -> None:
    assert with_whole_names("back to my bay", "bay", NAMES, WORDS) == (
        Named("back to my bay 1"),
        Named("back to my bay two"),
    )
    assert with_whole_names("to the kitchen", "kitchen", NAMES, WORDS) == (
        Named("to the kitchen table", is_sure=False),
    )


@pytest.mark.parametrize(
    ("text", "with_name"),
    [
        ("back to the first one", "back to the door"),
        ("now the second place again", "now the shelf again"),
        ("back to the previous one", "back to the shelf"),
        ("back to the fourth one", ""),
        ("wait a second", ""),
        ("the first cup", ""),
    ],
)
def test_the_first_of_those_that_were_named(text: str, with_name: str) -> None:
    assert with_the_nth(text, ("door", "shelf", "table"), WORDS) == with_name
    assert with_the_nth(text, ("door",), WORDS) == ""


@pytest.mark.parametrize(
    ("before", "thing"),
    [
        (Do("describe", {"thing": "drum"}), "drum"),
        (Do("describe", {"thing": "elephant"}), ""),
        (Do("hang", {"thing": "drum", "at": "door"}), ""),
        (Do("wait", {"duration_s": 3.0}), ""),
    ],
)
def test_there_is_what_was_named_last(before: Do, thing: str) -> None:
    assert named_last(before, THERE, ("drum", "door"), WORDS) == thing
    assert (
        named_last(before, Do("go", {"thing": Reference("this", is_pointing=True)}), ("drum",), WORDS) == ""
    )
