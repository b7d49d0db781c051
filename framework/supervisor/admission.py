"""Whether a plan may start: the stop, the signatures, what is being done already, who has to say yes.

Every plan comes this way, whoever wants it: an operator, a program, a proposer,
a correction, "do that again". What has to be confirmed is decided in
`framework.dialogue.confirmation`.
"""

from __future__ import annotations

from functools import partial

import msgspec

from framework.dialogue.asked_by import AskedBy
from framework.dialogue.confirmation import (
    has_to_be_confirmed,
    least,
    may_be_done_while_stopped,
    moves,
    only_answers,
    question,
)
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.wish import Wish
from framework.errors import PilothouseError, PlanError
from framework.events import EventKind, Subject
from framework.plan.ast import Cancel, Plan, actions_of, parts
from framework.plan.check import check
from framework.plan.instruction import Source
from framework.plan.signature import Signatures
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import AfterEnd, Ask, Exchange, Steps, Think
from framework.supervisor.latch import Latch
from framework.supervisor.objections import (
    NOTHING_TO_REPEAT,
    beyond,
    held,
    repeats,
    repeats_nothing,
    undecidable,
)
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Questions
from framework.tree.run import PlanState
from framework.tree.runner import Conditions

CLOSING = "I am closing down and start nothing any more."
_NOT_BY_PROPOSAL = "a proposer has nothing to end: say yourself what is to stop."


class Admission:
    """Lets plans in. is_closed: no more of them."""

    def __init__(
        self,
        book: PlanBook,
        questions: Questions,
        language: SpokenLanguage,
        signatures: Signatures,
        conditions: Conditions,
        asked_by: AskedBy,
        latch: Latch,
    ) -> None:
        self.is_closed = False
        self._book = book
        self._questions = questions
        self._language = language
        self._signatures = signatures
        self._conditions = conditions
        self._asked_by = asked_by
        self._latch = latch

    def let_in(
        self, wish: Wish, exchange: Exchange, *, after: PlanRecord | None = None, ask_because: str = ""
    ) -> Steps[None]:
        """Start a plan, or ask first, or refuse it in words.

        after: it waits for that one (`AfterEnd`). ask_because: why it is asked about if it moves something.
        """
        wish = msgspec.structs.replace(wish, plan=self._asked_by.filled(wish.plan, exchange.who))
        plan = wish.plan
        words = wish.words or (yield Think(partial(self._language.in_words, plan)))
        if self._refuse_if_wrong(plan, exchange) or self._join_same(plan, words, exchange):
            return
        if self._refuse_if_held(plan, exchange, after):
            return
        aside = only_answers(plan, self._signatures)
        exchange.say(
            EventKind.UNDERSTOOD,
            f"I think you mean: {words}." if wish.is_guessed else f"I understand: {words}.",
            {"words": words},
            aside=aside,
            subject=Subject.READ_BACK,
        )
        instruction = exchange.instruction
        confidence = least(wish.confidence, instruction.confidence)
        because = ask_because if moves(plan, self._signatures) else ""
        if because or has_to_be_confirmed(
            plan,
            self._signatures,
            instruction.source,
            confidence,
            wish.corrections,
            wish.left_out + wish.warned,
        ):
            asked = question(words, instruction.source, wish.corrections, because, wish.left_out, wish.warned)
            yield Ask(asked)
            exchange.word = self._book.epoch
            # The world may be another one by now.
            if self._refuse_if_wrong(plan, exchange) or (yield from self._refuse_if_changed(wish, exchange)):
                return
            if self._refuse_if_wrong(plan, exchange) or self._join_same(plan, words, exchange):
                return
        if after is not None and after.is_active:
            yield AfterEnd(after)
            if self._refuse_if_wrong(plan, exchange) or self._refuse_if_held(plan, exchange, after):
                return
        try:
            self._book.start(wish, words, exchange.instruction, exchange.reply, exchange.word)
        except PilothouseError as error:
            exchange.refuse(f"that cannot be started: {error}.")

    def _refuse_if_held(self, plan: Plan, exchange: Exchange, after: PlanRecord | None) -> bool:
        """Whether somebody keeps what it needs; what it waits for does not, unless that stays as it is."""
        ends = after is not None and not (after.is_wanted and after.was_established)
        others = (record for record in self._book.wanted if not (ends and record is after))
        why = held(plan, exchange.who, others, self._signatures)
        if why:
            exchange.refuse(f"{why}.")
        return bool(why)

    def let_in_again(self, wish: Wish, exchange: Exchange, ask_because: str = "") -> Steps[None]:
        """The same for what was wanted some time ago: the world may be another one by now."""
        if not (yield from self._refuse_if_changed(wish, exchange)):
            yield from self.let_in(wish, exchange, ask_because=ask_because)

    def only_answers(self, plan: Plan) -> bool:
        """Whether nothing but questions would be answered by it."""
        return only_answers(plan, self._signatures)

    def repeats(self, plan: Plan) -> bool:
        """Whether it does again what was done before."""
        return repeats(plan, self._signatures)

    def could_be_told(self, plan: Plan) -> bool:
        """Whether nothing in it waits for what nobody will ever be able to tell."""
        return not undecidable(plan, self._conditions)

    def refuse_if_latched(self, exchange: Exchange) -> bool:
        """Whether the emergency stop is set; then that is said."""
        if not self._latch.is_set:
            return False
        exchange.refuse(f'the emergency stop is set{self._latch.because}; say "reset" first.')
        return True

    # -- inside

    def _refuse_if_wrong(self, plan: Plan, exchange: Exchange) -> bool:
        if self.is_closed:
            exchange.refuse(CLOSING)
            return True
        self._latch.look()  # first, or a question that is let in now would end by a stop that was before it
        may_be_done = may_be_done_while_stopped(plan, self._signatures)
        if not may_be_done and self.refuse_if_latched(exchange):
            return True
        try:
            check(plan, self._signatures)
        except PlanError as error:
            exchange.refuse(f"that cannot be done: {beyond(plan, self._signatures) or error}.")
            return True
        if why := undecidable(plan, self._conditions):
            exchange.refuse(f"{why}.")
            return True
        if repeats_nothing(plan, self._book.started_by(exchange.who), self._signatures):
            exchange.refuse(f"{NOTHING_TO_REPEAT}.")
            return True
        if exchange.instruction.source is Source.PROPOSER and _ends_something(plan):
            exchange.refuse(_NOT_BY_PROPOSAL)
            return True
        return False

    def _refuse_if_changed(self, wish: Wish, exchange: Exchange) -> Steps[bool]:
        changed = yield Think(partial(self._language.what_has_changed, wish))
        if changed:
            exchange.refuse(changed)
        return bool(changed)

    def _join_same(self, plan: Plan, words: str, exchange: Exchange) -> bool:
        """Whether just this is being done already, for the same people; then it is theirs as well."""
        same = self._same_as(plan, exchange.who)
        if same is None:
            return False
        exchange.reply.plan = same.id
        is_paused = same.run.state is PlanState.PAUSED
        # What waits for a word has it now. What somebody has paused, only they take up again like this.
        goes_on = is_paused and (same.awaited_word is not None or same.paused_by == exchange.who != "")
        if is_paused and not goes_on:
            as_said = f", as {same.paused_by} has said" if same.paused_by else ""
            exchange.say(EventKind.UNDERSTOOD, f'That is paused{as_said}; say "carry on": {words}.')
        else:
            exchange.say(EventKind.UNDERSTOOD, f"That is being done already: {words}.")
        same.replies.append(exchange.reply)
        same.joined_by.add(exchange.who)
        same.is_asked_for_by(exchange.who, exchange.word)
        if goes_on and same.resume(exchange.who):
            self._book.voice.say(same, EventKind.RESUMED, f"I carry on: {same.words}.")
        for asked in self._questions.of_actions_for(exchange.who):
            if asked.record is same:
                exchange.say(EventKind.ASKED, asked.full_text, asked.data)
        if same.was_established:
            exchange.settle(True)
        return True

    def _same_as(self, plan: Plan, who: str) -> PlanRecord | None:
        """What is doing just this, for the same people: to drive is another wish of everybody who has it."""
        persons = set(filter(None, map(self._asked_by.person, actions_of(plan))))
        for record in self._book.same_as(plan):
            if not persons or who in persons or record.is_wanted_by(who):
                return record
        return None


def _ends_something(plan: Plan) -> bool:
    to_see = [plan]
    while to_see:
        node = to_see.pop()
        if isinstance(node, Cancel):
            return True
        to_see += parts(node)  # type: ignore[arg-type]  # conditions end nothing
    return False
