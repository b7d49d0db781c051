"""lark's Earley parser, the only one of its parsers that takes any context-free grammar, on our phrases.

It gets them as rules in its EBNF, and texts in small letters without articles.
"""

from __future__ import annotations

from typing import Any

from framework.plan.ast import Do, Value
from framework.plugins import template as syntax
from framework.plugins.template import Template
from grammars.wording.spoken import in_letters
from pilothouse.experiments.language.peers import ARTICLES, UNITS, Grammar, Said, imported


class Lark:
    """Parses single sentences."""

    def __init__(self, grammar: Grammar) -> None:
        lark: Any = imported("lark")
        self._error = lark.exceptions.LarkError
        self._phrases = grammar.phrases
        self._values: list[Value] = []
        self._rules: dict[tuple[str, str, str], str] = {}
        self._choices: dict[str, str] = {}
        lines = ["NUMBER: /\\d+(\\.\\d+)?/", "WORDS: /.+/", "%ignore / +/"]
        for key, said in grammar.slots.items():
            self._rules[key] = f"s{len(self._rules)}"
            lines.append(f"{self._rules[key]}: {self._slot(said, lines)}")
        for number, phrase in enumerate(grammar.phrases):
            lines.append(f"p{number}: {self._text(phrase.template, phrase.action, lines)}")
        lines.append("start: " + " | ".join(f"p{number}" for number in range(len(grammar.phrases))))
        self._slot_names = {rule: key[2] for key, rule in self._rules.items()}
        self._parser = lark.Lark("\n".join(lines), parser="earley")

    def understand(self, text: str) -> Do | None:
        """The tree that it finds best."""
        words = [
            word for word in text.casefold().rstrip(".!?").replace(",", " ").split() if word not in ARTICLES
        ]
        try:
            tree = self._parser.parse(" ".join(words)).children[0]
        except self._error:
            return None
        phrase = self._phrases[int(tree.data[1:])]
        values: dict[str, Value] = dict(phrase.constants)
        for slot in tree.children:
            if self._slot_names[slot.data] != syntax.UNUSED:
                values[self._slot_names[slot.data]] = self._value(slot.children)
        return Do(phrase.action, values)

    def _value(self, parts: list[Any]) -> Value:
        """Of a slot: free words, a listed value, or a number and its unit."""
        values = [self._leaf(part) for part in parts]
        if len(values) == 1:
            return values[0]
        number, factor = values
        return float(number) * float(factor)  # type: ignore[arg-type]  # so the grammar has it

    def _leaf(self, part: Any) -> Value:
        if hasattr(part, "data"):
            return self._values[int(part.data[1:])]
        return float(part) if part.type == "NUMBER" else str(part).strip()

    def _slot(self, said: Said, lines: list[str]) -> str:
        if said.is_number:
            units = UNITS.get(said.unit, {})
            ways = [self._way(way, factor, lines) for way, factor in units.items()]
            number = f"_number{len(lines)}"
            words = [self._way(in_letters(count), float(count), lines) for count in range(1, 101)]
            lines.append(f"{number}: NUMBER | {' | '.join(words)}")
            return f"{number} ({' | '.join(ways)})" if ways else number
        if said.is_free:
            return "WORDS"
        return " | ".join(self._way(way, value, lines) for way, value in said.values)

    def _way(self, way: str, value: Value, lines: list[str]) -> str:
        rule = f"v{len(self._values)}"
        self._values.append(value)
        lines.append(f"{rule}: {_lark_words(way)}")
        return rule

    def _text(self, template: Template, action: str, lines: list[str]) -> str:
        """Each choice is a rule of its own: put in place, lark would write out all their combinations."""
        match template:
            case syntax.Word():
                return _lark_words(template.text)
            case syntax.Slot():
                return self._rules[action, template.list, template.name]
            case syntax.Sequence():
                parts = (self._text(part, action, lines) for part in template.parts)
                return " ".join(filter(None, parts))
            case syntax.Choice():
                options = " | ".join(self._text(option, action, lines) for option in template.options)
                if options not in self._choices:
                    self._choices[options] = f"_c{len(self._choices)}"
                    lines.append(f"{self._choices[options]}: {options}")
                return self._choices[options]
        return ""


def _lark_words(text: str) -> str:
    words = [word for word in text.casefold().split() if word not in ARTICLES]
    return " ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
