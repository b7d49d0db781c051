"""Answers to numbered questions: their number or their own words, and nothing guessed."""

from __future__ import annotations

import math

import pytest

from framework.dialogue.answers import Answer, chosen, in_own_words
from framework.dialogue.choices import best_of, options_for, read_back
from framework.plan import Do, Known, Plan, Reading, Sequence, in_words

CUPS = ("track the red cup on the table", "track the blue cup on the shelf", "track the hand")
WAITS = ("wait 2 seconds", "wait 3 seconds")
FILLING = ("the", "one")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the blue one", Answer(2)),
        ("shelf", Answer(2)),
        ("hand", Answer(3)),
        ("Track the HAND!", Answer(3, is_whole=True)),
        ("track the red cup on the table", Answer(1, is_whole=True)),
        ("cup", Answer(could_be=(1, 2))),
        ("track", Answer(could_be=(1, 2, 3))),
        ("the green one", Answer()),
        ("the blue hand", Answer()),
        ("the one", Answer()),
        ("", Answer()),
        ("?!", Answer()),
    ],
)
def test_own_words(text: str, expected: Answer) -> None:
    assert in_own_words(text, CUPS, FILLING) == expected


def test_the_whole_of_one_option_may_be_part_of_another() -> None:
    assert in_own_words("show", ("show the scan", "show"), FILLING) == Answer(2, is_whole=True)
    assert in_own_words("x", ("x", "x"), FILLING) == Answer(could_be=(1, 2))


@pytest.mark.parametrize(
    ("text", "number", "by_place", "expected"),
    [
        ("1", 1, False, Answer(1)),
        ("2", 2, False, Answer(could_be=(1, 2))),
        ("second", 2, True, Answer(2)),
        ("3", 3, False, Answer(2)),
        ("last", -1, True, Answer(2)),
        ("7", 7, False, Answer()),
        ("7", 7, True, Answer()),
        ("0", 0, False, Answer()),
    ],
)
def test_numbers(text: str, number: int, by_place: bool, expected: Answer) -> None:
    assert chosen(text, number, WAITS, by_place=lambda _: by_place, filling=FILLING) == expected


KNOWN = {
    "red_1": Known("red_1", "red cup", hint="on the table"),
    "red_2": Known("red_2", "red cup", hint="on the shelf"),
    "red_3": Known("red_3", "red cup"),
    "hand": Known("hand", "hand", hint="in the picture"),
}


def words(plan: object) -> str:
    return in_words(plan, lambda do: f"track the {do.parameters['thing']}")  # type: ignore[arg-type]


def _name(value: str) -> str:
    return KNOWN[value].name if value in KNOWN else value


def test_options_say_what_tells_things_apart() -> None:
    plans = [Do("track", {"thing": thing}) for thing in ("red_1", "red_2", "red_3")]
    assert options_for(plans, words, KNOWN) == (
        "track the red cup on the table",
        "track the red cup on the shelf",
        "track the red_3",
    )
    assert options_for(plans, lambda plan: "track the red cup", {}) == (
        "track the red cup (red_1)",
        "track the red cup (red_2)",
        "track the red cup (red_3)",
    )
    other: list[Plan] = [Do("track", {"thing": "hand"}), Sequence((Do("track", {"thing": "hand"}),))]
    assert options_for(other, lambda plan: "the same", KNOWN) == ("the same", "the same")
    assert options_for(plans[:1], words, KNOWN) == ("track the red_1",)


def test_read_back_with_a_hint_only_where_names_are_shared() -> None:
    assert read_back(Do("track", {"thing": "red_2"}), words, KNOWN) == "track the red cup on the shelf"
    assert read_back(Do("track", {"thing": "hand"}), words, KNOWN) == "track the hand"
    both = Sequence((Do("track", {"thing": "red_2"}), Do("track", {"thing": "red_1"})))

    def by_name(plan: Plan) -> str:
        return in_words(plan, lambda do: f"track the {_name(str(do.parameters['thing']))}")

    assert read_back(both.steps[0], by_name, KNOWN) == "track the red cup on the shelf"
    assert read_back(both, by_name, KNOWN) == (
        "track the red cup on the shelf, then track the red cup on the table"
    )
    assert read_back(Sequence((*both.steps, *both.steps)), by_name, KNOWN).count("on the shelf") == 2


def test_the_best_readings_once_each() -> None:
    readings = [Reading(Do("a")), Reading(Do("b")), Reading(Do("a")), Reading(Do("c"), 0.5)]
    assert [reading.plan for reading in best_of(readings)] == [Do("a"), Do("b")]
    assert best_of([Reading(Do("a"), math.nan)])[0].plan == Do("a")
