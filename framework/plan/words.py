"""A plan in words: for reading back, for "what are you doing?", for events.

English, built from what the actions call themselves; the words of one action
come from a `Wording`, so that they are the phrases people may say. A `Speech`
knows the words of conditions too, and what "and" would mean: then the whole is
an instruction that a parser understands as this plan again, if there is one.
"""

from __future__ import annotations

import re
from typing import Protocol, runtime_checkable

import msgspec

from framework.plan.again import repeated, seconds
from framework.plan.ast import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Decide,
    Do,
    Elapsed,
    Graph,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Value,
    Wait,
    While,
)
from framework.plan.graph_words import graph_in_words
from framework.plan.parser import Wording

_COMPARED = {
    Comparison.LESS: "less than",
    Comparison.AT_MOST: "at most",
    Comparison.EQUAL: "exactly",
    Comparison.AT_LEAST: "at least",
    Comparison.MORE: "more than",
}
# One vowel and one consonant at the end of one syllable: "stop" → "stopping", but "wait", "show", "open".
_SHORT = re.compile(r"(?:qu|[^aeiou])*[aeiou][^aeiouwxy]")
_DOUBLED = frozenset(
    (
        "begin",
        "forget",
        "refer",
        "admit",
        "submit",
        "permit",
        "unplug",
        "reset",
        "control",
        "equip",
        "transfer",
    )
)


def plain_wording(do: Do) -> str:
    """The action's name and its parameters, for actions without phrases."""
    name = do.action.replace("_", " ")
    if not do.parameters:
        return name
    if len(do.parameters) == 1:
        return f"{name} {value_in_words(next(iter(do.parameters.values())))}"
    return f"{name} with " + ", ".join(
        f"{key.replace('_', ' ')} {value_in_words(value)}" for key, value in do.parameters.items()
    )


@runtime_checkable
class Speech(Wording, Protocol):
    """A wording that knows a whole language."""

    def condition(self, condition: Condition) -> str:
        """The condition as a clause: "the door is open"."""
        ...

    def stays(self, plan: Plan) -> bool:
        """Whether it goes on until something ends it, so that "for ten seconds" can be said of it."""
        ...

    def is_joined_by_and(self, parallel: Parallel) -> bool:
        """Whether "and" between the branches already means that they go on at once."""
        ...

    def duration(self, duration_s: float) -> str:
        """A time: "10 seconds"."""
        ...


def in_words(plan: Plan, wording: Wording = plain_wording) -> str:
    """The plan as an instruction, without a full stop: "show the scan, then track the cup"."""
    return _Writer(wording).plan(plan)


class _Writer:
    """Puts plans into words, given the words of actions."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self._speech = wording if isinstance(wording, Speech) else None

    def plan(self, plan: Plan) -> str:
        match plan:
            case Do():
                return self._wording(plan)
            case Sequence():
                return self._sequence(plan.steps)
            case Parallel():
                return self._parallel(plan)
            case Alongside():
                return self._alongside(plan)
            case While():
                return f"{self.plan(plan.body)} {self._while(plan.body)} {self.condition(plan.condition)}"
            case Until():
                return f"{self.plan(plan.body)} {self._until(plan)}"
            case If():
                return self._if(plan)
            case Wait():
                return self._wait(plan)
            case Decide():
                return f"find out whether {self.condition(plan.condition)}"
            case Graph():
                round_ = repeated(plan)
                return graph_in_words(plan, self.plan) if round_ is None else self._again(round_)
            case Cancel(what=""):
                return "stop everything else"
            case Cancel():
                return f"stop {doing(plan.what.replace('_', ' '))}"
        raise AssertionError(f"{plan!r} is no plan")

    def condition(self, condition: Condition) -> str:
        return condition_in_words(condition) if self._speech is None else self._speech.condition(condition)

    def _sequence(self, steps: tuple[Plan, ...]) -> str:
        words = ""
        for index, step in enumerate(steps):
            if index:
                words += ". Then " if _takes_the_rest(steps[index - 1]) else ", then "
            words += self.plan(step)
        return words

    def _parallel(self, plan: Parallel) -> str:
        branches = [self.plan(branch) for branch in plan.branches[:-1]]
        branches += [self._last(branch) for branch in plan.branches[-1:]]
        words = " and ".join(branches)
        if self._speech is None or self._speech.is_joined_by_and(plan):
            return words
        return f"{words} at the same time"

    def _last(self, plan: Plan) -> str:
        """The last of several at once: what waits for something takes all the rest of the sentence."""
        if (
            isinstance(plan, Sequence)
            and plan.steps
            and isinstance(plan.steps[0], Wait)
            and plan.steps[0].is_so
        ):
            rest = plan.steps[1] if len(plan.steps) == 2 else Sequence(plan.steps[1:])
            return f"when {self.condition(plan.steps[0].condition)}, {self.plan(rest)}"
        return self.plan(plan)

    def _alongside(self, plan: Alongside) -> str:
        companion = self._doing(plan.companion)
        if isinstance(plan.body, Parallel):
            return f"while {companion}, {self.plan(plan.body)}"
        return f"{self.plan(plan.body)} while {companion}"

    def _doing(self, plan: Plan) -> str:
        if isinstance(plan, Parallel):
            return " and ".join(self._doing(branch) for branch in plan.branches)
        return doing(self.plan(plan))

    def _again(self, plan: Plan) -> str:
        """ "Every 10 seconds show the scan"; without a pause "again and again"."""
        if isinstance(plan, Sequence) and len(plan.steps) > 1 and self._speech is not None:
            pause_s = seconds(plan.steps[-1])
            if pause_s is not None:
                rest = plan.steps[0] if len(plan.steps) == 2 else Sequence(plan.steps[:-1])
                return f"every {self._speech.duration(pause_s)} {self._round(rest)}"
        return f"again and again {self._round(plan)}"

    def _round(self, plan: Plan) -> str:
        steps = plan.steps if isinstance(plan, Sequence) else (plan,)
        return " and ".join(self.plan(step) for step in steps)

    def _while(self, body: Plan) -> str:
        """After an activity, "while" would be about that: "… while tracking the cup as long as …"."""
        return "as long as" if isinstance(body, Alongside) else "while"

    def _until(self, plan: Until) -> str:
        if self._speech is not None and isinstance(plan.condition, Elapsed) and self._speech.stays(plan.body):
            return f"for {self._speech.duration(plan.condition.duration_s)}"
        return f"until {self.condition(plan.condition)}"

    def _if(self, plan: If) -> str:
        words = f"if {self.condition(plan.condition)}, {self.plan(plan.then)}"
        return words if plan.otherwise is None else f"{words}, otherwise {self.plan(plan.otherwise)}"

    def _wait(self, plan: Wait) -> str:
        condition = plan.condition
        if plan.is_so:
            return f"wait until {self.condition(condition)}"
        if isinstance(condition, State):
            denied = msgspec.structs.replace(condition, is_so=not condition.is_so)
            return f"wait until {self.condition(denied)}"
        return f"wait until it is not so that {self.condition(condition)}"


def _takes_the_rest(plan: Plan) -> bool:
    """Whether what is said after it would be taken for a part of it: "if C, A, then B"."""
    if isinstance(plan, Parallel):
        last = plan.branches[-1] if plan.branches else plan
        return isinstance(last, Sequence | If)
    return isinstance(plan, If)


def condition_in_words(condition: Condition) -> str:
    """The condition as a clause: "door is open"."""
    match condition:
        case State():
            subject = " ".join(value_in_words(value) for value in condition.arguments.values())
            name = condition.name.replace("_", " ")
            verb = "is" if condition.is_so else "is not"
            return f"{subject} {verb} {name}" if subject else f"{name} {verb} so"
        case Compare():
            of = " ".join(value_in_words(value) for value in condition.arguments.values())
            quantity = condition.quantity.replace("_", " ") + (f" of {of}" if of else "")
            amount = f"{condition.value:g}" + (f" {condition.unit}" if condition.unit else "")
            return f"{quantity} is {_COMPARED[condition.comparison]} {amount}"
        case Elapsed():
            has = "has" if condition.duration_s == 1.0 else "have"
            return f"{condition.duration_s:g} s {has} passed"
        case AllOf():
            return " and ".join(condition_in_words(each) for each in condition.conditions)
        case AnyOf():
            return " or ".join(condition_in_words(each) for each in condition.conditions)


def value_in_words(value: Value) -> str:
    """A parameter as a person would write it."""
    match value:
        case Reference():
            return value.word
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case list():
            return ", ".join(value_in_words(each) for each in value)
    return str(value)


def doing(phrase: str) -> str:
    """An instruction as an activity: "show the scan" → "showing the scan"; its first word is a verb."""
    verb = re.match(r"\w*", phrase).group()  # type: ignore[union-attr]  # it matches everything
    rest = phrase[len(verb) :]
    if verb.endswith("ie"):
        verb = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")) and len(verb) > 2:
        verb = verb[:-1]
    elif verb in _DOUBLED or _SHORT.fullmatch(verb):
        verb += verb[-1]
    return f"{verb}ing{rest}"
