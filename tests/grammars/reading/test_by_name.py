"""A list `by_name`: people are named; "it" and "that" are things."""

from __future__ import annotations

from functools import lru_cache

import pytest

from framework.plan import NotUnderstood
from framework.plugins.phrases import SlotList
from grammars import Language
from tests.grammars.kitchen import Guests, action, do, parameter, plan_of

WORLD = Guests(people=("ann", "cook 2"))


@lru_cache
def language(*, by_name: bool) -> Language:
    people = SlotList("who", "people", by_name=by_name)
    return Language((action("call", ("call {who}",), parameter("who", str), lists=(people,)),))


def test_who_is_named_is_meant_and_completed() -> None:
    named = language(by_name=True)
    assert plan_of("call cook two", named, WORLD) == do("call", who="cook 2")
    offered = named.complete("call ", WORLD).options
    assert "ann" in offered
    assert "it" not in offered and "it" in language(by_name=False).complete("call ", WORLD).options


@pytest.mark.parametrize("word", ["it", "that", "him", "here"])
def test_what_is_pointed_at_or_was_named_before_is_nobody(word: str) -> None:
    refused = language(by_name=True).parse(f"call {word}", WORLD)
    assert isinstance(refused, NotUnderstood)
    assert "ann and cook 2" in str(refused)
    assert not isinstance(language(by_name=False).parse(f"call {word}", WORLD), NotUnderstood)
