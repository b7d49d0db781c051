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
from framework.errors import PlanError
from framework.events import Event, EventKind
from framework.plan.ast import Plan
from framework.plan.graph import Ended
from framework.plan.parser import Wording
from framework.plan.words import plain_wording
from framework.tree.action import ActionNode, PauseCause
from framework.tree.build import build
from framework.tree.change import Change, changed, find
from framework.tree.conditions import WaitNode
from framework.tree.context import STOP_TIMEOUT_S, Result, RunContext
from framework.tree.graph import GraphNode
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
    """How a plan ended. words: why, may be empty; results: of its actions, the latest last.

    why: of a single action, the reason without the action's words before it; "" if there is no such.
    """

    state: PlanState
    words: str = ""
    results: tuple[Result, ...] = ()
    why: str = ""


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
        told: Callable[[Event], None],
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
    def plan(self) -> Plan:
        """What is carried out; another one than in the beginning once it was changed."""
        return self._root.plan

    @property
    def actions(self) -> tuple[ActionNode, ...]:
        """All actions, in the order in which they were said."""
        return tuple(self._root.actions())

    @property
    def ended(self) -> Ended | None:
        """How it ended by itself, as a graph tells it: also "no" and "stopped"; None if it has not."""
        return self._root.ended

    @property
    def results(self) -> tuple[Result, ...]:
        """What its actions have given so far, in the order in which they were said."""
        return tuple(action.result for action in self.actions if action.result is not None)

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
            self._context.stopwatch.close()
            for task in self.left_behind:
                task.cancel()

    def look_again(self) -> None:
        """Something outside is different; tick soon."""
        self._ticker.wake()

    def pause(self) -> bool:
        """Hold on: running actions are paused, new ones wait. False if there is nothing to pause."""
        if self.state not in (PlanState.RUNNING, PlanState.ESTABLISHED):
            return False
        self._context.pause()
        self._become(PlanState.PAUSED)
        for action in self.actions:
            action.pause(PauseCause.PLAN)
        self._ticker.wake()
        return True

    def change(self, change: Change) -> None:
        """Insert, remove or replace what has not begun; the run goes on from where it is when it is resumed.

        Only while it is paused. Raises PlanError that says what is allowed; then everything is as it was.
        """
        if self.state is not PlanState.PAUSED:
            raise PlanError(
                f"The plan is {self.state}; it can be changed only while it is paused: pause it first."
            )
        self._root = changed(self._root, change, self._context)
        self._ticker.wake()

    def resume(self, continue_from: str = "") -> bool:
        """Go on after `pause`; where that is no cause, or a graph has halted, also what an edge has paused.

        False if nothing was paused.

        continue_from: a node of a graph that is to begin at once, whatever it would have waited for.
        Raises PlanError if there is no such node, or it is going on; then it stays paused.
        """
        if self.state is not PlanState.PAUSED and not self._is_held:
            return False
        if continue_from:
            self._start_from(continue_from)
        goes_on_whole = self.state is not PlanState.PAUSED or self._has_halted or bool(continue_from)
        self._context.resume()
        self._become(PlanState.RUNNING)
        if goes_on_whole:
            self._root.go_on()
        for action in self.actions:
            action.go_on()
        self._ticker.wake()
        return True

    def stop(self, why: str, by_word: Callable[[ActionNode], bool] = lambda action: False) -> bool:
        """Begin to end it; `run` returns when all is at rest. False if it is ending or over already.

        by_word: which of its actions end as the operator whose they are has said so.
        """
        if self.state.is_over or self.state is PlanState.STOPPING:
            return False
        self._stopping_because = why or "it was stopped"
        self._become(PlanState.STOPPING)
        for action in filter(by_word, self.actions):
            action.end_by_word()
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
        if self.state is not PlanState.PAUSED and self._is_halted:
            self.pause()
        if self.state is not PlanState.PAUSED:
            established = self._root.is_established
            self._become(PlanState.ESTABLISHED if established else PlanState.RUNNING)
        return None

    @property
    def _is_held(self) -> bool:
        """An edge of a graph has paused something; that needs no paused plan."""
        graphs = [node for node in self._root.walk() if isinstance(node, GraphNode)]
        return not self.state.is_over and any(graph.is_held for graph in graphs)

    @property
    def _is_halted(self) -> bool:
        """A graph cannot go on, and nothing else does."""
        return self._has_halted and not _goes_on(self._root)

    @property
    def _has_halted(self) -> bool:
        """A graph cannot go on."""
        graphs = [node for node in self._root.walk() if isinstance(node, GraphNode)]
        return any(graph.is_halted for graph in graphs)

    def _start_from(self, node_id: str) -> None:
        node = find(self._root, node_id)
        if node is None or not isinstance(node.parent, GraphNode):
            raise PlanError(f"There is no node {node_id!r} in a graph of this plan that could be begun.")
        node.parent.start_from(node)

    def _tick(self) -> None:
        try:
            for _ in self._root.tick():
                pass
        except Exception as error:  # one plan's mistake must not harm another
            self._broken = f"the tree itself failed: {type(error).__name__}: {error}"
            self._told(Event(EventKind.ERROR, f"{self._broken}."))
            self._root.wind_down(self._broken)

    def _finish(self, state: PlanState) -> PlanOutcome:
        self._become(state)
        of_itself = self._stopping_because or self._broken
        why = "" if of_itself else self._root.why
        return PlanOutcome(state, of_itself or self._root.detail, self.results, why)

    def _become(self, state: PlanState) -> None:
        if state is not self.state:
            self.state = state
            self._changed(state)


def _goes_on(node: PlanNode) -> bool:
    """Whether anything in it runs or waits for something, apart from what an edge has paused."""
    if isinstance(node, GraphNode):
        return any(_goes_on(place.current) for place in node.places if not place.is_held)
    if children := node.plan_children():
        return any(map(_goes_on, children))
    return node.status == Status.RUNNING and (isinstance(node, WaitNode) or not node.is_quiet)
