"""What can be said here that sounds most like what was heard: any words become some of our language.

The sounds of what was heard are cut into words of the language in all ways; what counts is how far each
word's sounds are from them (`phones.py`) and how likely the words follow each other (`trigrams.py`). A free
recogniser that hears "look at the ROM" has heard "look at the drum" here.
Source: a noisy channel, searched with a beam from left to right (F. Jelinek, "Statistical Methods for Speech
Recognition", 1997).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.phrasing import with_classes
from resources.speech.dictionary import Dictionary, Words, pronunciations
from resources.speech.phones import COSTS, MISSED, numbers_of
from resources.speech.trigrams import BEGIN, END, Trigrams

SOUNDS: Final = 2.4
"""How much a sound that differs counts, compared with log10 of the language model's probability."""

_LONGER: Final = 3  # sounds by which what was heard may be longer than the word
_STATES: Final = 24
_WORDS: Final = 70  # that are tried at each place
_FAR: Final = 0.6  # of a word's sounds: farther ones are not tried
_MOST_SOUNDS: Final = 150


class Near(msgspec.Struct, frozen=True):
    """A sentence of the language.

    distance: of its sounds from those that were heard. log10: how likely it is in the language.
    """

    words: Words
    distance: float
    log10: float

    @property
    def cost(self) -> float:
        """The less the better."""
        return SOUNDS * self.distance - self.log10


class _State(msgspec.Struct, frozen=True):
    cost: float
    distance: float
    log10: float
    last: _State | None
    entry: int
    context: tuple[str, ...]


class Nearest:
    """The sentences of a language that sound most like a text."""

    def __init__(self, dictionary: Dictionary, model: Trigrams) -> None:
        self._model = model
        self._names: Mapping[str, Words] = dictionary.names
        self._classes = {words: entry.partition("(")[0] for entry, words in dictionary.names.items()}
        self._entries = list(dictionary.entries)
        self._words = [entry.partition("(")[0] for entry in self._entries]
        of_length: dict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        for number, phones in enumerate(dictionary.entries.values()):
            if sounds := numbers_of(phones):
                of_length[len(sounds)].append((number, sounds))
        self._groups = {
            length: (np.array([n for n, _ in each]), np.array([sounds for _, sounds in each]))
            for length, each in of_length.items()
        }

    def log10(self, text: str) -> float:
        """How likely a text is in the language: log10 of its probability."""
        return self._model.of_sentence(with_classes(text.split(), self._classes))

    def sentences(self, text: str, most: int = 8) -> tuple[Near, ...]:
        """The nearest ones, the best first; none if nothing was heard."""
        heard = pronunciations(text.split())
        sounds = [number for phones in heard for number in numbers_of(phones)][:_MOST_SOUNDS]
        if not sounds:
            return ()
        found = self._searched(self._words_at(np.array(sounds)), len(sounds))
        best: dict[Words, Near] = {}
        for state in found:
            near = Near(self._said(state), state.distance, state.log10)
            best.setdefault(near.words, near)
        return tuple(list(best.values())[:most])

    def _words_at(self, sounds: NDArray[np.int_]) -> list[list[tuple[int, int, float]]]:
        """At each place, the entries that may be said there: number, where they end, distance.

        Short ones first: where as many as are wanted are found, only what is nearer is looked at.
        """
        count = len(sounds)
        best: list[list[tuple[float, int, int]]] = [[] for _ in range(count)]
        farthest = np.full(count, np.inf, np.float32)
        for length in sorted(self._groups):
            numbers, words = self._groups[length]
            most = np.minimum(farthest, _FAR * length + 0.3)
            places, which, rows = _aligned(sounds, words, most)
            for b in range(1, len(rows)):
                near = np.flatnonzero((rows[b] <= most[places]) & (places + b <= count))
                every = zip(
                    places[near].tolist(), rows[b][near].tolist(), numbers[which[near]].tolist(), strict=True
                )
                for place, distance, number in every:
                    best[place].append((distance, number, place + b))
            for place, found in enumerate(best):
                found.sort()
                del found[_WORDS:]
                if len(found) == _WORDS:
                    farthest[place] = found[-1][0]
        return [[(number, until, distance) for distance, number, until in each] for each in best]

    def _searched(self, words: Sequence[Sequence[tuple[int, int, float]]], count: int) -> list[_State]:
        """The states at the end, the best first."""
        states: list[dict[tuple[str, ...], list[_State]]] = [{} for _ in range(count + 1)]
        states[0] = {(BEGIN,): [_State(0.0, 0.0, 0.0, None, -1, (BEGIN,))]}
        for place in range(count):
            flat = sorted((s for each in states[place].values() for s in each), key=lambda s: s.cost)
            for state in flat[:_STATES]:
                for entry, until, distance in words[place]:
                    word = self._words[entry]
                    log10 = self._model.log10(state.context, word)
                    cost = state.cost + SOUNDS * distance - log10
                    context = (*state.context[-1:], word)
                    there = states[until].setdefault(context, [])
                    if len(there) < 3 or cost < there[-1].cost:
                        new = _State(
                            cost, state.distance + distance, state.log10 + log10, state, entry, context
                        )
                        there.append(new)
                        there.sort(key=lambda each: each.cost)
                        del there[3:]
        ends: list[_State] = []
        for state in (s for each in states[count].values() for s in each):
            log10 = self._model.log10(state.context, END)
            ends.append(
                _State(state.cost - log10, state.distance, state.log10 + log10, state.last, state.entry, ())
            )
        return sorted(ends, key=lambda each: each.cost)

    def _said(self, state: _State) -> Words:
        found: list[str] = []
        at: _State | None = state
        while at is not None and at.entry >= 0:
            entry = self._entries[at.entry]
            found += reversed(self._names.get(entry, (self._words[at.entry],)))
            at = at.last
        return tuple(reversed(found))


def _aligned(
    sounds: NDArray[np.int_], words: NDArray[np.int_], most: NDArray[np.float32]
) -> tuple[NDArray[np.int_], NDArray[np.int_], NDArray[np.float32]]:
    """Words beside what was heard, from every place on: Levenshtein, row by row, for all at once.

    words (n, length): their sounds. most (count,): what is farther from its place is given up on the way.
    Returns of those that are left the place (m,), the word (m,) and [b, m] its distance from the b sounds
    that come there; what was heard beyond the end is its last sound.
    """
    count, (n, length) = len(sounds), words.shape
    span = length + _LONGER
    places, which = np.repeat(np.arange(count), n), np.tile(np.arange(n), count)
    heard = sounds[np.minimum(places + np.arange(span)[:, None], count - 1)]
    rows = np.zeros((span + 1, len(places)), np.float32)
    np.cumsum(MISSED[heard], axis=0, out=rows[1:])
    for a in range(length):
        of_word = words[which, a]
        lost = MISSED[of_word]
        after = np.empty_like(rows)
        after[0] = rows[0] + lost
        for b in range(span):
            by_leaving_out = np.minimum(rows[b + 1] + lost, after[b] + MISSED[heard[b]])
            np.minimum(by_leaving_out, rows[b] + COSTS[heard[b], of_word], out=after[b + 1])
        left = np.flatnonzero(after.min(axis=0) <= most[places])
        places, which, heard, rows = places[left], which[left], heard[:, left], after[:, left]
    return places, which, rows
