"""Templates of phrases as JSGF: what may be said for words, slots and rules, given what is known now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from framework.plan.parser import World
from framework.plugins import template as syntax
from framework.plugins.phrases import ACTIVITIES, SlotList
from framework.plugins.template import Template
from grammars.language import Language
from grammars.reading.accepting import Accepts, accepts, pair_of
from grammars.reading.inflection import can_be_verb, gerund
from grammars.reading.phrasebook import Phrase
from grammars.reading.tokens import NEVER_AFTER_AN_ARTICLE, is_article
from grammars.units import ABBREVIATIONS, SIGNATURE_UNITS, UNITS
from grammars.wording.spoken import in_letters, spoken

#: What can be said for something: a JSGF expansion; "" is nothing at all; None: it can never be said.
Expansion = str | None

_SPECIAL = frozenset(';=|*+<>()[]{}/"\\ \t')
_REFERENCE = re.compile(r"<([A-Za-z0-9_]+)>")


def either(ways: Iterable[Expansion]) -> Expansion:
    """One of several; those that can never be said are left out. Nothing among them makes it optional."""
    known = [way for way in dict.fromkeys(ways) if way is not None]
    if not known:
        return None
    said = [way for way in known if way]
    if not said:
        return ""
    both = " | ".join(said)
    return f"[{both}]" if len(said) < len(known) else both


def row(*parts: Expansion) -> Expansion:
    """One after the other; never, if one of them can never be said."""
    if any(part is None for part in parts):
        return None
    return " ".join(f"({part})" if has_bar(part) else part for part in parts if part)


def optional(expansion: Expansion) -> str:
    """It may be left out; what can never be said is."""
    return f"[{expansion}]" if expansion else ""


def has_bar(expansion: str) -> bool:
    """Whether a bar stands outside of all brackets."""
    depth = 0
    for letter in expansion:
        depth += (letter in "([") - (letter in ")]")
        if letter == "|" and not depth:
            return True
    return False


def quoted(word: str) -> str:
    """A word as a token."""
    if not _SPECIAL & set(word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def identifier(name: str) -> str:
    """A name as part of a rule's name."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)


def reachable(rules: Mapping[str, str], root: str) -> frozenset[str]:
    """The rules that a rule needs, itself too."""
    found = {root}
    to_see = [root]
    while to_see:
        for name in _REFERENCE.findall(rules[to_see.pop()]):
            if name in rules and name not in found:
                found.add(name)
                to_see.append(name)
    return frozenset(found)


def number_rules() -> dict[str, str]:
    """The rules of spoken numbers; <number> is any of them."""
    digits = " | ".join(in_letters(number) for number in range(1, 10))
    teens = " | ".join(in_letters(number) for number in range(10, 20))
    tens = " | ".join(in_letters(number) for number in range(20, 100, 10))
    return {
        "digit": digits,
        "below_hundred": f"zero | <digit> | {teens} | ({tens}) [<digit>]",
        "below_thousand": "<below_hundred> | (a | <digit>) hundred [[and] <below_hundred>]",
        "whole": "(<below_thousand> | a) thousand [[and] <below_thousand>] | <below_thousand>",
        "decimals": "point (zero | oh | <digit>)+",
        "part": "half [a] | [a | one] quarter | three quarters | a third | two thirds",
        "number": "[minus] (<whole> [<decimals> | and <part>] | <part>) | a couple of | a dozen",
    }


ARTICLE = "[<det>]"
# In front of these nobody says an article.
_NO_ARTICLE = NEVER_AFTER_AN_ARTICLE | {
    "me", "us", "you", "it", "them", "him", "her", "this", "that", "these", "those", "there", "here",
    "what", "where", "who", "how", "which", "why", "up", "down", "off", "out", "over", "through", "about",
    "around", "more", "longer", "too", "not", "no", "so", "than", "right", "just", "currently", "close",
    "closer", "near", "do", "does", "did", "can", "could", "will", "would", "should", "may", "be", "been",
    "has", "have", "had", "see", "go", "know", "say", "tell", "called", "away", "back", "open", "closed",
    "everything", "anything",
}  # fmt: skip


class Templates:
    """The rules of one grammar, defined as they are needed."""

    def __init__(self, language: Language, world: World) -> None:
        self.language = language
        self.rules: dict[str, str] = {"det": "the | a | an | my | your | our", **number_rules()}
        self.left_out: dict[str, None] = {}
        self._world = world
        self._void: set[str] = set()

    def template(self, template: Template, scope: Scope) -> Expansion:
        """What can be said for a template."""
        match template:
            case syntax.Word(text=text):
                return ARTICLE if is_article(text) else self.spoken(text)
            case syntax.Slot():
                return scope.slot(template)
            case syntax.Rule(name=name):
                return scope.rule(name)
            case syntax.Choice(options=options):
                return either(self.template(option, scope) for option in options)
            case syntax.Sequence(parts=parts):
                return self._sequence(parts, scope)
        return None

    def _sequence(self, parts: Sequence[Template], scope: Scope) -> Expansion:
        said: list[str] = []
        for part in parts:
            expansion = self.template(part, scope)
            if expansion is None:
                return None
            if not expansion:
                continue
            grouped = f"({expansion})" if has_bar(expansion) else expansion
            has_one = not said or said[-1] == ARTICLE or grouped.startswith(ARTICLE)
            if not has_one and not _is_before_article(part, scope.rules, ()):
                grouped = f"{ARTICLE} {grouped}"
            said.append(grouped)
        return " ".join(said)

    def spoken(self, text: str) -> Expansion:
        """A text as tokens."""
        return " ".join(map(quoted, spoken(self.language, text)))

    def rule(self, name: str, expansion: Expansion) -> Expansion:
        """Define a rule; the way to refer to it."""
        if not expansion:
            self._void.add(name)
            return expansion
        self.rules[name] = expansion
        return f"<{name}>"

    def named(self, name: str, make: Callable[[], Expansion]) -> Expansion:
        """A rule that is made when it is first referred to."""
        if name in self.rules:
            return f"<{name}>"
        return None if name in self._void else self.rule(name, make())

    def names(self, kind: str) -> Expansion:
        """All names of a kind."""
        said = (way for known in self._world.known(kind) for way in (known.name, *known.says))
        ways = dict.fromkeys(self.spoken(way) for way in said)
        return self.named(f"known__{identifier(kind)}", lambda: either(way or None for way in ways))

    def values(self, values: Iterable[str]) -> Expansion:
        """Listed ways to say something."""
        return either(self.spoken(way) or None for way in dict.fromkeys(values))

    def free(self, owner: str, slot: str) -> None:
        """A slot that takes any words is left out."""
        self.left_out[f"{{{slot}}} of {owner}"] = None

    def number(self, unit: str) -> Expansion:
        """A number, with a unit if the signature has one."""
        own = SIGNATURE_UNITS.get(unit)
        if own is None or not own.dimension:
            return "<number>"
        name = f"units__{identifier(own.dimension)}"
        words = [words for words, each in UNITS.items() if each.dimension == own.dimension]
        said = (" ".join(each) for each in words if not ABBREVIATIONS.intersection(each))
        units = self.named(name, lambda: either(sorted(said)))
        if own.dimension in ("m/s", "rad/s"):
            base = self.number("m" if own.dimension == "m/s" else "rad")
            return f"{base} per (second | minute | hour)"
        return None if units is None else f"<number> [of] [<det>] {units} [and [a] half]"


class Scope:
    """What rules and slots mean where a template stands."""

    def __init__(self, phrase: Phrase, writer: Templates) -> None:
        numbers = {name: accepts(parameter) for name, parameter in phrase.parameters.items()}
        self._set(phrase.action, phrase.rules, phrase.lists, numbers, writer, is_any_text=False)

    @classmethod
    def of(
        cls,
        owner: str,
        rules: Mapping[str, Template],
        lists: Mapping[str, SlotList],
        numbers: Mapping[str, Accepts],
        writer: Templates,
    ) -> Scope:
        """Of something that is no action: slots that are no numbers are any names."""
        scope = cls.__new__(cls)
        scope._set(owner, rules, lists, numbers, writer, is_any_text=True)
        return scope

    def _set(
        self,
        owner: str,
        rules: Mapping[str, Template],
        lists: Mapping[str, SlotList],
        accepted: Mapping[str, Accepts],
        writer: Templates,
        *,
        is_any_text: bool,
    ) -> None:
        self.rules = rules
        self._owner = owner
        self._lists = lists
        self._accepted = accepted
        self._writer = writer
        self._is_any_text = is_any_text
        self._inside: list[str] = []

    def rule(self, name: str) -> Expansion:
        """A reference to a rule of the file or the core."""
        if name not in self.rules or name in self._inside:
            return None
        self._inside.append(name)
        expansion = self._writer.named(
            f"{self._owner}__{name}", lambda: self._writer.template(self.rules[name], self)
        )
        self._inside.pop()
        return expansion

    def slot(self, slot: syntax.Slot) -> Expansion:
        """What may be said for a slot."""
        accepted = self._accepted.get(slot.name)
        if slot.constant:
            return ""
        if accepted is None and not self._is_any_text:
            return None
        accepted = accepted or Accepts()
        said = self._lists.get(slot.list or slot.name)
        ways: list[Expansion] = []
        if accepted.is_number:
            ways.append(self._writer.number(accepted.unit))
        if said is not None and said.values:
            ways.append(self._writer.values(way for _, ways_of in said.values for way in ways_of))
        core = self._writer.language.core
        if pair_of(said):
            ways.append(self._writer.values(core.both))
        if accepted.is_which and core.other:
            ways.append(self._writer.values(core.other))
        if accepted.choices:
            ways.append(self._writer.values(each.replace("_", " ") for each in accepted.choices))
        if accepted.is_flag:
            ways.append(self._writer.values(self._writer.language.core.flags))
        kind = said.provider if said is not None else slot.list or slot.name
        if ACTIVITIES in (kind, slot.list):
            return "<doing>"
        if accepted.is_text:
            known = self._writer.names(kind) if kind else None
            ways.append(known)
            if known is None and (said is None or said.provider):
                self._writer.free(self._owner, slot.name)
            has_names = known is not None or (said is not None and bool(said.values))
            if has_names and not (said is not None and said.by_name):
                references = (*core.references, *core.pointing)
                ways.append(self._writer.named("reference", lambda: self._writer.values(references)))
        found = either(ways)
        if not found:
            return found
        grouped = f"({found})" if has_bar(found) else found
        return f"{ARTICLE} {grouped}" if accepted.is_text else grouped


def in_gerund(template: Template, rules: Mapping[str, Template]) -> Template | None:
    """A template with its verb in the -ing form; None if it begins with none."""
    match template:
        case syntax.Word(text=text):
            return syntax.Word(gerund(text)) if can_be_verb(text) and not is_article(text) else None
        case syntax.Rule(name=name):
            return in_gerund(rules[name], rules) if name in rules else None
        case syntax.Choice(options=options):
            if any(isinstance(option, syntax.Sequence) and not option.parts for option in options):
                return None
            found = [each for option in options if (each := in_gerund(option, rules)) is not None]
            return syntax.Choice(tuple(found)) if found else None
        case syntax.Sequence(parts=parts):
            first = in_gerund(parts[0], rules) if parts else None
            return None if first is None else syntax.Sequence((first, *parts[1:]))
    return None


def _is_before_article(template: Template, rules: Mapping[str, Template], inside: tuple[str, ...]) -> bool:
    """Whether no article stands in front of it: all that it begins with are words like "on"."""
    match template:
        case syntax.Word(text=text):
            return text.casefold() in _NO_ARTICLE
        case syntax.Rule(name=name):
            known = name in rules and name not in inside
            return known and _is_before_article(rules[name], rules, (*inside, name))
        case syntax.Choice(options=options):
            return all(_is_before_article(option, rules, inside) for option in options)
        case syntax.Sequence(parts=parts):
            return not parts or _is_before_article(parts[0], rules, inside)
    return False
