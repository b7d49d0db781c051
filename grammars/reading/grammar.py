"""What a language is made from, compiled: phrases, conditions and the core's own words, as networks.

Nothing in here is about one installation, and nothing changes when texts are read, so that languages may
share a grammar: half a second is saved with each. What texts mean with it is in `reader.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache, partial
from typing import Final

import msgspec

from framework.dialogue.spelling import words_of
from framework.plugins.signature import ActionSpec
from framework.plugins.template import ways_of
from grammars.conditions import Sayable
from grammars.core import Core, Marker
from grammars.core_file import english
from grammars.reading.activity import Activity
from grammars.reading.asking import Conditions
from grammars.reading.clauses import Clauses
from grammars.reading.correcting import Vocabulary
from grammars.reading.coverage import Coverage
from grammars.reading.frames import Frames
from grammars.reading.inflection import base_forms
from grammars.reading.listing import Steps
from grammars.reading.markers import Markers
from grammars.reading.matching import Matching
from grammars.reading.numerals import NUMBERS
from grammars.reading.phrasebook import Phrasebook
from grammars.reading.recogniser import Recogniser
from grammars.reading.sample_words import SampleWords
from grammars.reading.utterance import Utterance
from grammars.units import UNITS

#: The words of phrases that were compiled: every recogniser splits alike, and languages share most phrases.
_SPLIT: Final[dict[str, tuple[str, ...]]] = {}


class Grammar:
    """Compiled phrases.

    Args:
        actions: their phrases are what can be asked for; those without phrases, or unavailable, cannot.
        conditions: what "if", "while" and "until" can be about.
        core: the language itself; English if none is given.
    """

    def __init__(
        self,
        actions: Iterable[ActionSpec],
        *,
        conditions: Iterable[Sayable] = (),
        core: Core | None = None,
    ) -> None:
        self.core = english() if core is None else core
        self.recogniser = _recogniser(self.core)
        split = partial(_split, self.recogniser)

        def activities(matching: Matching, at: int) -> list[Activity]:
            return clauses.activities(matching, at)  # phrases may be about activities, which are phrases

        self.phrasebook = Phrasebook(actions, self.core, split, activities)
        self.frames = Frames(self.phrasebook)
        self.clauses = clauses = Clauses(self.phrasebook)
        self.markers = _english_markers() if core is None else Markers(self.core, split)
        polite = self.markers.first_of((Marker.COMMANDING,)) | self.core.persons.keys()
        self.sample_words = SampleWords(
            self.phrasebook.actions,
            self.recogniser,
            self.core.refusing,
            self.core.references,
            lambda words: words[0] not in polite,
        )
        follow = frozenset(self.phrasebook.heads) | self.markers.boundaries
        follow |= self.markers.first_of((Marker.COMMANDING, Marker.CANCEL, Marker.WAIT_UNTIL))
        self.conditions = Conditions(conditions, self.core, split, activities, follow)
        self.conditions.markers = clauses.markers = self.markers
        clauses.conditions = self.conditions.find
        clauses.strange = self.strange
        clauses.coverage = Coverage(self.phrasebook, self.markers, self.conditions, self.core)
        #: The kinds of names that the world is asked for.
        self.kinds = tuple(dict.fromkeys((*self.phrasebook.kinds, *self.conditions.kinds)))
        references = frozenset(each for each in (*self.core.references, *self.core.pointing))
        never = frozenset(word for each in references for word in split(each))
        nodes = [entry.node for entry in self.phrasebook.entries]
        nodes += [*self.markers.nodes.values(), *self.conditions.nodes]
        nodes += [entry.node for entry, _ in self.phrasebook.role_frames]
        refusing = self.core.refusing
        spelt = refusing.no_verbs | refusing.asking | refusing.between | refusing.prepositions
        spelt |= refusing.things | {word for verb in refusing.senses for word in verb}
        units = frozenset(word for words in UNITS for word in words)
        topics = (
            way
            for spec in self.phrasebook.actions.values()
            for _, each in spec.phrases.topics
            for way in each
        )
        others = units | NUMBERS | self.core.questions.every_word | frozenset(_words_in(self.core.meta))
        others |= {word for way in topics for each in ways_of(way) for word in each}
        self.vocabulary = Vocabulary(nodes, self.phrasebook.heads, never, spelt, others)
        #: Words that decide which one, which way or how much.
        opposites = (each.opposites for spec in self.phrasebook.actions.values() for each in spec.parameters)
        self.deciding = self.phrasebook.value_words | units | NUMBERS
        self.deciding |= {word for each in opposites for value in each for word in value.split("_")}
        #: Words that may be left out, wherever they stand; in front of numbers, and behind, more of them.
        self.fillers = frozenset(words for text in self.core.fillers if (words := split(text)))
        self.roughly = frozenset(words for text in self.core.roughly if (words := split(text)))
        self.roughly_behind = frozenset(words for text in self.core.roughly_behind if (words := split(text)))

    def is_verb(self, word: str) -> bool:
        """Whether an instruction may begin with a word, in any of its forms."""
        return word not in self.core.refusing.no_verbs and self.frames.is_verb(word)

    def strange(self, utterance: Utterance) -> frozenset[int]:
        """The places of words that nobody knows: in no phrase, and no part of a name or a number."""
        known = {
            place
            for places in utterance.names.values()
            for begin, found in places.items()
            for place in range(begin, found[0].end)
        }
        for begin, quantities in utterance.quantities.items():
            known.update(range(begin, quantities[0].end))
        ours = self.vocabulary.words
        return frozenset(
            at
            for at, token in enumerate(utterance.tokens)
            if at not in known
            and token.text[0].isalpha()
            and not any(form in ours for form in base_forms(token.text))
        )


def _recogniser(core: Core) -> Recogniser:
    steps = Steps.of(core.ordinals, core.cardinals)
    return Recogniser(core.aliases, turning_round=core.turning_round, steps=steps)


def _words_in(data: object) -> Iterator[str]:
    """Every word of the texts in a structure."""
    match data:
        case str():
            yield from words_of(data)
        case msgspec.Struct():
            yield from _words_in([getattr(data, name) for name in data.__struct_fields__])
        case Mapping():
            yield from _words_in([*data.values(), *(key for key in data if not isinstance(key, Enum))])
        case Iterable():
            for each in data:
                yield from _words_in(each)


@cache
def _english_markers() -> Markers:
    """Those of English are the same whatever can be asked for, and take as long as many phrases."""
    return Markers(english(), partial(_split, _recogniser(english())))


def _split(recogniser: Recogniser, text: str) -> tuple[str, ...]:
    words = _SPLIT.get(text)
    if words is None:
        words = _SPLIT[text] = recogniser.words(text)
    return words
