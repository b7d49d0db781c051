"""A language model of sentences: its shares add up, and what was said is likelier than what was not."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammars.tools.ngrams import BEGIN, END, arpa

Gram = tuple[str, ...]


class Model:
    """Reads a model as a recogniser does: a gram's share, or its beginning's weight times the rest's."""

    def __init__(self, text: str) -> None:
        self.shares: dict[Gram, float] = {}
        self.weights: dict[Gram, float] = {}
        for line in text.splitlines():
            parts = line.split("\t")
            if len(parts) > 1:
                gram = tuple(parts[1].split())
                self.shares[gram] = 10 ** float(parts[0])
                self.weights[gram] = 10 ** float(parts[2]) if len(parts) > 2 else 1.0
        self.words = [gram[0] for gram in self.shares if len(gram) == 1 and gram != (BEGIN,)]

    def share(self, *gram: str) -> float:
        if gram in self.shares:
            return self.shares[gram]
        return self.weights.get(gram[:-1], 1.0) * self.share(*gram[1:])

    def of_sentence(self, text: str) -> float:
        words = [BEGIN, *text.split(), END]
        return math.prod(self.share(*words[max(0, at - 2) : at + 1]) for at in range(1, len(words)))


def model(*texts: str, vocabulary: tuple[str, ...] = ()) -> Model:
    return Model(arpa([(text.split(), 1.0) for text in texts], vocabulary))


def test_of_nothing_there_is_no_model() -> None:
    for nothing in ([], [((), 1.0)]):
        with pytest.raises(ValueError, match="no words; give at least one sentence with a word"):
            arpa(nothing)


@pytest.mark.parametrize("weight", [0.0, 0.1, -1.0, float("nan")])
def test_what_counts_less_than_once_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match=r"'go home' counts .*; at least 1 is allowed"):
        arpa([(("go", "home"), weight)])


def test_the_head_says_how_much_there_is() -> None:
    text = arpa([(["open", "the", "gripper"], 1.0)])
    counts = [line for line in text.splitlines() if line.startswith("ngram ")]
    assert counts == ["ngram 1=5", "ngram 2=4", "ngram 3=3"]
    assert text.startswith("\\data\\\n") and text.endswith("\\end\\\n")


SAID = ("open the gripper", "open the left gripper", "close the gripper", "go home", "show the camera")

BEFORE = (*product((BEGIN, "open", "the", "left"), ("open", "the", "gripper")), ("the",))


@pytest.mark.parametrize("before", BEFORE)
def test_after_every_beginning_the_shares_of_all_words_are_one(before: Gram) -> None:
    found = model(*SAID)
    assert sum(found.share(*before, word) for word in found.words) == pytest.approx(1.0, abs=2e-3)


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=12))
def test_whatever_is_said_the_shares_are_one(sentences: list[list[str]]) -> None:
    found = Model(arpa([(sentence, 1.0) for sentence in sentences]))
    for before in ((), (BEGIN,), *((word,) for word in found.words), *product(found.words, found.words)):
        if END not in before:
            assert sum(found.share(*before, word) for word in found.words) == pytest.approx(1.0, abs=5e-3)


def test_what_was_said_is_likelier_than_the_same_words_in_another_order() -> None:
    found = model(*SAID)
    assert found.of_sentence("open the gripper") > 100 * found.of_sentence("gripper the open")
    assert found.of_sentence("close the left gripper") > 10 * found.of_sentence("close left the gripper")


def test_what_counts_more_is_likelier() -> None:
    text = arpa([(["go", "home"], 5.0), (["go", "away"], 1.0)])
    found = Model(text)
    assert found.of_sentence("go home") > 2 * found.of_sentence("go away")


def test_a_word_of_the_vocabulary_may_come_anywhere() -> None:
    found = model(*SAID, vocabulary=("twirl",))
    assert 0.0 < found.of_sentence("twirl the gripper") < found.of_sentence("open the gripper")
