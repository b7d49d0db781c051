"""hassil's own recognition (Home Assistant) on our templates, whose syntax is its syntax.

Articles are its skip words.
"""

from __future__ import annotations

from typing import Any

from framework.plan.ast import Do
from framework.plugins import template as syntax
from framework.plugins.template import Template
from pilothouse.experiments.language.peers import ARTICLES, UNITS, Grammar, Said, imported, slots_in


class Hassil:
    """Recognises single sentences."""

    def __init__(self, grammar: Grammar) -> None:
        self._hassil: Any = imported("hassil")
        intents: dict[str, Any] = {}
        self._phrases = grammar.phrases
        for number, phrase in enumerate(grammar.phrases):
            lists: dict[str, Any] = {}
            for slot in slots_in(phrase.template):
                lists |= _hassil_lists(slot, grammar.slots[phrase.action, slot.list, slot.name])
            sentence = _hassil_text(phrase.template, phrase.action, grammar)
            data = {"sentences": [sentence], "lists": lists, "metadata": {"number": number}}
            intents.setdefault(phrase.action, {"data": []})["data"].append(data)
        self._intents = self._hassil.Intents.from_dict(
            {"language": "en", "intents": intents, "skip_words": [*ARTICLES, "please"]}
        )

    def understand(self, text: str) -> Do | None:
        """Its best match."""
        found = self._hassil.recognize_best(text, self._intents)
        if found is None:
            return None
        values: dict[str, Any] = {}
        factors: dict[str, float] = {}
        for name, entity in found.entities.items():
            if name.endswith("__unit"):
                factors[name.removesuffix("__unit")] = float(entity.value)
            else:
                values[name] = entity.value
        for name, factor in factors.items():
            values[name] = values[name] * factor
        constants = dict(self._phrases[found.intent_metadata["number"]].constants)
        values.pop(syntax.UNUSED, None)
        return Do(found.intent.name, {**constants, **values})


def _hassil_lists(slot: syntax.Slot, said: Said) -> dict[str, Any]:
    name = _list_name(slot)
    if said.is_number:
        lists: dict[str, Any] = {name: {"range": {"from": 0, "to": 1000, "fractions": "halves"}}}
        if said.unit in UNITS:
            ways = [{"in": way, "out": factor} for way, factor in UNITS[said.unit].items()]
            lists[f"{name}__unit"] = {"values": ways}
        return lists
    if said.is_free:
        return {name: {"wildcard": True}}
    return {name: {"values": [{"in": way, "out": value} for way, value in said.values]}}


def _list_name(slot: syntax.Slot) -> str:
    return slot.list or slot.name


def _hassil_text(template: Template, action: str, grammar: Grammar) -> str:
    match template:
        case syntax.Word():
            return template.text
        case syntax.Slot():
            name, said = _list_name(template), grammar.slots[action, template.list, template.name]
            text = f"{{{name}:{template.name}}}"
            if said.is_number and said.unit in UNITS:
                text += f" {{{name}__unit:{template.name}__unit}}"
            return text
        case syntax.Sequence():
            return " ".join(filter(None, (_hassil_text(part, action, grammar) for part in template.parts)))
        case syntax.Choice():
            options = [_hassil_text(option, action, grammar) for option in template.options]
            inside = "|".join(filter(None, options))
            if not inside:
                return ""
            return f"[{inside}]" if not all(options) else f"({inside})"
    return ""
