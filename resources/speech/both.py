"""Two recognisers at once: one that knows what can be said here, and one that hears any words.

What the free one heard is put into what can be said here, too (`nearest`), and all readings are compared with
what each of them heard. The free one then tells how likely each of the nearest was said (`agreeing`):
rescoring of a list of the n best. Which of them is taken is decided by who knows what can be understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final, Protocol

from resources.audio.blocks import Samples
from resources.speech.agreeing import Heard, compared, weighed
from resources.speech.dictionary import pronunciations
from resources.speech.nearest import Nearest
from resources.speech.phones import numbers_of
from resources.speech.recognising import Recognised, Recogniser
from resources.types.speech import Reading, TimedWord

CONFIDENCE: Final = 1.0
"""In its words: what there is to doubt is told by the readings."""


_UNHEARD: Final = 100.0  # nats a word: the free one heard nobody speak

WEIGHED: Final = 20
"""Readings of which it is asked how likely they are: each takes about 20 ms of one core."""


class FreeRecogniser(Recogniser, Protocol):
    """One that hears any words, and can tell of any text how likely it was said."""

    def within(self, sound: Samples) -> tuple[str, ...]:
        """What it may be in the words of our language only, the likeliest first."""
        ...

    def likelihoods(self, sound: Samples, texts: Sequence[str]) -> list[float]:
        """The logarithm of the probability of each text, given the sound, (n,) int16."""
        ...


class BothRecognisers:
    """Recognises one utterance at a time. grammar: asked in a thread, so best `apart`; free: any words."""

    def __init__(self, grammar: Recogniser, free: FreeRecogniser, nearest: Nearest) -> None:
        self._grammar = grammar
        self._free = free
        self._nearest = nearest
        self._beside = ThreadPoolExecutor(1, "grammar's recogniser")

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`. Its words are those of the likeliest reading, if one of both heard just these."""
        searching = self._beside.submit(self._grammar.recognised, sound)
        try:
            free = self._free.recognised(sound)
            near = self._near(sound, free.text) if free is not None else ()  # while the other one searches
        finally:
            by_grammar = searching.result()  # whatever is asked of it next, it has answered this
        if free is None:  # nobody spoke; but a stop counts, whoever heard it
            return Recognised((), readings=_unconfirmed(by_grammar))
        grammar_texts, free_texts = _texts(by_grammar), _texts(free)
        if grammar_texts[:1] == free_texts[:1]:
            near = ()
        readings = compared(Heard(grammar_texts, free_texts, near), sounds_of)
        heard_so = {*grammar_texts[:1], *free_texts[:1]}
        readings = tuple(sorted(readings, key=lambda each: each.text not in heard_so))[:WEIGHED]
        texts = [each.text for each in readings]
        heard, *likelihoods = self._free.likelihoods(sound, [free.text, *texts])
        usual = [self._nearest.log10(text) for text in texts]
        readings = weighed(readings, heard, likelihoods, usual, sounds_of)
        words = _timed(readings[0].text, [each for each in (by_grammar, free) if each is not None])
        others = tuple(each.text for each in readings[1:])
        return Recognised(words, others, CONFIDENCE, readings, free.text)

    def _near(self, sound: Samples, text: str) -> tuple[str, ...]:
        """What can be said here, and may have been heard by the free one."""
        sentences = self._nearest.sentences(text, WEIGHED)
        return (*self._free.within(sound), *(" ".join(each.words) for each in sentences))

    def begins(self) -> None:
        """See `Recogniser`."""
        self._grammar.begins()

    def goes_on(self, sound: Samples) -> str:
        """See `Recogniser`."""
        return self._grammar.goes_on(sound)

    def forgets(self) -> None:
        """See `Recogniser`."""
        self._grammar.forgets()


@lru_cache(maxsize=4096)
def sounds_of(text: str) -> tuple[int, ...]:
    """A text in sounds, as `phones.numbers_of` writes them."""
    return tuple(number for phones in pronunciations(text.split()) for number in numbers_of(phones))


def _unconfirmed(by_grammar: Recognised | None) -> tuple[Reading, ...]:
    """What only the grammar's recogniser heard: that is nothing, unless it is a stop."""
    return (Reading(by_grammar.text, 1.0, 0.0, unlike=_UNHEARD, cost=1.0),) if by_grammar is not None else ()


def _texts(found: Recognised | None) -> tuple[str, ...]:
    return (found.text, *found.others) if found is not None else ()


def _timed(text: str, heard: Sequence[Recognised]) -> tuple[TimedWord, ...]:
    """When the words of a reading were said: as one of both heard them, else evenly in the time of all."""
    for each in heard:
        if each.text == text:
            return each.words
    began_s, until_s = heard[0].words[0].began_s, heard[0].words[-1].until_s
    words = text.split()
    each_s = (until_s - began_s) / len(words)
    return tuple(
        TimedWord(word, began_s + n * each_s, began_s + (n + 1) * each_s) for n, word in enumerate(words)
    )
