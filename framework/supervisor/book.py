"""The plans that run and have run: starting, watching, pausing and ending them.

It does as it is told; what an instruction means, and whether it may be carried
out, is decided in `interpreter.py` and `admission.py`. What is said about
plans is in `plan_voice.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from contextvars import ContextVar
from functools import partial
from typing import Any

from framework.clock import Clock
from framework.dialogue.asked_by import AskedBy
from framework.dialogue.confirmation import only_answers
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.meta_reading import MetaReader
from framework.dialogue.wish import Wish
from framework.events import Event, EventKind
from framework.interlock import Interlock, Listener, Loss
from framework.phrasing import the
from framework.plan.ast import Do, Plan, actions_of
from framework.plan.instruction import Instruction
from framework.plan.parser import Wording
from framework.supervisor.awaited import AwaitedConditions, comes_after
from framework.supervisor.begun import begin_with, to_take_back
from framework.supervisor.meaning import Target, is_being_done, meant
from framework.supervisor.plan_voice import PlanVoice, how_it_goes_on
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Questions
from framework.supervisor.reply import Reply
from framework.tree.action import ActionNode
from framework.tree.context import STOP_TIMEOUT_S, Result
from framework.tree.run import PlanOutcome, PlanState, TreeRun
from framework.tree.runner import Conditions, RunnerFactory

log = logging.getLogger("pilothouse.supervisor")

MOST_ENDED = 50
MOST_RESULTS = 20
#: Of one operator, for "do that again".
MOST_REMEMBERED = 10
#: When one of its actions has ended, a plan that ends with it has by then [s].
_OVER_WITHIN_S = 0.1

#: The plan that a task belongs to: an action that asks something of the supervisor is known by it.
_own_plan: ContextVar[str] = ContextVar("the plan that this task belongs to", default="")


class PlanBook(Listener):
    """All plans of one supervisor.

    language: a plan in words. reader: how what is said is compared. asked_by: whose an action is by name.
    """

    def __init__(
        self,
        *,
        runners: RunnerFactory,
        conditions: Conditions,
        wording: Wording,
        language: SpokenLanguage,
        voice: PlanVoice,
        questions: Questions,
        clock: Clock,
        reader: MetaReader,
        stop_timeout_s: float = STOP_TIMEOUT_S,
        interlock: Interlock,
        asked_by: AskedBy,
    ) -> None:
        self.voice = voice
        self._runners = runners
        self._conditions = conditions
        self._wording = wording
        self._language = language
        self._questions = questions
        self._clock = clock
        self._reader = reader
        self._stop_timeout_s = stop_timeout_s
        self._records: dict[str, PlanRecord] = {}
        self._ended: list[PlanRecord] = []
        self._started_by: dict[str, deque[PlanRecord]] = {}
        self._results: dict[str, deque[Result]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_number = 0
        self._interlock = interlock
        self._asked_by = asked_by
        self._waiting: PlanRecord | None = None
        interlock.listen(self)

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

    def find(self, plan_id: str) -> PlanRecord | None:
        """The plan of this id, running or one of the last that have ended."""
        return next((record for record in (*self.active, *self._ended) if record.id == plan_id), None)

    def same_as(self, plan: Plan) -> tuple[PlanRecord, ...]:
        """The plans that are doing just this, the oldest first."""
        return tuple(record for record in self.wanted if record.plan == plan)

    def started_by(self, who: str) -> tuple[PlanRecord, ...]:
        """The last plans of an operator, the latest first."""
        return tuple(reversed(self._started_by.get(who, ())))

    def own_of(self, action_words: str) -> PlanRecord | None:
        """The plan of the action that is asking something of the supervisor just now.

        Told by the task; where it is called from elsewhere, by what the action calls itself.
        """
        record = self._records.get(_own_plan.get())
        if record is not None:
            return record
        for record in reversed(self.active):
            if any(action.words == action_words and not action.is_quiet for action in record.run.actions):
                return record
        return None

    @property
    def epoch(self) -> int:
        """Of the motion interlock: what an operator says now is their word as of this."""
        return self._interlock.epoch

    def start(self, wish: Wish, words: str, instruction: Instruction, reply: Reply, word: int) -> PlanRecord:
        """Begin a checked plan. Raises PilothouseError if its tree cannot be built.

        words: the plan's. word: the epoch when an operator last said that it is to be done.
        """
        plan = wish.plan
        self._last_number += 1
        plan_id = str(self._last_number)
        now_s, person = self._clock.now_s(), self._asked_by.person
        record = PlanRecord(plan_id, wish, words, instruction, now_s, self._interlock, person)
        record.awaited = AwaitedConditions(self._conditions, self._reader, self)
        record.run = TreeRun(
            plan,
            plan_id=plan_id,
            runners=self._runners,
            told=partial(self._told, record),
            changed=partial(self._changed, record),
            conditions=record.awaited,
            wording=self._wording,
            clock=self._clock,
            cancel_others=partial(self._cancel_others, record),
            earlier=self._results_of(instruction.who),
            stop_timeout_s=self._stop_timeout_s,
        )
        record.awaited.run = record.run
        self._begin_where_it_began(record)
        record.only_answers = only_answers(plan, self._runners)
        reply.plan = plan_id
        record.replies.append(reply)
        self._records[plan_id] = record
        record.is_asked_for_by(record.who, word)
        self._started_by.setdefault(record.who, deque(maxlen=MOST_REMEMBERED)).append(record)
        self.voice.say(record, EventKind.STARTED, f"I start: {words}.")
        self._say_collisions(record)
        record.task = asyncio.create_task(self._watch(record), name=f"plan {plan_id}")
        self._tasks.add(record.task)
        record.task.add_done_callback(self._tasks.discard)
        self._runs_differently()
        return record

    def _begin_where_it_began(self, record: PlanRecord) -> None:
        """What takes the place of another plan counts from where that has begun, or goes back there."""
        wish = record.wish
        before = self.find(wish.replaces) if wish.replaces else None
        if before is None:
            return
        if wish.takes_back:
            before.is_replaced = True
            for action, part in zip(record.run.actions, to_take_back(before), strict=False):
                action.begin_with(part.memory)
            return
        for action, memory in begin_with(before.run.actions, record.run.actions, self._runners):
            before.is_replaced = True
            action.begin_with(memory)

    def moved_for(self, action: ActionNode) -> str:
        """What is granted to an action and moves just now, in words; empty if nothing does."""
        return " and ".join(self._interlock.moved_for(action.node_id)).replace("_", " ")

    def wait_for_word(self, record: PlanRecord, why: str) -> bool:
        """Pause a plan although no operator has said so, and say why. Whether it is paused."""
        self._waiting = record
        try:
            record.pause()
        finally:
            self._waiting = None
        if record.run.state is not PlanState.PAUSED:
            return False
        self._later(self._say_why_paused(record, why), f"why {record.id} is paused")
        return True

    def waits_for_word(self, plan: str, what: str, loss: Loss) -> None:
        """The motion interlock has refused a plan something: said, unless the plan is paused for it."""
        record = self._records.get(plan)
        if record is not None and (what, loss) not in record.told_to_wait:
            record.told_to_wait.add((what, loss))
            self._later(self._say_what_waits(record, what, loss), f"why {plan} waits")

    def _later(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _say_why_paused(self, record: PlanRecord, why: str) -> None:
        """Unless it is over by then: as one of its own actions has failed, all of it may."""
        await self._clock.sleep(_OVER_WITHIN_S)
        if record.is_active and record.run.state is PlanState.PAUSED:
            self.voice.paused(record, why)

    async def _say_what_waits(self, record: PlanRecord, what: str, loss: Loss) -> None:
        await self._clock.sleep(_OVER_WITHIN_S)
        if record.is_wanted and record.run.state is not PlanState.PAUSED and record.awaited_word is not None:
            words = f'{loss.why}; "{record.words}" waits with {the(what)}{how_it_goes_on(loss)}.'
            self.voice.say(record, EventKind.WAITING, words)

    def changed(self, record: PlanRecord) -> None:
        """Its tree was changed while it was paused."""
        record.plan = record.run.plan
        record.words = self._language.in_words(record.plan)

    def needed_alone(self, do: Do) -> str:
        """What an action needs for itself alone, in words; empty if there is nothing, or it has a way out."""
        return self._runners.collide(do, do)

    def hear(self, said: str, who: str) -> bool:
        """An operator says these words (already normal); whether any plan has waited for them."""
        waiting = [
            record for record in self.wanted if record.who in (who, "") and record.awaited.awaits(said)
        ]
        for record in waiting:
            record.awaited.hear(said)
        return bool(waiting)

    def is_being_done(self, what: str) -> bool:
        """Whether something that these words mean is being done."""
        return is_being_done(what, (each for each in self.active if not each.only_answers))

    def awaits(self, said: str, who: str) -> bool:
        """Whether any plan waits for an operator to say just this."""
        return any(record.who in (who, "") and record.awaited.awaits(said) for record in self.wanted)

    async def all_over(self, records: tuple[PlanRecord, ...]) -> None:
        """Wait until these have ended. Ending is bounded in the tree; here once more, for good measure."""
        tasks = {record.task for record in records}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=2 * self._stop_timeout_s + 1)
        for task in late:
            task.cancel()

    async def made_way(self, record: PlanRecord) -> None:
        """Wait until what comes after a plan may begin: it is over, or up and running until it is ended.

        However long that takes; only once it was told to end, that is bounded.
        """
        while record.is_wanted and not record.was_established:
            changed = record.changed
            await changed.wait()
        if not record.is_wanted:
            await self.all_over((record,))

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
        self._interlock.unlisten(self)
        for record in self.active:
            record.run.stop("the supervisor is closing")
        await self.all_over(self.active)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        for record in (*self._records.values(), *self._ended):
            for task in record.run.left_behind:
                log.error("%s goes on although it was told to end and cut off", task.get_name())

    # -- inside

    def _results_of(self, who: str) -> tuple[Result, ...]:
        """What "it" may mean for an operator: results of ended plans, then of those that still run."""
        running = (result for record in self.active if record.who == who for result in record.run.results)
        return (*self._results.get(who, ()), *running)

    async def _watch(self, record: PlanRecord) -> None:
        _own_plan.set(record.id)
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
        record.closes(outcome, self._clock.now_s())
        self._records.pop(record.id, None)
        self._remember(record)
        if outcome.results:
            kept = self._results.setdefault(record.who, deque(maxlen=MOST_RESULTS))
            kept.extend(outcome.results)
        self.voice.ended(record, outcome)
        has_succeeded = outcome.state is PlanState.SUCCEEDED
        record.settle(has_succeeded)
        for later in self.wanted if not has_succeeded else ():
            if comes_after(later.plan, record.id):
                later.run.stop(f'"{record.words}" was not done to its end')
        self._runs_differently()

    def _remember(self, record: PlanRecord) -> None:
        """As one of the last that have ended; an answered question pushes nothing out that was done."""
        self._ended.append(record)
        if len(self._ended) > MOST_ENDED:
            answered = (number for number, each in enumerate(self._ended) if each.only_answers)
            del self._ended[next(answered, 0)]

    def _told(self, record: PlanRecord, event: Event) -> None:
        question = None
        if event.kind == EventKind.ASKED:
            question = self._questions.ask_for_action(record, event.node, event.text)
        if (said := self.voice.in_tree(record, event, question)) is not None:
            record.note(self.voice.events.publish(said))
        if event.kind != EventKind.DOING:
            self._runs_differently()

    def _changed(self, record: PlanRecord, state: PlanState) -> None:
        record.changes(state)
        if state is PlanState.PAUSED:
            if record is not self._waiting:  # that has words of its own
                self.voice.say(record, EventKind.PAUSED, f"I pause: {record.words}.")
        elif state is PlanState.ESTABLISHED and not record.was_established:
            record.was_established = True
            self.voice.say(record, EventKind.ESTABLISHED, f"Up and running: {record.words}.")
            record.settle(True)
        self._runs_differently()

    def _runs_differently(self) -> None:
        for record in self.active:
            record.awaited.runs_differently()

    def _say_collisions(self, record: PlanRecord) -> None:
        for other in self.wanted:
            if other is record:
                continue
            needed = self._collision(record.plan, other)
            if needed:
                words = f"It needs {the(needed)}, which is in use: {other.words}."
                self.voice.say(record, EventKind.WAITING, words)

    def _collision(self, plan: Plan, other: PlanRecord) -> str:
        for mine in actions_of(plan):
            for action in other.run.actions:
                if action.is_quiet:
                    continue
                if needed := action.withholds(mine).what or self._runners.collide(mine, action.do):
                    return needed
        return ""

    async def _cancel_others(self, record: PlanRecord, what: str) -> str:
        targets = meant(what, (other for other in self.active if other is not record))
        for target in targets:
            target.end(f"{record.words} ended it", None)
        for target in targets:
            await self.over(target)
        return ", ".join(target.words for target in targets)
