"""One action of a plan as a behaviour: its runner's task, its parameters, its end.

| runner | behaviour |
|---|---|
| not made yet: the plan is paused, or "it" is not known yet | RUNNING |
| waiting, running, asking, paused | RUNNING |
| ready | RUNNING and established |
| succeeded | SUCCESS |
| failed, or cancelled by nobody here | FAILURE, with words |
| cancelled by `cancel` (the operator did not want it any more) | SUCCESS: the rest of the plan goes on |

Ending is bounded: a runner that is not over `stop_timeout_s` after it was told
to end is cut off, and that is said; if even that does not end it, it is left
behind, and the plan goes on without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec
from py_trees.common import Status

from framework.errors import PilothouseError
from framework.events import Event, EventKind
from framework.interlock import Permit
from framework.plan.ast import Do, Reference
from framework.plan.graph import Ended
from framework.plan.passing import nested, outputs_of
from framework.plugins.events import RunState
from framework.plugins.withheld import Withheld
from framework.tree.context import Result, RunContext
from framework.tree.node import PlanNode
from framework.tree.references import Waiting, meaning
from framework.tree.runner import Runner
from framework.tree.view import NodeState

_UNDER_WAY = (RunState.RUNNING, RunState.ASKING, RunState.PAUSED)
_ENDS = (EventKind.FAILED, EventKind.ENDED, EventKind.CANCELLED)


class PauseCause(StrEnum):
    """Why an action holds on."""

    PLAN = "its plan is paused"
    EDGE = "an edge of its graph has paused it"


class _End(NamedTuple):
    state: NodeState
    words: str
    why: str = ""


class ActionNode(PlanNode):
    """A leaf that carries out one action."""

    kind = "do"

    def __init__(self, do: Do, context: RunContext) -> None:
        super().__init__(context.wording(do), context)
        self.do = do
        self._given: dict[str, Any] = {}
        self._begins_with: Any = None
        self._runner: Runner | None = None
        self._task: asyncio.Task[None] | None = None
        self._end: _End | None = None
        self._value: Any = None
        self._ending_because = ""
        self._is_unwanted = False
        self._ends_by_word = False
        self._pauses: set[PauseCause] = set()
        self._is_left_behind = False

    # -- what the tree asks

    def update(self) -> Status:
        """Start when possible; then report what the runner is at."""
        is_next = self._end is None and self._task is None and not self.context.is_paused
        if is_next and not self._pauses:
            self._try_to_start()
        if self._end is None:
            self.detail = self._runner.detail if self._runner is not None else self.detail
            return Status.RUNNING
        self.detail = self._end.words
        good = self._end.state is NodeState.SUCCEEDED or self._is_unwanted
        return Status.SUCCESS if good else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """py_trees takes the node out: nothing may go on running."""
        if new_status == Status.INVALID:
            self.wind_down("its plan ended")

    @property
    def why(self) -> str:
        """See `PlanNode.why`."""
        return self._end.why if self._end is not None else ""

    @property
    def is_established(self) -> bool:
        """Continuous and ready."""
        return self._end is None and self._runner is not None and self._runner.state is RunState.READY

    @property
    def is_quiet(self) -> bool:
        """Its runner does not run."""
        return self._task is None or self._task.done() or self._is_left_behind

    @property
    def is_asking(self) -> bool:
        """It waits for an answer."""
        return self._end is None and self._runner is not None and self._runner.state is RunState.ASKING

    @property
    def fraction(self) -> float:
        """As its runner says while it is under way; what it said before it waits, say, is past."""
        if self._end is not None or self._runner is None or self._runner.state not in _UNDER_WAY:
            return -1.0
        return self._runner.fraction

    @property
    def value(self) -> Any:
        """What it has given back so far."""
        if self._value is None and self.is_established and self._runner is not None:
            return self._runner.value
        return self._value

    @property
    def memory(self) -> Any:
        """What its action remembers of its runs; None if nothing, or before it has begun."""
        return self._runner.memory if self._runner is not None else None

    @property
    def may_still_give(self) -> bool:
        """It is neither over nor established, so what it gives back is not known yet."""
        return self._end is None and not self._ending_because and not self.is_established

    @property
    def result(self) -> Result | None:
        """What it has given back so far, for those who come later."""
        return None if self.value is None else Result(self.do.action, self.value, self.node_id)

    @property
    def plan(self) -> Do:
        """What it was made from."""
        return self.do

    @property
    def has_begun(self) -> bool:
        """Its runner was started, or never will be."""
        return self._task is not None or self._end is not None or bool(self._ending_because)

    def actions(self) -> Iterator[ActionNode]:
        """Itself."""
        yield self

    def state_now(self) -> NodeState:
        """The runner's state, as far as it matters here."""
        if self._end is not None:
            return self._end.state
        if self._ending_because:
            return NodeState.SKIPPED if self._task is None else NodeState.STOPPING
        if self._runner is not None:
            return NodeState(self._runner.state)
        if self.status == Status.INVALID:
            return NodeState.IDLE
        return NodeState.PAUSED if self.context.is_paused else NodeState.WAITING

    @property
    def ended(self) -> Ended | None:
        """As a graph tells it: also that it was stopped, or that its answer is no."""
        if self.status == Status.SUCCESS and self._end is not None:
            if self._end.state is not NodeState.SUCCEEDED:
                return Ended.STOPPED
            return Ended.FALSE if self._value is False else Ended.TRUE
        return super().ended

    def withholds(self, wanted: Do) -> Withheld:
        """What another action would have to wait for because this one has it for itself alone just now."""
        if self._end is not None or self._runner is None:
            return Withheld()
        return self._runner.withholds(self.context.runners.needed_alone(wanted))

    def outputs(self, said: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Its value, by name."""
        return outputs_of(self.value, said)

    # -- what is done to it

    def wind_down(self, why: str) -> None:
        """Tell the runner to end; after `stop_timeout_s` it is cut off."""
        if self._end is not None or self._ending_because:
            return
        self._ending_because = why or "it was stopped"
        if self._task is None:
            return
        by_word = self._ends_by_word
        self._tell_runner("end", lambda runner: runner.cancel(self._ending_because, by_word=by_word))
        self.context.start(self._bound(self._task), f"bound {self.node_id}")

    def cancel(self, why: str) -> None:
        """Nobody wants it any more; the rest of the plan goes on. Idempotent."""
        if self._end is not None or self._is_unwanted:
            return
        self._is_unwanted = True
        was_running = self._task is not None
        self.wind_down(why)
        if not was_running:
            self._end = _End(NodeState.SKIPPED, why)
        self.context.wake()

    def end_by_word(self) -> None:
        """The operator whose it is says that it ends, in a moment: what it has interrupted may go on."""
        self._ends_by_word = True

    def pause(self, cause: PauseCause) -> None:
        """Hold on, until every cause is gone."""
        if self._end is None and not self._ending_because:
            is_first = not self._pauses
            self._pauses.add(cause)
            if is_first:
                self._tell_runner("pause", lambda runner: runner.pause())

    def resume(self, cause: PauseCause) -> None:
        """This cause is gone; it goes on if that was the last one."""
        was_paused = bool(self._pauses)
        self._pauses.discard(cause)
        if was_paused and not self._pauses and self._end is None and not self._ending_because:
            self._tell_runner("go on", lambda runner: runner.resume())

    def go_on(self) -> None:
        """The plan goes on."""
        self.resume(PauseCause.PLAN)

    def give(self, values: Mapping[str, Any]) -> None:
        """Values for this run, beside or instead of those that stand in the plan."""
        self._given = dict(values)

    def begin_with(self, memory: Any) -> None:
        """What its action remembers when it begins (`framework.plugins.begun`)."""
        self._begins_with = memory

    def answer(self, text: str) -> None:
        """Give the operator's answer to the action that asks."""
        self._tell_runner("take the answer", lambda runner: runner.answer(text))

    # -- inside

    def _try_to_start(self) -> None:
        try:
            parameters = self._resolved()
            if parameters is None:
                return
            self._runner = self.context.runners.runner(
                self.do,
                parameters,
                say=self._said,
                changed=self.context.wake,
                who=self.words,
                permit=Permit(self.context.plan_id, self.node_id),
                memory=self._begins_with,
            )
        except PilothouseError as error:
            self._ended(NodeState.FAILED, f"{self.words} cannot be started: {error}")
            return
        except Exception as error:  # a plugin's own mistake must not end the tree
            self._ended(NodeState.FAILED, f"{self.words} cannot be started: {type(error).__name__}: {error}")
            return
        self._task = self.context.start(self._drive(self._runner), f"action {self.node_id} {self.do.action}")

    async def _drive(self, runner: Runner) -> None:
        if self._ending_because:  # told to end before the first step
            self._end = _End(NodeState.SKIPPED, self._ending_because)
            self.context.wake()
            return
        try:
            outcome = await runner.run()
        except asyncio.CancelledError:
            self._ended(NodeState.CANCELLED, f"{self.words} was cut off")
            raise
        except Exception as error:  # runners promise not to; the tree does not rely on it
            self._ended(NodeState.FAILED, f"{self.words} failed: {type(error).__name__}: {error}")
            return
        self._value = outcome.value
        state = NodeState(outcome.state) if outcome.state.is_over else NodeState.FAILED
        self._ended(state, outcome.words, outcome.why)

    def _ended(self, state: NodeState, words: str, why: str = "") -> None:
        self._end = _End(state, words, why)
        if state is NodeState.FAILED:
            self._tell(EventKind.FAILED, words or f"{self.words} failed.")
        elif state is NodeState.CANCELLED:
            why = f": {self._ending_because}" if self._ending_because else ""
            self._tell(EventKind.CANCELLED, words or f"{self.words} ended{why}.")
        else:
            self._tell(EventKind.ENDED, words or f"{self.words}: done.")
        self.context.wake()

    async def _bound(self, task: asyncio.Task[None]) -> None:
        limit_s = self.context.stop_timeout_s
        await asyncio.wait({task}, timeout=limit_s)
        if task.done():
            return
        self._tell(EventKind.ERROR, f"{self.words} did not end within {limit_s:g} s and is abandoned.")
        task.cancel()
        await asyncio.wait({task}, timeout=limit_s / 4)
        if not task.done():
            self._is_left_behind = True
            self._end = self._end or _End(
                NodeState.CANCELLED, f"{self.words} does not end; it is left behind"
            )
            self._tell(
                EventKind.ERROR, f"{self.words} does not even end when it is cut off; it is left behind."
            )

    def _resolved(self) -> Mapping[str, Any] | None:
        """The parameters with "it" replaced; None while that is not known yet. Raises PilothouseError."""
        signature = self.context.runners.find(self.do.action)
        known = {each.name: each for each in signature.parameters} if signature is not None else {}
        resolved: dict[str, Any] = {}
        for name, value in {**self.do.parameters, **self._given}.items():
            if not isinstance(value, Reference):
                resolved[name] = value
                continue
            meant = meaning(value, known.get(name), self.actions_before(), self.context.earlier)
            if isinstance(meant, Waiting):
                self.detail = f'waiting for what "{value.word}" will be: the result of {meant.giver.words}'
                return None
            resolved[name] = meant.value
        return nested(resolved)

    def _said(self, event: Event) -> None:
        # How it ended is said once, when its task is over: then the resources are free as well.
        if event.kind not in _ENDS:
            data = {**event.data, "node": self.node_id}
            self.context.told(msgspec.structs.replace(event, data=data))
        self.context.wake()

    def _tell(self, kind: EventKind, text: str) -> None:
        self.context.told(Event(kind, text, action=self.do.action, data={"node": self.node_id}))

    def _tell_runner(self, what: str, order: Any) -> None:
        if self._runner is None:
            return
        try:
            order(self._runner)
        except Exception as error:  # a plugin's own mistake must not keep others from being told
            self._tell(
                EventKind.ERROR, f"{self.words} could not be told to {what}: {type(error).__name__}: {error}"
            )
            if self._task is not None and self._ending_because:
                self._task.cancel()
        self.context.wake()
