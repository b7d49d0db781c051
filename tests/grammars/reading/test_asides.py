"""What is only remarked beside an instruction is left out; what may ask for something never is."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood, Understood
from framework.plugins.phrases import SlotList
from grammars import Language
from tests.grammars.kitchen import LANGUAGE, WORLD, action, do, parameter, plan_of


@pytest.mark.parametrize(
    "text",
    [
        "watch the pan, i am hungry",
        "watch the pan, there is nobody behind you.",
        "watch the pan because somebody is coming",
        "watch the pan! i have to leave for a moment",
        "I am in a hurry, watch the pan",
        "i am here, watch the pan, we are late",
    ],
)
def test_what_tells_something_and_asks_for_nothing_is_left_out(text: str) -> None:
    assert plan_of(text) == do("watch", pot="pan")


@pytest.mark.parametrize(
    "text",
    [
        "watch the pan, i want the kettle",
        "watch the pan, i did not mean that",
        "watch the pan, i need it in 5 minutes",
        "watch the pan, there is one thing you must know",
        "watch the pan, it must be done slowly",
        "watch the pan, nobody should touch it",
        "watch the pan, somebody has to boil the eggs",
        "watch the pan i am hungry",
        "i am hungry, there is nobody here",
    ],
)
def test_what_may_ask_for_something_is_not(text: str) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood) or result.readings[0].confidence < 0.9


def test_words_to_be_said_are_all_said() -> None:
    result = LANGUAGE.parse("announce i am back, i am hungry", WORLD)
    assert isinstance(result, Understood)
    assert "hungry" in str(result.readings[0].plan)


def test_a_misspelling_is_found_beside_filling_too() -> None:
    result = LANGUAGE.parse("um wacth like the pan basically", WORLD)
    assert isinstance(result, Understood)
    assert result.readings[0].plan == do("watch", pot="pan")


def test_both_may_be_done_at_the_same_time_in_so_many_words() -> None:
    sides = SlotList("side", values=(("left", ("left",)), ("right", ("right",))))
    turn = action(
        "turn", ("turn {side} knobs",), parameter("side", str, one_of=("left", "right")), lists=(sides,)
    )
    language = Language((turn,))
    assert plan_of("turn both knobs at the same time", language) == plan_of("turn both knobs", language)
