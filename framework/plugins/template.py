"""The syntax of phrases: `[optional] (a|b) (a + b) {slot} <rule>`, after hassil. Parsing only.

What a text means is the parser's business (`grammars`); here a template becomes a small tree, so that
it can be checked against an action's signature when it is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

import msgspec

from framework.errors import DescriptionError


class Word(msgspec.Struct, frozen=True):
    """A word that has to be said."""

    text: str


class Slot(msgspec.Struct, frozen=True):
    """`{name}`, `{list:name}` or `{name:=constant}`: what is said here becomes a value."""

    name: str
    list: str = ""
    constant: str = ""


class Rule(msgspec.Struct, frozen=True):
    """`<name>`: a rule of the file, or of the language core."""

    name: str


class Sequence(msgspec.Struct, frozen=True):
    """One after the other."""

    parts: tuple[Template, ...]


class AnyOrder(Sequence, frozen=True):
    """`(a + b + [c])`: all of them, in whatever order; as they are written where one order will do."""


class Choice(msgspec.Struct, frozen=True):
    """One of several; an empty sequence among them makes it optional."""

    options: tuple[Template, ...]


#: A slot of this name is no parameter: what is said for it only says more of what another one says.
UNUSED: Final = "unused"

Template: TypeAlias = "Word | Slot | Rule | Sequence | AnyOrder | Choice"
Slots: TypeAlias = tuple[frozenset[str], frozenset[str], bool]

_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[\[\]()|]|\+(?=[\s\[(<{]))|\{(?P<slot>[^{}]*)\}|<(?P<rule>[^<>]*)>|(?P<word>[^\s\[\]()|{}<>]+))"
)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: So many ways to say something are written out.
_MOST_WAYS = 2000
_CLOSING = {"[": "]", "(": ")"}


class Rules(Mapping[str, Template]):
    """The rules of a file, by name; which slots one has is worked out once, however many phrases name it."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = dict(templates)
        self.slots: dict[str, Slots] = {}

    def __getitem__(self, name: str) -> Template:
        return self._templates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)


@lru_cache(maxsize=10_000)
def parse_template(text: str) -> Template:
    """The tree of a template. Raises DescriptionError that says what stands where and what may."""
    tokens = _tokens(text)
    tree, after = _choice(tokens, 0, "", text)
    if after < len(tokens):
        raise DescriptionError(f"{text!r} closes a bracket that nothing opens")
    return tree


def slots_of(template: Template, rules: Mapping[str, Template]) -> Slots:
    """Slots that are always said, slots that may be, and whether all rules in it are known here.

    Raises DescriptionError if a rule contains itself.
    """
    return _slots(template, rules, rules.slots if isinstance(rules, Rules) else {}, ())


def ways_of(template: Template) -> tuple[str, ...]:
    """Everything that can be said for a template without slots and rules. Raises DescriptionError."""
    match template:
        case Word(text=text):
            return (text,)
        case Choice(options=options):
            return tuple(way for option in options for way in ways_of(option))
        case AnyOrder() | Slot() | Rule():
            raise DescriptionError("only words, [optional] ones and (one|or another) can stand here")
        case Sequence(parts=parts):
            found = [""]
            for part in parts:
                found = [f"{before} {way}".strip() for before in found for way in ways_of(part)]
                if len(found) > _MOST_WAYS:
                    raise DescriptionError(f"that can be said in more than {_MOST_WAYS} ways")
            return tuple(found)


def slots_within(
    template: Template, rules: Mapping[str, Template], inside: tuple[str, ...] = ()
) -> Iterator[Slot]:
    """Every slot that is written in a template and in its rules, as often as it is."""
    match template:
        case Slot():
            yield template
        case Rule(name=name):
            if name in rules and name not in inside:
                yield from slots_within(rules[name], rules, (*inside, name))
        case Sequence(parts=parts) | Choice(options=parts):
            for part in parts:
                yield from slots_within(part, rules, inside)


class _Mark(msgspec.Struct, frozen=True):
    text: str


def _tokens(text: str) -> list[_Mark | Word | Slot | Rule]:
    tokens: list[_Mark | Word | Slot | Rule] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            bad = text[at:].strip()[:1]
            raise DescriptionError(
                f"{text!r} has a {bad!r} without its other half; "
                "write {slot}, <rule>, [optional], (this|that)"
            )
        at = match.end()
        if match["mark"]:
            tokens.append(_Mark(match["mark"]))
        elif match["word"]:
            tokens.append(Word(match["word"]))
        elif match["slot"] is not None:
            tokens.append(_slot(match["slot"].strip(), text))
        else:
            tokens.append(Rule(_named(match["rule"].strip(), "rule", text)))
    return tokens


def _slot(inside: str, text: str) -> Slot:
    name, constant, value = inside.partition(":=")
    if constant:
        return Slot(_named(name.strip(), "slot", text), constant=value.strip())
    first, colon, second = inside.partition(":")
    if colon:
        values = _named(first.strip(), "list", text)
        return Slot(_named(second.strip(), "slot", text), list=values)
    return Slot(_named(inside, "slot", text), list=inside)


def _named(name: str, what: str, text: str) -> str:
    if not _NAME.fullmatch(name):
        raise DescriptionError(
            f"{text!r}: {name!r} cannot name a {what}; small letters, digits and '_' can, a letter first"
        )
    return name


def _choice(
    tokens: list[_Mark | Word | Slot | Rule], at: int, closing: str, text: str
) -> tuple[Template, int]:
    options: list[Template] = []
    members: list[Template] = []
    parts: list[Template] = []
    while True:
        token = tokens[at] if at < len(tokens) else None
        if token is None or (isinstance(token, _Mark) and token.text in "])"):
            if closing and (token is None or token.text != closing):
                raise DescriptionError(f"{text!r} has a bracket that no {closing!r} closes")
            options.append(_option(members, parts, text))
            break
        at += 1
        if not isinstance(token, _Mark):
            parts.append(token)
        elif token.text == "|":
            options.append(_option(members, parts, text))
            members, parts = [], []
        elif token.text == "+":
            members.append(_joined(parts))
            parts = []
        else:
            inner, at = _choice(tokens, at, _CLOSING[token.text], text)
            at += 1
            parts.append(Choice((inner, Sequence(()))) if token.text == "[" else inner)
    return (options[0] if len(options) == 1 else Choice(tuple(options))), at


def _option(members: list[Template], parts: list[Template], text: str) -> Template:
    last = _joined(parts)
    if not members:
        return last
    if any(each == Sequence(()) for each in (*members, last)):
        raise DescriptionError(f"{text!r} has a '+' beside which there is nothing: (a + b)")
    return AnyOrder((*members, last))


def _joined(parts: list[Template]) -> Template:
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def _slots(
    template: Template, rules: Mapping[str, Template], known: dict[str, Slots], inside: tuple[str, ...]
) -> Slots:
    nothing: frozenset[str] = frozenset()
    if isinstance(template, Word):
        return nothing, nothing, True
    if isinstance(template, Slot):
        one = frozenset((template.name,))
        return one, one, True
    if isinstance(template, Rule):
        if template.name in inside:
            raise DescriptionError(f"rule <{template.name}> contains itself: {' → '.join(inside)}")
        if template.name not in rules:
            return nothing, nothing, False
        if template.name not in known:
            known[template.name] = _slots(rules[template.name], rules, known, (*inside, template.name))
        return known[template.name]
    if isinstance(template, Sequence):
        found = [_slots(part, rules, known, inside) for part in template.parts]
        always = nothing.union(*(each[0] for each in found))
    else:
        found = [_slots(option, rules, known, inside) for option in template.options]
        always = found[0][0].intersection(*(each[0] for each in found))
    return always, nothing.union(*(each[1] for each in found)), all(each[2] for each in found)


def can_be_empty(
    template: Template, rules: Mapping[str, Template] = MappingProxyType({}), inside: tuple[str, ...] = ()
) -> bool:
    """Whether nothing at all may be said for it. Rules that are not given count as something."""
    match template:
        case Sequence(parts=parts):
            return all(can_be_empty(part, rules, inside) for part in parts)
        case Choice(options=options):
            return any(can_be_empty(option, rules, inside) for option in options)
        case Slot(constant=constant):
            return bool(constant)
        case Rule(name=name):
            is_known = name in rules and name not in inside
            return is_known and can_be_empty(rules[name], rules, (*inside, name))
    return False
