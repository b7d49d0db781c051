"""Conditions in a tree: what several of them together say, and a leaf that waits for one."""

from __future__ import annotations

from py_trees.common import Status

from framework.plan.ast import AllOf, AnyOf, Condition, Elapsed, Wait
from framework.plan.words import condition_in_words
from framework.tree.context import RunContext
from framework.tree.node import PlanNode
from framework.tree.runner import Conditions
from framework.tree.view import NodeState


def holds(condition: Condition, conditions: Conditions) -> bool | None:
    """Whether it holds; None if that cannot be told. One unknown among several counts only if it matters."""
    if isinstance(condition, AllOf | AnyOf):
        answers = [holds(each, conditions) for each in condition.conditions]
        decisive = isinstance(condition, AnyOf)
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive
    if isinstance(condition, Elapsed):
        return None
    return conditions.read(condition)


class WaitNode(PlanNode):
    """A leaf that succeeds when a condition holds."""

    kind = "wait"

    def __init__(self, wait: Wait, words: str, context: RunContext) -> None:
        super().__init__(words, context)
        self._condition = wait.condition
        self._is_ended = False

    def update(self) -> Status:
        """Look."""
        answer = holds(self._condition, self.context.conditions)
        clause = condition_in_words(self._condition)
        self.detail = {
            True: clause,
            False: f"waiting until {clause}",
            None: f"cannot tell yet whether {clause}",
        }[answer]
        return Status.SUCCESS if answer and not self.context.is_paused else Status.RUNNING

    def wind_down(self, why: str) -> None:
        """There is nothing to end."""
        self._is_ended = True

    def state_now(self) -> NodeState:
        """From the status."""
        if self.status == Status.SUCCESS:
            return NodeState.SUCCEEDED
        if self._is_ended:
            return NodeState.CANCELLED if self.detail else NodeState.SKIPPED
        if self.status == Status.INVALID:
            return NodeState.IDLE
        return NodeState.PAUSED if self.context.is_paused else NodeState.WAITING
