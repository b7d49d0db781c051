"""The speech grammar: right by the letter of its format, and accepting what can be said just now."""

from __future__ import annotations

from functools import cache

import pytest

from framework.plan import Known, NothingKnown
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from grammars import Language
from grammars.domain import NamesOfFile
from grammars.tools.jsgf import jsgf, vocabulary
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import single_samples
from grammars.wording.spoken import spoken
from tests.grammars.home import DOMAIN, LANGUAGE
from tests.grammars.kitchen import action
from tests.grammars.tools.jsgf_checker import BadGrammar, Jsgf


@cache
def text_of_home() -> str:
    return jsgf(LANGUAGE, DOMAIN.world)


@cache
def grammar_of_home() -> Jsgf:
    return Jsgf(text_of_home())


@cache
def grammar_of_nobody() -> Jsgf:
    """Nothing is known, and nothing can be done."""
    return Jsgf(jsgf(Language(()), NothingKnown()))


# -- the checker itself


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "header"),
        ("#JSGF V2.0;\ngrammar a;\npublic <a> = b;", "header"),
        ("#JSGF V1.0;\npublic <a> = b;", "expected 'grammar'"),
        ("#JSGF V1.0;\ngrammar a;\n<a> = b;", "no rule is public"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = ;", "something is empty"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = b | ;", "something is empty"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = [];", "something is empty"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = b", "expected a mark"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = (b;", "expected ')'"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = <b>;", "which is nowhere"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = [b] <a>;", "left-recursive"),
        ("#JSGF V1.0;\ngrammar a;\npublic <a> = b; <a> = c;", "defined twice"),
        ('#JSGF V1.0;\ngrammar a;\npublic <a> = "b;', "nothing of a grammar"),
    ],
)
def test_the_checker_sees_mistakes(text: str, words: str) -> None:
    with pytest.raises(BadGrammar, match=words.replace("(", r"\(").replace(")", r"\)")):
        Jsgf(text)


def test_the_checker_accepts_by_the_grammar() -> None:
    grammar = Jsgf(
        '#JSGF V1.0;\ngrammar a; // x\npublic <a> = [please] (go | "run;" <b>+)*; <b> = now | <NULL>;'
    )
    for said in ("", "please", "go go", "please run; now", "run; go"):
        assert grammar.accepts(said.split()), said
    for said in ("please please", "now", "go please"):
        assert not grammar.accepts(said.split()), said


# -- our grammar


def test_nothing_can_be_said_to_nobody() -> None:
    assert not grammar_of_nobody().accepts(("boil", "eggs"))
    assert grammar_of_nobody().accepts(("stop",))


def test_every_sample_without_free_words_is_accepted() -> None:
    samples = [
        *single_samples(LANGUAGE, DOMAIN.world, 150, 1),
        *compound_samples(LANGUAGE, DOMAIN.world, 150, 1),
    ]
    checked = [sample for sample in samples if not sample.is_free]
    assert len(checked) > 250
    refused = [each.text for each in checked if not grammar_of_home().accepts(spoken(LANGUAGE, each.text))]
    assert refused == []


@pytest.mark.parametrize(
    "said",
    [
        "bring the apple to ann",
        "please clean the living room",
        "stop",
        "emergency stop",
        "yes",
        "wait until uncle bob is home",
        "cook the soup for a quarter of an hour then bring it to ann",
        "knock three times and play the news",
    ],
)
def test_what_is_accepted(said: str) -> None:
    assert grammar_of_home().accepts(said.split())


@pytest.mark.parametrize(
    "said",
    [
        "",
        "bring",
        "bring the lamp",
        "order a taxi",
        "show the camera",
        "tell ann that dinner is ready",
        "the",
    ],
)
def test_what_is_not(said: str) -> None:
    assert not grammar_of_home().accepts(said.split())


def test_free_text_is_left_out_and_said_so() -> None:
    assert "// left out, because it takes any words: {words} of tell" in text_of_home()


def test_it_is_about_what_is_known_and_available_now() -> None:
    fetch = action(
        "fetch", ("fetch {thing}",), ParameterSpec("thing", str), lists=(SlotList("thing", "things"),)
    )
    language = Language((fetch,))
    some = NamesOfFile({"things": (Known("a", "RGB-D camera", ("cup 2",)), Known("b", 'the "odd" one'))})
    grammar = Jsgf(jsgf(language, some))
    assert grammar.accepts(["fetch", "the", "rgb", "d", "camera"])
    assert grammar.accepts(["fetch", "cup", "two"])
    assert grammar.accepts(["fetch", "the", "odd", "one"])
    assert "fetch" not in Jsgf(jsgf(language, NothingKnown())).words()
    assert "fetch" not in grammar_of_nobody().words()


def test_the_same_world_gives_the_same_grammar() -> None:
    assert jsgf(LANGUAGE, DOMAIN.world) == text_of_home()


# -- words


def test_the_word_list_has_the_words_of_the_grammar() -> None:
    words = vocabulary(LANGUAGE, DOMAIN.world)
    assert list(words) == sorted(set(words))
    assert set(words) == grammar_of_home().words()
    assert {"newspaper", "lounge", "twenty", "seconds", "bringing", "otherwise", "stop"} <= set(words)
    assert "camera" not in words
    assert all(word.replace("'", "").isalpha() for word in words), words


def test_texts_as_they_are_spoken() -> None:
    assert spoken(LANGUAGE, "Bring 2 RGB-D cups, 1.5 m!") == (
        "bring",
        "two",
        "rgb",
        "d",
        "cups",
        "one",
        "point",
        "five",
        "m",
    )
    assert spoken(LANGUAGE, "the 102 -3 1234") == (
        "the",
        "one",
        "hundred",
        "and",
        "two",
        "minus",
        "three",
        "one",
        "two",
        "three",
        "four",
    )
    assert spoken(LANGUAGE, "😀 ?") == ()
