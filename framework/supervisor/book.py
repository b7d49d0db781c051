"""The plans that run and have run: starting, watching, pausing and ending them, and saying so.

It does as it is told; what an instruction means, and whether it may be carried
out, is decided in `supervisor.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping

from framework.clock import Clock
from framework.plan.ast import Plan, actions_of
from framework.plan.instruction import Instruction
from framework.plan.parser import Wording
from framework.plan.words import in_words
from framework.supervisor.events import Event, EventBus, EventKind
from framework.supervisor.meaning import Target, meant
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply
from framework.tree.action import ActionNode
from framework.tree.context import STOP_TIMEOUT_S, Happened, Result, TreeEvent
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.runner import Conditions, RunnerFactory

log = logging.getLogger("pilothouse.supervisor")

MOST_ENDED = 50
MOST_RESULTS = 20
PROGRESS_EVERY_S = 0.5
#: Of a plan of one action the plan says these itself.
_SAID_BY_THE_PLAN = (Happened.STARTED, Happened.ENDED, Happened.FAILED, Happened.CANCELLED)


class PlanBook:
    """All plans of one supervisor."""

    def __init__(
        self,
        *,
        runners: RunnerFactory,
        conditions: Conditions,
        wording: Wording,
        events: EventBus,
        clock: Clock,
        stop_timeout_s: float = STOP_TIMEOUT_S,
    ) -> None:
        self._runners = runners
        self._conditions = conditions
        self._wording = wording
        self._events = events
        self._clock = clock
        self._stop_timeout_s = stop_timeout_s
        self._records: dict[str, PlanRecord] = {}
        self._ended: deque[PlanRecord] = deque(maxlen=MOST_ENDED)
        self._results: dict[str, deque[Result]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_number = 0
        self._progress: dict[str, tuple[float, object]] = {}

    @property
    def active(self) -> tuple[PlanRecord, ...]:
        """Those that have not ended, the oldest first."""
        return tuple(self._records.values())

    @property
    def wanted(self) -> tuple[PlanRecord, ...]:
        """Those that nobody has told to end."""
        return tuple(record for record in self._records.values() if record.is_wanted)

    @property
    def ended(self) -> tuple[PlanRecord, ...]:
        """The last ones that have ended, the oldest first."""
        return tuple(self._ended)

    def same_as(self, plan: Plan) -> PlanRecord | None:
        """A plan that is doing just this."""
        return next((record for record in self.wanted if record.plan == plan), None)

    def asking(self, who: str) -> ActionNode | None:
        """The action of this operator's plans that asks; of any plan if that one has no owner."""
        for record in reversed(self.wanted):
            if record.who in (who, ""):
                for action in record.run.actions:
                    if action.is_asking:
                        return action
        return None

    def start(self, plan: Plan, instruction: Instruction, reply: Reply) -> PlanRecord:
        """Begin a checked plan. Raises PilothouseError if its tree cannot be built."""
        self._last_number += 1
        plan_id = str(self._last_number)
        words = in_words(plan, self._wording)
        record = PlanRecord(plan_id, plan, words, instruction, self._clock.now_s())
        record.run = TreeRun(
            plan,
            plan_id=plan_id,
            runners=self._runners,
            told=lambda event: self._told(record, event),
            changed=lambda state: self._changed(record, state),
            conditions=self._conditions,
            wording=self._wording,
            clock=self._clock,
            cancel_others=lambda what: self._cancel_others(record, what),
            earlier=tuple(self._results.get(instruction.who, ())),
            stop_timeout_s=self._stop_timeout_s,
        )
        reply.plan = plan_id
        record.replies.append(reply)
        self._records[plan_id] = record
        self.say(record, EventKind.STARTED, f"I start: {words}.")
        self._say_collisions(record)
        record.task = asyncio.create_task(self._watch(record), name=f"plan {plan_id}")
        self._tasks.add(record.task)
        record.task.add_done_callback(self._tasks.discard)
        return record

    def say(
        self,
        record: PlanRecord,
        kind: EventKind,
        text: str,
        *,
        action: str = "",
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> Event:
        """Something about a plan, to everybody, its journal and those who asked for it."""
        event = self._events.emit(kind, text, plan=record.id, action=action, who=record.who, data=data)
        record.note(event)
        return event

    async def all_over(self, records: tuple[PlanRecord, ...]) -> None:
        """Wait until these have ended. Ending is bounded in the tree; here once more, for good measure."""
        tasks = {record.task for record in records}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=2 * self._stop_timeout_s + 1)
        for task in late:
            task.cancel()

    async def over(self, target: Target) -> None:
        """Wait until a plan, or one action of one, is at rest."""
        if target.action is None:
            await self.all_over((target.record,))
            return
        deadline_s = self._clock.now_s() + 2 * self._stop_timeout_s + 1
        while not target.is_quiet and self._clock.now_s() < deadline_s:
            await self._clock.sleep(0.01)

    async def close(self) -> None:
        """End everything and wait for it, bounded. What does not want to end is named in the log."""
        for record in self.active:
            record.run.stop("the supervisor is closing")
        await self.all_over(self.active)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        for record in (*self._records.values(), *self._ended):
            for task in record.run.left_behind:
                log.error("%s goes on although it was told to end and cut off", task.get_name())

    # -- inside

    async def _watch(self, record: PlanRecord) -> None:
        try:
            outcome = await record.run.run()
        except asyncio.CancelledError:
            self._close(record, PlanOutcome(PlanState.CANCELLED, "it was cut off"))
            raise
        except Exception as error:  # whatever happens in one plan, the others and the operator are served
            log.exception("plan %s", record.id)
            outcome = PlanOutcome(PlanState.FAILED, f"{type(error).__name__}: {error}")
        self._close(record, outcome)

    def _close(self, record: PlanRecord, outcome: PlanOutcome) -> None:
        record.outcome = outcome
        self._records.pop(record.id, None)
        for action in record.run.actions:
            self._progress.pop(action.node_id, None)
        self._ended.append(record)
        if outcome.results:
            kept = self._results.setdefault(record.who, deque(maxlen=MOST_RESULTS))
            kept.extend(outcome.results)
        words = outcome.words.rstrip(".")
        why = f": {words}" if words else ""
        if outcome.state is PlanState.SUCCEEDED:
            self.say(record, EventKind.ENDED, f"Done: {record.words}.")
        elif outcome.state is PlanState.FAILED:
            self.say(record, EventKind.FAILED, f"I could not {record.words}{why}.")
        else:
            self.say(record, EventKind.CANCELLED, f"I ended: {record.words}{why}.")
        record.settle(outcome.state is PlanState.SUCCEEDED)

    def _told(self, record: PlanRecord, event: TreeEvent) -> None:
        if record.is_single and event.kind in _SAID_BY_THE_PLAN:
            return
        try:
            kind = EventKind(event.kind)
        except ValueError:
            kind = EventKind.DOING
        if kind is EventKind.DOING and self._is_too_soon(event):
            return
        self.say(record, kind, event.text, action=event.action, data={**event.data, "node": event.node})

    def _is_too_soon(self, event: TreeEvent) -> bool:
        """An action may report progress as often as it likes, but the history is not for that.

        What it says without having got further is no progress, and is always passed on.
        """
        fraction = event.data.get("fraction")
        told_s, before = self._progress.get(event.node, (-PROGRESS_EVERY_S, None))
        if fraction is None or fraction == before:
            return False
        now_s = self._clock.now_s()
        is_too_soon = now_s - told_s < PROGRESS_EVERY_S and fraction != 1.0
        self._progress[event.node] = (told_s if is_too_soon else now_s, fraction)
        return is_too_soon

    def _changed(self, record: PlanRecord, state: PlanState) -> None:
        if state is PlanState.PAUSED:
            self.say(record, EventKind.PAUSED, f"I pause: {record.words}.")
        elif state is PlanState.ESTABLISHED and not record.was_established:
            record.was_established = True
            self.say(record, EventKind.ESTABLISHED, f"It is established: {record.words}.")
            record.settle(True)

    def _say_collisions(self, record: PlanRecord) -> None:
        for other in self.wanted:
            if other is record:
                continue
            needed = self._collision(record.plan, other)
            if needed:
                self.say(record, EventKind.WAITING, f"It needs {needed}, which is in use: {other.words}.")

    def _collision(self, plan: Plan, other: PlanRecord) -> str:
        for mine in actions_of(plan):
            for action in other.run.actions:
                if not action.is_quiet and (needed := self._runners.collide(mine, action.do)):
                    return needed
        return ""

    async def _cancel_others(self, record: PlanRecord, what: str) -> str:
        targets = meant(what, (other for other in self.active if other is not record))
        for target in targets:
            target.end(f"{record.words} ended it")
        for target in targets:
            await self.over(target)
        return ", ".join(target.words for target in targets)
