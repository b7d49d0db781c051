"""What "that" and "there" mean, given what was pointed at and when."""

from __future__ import annotations

import math

import pytest

from framework.dialogue.pointing import (
    Candidate,
    Missing,
    Pointed,
    Resolved,
    Which,
    pointed_among,
    pointing_words,
    resolve,
)
from framework.dialogue.values import Place
from framework.plan import Do, Instruction, Plan, Pointing, Reference, Sequence, State, Wait
from framework.plan.instruction import SpokenWord

THAT = Reference("that", is_pointing=True)
THERE = Reference("there", is_pointing=True)
TRACK = Do("track", {"thing": THAT})
PUT = Do("put", {"thing": THAT, "place": THERE})
PLACES = ("dock", "table")


def fits(plan: Plan, place: Place, thing: str) -> tuple[str, ...]:
    """Places are for the slot of that name; there are two red cups."""
    if (place[-1] == "place") is not (thing in PLACES):
        return ()
    return ("red_1", "red_2") if thing == "red cup" else (thing,)


def said(*pointing: Pointing, t_s: float | None = 10.0, words: tuple[SpokenWord, ...] = ()) -> Instruction:
    return Instruction("", t_s=t_s, pointing=pointing, words=words)


def point(thing: str, likelihood: float = 1.0, t_s: float = 10.0) -> Pointing:
    return Pointing(thing, t_s, likelihood)


@pytest.mark.parametrize(("t_s", "is_meant"), [(8.9, False), (9.0, True), (10.6, True), (10.7, False)])
def test_the_window(t_s: float, is_meant: bool) -> None:
    found = resolve(TRACK, said(point("hand", t_s=t_s)), 99.0, fits)
    assert isinstance(found, Resolved if is_meant else Missing)


def test_without_a_time_it_is_now() -> None:
    assert isinstance(resolve(TRACK, said(point("hand"), t_s=None), 10.0, fits), Resolved)
    assert isinstance(resolve(TRACK, said(point("hand"), t_s=None), 12.0, fits), Missing)


def test_the_likeliest_that_fits() -> None:
    found = resolve(TRACK, said(point("dock"), point("hand", 0.9), point("drum", 0.3)), 0.0, fits)
    assert isinstance(found, Resolved)
    assert found.plan == Do("track", {"thing": "hand"})
    assert found.pointed == (Pointed(("parameters", "thing"), "that", "hand", "hand"),)
    assert found.margin == pytest.approx(1 - 0.3 / 0.9)
    alone = resolve(TRACK, said(point("hand", 0.1)), 0.0, fits)
    assert isinstance(alone, Resolved) and alone.margin == 1.0


@pytest.mark.parametrize(("second", "is_clear"), [(0.5, True), (0.51, False), (1.0, False)])
def test_two_to_one(second: float, is_clear: bool) -> None:
    found = resolve(TRACK, said(point("hand", 1.0), point("drum", second)), 0.0, fits)
    assert isinstance(found, Resolved if is_clear else Which)
    if isinstance(found, Which):
        assert found.candidates == (Candidate("hand", "hand"), Candidate("drum", "drum"))


def test_the_best_sample_of_a_thing_counts() -> None:
    found = resolve(TRACK, said(point("hand", 0.2), point("drum", 0.3), point("hand", 0.9)), 0.0, fits)
    assert isinstance(found, Resolved) and found.plan == Do("track", {"thing": "hand"})


def test_two_things_of_one_name() -> None:
    found = resolve(TRACK, said(point("red cup")), 0.0, fits)
    assert isinstance(found, Which)
    assert found.candidates == (Candidate("red cup", "red_1"), Candidate("red cup", "red_2"))


@pytest.mark.parametrize("likelihood", [0.0, -1.0, math.nan, math.inf, 1e-9])
def test_likelihoods_that_are_none(likelihood: float) -> None:
    assert isinstance(resolve(TRACK, said(point("hand", likelihood)), 0.0, fits), Missing)


def test_nothing_that_fits_names_what_was_seen() -> None:
    found = resolve(TRACK, said(point("dock")), 0.0, fits)
    assert isinstance(found, Missing)
    assert (found.word, found.seen, found.place) == ("that", ("dock",), ("parameters", "thing"))


def test_words_have_their_own_times() -> None:
    words = (SpokenWord("put", 1.0), SpokenWord("That", 2.0), SpokenWord("there", 5.0))
    instruction = said(point("hand", t_s=2.0), point("dock", t_s=5.0), point("table", t_s=2.0), words=words)
    found = resolve(PUT, instruction, 0.0, fits)
    assert isinstance(found, Resolved)
    assert found.plan == Do("put", {"thing": "hand", "place": "dock"})


def test_the_same_word_twice_has_two_times() -> None:
    plan = Sequence((TRACK, TRACK))
    words = (SpokenWord("that", 2.0), SpokenWord("that", 5.0))
    instruction = said(point("hand", t_s=2.0), point("drum", t_s=5.0), words=words)
    found = resolve(plan, instruction, 0.0, fits)
    assert isinstance(found, Resolved)
    assert [step.parameters["thing"] for step in found.plan.steps] == ["hand", "drum"]  # type: ignore[union-attr]


def test_what_is_replaced_already_counts_as_said() -> None:
    plan = Sequence((Do("track", {"thing": "hand"}), TRACK))
    words = (SpokenWord("that", 2.0), SpokenWord("that", 5.0))
    before = (Pointed(("steps", 0, "parameters", "thing"), "that", "hand", "hand"),)
    found = resolve(
        plan, said(point("hand", t_s=2.0), point("drum", t_s=5.0), words=words), 0.0, fits, before
    )
    assert isinstance(found, Resolved) and found.pointed[1].value == "drum"


def test_two_words_at_one_moment_mean_two_things() -> None:
    both = Do("join", {"one": THAT, "other": Reference("this", is_pointing=True)})
    found = resolve(both, said(point("hand", 1.0), point("drum", 0.3)), 0.0, fits)
    assert isinstance(found, Resolved)
    assert found.plan == Do("join", {"one": "hand", "other": "drum"})


def test_an_earlier_action_may_be_meant() -> None:
    found = resolve(Sequence((Do("go"), TRACK)), said(), 0.0, fits)
    assert isinstance(found, Resolved)
    assert found.plan == Sequence((Do("go"), Do("track", {"thing": Reference("that")})))
    assert pointing_words(found.plan) == ()
    assert isinstance(resolve(Sequence((TRACK, Do("go"))), said(), 0.0, fits), Missing)


def test_pointing_in_a_condition() -> None:
    plan = Sequence((Wait(State("open", {"thing": THAT})), Do("go")))
    found = resolve(plan, said(point("door")), 0.0, lambda plan, place, thing: (thing,))
    assert isinstance(found, Resolved)
    assert found.plan == Sequence((Wait(State("open", {"thing": "door"})), Do("go")))


def test_a_plan_that_points_nowhere_stays_as_it_is() -> None:
    plan = Sequence((Do("go"), Do("track", {"thing": Reference("it")})))
    assert resolve(plan, said(point("hand")), 0.0, fits) == Resolved(plan)


def test_of_several_things_of_one_name_those_that_are_pointed_at_may_be_meant() -> None:
    cups = ("red cup", "blue cup", "white cup")

    def among(*pointing: Pointing) -> tuple[tuple[str, ...], float]:
        return pointed_among(cups, Instruction("look at the cup", t_s=10.0, pointing=pointing), 10.0)

    table = Pointing("table", 10.0, 1.0)  # is no cup
    assert among() == among(table) == ((), 1.0)
    assert among(table, Pointing("blue cup", 9.5, 0.3)) == (("blue cup",), 1.0)
    assert among(table, Pointing("blue cup", 10.0, 0.002)) == ((), 1.0)  # somewhere beside the table
    near, _ = among(point("red cup", 0.4), point("blue cup", 0.7))
    assert near == ("blue cup", "red cup")
    near, margin = among(point("red cup", 0.2), point("blue cup", 0.8))
    assert near == ("blue cup",) and margin == pytest.approx(0.75)
    assert among(Pointing("red cup", 8.9, 1.0)) == among(Pointing("red cup", 10.7, 1.0)) == ((), 1.0)
