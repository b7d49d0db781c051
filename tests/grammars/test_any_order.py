"""Phrases whose parts come in any order, and what one sentence may mean of two actions."""

from __future__ import annotations

import math

import pytest

from framework.errors import DescriptionError
from framework.plan import Known, NotUnderstood, Parallel, Understood
from framework.plan.ast import actions_of
from framework.plugins.phrases import SlotList
from framework.plugins.template import AnyOrder, Word, parse_template
from grammars import Language
from grammars.tools.lint import lint_one
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import Guests, action, do, parameter, plan_of

SIDES = SlotList("side", values=(("left", ("left",)), ("right", ("right",))))
RULES = (("what", "(the {side} arm|the arms {side:=both})"), ("way", "(up {way:=up}|down {way:=down})"))
LIFT = action(
    "lift",
    ("([lift] + <what> + <way> + [by] [{far_m}])",),
    parameter("side", str, one_of=("", "left", "right")),
    parameter("way", str),
    parameter("far_m", float, 0.1, unit="m", le=1.0),
    rules=RULES,
    lists=(SIDES,),
)
LANGUAGE = CompiledLater((LIFT,))


def test_the_parts_are_a_node_of_their_own() -> None:
    assert parse_template("(a + b)") == AnyOrder((Word("a"), Word("b")))
    assert parse_template("2 +3") != AnyOrder((Word("2"), Word("3")))


@pytest.mark.parametrize("text", ["(a + )", "( + a)"])
def test_what_has_an_empty_part_says_nothing_there(text: str) -> None:
    with pytest.raises(DescriptionError):
        parse_template(text)


@pytest.mark.parametrize(
    "text",
    [
        "lift the left arm up by 20 cm",
        "left arm up 20 cm",
        "left arm 20 cm up",
        "20 cm up, left arm",
        "up with the left arm 20 cm".replace("with ", ""),
        "lift up 20 cm the left arm",
        "lift please the left arm but just 20 cm, up",
    ],
)
def test_they_may_come_in_any_order_with_a_comma_or_filling_between_them(text: str) -> None:
    assert plan_of(text, LANGUAGE) == do("lift", side="left", way="up", far_m=0.2)


@pytest.mark.parametrize(
    "text",
    [
        "left arm 20 cm",
        "lift up 20 cm",
        "left arm up up",
        "left arm right arm up",
        "up, left arm, please lift it",
    ],
)
def test_each_that_is_necessary_is_said_and_none_twice(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, Guests()), NotUnderstood)


def test_a_constant_may_stand_for_both_values() -> None:
    both = plan_of("lift the arms up", LANGUAGE)
    assert [each.parameters["side"] for each in actions_of(both)] == ["left", "right"]
    assert isinstance(both, Parallel)


def test_a_slot_with_a_list_takes_names_that_nobody_knows_to_say_which_there_are() -> None:
    result = LANGUAGE.parse(
        "lift the middle arm up", Guests(Known("left", "left arm"), Known("right", "right arm"))
    )
    assert isinstance(result, NotUnderstood)


ROLL = action(
    "roll",
    ("(go + <way> + {far_m})",),
    parameter("way", str),
    parameter("far_m", float, unit="m"),
    rules=RULES[1:],
)
REACH = action(
    "reach",
    ("(go + <way> + {far_m})",),
    parameter("way", str),
    parameter("far_m", float, unit="m", le=1.0),
    rules=RULES[1:],
)


def _shared(one: tuple[str, ...] = (), other: tuple[str, ...] = ()) -> Language:
    return Language(
        (
            action("roll", ROLL.phrases.say, *ROLL.parameters, rules=RULES[1:], shared_with=one),
            action("reach", REACH.phrases.say, *REACH.parameters, rules=RULES[1:], shared_with=other),
        )
    )


def test_what_two_actions_may_mean_is_asked_and_what_fits_only_one_is_not() -> None:
    language = _shared(("reach",), ("roll",))
    result = language.parse("go up 20 cm", Guests())
    assert isinstance(result, Understood)
    sure = [each for each in result.readings if each.confidence == result.readings[0].confidence]
    assert {do.action for each in sure for do in actions_of(each.plan)} == {"roll", "reach"}
    assert plan_of("go 3 m up", language) == do("roll", way="up", far_m=3.0)


@pytest.mark.parametrize(
    ("one", "other", "is_fine"), [(("reach",), ("roll",), True), (("reach",), (), False), ((), (), False)]
)
def test_only_actions_that_know_of_each_other_may_share_sentences(
    one: tuple[str, ...], other: tuple[str, ...], is_fine: bool
) -> None:
    language = _shared(one, other)
    problems = lint_one(language, language.phrasebook.actions["roll"], Guests())
    assert any("not only for roll" in str(each) for each in problems) is not is_fine


def test_an_angle_keeps_its_unit_in_any_order() -> None:
    turn = action(
        "turn",
        ("(turn + {angle_rad} + <way>)",),
        parameter("way", str),
        parameter("angle_rad", float, unit="rad"),
        rules=RULES[1:],
    )
    (turned,) = actions_of(plan_of("turn down 90", Language((turn,))))
    assert turned.parameters["angle_rad"] == pytest.approx(math.pi / 2)


def _turning(*asked: str) -> Language:
    turn = action(
        "turn",
        ("turn {way} by {far_m}",),
        parameter("way", str, one_of=("up", "down")),
        parameter("far_m", float, unit="m"),
        asked=asked,
        asked_lines=(7,) * len(asked),
    )
    return Language((turn,))


def test_what_a_phrase_leaves_open_has_several_readings_and_is_no_sample() -> None:
    language = _turning("turn by {far_m} ({way:=up}|{way:=down})")
    result = language.parse("turn by 2 m", Guests())
    assert isinstance(result, Understood)
    assert [do.parameters["way"] for each in result.readings for do in actions_of(each.plan)] == [
        "up",
        "down",
    ]
    assert all("by" in phrase.text.split()[2] for phrase in language.phrases)


def test_a_phrase_that_leaves_nothing_open_is_not_one_that_is_asked() -> None:
    language = _turning("turn by {far_m} {way:=up}")
    (problem,) = lint_one(language, language.phrasebook.actions["turn"], Guests())
    assert "leaves nothing open" in str(problem)
    assert problem.line == 7
