"""The leaf that ends other plans' actions ("stop tracking, then go home")."""

from __future__ import annotations

import asyncio

from py_trees.common import Status

from framework.events import Event, EventKind
from framework.plan.ast import Cancel
from framework.tree.context import RunContext
from framework.tree.node import PlanNode
from framework.tree.view import NodeState


class CancelNode(PlanNode):
    """Succeeds when what it ended is over, fails if there was nothing of that name."""

    kind = "cancel"

    def __init__(self, cancel: Cancel, words: str, context: RunContext) -> None:
        super().__init__(words, context)
        self._cancel_plan = cancel
        self._what = cancel.what
        self._task: asyncio.Task[str] | None = None
        self._has_asked = False
        self._is_ended = False

    @property
    def plan(self) -> Cancel:
        """What it was made from."""
        return self._cancel_plan

    @property
    def has_begun(self) -> bool:
        """It has told somebody to end, or was told to end itself."""
        return self._task is not None or self._is_ended

    def update(self) -> Status:
        """Begin, then wait for the end of what is cancelled."""
        if self._task is None:
            if self.context.is_paused or self._is_ended:
                return Status.RUNNING
            self._task = self.context.start(self._cancel(), f"cancel {self.node_id}")
        if not self._task.done():
            return Status.RUNNING
        self.detail = "" if self._task.cancelled() else self._task.result()
        if self.detail:
            return Status.SUCCESS
        self.detail = f"{self._what.replace('_', ' ') or 'anything else'} is not being done"
        self.context.told(
            Event(
                EventKind.FAILED,
                f"{self.detail}, so there is nothing to stop.",
                data={"node": self.node_id},
            )
        )
        return Status.FAILURE

    async def _cancel(self) -> str:
        self._has_asked = True
        return await self.context.cancel_others(self._what)

    @property
    def is_quiet(self) -> bool:
        """Whether it waits for nobody."""
        return self._task is None or self._task.done()

    def wind_down(self, why: str) -> None:
        """Stop waiting; what was told to end ends nevertheless."""
        self._is_ended = True
        if self._task is not None:
            self._task.cancel()

    def state_now(self) -> NodeState:
        """From the status."""
        if self.status == Status.SUCCESS:
            return NodeState.SUCCEEDED
        if self.status == Status.FAILURE:
            return NodeState.FAILED
        if self._is_ended:
            return NodeState.CANCELLED if self._has_asked else NodeState.SKIPPED
        return NodeState.IDLE if self.status == Status.INVALID else NodeState.RUNNING
