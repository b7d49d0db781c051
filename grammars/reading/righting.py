"""What a text means with its misspellings put right (`spelling`): an instruction, a question, or neither.

Certain ones are taken; a reading with others tells them (`Reading.corrections`), and is offered. Words that
are to be handed on, and new names, stay as they were typed: corrections within them are taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

import msgspec

from framework.dialogue.spelling import words_of
from framework.plan.ast import Plan, actions_of
from framework.plan.parser import Known, NotUnderstood, Reading, Understood, World
from grammars.reading.ranking import CORRECTED
from grammars.reading.slots import SlotNode
from grammars.reading.spelling import Misspelt, Speller, Spelt, ways
from grammars.reading.utterance import Utterance

#: So many ways to put a text right are read.
_MOST_WAYS: Final = 5
_MOST_WORDS: Final = 60
_MOST_KEPT: Final = 16

Result = Understood | NotUnderstood


class _Righted(msgspec.Struct, frozen=True):
    """text: with what is certain. result: what it means, with the rest put right, too."""

    text: str
    result: Result


class Righting:
    """Reads texts as `parse` does, and with misspellings put right. It remembers the last few.

    utterance: a text's words and names. plainly: what a text means, without much looking. slots: where words
    may stand that are handed on, by action and parameter. kinds: of names.
    """

    def __init__(
        self,
        speller: Speller,
        utterance: Callable[[str, World], Utterance],
        parse: Callable[[str, World], Result],
        plainly: Callable[[str, World], tuple[Reading, ...]],
        slots: Mapping[tuple[str, str], list[SlotNode]],
        kinds: tuple[str, ...],
    ) -> None:
        self._speller = speller
        self._utterance = utterance
        self._parse = parse
        self._plainly = plainly
        self._slots = slots
        self._kinds = kinds
        self._last: tuple[tuple[tuple[Known, ...], ...], dict[str, _Righted]] = ((), {})

    def read(self, text: str, world: World) -> Result:
        """What it means."""
        misspelt = self._misspelt(text, world)
        if misspelt or text in self._last[1]:  # it may be what has just been put right
            return self._righted(text, misspelt, world).result
        return self._with_other_words(text, world)

    def certain(self, text: str, world: World) -> str:
        """The text with those misspellings put right that are certain, but for what is to be handed on."""
        misspelt = self._misspelt(text, world)
        return self._righted(text, misspelt, world).text if misspelt else text

    def _misspelt(self, text: str, world: World) -> tuple[Misspelt, ...]:
        utterance = self._utterance(text, world)
        return self._speller.misspelt(utterance) if len(utterance.tokens) <= _MOST_WORDS else ()

    def _righted(self, text: str, misspelt: tuple[Misspelt, ...], world: World) -> _Righted:
        known = tuple(world.known(kind) for kind in self._kinds)
        if self._last[0] != known or len(self._last[1]) > _MOST_KEPT:
            self._last = (known, {})
        last = self._last[1]
        righted = last.get(text)
        if righted is None:
            righted = last[text] = self._right(text, misspelt, world)
            last.setdefault(righted.text, righted)
        return righted

    def _right(self, text: str, misspelt: tuple[Misspelt, ...], world: World) -> _Righted:
        while True:
            certain = tuple(each for each in misspelt if each.is_certain)
            spelt = next(ways(text, certain)).text
            if not misspelt:
                return _Righted(text, self._with_other_words(text, world))
            result, first = self._best(text, misspelt, world)
            kept = self._handed_on(result, first, world)
            if not kept:
                if isinstance(result, NotUnderstood) or result.readings[0].left_out:
                    other = self._with_other_words(spelt, world, result)
                    result = other if isinstance(other, Understood) else result
                return _Righted(spelt, result)
            misspelt = tuple(each for each in misspelt if each not in kept)

    def _best(self, text: str, misspelt: tuple[Misspelt, ...], world: World) -> tuple[Result, Spelt]:
        """What it means with misspellings put right, and the first text that means something."""
        found: list[Reading] = []
        first: Spelt | None = None
        refused: NotUnderstood | None = None
        for spelt in islice(ways(text, misspelt), _MOST_WAYS):
            if found and len(spelt.corrections) < len(found[0].corrections):
                break
            result = self._parse(spelt.text, world)
            if isinstance(result, NotUnderstood):
                refused = refused or result
                continue
            first = first or spelt
            found += [
                each for each in _corrected(result, spelt) if all(each.plan != other.plan for other in found)
            ]
        if first is None:
            assert refused is not None  # there is always a way
            certain = next(ways(text, tuple(each for each in misspelt if each.is_certain)))
            is_first = len(certain.places) == len(misspelt)  # what is not certain is not told of
            return refused if is_first else self._parse(certain.text, world), certain
        found.sort(key=lambda each: -each.confidence)
        return Understood(self._doubted(tuple(found), text, world)), first

    def _doubted(self, found: tuple[Reading, ...], text: str, world: World) -> tuple[Reading, ...]:
        """Free text may have swallowed a misspelt word: "say hello and trak the hand" is a question."""
        plain = self._plainly(text, world) if found[0].corrections else ()
        if not plain:
            return found
        if any(each.plan == plain[0].plan for each in found):
            return plain
        if found[0].confidence / CORRECTED <= plain[0].confidence:
            return plain
        doubt = CORRECTED * plain[0].confidence
        return tuple(msgspec.structs.replace(each, confidence=doubt) for each in (found[0], plain[0]))

    def _with_other_words(self, text: str, world: World, result: Result | None = None) -> Result:
        """What a text means; one that means nothing, with words of ours for other words of English."""
        result = self._parse(text, world) if result is None else result
        if isinstance(result, Understood) and not result.readings[0].left_out:
            return result
        utterance = self._utterance(text, world)
        if len(utterance.tokens) > _MOST_WORDS or (isinstance(result, NotUnderstood) and result.answer):
            return result
        doubtful = self._speller.doubtful(utterance)
        found: list[Reading] = []
        for spelt in islice(ways(text, doubtful) if doubtful else (), _MOST_WAYS):
            if found and len(spelt.corrections) < len(found[0].corrections):
                break
            more = Understood(self._plainly(spelt.text, world))
            if spelt.corrections and more.readings and not self._handed_on(more, spelt, world):
                found += _corrected(more, spelt)
        return Understood(tuple(sorted(found, key=lambda each: -each.confidence))) if found else result

    def _handed_on(self, result: Result, spelt: Spelt, world: World) -> frozenset[Misspelt]:
        """The words put right that stand in what is to be handed on, or in a new name."""
        if isinstance(result, NotUnderstood):
            return frozenset()
        handed_on = {word for each in self._texts(result.readings[0].plan, world) for word in words_of(each)}
        return frozenset(
            each
            for begin, end, each in spelt.places
            if not handed_on.isdisjoint(words_of(spelt.text[begin:end]))
        )

    def _texts(self, plan: Plan, world: World) -> Iterator[str]:
        """The values that are neither of a list nor, where names are wanted, known."""
        for do in actions_of(plan):
            for name, value in do.parameters.items():
                slots = [each for each in self._slots.get((do.action, name), ()) if each.accepts.is_text]
                if not slots or not isinstance(value, str):
                    continue
                listed = {each for slot in slots for of in slot.values.values() for _, each, _ in of}
                if all(each.has_list for each in slots):
                    known = (each for slot in slots for each in world.known(slot.kind))
                    listed |= {text for each in known for text in (str(each.value), each.name)}
                if value not in listed:
                    yield value


def _corrected(result: Understood, spelt: Spelt) -> tuple[Reading, ...]:
    if not spelt.corrections:
        return result.readings
    return tuple(
        msgspec.structs.replace(
            each,
            confidence=round(each.confidence * CORRECTED, 6),
            corrections=(*spelt.corrections, *each.corrections),
        )
        for each in result.readings
    )
