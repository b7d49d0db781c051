"""The driver of exchanges: where a generator waits, what resumes it, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from framework.clock import LoopClock
from framework.events import Event, EventBus, EventKind
from framework.plan.ast import Do, Plan
from framework.plan.instruction import Instruction, Source
from framework.plan.parser import NothingKnown, World
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation, Proposals
from framework.supervisor.exchange import AfterEnd, Answer, Ask, Exchange, Propose, Steps
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Questions
from framework.testing import VirtualLoop, run_on


class OneRecord:
    """A book whose plans are over when it is said."""

    def __init__(self) -> None:
        self.id = "1"
        self.is_over = asyncio.Event()

    async def made_way(self, record: object) -> None:
        await self.is_over.wait()


class Thinker:
    """A proposer that answers after a second."""

    async def propose(self, text: str, world: World) -> Plan:
        await asyncio.sleep(1.0)
        return Do(text)


class Talk:
    """A conversation, and what its generators have come to."""

    def __init__(self) -> None:
        clock = LoopClock()
        self.bus = EventBus(clock)
        self.said: list[Event] = []
        self.bus.listen(self.said.append)
        self.book = OneRecord()
        self.questions = Questions(clock)
        proposals = Proposals(Thinker(), NothingKnown(), clock, within_s=5.0)
        self.conversation = Conversation(self.questions, cast(PlanBook, self.book), proposals)
        self.trace: list[object] = []

    def begin(self, *waits: Ask | Propose | AfterEnd, who: str = "ann") -> Exchange:
        exchange = Exchange(Instruction("go", who=who), self.bus)
        self.conversation.run(exchange, self._steps(exchange, waits))
        return exchange

    def _steps(self, exchange: Exchange, waits: tuple[Ask | Propose | AfterEnd, ...]) -> Steps[None]:
        try:
            for wait in waits:
                self.trace.append((yield wait))
            exchange.settle(True)
            self.trace.append("done")
        finally:
            self.trace.append("closed")

    @property
    def after(self) -> AfterEnd:
        return AfterEnd(cast(PlanRecord, self.book))

    def kinds(self) -> list[EventKind]:
        return [event.kind for event in self.said]


def talk(function: Callable[[Talk], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """On the virtual clock; nothing may be left."""

    def test() -> None:
        async def main() -> None:
            await function(Talk())

        loop = VirtualLoop()
        run_on(loop, main)
        assert loop.leftovers == ()

    test.__name__ = function.__name__
    return test


@talk
async def test_what_waits_for_nothing_is_over_when_it_has_begun(of: Talk) -> None:
    exchange = of.begin()
    assert of.trace == ["done", "closed"]
    assert exchange.reply.succeeded


@talk
async def test_an_answer_resumes_it_at_once(of: Talk) -> None:
    exchange = of.begin(Ask("Which?", ("one", "two")), Ask("Sure?"))
    for choice in (2, 1):
        question = of.questions.open_for("ann")
        assert question is not None
        assert of.questions.answer(question, choice, Source.SPEECH)
    assert of.trace == [Answer(2, source=Source.SPEECH), Answer(1, source=Source.SPEECH), "done", "closed"]
    assert exchange.reply.succeeded
    assert of.kinds() == [EventKind.ASKED, EventKind.ASKED]


@talk
async def test_no_ends_it_and_says_so(of: Talk) -> None:
    exchange = of.begin(Ask("Sure?"))
    assert of.conversation.call_off("ann")
    assert of.trace == ["closed"]
    assert exchange.reply.succeeded is False
    assert of.kinds() == [EventKind.ASKED, EventKind.CANCELLED]
    assert not of.conversation.call_off("ann")


@talk
async def test_no_answer_in_time_is_no(of: Talk) -> None:
    of.begin(Ask("Sure?"))
    await asyncio.sleep(16.0)
    assert of.trace == ["closed"]
    assert "no answer came" in of.said[-1].text


@talk
async def test_a_newer_question_to_the_same_operator_ends_the_older_exchange(of: Talk) -> None:
    first, second = of.begin(Ask("One?")), of.begin(Ask("Two?"))
    assert (first.reply.succeeded, second.reply.succeeded) == (False, None)
    of.begin(Ask("Three?"), who="bob")
    assert second.reply.succeeded is None
    of.conversation.withdraw_all("the test is over")


@talk
async def test_an_answer_given_while_it_is_asked_is_one(of: Talk) -> None:
    def answer(event: Event) -> None:
        question = of.questions.find(str(event.data.get("question", "")))
        if question is not None:
            of.questions.answer(question, 1)

    of.bus.listen(answer)
    assert of.begin(Ask("Sure?"), Ask("Really?")).reply.succeeded


@talk
async def test_a_proposal_is_waited_for_until_the_next_instruction(of: Talk) -> None:
    first = of.begin(Propose("dance"))
    await asyncio.sleep(0.5)
    assert not of.conversation.withdraw_proposal("bob", "not his")
    assert of.conversation.withdraw_proposal("ann", "something else")
    assert (first.reply.succeeded, of.trace) == (False, ["closed"])
    of.begin(Propose("dance"))
    await asyncio.sleep(1.5)
    assert of.trace == ["closed", Do("dance"), "done", "closed"]
    assert not of.conversation.withdraw_proposal("ann", "it is there already")


@talk
async def test_the_end_of_a_plan_resumes_it(of: Talk) -> None:
    exchange = of.begin(of.after)
    await asyncio.sleep(1.0)
    assert exchange.reply.succeeded is None
    of.book.is_over.set()
    assert await exchange.reply.done()


@talk
async def test_a_stop_ends_all_that_wait_whatever_for(of: Talk) -> None:
    every = [
        of.begin(Ask("Sure?")),
        of.begin(Propose("dance"), who="bob"),
        of.begin(of.after, who="cyd"),
    ]
    of.conversation.withdraw_all("stopped")
    assert [exchange.reply.succeeded for exchange in every] == [False, False, False]
    assert of.trace == ["closed"] * 3
    of.book.is_over.set()
    await asyncio.sleep(20.0)
    assert of.trace == ["closed"] * 3
