"""Sentences that cover a template: each of its options at least once, the plainest first. For the lint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from framework.plan.ast import Value
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.wording.samples import Piece, Pieces, Sampler, Slots, one_article

#: At most so many ways of one template; of a rule that was covered before.
MOST_WAYS = 60
_PLAINEST = 1


class Covering:
    """Covers templates that share rules and slots. What a number is, is the sampler's choice.

    every_name: every known name is said, not only any one. said_once: rules of which all ways have been said,
    in other templates; of these, only the plainest ones are said again. Those of this template are added.
    most: so many ways are made of each part of a template.
    """

    def __init__(
        self,
        sampler: Sampler,
        rules: Mapping[str, Template],
        slots: Slots,
        *,
        every_name: bool = False,
        said_once: set[str] | None = None,
        most: int = MOST_WAYS,
    ) -> None:
        self._most = most
        self._every_name = every_name
        self._said_once = said_once
        self._known: frozenset[str] = frozenset()
        self._sampler = sampler
        self._rules = rules
        self._slots = slots

    def ways(self, template: Template) -> Iterator[Pieces]:
        """The ways to say it, at most so many; none if it can never be said."""
        self._known = frozenset(self._said_once or ())
        for pieces in self._ways(template, ())[: self._most]:
            found = one_article(pieces)
            said = [piece.slot for piece in found or () if piece.slot]
            if found and len(said) == len(set(said)):
                yield found

    def _ways(self, template: Template, inside: tuple[str, ...]) -> list[Pieces]:
        match template:
            case syntax.Word(text=text):
                return [(Piece(text),)]
            case syntax.Slot():
                return self._slot(template)
            case syntax.Rule(name=name):
                if name not in self._rules or name in inside:
                    return []
                found = self._ways(self._rules[name], (*inside, name))
                if self._said_once is not None:
                    self._said_once.add(name)
                return found[:_PLAINEST] if name in self._known else found
            case syntax.Choice(options=options):
                # What may be left out is left out first.
                plain = sorted(options, key=lambda option: option != syntax.Sequence(()))
                ways = (way for option in plain for way in self._ways(option, inside))
                return list(islice(_different(ways), self._most))
            case syntax.Sequence(parts=parts):
                return self._row([self._ways(part, inside) for part in parts])
        return []

    def _row(self, parts: list[list[Pieces]]) -> list[Pieces]:
        """The first ways of all parts, then one part after the other varied."""
        if not all(parts):
            return []
        first = [ways[0] for ways in parts]
        rows = [first]
        for position, ways in enumerate(parts):
            rows += [[*first[:position], way, *first[position + 1 :]] for way in ways[1 : self._most]]
        return [tuple(piece for way in row for piece in way) for row in rows][: self._most]

    def _slot(self, slot: syntax.Slot) -> list[Pieces]:
        said = self._slots.lists.get(slot.list or slot.name)
        if self._every_name and not slot.constant and (named := self._sampler.named(slot, self._slots)):
            return named
        if slot.constant or said is None or said.provider:
            one = self._sampler.slot(slot, self._slots)
            return [] if one is None else [one]
        listed: list[tuple[Value, str]] = [(value, way) for value, ways in said.values for way in ways]
        return [(Piece(way, slot.name, value),) for value, way in listed]


def _different(ways: Iterable[Pieces]) -> Iterator[Pieces]:
    """Each once, as soon as it comes."""
    seen: set[Pieces] = set()
    for way in ways:
        if way not in seen:
            seen.add(way)
            yield way
