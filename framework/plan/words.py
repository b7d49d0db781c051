"""A plan in words: for reading back, for "what are you doing?", for events.

English, built from what the actions call themselves; the words of one action
come from a `Wording`, so that they are the phrases people may say.
"""

from __future__ import annotations

import re

from framework.plan.ast import (
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
from framework.plan.parser import Wording

_COMPARED = {
    Comparison.LESS: "less than",
    Comparison.AT_MOST: "at most",
    Comparison.EQUAL: "exactly",
    Comparison.AT_LEAST: "at least",
    Comparison.MORE: "more than",
}
_DOUBLED = frozenset(
    ("stop", "get", "put", "run", "grip", "set", "cut", "let", "grab", "drop", "plan", "scan", "map", "spin")
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


def in_words(plan: Plan, wording: Wording = plain_wording) -> str:
    """The plan as an instruction, without a full stop: "show the scan, then track the cup"."""
    match plan:
        case Do():
            return wording(plan)
        case Sequence():
            return ", then ".join(in_words(step, wording) for step in plan.steps)
        case Parallel():
            return " and ".join(in_words(branch, wording) for branch in plan.branches)
        case Alongside():
            return f"{in_words(plan.body, wording)} while {doing(in_words(plan.companion, wording))}"
        case While():
            return f"{in_words(plan.body, wording)} while {condition_in_words(plan.condition)}"
        case Until():
            return f"{in_words(plan.body, wording)} until {condition_in_words(plan.condition)}"
        case If(otherwise=None):
            return f"if {condition_in_words(plan.condition)}, {in_words(plan.then, wording)}"
        case If(condition=condition, then=then, otherwise=otherwise) if otherwise is not None:
            return (
                f"if {condition_in_words(condition)}, {in_words(then, wording)}, "
                f"otherwise {in_words(otherwise, wording)}"
            )
        case Wait():
            return f"wait until {condition_in_words(plan.condition)}"
        case Cancel(what=""):
            return "stop everything else"
        case Cancel():
            return f"stop {doing(plan.what.replace('_', ' '))}"
    raise AssertionError(f"{plan!r} is no plan")


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
            return f"{condition.duration_s:g} s have passed"
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
    elif verb in _DOUBLED:
        verb += verb[-1]
    return f"{verb}ing{rest}"
