"""Plans: what is wrong is said at once; JSON and back; words."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import PlanError
from framework.plan import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Do,
    If,
    NotUnderstood,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
    While,
    actions_of,
    check,
    doing,
    from_json,
    in_words,
    is_continuous,
    to_json,
)
from framework.plan.check import MOST_LEVELS, MOST_NODES
from framework.plugins.parameters import ParameterSpec
from tests.framework.tree.scripted import Kind, Stage

STAGE = Stage(
    Kind("show", (ParameterSpec("stream", str, msgspec.NODEFAULT),), continuous=True),
    Kind(
        "move",
        (
            ParameterSpec("distance_m", float, msgspec.NODEFAULT, ge=0.0, le=1.0),
            ParameterSpec("speed", int, default=1),
        ),
    ),
    Kind("broken", unavailable="its module raises ImportError"),
)
OPEN = State("open", {"thing": "door"})


def wrong(plan: Plan) -> str:
    with pytest.raises(PlanError) as caught:
        check(plan, STAGE)
    return str(caught.value)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    said = wrong(
        Sequence(
            (
                Do("shwo", {"stream": "scan"}),
                Do("broken"),
                Do("show", {"strem": "scan"}),
                Parallel((Do("move", {"distance_m": 2.5}), Do("move", {"distance_m": "far"}))),
                Sequence(()),
            )
        )
    )
    assert "there is no action 'shwo'; did you mean 'show'?" in said
    assert "broken is unavailable: its module raises ImportError" in said
    assert "show has no parameter 'strem'; it has stream" in said
    assert "show needs stream" in said
    assert "distance_m = 2.5 will not do, it is too large" in said
    assert "distance_m = 'far' will not do" in said
    assert "a sequence needs at least one part" in said


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, None, [1.0]])
def test_ill_typed_values_are_refused(value: float) -> None:
    assert "distance_m" in wrong(Do("move", {"distance_m": value}))


def test_a_reference_is_checked_only_for_the_parameter_to_exist() -> None:
    check(Do("move", {"distance_m": Reference()}), STAGE)
    assert "no parameter 'way'" in wrong(Do("move", {"distance_m": Reference(), "way": Reference()}))


def test_what_fits_is_accepted() -> None:
    check(While(Do("show", {"stream": "scan"}), OPEN), STAGE)


def test_depth_and_size_are_bounded_without_recursion() -> None:
    deep: Plan = Do("show", {"stream": "x"})
    for _ in range(5000):
        deep = Sequence((deep,))
    assert f"more than {MOST_LEVELS} levels" in wrong(deep)
    assert f"more than {MOST_NODES} parts" in wrong(Sequence((Do("move", {"distance_m": 0.1}),) * MOST_NODES))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'{"kind": "do"}',
        b'{"kind": "dance"}',
        b"\xff\xfe",
        b'{"kind": "do", "action": 3}',
        b'{"kind": "wait", "condition": {"kind": "do", "action": "y"}}',
        b'{"kind": "sequence", "steps": [' * 50_000,
    ],
)
def test_what_is_no_plan_is_a_plan_error(data: bytes) -> None:
    with pytest.raises(PlanError, match="This is no plan"):
        from_json(data)


values = st.one_of(
    st.text(max_size=5),
    st.integers(-1000, 1000),
    st.booleans(),
    st.none(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.builds(Reference),
)
arguments = st.dictionaries(st.text(max_size=5), values, max_size=2)
conditions: st.SearchStrategy[Condition] = st.recursive(
    st.one_of(
        st.builds(State, st.text(max_size=5), arguments, st.booleans()),
        st.builds(Compare, st.text(max_size=5), arguments, st.sampled_from(Comparison), st.floats(0, 1)),
    ),
    lambda inner: st.one_of(
        st.builds(AllOf, st.lists(inner, max_size=2).map(tuple)),
        st.builds(AnyOf, st.lists(inner, max_size=2).map(tuple)),
    ),
    max_leaves=3,
)
plans: st.SearchStrategy[Plan] = st.recursive(
    st.one_of(st.builds(Do, st.text(max_size=5), arguments), st.builds(Cancel), st.builds(Wait, conditions)),
    lambda inner: st.one_of(
        st.builds(Sequence, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Parallel, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Alongside, inner, inner),
        st.builds(While, inner, conditions),
        st.builds(Until, inner, conditions),
        st.builds(If, conditions, inner, st.none() | inner),
    ),
    max_leaves=6,
)


@given(plans)
def test_json_and_back_is_the_same_plan_and_every_plan_has_words(plan: Plan) -> None:
    assert from_json(to_json(plan)) == plan
    assert isinstance(in_words(plan), str)


def test_plans_compare_by_content() -> None:
    assert Do("show", {"stream": "scan"}) == Do("show", {"stream": "scan"})
    assert Do("show", {"stream": "scan"}) != Do("show", {"stream": "rgb"})


def test_a_plan_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Do("show").action = "hide"  # type: ignore[misc]
    assert msgspec.structs.replace(Do("show"), action="hide") == Do("hide")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Do("show_environment"), "show environment"),
        (Do("track", {"thing": Reference("them")}), "track them"),
        (Do("move", {"distance_m": 0.5, "slowly": True}), "move with distance m 0.5, slowly yes"),
        (Sequence((Do("wave"), Do("bow"))), "wave, then bow"),
        (Alongside(Do("show", {"s": "scan"}), Do("track", {"t": "cup"})), "show scan while tracking cup"),
        (While(Do("wave"), State("open", {"t": "door"}, False)), "wave while door is not open"),
        (Until(Do("wave"), Compare("distance", {"to": "cup"}, Comparison.LESS, 0.3, "m")),
         "wave until distance of cup is less than 0.3 m"),
        (If(OPEN, Do("wave"), Do("bow")), "if door is open, wave, otherwise bow"),
        (Wait(AnyOf((OPEN, State("late")))), "wait until door is open or late is so"),
        (Cancel("track"), "stop tracking"),
    ],
)  # fmt: skip
def test_words(plan: Plan, words: str) -> None:
    assert in_words(plan) == words


@pytest.mark.parametrize(
    ("phrase", "activity"),
    [
        ("show the scan", "showing the scan"),
        ("move", "moving"),
        ("stop it", "stopping it"),
        ("lie down", "lying down"),
        ("see", "seeing"),
        ("tie", "tying"),
    ],
)
def test_activities(phrase: str, activity: str) -> None:
    assert doing(phrase) == activity


def test_continuous_plans() -> None:
    stays = STAGE.is_continuous
    show, move = Do("show", {"stream": "x"}), Do("move", {"distance_m": 0.1})
    assert is_continuous(Sequence((show, move)), stays)
    assert is_continuous(While(show, OPEN), stays)
    assert not is_continuous(Alongside(show, move), stays)
    assert not is_continuous(Until(show, OPEN), stays)
    assert not is_continuous(Do("nobody"), stays)


def test_actions_come_in_the_order_in_which_they_were_said() -> None:
    plan = If(OPEN, Alongside(Do("a"), Do("b")), Sequence((Do("c"), Until(Do("d"), OPEN))))
    assert [do.action for do in actions_of(plan)] == ["a", "b", "c", "d"]


def test_a_refusal_says_what_was_understood_and_what_could_follow() -> None:
    assert str(NotUnderstood("show the", ("environment", "scan"))) == (
        'I understood "show the"; after that could come "environment" or "scan".'
    )
    assert "could begin with" in str(NotUnderstood("", ("show",)))
    assert str(NotUnderstood("", ())) != ""
