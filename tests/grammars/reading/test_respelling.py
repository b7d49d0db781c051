"""Words as people type and speak them are written out; names, numbers and what makes sense stay."""

from __future__ import annotations

import pytest

from grammars.core import Core, Respelt
from grammars.reading.respelling import Respelling

WORDS = frozenset((
    "boil", "the", "eggs", "slow", "down", "to", "pan", "please", "off", "of", "looking", "and", "all",
    "wait", "cook", "good",
))  # fmt: skip
CORE = Core(
    shorthand={"u": "you", "go 2": "go to", "n": "and", "pls": "please", "back 2": "back to"},
    respelling=Respelt(
        dialects={"doon": "down", "tae": "to", "t'": "the", "wi'": "with"},
        learners={"und": "and", "s'il vous plait": "please"},
        before_consonants={"an": "and"},
        endings={"in": "ing"},
        dictated={"comma": ",", "full stop": "."},
    ),
)
RESPELLING = Respelling(CORE, lambda word: word in WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "boil the eggs",
        "10 n",  # newtons
        "go 2 metres",
        "go 2",
        "boil an egg",
        "cartooon",  # no word of ours, however it is shortened
        "cabin",
        "xn",
        "",
    ],
)
def test_what_is_as_it_should_be_stays(text: str) -> None:
    assert [*RESPELLING.ways(text, lambda _: ())] == []


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("go 2 the pan", "go to the pan"),
        ("boil n cook", "boil and cook"),
        ("sloooow", "slow"),
        ("plsss boil alllll the eggs", "please boil all the eggs"),
        ("turn it offfff", "turn it off"),
        ("it is goood", "it is good"),
        ("doon tae the pan", "down to the pan"),
        ("DOON", "down"),
        ("boil t'eggs", "boil the eggs"),
        ("wi’ the eggs", "with the eggs"),
        ("boil an cook", "boil and cook"),
        ("lookin at it", "looking at it"),
        ("boil  s’il  vous plait", "boil  please"),
        ("boil comma cook full stop", "boil , cook ."),
        ("x3", "3 times"),
    ],
)
def test_what_is_not_is_written_out(text: str, last: str) -> None:
    assert RESPELLING.out(text) == last


def test_it_is_written_out_step_by_step() -> None:
    assert [*RESPELLING.ways("u doon comma", lambda _: ())] == [
        "you doon comma",
        "you down comma",
        "you down ,",
    ]


def test_known_names_stay_as_they_are() -> None:
    def named(text: str) -> tuple[tuple[int, int], ...]:
        at = text.find("doon")
        return ((at, at + 4),) if at >= 0 else ()

    assert [*RESPELLING.ways("tae doon", named)] == ["to doon"]
