"""One plan being carried out: the task that ticks its tree, and what can be done to it from outside.

Starts, pauses, stops and ends are bounded and told; who may ask for them, and
in which words, is the supervisor's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum

import msgspec
from py_trees.common import Status

from framework.clock import Clock, LoopClock
from framework.plan.ast import Plan
from framework.plan.parser import Wording
from framework.plan.words import plain_wording
from framework.tree.action import ActionNode
from framework.tree.build import build
from framework.tree.context import STOP_TIMEOUT_S, Happened, Result, RunContext, TreeEvent
from framework.tree.node import PlanNode
from framework.tree.runner import Conditions, NoConditions, RunnerFactory
from framework.tree.ticker import MOST_TICKS_PER_S, Ticker
from framework.tree.view import TreeView


class PlanState(StrEnum):
    """What a plan is at. ESTABLISHED: all that is left of it is continuous and ready."""

    RUNNING = "running"
    ESTABLISHED = "established"
    PAUSED = "paused"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing of it runs any more."""
        return self in (PlanState.SUCCEEDED, PlanState.FAILED, PlanState.CANCELLED)


class PlanOutcome(msgspec.Struct, frozen=True):
    """How a plan ended. words: why, may be empty; results: of its actions, the latest last."""

    state: PlanState
    words: str = ""
    results: tuple[Result, ...] = ()


async def _no_others(what: str) -> str:
    return ""


class TreeRun:
    """A plan on its way. `run` is to be run as one task; everything else may be called at any time.

    Args:
        plan: checked against the action signatures.
        plan_id: unique in the installation; nodes are called "<plan_id>.<number>".
        told: hears what happens in the tree.
        changed: is called when the state of the plan has changed.
        cancel_others: carries out Cancel nodes.
        earlier: what "it" may mean besides the results of this plan.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        plan_id: str,
        runners: RunnerFactory,
        told: Callable[[TreeEvent], None],
        changed: Callable[[PlanState], None] = lambda state: None,
        conditions: Conditions | None = None,
        wording: Wording = plain_wording,
        clock: Clock | None = None,
        cancel_others: Callable[[str], Awaitable[str]] = _no_others,
        earlier: tuple[Result, ...] = (),
        stop_timeout_s: float = STOP_TIMEOUT_S,
        most_ticks_per_s: float = MOST_TICKS_PER_S,
    ) -> None:
        clock = clock or LoopClock()
        self.plan = plan
        self.state = PlanState.RUNNING
        self._conditions = conditions or NoConditions()
        self._ticker = Ticker(clock, most_ticks_per_s)
        self._told = told
        self._changed = changed
        self._stopping_because = ""
        self._broken = ""
        self._context = RunContext(
            plan_id=plan_id,
            runners=runners,
            conditions=self._conditions,
            wording=wording,
            clock=clock,
            told=told,
            wake=self._ticker.wake,
            cancel_others=cancel_others,
            earlier=earlier,
            stop_timeout_s=stop_timeout_s,
        )
        self._root: PlanNode = build(plan, self._context)

    @property
    def actions(self) -> tuple[ActionNode, ...]:
        """All actions, in the order in which they were said."""
        return tuple(self._root.actions())

    @property
    def ticks(self) -> int:
        """How often the tree was ticked."""
        return self._ticker.ticks

    @property
    def left_behind(self) -> tuple[asyncio.Task[None], ...]:
        """Tasks of this plan that have not ended; after `run` these do not want to."""
        return tuple(task for task in self._context.tasks if not task.done())

    def view(self) -> TreeView:
        """The tree as it is now."""
        return self._root.view()

    async def run(self) -> PlanOutcome:
        """Carry the plan out. When it returns, what it started is over, or was left behind and said so.

        Cancelling this task cuts everything off.
        """
        unwatch = self._conditions.watch(self._ticker.wake)
        self._ticker.wake()
        try:
            while True:
                await self._ticker.next()
                outcome = self._step()
                if outcome is not None:
                    return outcome
        finally:
            unwatch()
            for task in self.left_behind:
                task.cancel()

    def pause(self) -> bool:
        """Hold on: running actions are paused, new ones wait. False if there is nothing to pause."""
        if self.state not in (PlanState.RUNNING, PlanState.ESTABLISHED):
            return False
        self._context.is_paused = True
        self._become(PlanState.PAUSED)
        for action in self.actions:
            action.pause()
        self._ticker.wake()
        return True

    def resume(self) -> bool:
        """Go on after `pause`. False if it was not paused."""
        if self.state is not PlanState.PAUSED:
            return False
        self._context.is_paused = False
        self._become(PlanState.RUNNING)
        for action in self.actions:
            action.resume()
        self._ticker.wake()
        return True

    def stop(self, why: str) -> bool:
        """Begin to end it; `run` returns when all is at rest. False if it is ending or over already."""
        if self.state.is_over or self.state is PlanState.STOPPING:
            return False
        self._stopping_because = why or "it was stopped"
        self._become(PlanState.STOPPING)
        self._root.wind_down(self._stopping_because)
        self._ticker.wake()
        return True

    # -- inside

    def _step(self) -> PlanOutcome | None:
        if not self._stopping_because and not self._broken:
            self._tick()
        self._root.view()  # notes since when each node is what it is
        if self._stopping_because or self._broken:
            if not self._root.is_quiet:
                return None
            return self._finish(PlanState.FAILED if self._broken else PlanState.CANCELLED)
        if self._root.status == Status.SUCCESS:
            return self._finish(PlanState.SUCCEEDED)
        if self._root.status == Status.FAILURE:
            return self._finish(PlanState.FAILED)
        if self.state is not PlanState.PAUSED:
            established = self._root.is_established
            self._become(PlanState.ESTABLISHED if established else PlanState.RUNNING)
        return None

    def _tick(self) -> None:
        try:
            for _ in self._root.tick():
                pass
        except Exception as error:  # one plan's mistake must not harm another
            self._broken = f"the tree itself failed: {type(error).__name__}: {error}"
            self._told(TreeEvent(Happened.ERROR, f"{self._broken}."))
            self._root.wind_down(self._broken)

    def _finish(self, state: PlanState) -> PlanOutcome:
        self._become(state)
        words = self._stopping_because or self._broken or self._root.detail
        results = tuple(
            Result(action.do.action, action.value) for action in self.actions if action.value is not None
        )
        return PlanOutcome(state, words, results)

    def _become(self, state: PlanState) -> None:
        if state is not self.state:
            self.state = state
            self._changed(state)
