"""Whether a plan may start: the stop, the signatures, what is being done already, who has to say yes.

Every plan comes this way, whoever wants it: an operator, a program, a proposer,
a correction, "do that again". What has to be confirmed is decided in
`framework.dialogue.confirmation`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from framework.dialogue.confirmation import (
    has_to_be_confirmed,
    least,
    may_be_done_while_stopped,
    moves,
    only_answers,
    question,
)
from framework.dialogue.wish import Wish
from framework.errors import PilothouseError, PlanError
from framework.plan.ast import Cancel, Plan, actions_of, parts
from framework.plan.check import check
from framework.plan.instruction import Instruction, Source
from framework.plan.signature import Signatures
from framework.supervisor.action_questions import ActionQuestion
from framework.supervisor.asked_by import AskedBy
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.events import EventKind
from framework.supervisor.latch import Latch
from framework.supervisor.objections import beyond, held, untellable
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply
from framework.tree.runner import Conditions

CLOSING = "I am closing down and start nothing any more."
_NOT_BY_PROPOSAL = "a proposer has nothing to end: say yourself what is to stop."


class Admission:
    """Lets plans in.

    Args:
        conditions: which of them could ever be told.
        asked_by: fills in who asks, where that is meant.
        what_has_changed: why a wish does not mean any more what it did; empty if it does.
    """

    def __init__(
        self,
        *,
        book: PlanBook,
        talk: Conversation,
        signatures: Signatures,
        conditions: Conditions,
        asked_by: AskedBy,
        in_words: Callable[[Plan], str],
        latch: Latch,
        what_has_changed: Callable[[Wish], str],
    ) -> None:
        self.is_closed = False
        self._book = book
        self._talk = talk
        self._signatures = signatures
        self._conditions = conditions
        self._asked_by = asked_by
        self._in_words = in_words
        self._latch = latch
        self._what_has_changed = what_has_changed
        self._waiting: dict[asyncio.Task[None], Callable[[str], None]] = {}

    def consider(
        self,
        wish: Wish,
        instruction: Instruction,
        reply: Reply,
        *,
        after: PlanRecord | None = None,
        ask_because: str = "",
    ) -> None:
        """Start a plan, or ask, or refuse it in words.

        after: it waits for the end of that one. ask_because: why it is asked about if it moves something.
        """
        wish = msgspec.structs.replace(wish, plan=self._asked_by.filled(wish.plan, instruction.who))
        plan = wish.plan
        if self._is_refused(plan, instruction, reply):
            return
        words = self._in_words(plan)
        same = self._same_as(plan, instruction.who)
        if same is not None:
            self._join(same, words, instruction, reply)
            return
        keeping = (record for record in self._book.wanted if record is not after)
        if why := held(
            plan,
            instruction.who,
            keeping,
            self._signatures,
        ):
            self._talk.refuse(reply, f"{why}.", instruction)
            return
        aside = only_answers(plan, self._signatures)
        self._talk.say(reply, EventKind.UNDERSTOOD, f"I understand: {words}.", instruction, aside=aside)
        confidence = least(wish.confidence, instruction.confidence)
        source = instruction.source
        because = ask_because if moves(plan, self._signatures) else ""
        if because or has_to_be_confirmed(plan, self._signatures, source, confidence, wish.corrections):
            asked = question(words, source, wish.corrections, because)
            self._talk.ask(
                asked, instruction, reply, lambda _, __: self._begin(wish, instruction, reply, after)
            )
        else:
            self._start_after(after, wish, instruction, reply)

    def consider_again(
        self, wish: Wish, instruction: Instruction, reply: Reply, ask_because: str = ""
    ) -> None:
        """The same for what was wanted some time ago: the world may be another one by now."""
        if changed := self._what_has_changed(wish):
            self._talk.refuse(reply, changed, instruction)
        else:
            self.consider(wish, instruction, reply, ask_because=ask_because)

    def could_be_told(self, plan: Plan) -> bool:
        """Whether nothing in it waits for what nobody will ever be able to tell."""
        return not untellable(plan, self._conditions)

    def refused_because_latched(self, instruction: Instruction, reply: Reply) -> bool:
        """Whether the emergency stop is set; then that is said."""
        if not self._latch.is_set:
            return False
        because = f"the emergency stop is set{self._latch.because}"
        self._talk.refuse(reply, f'{because}; say "reset" first.', instruction)
        return True

    def withdraw_all(self, why: str) -> None:
        """What waits for another plan's end does not start."""
        for task, withdraw in tuple(self._waiting.items()):
            task.cancel()
            withdraw(why)
        self._waiting.clear()

    # -- inside

    def _is_refused(self, plan: Plan, instruction: Instruction, reply: Reply) -> bool:
        if self.is_closed:
            self._talk.refuse(reply, CLOSING, instruction)
            return True
        self._latch.look()  # first, or a question that is let in now would end by a stop that was before it
        may_be_done = may_be_done_while_stopped(plan, self._signatures)
        if not may_be_done and self.refused_because_latched(instruction, reply):
            return True
        try:
            check(plan, self._signatures)
        except PlanError as error:
            why = beyond(plan, self._signatures) or error
            self._talk.refuse(reply, f"that cannot be done: {why}.", instruction)
            return True
        if why := untellable(plan, self._conditions):
            self._talk.refuse(reply, f"{why}.", instruction)
            return True
        if instruction.source is Source.PROPOSER and _ends_something(plan):
            self._talk.refuse(reply, _NOT_BY_PROPOSAL, instruction)
            return True
        return False

    def _same_as(self, plan: Plan, who: str) -> PlanRecord | None:
        """What is doing just this, for the same people: to drive is another wish of everybody who has it."""
        persons = set(filter(None, map(self._asked_by.person, actions_of(plan))))
        for record in self._book.same_as(plan):
            if not persons or who in persons or record.is_wanted_by(who):
                return record
        return None

    def _join(self, same: PlanRecord, words: str, instruction: Instruction, reply: Reply) -> None:
        reply.plan = same.id
        already = f"That is being done already: {words}."
        self._talk.say(reply, EventKind.UNDERSTOOD, already, instruction)
        same.replies.append(reply)
        same.joined_by.add(instruction.who)
        same.give_word()
        for asked in self._talk.questions.of_actions_for(instruction.who):
            if isinstance(asked, ActionQuestion) and asked.record is same:
                self._talk.say(reply, EventKind.ASKED, asked.full_text, instruction, asked.data)
        if same.was_established:
            reply.settle(True)

    def _begin(self, wish: Wish, instruction: Instruction, reply: Reply, after: PlanRecord | None) -> None:
        """After a question: the world may be another one by now."""
        if self._is_refused(wish.plan, instruction, reply):
            return
        if changed := self._what_has_changed(wish):
            self._talk.refuse(reply, changed, instruction)
            return
        same = self._same_as(wish.plan, instruction.who)
        if same is not None:
            self._join(same, self._in_words(wish.plan), instruction, reply)
        else:
            self._start_after(after, wish, instruction, reply)

    def _start_after(
        self, other: PlanRecord | None, wish: Wish, instruction: Instruction, reply: Reply
    ) -> None:
        if other is None or not other.is_active:
            self._start(wish, instruction, reply)
            return
        task = asyncio.create_task(
            self._start_when_over(other, wish, instruction, reply), name=f"after plan {other.id}"
        )
        self._waiting[task] = lambda why: self._talk.leave(reply, why, instruction)
        task.add_done_callback(lambda task: self._waiting.pop(task, None))

    async def _start_when_over(
        self, other: PlanRecord, wish: Wish, instruction: Instruction, reply: Reply
    ) -> None:
        await self._book.all_over((other,))
        if not self._is_refused(wish.plan, instruction, reply):
            self._start(wish, instruction, reply)

    def _start(self, wish: Wish, instruction: Instruction, reply: Reply) -> None:
        try:
            self._book.start(wish, instruction, reply)
        except PilothouseError as error:
            self._talk.refuse(reply, f"that cannot be started: {error}.", instruction)


def _ends_something(plan: Plan) -> bool:
    to_see = [plan]
    while to_see:
        node = to_see.pop()
        if isinstance(node, Cancel):
            return True
        to_see += parts(node)  # type: ignore[arg-type]  # conditions end nothing
    return False
