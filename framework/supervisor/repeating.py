"""Doing an operator's last instruction again, for the action that is asked for with "do that again".

It comes in like any plan: what needed a yes needs it again, and what a
recogniser heard is as unsure as before. What moves and was begun before an
emergency stop is asked about: resetting that has allowed no motion. Plans that ask for a repetition are not
repeated themselves, so "again" said twice means the same both times.
"""

from __future__ import annotations

import asyncio

import msgspec

from framework.dialogue.confirmation import least, least_sure
from framework.dialogue.wish import Wish
from framework.errors import PlanError
from framework.events import EventBus
from framework.supervisor.admission import Admission
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.exchange import Exchange
from framework.supervisor.objections import NOTHING_TO_REPEAT
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply
from framework.tree.run import PlanState

MOST_TIMES = 100
_BEFORE_EMERGENCY = "That was before the emergency stop."


class Repeating:
    """Starts plans of the book again."""

    def __init__(
        self, book: PlanBook, admission: Admission, conversation: Conversation, events: EventBus
    ) -> None:
        self._book = book
        self._admission = admission
        self._conversation = conversation
        self._events = events

    async def repeat(self, times: int, asked_by: str) -> str:
        """The last plan of the operator of the action that asks, so many times; its words.

        Returns when it is done or established; what stays established is not started twice. Cancelling
        this ends the repetition, and so does ending what is to be done again while that is waited for.
        Raises PlanError.
        """
        if not 1 <= times <= MOST_TIMES:
            raise PlanError(f"{times} times cannot be repeated; 1 to {MOST_TIMES} can")
        own = self._book.own_of(asked_by)
        if own is None:
            raise PlanError(NOTHING_TO_REPEAT)
        own.is_repetition = True
        started = self._book.started_by(own.who)
        last = next((each for each in started if not (each.is_repetition or each.wish.takes_back)), None)
        if last is None:
            raise PlanError(NOTHING_TO_REPEAT)
        running = last
        because = _BEFORE_EMERGENCY if last.is_before_emergency else ""
        for _ in range(times):
            was_wanted = running.is_wanted
            await self._book.made_way(running)
            if not own.is_wanted:
                raise PlanError(f"{last.words} is not done again: you have ended that")
            if was_wanted and running.outcome is not None and running.outcome.state is PlanState.CANCELLED:
                raise PlanError(f"{last.words} is not done again: that was ended")
            # It may join another operator's plan that does just the same; what is repeated is this one's.
            running = await self._once(last, own, because)
            because = ""  # it was confirmed for all times
            if running.is_active:
                break
        return last.words

    async def _once(self, last: PlanRecord, own: PlanRecord, ask_because: str) -> PlanRecord:
        before = last.instruction
        instruction = msgspec.structs.replace(
            before,
            source=least_sure(own.instruction.source, before.source),
            confidence=least(own.instruction.confidence, before.confidence),
            t_s=own.instruction.t_s,
        )
        exchange = Exchange(instruction, self._events, own.word)
        reply = exchange.reply
        wish = last.wish if last.plan == last.wish.plan else Wish(last.plan)
        wish = msgspec.structs.replace(wish, replaces="")  # again, from where it is now
        self._conversation.run(exchange, self._admission.let_in_again(wish, exchange, ask_because))
        try:
            succeeded = await reply.done()
        except asyncio.CancelledError:
            self._give_up(reply, own)
            raise
        record = self._book.find(reply.plan)
        if not succeeded or record is None:
            said = reply.events[-1].text if reply.events else "it did not start"
            raise PlanError(f"{last.words} was not done again: {said}")
        return record

    def _give_up(self, reply: Reply, own: PlanRecord) -> None:
        """The repetition is not wanted any more: nor is its question, or what it has started."""
        record = self._book.find(reply.plan) if reply.plan else None
        if record is None:
            self._conversation.questions.withdraw(own.who, "the repetition was ended")
        elif record.is_wanted and reply in record.replies[:1]:
            record.run.stop("the repetition was ended")
