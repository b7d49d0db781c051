""" "Both" of a list of two, and several of a list: the same once more for each."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood, Parallel, Plan, Sequence, Until
from framework.plan.ast import Elapsed
from framework.plugins.phrases import SlotList
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import Guests, action, do, parameter, plan_of

SIDES = (SlotList("side", "", (("left", ("left", "left hand")), ("right", ("right", "right hand")))),)
SIZES = (SlotList("size", "", (("small", ("small",)), ("big", ("big",)), ("huge", ("huge",)))),)
ROOMS = (SlotList("room", "rooms"),)
LANGUAGE = CompiledLater(
    (
        action("wash", ("wash {side} (hand|hands) [now]",), parameter("side", str), lists=SIDES),
        action("warm", ("warm {side} (oven|ovens)",), parameter("side", str), lists=SIDES, continuous=True),
        action("buy", ("buy {size} (pot|pots)",), parameter("size", str), lists=SIZES),
        action("clean", ("clean {room}",), parameter("room", str), lists=ROOMS),
    )
)
WORLD = Guests(rooms=("kitchen", "hall"))


def each(name: str) -> tuple[Plan, Plan]:
    return do(name, side="left"), do(name, side="right")


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("wash both hands", Parallel(each("wash"))),
        ("please wash both of your hands now", Parallel(each("wash"))),
        ("warm both ovens for ten seconds", Until(Parallel(each("warm")), Elapsed(10.0))),
        ("warm both ovens and wash both hands", Parallel((*each("warm"), *each("wash")))),
        (
            "wash both hands, then clean the hall",
            Sequence((Parallel(each("wash")), do("clean", room="hall"))),
        ),
        ("wash the left and the right hand", Sequence(each("wash"))),
        (
            "buy small, big and huge pots",
            Sequence(tuple(do("buy", size=x) for x in ("small", "big", "huge"))),
        ),
    ],
)
def test_each_is_a_step(text: str, plan: Plan) -> None:
    assert plan_of(text, LANGUAGE, WORLD) == plan
    assert LANGUAGE.sayable(plan, WORLD)


@pytest.mark.parametrize("text", ["buy both pots", "clean both"])
def test_both_is_of_two_that_are_always_there(text: str) -> None:
    assert isinstance(LANGUAGE.parse(text, WORLD), NotUnderstood)


def test_both_is_offered() -> None:
    assert "both" in LANGUAGE.complete("wash ", WORLD).options
