"""Steps that are no actions (wait, decide, cancel) as UMRF actions, and conditions as their parameters.

{"name": "pilothouse::wait", "input_parameters": {"condition": {"kind": …, "name": …, "arguments": {…}}}} with
the usual pvf objects innermost. Conditions of several have theirs under "conditions", by number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.plan.ast import (
    AllOf,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Decide,
    Elapsed,
    Plan,
    State,
    Wait,
)
from framework.plan.graph import Input
from framework.plan.passing import NESTED
from framework.plan.umrf.decoding import Problems, shown
from framework.plan.umrf.parameters import Parameter
from framework.plan.value import Value, type_of

#: The steps that there are, and what they take in.
STEPS: Mapping[str, str] = {
    "wait": "condition, is_so",
    "decide": "condition",
    "cancel": "what",
}
_KINDS = ("state", "compare", "elapsed", "all_of", "any_of")

Said = dict[str, tuple[Input, Value | msgspec.UnsetType]]


def step_parameters(plan: Plan) -> Said:
    """The input parameters that say a step; empty for plans that are none."""
    match plan:
        case Wait(condition=condition, is_so=is_so):
            return _condition_said(condition, "condition") | ({} if is_so else _said("is_so", False))
        case Decide(condition=condition):
            return _condition_said(condition, "condition")
        case Cancel(what=what):
            return _said("what", what) if what else {}
    return {}


def step(kind: str, parameters: list[Parameter], path: str, problems: Problems) -> Plan:
    """The step that parameters say."""
    reader = _Reader({each.said.name: each for each in parameters}, path, problems)
    plan: Plan
    match kind:
        case "wait":
            condition = reader.condition("condition")
            plan = Wait(condition, is_so=bool(reader.take("is_so", "bool", True)))
        case "decide":
            plan = Decide(reader.condition("condition"))
        case _:
            plan = Cancel(str(reader.take("what", "string", "")))
    for name, parameter in reader.left.items():
        problems.add(parameter.path, f"pilothouse::{kind} takes no {name!r}", f"it takes {STEPS[kind]}")
    return plan


class _Reader:
    """Takes parameters out of a pool, by their full names; what is left in the end nobody knew."""

    def __init__(self, pool: dict[str, Parameter], path: str, problems: Problems) -> None:
        self.left = pool
        self._path = path
        self._problems = problems

    def take(self, name: str, kind: str, default: Any = msgspec.UNSET) -> Any:
        """The value of a parameter of a UMRF type."""
        parameter = self.left.pop(name, None)
        value = parameter.value if parameter is not None else msgspec.UNSET
        if value is msgspec.UNSET:
            if default is msgspec.UNSET:
                place = parameter.path if parameter is not None else self._path
                self._problems.add(place, f"there is no value for {name}", f"allowed is a {kind}")
            return (
                default if default is not msgspec.UNSET else {"string": "", "number": 0.0, "bool": True}[kind]
            )
        if type_of(value) != kind:
            assert parameter is not None
            self._problems.add(parameter.path, shown(msgspec.to_builtins(value)), f"allowed is a {kind}")
            return {"string": "", "number": 0.0, "bool": True}[kind]
        return value

    def condition(self, at: str) -> Condition:
        """The condition whose parts are named `at`::…"""

        def name(field: str) -> str:
            return f"{at}{NESTED}{field}"

        kind = self.take(name("kind"), "string")
        match kind:
            case "state":
                is_so = bool(self.take(name("is_so"), "bool", True))
                return State(self.take(name("name"), "string"), self._arguments(name("arguments")), is_so)
            case "compare":
                return Compare(
                    self.take(name("quantity"), "string"),
                    self._arguments(name("arguments")),
                    self._comparison(name("comparison")),
                    self.take(name("value"), "number"),
                    self.take(name("unit"), "string", ""),
                )
            case "elapsed":
                return Elapsed(self.take(name("duration_s"), "number"))
            case "all_of" | "any_of":
                several = self._several(name("conditions"))
                return AllOf(several) if kind == "all_of" else AnyOf(several)
        if kind:
            self._problems.add(
                self._path, f"{kind!r} is no kind of condition", f"allowed is one of {', '.join(_KINDS)}"
            )
        for left in [each for each in self.left if each.startswith(at + NESTED)]:
            del self.left[left]
        return State("")

    def _several(self, at: str) -> tuple[Condition, ...]:
        numbers = {
            each.removeprefix(at + NESTED).partition(NESTED)[0]
            for each in self.left
            if each.startswith(at + NESTED)
        }
        good = sorted(
            int(number) for number in numbers if number.isdecimal() and number.isascii() and len(number) < 5
        )
        return tuple(self.condition(f"{at}{NESTED}{number}") for number in good)

    def _arguments(self, at: str) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for name in [each for each in self.left if each.startswith(at + NESTED)]:
            parameter = self.left.pop(name)
            if parameter.value is msgspec.UNSET:
                self._problems.add(parameter.path, "it has no value", "give it one")
            else:
                found[name.removeprefix(at + NESTED)] = parameter.value
        return found

    def _comparison(self, name: str) -> Comparison:
        said = self.take(name, "string")
        try:
            return Comparison(said)
        except ValueError:
            allowed = ", ".join(repr(str(each)) for each in Comparison)
            self._problems.add(self._path, f"{said!r} is no comparison", f"allowed is one of {allowed}")
            return Comparison.EQUAL


def _said(name: str, value: Value) -> Said:
    return {name: (Input(name, type_of(value)), value)}


def _condition_said(condition: Condition, at: str) -> Said:
    def field(name: str, value: Value) -> Said:
        return _said(f"{at}{NESTED}{name}", value)

    said = field("kind", str(type(condition).__struct_config__.tag))
    match condition:
        case State(name=name, arguments=arguments, is_so=is_so):
            said |= field("name", name) | _arguments_said(arguments, at)
            return said | ({} if is_so else field("is_so", False))
        case Compare(quantity=quantity, arguments=arguments, comparison=comparison, value=value, unit=unit):
            said |= field("quantity", quantity) | _arguments_said(arguments, at)
            said |= field("comparison", str(comparison)) | field("value", value)
            return said | (field("unit", unit) if unit else {})
        case Elapsed(duration_s=duration_s):
            return said | field("duration_s", duration_s)
        case AllOf(conditions=conditions) | AnyOf(conditions=conditions):
            for number, each in enumerate(conditions):
                said |= _condition_said(each, f"{at}{NESTED}conditions{NESTED}{number}")
    return said


def _arguments_said(arguments: Mapping[str, Value], at: str) -> Said:
    said: Said = {}
    for name, value in arguments.items():
        said |= _said(f"{at}{NESTED}arguments{NESTED}{name}", value)
    return said
