"""What each operator has wanted last, for as long as it can be corrected ("no, the scan"), and what
a correction makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from framework.clock import Clock
from framework.dialogue.correction import (
    Corrected,
    Correction,
    CorrectionWords,
    LastSaid,
    changed_texts,
    corrected,
    corrected_inside,
    read_correction,
)
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.spelling import clean, words_of
from framework.events import Subject
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import Exchange
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply

#: After its end, an instruction is still "the last one" for so long.
CORRECT_WITHIN_S = 60.0


class LastWish(msgspec.Struct, frozen=True):
    """An instruction that was understood.

    text: as the parser saw it; plans: what it could mean, before anything that points was replaced.
    reply: knows the plan that came of it, if any.
    """

    instruction: Instruction
    text: str
    plans: tuple[Plan, ...]
    reply: Reply
    noted_s: float


class Refused(msgspec.Struct, frozen=True):
    """An instruction for which there is no action, or no such thing. why: what was said; kind: of that."""

    text: str
    why: str
    kind: Subject
    noted_s: float


class LastWishes:
    """One for each operator. words: how corrections begin."""

    def __init__(
        self, book: PlanBook, language: SpokenLanguage, words: CorrectionWords, clock: Clock
    ) -> None:
        self.language = language
        self.words = words
        self._book = book
        self._clock = clock
        self._last: dict[str, LastWish] = {}
        self._before: dict[str, LastWish] = {}
        self._refused: dict[str, Refused] = {}

    def note(self, exchange: Exchange, text: str, plans: Sequence[Plan]) -> None:
        """This is the last one now."""
        noted_s = self._clock.now_s()
        wish = LastWish(exchange.instruction, text, tuple(plans), exchange.reply, noted_s)
        last = self._last.get(exchange.who)
        if last is not None and last.reply is not exchange.reply:
            self._before[exchange.who] = last
        self._last[exchange.who] = wish
        self._refused.pop(exchange.who, None)

    def note_refused(self, who: str, text: str, why: str, kind: Subject) -> None:
        """This was refused: what refers back to it is not about anything that was said before it."""
        self._refused[who] = Refused(clean(text), why, kind, self._clock.now_s())

    def forget_refused(self, who: str) -> None:
        """They have said something else since."""
        self._refused.pop(who, None)

    def refused(self, who: str) -> Refused | None:
        """What they said last, if that was refused, and can be corrected."""
        last = self._refused.get(who)
        is_old = last is not None and self._clock.now_s() - last.noted_s > CORRECT_WITHIN_S
        return None if is_old else last

    def refers_to_refused(self, who: str, text: str) -> str:
        """Why that cannot be done which a text changes; "" if it changes nothing that was refused."""
        last = self.refused(who)
        if last is None:
            return ""
        is_change = read_correction(clean(text), self.words) is not None
        return last.why if is_change or not set(self.words.back).isdisjoint(words_of(text)) else ""

    def refused_corrected(self, correction: Correction, refused: Refused) -> tuple[Plan, ...]:
        """What somebody wants who corrects what was refused; empty if that would be refused, too.

        What there is no action for begins otherwise, or there still is none.
        """
        verb = "" if refused.kind is Subject.NO_THING else words_of(refused.text)[0]
        texts = changed_texts(correction, refused.text, self.words)
        found: list[Plan] = []
        for text in texts:
            if verb and words_of(text)[:1] == [verb]:
                continue
            found += [plan for plan in self.language.plainly(text) if plan not in found]
        return tuple(found)

    def note_question(self, exchange: Exchange, text: str, plans: Sequence[Plan]) -> None:
        """The same of a question, which does not take the place of what goes on and can be corrected."""
        last = self._last.get(exchange.who)
        if last is None or self.running(last) is None:
            self.note(exchange, text, plans)

    def before(self, exchange: Exchange) -> LastWish | None:
        """What this operator has said before this, if that is not long ago."""
        last = self._last.get(exchange.who)
        if last is not None and last.reply is exchange.reply:
            last = self._before.get(exchange.who)
        is_old = last is not None and self._clock.now_s() - last.noted_s > CORRECT_WITHIN_S
        return None if is_old else last

    def bound(self, exchange: Exchange, plan: Plan) -> None:
        """This is what the last one means, with what was left unsaid."""
        last = self._last.get(exchange.who)
        if last is not None and last.reply is exchange.reply:
            self._last[exchange.who] = msgspec.structs.replace(last, plans=(plan,))

    def of(self, who: str) -> LastWish | None:
        """The one that can be corrected: running, just ended, or still asked about."""
        last = self._last.get(who)
        if last is None:
            return None
        last = self._repeated(last)
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        if record is not None and record.is_active:
            return last
        over_s = max(last.noted_s, record.ended_s if record is not None else last.noted_s)
        return last if self._clock.now_s() - over_s <= CORRECT_WITHIN_S else None

    def _repeated(self, last: LastWish) -> LastWish:
        """What "again" has done again is what was done last."""
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        if record is None or not record.is_repetition:
            return last
        started = self._book.started_by(last.instruction.who)
        before = next((each for each in started if not each.is_repetition), None)
        if before is None or not before.replies:
            return last
        text, reply = before.wish.text or before.words, before.replies[0]
        return LastWish(before.instruction, text, (before.plan,), reply, last.noted_s)

    def plans(self, last: LastWish) -> tuple[Plan, ...]:
        """What it could mean; once it was started, what that is."""
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        return last.plans if record is None else (record.plan,)

    def running(self, last: LastWish) -> PlanRecord | None:
        """The plan that came of it, if it is still going on, and this operator's own."""
        record = self._book.find(last.reply.plan) if last.reply.plan else None
        if record is None or not record.is_wanted or record.who != last.instruction.who:
            return None
        return record

    def still_going(self, who: str) -> PlanRecord | None:
        """The last plan of an operator that is not over and will be: "after that" comes after it."""
        going = (
            record
            for record in self._book.started_by(who)
            if record.is_wanted and not (record.was_established or record.only_answers)
        )
        return next(going, None)

    def corrected(self, correction: Correction, last: LastWish) -> tuple[Corrected, ...]:
        """What a correction could mean; empty if nothing."""
        said = LastSaid(last.text, self.plans(last))
        return corrected(correction, said, self.language.parse, self.language.plain_words, self.words)

    def corrected_in(self, correction: Correction, plan: Plan) -> tuple[Corrected, ...]:
        """What a correction of this plan could mean, said in its own words; empty if nothing."""
        said = LastSaid(self.language.plain_words(plan), (plan,))
        return corrected(correction, said, self.language.parse, self.language.plain_words, self.words)

    def corrected_inside(self, text: str) -> tuple[Corrected, ...]:
        """What an instruction means that corrects itself; empty if it does not."""
        return corrected_inside(text, self.language.parse, self.language.plain_words, self.words)

    def is_instruction(self, instruction: Instruction) -> bool:
        """Whether it is one, or corrects this operator's last one. Nothing happens by asking."""
        text = clean(instruction.text)
        correction = read_correction(text, self.words)
        last = self.of(instruction.who)
        if correction is not None and last is not None and self.corrected(correction, last):
            return True
        return self.language.understands(text)

    def is_question(self, text: str) -> bool:
        """Whether somebody asks something that nobody can answer."""
        return self.language.asks(clean(text))

    def forget_all(self) -> None:
        """Everything was stopped: nothing is corrected any more."""
        self._last.clear()
        self._before.clear()
        self._refused.clear()
