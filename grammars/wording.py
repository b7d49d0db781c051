"""A template turned round: the words for given values."""

from __future__ import annotations

from collections.abc import Mapping

from framework.plan.ast import Value
from framework.plan.words import value_in_words
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.tokens import is_article


def filled(template: Template, rules: Mapping[str, Template], values: Mapping[str, Value]) -> str:
    """The shortest way through a template that says all of the values; empty if there is none."""
    for words, said in _ways(template, rules, values):
        if said == frozenset(values):
            return " ".join(words)
    return ""


def _ways(
    template: Template, rules: Mapping[str, Template], values: Mapping[str, Value]
) -> list[tuple[tuple[str, ...], frozenset[str]]]:
    """(words, slots said), the preferred first: optional articles are said, other options left out."""
    nothing: frozenset[str] = frozenset()
    match template:
        case syntax.Word():
            return [((template.text,), nothing)]
        case syntax.Slot():
            return _slot(template, values)
        case syntax.Rule():
            return _ways(rules[template.name], rules, values) if template.name in rules else []
        case syntax.Sequence():
            ways: list[tuple[tuple[str, ...], frozenset[str]]] = [((), nothing)]
            for part in template.parts:
                more = _ways(part, rules, values)
                ways = [(a + b, said | also) for a, said in ways for b, also in more][:_MOST_WAYS]
            return ways
    found = [way for option in template.options for way in _ways(option, rules, values)]
    if ((), nothing) in found and not all(is_article(word) for word in found[0][0]):
        found.sort(key=lambda way: way != ((), nothing))
    return found


def _slot(slot: syntax.Slot, values: Mapping[str, Value]) -> list[tuple[tuple[str, ...], frozenset[str]]]:
    if slot.name not in values:
        return []
    if slot.constant:
        return [((), frozenset((slot.name,)))] if values[slot.name] == slot.constant else []
    return [((value_in_words(values[slot.name]).replace("_", " "),), frozenset((slot.name,)))]


_MOST_WAYS = 64
