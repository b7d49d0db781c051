"""What was pointed at goes into a plan before it is considered; what is not clear is asked.

The rules are in `framework.dialogue.pointing`; here the questions are put, and
answered by a number, by pointing once more, or by a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import msgspec

from framework.clock import Clock
from framework.dialogue.choices import MOST_OPTIONS, best_of, named, told_apart_by
from framework.dialogue.confirmation import least
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.pointing import (
    Candidate,
    Missing,
    Pointed,
    Resolved,
    Which,
    pointed_among,
    resolve,
)
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import with_value
from framework.dialogue.wish import Wish
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.plan.parser import Reading, Understood
from framework.supervisor.exchange import Answer, Ask, Exchange, Steps, Think


class Grounding:
    """Replaces what points. pointing_words: said while pointing, as an answer."""

    def __init__(self, language: SpokenLanguage, pointing_words: Sequence[str], clock: Clock) -> None:
        self._language = language
        self._pointing_words = frozenset(" ".join(words_of(word)) for word in pointing_words)
        self._clock = clock

    def grounded(self, wish: Wish, exchange: Exchange) -> Steps[Wish]:
        """The wish with things for all words that point; asks for what is not clear, one word at a time."""
        while True:
            now_s = self._clock.now_s()
            found = yield Think(
                partial(resolve, wish.plan, exchange.instruction, now_s, self._language.fits, wish.pointed)
            )
            wish = msgspec.structs.replace(
                wish, plan=found.plan, pointed=found.pointed, confidence=least(wish.confidence, found.margin)
            )
            if isinstance(found, Resolved):
                meant: Wish = yield Think(partial(self._as_named, wish))
                return meant
            candidates: tuple[Candidate, ...] = ()
            if isinstance(found, Which):
                candidates = found.candidates
            else:
                seen = f" {' or '.join(found.seen)} does not fit there." if found.seen else ""
                asked = f'What do you mean by "{found.word}"?{seen} Point, please, or name it.'
                free = _PointedOrNamed(wish.plan, found, self._language, self._pointing_words)
                answer: Answer = yield Ask(asked, free=free)
                exchange.add_doubt(answer.source, answer.said.confidence)
                candidates = answer.read
                if not candidates:
                    self._point_again(answer.said, exchange)
                    continue
            which = 1
            if isinstance(found, Which) or len(candidates) > 1:
                candidates, known = candidates[:MOST_OPTIONS], self._language.known()
                options = tuple(named(each.value, known) for each in candidates)
                things = tuple(each.value for each in candidates)
                answer = yield Ask(f'What do you mean by "{found.word}"?', options, things=things)
                exchange.add_doubt(answer.source)
                which = answer.choice
            wish = _filled(wish, found, candidates[which - 1])

    def _as_named(self, wish: Wish) -> Wish:
        plan = wish.plan
        for each in wish.pointed:
            plan = self._language.as_named(plan, each.place, each.value)
        return msgspec.structs.replace(wish, plan=plan)

    def is_meant(self, text: str, plan: Plan, instruction: Instruction) -> bool:
        """Whether the text would mean this, too, if it named what was pointed at."""
        found = resolve(plan, instruction, self._clock.now_s(), self._language.fits)
        plan, pointed = found.plan, found.pointed
        if isinstance(found, Which):  # whichever it is; that is asked later
            thing, value = found.candidates[0].thing, found.candidates[0].value
            plan = with_value(plan, found.place, value)
            pointed = (*pointed, Pointed(found.place, found.word, thing, value))
        if isinstance(found, Missing) or not pointed:
            return False
        for each in pointed:
            text = re.sub(rf"\b{re.escape(each.word)}\b", each.thing, text, count=1, flags=re.IGNORECASE)
        result = self._language.parse(text)
        readings = best_of(result.readings) if isinstance(result, Understood) else ()
        return any(reading.plan == plan for reading in readings)

    def pointed_at(
        self, readings: Sequence[tuple[str, Reading]], instruction: Instruction
    ) -> Sequence[tuple[str, Reading]]:
        """Of "look at the cup", with five of them: those that are pointed at; all if none is."""
        things = told_apart_by([reading.plan for _, reading in readings])
        near, margin = pointed_among(things, instruction, self._clock.now_s())
        if not near:
            return readings
        return [
            (text, msgspec.structs.replace(reading, confidence=least(reading.confidence, margin)))
            for thing, (text, reading) in zip(things, readings, strict=True)
            if thing in near
        ]

    def _point_again(self, said: Instruction, exchange: Exchange) -> None:
        """The instruction as if it had been said pointing like this."""
        t_s = said.t_s if said.t_s is not None else self._clock.now_s()
        exchange.instruction = msgspec.structs.replace(
            exchange.instruction, pointing=said.pointing, t_s=t_s, words=said.words
        )


class _PointedOrNamed:
    """Reads an answer to "what do you mean by …?" (`FreeAnswer`): what was named; nothing if they point."""

    def __init__(
        self, plan: Plan, missing: Missing, language: SpokenLanguage, pointing_words: frozenset[str]
    ) -> None:
        self._plan = plan
        self._missing = missing
        self._language = language
        self._pointing_words = pointing_words

    def read(self, said: Instruction) -> tuple[Candidate, ...] | None:
        text = clean(said.text)
        words = " ".join(words_of(text))
        if said.pointing and (not words or words in self._pointing_words):
            return ()
        values = self._language.fits(self._plan, self._missing.place, text) if words else ()
        return tuple(Candidate(text, value) for value in values) or None


def _filled(wish: Wish, found: Which | Missing, chosen: Candidate) -> Wish:
    pointed = Pointed(found.place, found.word, chosen.thing, chosen.value)
    return msgspec.structs.replace(
        wish,
        plan=with_value(wish.plan, found.place, chosen.value),
        pointed=(*wish.pointed, pointed),
    )
