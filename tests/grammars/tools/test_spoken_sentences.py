"""Sentences as they are spoken, with names as classes: what a recogniser learns."""

from __future__ import annotations

from random import Random

import pytest

from framework.plan.parser import Known
from grammars.domain import NamesOfFile
from grammars.intent.heard import Heard
from grammars.tools.spoken_sentences import CLASS, Names, Spoken, said, sentences, with_other_numbers
from pilothouse.experiments.language.lab import Lab, our_lab


@pytest.fixture(scope="module")
def here() -> Lab:
    return our_lab()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Move the right arm up 10 cm!", "move the right arm up ten centimetres"),
        ("drive 1.5 m", "drive one point five metres"),
        ("turn left 90°, please", "turn left ninety degrees please"),
        ("that’s it", "that's it"),
        ("move up 3 centimeters", "move up three centimetres"),
        ("  ", ""),
        ("!?", ""),
    ],
)
def test_texts_are_said_in_words(here: Lab, text: str, words: str) -> None:
    assert " ".join(said(here.language, text)) == words


def test_a_name_is_its_class_and_the_longest_one_counts(here: Lab) -> None:
    world = NamesOfFile({
        "world.things": (Known("cup", "cup"), Known("red", "red cup", says=("the big one",))),
        "views": (Known("scan", "scan"),),
    })  # fmt: skip
    names = Names(here.language, world)
    things = f"{CLASS}world_things"
    replaced = names.replaced(["take", "the", "red", "cup", "and", "the", "cup"])
    assert replaced == ("take", "the", things, "and", "the", things)
    assert set(names.of(things)) == {("cup",), ("red", "cup"), ("the", "big", "one")}
    assert names.of(f"{CLASS}views") == (("scan",),)
    assert names.of("nobody") == ()


def test_what_is_known_as_two_kinds_is_a_class_of_its_own(here: Lab) -> None:
    world = NamesOfFile({"world.things": (Known("dock", "dock"),), "places": (Known("dock", "dock"),)})
    assert Names(here.language, world).replaced(["dock"]) == (f"{CLASS}places_world_things",)


def test_nobody_known_changes_nothing(here: Lab) -> None:
    assert Names(here.language, NamesOfFile({})).replaced(["go", "home"]) == ("go", "home")


def test_what_people_said_and_what_they_meant_is_learnt_but_no_remark_is_meant(here: Lab) -> None:
    heard = [
        Heard("Pop over to the red cup", "go to the red cup"),
        Heard("lovely day", "-"),
        Heard("order a taxi", ""),
        Heard("Off to the red cup with you", "go to the red cup"),
    ]
    found = list(sentences(here.language, here.world, heard, count=0))
    cup = next(word for word in found[0].words if word.startswith(CLASS))
    assert found == [
        Spoken(("pop", "over", "to", "the", cup)),
        Spoken(("lovely", "day")),
        Spoken(("order", "a", "taxi")),
        Spoken(("off", "to", "the", cup, "with", "you")),
        Spoken(("go", "to", "the", cup), 3.0),
    ]


def test_the_grammar_s_own_sentences_are_many_and_only_letters(here: Lab) -> None:
    found = list(sentences(here.language, here.world, (), count=200, seed=1))
    assert len(found) > 250
    assert any(word.startswith(CLASS) for each in found for word in each.words)
    for each in found:
        assert all(word.replace("'", "").replace("_", "").isalpha() and word.islower() for word in each.words)


def test_what_the_grammar_means_is_learnt_as_it_is_read_back_and_with_other_numbers(here: Lab) -> None:
    found = list(sentences(here.language, here.world, (), count=150, seed=1))
    plain = [each for each in found if each.weight > 1.0]
    assert len(plain) > 50
    turned = {
        each.words for each in plain if each.words[:2] == ("turn", "left") and each.words[-1] == "degrees"
    }
    assert len(turned) > 3


def test_a_sentence_without_numbers_has_no_others() -> None:
    assert list(with_other_numbers(("go", "home"), Random(1))) == []
    assert list(with_other_numbers(("wait", "one", "second"), Random(1))) == []
    others = list(with_other_numbers(("wait", "twenty", "five", "seconds"), Random(1)))
    assert len(others) == 4
    assert all(each[0] == "wait" and each[-1] == "seconds" and len(each) < 5 for each in others)
    many = {
        each for seed in range(50) for each in with_other_numbers(("wait", "two", "seconds"), Random(seed))
    }
    assert len(many) > 20 and ("wait", "one", "seconds") not in many
