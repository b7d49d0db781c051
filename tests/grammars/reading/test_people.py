"""People and things in one language: whom "them" stands for, who is called, and what only looks so."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.plan.ast import Do, Plan, Reference, Sequence
from framework.plan.parser import NotUnderstood, Reading, Understood
from grammars.domain import read_domain
from tests.grammars.compiled_later import CompiledLater

DOMAIN = read_domain(Path(__file__).with_name("people.yaml"))
LANGUAGE = CompiledLater(DOMAIN.actions)


def read(text: str) -> tuple[Reading, ...]:
    """What a text may mean, the best first."""
    answer = LANGUAGE.parse(text, DOMAIN.world)
    assert isinstance(answer, Understood), f"{text}: {answer}"
    return answer.readings


def surely(text: str) -> Plan:
    """What a text means, if nothing is to be asked."""
    best, *others = read(text)
    assert best.confidence >= 0.9 and all(each.confidence < best.confidence for each in others)
    return best.plan


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("find Ann, then take them to the shelf", Do("find", {"who": "Ann"}), ("guide", "who", "them")),
        ("find the apple, take them to the shelf", Do("find", {"what": "apple"}), ("carry", "what", "them")),
        ("find Ann on the table and take them to the shelf", Do("find", {"who": "Ann", "where": "table"}),
         ("guide", "who", "them")),
    ],
)  # fmt: skip
def test_them_is_what_was_named_last(text: str, first: Do, second: tuple[str, str, str]) -> None:
    action, parameter, word = second
    then = Do(action, {parameter: Reference(word), "where": "shelf"})
    assert surely(text) == Sequence((first, then))


def test_where_nothing_was_named_it_is_asked() -> None:
    best, other, *_ = read("take them to the shelf")
    assert best.confidence == other.confidence


@pytest.mark.parametrize(("word", "action"), [("it", "carry"), ("him", "guide"), ("her", "guide")])
def test_it_is_a_thing_and_him_is_somebody(word: str, action: str) -> None:
    plan = surely(f"take {word} to the table")
    assert isinstance(plan, Do) and plan.action == action


def test_a_name_is_no_call_where_it_is_a_part_of_what_is_said() -> None:
    assert surely("take Robin to the table") == Do("guide", {"who": "Robin", "where": "table"})


@pytest.mark.parametrize(
    "text",
    [
        "Robin, find the apple",
        "Robin find the apple",
        "Robin could you find the apple",
        "Zoe, find the apple",
    ],
)
def test_who_is_called_by_a_name_alone_may_be_another_so_it_is_asked(text: str) -> None:
    (reading,) = read(text)
    assert reading.plan == Do("find", {"what": "apple"})
    assert reading.confidence < 0.9


def test_after_hey_the_robot_is_called_whatever_it_is_called() -> None:
    assert surely("hey Zoe, find the apple") == Do("find", {"what": "apple"})


@pytest.mark.parametrize("text", ["find, the apple Zoe", "Zoe find", "apple, take"])
def test_a_word_in_front_is_no_call_if_nothing_follows(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, DOMAIN.world), NotUnderstood)


def test_next_to_is_no_next() -> None:
    refused = LANGUAGE.parse("take the apple to the table next to the shelf", DOMAIN.world)
    assert isinstance(refused, NotUnderstood)
    then = surely("take the apple to the table, next take the red box to the shelf")
    assert isinstance(then, Sequence) and len(then.steps) == 2


def test_a_clause_may_say_which_one_is_meant() -> None:
    assert surely("find the apple that is on the table") == Do("find", {"what": "apple", "where": "table"})
    assert surely("find Ann who's on the table") == Do("find", {"who": "Ann", "where": "table"})


def test_what_is_called_so_goes_before_what_only_may_be() -> None:
    """A cupboard may be called a closet, but here something else is one."""
    assert surely("visit the closet") == Do("visit", {"where": "closet"})


def test_a_whole_name_goes_before_a_part_of_it_and_what_it_is_like() -> None:
    assert surely("weigh the red box") == Do("weigh", {"what": "red box"})
    assert surely("weigh the blue box") == Do("weigh", {"colour": "blue", "what": "box"})
