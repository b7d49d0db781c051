"""Which words of a text are to be handed on: those that stand where such words stood before."""

from __future__ import annotations

import pytest

from grammars.intent.spans import Example, Span, Spans, Text
from grammars.reading.utterance import Token

_PLACE = "remember.name"


def text_of(text: str) -> Text:
    tokens, at = [], 0
    for word in text.replace('"', " ").replace(",", " ,").split():
        at = text.index(word, at)
        tokens.append(Token(word, at, at + len(word)))
        at += len(word)
    return Text.of(text, tokens)


def example(text: str, words: str) -> Example:
    found = text_of(text)
    span = found.find(words.split())
    assert span is not None
    return Example(found, _PLACE, span)


_EXAMPLES = [
    example("this spot is called base camp from now on", "base camp"),
    example("call this spot north corner please", "north corner"),
    example("this spot is called linen room", "linen room"),
    example("call this spot goods in", "goods in"),
    example("make a note of this spot, it is called pantry", "pantry"),
    example('note this as "the old gate" please', "the old gate"),
    example('call this spot "not for now" please', "not for now"),
    example("this spot is called checkpoint two from now on", "checkpoint two"),
]
#: Names are rare among all that is said; what requests are made of is not.
_TEXTS = [
    *(each.text.words for each in _EXAMPLES),
    *[text_of("make a note of this spot it is called as from now on please").words] * 500,
]


@pytest.fixture(scope="module")
def spans() -> Spans:
    return Spans.learn(_EXAMPLES, _TEXTS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("this spot is called paint shop from now on", "paint shop"),
        ("call this spot kitchenette please", "kitchenette"),
        ('note this as "the green door" please', "the green door"),
    ],
)
def test_a_new_name_is_found_by_what_stands_around_it(spans: Spans, text: str, words: str) -> None:
    found = text_of(text)
    assert spans.best(found, _PLACE) == found.find(words.split())


def test_nothing_is_handed_on_for_what_never_was(spans: Spans) -> None:
    assert spans.best(text_of("call this spot kitchenette please"), "say.text") is None
    assert spans.best(text_of(""), _PLACE) is None


def test_the_same_is_learnt_again(spans: Spans) -> None:
    assert Spans.learn(_EXAMPLES, _TEXTS) == spans


def test_words_are_found_where_they_stand_last() -> None:
    assert text_of("say say hello").find(["say"]) == Span(1, 2)
    assert text_of("say hello").find(["goodbye"]) is None
    assert text_of("say hello").find([]) is None
