"""Conditions in a tree: what several together say, since when one is asked, the leaves that ask one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
from py_trees.common import Status

from framework.errors import PlanError
from framework.plan.ast import (
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Decide,
    Elapsed,
    Reference,
    State,
    Value,
    Wait,
)
from framework.plan.graph import Ended
from framework.plan.words import condition_in_words
from framework.plugins.parameters import ParameterSpec
from framework.tree.context import RunContext
from framework.tree.node import PlanNode
from framework.tree.references import Giver, Waiting, meaning
from framework.tree.runner import Conditions
from framework.tree.stopwatch import EARLY_S
from framework.tree.view import NodeState


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


class Question:
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
            for leaf in _leaves(self._named)
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


def _leaves(condition: Condition) -> Iterator[State | Compare]:
    if isinstance(condition, AllOf | AnyOf):
        for each in condition.conditions:
            yield from _leaves(each)
    elif not isinstance(condition, Elapsed):
        yield condition


def _refers(condition: Condition) -> bool:
    return any(
        isinstance(value, Reference) for leaf in _leaves(condition) for value in leaf.arguments.values()
    )


class WaitNode(PlanNode):
    """A leaf that succeeds when a condition holds, or does not hold any more."""

    kind = "wait"

    def __init__(self, wait: Wait, words: str, context: RunContext) -> None:
        super().__init__(words, context)
        self._wait = wait
        self._question = Question(wait.condition, context, self.actions_before)
        self._is_ended = False

    @property
    def plan(self) -> Wait:
        """What it was made from."""
        return self._wait

    @property
    def has_begun(self) -> bool:
        """It has looked."""
        return bool(self.detail) or self._is_ended

    def update(self) -> Status:
        """Look."""
        clause, is_so = self._question.clause, self._wait.is_so
        try:
            answer = self._question.ask()
        except PlanError as error:
            self.detail = str(error)
            return Status.FAILURE
        if answer is None:
            self.detail = f"cannot tell yet whether {clause}"
        elif answer is is_so:
            self.detail = clause if is_so else f"not any more: {clause}"
        else:
            self.detail = f"waiting until {clause}" if is_so else f"waiting as long as {clause}"
        return Status.SUCCESS if answer is is_so and not self.context.is_paused else Status.RUNNING

    def wind_down(self, why: str) -> None:
        """There is nothing to end."""
        self._is_ended = True

    def state_now(self) -> NodeState:
        """From the status."""
        if self.status == Status.SUCCESS:
            return NodeState.SUCCEEDED
        if self.status == Status.FAILURE:
            return NodeState.FAILED
        if self._is_ended:
            return NodeState.CANCELLED if self.detail else NodeState.SKIPPED
        if self.status == Status.INVALID:
            return NodeState.IDLE
        return NodeState.PAUSED if self.context.is_paused else NodeState.WAITING


class DecideNode(PlanNode):
    """A leaf that tells at once whether a condition holds; it fails if nobody can tell."""

    kind = "decide"

    def __init__(self, decide: Decide, words: str, context: RunContext) -> None:
        super().__init__(words, context)
        self._decide = decide
        self._question = Question(decide.condition, context, self.actions_before)
        self._is_ended = False
        self._answer: bool | None = None

    @property
    def plan(self) -> Decide:
        """What it was made from."""
        return self._decide

    @property
    def has_begun(self) -> bool:
        """It has looked."""
        return bool(self.detail) or self._is_ended

    @property
    def ended(self) -> Ended | None:
        """Its answer."""
        return Ended.FALSE if self.is_over and self._answer is False else super().ended

    def update(self) -> Status:
        """Look until it can be told, or nobody ever will."""
        clause = self._question.clause
        try:
            self._answer = self._question.ask_once()
        except PlanError as error:
            self.detail = str(error)
            return Status.FAILURE
        if self._answer is None and self._question.may_be_told_soon:
            self.detail = f"finding out whether {clause}"
            return Status.RUNNING
        if self._answer is None:
            self.detail = f"nobody can tell whether {clause}"
            return Status.FAILURE
        self.detail = clause if self._answer else f"not so: {clause}"
        return Status.SUCCESS

    def wind_down(self, why: str) -> None:
        """There is nothing to end."""
        self._is_ended = True

    def state_now(self) -> NodeState:
        """From the status."""
        if self.status == Status.SUCCESS:
            return NodeState.SUCCEEDED
        if self.status == Status.FAILURE:
            return NodeState.FAILED
        if self._is_ended:
            return NodeState.CANCELLED if self.detail else NodeState.SKIPPED
        return NodeState.IDLE if self.status == Status.INVALID else NodeState.WAITING
