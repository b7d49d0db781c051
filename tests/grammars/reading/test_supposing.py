"""Of all that a text could have become, what it says most of is explained: the name that nobody knows."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood
from framework.plugins.phrases import SlotList
from grammars.reading.supposing import MOST_WORDS
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import CONDITIONS, KITCHEN, POTS, Guests, action, parameter
from tests.work import A_SECOND, work_of

GUEST = SlotList("guest", "people", by_name=True, who_are="invited")
LANGUAGE = CompiledLater(
    (
        *KITCHEN,
        action("carry", ("send {pot} to {guest}",), parameter("pot", str), parameter("guest", str),
               lists=(POTS, GUEST)),
        action("call_in", ("send {guest} in",), parameter("guest", str), lists=(GUEST,)),
        action("see_off", ("(say goodbye to|send) {guest} home",), parameter("guest", str), lists=(GUEST,)),
    ),
    conditions=CONDITIONS,
)  # fmt: skip
WORLD = Guests(people=("Ann", "Bob"), pots=("kettle", "pan"))
NOBODY = Guests(pots=("kettle", "pan"))


def said_to(text: str, world: Guests = WORLD) -> str:
    result = LANGUAGE.parse(text, world)
    assert isinstance(result, NotUnderstood)
    return str(result)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("send Carl home", 'Nobody called "Carl" is invited; invited: Ann, Bob.'),
        ("please send uncle Carl home", 'Nobody called "uncle Carl" is invited; invited: Ann, Bob.'),
        ("send the mug to Ann", 'I know no pot called "mug"; I know kettle and pan.'),
        ("send the mug to Carl", 'I know no pot called "mug"; I know kettle and pan.'),
        ("send the kettle to Carl", 'Nobody called "Carl" is invited; invited: Ann, Bob.'),
        ("if the mug is boiling send Ann home", 'I know no pot called "mug"; I know kettle and pan.'),
        ("hum and send Carl home", 'Nobody called "Carl" is invited; invited: Ann, Bob.'),
    ],
)
def test_the_name_is_explained_and_not_what_merely_begins_the_same(text: str, words: str) -> None:
    assert said_to(text).startswith(words)


WHICH = SlotList("which", values=(("big", ("big",)), ("small", ("small",))))
STOVE = CompiledLater(
    (
        action("wipe", ("wipe {which} pan [well]",), parameter("which", str), lists=(POTS, WHICH)),
        action("fill", ("fill {pot}",), parameter("pot", str), lists=(POTS,)),
    )
)


def test_which_one_is_explained_with_those_of_that_name() -> None:
    pans = Guests(pots=("kettle", "big pan", "small pan"))
    assert str(STOVE.parse("wipe the round pan well", pans)) == (
        'I know no pan called "round pan"; I know big pan and small pan.'
    )
    pots = Guests(pots=("kettle",))  # no pan is known
    assert str(STOVE.parse("wipe the round pan", pots)) == 'I did not understand "wipe the round pan".'


def test_where_nobody_is_known_that_is_said() -> None:
    assert said_to("send Carl home", NOBODY) == 'Nobody called "Carl" is invited; nobody is.'


@pytest.mark.parametrize(
    "text", ["send", "send Carl away", "send Carl and Ann", "send the old mug of Carl's home"]
)
def test_where_no_name_would_help_it_is_said_what_could_follow_or_is_known(text: str) -> None:
    words = said_to(text)
    assert words.startswith(
        ("I did not understand", 'Something is missing after "send', "I know no", "Nobody called")
    )
    assert "\0" not in words


def test_a_long_text_is_not_searched_for_names() -> None:
    text = "send " + " ".join(["who is this now"] * 49) + " home"
    with work_of() as work:
        assert "\0" not in said_to(text)
        assert "\0" not in said_to("send " + " ".join(["this or that"] * (MOST_WORDS // 3)))
    assert work.calls < A_SECOND
