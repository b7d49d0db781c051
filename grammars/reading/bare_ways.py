"""What is said only by a way and how far: "left arm up 10 cm, then forward 5 cm". Pure.

Alone, "forward 5 cm" is the base; behind an arm it may be the arm as well. An action that names another under
`shared_with`, of which no more was said than one of its listed words and a length, may be that other one, if
that takes the same values. Where the step before it is about one of several things (an arm), both are equally
sure, and it is asked; else the other one is only kept, as somebody may have moved an arm before
(`as_moved_last`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from framework.dialogue.values import Place, actions_in, with_value
from framework.plan.ast import Do
from framework.plan.parser import Reading
from framework.plugins.signature import ActionSpec
from grammars.reading.ranking import LESS_LIKELY
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance


class BareWays:
    """Finds them. actions: by name. boundaries: words that parts of a text begin with; idle: those that say
    nothing.
    """

    def __init__(
        self, actions: Mapping[str, ActionSpec], boundaries: Collection[str], idle: Collection[str]
    ) -> None:
        self._actions = actions
        self._boundaries = boundaries
        self._idle = idle
        self._words = {
            name: {
                tuple(way.split()): (each.name, value)
                for each in spec.phrases.lists
                for value, ways in each.values
                for way in ways
            }
            for name, spec in actions.items()
            if spec.phrases.shared_with
        }

    def also(self, readings: tuple[Reading, ...], utterance: Utterance) -> tuple[Reading, ...]:
        """The readings, and the best one with the other action in the place of each that was said so."""
        if not readings or not utterance.quantities:
            return readings
        best, found = readings[0], list[Reading]()
        dos = actions_in(best.plan)
        for at, (place, do) in enumerate(dos):
            if do.action not in self._words or not self._is_bare(do, utterance):
                continue
            before = next((each for _, each in reversed(dos[:at]) if self._is_of_one(each)), None)
            is_behind_one = before is not None and before is dos[at - 1][1]
            for other in self._others(do, place, best):
                sure = best.confidence if is_behind_one else best.confidence * LESS_LIKELY
                found.append(msgspec.structs.replace(best, plan=other, confidence=round(sure, 6)))
        plans = [each.plan for each in readings]
        also = [each for each in found if each.plan not in plans]
        return tuple(sorted((*readings, *also), key=lambda each: -each.confidence)) if also else readings

    def _is_of_one(self, do: Do) -> bool:
        """Whether an action is about one of several things of the robot's."""
        spec = self._actions.get(do.action)
        return spec is not None and any(each.which for each in spec.parameters)

    def _others(self, do: Do, place: Place, reading: Reading) -> Iterator[Do]:
        for name in self._actions[do.action].phrases.shared_with:
            spec = self._actions.get(name)
            known = {each.name: each for each in spec.parameters} if spec is not None else {}
            fits = all(
                key in known and not known[key].problem_with(value) for key, value in do.parameters.items()
            )
            if spec is not None and fits:
                yield with_value(reading.plan, place, Do(name, dict(do.parameters)))  # type: ignore[misc]

    def _is_bare(self, do: Do, utterance: Utterance) -> bool:
        """Whether some part of the text says it, by one of its values and a quantity alone."""
        said = {(key, str(value)) for key, value in do.parameters.items()}
        return any(
            self._words[do.action].get(tuple(words)) in said for words in _measured_parts(self, utterance)
        )

    def is_idle(self, word: str) -> bool:
        """Whether a word says nothing."""
        return word in self._idle

    def begins_part(self, word: str) -> bool:
        """Whether a part of a text begins there."""
        return word in MARKS or word in self._boundaries


def _measured_parts(ways: BareWays, utterance: Utterance) -> Iterator[Sequence[str]]:
    """What is said in each part that has a quantity, without that."""
    words: list[str] = []
    is_measured, at, tokens = False, 0, utterance.tokens
    while at < len(tokens):
        word = tokens[at].text
        quantity = next(iter(utterance.quantities.get(at, ())), None)
        if quantity is not None:
            is_measured, at = True, quantity.end
            continue
        if ways.begins_part(word):
            if is_measured:
                yield words
            words, is_measured = [], False
        elif not ways.is_idle(word):
            words.append(word)
        at += 1
    if is_measured:
        yield words
