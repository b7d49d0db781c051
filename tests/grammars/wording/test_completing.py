"""What is offered to follow really can follow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.plan import NothingKnown, Understood
from framework.plugins.phrases import SlotList
from grammars import Language
from tests.effort import random_inputs
from tests.grammars.kitchen import LANGUAGE, WORLD, action, parameter

SENTENCES = (
    "watch the kettle and hum until the pan is boiling then set the table",
    "if the kettle is boiling or the pan is cold announce dinner otherwise wait ten seconds",
    "serve the soup of the day to uncle bob while humming",
    "could you please turn the light off after ten seconds",
    "as soon as the kettle is heavier than 2 kg stop watching it and move the pan by 30 cm",
)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("watch the", {"kettle", "red pot", "pan", "salt and pepper", "it"}),
        ("watch ", {"kettle", "red pot", "pan"}),
        ("serve soup to ", {"Ann", "Bob"}),
        ("turn the light ", {"on", "off"}),
        ("turn the heat to ", {"low", "very high"}),
        ("hum while ", {"watching", "humming"}),
        ("", {"watch", "hum", "set", "if"}),
        ("hum ", {"and", "then", "while", "until"}),
        ("hum if ", {"kettle", "pan", "you"}),
        ("wait ", {"10 seconds"}),
    ],
)
def test_next_words(text: str, options: set[str]) -> None:
    found = LANGUAGE.complete(text, WORLD)
    assert options <= set(found.options)
    assert found.begun == 0


@pytest.mark.parametrize(
    ("text", "options", "begun"),
    [
        ("watch the ke", ("kettle",), 2),
        ("watch the RE", ("red pot",), 2),
        ("watch the red p", ("red pot",), 5),
        ("wat", ("watch",), 3),
        ("hum meanw", ("meanwhile",), 5),
        ("hum while watc", ("watching",), 4),
        ("serve soup to uncle b", ("Uncle_Bob",), 7),
    ],
)
def test_the_beginning_of_a_word_is_completed(text: str, options: tuple[str, ...], begun: int) -> None:
    found = LANGUAGE.complete(text, WORLD)
    assert found.options == options
    assert found.begun == begun


def test_a_whole_instruction_is_known_as_one() -> None:
    assert LANGUAGE.complete("set the table", WORLD).is_whole
    assert not LANGUAGE.complete("set the", WORLD).is_whole


@pytest.mark.parametrize("text", ["xyzzy ", "watch the mug and ", "hum " * 300, "煮 "])
def test_what_cannot_become_an_instruction_has_no_completions(text: str) -> None:
    found = LANGUAGE.complete(text, WORLD)
    assert not found.is_whole
    assert found.options == ()


@pytest.mark.parametrize("text", ["😀", "\x00", "... ", "the "])
def test_what_is_nothing_can_become_anything(text: str) -> None:
    assert LANGUAGE.complete(text, WORLD).options == LANGUAGE.complete("", WORLD).options


def test_an_empty_world_offers_no_names() -> None:
    assert set(LANGUAGE.complete("watch ", NothingKnown()).options) <= {"it"}


@random_inputs(60)
@given(st.sampled_from(SENTENCES), st.integers(0, 90), st.randoms(use_true_random=False))
def test_every_option_leads_on(sentence: str, length: int, random: object) -> None:
    begun = sentence[:length]
    found = LANGUAGE.complete(begun, WORLD)
    options = list(found.options)
    random.shuffle(options)  # type: ignore[attr-defined]  # hypothesis' Random
    for option in options[:2]:
        check_that_it_leads_on(begun[: len(begun) - found.begun], option)


@pytest.mark.soak
@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_option_behind_every_word_leads_on(sentence: str) -> None:
    for end in (0, *(found.end() for found in re.finditer(r"\S+\s", sentence))):
        for option in LANGUAGE.complete(sentence[:end], WORLD).options:
            check_that_it_leads_on(sentence[:end], option)


def check_that_it_leads_on(kept: str, option: str) -> None:
    """What is offered behind a text makes it whole, or more can follow."""
    gap = "" if not kept or kept[-1].isspace() or option[0] in ",;." else " "
    text = kept + gap + option
    result = LANGUAGE.parse(text, WORLD)
    is_whole = isinstance(result, Understood) and not result.readings[0].is_assumed
    assert is_whole or LANGUAGE.complete(f"{text} ", WORLD).options, text


@pytest.mark.parametrize(
    "begun", ["hum until the pan is boiling within ", "hum until the kettle is cold maximally "]
)
def test_how_long_at_most_is_offered(begun: str) -> None:
    assert "10 seconds" in LANGUAGE.complete(begun, WORLD).options


def test_a_value_is_called_what_its_author_wrote_first() -> None:
    """Also where an earlier value has a way that begins like one of its other ways ("pot of …")."""
    menu = SlotList("dish", "", (("tea", ("tea", "pot of tea")), ("soup", ("soup", "pot of soup"))))
    language = Language([action("order", ("order {dish}",), parameter("dish", str), lists=(menu,))])
    options = language.complete("order ", NothingKnown()).options
    assert options[:2] == ("tea", "soup") and "pot of soup" not in options
