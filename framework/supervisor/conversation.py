"""Runs the generators of exchanges: puts their questions, waits for what they wait for, resumes or ends them.

Nothing waits on the stack: a generator runs until it yields, and goes on when the answer is there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from framework.clock import Clock
from framework.dialogue.proposer import Proposer
from framework.errors import PilothouseError
from framework.events import EventKind
from framework.plan.ast import Plan
from framework.plan.parser import World
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import AfterEnd, Answer, Ask, Exchange, Propose, Steps, Think
from framework.supervisor.questions import Question, Questions
from framework.supervisor.thinking import Thinking

log = logging.getLogger("pilothouse.supervisor")

PROPOSE_WITHIN_S = 8.0


class Conversation:
    """All exchanges that have pending and wait for something.

    questions: the open ones. proposals: who proposes plans, if anybody does. thinking: does the work of the
    language; without one it is done at once.
    """

    def __init__(
        self,
        questions: Questions,
        book: PlanBook,
        proposals: Proposals | None,
        thinking: Thinking | None = None,
    ) -> None:
        self.questions = questions
        self.proposals = proposals
        self._thinking = thinking
        self._turn = asyncio.Lock()
        self._book = book
        self._waiting: dict[asyncio.Task[None], _Pending] = {}

    def run(self, exchange: Exchange, steps: Steps[None]) -> None:
        """Begin; returns when the exchange is over, or has to wait."""
        self.resume(_Pending(exchange, steps), None)

    def resume(self, pending: _Pending, result: object = None, error: Exception | None = None) -> None:
        """Go on until it waits again. error: is raised where it waits, in place of a result."""
        while True:
            try:
                step = pending.steps.send(result) if error is None else pending.steps.throw(error)
            except StopIteration:
                pending.rest()
                return
            except BaseException:
                pending.rest()
                raise
            if not isinstance(step, Think) or self._thinking is not None:
                break
            result, error = _done_at_once(step.work)
        if not isinstance(step, Think):
            pending.rest()
        match step:
            case Ask():
                question = _Asked(step, pending, self)
                self.questions.ask(question)
                pending.exchange.say(EventKind.ASKED, question.full_text, question.data)
            case Propose():
                self._wait(step, pending, f"proposal for {pending.exchange.who}")
            case AfterEnd():
                self._wait(step, pending, f"after plan {step.plan.id}")
            case Think():
                self._wait(step, pending, f"understanding {pending.exchange.who}")

    def withdraw_proposal(self, who: str, why: str) -> bool:
        """This operator is not interested in a proposal any more; False if none is waited for."""
        waiting = [
            task
            for task, pending in self._waiting.items()
            if pending.is_proposed and pending.exchange.who == who
        ]
        for task in waiting:
            self._leave(task, why)
        return bool(waiting)

    def call_off(self, who: str) -> bool:
        """An operator does not want what was asked or proposed; False if there was nothing."""
        if (question := self.questions.open_for(who)) is not None:
            return self.questions.answer(question, 0)
        return self.withdraw_proposal(who, "you have called it off")

    def withdraw_all(self, why: str) -> None:
        """Nothing that waits for anything goes on."""
        self.questions.withdraw_all(why)
        for task in tuple(self._waiting):
            self._leave(task, why)

    async def close(self) -> None:
        """Wait for what was told to end, bounded."""
        if self.proposals is not None:
            await self.proposals.close()

    def _wait(self, step: Propose | AfterEnd | Think, pending: _Pending, name: str) -> None:
        pending.is_proposed = isinstance(step, Propose)
        task = asyncio.create_task(self._resume_after(step, pending), name=name)
        self._waiting[task] = pending
        task.add_done_callback(lambda task: self._waiting.pop(task, None))

    async def _resume_after(self, step: Propose | AfterEnd | Think, pending: _Pending) -> None:
        result: object = None
        error: Exception | None = None
        if isinstance(step, AfterEnd):
            await self._book.made_way(step.plan)
        elif isinstance(step, Think):
            result, error = await self._thought(step, pending)
        elif self.proposals is not None:
            result = await self.proposals.propose(step.text)
        task = asyncio.current_task()
        if task is not None and self._waiting.pop(task, None) is not None:
            try:
                self.resume(pending, result, error)
            except Exception as wrong:  # nobody waits for this task: whoever gave the instruction is told
                log.exception("what came of %r", pending.exchange.instruction.text)
                pending.exchange.refuse(f"this did not work: {type(wrong).__name__}: {wrong}.")

    async def _thought(self, step: Think, pending: _Pending) -> tuple[object, Exception | None]:
        """What the work comes to, once nobody thinks who began before."""
        if pending.turn is None:
            await self._turn.acquire()
            pending.turn = self._turn
        assert self._thinking is not None
        try:
            return await self._thinking(step.work), None
        except Exception as error:
            return None, error

    def _leave(self, task: asyncio.Task[None], why: str) -> None:
        pending = self._waiting.pop(task, None)
        if pending is not None:  # who was told of the one before may have ended this one, too
            task.cancel()
            pending.leave(why)


class _Pending:
    """An exchange and its generator, while that waits.

    is_proposed: it waits for a proposal. turn: is held while it is being understood.
    """

    def __init__(self, exchange: Exchange, steps: Steps[None]) -> None:
        self.exchange = exchange
        self.steps = steps
        self.is_proposed = False
        self.turn: asyncio.Lock | None = None

    def rest(self) -> None:
        """It thinks no more for now: the next one may."""
        if self.turn is not None:
            self.turn.release()
            self.turn = None

    def leave(self, why: str) -> None:
        """It does not go on."""
        self.steps.close()
        self.rest()
        self.exchange.leave(why)


class _Asked(Question):
    """A question of an exchange; its answer resumes that."""

    def __init__(self, ask: Ask, pending: _Pending, conversation: Conversation) -> None:
        super().__init__(
            ask.text,
            pending.exchange.who,
            ask.options,
            typed_only=ask.typed_only,
            free=ask.free,
            things=ask.things,
        )
        self._pending = pending
        self._conversation = conversation

    def answered(self, answer: Answer) -> None:
        """Go on, unless it is a "no"."""
        if answer.choice or answer.read is not None:
            self._conversation.resume(self._pending, answer)
        else:
            self._pending.leave(answer.why)


class Proposals:
    """A proposer, bounded: later answers than `within_s` are not waited for."""

    def __init__(self, proposer: Proposer, world: World, clock: Clock, within_s: float) -> None:
        self._proposer = proposer
        self._world = world
        self._clock = clock
        self._within_s = within_s
        self._left: set[asyncio.Task[Plan]] = set()

    async def propose(self, text: str) -> Plan | str:
        """A plan, or why there is none."""
        work = asyncio.create_task(self._propose(text), name="proposer")
        self._left.add(work)
        work.add_done_callback(self._left.discard)
        deadline = asyncio.create_task(self._clock.sleep(self._within_s))
        try:
            await asyncio.wait({work, deadline}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
            is_done = work.done()
            work.cancel()  # of no effect if it is done; it is not waited for: it may not want to end
            work.add_done_callback(_seen)
        return _outcome(work) if is_done else f"no proposal within {self._within_s:g} s"

    async def close(self) -> None:
        """Wait for what was told to end, bounded."""
        if self._left:
            await asyncio.wait(self._left, timeout=1.0)

    async def _propose(self, text: str) -> Plan:
        return await self._proposer.propose(text, self._world)


def _done_at_once(work: Callable[[], object]) -> tuple[object, Exception | None]:
    try:
        return work(), None
    except Exception as error:
        return None, error


def _outcome(work: asyncio.Task[Plan]) -> Plan | str:
    if work.cancelled():
        return "it was cut off"
    error = work.exception()
    if error is None:
        plan: object = work.result()
        return plan if isinstance(plan, Plan) else f"it gave a {type(plan).__name__}, no plan"
    return str(error) if isinstance(error, PilothouseError) else f"{type(error).__name__}: {error}"


def _seen(work: asyncio.Task[Plan]) -> None:
    """An error that comes too late is nobody's."""
    if not work.cancelled():
        work.exception()
