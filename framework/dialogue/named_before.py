"""Names that somebody has said before, and says again in other words. Pure.

"Back to the first one"; "to my bay" for "bay 1"; "drive there" after "where is the drum?".

Which names were said before is known to whoever keeps the instructions; here it is decided which of them a
text means, and the text is said with that name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import msgspec

from framework.dialogue.pointing import pointing_words
from framework.dialogue.spelling import words_of
from framework.dialogue.values import actions_in
from framework.plan.ast import Plan

_WORD = re.compile(r"[\w']+")


class NamingWords(msgspec.Struct, frozen=True):
    """ordinals: "first", "second", … with their places from 0. previous: what means the one before the last.
    nouns: what stands behind these: "one", "place". there: what points and may mean what was named last.
    numbers: what may be left out of a name without any doubt.
    """

    ordinals: Mapping[str, int] = {}
    previous: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    there: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()


class Named(msgspec.Struct, frozen=True):
    """A text with a name in it. is_sure: nothing but a number was left out of the name."""

    text: str
    is_sure: bool = True


def with_whole_names(text: str, unknown: str, names: Iterable[str], words: NamingWords) -> tuple[Named, ...]:
    """The text with each name that has more words than what is not known: "bay 1" for "bay"."""
    said = words_of(unknown)
    found: list[Named] = []
    for name in dict.fromkeys(names):
        whole = words_of(name)
        if not said or whole[: len(said)] != said or len(whole) == len(said):
            continue
        is_sure = all(each.isdigit() or each in words.numbers for each in whole[len(said) :])
        if (changed := _replaced(text, unknown, name)) != text:
            found.append(Named(changed, is_sure))
    return tuple(found)


def with_the_nth(text: str, names: Sequence[str], words: NamingWords) -> str:
    """The text with a name in the place of "the first one", "the previous place"; "" if it has none.

    names: in the order in which they were said, at least two.
    """
    said = [*_WORD.finditer(text)]
    for first, second in pairwise(said):
        word, noun = first[0].casefold(), second[0].casefold()
        at = words.ordinals.get(word, len(names) - 2 if word in words.previous else -1)
        if noun in words.nouns and 0 <= at < len(names) and len(names) > 1:
            return f"{text[: first.start()]}{names[at]}{text[second.end() :]}"
    return ""


def named_last(before: Plan, plan: Plan, things: Collection[str], words: NamingWords) -> str:
    """The thing that "there" means in a plan; "" if it does not say that, or that is not certain.

    before: what the same person has said before; things: what is known by name.
    """
    if not any(reference.word in words.there for _, reference in pointing_words(plan)):
        return ""
    values = [value for _, do in actions_in(before) for value in do.parameters.values()]
    named = {value for value in values if isinstance(value, str) and value in things}
    return named.pop() if len(named) == 1 else ""


def _replaced(text: str, unknown: str, name: str) -> str:
    return re.sub(rf"\b{re.escape(unknown)}\b", lambda _: name, text, count=1, flags=re.IGNORECASE)
