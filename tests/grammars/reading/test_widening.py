"""Whole kinds of sentences: the last action once more, several things, statements, owners, speech."""

from __future__ import annotations

import pytest

from framework.plan import Do, Known, NotUnderstood, Parallel, Plan, Sequence, State, Understood, Until, Wait
from framework.plan.ast import AllOf, AnyOf, Condition, Elapsed, If
from grammars import Language
from grammars.core import Statements
from grammars.core_file import english
from grammars.reading.recogniser import Recogniser
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import CONDITIONS, KITCHEN, LANGUAGE, WORLD, Guests, action, do, parameter

KETTLE, PAN, TABLE = do("watch", pot="kettle"), do("watch", pot="pan"), do("set_table")
TELL = action("tell", ("tell me {statements:text}", "say {text}"), parameter("text", str))
TELLING = CompiledLater((*KITCHEN, TELL), conditions=CONDITIONS)


def plans(language: Language, text: str) -> list[Plan]:
    result = language.parse(text, WORLD)
    if isinstance(result, NotUnderstood):
        return []
    sure = result.readings[0].confidence
    return [each.plan for each in result.readings if each.confidence == sure]


# -- the last action once more


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("watch the kettle for ten seconds, then the pan", Sequence((Until(KETTLE, Elapsed(10.0)), PAN))),
        (
            "watch the kettle for ten seconds, then the pan for five seconds",
            Sequence((Until(KETTLE, Elapsed(10.0)), Until(PAN, Elapsed(5.0)))),
        ),
        (
            "watch the kettle until I say go, then for five seconds the pan, then set the table",
            Sequence((Until(KETTLE, State("said", {"words": "go"})), Until(PAN, Elapsed(5.0)), TABLE)),
        ),
        (
            "if the kettle is boiling watch the kettle, otherwise the pan",
            If(State("boiling", {"pot": "kettle"}), KETTLE, PAN),
        ),
        ("watch the kettle followed by the pan", Sequence((KETTLE, PAN))),
        ("watch the kettle, followed by setting the table", Sequence((KETTLE, TABLE))),
    ],
)
def test_a_name_is_the_last_action_once_more(text: str, plan: Plan) -> None:
    assert plans(LANGUAGE, text) == [plan]


@pytest.mark.parametrize("text", ["set the table, then the pan", "then the pan", "the pan, then the kettle"])
def test_without_such_an_action_a_name_is_nothing(text: str) -> None:
    assert plans(LANGUAGE, text) == []


# -- several things


def test_several_things_may_stand_within_a_clause() -> None:
    point = action(
        "point", ("point at {pot} [with a finger]",), parameter("pot", str), continuous=True,
        lists=KITCHEN[6].phrases.lists,
    )  # fmt: skip
    language = Language((point,))

    def at(pot: str) -> Do:
        return do("point", pot=pot)

    assert plans(language, "point at the kettle and the pan with a finger") == [
        Parallel((at("kettle"), at("pan")))
    ]
    assert plans(language, "point at the kettle, the pan and the kettle with a finger") == [
        Parallel((at("kettle"), at("pan"), at("kettle")))
    ]
    # A comma alone joins no two things; it is what comes after it that is not said again.
    assert plans(language, "point at the kettle, the pan with a finger") == [
        Sequence((at("kettle"), at("pan")))
    ]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("wait until the kettle and the pan are boiling", AllOf),
        ("wait until the kettle or the pan is boiling", AnyOf),
    ],
)
def test_conditions_about_several_things(text: str, condition: type[Condition]) -> None:
    (plan,) = plans(LANGUAGE, text)
    assert isinstance(plan, Wait)
    assert isinstance(plan.condition, condition)


@pytest.mark.parametrize(
    "text",
    ["when the watching ends, set the table", "once you are done watching, set the table"],
)
def test_what_has_ended_is_no_longer_done(text: str) -> None:
    ended = Wait(State("running", {"what": "watch"}, is_so=False))
    assert plans(LANGUAGE, text) == [Sequence((ended, TABLE))]


def test_the_time_behind_after_is_about_what_stands_before_it() -> None:
    expected = Sequence((Until(KETTLE, Elapsed(10.0)), do("hum")))
    assert plans(LANGUAGE, "after watching the kettle for ten seconds, hum") == [expected]


# -- statements


@pytest.mark.parametrize(
    "text",
    [
        "dinner is ready",
        "it's late",
        "the pan was hot",
        "you are right",
        "everything is fine",
        "the door opened",
    ],
)
def test_statements(text: str) -> None:
    assert plans(TELLING, f"tell me {text}") == [Do("tell", {"text": text})]


@pytest.mark.parametrize(
    "text",
    [
        "a joke", "what is new", "whether it is late", "if dinner is ready", "a tale that is true",
        "where it is",
        "about what happened", "is it late", "it", "this", "things you have seen", "all there is to know",
        "when dinner is ready",
    ],
)  # fmt: skip
def test_no_statements(text: str) -> None:
    assert plans(TELLING, f"tell me {text}") == []


@pytest.mark.parametrize("text", ['tell me "a bad joke"', "tell me: a bad joke"])
def test_what_is_set_off_may_be_anything(text: str) -> None:
    assert plans(TELLING, text) == [Do("tell", {"text": "a bad joke"})]


def test_a_core_without_statements_knows_none() -> None:
    assert not Statements().has(("dinner", "is", "ready"))
    assert not english().statements.has(())


# -- words to be said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("say ladies first", "ladies first"),
        ("say it is late now", "it is late now"),
        ("say hello please", "hello"),
        ("say hello, now", "hello"),
        ('say: "safety first"', "safety first"),
    ],
)
def test_politeness_is_a_part_of_what_is_to_be_said(text: str, said: str) -> None:
    assert plans(TELLING, text)[0] == Do("tell", {"text": said})


# -- owners, rough numbers, misspellings


def test_names_of_owners() -> None:
    found = Recogniser().read("the red cup's place", Guests(Known("red cup", "red cup")), ("pots",))
    assert [(at, named.end) for at, each in found.names["pots"].items() for named in each] == [(0, 2)]


@pytest.mark.parametrize(
    "text", ["watch the kettle for about ten seconds", "watch the kettle in about ten seconds"]
)
def test_rough_numbers(text: str) -> None:
    assert plans(LANGUAGE, text)


def test_what_stands_for_anything_is_no_correction() -> None:
    result = LANGUAGE.parse("watch game", WORLD)  # "the same" is one letter away
    assert not isinstance(result, Understood)
