"""Forms of verbs are taken back to what a phrase says."""

from __future__ import annotations

import pytest

from grammars.reading.inflection import base_forms, gerund


@pytest.mark.parametrize(
    "word", ["", "s", "ing", "ed", "is", "thing", "king", "red", "bring", "glass", "'s", "1ing"]
)
def test_words_that_are_no_forms_are_survived(word: str) -> None:
    assert base_forms(word)[0] == word


@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("showing", "show"), ("moving", "move"), ("stopping", "stop"), ("lying", "lie"),
        ("tracked", "track"), ("tracks", "track"),
        ("moved", "move"), ("carried", "carry"), ("carries", "carry"), ("goes", "go"),
        ("watches", "watch"), ("went", "go"),
        ("shown", "show"), ("held", "hold"), ("taken", "take"), ("seeing", "see"), ("gripped", "grip"),
        ("closing", "close"),
    ],
)  # fmt: skip
def test_base_forms(form: str, verb: str) -> None:
    assert verb in base_forms(form)


VERBS = (
    "show track wait say describe remember repeat list move stop grab drop put run plan scan map spin "
    "open close turn follow watch keep go pick place hand bring carry lie tie see free dye begin get "
    "set cut fix play try use let hold"
)


@pytest.mark.parametrize("verb", VERBS.split())
def test_every_activity_is_taken_back(verb: str) -> None:
    assert verb in base_forms(gerund(verb))


@pytest.mark.parametrize("form", ["using", "used", "uses"])
def test_a_pronoun_has_no_forms(form: str) -> None:
    assert "use" in base_forms(form) and "us" not in base_forms(form)
