"""Two conditions of which only one can hold are decided once: "if it is open A, if it is closed B". Pure.

Looked at one after the other, A could make the second one true as well: who says both means one of the two.
"""

from __future__ import annotations

import msgspec

from framework.plan.ast import Compare, Comparison, Condition, If, Plan, State
from framework.plan.ast import Sequence as SequencePlan
from framework.plan.value import Reference
from grammars.reading.asking import denied
from grammars.reading.combining import Steps, in_sequence

_LESS = (Comparison.LESS, Comparison.AT_MOST)
_MORE = (Comparison.MORE, Comparison.AT_LEAST)


def decided_once(steps: Steps) -> Steps:
    """The steps, with each "if" that excludes the one before it as what is done otherwise."""
    found: list[Plan] = []
    for step in steps:
        last = found[-1] if found else None
        if isinstance(last, If) and last.otherwise is None and isinstance(step, If):
            step = _about(step, last.condition)
            if excludes(last.condition, step.condition):
                found[-1] = _either(last.condition, last.then, step)
                continue
        found.append(step)
    return tuple(found)


def with_opposite(condition: Condition, then: Plan) -> Plan | None:
    """ "If C, A, if not C, B", where the second one was taken for a part of A; None if it is none."""
    *before, last = then.steps if isinstance(then, SequencePlan) else (then,)
    if not before or not isinstance(last, If):
        return None
    last = _about(last, condition)
    if not excludes(condition, last.condition):
        return None
    return _either(condition, in_sequence(tuple(before)), last)


def excluded(condition: Condition, plan: Plan) -> Plan | None:
    """An "if" that cannot hold where a condition does, also about "it"; None if it is none."""
    step = _about(plan, condition) if isinstance(plan, If) else None
    return step if step is not None and excludes(condition, step.condition) else None


def excludes(one: Condition, other: Condition) -> bool:
    """Whether both cannot hold."""
    match one, other:
        case State(), State():
            return one.name == other.name and one.arguments == other.arguments and one.is_so != other.is_so
        case Compare(), Compare():
            if (one.quantity, one.arguments, one.unit) != (other.quantity, other.arguments, other.unit):
                return False
            less, more = (one, other) if one.comparison in _LESS else (other, one)
            return less.comparison in _LESS and more.comparison in _MORE and less.value <= more.value
    return False


def _either(condition: Condition, then: Plan, other: If) -> If:
    if other.condition == denied(condition):
        return If(condition, then, other.then) if other.otherwise is None else If(condition, then, other)
    return If(condition, then, other)


def _about(step: If, condition: Condition) -> If:
    """An "if" about "it": about what the condition before it is about."""
    inner = step.condition
    if not isinstance(inner, State | Compare) or not isinstance(condition, State | Compare):
        return step
    arguments = {
        name: condition.arguments.get(name, value)
        if isinstance(value, Reference) and not value.is_pointing
        else value
        for name, value in inner.arguments.items()
    }
    return msgspec.structs.replace(step, condition=msgspec.structs.replace(inner, arguments=arguments))
