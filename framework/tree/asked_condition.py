"""A condition as a node of a tree asks it: since when, about what "it" is, and what several together say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from framework.plan.ast import (
    AllOf,
    AnyOf,
    Condition,
    Elapsed,
    Reference,
    Value,
    leaves_of,
)
from framework.plan.words import condition_in_words
from framework.plugins.parameters import ParameterSpec
from framework.tree.context import RunContext
from framework.tree.references import Giver, Waiting, meaning
from framework.tree.runner import Conditions
from framework.tree.stopwatch import EARLY_S


def holds(condition: Condition, conditions: Conditions, has_passed: Callable[[float], bool]) -> bool | None:
    """Whether it holds; None if that cannot be told. One unknown among several counts only if it matters.

    has_passed: whether so many seconds have passed since the node that asks began.
    """
    if isinstance(condition, AllOf | AnyOf):
        answers = [holds(each, conditions, has_passed) for each in condition.conditions]
        decisive = isinstance(condition, AnyOf)
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive
    if isinstance(condition, Elapsed):
        return has_passed(condition.duration_s)
    return conditions.read(condition)


class AskedCondition:
    """A condition as one node asks it: time counts from the first `ask`, without the plan's pauses.

    said_before: the actions whose results "it" may mean in the condition, the nearest last.
    """

    def __init__(
        self, condition: Condition, context: RunContext, said_before: Callable[[], Sequence[Giver]]
    ) -> None:
        self.condition = condition
        self._context = context
        self._said_before = said_before
        self._since_s: float | None = None
        self._named: Condition | None = None if _refers(condition) else condition

    @property
    def clause(self) -> str:
        """The condition in words."""
        return condition_in_words(self.condition)

    def ask(self) -> bool | None:
        """Whether it holds now; the tree is woken when time alone may change the answer."""
        if self._since_s is None:
            self._since_s = self._context.stopwatch.now_s()
        return self._holds(self._has_passed)

    def ask_once(self) -> bool | None:
        """Whether it holds at this moment, before any time has passed."""
        return self._holds(lambda duration_s: duration_s <= 0)

    @property
    def may_be_told_soon(self) -> bool:
        """What cannot be told yet may be so soon: "it" is still to come, or a sensor is being started."""
        if self._named is None:
            return True
        return any(
            self._context.conditions.read(leaf) is None and self._context.conditions.is_finding_out(leaf)
            for leaf in leaves_of(self._named)
        )

    @property
    def waits_for_a_result(self) -> bool:
        """ "It" in the condition is the result of an action that has given none yet."""
        return self._named is None

    def _holds(self, has_passed: Callable[[float], bool]) -> bool | None:
        if self._named is None:
            self._named = self._resolved(self.condition)
        return None if self._named is None else holds(self._named, self._context.conditions, has_passed)

    def _resolved(self, condition: Condition) -> Condition | None:
        """With names in the place of "it"; None while these are not known. Raises PlanError."""
        if isinstance(condition, Elapsed):
            return condition
        if isinstance(condition, AllOf | AnyOf):
            parts = [self._resolved(each) for each in condition.conditions]
            known = tuple(part for part in parts if part is not None)
            return type(condition)(known) if len(known) == len(parts) else None
        arguments: dict[str, Value] = {}
        for name, value in condition.arguments.items():
            if isinstance(value, Reference):
                wanted = ParameterSpec(name, str, msgspec.UNSET)
                meant = meaning(value, wanted, self._said_before(), self._context.earlier)
                if isinstance(meant, Waiting):
                    return None
                value = meant.value
            arguments[name] = value
        return msgspec.structs.replace(condition, arguments=arguments)

    def _has_passed(self, duration_s: float) -> bool:
        assert self._since_s is not None
        stopwatch = self._context.stopwatch
        if stopwatch.now_s() - self._since_s >= duration_s - EARLY_S:
            return True
        stopwatch.wake_at(self._since_s + duration_s)
        return False


def _refers(condition: Condition) -> bool:
    return any(
        isinstance(value, Reference) for leaf in leaves_of(condition) for value in leaf.arguments.values()
    )
