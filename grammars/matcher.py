"""Matching a template against words, in every way there is; and remembering how far anything got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from framework.plan.ast import Value
from framework.plan.parser import World
from framework.plugins import template as syntax
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from framework.plugins.template import Template
from grammars.slots import choices, fillings, known_names
from grammars.tokens import words_of

_MOST_STEPS = 20_000


class Match(msgspec.Struct, frozen=True):
    """A way through a template. literal: words that the template says; free: words nothing vouches for."""

    end: int
    values: tuple[tuple[str, Value], ...] = ()
    literal: int = 0
    free: int = 0


class Progress:
    """How far into the text anything could be understood, and what could have come next."""

    def __init__(self) -> None:
        self.furthest = 0
        self.expected: dict[str, None] = {}
        self.steps = 0

    def stuck(self, at: int, wanted: str) -> None:
        """At this position something else was wanted."""
        if at > self.furthest:
            self.furthest = at
            self.expected = {}
        if at == self.furthest:
            self.expected[wanted] = None


class Matcher:
    """Matches the templates of one action. rules: what `<name>` stands for; lists: what slots may be."""

    def __init__(
        self,
        parameters: Mapping[str, ParameterSpec],
        rules: Mapping[str, Template],
        lists: Mapping[str, SlotList],
        words: Sequence[str],
        world: World,
        progress: Progress,
    ) -> None:
        self._parameters = parameters
        self._rules = rules
        self._lists = lists
        self._words = words
        self._world = world
        self._progress = progress

    def whole(self, template: Template) -> Iterator[Match]:
        """The ways in which the template is the whole text."""
        for match in self._match(template, Match(0)):
            if match.end == len(self._words):
                yield match
            elif match.end > self._progress.furthest:
                self._progress.furthest = match.end
                self._progress.expected = {}

    def _match(self, template: Template, begun: Match) -> Iterator[Match]:
        self._progress.steps += 1
        if self._progress.steps > _MOST_STEPS:
            return  # a template with that many ways through it is not matched in time
        match template:
            case syntax.Word():
                yield from self._word(template.text, begun)
            case syntax.Slot():
                yield from self._slot(template, begun)
            case syntax.Rule():
                if template.name in self._rules:
                    yield from self._match(self._rules[template.name], begun)
            case syntax.Choice():
                for option in template.options:
                    yield from self._match(option, begun)
            case syntax.Sequence():
                yield from self._sequence(template.parts, begun)

    def _sequence(self, parts: tuple[Template, ...], begun: Match) -> Iterator[Match]:
        if not parts:
            yield begun
            return
        for first in self._match(parts[0], begun):
            yield from self._sequence(parts[1:], first)

    def _word(self, text: str, begun: Match) -> Iterator[Match]:
        at = begun.end
        for word in words_of(text):
            if at >= len(self._words) or self._words[at] != word:
                self._progress.stuck(at, text)
                return
            at += 1
        yield msgspec.structs.replace(begun, end=at, literal=begun.literal + at - begun.end)

    def _slot(self, slot: syntax.Slot, begun: Match) -> Iterator[Match]:
        if slot.constant:
            yield msgspec.structs.replace(begun, values=(*begun.values, (slot.name, slot.constant)))
            return
        parameter = self._parameters.get(slot.name)
        if parameter is None:
            return
        known = known_names(slot, self._lists, self._world)
        # What could be said here, for a refusal that helps.
        sayable = choices(parameter) or tuple(ways[0] for _, ways in known if ways)
        for name in sayable or (f"<{slot.name}>",):
            self._progress.stuck(begun.end, name.replace("_", " "))
        # A list that the author has given is all there is, unless nothing is known just now.
        is_closed = bool(known) and (slot.list or slot.name) in self._lists
        for filling in fillings(self._words, begun.end, parameter, known, is_closed):
            values = (*begun.values, (slot.name, filling.value))
            yield Match(filling.end, values, begun.literal, begun.free + filling.free)
