"""What is said out of politeness, and what is a condition or an order after all."""

from __future__ import annotations

import pytest

from grammars.core_file import english
from grammars.reading.courtesies import is_courtesy, is_outcry, is_tag

CORE = english()
WORDS = CORE.asides


@pytest.mark.parametrize(
    "text",
    ["if there is trouble", "if you are able to", "if it is open", "if you are ready", "when you stop", "if"],
)
def test_a_condition_is_no_courtesy(text: str) -> None:
    assert not is_courtesy(text.split(), CORE)


@pytest.mark.parametrize(
    "text", ["if it isn't too much trouble", "if you'd be so kind", "if you don't mind", "if it is possible"]
)
def test_a_courtesy_is_one(text: str) -> None:
    assert is_courtesy(text.split(), CORE)


def test_greetings_and_tags() -> None:
    assert not is_outcry(["good", "morning", "turn", "left"], WORDS)
    assert not is_outcry(["everyone"], WORDS)
    assert is_outcry(["good", "morning", "everyone"], WORDS)
    assert not is_tag(["shall", "we", "not"], WORDS)
    assert is_tag(["shall", "we", "everyone"], WORDS)
