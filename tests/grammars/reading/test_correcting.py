"""Misspellings are taken or offered; and what is no instruction does not become one that way."""

from __future__ import annotations

import pytest

from framework.dialogue.confirmation import LEAST_CONFIDENCE, LEAST_CORRECTED
from framework.plan import Correction, Known, NotUnderstood, Plan, Sequence, Understood
from grammars.reading.correcting import Vocabulary, mistakes_in
from grammars.reading.network import Words
from tests.grammars.kitchen import LANGUAGE, WORLD, Guests, do


@pytest.mark.parametrize(
    "text",
    [
        "mach the kettle",  # no finger slips from w to m
        "hmu",  # short words are known as they are spelt, or not at all
        "watch the pna",
        "what the kettle",  # a word like any other
        "play some music on the radio",
        "what's the weather like",
        "tell me a joke",
        "order me a pizza",
    ],
)
def test_what_is_not_corrected(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, WORLD), NotUnderstood)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("wacth the kettle", do("watch", pot="kettle")),
        ("wattch the kettle", do("watch", pot="kettle")),
        ("Watch the ketle!", do("watch", pot="kettle")),
        ("set the table thne hum", Sequence((do("set_table"), do("hum")))),
        ("wacth the kettel", do("watch", pot="kettle")),
    ],
)
def test_what_is_certain_is_taken(text: str, plan: Plan) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, Understood)
    best = result.readings[0]
    assert (best.plan, best.corrections) == (plan, ())
    assert best.confidence >= LEAST_CONFIDENCE


@pytest.mark.parametrize(
    ("text", "said", "meant", "plan"),
    [
        ("watc the kettle", "watc", "watch", do("watch", pot="kettle")),
        ("hum then watc the pan", "watc", "watch", Sequence((do("hum"), do("watch", pot="pan")))),
    ],
)
def test_one_misspelling_is_offered(text: str, said: str, meant: str, plan: Plan) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, Understood)
    best = result.readings[0]
    assert best.plan == plan
    assert best.corrections == (Correction(said, meant),)
    assert best.confidence < LEAST_CONFIDENCE


def test_two_mistakes_in_a_long_word() -> None:
    result = LANGUAGE.parse("watch the caserolle", Guests(pots=("casserole",)))
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("watch", pot="casserole")


def test_a_name_that_is_only_to_be_passed_on_may_be_spelt_as_one_likes() -> None:
    result = LANGUAGE.parse("announec dinnr", WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("announce", text="dinnr")


def test_what_can_be_understood_as_it_stands_is_not_corrected() -> None:
    world = Guests(pots=("kettle", "kettles"))
    result = LANGUAGE.parse("watch the kettle", world)
    assert isinstance(result, Understood)
    assert [reading.corrections for reading in result.readings] == [()]


def test_a_misspelling_of_two_things_is_a_question() -> None:
    world = Guests(Known("1", "carton"), Known("2", "cartoon"))
    result = LANGUAGE.parse("watch the carttoon", world)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("watch", pot="2")
    result = LANGUAGE.parse("watch the cartooon", world)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("watch", pot="2")


def test_one_misspelling_that_two_words_explain_is_ambiguous() -> None:
    world = Guests(Known("1", "plates"), Known("2", "planes"))
    result = LANGUAGE.parse("watch the plaes", world)
    assert isinstance(result, Understood)
    assert result.readings[0].confidence < LEAST_CONFIDENCE
    assert {str(each.plan) for each in result.readings[:2]} == {str(do("watch", pot=n)) for n in "12"}
    assert result.readings[0].confidence == result.readings[1].confidence


@pytest.mark.parametrize(
    ("said", "meant", "mistakes"),
    [
        ("track", "track", 0),
        ("trak", "track", 1),
        ("ttrack", "track", 1),
        ("rtack", "track", 1),
        ("trick", "track", 1),
        ("tracj", "track", 1),
        ("tarkc", "track", 2),
        ("mast", "cast", 3),
        ("enviromnet", "environment", 2),
        ("abc", "cba", 3),
    ],
)
def test_mistakes_that_fingers_make(said: str, meant: str, mistakes: int) -> None:
    assert mistakes_in(said, meant) == mistakes


def test_an_adjective_that_nobody_knows_is_left_out_and_that_is_asked() -> None:
    result = LANGUAGE.parse("watch the copper kettle", WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("watch", pot="kettle")
    assert result.readings[0].corrections == (Correction("copper kettle", "kettle"),)
    assert result.readings[0].confidence < LEAST_CORRECTED, "also of what only shows something"
    assert isinstance(LANGUAGE.parse("watch the kettle lid", WORLD), NotUnderstood), "that is no kettle"
    assert isinstance(LANGUAGE.parse("zap kettle", WORLD), NotUnderstood), "what is first is a verb"


def test_the_vocabulary_knows_activities() -> None:
    vocabulary = Vocabulary([Words("watch", ("watch",))], ["watch"])
    assert vocabulary.near("wathcing") == ("watching",)
    assert vocabulary.near("watch") == ()
    assert vocabulary.near("wat") == ()
    assert vocabulary.near("12345") == ()
