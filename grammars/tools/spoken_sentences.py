"""What people say to this installation, as a speech recogniser learns it: sentences, with names as classes.

Sentences are made by the grammar (`wording.samples`), and are those that people said (`heard.jsonl`) with
what they meant. A known name in them, "the red cup", is a class of names: what is known may change at any
moment, and the sentences stay. A class is what its names are known as: "name_devices_views" has the names
that are known both as devices and as views.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

import msgspec

from framework.phrasing import with_classes
from framework.plan.parser import World
from grammars.intent.heard import NO_PLAN, Heard
from grammars.language import Language
from grammars.units import IN_FULL
from grammars.wording.compounds import compound_samples
from grammars.wording.samples import single_samples
from grammars.wording.spoken import spoken

Words = tuple[str, ...]

CLASS: Final = "name_"
"""How the words begin that stand for a class."""

_AS_MEANT: Final = 3.0  # how much a plain instruction counts, compared with what somebody said once
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
    """What may be said: so many sentences of one action, half as many of several, and all that was heard."""
    names = Names(language, world)
    single = single_samples(language, world, count, seed)
    for sample in chain(single, compound_samples(language, world, count // 2, seed)):
        if words := names.replaced(said(language, sample.text)):
            yield Spoken(words)
    meant: dict[Words, None] = {}
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


def _class(kinds: Iterable[str]) -> str:
    return CLASS + "_".join(_NO_LETTERS.sub("_", kind.casefold()) for kind in sorted(kinds))
