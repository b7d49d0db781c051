"""What people say to this installation, as a speech recogniser learns it: sentences, with names as classes.

Sentences are made by the grammar (`wording.samples`), and are those that people said (`heard.jsonl`) with
what they meant. A known name in them, "the red cup", is a class of names: what is known may change at any
moment, and the sentences stay. A class is what its names are known as: "name_devices_views" has the names
that are known both as devices and as views.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from random import Random
from typing import Final

import msgspec

from framework.phrasing import with_classes
from framework.plan.parser import World
from grammars.intent.heard import NO_PLAN, Heard
from grammars.language import Language
from grammars.units import IN_FULL
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import single_samples
from grammars.wording.spoken import in_letters, spoken

Words = tuple[str, ...]

CLASS: Final = "name_"
"""How the words begin that stand for a class."""

_AS_MEANT: Final = 3.0  # how much a plain instruction counts, compared with what somebody said once
_EVERY: Final = 3  # so many made sentences later one is said again in the plainest words
_OTHER_NUMBERS: Final = 4  # a plain instruction is learnt with so many other numbers in it, too
_UNEVEN: Final = 0.4
_ONE: Final = ("one",)
_ROUND: Final = (2, 3, 5, 10, 15, 20, 30, 45, 50, 60, 90)
_NUMBERS: Final = frozenset(
    word for number in range(101) for word in in_letters(number).replace("-", " ").split()
)
_NO_LETTERS: Final = re.compile(r"[^a-z0-9]+")
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)*'?")


class Spoken(msgspec.Struct, frozen=True):
    """A sentence as it is spoken, with classes for names, and how much it counts."""

    words: Words
    weight: float = 1.0


class Names:
    """The names that are known now, as they are spoken, by class."""

    def __init__(self, language: Language, world: World) -> None:
        kinds: dict[Words, set[str]] = {}
        for kind in language.kinds:
            for known in world.known(kind):
                for way in (known.name, *known.says):
                    if words := said(language, way):
                        kinds.setdefault(words, set()).add(kind)
        self.kinds: Mapping[Words, tuple[str, ...]] = {
            words: tuple(sorted(of)) for words, of in kinds.items()
        }
        self.classes: Mapping[Words, str] = {words: _class(of) for words, of in self.kinds.items()}

    def of(self, name: str) -> tuple[Words, ...]:
        """All names of a class, in the order in which they are known."""
        return tuple(words for words, each in self.classes.items() if each == name)

    def replaced(self, words: Sequence[str]) -> Words:
        """The words, with the longest names in them as classes."""
        return with_classes(words, self.classes)


def sentences(
    language: Language, world: World, heard: Iterable[Heard], *, count: int, seed: int = 0
) -> Iterator[Spoken]:
    """What may be said: so many sentences of one action, half as many of several, and all that was heard.

    The grammar makes all ways of saying something alike, but people seldom take the rare ones: so what some
    of them mean is learnt in the words in which the robot reads it back, and counts more.
    """
    names, random = Names(language, world), Random(seed)
    meant: dict[Words, None] = {}
    single = single_samples(language, world, count, seed)
    for number, sample in enumerate(chain(single, compound_samples(language, world, count // 2, seed))):
        if words := names.replaced(said(language, sample.text)):
            yield Spoken(words)
        if number % _EVERY == 0:
            plain = names.replaced(said(language, language.in_words(sample.plan, world)))
            meant |= dict.fromkeys((plain, *with_other_numbers(plain, random)))
    for line in heard:
        if words := names.replaced(said(language, line.say)):
            yield Spoken(words)
        if line.means not in NO_PLAN:
            meant[names.replaced(said(language, line.means))] = None
    yield from (Spoken(words, _AS_MEANT) for words in meant if words)


def said(language: Language, text: str) -> Words:
    """A text in the words in which it is spoken: of letters and apostrophes; numbers and units are words."""
    words = _WORD.findall(" ".join(spoken(language, text)).casefold().replace("’", "'"))
    return tuple(word for each in words for word in IN_FULL.get(each, each).split())


def with_other_numbers(words: Words, random: Random) -> Iterator[Words]:
    """The same with other numbers, if there are any in it: what is learnt of one counts for all.

    "One" stays, and no other becomes it: "one second", but "two seconds".
    """
    every = ((is_number, tuple(run)) for is_number, run in groupby(words, _NUMBERS.__contains__))
    runs = [(is_number and run != _ONE, run) for is_number, run in every]
    if any(is_number for is_number, _ in runs):
        for _ in range(_OTHER_NUMBERS):
            others = (_spelt(random) if is_number else run for is_number, run in runs)
            yield tuple(chain.from_iterable(others))


def _spelt(random: Random) -> Words:
    """A whole number from two to a hundred as it is spoken; round ones more often."""
    number = random.randint(2, 100) if random.random() < _UNEVEN else random.choice(_ROUND)
    return tuple(in_letters(number).replace("-", " ").split())


def _class(kinds: Iterable[str]) -> str:
    return CLASS + "_".join(_NO_LETTERS.sub("_", kind.casefold()) for kind in sorted(kinds))
