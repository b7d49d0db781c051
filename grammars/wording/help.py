"""What can be asked for: each action with real sentences that are understood just now, as they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from random import Random

from framework.plan.ast import Do
from framework.plan.parser import World
from framework.plugins.service import Help
from framework.plugins.signature import ActionSpec
from grammars.reading.inflection import base_forms
from grammars.reading.phrasebook import Phrase
from grammars.reading.reader import Reader
from grammars.wording.covering import Covering
from grammars.wording.samples import Sampler, Slots, sentence

MOST_EXAMPLES = 3
# Sentences that are tried for an example about a topic.
_MOST_TRIED = 80


def helping(reader: Reader, topic: str, world: World) -> Iterator[Help | None]:
    """Every action that can be asked for now; with a topic, those whose sentences speak of it.

    A topic is a word of phrases or of an action's name ("tracking"), or the name of a known thing. Actions
    that nobody can ask for now, because their things are all unknown, are left out.

    Hundreds of sentences are made and tried for that: None comes after each, so that whoever has something
    else to do meanwhile (a loop with a heartbeat) can do it.
    """
    helper = _Helper(reader, world)
    for spec in reader.phrasebook.actions.values():
        yield from helper.help(spec, topic)


def help_on(reader: Reader, topic: str, world: World) -> tuple[Help, ...]:
    """The same at once, for who has nothing else to do."""
    return tuple(each for each in helping(reader, topic, world) if each is not None)


class _Helper:
    def __init__(self, reader: Reader, world: World) -> None:
        self._reader = reader
        self._world = world
        self._sampler = Sampler(reader, world, Random(0))

    def help(self, spec: ActionSpec, topic: str) -> Iterator[Help | None]:
        """At the end one action, if it has to do with the topic and can be asked for; before that None."""
        wanted = [base_forms(word) for word in self._reader.recogniser.words(topic)]
        is_named = bool(wanted) and self._has(f"{spec.name.replace('_', ' ')} {spec.doc}", wanted)
        chosen: list[str] = []
        yield from self._examples(spec, wanted, chosen)
        if not chosen and is_named:
            yield from self._examples(spec, (), chosen)
        if chosen:
            yield Help(spec.name, spec.doc, tuple(chosen))

    def _examples(
        self, spec: ActionSpec, wanted: Collection[tuple[str, ...]], chosen: list[str]
    ) -> Iterator[None]:
        """Sentences with all these words into `chosen`, one try at a time."""
        for text in self._texts(spec):
            if self._has(text, wanted) and self._is_own(text, spec):
                chosen.append(text)
            yield None
            if len(chosen) == MOST_EXAMPLES:
                return

    def _texts(self, spec: ActionSpec) -> Iterator[str]:
        """Sentences for an action: its author's first, then made of its phrases, of each in turn."""
        seen: dict[str, None] = dict.fromkeys(spec.phrases.samples)
        yield from seen
        phrases = [phrase for phrase in self._reader.phrases if phrase.action == spec.name]
        for text in islice(_in_turn(self._of(phrase) for phrase in phrases), _MOST_TRIED):
            if text not in seen:
                seen[text] = None
                yield text

    def _of(self, phrase: Phrase) -> Iterator[str]:
        slots = Slots(phrase.parameters, phrase.lists)
        for pieces in Covering(self._sampler, phrase.rules, slots, every_name=True).ways(phrase.template):
            if not any(piece.is_free for piece in pieces):
                yield sentence(pieces)[0]

    def _has(self, text: str, wanted: Iterable[tuple[str, ...]]) -> bool:
        """Whether a text has all words of the topic, in any form."""
        forms = {form for word in self._reader.recogniser.words(text) for form in base_forms(word)}
        return all(forms.intersection(each) for each in wanted)

    def _is_own(self, text: str, spec: ActionSpec) -> bool:
        """Whether a sentence is understood now, as it stands, and means the action."""
        readings = self._reader.read(text, self._world).readings
        plan = readings[0].plan if readings and not readings[0].is_assumed else None
        return isinstance(plan, Do) and plan.action == spec.name


def _in_turn(rows: Iterable[Iterator[str]]) -> Iterator[str]:
    """The first of each, then the second of each, and so on."""
    waiting = list(rows)
    while waiting:
        still = []
        for row in waiting:
            text = next(row, None)
            if text is not None:
                yield text
                still.append(row)
        waiting = still
