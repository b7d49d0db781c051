"""What becomes of a sentence, judged with a parser that answers as a test says."""

from __future__ import annotations

import pytest

from framework.dialogue.meta_reading import MetaReader
from framework.plan.ast import Compare, Comparison, Do, Plan, Reference, Sequence, Wait
from framework.plan.parser import (
    Completions,
    Correction,
    NothingKnown,
    NotUnderstood,
    Reading,
    Understood,
    World,
)
from framework.plugins.parameters import ParameterSpec
from framework.plugins.service import Help
from framework.plugins.signature import ActionSpec
from pilothouse.experiments.language.judged import Judge, Verdict, is_same

WAIT = Do("wait", {"duration_s": 10.0})
SAY = Do("say", {"text": "hello"})


class Answers:
    """A parser with one answer."""

    def __init__(self, *readings: Reading) -> None:
        self._readings = readings

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """What the test says."""
        return Understood(self._readings) if self._readings else NotUnderstood("")

    def complete(self, text: str, world: World) -> Completions:
        """Nothing."""
        return Completions(())

    def condition(self, text: str, world: World) -> None:
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        """Nothing."""
        return ()


SPECS = (
    ActionSpec("remember", parameters=(ParameterSpec("name", str), ParameterSpec("kind", str, "place"))),
    ActionSpec("wait", parameters=(ParameterSpec("duration_s", float, ge=0.0, le=86400.0),)),
    ActionSpec("say", parameters=(ParameterSpec("text", str),)),
)


class Actions:
    """A few; remember's kind is "place" unless it is said."""

    def find(self, name: str) -> ActionSpec | None:
        """The action, by its name."""
        return next((spec for spec in SPECS if spec.name == name), None)

    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(spec.name for spec in SPECS)


def verdict(*readings: Reading, right: tuple[Plan, ...] = (WAIT,)) -> Verdict:
    """What becomes of a sentence with these readings."""
    return Judge(Answers(*readings), NothingKnown(), Actions()).judge("do it", right).verdict


def test_the_right_plan_is_exact_and_another_one_wrong() -> None:
    assert verdict(Reading(WAIT)) is Verdict.EXACT
    assert verdict(Reading(SAY), right=(WAIT, SAY)) is Verdict.EXACT
    assert verdict(Reading(SAY)) is Verdict.WRONG


def test_a_sentence_that_has_to_be_refused_is_wrong_when_it_is_understood() -> None:
    assert verdict(Reading(WAIT), right=()) is Verdict.WRONG
    assert verdict(right=()) is Verdict.REFUSED


def test_what_is_asked_is_neither_right_nor_wrong() -> None:
    assert verdict(Reading(WAIT, 0.89)) is Verdict.ASKED
    assert verdict(Reading(SAY, 0.89)) is Verdict.ASKED
    assert verdict(Reading(WAIT, 1.0, (Correction("wiat", "wait"),))) is Verdict.ASKED
    assert verdict(Reading(WAIT, 0.95), Reading(SAY, 0.95)) is Verdict.ASKED


def test_a_plan_that_cannot_be_carried_out_is_refused() -> None:
    assert verdict(Reading(Do("wait", {"duration_s": -5.0})), right=()) is Verdict.REFUSED
    assert verdict(Reading(Do("dance", {}))) is Verdict.REFUSED


def test_a_sentence_that_is_taken_for_a_command_is_wrong() -> None:
    judge = Judge(Answers(Reading(WAIT)), NothingKnown(), Actions(), MetaReader())
    assert judge.judge("stop", (WAIT,)).verdict is Verdict.WRONG
    assert judge.judge("wait ten seconds", (WAIT,)).verdict is Verdict.EXACT


def test_a_worse_second_reading_is_no_question() -> None:
    assert verdict(Reading(WAIT, 1.0), Reading(SAY, 0.95)) is Verdict.EXACT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Do("remember", {"name": "dock"}), Do("remember", {"name": "dock", "kind": "place"})),
        (Do("say", {"text": "Hello"}), Do("say", {"text": "hello."})),
        (Do("wait", {"duration_s": 0.3}), Do("wait", {"duration_s": 0.1 + 0.2})),
        (Do("wait", {"duration_s": 10}), Do("wait", {"duration_s": 10.0})),
        (Do("show", {"what": Reference("it", "thing")}), Do("show", {"what": Reference("It")})),
    ],
)
def test_what_makes_no_difference(one: Plan, other: Plan) -> None:
    assert is_same(one, other, Actions())
    assert is_same(Sequence((one, SAY)), Sequence((other, SAY)), Actions())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Do("remember", {"name": "dock"}), Do("remember", {"name": "dock", "kind": "view"})),
        (Do("wait", {"duration_s": 10.0}), Do("wait", {"duration_s": 10.1})),
        (Do("repeat", {"times": 1}), Do("repeat", {"times": True})),
        (Do("show", {"what": Reference("it")}), Do("show", {"what": "it"})),
        (Do("show", {"what": Reference("that")}), Do("show", {"what": Reference("that", "", True)})),
        (Sequence((WAIT, SAY)), Sequence((SAY, WAIT))),
        (Sequence((WAIT,)), WAIT),
    ],
)
def test_what_makes_a_difference(one: Plan, other: Plan) -> None:
    assert not is_same(one, other, Actions())


def test_comparisons_differ_by_their_sign() -> None:
    near = Compare("distance", {"thing": "cup"}, Comparison.LESS, 0.5, "m")
    within = Compare("distance", {"thing": "cup"}, Comparison.AT_MOST, 0.5, "m")
    assert not is_same(Wait(near), Wait(within), Actions())
    assert is_same(Wait(near), Wait(near), Actions())
