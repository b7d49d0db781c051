"""The plan: what a person's words, a proposer's answer and a plan file all become.

Nodes are frozen data and compare by content, so "the same instruction twice" is
an equality. What a node does when it runs is said in `framework.tree`; what a
condition looks at is somebody else's as well (`framework.tree.Conditions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec


class Reference(msgspec.Struct, frozen=True, tag_field="kind", tag="reference"):
    """A parameter that is the result of an earlier action ("it"), or was pointed at ("that").

    word: what was said ("it", "them", "there").
    type: name of the result's type, empty if any will do.
    is_pointing: the word points; the dialogue replaces it before the plan starts.
    """

    word: str = "it"
    type: str = ""
    is_pointing: bool = False


Value = Reference | str | int | float | bool | list[str | int | float | bool] | None
"""What a parameter may be. Units are SI; what they are for stands in the action's signature."""


class State(msgspec.Struct, frozen=True, tag_field="kind", tag="state"):
    """Something is so, or is not: State("open", {"thing": "door"}) is "door is open"."""

    name: str
    arguments: dict[str, Value] = {}
    is_so: bool = True


class Comparison(StrEnum):
    """How two quantities compare."""

    LESS = "<"
    AT_MOST = "<="
    EQUAL = "=="
    AT_LEAST = ">="
    MORE = ">"


class Compare(msgspec.Struct, frozen=True, tag_field="kind", tag="compare"):
    """A measured quantity against a number, both in SI: Compare("distance", {"thing": "cup"}, "<", 0.3)."""

    quantity: str
    arguments: dict[str, Value]
    comparison: Comparison
    value: float
    unit: str = ""


class AllOf(msgspec.Struct, frozen=True, tag_field="kind", tag="all_of"):
    """Every one of these holds."""

    conditions: tuple[Condition, ...]


class AnyOf(msgspec.Struct, frozen=True, tag_field="kind", tag="any_of"):
    """At least one of these holds."""

    conditions: tuple[Condition, ...]


class Elapsed(msgspec.Struct, frozen=True, tag_field="kind", tag="elapsed"):
    """So long has passed since the node that asks began: "for ten seconds" is Until(body, Elapsed(10))."""

    duration_s: float


Condition = State | Compare | Elapsed | AllOf | AnyOf


class Do(msgspec.Struct, frozen=True, tag_field="kind", tag="do"):
    """One action with its parameters."""

    action: str
    parameters: dict[str, Value] = {}


class Sequence(msgspec.Struct, frozen=True, tag_field="kind", tag="sequence"):
    """One step after the other; a continuous step is passed once it is established, and stays."""

    steps: tuple[Plan, ...]


class Parallel(msgspec.Struct, frozen=True, tag_field="kind", tag="parallel"):
    """All branches at once."""

    branches: tuple[Plan, ...]


class While(msgspec.Struct, frozen=True, tag_field="kind", tag="while"):
    """`body`, as long as a condition holds: "show the camera while the door is open"."""

    body: Plan
    condition: Condition


class Alongside(msgspec.Struct, frozen=True, tag_field="kind", tag="alongside"):
    """`body` beside another plan, ended by the finite one: "show the scan while tracking the hand"."""

    body: Plan
    companion: Plan


class Until(msgspec.Struct, frozen=True, tag_field="kind", tag="until"):
    """`body` until a condition holds."""

    body: Plan
    condition: Condition


class If(msgspec.Struct, frozen=True, tag_field="kind", tag="if"):
    """Decided once, when it is reached."""

    condition: Condition
    then: Plan
    otherwise: Plan | None = None


class Wait(msgspec.Struct, frozen=True, tag_field="kind", tag="wait"):
    """Nothing until a condition holds. "When C, X" is Sequence((Wait(C), X))."""

    condition: Condition


class Cancel(msgspec.Struct, frozen=True, tag_field="kind", tag="cancel"):
    """End other plans' actions of this name; empty: all other plans."""

    what: str = ""


Plan = Do | Sequence | Parallel | Alongside | While | Until | If | Wait | Cancel

CONDITIONS = (State, Compare, Elapsed, AllOf, AnyOf)


def parts(plan: Plan | Condition) -> tuple[Plan | Condition, ...]:
    """The plans and conditions directly inside of a node, in the order in which they were said."""
    match plan:
        case Sequence():
            return plan.steps
        case Parallel():
            return plan.branches
        case Alongside():
            return (plan.body, plan.companion)
        case While() | Until():
            return (plan.body, plan.condition)
        case If():
            return (plan.condition, plan.then) + ((plan.otherwise,) if plan.otherwise is not None else ())
        case Wait():
            return (plan.condition,)
        case AllOf() | AnyOf():
            return plan.conditions
    return ()


def actions_of(plan: Plan | Condition) -> Iterator[Do]:
    """Every action of a plan, in the order in which they were said."""
    if isinstance(plan, Do):
        yield plan
    for part in parts(plan):
        yield from actions_of(part)
