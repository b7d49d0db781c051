"""What could be said instead of a text that is refused: instructions that are understood, chosen for it.

First what was said itself, as far as it is understood; then what can be done with a thing that was named, and
the samples of actions that have the most in common with what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from framework.plan.parser import World
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching
from grammars.reading.predicates import THINGS, Clause, Predicates
from grammars.reading.reader import Reader

_MOST_TRIED: Final = 8
_MOST_LIKE: Final = 3
_SAMPLES: Final = 2
_GENERAL: Final = ("show the camera", "what can you do?", "drive half a metre forward", "what do you see?")
#: What can be asked of any known thing.
_OF_THINGS: Final = ("look at {}", "drive to {}", "track {}", "where is {}?")
#: What was said is not offered if it is longer, or shorter [words].
_MOST_WORDS, _LEAST_WORDS = 10, 2
_MARKS: Final = " ,;:.!?"
_QUOTES: Final = frozenset("\"'\n\u201c\u201d")


class Offering:
    """Chooses samples for one text."""

    def __init__(self, matching: Matching, reader: Reader, world: World, predicates: Predicates) -> None:
        self._matching = matching
        self._reader = reader
        self._world = world
        self._predicates = predicates
        references = (*reader.core.references, *reader.core.pointing, *reader.core.refusing.pronouns)
        #: What says nothing without what was said before.
        self._references = frozenset(word for each in references for word in reader.recogniser.words(each))

    def actions(self, clause: Clause | None) -> tuple[str, ...]:
        """The actions that begin with its verb or one like it, or else with its first word."""
        if clause is None:
            return ()
        if clause.verb < 0 and self._matching.tokens[clause.at] in self._reader.core.refusing.no_verbs:
            return ()
        if clause.verb >= 0 and not clause.like:
            return ()
        heads = self._reader.phrasebook.heads
        words = clause.like or (self._matching.tokens[max(clause.verb, clause.at)],)
        forms = dict.fromkeys(form for word in words for form in base_forms(word))
        return tuple(dict.fromkeys(entry.phrase.action for form in forms for entry in heads.get(form, ())))

    def samples(
        self, actions: Sequence[str], clause: Clause | None, others: Sequence[Clause] = (), until: int = 0
    ) -> list[str]:
        """Two instructions that are understood just now: of these actions, or about what was named.

        others: the other clauses of the text. until: the token from which on the clause is not understood.
        """
        found: list[str] = []
        for tried, text in enumerate(self._candidates(actions, clause, others, until)):
            if text not in found and self._reader.means_something(text, self._world):
                found.append(text)
            if len(found) == _SAMPLES or tried == _MOST_TRIED:
                break
        return found

    def _candidates(
        self, actions: Sequence[str], clause: Clause | None, others: Sequence[Clause], until: int
    ) -> Iterator[str]:
        if clause is not None:
            yield from self._said(clause._replace(end=min(max(until, clause.at), clause.end)))
        for other in others:
            yield from self._said(other)
        things = self._things(clause)[:1] if clause is not None else []
        for thing in things:
            yield _OF_THINGS[0].format(thing)
        at, end = (clause.at, clause.end) if clause is not None else (0, self._matching.size)
        said = self._matching.tokens[at:end]
        like = self._reader.grammar.sample_words.like(said, actions, only_these=bool(things))
        for sample in like[:_MOST_LIKE]:
            yield self._about(things[0], sample) if things else sample
        for thing in things:
            yield from (template.format(thing) for template in _OF_THINGS[1:])
        yield from _GENERAL

    def _said(self, clause: Clause) -> Iterator[str]:
        """A clause as it was said, without politeness, if it tells all by itself."""
        if clause.is_condition:
            return
        matching = self._matching
        at, end = self._predicates.behind_manners(clause.at, clause.end), clause.end
        while end > at and self._cannot_end(matching.tokens[end - 1]):
            end -= 1
        said = matching.tokens[at:end]
        if (
            not _LEAST_WORDS <= len(said) <= _MOST_WORDS
            or not self._references.isdisjoint(said)
            or said[0] in self._reader.core.persons
            or matching.quantities(at)
            or self._predicates.is_strange(at)
            or not said[-1].isalpha()
        ):
            return
        text = matching.said(at, end).strip(_MARKS)
        if _QUOTES.isdisjoint(text):
            yield f"{text[:1].lower()}{text[1:]}"

    def _cannot_end(self, word: str) -> bool:
        """Whether no instruction ends with a word."""
        words = self._reader.core.refusing
        return (
            word in words.polite
            or word in words.never_last
            or (word in words.prepositions and word not in words.particles)
            or (word in words.before_nouns and word not in words.directions)
        )

    def _about(self, thing: str, sample: str) -> str:
        """A sample with what was named in the place of another thing."""
        names = {
            known.name
            for kind in self._reader.kinds
            if kind.startswith(THINGS)
            for known in self._world.known(kind)
            if known.name
        }
        others = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
        return re.sub(rf"\bthe ({others})\b", thing, sample, count=1) if others else sample

    def _things(self, clause: Clause) -> list[str]:
        """The things around that a clause names, with their articles: not what is the robot's own."""
        found: dict[int, str] = {}
        for kind, places in self._matching.utterance.names.items():
            if kind.startswith(THINGS):
                for at, named in places.items():
                    is_here = clause.at <= at < clause.end and self._predicates.kinds(at)
                    if is_here and not self._predicates.is_of_robot(at):
                        name = _as_said(self._matching.said(at, named[0].end), named[0].known.name)
                        # "The cup", but "Ann".
                        found.setdefault(at, f"the {name}" if name[:1].islower() else name)
        return [found[at] for at in sorted(found)]


def _as_said(said: str, known: str) -> str:
    """A name as it was said, if that is one, else as it is known."""
    if not said.replace(" ", "").isalpha():
        return known
    return said.casefold() if known == known.casefold() else f"{said[:1].upper()}{said[1:]}"
