"""Phrases become plans; what is not understood is refused with what was, and with what could follow."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.plan import Do, NothingKnown, NotUnderstood, Reference, Understood, Value
from grammars import PhraseParser, lint
from grammars.numbers import number_at
from tests.grammars.kitchen import KITCHEN, Guests, action, parameter

PARSER = PhraseParser(KITCHEN)
WORLD = Guests(people=("Ann", "Uncle_Bob", "Bob"), food=("eggs",))


def do(name: str, **values: Value) -> Do:
    return Do(name, dict(values))


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("set the table", do("set_table")),
        ("Lay table!", do("set_table")),
        ("could you please set the table now", do("set_table")),
        ("I'd like you to set the table for me, thank you", do("set_table")),
        ("boil eggs", do("boil", food="eggs")),
        ("boil some eggs", do("boil", food="eggs")),
        ("boil the eggs for 90 seconds", do("boil", food="eggs", time_s=90.0)),
        ("boil eggs for twenty five minutes", do("boil", food="eggs", time_s=1500.0)),
        ("boil it for half minute", do("boil", food=Reference("it"), time_s=30.0)),
        ("stir it one hundred and three times", do("stir", times=103)),
        ("stir -4 times", do("stir", times=-4)),
        ("stir once", do("stir", times="1")),
        ("turn the heat to very high", do("heat", heat="very_high")),
        ("low heat", do("heat", heat="low")),
        ("turn the light off", do("light", is_on=False)),
        ("serve soup of the day to uncle bob", do("serve", dish="soup_of_day", guest="Uncle_Bob")),
        ("serve ＴＨＥ soup TO ANN", do("serve", dish="soup_of_day", guest="Ann")),
    ],
)
def test_texts(text: str, plan: Do) -> None:
    result = PARSER.parse(text, WORLD)
    assert isinstance(result, Understood), result
    assert result.readings[0].plan == plan
    assert [reading for reading in result.readings if reading.confidence == 1.0] == [result.readings[0]]


@pytest.mark.parametrize(
    ("text", "understood", "expected"),
    [
        ("turn the light", "turn the light", ("<is on>",)),
        ("turn the heat to medium", "turn the heat to", ("low", "very high")),
        ("please set the chair", "set", ("table",)),
        ("dance", "", ("boil", "lay", "low", "make", "serve", "set", "stir", "turn", "very high")),
        ("serve the soup to", "serve the soup to", ("Ann", "Bob", "Uncle Bob")),
        ("serve the soup to Carl", "serve the soup to", ("Ann", "Bob", "Uncle Bob")),
        ("serve fish", "serve", ("soup of the day",)),
        ("", "", None),
    ],
)
def test_refusals_help(text: str, understood: str, expected: tuple[str, ...] | None) -> None:
    result = PARSER.parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    assert result.understood == understood
    if expected is not None:
        assert result.expected == expected
    assert str(result).endswith(".")


def test_a_known_name_is_preferred_to_free_words() -> None:
    result = PARSER.parse("serve soup to ann", Guests(people=("ann",)))
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("serve", dish="soup_of_day", guest="ann")


def test_words_of_its_own_are_preferred_to_a_slot() -> None:
    shows = action("a", ("show {what}",), parameter("what", str))
    parser = PhraseParser((shows, action("b", ("show the sea",))))
    result = parser.parse("show the sea", NothingKnown())
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("b")
    assert result.readings[1].confidence < 1.0


def test_the_same_words_for_two_actions_are_both_given() -> None:
    parser = PhraseParser((action("a", ("go",)), action("b", ("go|run",))))
    result = parser.parse("go", NothingKnown())
    assert isinstance(result, Understood)
    found = [(reading.plan, reading.confidence) for reading in result.readings]
    assert found == [(do("a"), 1.0), (do("b"), 1.0)]


def test_same_text_same_world_same_plan() -> None:
    results = {repr(PARSER.parse("serve it to bob", WORLD)) for _ in range(20)}
    assert len(results) == 1


# -- bad input


FRAGMENTS = st.sampled_from(
    ("boil", "some", "eggs", "for", "it", "to", "ann", "twenty", "two", ".", "3", "-")
)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80) | st.lists(FRAGMENTS).map(" ".join))
def test_any_text_is_survived(text: str) -> None:
    result = PARSER.parse(text, WORLD)
    if isinstance(result, NotUnderstood):
        assert result.understood in text


@pytest.mark.parametrize(
    "text",
    [
        *("eggs " * 10_000, "boil " + "some " * 190, "😀" * 1000, "煮蛋", "boil\x00eggs\x1b[2J"),
        *("1e999", "١٢٣", "½", "." * 9999),
    ],
)
def test_strange_texts_are_answered_quickly(text: str) -> None:
    begun = time.perf_counter()
    PARSER.parse(text, WORLD)
    assert time.perf_counter() - begun < 1.0


def test_a_template_with_endless_ways_is_given_up_in_time() -> None:
    many = " ".join(["[a1|a1|a1|a1]"] * 30) + " end"
    parser = PhraseParser((action("bad", (many,)), action("good", ("fine",))))
    begun = time.perf_counter()
    assert isinstance(parser.parse("a1 " * 25, NothingKnown()), NotUnderstood)
    assert time.perf_counter() - begun < 2.0
    assert isinstance(parser.parse("fine", NothingKnown()), Understood)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero", 0.0),
        ("seventeen", 17.0),
        ("forty two", 42.0),
        ("two thousand three hundred and four", 2304.0),
        ("minus one point five", -1.5),
        ("1,5", 1.5),
        ("half", 0.5),
        ("one million", 1_000_000.0),
    ],
)
def test_numbers(text: str, value: float) -> None:
    words = text.split()
    found = number_at(words, 0)
    assert found is not None
    assert found[0] == pytest.approx(value) and found[1] == len(words)


@pytest.mark.parametrize("text", ["", "minus", "point five", "hundred", "e5", "nan", "inf", "--3"])
def test_no_numbers(text: str) -> None:
    assert number_at(text.split(), 0) is None


def test_angles_are_in_the_units_of_the_signature() -> None:
    turn = action("turn", ("turn by {angle_rad}",), parameter("angle_rad", float, unit="rad"))
    parser = PhraseParser((turn,))
    result = parser.parse("turn by ninety degrees", NothingKnown())
    assert isinstance(result, Understood)
    plan = result.readings[0].plan
    assert isinstance(plan, Do)
    assert plan.parameters["angle_rad"] == pytest.approx(math.pi / 2)


# -- words, and lint


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (do("set_table"), "set the table"),
        (do("boil", food="eggs"), "boil eggs"),
        (do("boil", food="eggs", time_s=90.0), "boil eggs for 90"),
        (do("heat", heat="very_high"), "turn the heat to very high"),
        (do("stir", times="1"), "stir 1 times"),
        (do("boil", time_s=90.0), "boil 90"),
        (do("unknown", x=1), "unknown 1"),
    ],
)
def test_wording(plan: Do, words: str) -> None:
    assert PARSER.wording(plan) == words


def test_the_kitchen_is_clean() -> None:
    assert lint(PARSER, WORLD) == ()


def test_lint_finds_phrases_that_belong_to_two_actions_with_file_and_line() -> None:
    parser = PhraseParser((action("a", ("walk", "go [fast]")), action("b", ("go",))))
    found = [str(problem) for problem in lint(parser)]
    assert found == [
        "a/phrases.yaml:2: 'go [fast]': \"go\" asks for b, not only for a; change the words of one of them",
        "b/phrases.yaml:1: 'go': \"go\" asks for a, not only for b; change the words of one of them",
    ]


def test_lint_finds_samples_that_are_not_understood() -> None:
    parser = PhraseParser((action("a", ("walk",), samples=("walk", "wander")),))
    assert ['"wander" is not understood' in str(problem) for problem in lint(parser)] == [True]


def test_lint_finds_rules_that_nobody_defines() -> None:
    parser = PhraseParser((action("a", ("walk <quickly>",)),))
    assert ["can never be said" in str(problem) for problem in lint(parser)] == [True]
