"""The text of a JSGF grammar, piece by piece: alternatives, rows, optional parts, tokens, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from grammars.wording.spoken import in_letters

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
