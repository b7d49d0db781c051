"""Which sentence is said when, and what becomes of the others. Pure: orders and times in, effects out.

One sentence at a time. What is urgent cuts what is being said; a question that was cut by it is asked again
after it. Answers wait a little, the newest count; a question is never left out unless it is taken back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from resources.types.voice import Hush, LeaveOut, Say, SayOrder, Spoken, SpokenPhase, Urgency

MOST_ANSWERS: Final = 2
"""So many answers wait for their turn; of more the oldest are left out."""

MOST_WAITING: Final = 32
"""So many sentences wait, whatever they are: nobody asks so many questions at once."""

ANSWER_WAITS_S: Final = 8.0
"""An answer that could not be said for so long is left out [s]: something else is talked about by now."""

_NUMBERS: Final = 256  # that are remembered, lest one be said twice


class Make(msgspec.Struct, frozen=True):
    """Have the engine make the sound of this; it is played when `made` says so."""

    number: int
    words: str


class Cut(msgspec.Struct, frozen=True):
    """Nothing is to be heard, or made, any more."""


class Tell(msgspec.Struct, frozen=True):
    """Say this in the stream, before anything else is done."""

    spoken: Spoken


Effect = Make | Cut | Tell


class _Sentence(msgspec.Struct):
    """One that waits or is being said. since_s: when it came; from_s: when it began, None before it has."""

    say: Say
    since_s: float
    from_s: float | None = None
    until_s: float = 0.0


class Saying:
    """All sentences of one loudspeaker. Times are CLOCK_MONOTONIC [s].

    latency_s: so much later than it is played sound is heard, at the most.
    """

    def __init__(self, latency_s: float = 0.0) -> None:
        self._latency_s = latency_s
        self._waiting: list[_Sentence] = []
        self._now: _Sentence | None = None
        self._known: deque[int] = deque(maxlen=_NUMBERS)
        self._effects: list[Effect] = []

    def order(self, order: SayOrder, now_s: float) -> list[Effect]:
        """What is to be done about an order."""
        match order:
            case Say():
                self._say(order, now_s)
            case Hush(up_to=up_to):
                self._take_back(lambda number: number <= up_to, now_s)
            case LeaveOut(number=unwanted):
                self._take_back(lambda number: number == unwanted, now_s)
        return self._done()

    def made(self, number: int, length_s: float, now_s: float) -> tuple[bool, list[Effect]]:
        """Its sound is there. Whether it is to be played now, after the effects."""
        sentence = self._now
        if sentence is None or sentence.say.number != number or sentence.from_s is not None:
            return False, []
        sentence.from_s, sentence.until_s = now_s, now_s + self._latency_s + length_s
        self._tell(SpokenPhase.BEGINS, sentence)
        return True, self._done()

    def not_made(self, number: int, why: str, now_s: float) -> list[Effect]:
        """The engine could not: it is left out."""
        if self._now is not None and self._now.say.number == number and self._now.from_s is None:
            self._leave_out(self._now, why, now_s)
            self._now = None
        return self._done()

    def turn(self, now_s: float) -> list[Effect]:
        """Now and then: what is over is over, and the next one begins."""
        sentence = self._now
        if sentence is not None and sentence.from_s is not None and now_s >= sentence.until_s:
            self._tell(SpokenPhase.ENDED, sentence)
            self._now = None
        for each in tuple(self._waiting):
            if each.say.urgency is Urgency.ANSWER and now_s - each.since_s > ANSWER_WAITS_S:
                self._waiting.remove(each)
                self._leave_out(each, "its time was over", now_s)
        if self._now is None and self._waiting:
            urgent = [each for each in self._waiting if each.say.urgency is Urgency.URGENT]
            self._now = (urgent or self._waiting)[0]
            self._waiting.remove(self._now)
            self._effects.append(Make(self._now.say.number, self._now.say.words))
        return self._done()

    def _say(self, say: Say, now_s: float) -> None:
        if say.number in self._known:  # told again, because nobody knew whether it was said
            return
        self._known.append(say.number)
        new = _Sentence(say, now_s)
        if say.urgency is Urgency.URGENT:
            self._make_way(now_s)
        if len(self._waiting) >= MOST_WAITING:
            self._leave_out(new, f"{MOST_WAITING} sentences wait already", now_s)
            return
        self._waiting.append(new)
        answers = [each for each in self._waiting if each.say.urgency is Urgency.ANSWER]
        for old in answers[:-MOST_ANSWERS]:
            self._waiting.remove(old)
            self._leave_out(old, "newer answers came", now_s)

    def _make_way(self, now_s: float) -> None:
        """For what is urgent."""
        for each in tuple(self._waiting):
            if each.say.urgency is Urgency.ANSWER:
                self._waiting.remove(each)
                self._leave_out(each, "something urgent came", now_s)
        cut = self._now
        if cut is None or cut.say.urgency is Urgency.URGENT:
            return
        is_question = cut.say.urgency is Urgency.QUESTION
        self._cut(now_s, "" if is_question else "something urgent came")
        if is_question:
            self._waiting.insert(0, _Sentence(cut.say, now_s))

    def _take_back(self, is_meant: Callable[[int], bool], now_s: float) -> None:
        for each in tuple(self._waiting):
            if is_meant(each.say.number):
                self._waiting.remove(each)
                self._leave_out(each, "it was taken back", now_s)
        if self._now is not None and is_meant(self._now.say.number):
            self._cut(now_s, "it was taken back")

    def _cut(self, now_s: float, why: str) -> None:
        """Break off what is being made or said. why: it is not said again; "" if it is."""
        sentence, self._now = self._now, None
        assert sentence is not None
        self._effects.append(Cut())
        if sentence.from_s is None:
            if why:
                self._leave_out(sentence, why, now_s)
            return
        sentence.until_s = min(sentence.until_s, now_s + self._latency_s)
        self._tell(SpokenPhase.CUT, sentence, why)

    def _tell(self, phase: SpokenPhase, sentence: _Sentence, why: str = "") -> None:
        assert sentence.from_s is not None
        said = sentence.say
        self._effects.append(
            Tell(Spoken(phase, said.number, said.words, sentence.from_s, sentence.until_s, why))
        )

    def _leave_out(self, sentence: _Sentence, why: str, now_s: float) -> None:
        said = sentence.say
        spoken = Spoken(SpokenPhase.LEFT_OUT, said.number, said.words, now_s, now_s, why)
        self._effects.append(Tell(spoken))

    def _done(self) -> list[Effect]:
        effects, self._effects = self._effects, []
        return effects
