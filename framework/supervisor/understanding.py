"""From an utterance to a wish: parsing, choosing among readings, correcting, asking a proposer.

What could be meant is decided in `framework.dialogue`; here it is asked. What
was pointed at is filled in by `grounding.py`, what may start is decided in `admission.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from framework.dialogue.choices import MOST_OPTIONS, best_of
from framework.dialogue.confirmation import least, least_sure
from framework.dialogue.correction import (
    Corrected,
    Correction,
    CorrectionWords,
    LastSaid,
    corrected,
    read_correction,
)
from framework.dialogue.spelling import clean
from framework.dialogue.wish import Wish
from framework.events import EventKind
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction, Source
from framework.plan.parser import NotUnderstood, Reading
from framework.supervisor.admission import Admission
from framework.supervisor.conversation import Conversation
from framework.supervisor.grounding import Grounding
from framework.supervisor.language import SpokenLanguage
from framework.supervisor.last_wishes import LastWish, LastWishes
from framework.supervisor.plans import PlanRecord
from framework.supervisor.proposing import Proposing
from framework.supervisor.reply import Reply

MOST_WORDS = 200
MOST_CHARACTERS = 2000
_ELSE = "you have said something else"
_NOTHING = 'I heard nothing that I could read; say what you want, for example "what can you do?".'


def is_too_long(text: str) -> bool:
    """Whether nobody should even look at it."""
    return len(text) > MOST_CHARACTERS or len(text.split()) > MOST_WORDS


def too_long(text: str) -> str:
    """What is said to that, and what to do instead."""
    words = len(text.split())
    counted = (
        f"{words} words; {MOST_WORDS}" if words > MOST_WORDS else f"{len(text)} characters; {MOST_CHARACTERS}"
    )
    return (
        f"that is too long: {counted} are the most at once. Say it in several parts, or make it a plan file."
    )


class Understanding:
    """Makes wishes of utterances."""

    def __init__(
        self,
        *,
        language: SpokenLanguage,
        talk: Conversation,
        admission: Admission,
        grounding: Grounding,
        last: LastWishes,
        proposing: Proposing | None,
        correction_words: CorrectionWords,
    ) -> None:
        self._language = language
        self._talk = talk
        self._admission = admission
        self._grounding = grounding
        self._last = last
        self._proposing = proposing
        self._correction_words = correction_words

    def hear(self, instruction: Instruction, reply: Reply) -> None:
        """An instruction that is no command to the supervisor itself."""
        text = clean(instruction.text)
        if not text:
            self._talk.refuse(reply, _NOTHING, instruction)
            return
        if is_too_long(instruction.text):
            self._talk.refuse(reply, too_long(instruction.text), instruction)
            return
        if self._proposing is not None:
            self._proposing.withdraw(instruction.who, _ELSE)
        if self._is_correction(text, instruction, reply):
            return
        result = self._language.parse(text)
        if isinstance(result, NotUnderstood):
            self._not_understood(result, text, instruction, reply)
            return
        self._talk.questions.withdraw(instruction.who, _ELSE)
        best = best_of(result.readings)
        self._last.note(instruction, text, [reading.plan for reading in best], reply)
        self._choose([(text, reading) for reading in best], instruction, reply)

    def is_instruction(self, instruction: Instruction) -> bool:
        """Whether it is one, or corrects this operator's last one. Nothing happens by asking."""
        text = clean(instruction.text)
        correction = read_correction(text, self._correction_words)
        last = self._last.of(instruction.who)
        if correction is not None and last is not None and self._corrected(correction, last):
            return True
        return self._language.understands(text)

    def take(self, plan: Plan, instruction: Instruction, reply: Reply) -> None:
        """A plan that needs no parsing."""
        self._grounding.ground(Wish(plan), instruction, reply)

    # -- corrections

    def _is_correction(self, text: str, instruction: Instruction, reply: Reply) -> bool:
        """Whether it corrects this operator's last instruction; then that is carried out, or asked about."""
        correction = read_correction(text, self._correction_words)
        if correction is None or instruction.source is Source.PROPOSER:
            return False  # a correction ends something: that is not a proposer's
        last = self._last.of(instruction.who)
        if last is None:
            # There is nothing to correct: "no, show the scan" is then just what follows.
            without = self._language.parse(text)
            if isinstance(without, NotUnderstood) and not correction.wrong:
                self.hear(msgspec.structs.replace(instruction, text=correction.right), reply)
                return True
            return False
        meant = self._corrected(correction, last)
        if not meant:
            if not isinstance(self._language.parse(text), NotUnderstood):
                return False
            what = f'I do not see what "{correction.right}" changes in "{last.text}"'
            self._talk.refuse(reply, f"{what}{self._goes_on(last)}.", instruction)
            return True
        ended = self._end(last, instruction, reply)
        is_whole = all(each.is_whole for each in meant)
        renewed = instruction if is_whole else _with_what_was_said(instruction, last.instruction)
        self._last.note(renewed, meant[0].text or last.text, [each.reading.plan for each in meant], reply)
        self._choose([(each.text, each.reading) for each in meant], renewed, reply, after=ended)
        return True

    def _corrected(self, correction: Correction, last: LastWish) -> tuple[Corrected, ...]:
        said = LastSaid(last.text, last.plans)
        language = self._language
        return corrected(correction, said, language.parse, language.plain_words, self._correction_words)

    def _end(self, last: LastWish, instruction: Instruction, reply: Reply) -> PlanRecord | None:
        """The last instruction is not wanted: its question and its plan end."""
        self._talk.questions.withdraw(instruction.who, "you have corrected it")
        record = self._last.running(last)
        if record is None:
            return None
        self._talk.say(reply, EventKind.CANCELLED, f"I end: {record.words}.", instruction)
        record.run.stop("the operator has corrected it")
        return record

    def _goes_on(self, last: LastWish) -> str:
        record = self._last.running(last)
        return f'; I go on with it: {record.words}. Say "stop" to end it' if record is not None else ""

    # -- choosing

    def _choose(
        self,
        readings: Sequence[tuple[str, Reading]],
        instruction: Instruction,
        reply: Reply,
        *,
        after: PlanRecord | None = None,
    ) -> None:
        """Go on with the only reading, or ask which one is meant.

        What could never be carried out, as nobody could tell its condition, is not offered; if none could,
        the first is refused for that. Of what was said pointing, what it means of that thing comes first.
        """
        readings = [each for each in readings if self._admission.could_be_told(each[1].plan)] or readings[:1]
        if instruction.pointing and len(readings) > 1:
            meant = [
                each for each in readings if self._grounding.is_meant(each[0], each[1].plan, instruction)
            ]
            readings = meant or readings

        def take(number: int, source: Instruction, was_chosen: bool) -> None:
            text, reading = readings[number]
            self._grounding.ground(_wish(text, reading, was_chosen), source, reply, after)

        if len(readings) == 1:
            take(0, instruction, False)
        elif len(readings) > MOST_OPTIONS:
            many = f"that could mean {len(readings)} things"
            first = "; ".join(self._language.options([each.plan for _, each in readings])[:3])
            self._talk.refuse(reply, f"{many} ({first}; …): say it more precisely.", instruction)
        else:
            options = self._language.options([reading.plan for _, reading in readings])
            self._talk.ask(
                "What do you mean?",
                instruction,
                reply,
                lambda choice, answered: take(choice - 1, answered, True),
                options,
            )

    # -- refusals

    def _not_understood(
        self, result: NotUnderstood, text: str, instruction: Instruction, reply: Reply
    ) -> None:
        question = self._talk.questions.open_for(instruction.who)
        of_actions = self._talk.questions.of_actions_for(instruction.who)
        waiting = question or (of_actions[0] if of_actions else None)
        still = f" I still wait for an answer: {waiting.full_text}" if waiting is not None else ""
        refusal = f"{result}{still}"
        is_proposed = instruction.source is Source.PROPOSER
        if self._proposing is None or is_proposed or question is not None:
            self._talk.refuse(reply, refusal, instruction)
        elif not self._admission.refused_because_latched(instruction, reply):
            proposed = msgspec.structs.replace(instruction, source=Source.PROPOSER)
            self._proposing.ask(
                text, instruction, reply, refusal, lambda plan: self.take(plan, proposed, reply)
            )


def _wish(text: str, reading: Reading, was_chosen: bool) -> Wish:
    """was_chosen: the operator has seen it among others, so that what was assumed for it is settled."""
    confidence = 1.0 if was_chosen else reading.confidence
    return Wish(reading.plan, text, reading.plan, confidence, () if was_chosen else reading.corrections)


def _with_what_was_said(instruction: Instruction, earlier: Instruction) -> Instruction:
    """A correction with what it leaves of the instruction before: as unsure, and pointing as that did."""
    pointing = instruction if instruction.pointing else earlier
    return msgspec.structs.replace(
        instruction,
        source=least_sure(instruction.source, earlier.source),
        confidence=least(instruction.confidence, earlier.confidence),
        pointing=pointing.pointing,
        t_s=pointing.t_s,
        words=pointing.words,
    )
