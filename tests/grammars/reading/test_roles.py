"""Who takes part is found in whatever order; what is known and takes no part is never passed over."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood, Understood
from framework.plan.ast import Do
from framework.plugins.phrases import SlotList, VerbFrame
from grammars import Language
from tests.grammars.kitchen import WORLD, action, do, parameter

SIDES = SlotList("side", values=(("left", ("left",)), ("right", ("right",))))
WAYS = SlotList("way", values=(("up", ("up",)), ("down", ("down",))))
LIFT = action(
    "lift",
    (),
    parameter("side", str, one_of=("left", "right")),
    parameter("way", str, one_of=("up", "down")),
    parameter("far_m", float, default=0.1, unit="m"),
    lists=(SIDES, WAYS),
    frames=(
        VerbFrame(theme="the {side} lid", verbs=("lift",), goes=("go",), roles=("{way}", "[[by] {far_m}]")),
    ),
)
LANGUAGE = Language((LIFT,))


def understood(text: str) -> tuple[Do, float, tuple[str, ...]]:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, Understood), str(result)
    best = result.readings[0]
    assert isinstance(best.plan, Do)
    return best.plan, best.confidence, best.left_out


@pytest.mark.parametrize(
    "text",
    [
        "up it goes, the left lid, 5 cm",
        "5 cm the left lid you lift exactly up please",
        "the left lid, with 5 cm, up, lift it",
        "lift the left lid, and only the left lid, up by 5 cm",
        "lift the left lid up up up 5 cm",
    ],
)
def test_any_order_will_do(text: str) -> None:
    plan, confidence, left_out = understood(text)
    assert plan == do("lift", side="left", way="up", far_m=0.05)
    assert 0.9 <= confidence < 1 and not left_out


def test_words_that_nobody_knows_are_named() -> None:
    plan, confidence, left_out = understood("up it goes, the quaggle left lid, 5 cm")
    assert plan == do("lift", side="left", way="up", far_m=0.05)
    assert confidence < 0.9 and left_out == ("quaggle",)


@pytest.mark.parametrize(
    "text",
    [
        "up it goes, the left lid, not 5 cm",
        "up it goes, the left lid, 5 cm, 3 s",
        "the left lid goes, the right lid, up 5 cm",
        "up it never goes, the left lid, 5 cm",
        "the left lid is going up 5 cm",
        "you lifted the left lid up 5 cm",
        "up you lifted it, the left lid",
        "up it goes, the left lid, halfway",
        "it goes up 5 cm",
        "up it goes, the left lid, if the pan",
    ],
)
def test_what_is_known_and_takes_no_part_is_not_passed_over(text: str) -> None:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood) or result.readings[0].confidence < 0.9
