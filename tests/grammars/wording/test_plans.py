"""Plans are put into words that are understood as the same plan; where there are none, that is said."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from framework.plan import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Do,
    Elapsed,
    If,
    Known,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Wait,
    While,
    in_words,
)
from framework.plan.ast import actions_of
from framework.plan.parser import World
from grammars import Language
from grammars.domain import read_names
from grammars.reading.combining import Combining
from grammars.reading.reader import Read
from grammars.wording.filling import MOST_STEPS, Effort, ways
from grammars.wording.plans import MOST_TRIES
from pilothouse.catalogue import action_catalogue
from pilothouse.language import TYPICAL_NAMES, language_of
from tests.effort import random_inputs
from tests.grammars.kitchen import LANGUAGE, WORLD, Guests, action, both_watch, do, parameter, plan_of


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (do("set_table"), "please set the table"),  # its author's own sample
        (do("hum"), "hum a song"),
        (do("boil", food="eggs"), "boil the eggs"),
        (do("boil", food="eggs", time_s=90.0), "boil the eggs for 1 minute and 30 seconds"),
        (do("boil", food=Reference("it"), time_s=10.0), "boil it for 10 seconds"),
        (do("heat", heat="very_high"), "turn the heat to very high"),
        (do("light", is_on=False), "turn the light off"),
        (do("stir", times=4), "stir 4 times"),
        (do("serve", dish="soup_of_day", guest="Uncle_Bob"), "serve soup of the day to Uncle Bob"),
        (do("watch", pot="kettle"), "watch the kettle"),
        (do("move", pot="pan", way_m=0.3), "move the pan 30 centimetres"),
        (do("announce", text="hum and watch the pan"), 'announce "hum and watch the pan"'),
        (do("unknown", x=1), "unknown 1"),
        (do("boil", nonsense=3), "boil 3"),
    ],
)
def test_actions(plan: Do, words: str) -> None:
    assert LANGUAGE.in_words(plan, WORLD) == words
    LANGUAGE.parse("hum", WORLD)  # names are said as they were known last
    assert LANGUAGE.wording(plan) == words


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Parallel((do("watch", pot="kettle"), do("hum"))), "watch the kettle and hum a song"),
        (Until(do("hum"), Elapsed(10.0)), "hum a song for 10 seconds"),
        (
            If(State("boiling", {"pot": "kettle"}), do("stir", times=2), do("hum")),
            "if the kettle is boiling, stir 2 times, otherwise hum a song",
        ),
        (Wait(State("boiling", {"pot": "pan"}, False)), "wait until the pan is cold"),
        (
            Until(
                Alongside(do("stir", times=2), do("hum")),
                Compare("weight", {"pot": "pan"}, Comparison.MORE, 2.0, "kg"),
            ),
            "stir 2 times while humming a song until the pan is heavier than 2 kilograms",
        ),
        (
            Sequence((do("stir", times=2), Cancel("watch the kettle"))),
            "stir 2 times, then stop watching the kettle",
        ),
        (Until(do("hum"), State("said", {"words": "stop"})), "hum a song until I say stop"),
    ],
)
def test_plans(plan: Plan, words: str) -> None:
    assert LANGUAGE.in_words(plan, WORLD) == words
    LANGUAGE.parse("hum", WORLD)
    assert in_words(plan, LANGUAGE.wording) == words
    assert LANGUAGE.sayable(plan, WORLD)


def test_what_cannot_be_said_is_known() -> None:
    hum, table = do("hum"), do("set_table")
    boiling = State("boiling", {"pot": "kettle"})
    for plan in (
        Parallel((Sequence((table, hum)), hum)),
        Until(Sequence((table, hum)), boiling),
        If(boiling, If(boiling, hum), table),
        do("unknown"),
        do("watch", pot="mug"),
    ):
        assert LANGUAGE.in_words(plan)
        assert not LANGUAGE.sayable(plan, WORLD)


def test_of_two_things_with_one_name_neither_is_named_by_it_alone() -> None:
    world = Guests(Known("pot_1", "pot"), Known("pot_2", "pot"))
    assert not LANGUAGE.sayable(do("watch", pot="pot_1"), world)
    assert LANGUAGE.sayable(do("watch", pot="kettle"), WORLD)


# -- any plan


FINITE = st.one_of(
    st.just(do("set_table")),
    st.builds(lambda food, time: do("boil", food=food, time_s=time),
              st.sampled_from(("eggs", "rice")), st.sampled_from((1.0, 90.0, 0.25, 3600.0, 12.5))),
    st.builds(lambda times: do("stir", times=times), st.integers(2, 500)),
    st.builds(lambda is_on: do("light", is_on=is_on), st.booleans()),
    st.builds(lambda dish, guest: do("serve", dish=dish, guest=guest),
              st.sampled_from(("stew", "soup_of_day")), st.sampled_from(("Ann", "Bob", "Uncle_Bob"))),
    st.builds(lambda text: do("announce", text=text),
              st.sampled_from(("dinner", "hum and stir once", "I am done", "stop that then"))),
    st.builds(lambda way: do("move", pot="pan", way_m=round(way, 3)), st.floats(0.001, 100.0)),
)  # fmt: skip
POT = st.sampled_from(("kettle", "red pot", "pan", "salt and pepper"))
LASTING = st.just(do("hum")) | st.builds(lambda pot: do("watch", pot=pot), POT)
CLAUSE = FINITE | LASTING
SIMPLE: st.SearchStrategy[Condition] = st.one_of(
    st.builds(lambda pot, is_so: State("boiling", {"pot": pot}, is_so), POT, st.booleans()),
    st.builds(
        lambda pot, compare, kg: Compare("weight", {"pot": pot}, compare, kg, "kg"),
        POT, st.sampled_from((Comparison.MORE, Comparison.AT_MOST)), st.sampled_from((0.5, 2.0, 1.25)),
    ),
    st.builds(lambda words: State("said", {"words": words}), st.sampled_from(("stop", "that will do"))),
    st.builds(lambda is_so: State("running", {"what": "watch the kettle"}, is_so), st.booleans()),
    st.builds(Elapsed, st.sampled_from((10.0, 1.5, 60.0))),
)  # fmt: skip
CONDITION: st.SearchStrategy[Condition] = SIMPLE | st.one_of(
    st.builds(AllOf, st.tuples(SIMPLE, SIMPLE)),
    st.builds(AnyOf, st.tuples(SIMPLE, SIMPLE)),
    st.builds(lambda a, b, c: AnyOf((a, AllOf((b, c)))), SIMPLE, SIMPLE, SIMPLE),
)
UNIT: st.SearchStrategy[Plan] = CLAUSE | st.builds(Alongside, CLAUSE, LASTING)
TOGETHER = st.builds(lambda pot: Parallel((do("hum"), do("watch", pot=pot))), POT) | st.builds(
    lambda pot, finite: Parallel((do("watch", pot=pot), do("hum"), finite)), POT, FINITE
)
GROUP: st.SearchStrategy[Plan] = UNIT | TOGETHER
STEP: st.SearchStrategy[Plan] = st.one_of(
    GROUP,
    st.builds(Until, GROUP, CONDITION),
    st.builds(While, GROUP, CONDITION),
    st.builds(Alongside, TOGETHER, LASTING),
    st.builds(Wait, CONDITION),
    st.builds(Cancel, st.sampled_from(("", "hum", "watch the kettle"))),
)


def sequences(last: st.SearchStrategy[Plan]) -> st.SearchStrategy[Plan]:
    """Steps, the last of which may be something that takes all the rest of its sentence."""
    several = st.builds(
        lambda steps, end: Sequence((*steps, end)), st.lists(STEP, min_size=1, max_size=3), last
    )
    return STEP | several


CLOSED = sequences(STEP)
DECISIONS = st.builds(If, CONDITION, CLOSED, st.none() | CLOSED)
DEEPER = st.builds(If, CONDITION, CLOSED, sequences(DECISIONS))
COMBINING = Combining(lambda do: False, both_watch)
PLANS = sequences(STEP | DECISIONS | DEEPER) | st.builds(
    lambda first, rest: Sequence((first, rest)), DECISIONS, STEP
)


def watches_while_watching(plan: Plan) -> bool:
    """Whether something is watched as long as something is watched: "while watching it" would be both."""
    match plan:
        case While(body=body, condition=condition):
            return any(each.action == "watch" for each in actions_of(body)) and "running" in repr(condition)
        case Sequence(steps=parts) | Parallel(branches=parts):
            return any(map(watches_while_watching, parts))
        case If(then=then, otherwise=otherwise):
            return any(watches_while_watching(part) for part in (then, otherwise) if part is not None)
    return False


@random_inputs(250)
@given(PLANS)
def test_any_plan_is_said_so_that_it_is_understood_again(plan: Plan) -> None:
    assume(not COMBINING.clash(plan))  # what cannot be done is not understood
    assume(not watches_while_watching(plan))
    words = LANGUAGE.in_words(plan, WORLD)
    assert plan_of(words) == plan, words
    assert LANGUAGE.sayable(plan, WORLD)


class Counting(Language):
    """Counts how often it reads a text to see whether that is understood as the plan."""

    reads = 0

    def as_it_stands(self, text: str, world: World, *, is_thorough: bool = True) -> Read:
        self.reads += 1
        return super().as_it_stands(text, world, is_thorough=is_thorough)


#: Of many ways only the last one says which arm; so it is with "remember the pose of the left arm as alpha".
KEEP = action(
    "keep",
    ("<store> <pose> as {name}",),
    parameter("name", str),
    parameter("side", str, ""),
    rules=(
        ("store", f"({'|'.join(f'store{n}' for n in range(40))})"),
        (
            "pose",
            f"(({'|'.join(f'this{n}' for n in range(40))}) (pose|posture)|the pose of the {{side}} arm)",
        ),
    ),
)


def test_the_words_for_a_plan_are_walked_to() -> None:
    language = Counting((KEEP,))
    assert (
        language.in_words(do("keep", side="left", name="alpha")) == "store0 the pose of the left arm as alpha"
    )
    assert language.reads == 1


def test_a_plan_that_cannot_be_said_is_not_tried_for_long() -> None:
    language = Counting((KEEP,))
    words = language.in_words(do("keep", side="left and right as well", name="as as as"))
    assert words
    assert language.reads <= MOST_TRIES


def test_the_words_of_a_plan_are_looked_for_once_for_the_same_names() -> None:
    language = Counting((KEEP,))
    plan = do("keep", side="left", name="alpha")
    for _ in range(3):
        language.wording(plan)
    assert language.reads == 1


def test_the_words_of_a_plan_are_looked_for_again_when_other_names_are_known() -> None:
    language, plan = (
        Counting((action("boil", ("boil {food}",), parameter("food", str)),)),
        do("boil", food="egg"),
    )
    language.parse("boil eggs", Guests(food=("egg",)))
    language.wording(plan)
    read = language.reads
    language.parse("boil eggs", Guests(food=("egg", "ham")))
    language.wording(plan)
    assert language.reads == read + 1


def test_a_wording_ends_when_its_effort_is_spent() -> None:
    phrase = Language((KEEP,)).phrases[0]
    values = {"name": "alpha", "side": "left"}
    said = list(ways(phrase.template, phrase.rules, values, LANGUAGE.wording._sayer(phrase), Effort(20)))
    assert len(said) < 5
    everything = list(ways(phrase.template, phrase.rules, values, LANGUAGE.wording._sayer(phrase)))
    assert len(said) < len(everything) <= MOST_STEPS


def test_whatever_the_house_can_be_asked_for_is_worded_at_the_first_try_or_the_second() -> None:
    language, names = language_of(action_catalogue(())), read_names(TYPICAL_NAMES)
    counting = Counting(language.grammar)
    counting.parse("stop", names)  # names are said as they were known last
    for spec in action_catalogue(()).available:
        counting.wording(Do(spec.name))  # its samples are read once
        for sample in spec.phrases.samples:
            plan = plan_of(sample, language, names)
            counting.reads = 0
            counting.in_words(plan)
            assert counting.reads <= 2, sample
    pose = Do("remember", {"name": "alpha", "kind": "pose", "side": "left"})
    assert counting.in_words(pose) == "remember the pose of the left arm as alpha"
