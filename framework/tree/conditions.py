"""The leaves that ask a condition: one waits for it, one decides by it."""

from __future__ import annotations

from py_trees.common import Status

from framework.errors import PlanError
from framework.plan.ast import Condition, Decide, Wait
from framework.plan.graph import Ended
from framework.tree.asked_condition import AskedCondition
from framework.tree.context import RunContext
from framework.tree.node import PlanNode
from framework.tree.view import NodeState


class AskingNode(PlanNode):
    """A leaf that asks a condition. Subclasses write `look`."""

    def __init__(self, condition: Condition, words: str, context: RunContext) -> None:
        super().__init__(words, context)
        self.asked_condition = AskedCondition(condition, context, self.actions_before)
        self._is_ended = False

    @property
    def has_begun(self) -> bool:
        """It has looked."""
        return bool(self.detail) or self._is_ended

    def look(self) -> Status:
        """Ask, say in `detail` what came of it. May raise PlanError."""
        raise NotImplementedError

    def update(self) -> Status:
        """Look."""
        try:
            return self.look()
        except PlanError as error:
            self.detail = str(error)
            return Status.FAILURE

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


class WaitNode(AskingNode):
    """Succeeds when a condition holds, or does not hold any more."""

    kind = "wait"

    def __init__(self, wait: Wait, words: str, context: RunContext) -> None:
        super().__init__(wait.condition, words, context)
        self._wait = wait

    @property
    def plan(self) -> Wait:
        """What it was made from."""
        return self._wait

    def look(self) -> Status:
        """Whether it is time."""
        answer, clause, is_so = self.asked_condition.ask(), self.asked_condition.clause, self._wait.is_so
        if answer is None:
            self.detail = f"cannot tell yet whether {clause}"
        elif answer is is_so:
            self.detail = clause if is_so else f"not any more: {clause}"
        else:
            self.detail = f"waiting until {clause}" if is_so else f"waiting as long as {clause}"
        return Status.SUCCESS if answer is is_so and not self.context.is_paused else Status.RUNNING


class DecideNode(AskingNode):
    """Tells as soon as it can be told whether a condition holds; fails if nobody ever will."""

    kind = "decide"

    def __init__(self, decide: Decide, words: str, context: RunContext) -> None:
        super().__init__(decide.condition, words, context)
        self._decide = decide
        self._answer: bool | None = None

    @property
    def plan(self) -> Decide:
        """What it was made from."""
        return self._decide

    @property
    def ended(self) -> Ended | None:
        """Its answer."""
        return Ended.FALSE if self.is_over and self._answer is False else super().ended

    def look(self) -> Status:
        """The answer, or that there is none."""
        self._answer, clause = self.asked_condition.ask_once(), self.asked_condition.clause
        if self._answer is None and self.asked_condition.may_be_told_soon:
            self.detail = f"finding out whether {clause}"
            return Status.RUNNING
        if self._answer is None:
            self.detail = f"nobody can tell whether {clause}"
            return Status.FAILURE
        self.detail = clause if self._answer else f"not so: {clause}"
        return Status.SUCCESS
