"""What is taken of the readings of two recognisers. Pure.

The grammar decides: only what the language understands is taken. The free transcript must not contradict it:
a reading that sounds otherwise than what was freely heard is rejected, one that sounds a little otherwise is
asked about. Numbers and "not" are never guessed: where the recognisers differ in them, it is asked.
"""

from __future__ import annotations

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


class Heard(msgspec.Struct, frozen=True):
    """What an utterance may be, each the likeliest first.

    grammar: by the recogniser of our own language. free: by the other one, in any words. near: what can be
    said here that sounds most like the free ones (`nearest`).
    """

    grammar: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


def compared(heard: Heard, sounds: Sounds) -> tuple[Reading, ...]:
    """All that it may be, the likeliest first; nothing if the free one heard nobody speak."""
    if not heard.free:
        return ()
    free = [sounds(text) for text in heard.free[:_MOST_FREE]]
    grammar = [sounds(text) for text in heard.grammar[:1]]
    same = [_critical(text) for text in (*heard.grammar[:1], heard.free[0])]

    def reading(text: str) -> Reading:
        said = sounds(text)
        is_of_both = text in heard.grammar[:1] and all(each == _critical(text) for each in same)
        return Reading(text, _nearest(said, free), _nearest(said, grammar), is_of_both)

    every = dict.fromkeys((*heard.grammar, *heard.free, *heard.near))
    return tuple(sorted((reading(text) for text in every if text), key=cost))


def cost(reading: Reading) -> float:
    """The less the likelier."""
    return reading.from_free + _GRAMMAR * reading.from_grammar


class Thresholds(msgspec.Struct, frozen=True):
    """Distances a sound, 0 (the same) to about 1.

    rejected: from that distance between a reading and the free transcript on, it is not what was said.
    unlike: the same of its cost, in which counts what the grammar's recogniser heard, too.
    certain: up to that distance between the grammar's first reading and the free transcript it is taken.
    rival: how much more another reading may cost and still be asked about.
    """

    rejected: float = 0.28
    unlike: float = 0.45
    certain: float = 0.05
    rival: float = 0.08


class Agreed(msgspec.Struct, frozen=True):
    """What is taken for said. confidence: 0 … 1; below .9 it is asked. others: what else it may have been."""

    text: str
    confidence: float
    others: tuple[str, ...] = ()


_MOST_ASKED: Final = 3
_DOUBTED: Final = 0.85
"""The most confidence in what the recognisers do not agree about: below what is carried out unasked."""


def agreed(
    readings: Sequence[Reading], understands: Callable[[str], bool], thresholds: Thresholds = Thresholds()
) -> Agreed | None:
    """What is taken, of readings in the order of `compared`; None if it is nothing that can be said here.

    understands: whether the language knows what to do with a text; asked as seldom as can be.
    """
    near = [
        each for each in readings if each.from_free < thresholds.rejected and cost(each) < thresholds.unlike
    ]
    best = next((each for each in near if understands(each.text)), None)
    if best is None:
        return None
    rivals = [
        each.text
        for each in near
        if each is not best and 0.0 <= cost(each) - cost(best) < thresholds.rival and understands(each.text)
    ]
    if best.is_of_both and best.from_free <= thresholds.certain:
        confidence = 1.0 - best.from_free
    else:
        doubt = max(0.0, best.from_free - thresholds.certain) / (thresholds.rejected - thresholds.certain)
        confidence = _DOUBTED * (1.0 - doubt)
    return Agreed(best.text, confidence, tuple(rivals[:_MOST_ASKED]))


def _nearest(said: Sequence[int], heard: Sequence[Sequence[int]]) -> float:
    """How far from the nearest of what was heard, a sound; 1 if nothing was."""
    return min((distance(said, each) / max(len(said), len(each), 1) for each in heard), default=1.0)


def _critical(text: str) -> tuple[str, ...]:
    """The words that are never guessed, in order."""
    return tuple(word for word in text.split() if word in NUMBERS or word in NEGATIONS)
