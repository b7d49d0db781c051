"""Values inside plans: found, compared, replaced, in every kind of plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.dialogue.values import at, different, has_action_before, values_of, with_value
from framework.plan import (
    AllOf,
    Cancel,
    Compare,
    Comparison,
    Do,
    Elapsed,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
)

THAT = Reference("that", is_pointing=True)
NEAR = Compare("distance", {"thing": "hand"}, Comparison.LESS, 0.5)
PLAN = Sequence(
    (
        Do("put", {"thing": THAT, "place": "dock"}),
        If(AllOf((State("open", {"thing": "door"}), NEAR)), Do("go"), Cancel("track")),
        Until(Do("show", {"what": ["a", "b"]}), Elapsed(10.0)),
    )
)
VALUES = [THAT, "dock", "door", "hand", 0.5, "track", ["a", "b"], 10.0]


def test_all_values_in_the_order_in_which_they_were_said() -> None:
    found = values_of(PLAN)
    assert list(found.values()) == VALUES
    assert next(iter(found)) == ("steps", 0, "parameters", "thing")
    assert all(at(PLAN, place) == value for place, value in found.items())


def test_one_value_is_replaced_and_nothing_else() -> None:
    for place in values_of(PLAN):
        changed = with_value(PLAN, place, "x")
        assert at(changed, place) == "x"
        assert different(PLAN, changed) == (place,)
        assert with_value(changed, place, at(PLAN, place)) == PLAN


@pytest.mark.parametrize(
    "other",
    [
        Do("go"),
        Parallel(PLAN.steps),
        Sequence(PLAN.steps[:2]),
        with_value(PLAN, ("steps", 0, "action"), "take"),
        with_value(PLAN, ("steps", 0, "parameters"), {"thing": THAT}),
        with_value(PLAN, ("steps", 1, "condition", "conditions", 0, "is_so"), False),
        with_value(PLAN, ("steps", 1, "otherwise"), None),
    ],
)
def test_more_than_values_is_another_structure(other: Plan) -> None:
    assert different(PLAN, other) is None
    assert different(other, PLAN) is None


def test_equal_plans_differ_nowhere() -> None:
    assert different(PLAN, PLAN) == ()


@given(st.lists(st.sampled_from(list(values_of(PLAN))), unique=True), st.text(max_size=3))
def test_differences_are_just_what_was_replaced(places: list[tuple[str | int, ...]], text: str) -> None:
    changed: Plan = PLAN
    for place in places:
        changed = with_value(changed, place, f"new {text}")
    assert set(different(PLAN, changed) or ()) == set(places)


def test_an_action_before() -> None:
    show = Do("show", {"what": THAT})
    place = ("steps", 1, "parameters", "what")
    assert has_action_before(Sequence((Do("go"), show)), place)
    assert not has_action_before(Sequence((show, show)), ("steps", 0, "parameters", "what"))
    assert has_action_before(Sequence((show, show)), place)
    assert not has_action_before(show, ("parameters", "what"))
    waiting = Sequence((Wait(State("open", {"thing": THAT})), Do("go")))
    assert not has_action_before(waiting, ("steps", 0, "condition", "arguments", "thing"))
