"""What could be said instead of a text that is refused: instructions that are understood, chosen for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from framework.plan.parser import World
from grammars.reading.inflection import base_forms
from grammars.reading.matching import Matching
from grammars.reading.predicates import Clause
from grammars.reading.reader import Reader

_MOST_TRIED: Final = 6
_SAMPLES: Final = 2
_GENERAL: Final = ("show the camera", "what can you do?", "drive half a metre forward", "what do you see?")
#: What can be asked of any known thing.
_OF_THINGS: Final = ("look at the {}", "where is the {}?", "track the {}")


class Offering:
    """Chooses samples for one text."""

    def __init__(self, matching: Matching, reader: Reader, world: World) -> None:
        self._matching = matching
        self._reader = reader
        self._world = world

    def samples(self, actions: Sequence[str], clause: Clause | None) -> list[str]:
        """Two instructions that are understood just now: of these actions, or about what was named."""
        found: list[str] = []
        for tried, text in enumerate(self._candidates(actions, clause)):
            if text not in found and self._does_something(text):
                found.append(text)
            if len(found) == _SAMPLES or tried == _MOST_TRIED:
                break
        return found

    def _candidates(self, actions: Sequence[str], clause: Clause | None) -> Iterator[str]:
        things = self._things(clause) if clause is not None else []
        for thing, template in zip(things[:1], _OF_THINGS, strict=False):
            yield template.format(thing)
        said = set(self._matching.tokens)
        ours = [
            max(spec.phrases.samples, key=lambda text: self._shares(text, said), default="")
            for action in actions
            if (spec := self._reader.phrasebook.actions.get(action)) is not None
        ]
        yield from sorted(filter(None, ours), key=lambda text: -self._shares(text, said))
        yield from (template.format(thing) for thing in things[:1] for template in _OF_THINGS[1:])
        yield from _GENERAL

    def _shares(self, text: str, said: Collection[str]) -> int:
        """How many words a sample has in common with what was said."""
        return len(set(text.casefold().split()).intersection(said))

    def _does_something(self, text: str) -> bool:
        return self._reader.means_something(text, self._world)

    def _things(self, clause: Clause) -> list[str]:
        """What a clause names that is known, of whatever kind."""
        names = self._matching.utterance.names
        return [
            self._matching.said(at, named[0].end)
            for places in names.values()
            for at, named in places.items()
            if clause.at <= at < clause.end
        ]

    def actions(self, clause: Clause | None) -> tuple[str, ...]:
        """The actions that begin with its verb or one like it, or else with its first word."""
        if clause is None:
            return ()
        heads = self._reader.phrasebook.heads
        words = clause.like or (self._matching.tokens[max(clause.verb, clause.at)],)
        forms = dict.fromkeys(form for word in words for form in base_forms(word))
        return tuple(dict.fromkeys(entry.phrase.action for form in forms for entry in heads.get(form, ())))
