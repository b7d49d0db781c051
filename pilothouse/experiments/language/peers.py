"""Our phrases as others' recognisers can have them; those are in `hassil.py` and `lark.py`.

Each gets what its own form can say: templates, listed values, the names that are known,
numbers with their commonest units, "it", free text. Neither composes sentences, so they
are compared on single ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from framework.errors import PluginUnavailable
from framework.plan.ast import Do, Reference, Value
from framework.plan.parser import World
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars import Language
from grammars.reading.accepting import accepts
from grammars.reading.phrasebook import Phrase as ActionPhrase

ARTICLES: Final = ("the", "a", "an", "my", "your", "our")
UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "s": {
        "seconds": 1,
        "second": 1,
        "s": 1,
        "minutes": 60,
        "minute": 60,
        "min": 60,
        "hours": 3600,
        "hour": 3600,
    },
    "rad": {"radians": 1, "rad": 1, "degrees": 0.017453292519943295, "degree": 0.017453292519943295},
    "N": {"newtons": 1, "newton": 1, "n": 1},
    "fraction": {"percent": 0.01},
    "m": {"metres": 1, "metre": 1, "meters": 1, "meter": 1, "m": 1, "cm": 0.01, "centimetres": 0.01},
}


class Peer(Protocol):
    """Somebody else's recogniser."""

    def understand(self, text: str) -> Do | None:
        """The action of a single sentence, or nothing."""
        ...


class Said(msgspec.Struct, frozen=True):
    """What may be said for a slot: texts with the value each means; numbers; anything."""

    values: tuple[tuple[str, Value], ...] = ()
    is_number: bool = False
    unit: str = ""

    @property
    def is_free(self) -> bool:
        """Any words at all."""
        return not self.values and not self.is_number


class Phrase(msgspec.Struct, frozen=True):
    """One phrase of an action, its rules put in place; what its words alone say stands in `constants`."""

    action: str
    template: Template
    constants: tuple[tuple[str, Value], ...] = ()


class Grammar(msgspec.Struct, frozen=True):
    """All phrases, and what may be said for their slots, by (action, list, slot)."""

    phrases: tuple[Phrase, ...]
    slots: Mapping[tuple[str, str, str], Said]


def grammar_of(language: Language, world: World) -> Grammar:
    """The phrases of a language as others can have them."""
    phrases: list[Phrase] = []
    slots: dict[tuple[str, str, str], Said] = {}
    references = [(word, Reference(word)) for word in language.core.references]
    for phrase in language.phrases:
        for template, constants in _without_constants(_inlined(phrase.template, phrase.rules)):
            values = tuple((name, _constant(phrase, name, value)) for name, value in constants)
            phrases.append(Phrase(phrase.action, template, values))
            for slot in slots_in(template):
                key = (phrase.action, slot.list, slot.name)
                if key not in slots:
                    slots[key] = _said(phrase, slot, world, references)
    return Grammar(tuple(phrases), slots)


def _constant(phrase: ActionPhrase, name: str, value: Value) -> Value:
    """What a phrase's words say, as the parameter has it: a number where it takes numbers."""
    parameter = phrase.parameters.get(name)
    if parameter is None or not isinstance(value, str):
        return value
    accepted = accepts(parameter)
    if accepted.is_flag:
        return value == "true"
    if accepted.is_number:
        return int(value) if accepted.is_whole else float(value)
    return value


def _inlined(template: Template, rules: Mapping[str, Template]) -> Template:
    match template:
        case syntax.Rule():
            return _inlined(rules[template.name], rules) if template.name in rules else syntax.Word("…")
        case syntax.Sequence():
            return syntax.Sequence(tuple(_inlined(part, rules) for part in template.parts))
        case syntax.Choice():
            return syntax.Choice(tuple(_inlined(option, rules) for option in template.options))
    return template


Variant = tuple[Template, tuple[tuple[str, Value], ...]]


def _without_constants(template: Template) -> list[Variant]:
    """A template with `{slot:=value}` as one for each combination of values, without them."""
    match template:
        case syntax.Slot() if template.constant:
            return [(syntax.Sequence(()), ((template.name, template.constant),))]
        case syntax.Sequence():
            rows: list[tuple[tuple[Template, ...], tuple[tuple[str, Value], ...]]] = [((), ())]
            for part in template.parts:
                rows = [
                    ((*parts, more), (*constants, *added))
                    for parts, constants in rows
                    for more, added in _without_constants(part)
                ]
            return [(syntax.Sequence(parts), constants) for parts, constants in rows]
        case syntax.Choice():
            found = [variant for option in template.options for variant in _without_constants(option)]
            plain = tuple(option for option, constants in found if not constants)
            kept: list[Variant] = [(syntax.Choice(plain), ())] if plain else []
            return kept + [variant for variant in found if variant[1]]
    return [(template, ())]


def slots_in(template: Template) -> Iterator[syntax.Slot]:
    """Its slots, from left to right."""
    match template:
        case syntax.Slot():
            yield template
        case syntax.Sequence():
            for part in template.parts:
                yield from slots_in(part)
        case syntax.Choice():
            for option in template.options:
                yield from slots_in(option)


def _said(
    phrase: ActionPhrase, slot: syntax.Slot, world: World, references: Sequence[tuple[str, Value]]
) -> Said:
    if slot.name == syntax.UNUSED:
        names = phrase.lists.get(slot.list)
        things = world.known(names.provider) if names is not None and names.provider else ()
        return Said(tuple((each.name, each.value) for each in things))
    parameter = phrase.parameters[slot.name]
    accepted = accepts(parameter)
    if accepted.is_number:
        return Said(is_number=True, unit=parameter.unit)
    said = phrase.lists.get(slot.list or slot.name)
    values: list[tuple[str, Value]] = [
        (way, value) for value, ways in (said.values if said is not None else ()) for way in ways
    ]
    if not accepted.is_text:
        listed = {value for _, value in values}
        values += [(each.replace("_", " "), each) for each in accepted.choices if each and each not in listed]
        return Said(tuple(dict(values).items()))
    if said is not None and said.provider:
        for known in world.known(said.provider):
            values += [(way, known.value) for way in (known.name, *known.says)]
    return Said(tuple(dict([*values, *references]).items()) if said is not None else ())


def imported(name: str) -> Any:
    """A module that only the comparison needs. Raises PluginUnavailable if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PluginUnavailable(
            f"the comparison with {name}", "it is not installed: pip install 'pilothouse[experiments]'"
        ) from error
