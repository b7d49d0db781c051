"""What is taken of the readings of two recognisers. Pure.

The grammar decides: only what the language understands is taken. The free transcript must not contradict it:
a reading that is too unlikely beside what was freely heard is rejected (`Trust`), one that is a little less
likely is asked about. Numbers and "not" are never guessed: where the recognisers differ in them, it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from resources.speech.phones import distance
from resources.types.speech import Reading

Sounds = Callable[[str], Sequence[int]]
"""A text in sounds, as `phones.numbers_of` writes them."""

NEGATIONS: Final = frozenset((
    "not", "no", "never", "don't", "doesn't", "won't", "can't", "cannot", "mustn't", "shouldn't", "nothing",
    "none", "without",
))  # fmt: skip
NUMBERS: Final = frozenset((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty",
    "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "half", "quarter",
    "third", "point", "minus", "first", "second", "twice", "double", "once",
))  # fmt: skip
_MOST_FREE: Final = 2  # transcripts that a reading is compared with
_GRAMMAR: Final = 0.8
"""How much the grammar's recogniser counts in the choice, compared with the free one."""


_USUAL: Final = 3.0
"""How much the language model counts, compared with the free recogniser's likelihood [nats for log10]."""

_OTHERWISE: Final = 0.6
"""What it costs that a sound is another one than the grammar's recogniser heard [nats]."""


class Heard(msgspec.Struct, frozen=True):
    """What an utterance may be, each the likeliest first.

    grammar: by the recogniser of our own language. free: by the other one, in any words. near: what can be
    said here that sounds most like the free ones (`nearest`).
    """

    grammar: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


def compared(heard: Heard, sounds: Sounds) -> tuple[Reading, ...]:
    """All that it may be, by its sounds, the nearest first; nothing if the free one heard nobody speak."""
    if not heard.free:
        return ()
    free = [sounds(text) for text in heard.free[:_MOST_FREE]]
    grammar = [sounds(text) for text in heard.grammar[:1]]
    same = [_critical(text) for text in (*heard.grammar[:1], heard.free[0])]

    def reading(text: str) -> Reading:
        said = sounds(text)
        is_of_both = text in heard.grammar[:1] and all(each == _critical(text) for each in same)
        from_free, from_grammar = _nearest(said, free), _nearest(said, grammar)
        cost = from_free + _GRAMMAR * from_grammar
        return Reading(text, from_free, from_grammar, cost=cost, is_of_both=is_of_both)

    every = dict.fromkeys((*heard.grammar, *heard.free, *heard.near))
    return tuple(sorted((reading(text) for text in every if text), key=lambda each: each.cost))


def weighed(
    readings: Sequence[Reading],
    heard: float,
    likelihoods: Sequence[float],
    usual: Sequence[float],
    sounds: Sounds,
) -> tuple[Reading, ...]:
    """The same, by how likely they are, the likeliest first.

    heard, likelihoods: the logarithm of the probability, to the free recogniser, of what it heard and of each
    reading; usual: log10 of each reading's in our language.
    """

    def weigh(reading: Reading, likelihood: float, log10: float) -> Reading:
        otherwise = reading.from_grammar * len(sounds(reading.text))
        cost = -likelihood - _USUAL * log10 + _OTHERWISE * otherwise
        words = max(1, len(reading.text.split()))
        unlike, unusual = max(0.0, heard - likelihood) / words, -log10 / words
        return msgspec.structs.replace(reading, unlike=unlike, unusual=unusual, cost=cost)

    found = map(weigh, readings, likelihoods, usual)
    return tuple(sorted(found, key=lambda each: each.cost))


class Trust(msgspec.Struct, frozen=True):
    """How likely it is that a reading was said: the log-odds are linear in what speaks against it.

    Source: D. R. Cox, "The regression analysis of binary sequences" (1958); fitted by
    `pilothouse.experiments.speech.fitting`. The names are those of `Reading`.
    """

    nothing: float = 4.1
    unlike: float = 1.0
    unusual: float = 1.4
    from_free: float = 0.5
    from_grammar: float = 2.4

    def of(self, reading: Reading) -> float:
        """0 … 1."""
        against = (
            self.unlike * reading.unlike
            + self.unusual * reading.unusual
            + self.from_free * reading.from_free
            + self.from_grammar * reading.from_grammar
        )
        return 1.0 / (1.0 + math.exp(min(against - self.nothing, _MOST_AGAINST)))


TRUST: Final = Trust()
LEAST_TRUST: Final = 0.4
"""Below it a reading is not what was said. Of the utterances on which this was chosen 130 of 131 right
readings are above it, and one of 100 foreign ones."""

CERTAIN: Final = 0.05
"""Up to that distance a sound between the grammar's first reading and the free transcript it is taken."""

RIVAL: Final = 3.0
"""How much less likely another reading may be and still be asked about [nats]."""

_MOST_AGAINST: Final = 50.0


class Agreed(msgspec.Struct, frozen=True):
    """What is taken for said. confidence: 0 … 1; below .9 it is asked. others: what else it may have been."""

    text: str
    confidence: float
    others: tuple[str, ...] = ()


_MOST_ASKED: Final = 3
_DOUBTED: Final = 0.85
"""The most confidence in what the recognisers do not agree about: below what is carried out unasked."""


def agreed(readings: Sequence[Reading], understands: Callable[[str], bool]) -> Agreed | None:
    """What is taken, of readings in the order of `weighed`; None if it is nothing that can be said here.

    understands: whether the language knows what to do with a text; asked as seldom as can be.
    """
    near = [each for each in readings if TRUST.of(each) >= LEAST_TRUST]
    best = next((each for each in near if understands(each.text)), None)
    if best is None:
        return None
    if best.is_of_both and best.from_free <= CERTAIN:
        return Agreed(best.text, 1.0 - best.from_free)
    rivals = [
        each.text
        for each in near
        if each is not best and 0.0 <= each.cost - best.cost < RIVAL and understands(each.text)
    ]
    return Agreed(best.text, _DOUBTED * TRUST.of(best), tuple(rivals[:_MOST_ASKED]))


def _nearest(said: Sequence[int], heard: Sequence[Sequence[int]]) -> float:
    """How far from the nearest of what was heard, a sound; 1 if nothing was."""
    return min((distance(said, each) / max(len(said), len(each), 1) for each in heard), default=1.0)


def _critical(text: str) -> tuple[str, ...]:
    """The words that are never guessed, in order."""
    return tuple(word for word in text.split() if word in NUMBERS or word in NEGATIONS)
