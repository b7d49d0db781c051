"""What was pointed at goes into a plan before it is considered; what is not clear is asked.

The rules are in `framework.dialogue.pointing`; here the questions are put, and
answered by a number, by pointing once more, or by a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from framework.clock import Clock
from framework.dialogue.choices import MOST_OPTIONS, best_of, named
from framework.dialogue.confirmation import least, least_sure
from framework.dialogue.pointing import Candidate, Missing, Pointed, Resolved, Which, resolve
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import with_value
from framework.dialogue.wish import Wish
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.plan.parser import Understood
from framework.supervisor.admission import Admission
from framework.supervisor.conversation import Conversation
from framework.supervisor.language import SpokenLanguage
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply


class Grounding:
    """Replaces what points, and hands the wish on. pointing_words: said while pointing, as an answer."""

    def __init__(
        self,
        *,
        language: SpokenLanguage,
        talk: Conversation,
        admission: Admission,
        pointing_words: Sequence[str],
        clock: Clock,
    ) -> None:
        self._language = language
        self._talk = talk
        self._admission = admission
        self._pointing_words = frozenset(" ".join(words_of(word)) for word in pointing_words)
        self._clock = clock

    def ground(
        self, wish: Wish, instruction: Instruction, reply: Reply, after: PlanRecord | None = None
    ) -> None:
        """As far as it is clear; ask for the rest, one word after the other."""
        found = resolve(wish.plan, instruction, self._clock.now_s(), self._language.fits, wish.pointed)
        wish = msgspec.structs.replace(
            wish, plan=found.plan, pointed=found.pointed, confidence=least(wish.confidence, found.margin)
        )
        match found:
            case Resolved():
                self._admission.consider(wish, instruction, reply, after=after)
            case Which():
                self._ask_which(found, found.candidates, wish, instruction, reply, after)
            case Missing():
                self._ask_to_point(found, wish, instruction, reply, after)

    def is_meant(self, text: str, plan: Plan, instruction: Instruction) -> bool:
        """Whether the text would mean this, too, if it named what was pointed at."""
        found = resolve(plan, instruction, self._clock.now_s(), self._language.fits)
        if not isinstance(found, Resolved) or not found.pointed:
            return False
        for each in found.pointed:
            text = re.sub(rf"\b{re.escape(each.word)}\b", each.thing, text, count=1, flags=re.IGNORECASE)
        result = self._language.parse(text)
        readings = best_of(result.readings) if isinstance(result, Understood) else ()
        return any(reading.plan == found.plan for reading in readings)

    def _ask_which(
        self,
        found: Which | Missing,
        candidates: tuple[Candidate, ...],
        wish: Wish,
        instruction: Instruction,
        reply: Reply,
        after: PlanRecord | None,
    ) -> None:
        known = self._language.known()
        candidates = candidates[:MOST_OPTIONS]

        def go_on(choice: int, answered: Instruction) -> None:
            self.ground(_filled(wish, found, candidates[choice - 1]), answered, reply, after)

        options = tuple(named(each.value, known) for each in candidates)
        self._talk.ask(f'What do you mean by "{found.word}"?', instruction, reply, go_on, options)

    def _ask_to_point(
        self,
        found: Missing,
        wish: Wish,
        instruction: Instruction,
        reply: Reply,
        after: PlanRecord | None,
    ) -> None:
        def takes(answer: Instruction) -> bool:
            both = msgspec.structs.replace(
                instruction,
                source=least_sure(instruction.source, answer.source),
                confidence=least(instruction.confidence, answer.confidence),
            )
            text = clean(answer.text)
            said = " ".join(words_of(text))
            if answer.pointing and (not said or said in self._pointing_words):
                now_s = answer.t_s if answer.t_s is not None else self._clock.now_s()
                pointing = msgspec.structs.replace(
                    both, pointing=answer.pointing, t_s=now_s, words=answer.words
                )
                self._talk.questions.drop(question)
                self.ground(wish, pointing, reply, after)
                return True
            values = self._language.fits(wish.plan, found.place, text) if said else ()
            if values:
                self._talk.questions.drop(question)
            if len(values) == 1:
                self.ground(_filled(wish, found, Candidate(text, values[0])), both, reply, after)
            elif values:
                candidates = tuple(Candidate(text, value) for value in values)
                self._ask_which(found, candidates, wish, both, reply, after)
            return bool(values)

        seen = f" {' or '.join(found.seen)} does not fit there." if found.seen else ""
        asked = f'What do you mean by "{found.word}"?{seen} Point, please, or name it.'
        question = self._talk.ask(asked, instruction, reply, lambda _, __: None, takes=takes)


def _filled(wish: Wish, found: Which | Missing, chosen: Candidate) -> Wish:
    pointed = Pointed(found.place, found.word, chosen.thing, chosen.value)
    return msgspec.structs.replace(
        wish,
        plan=with_value(wish.plan, found.place, chosen.value),
        pointed=(*wish.pointed, pointed),
    )
