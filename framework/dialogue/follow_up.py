"""What refers to what was done last without naming it: "undo that", "other way", "a bit more", "five more",
"the same with the left arm", "the same to the right". Pure.

Here it is recognised, and the plan of the last instruction is changed by it. What is taken back or corrected
counts from where that began; `framework.supervisor.follow_ups` sees to that, and to what has to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from framework.dialogue.discourse import OTHER, named_one, which_of
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import actions_in, at, with_value
from framework.plan.ast import Do, Plan
from framework.plan.parser import World
from framework.plan.signature import Signatures

#: "Half that" and "twice that".
_HALF, _DOUBLE = 0.5, 2.0

#: Units of what can be too much or too little.
_MEASURED = ("m", "rad")

_MARK = re.compile(r"\s*[,;:.]\s+|\s+[–—-]\s+")

Says = Callable[[Do], bool]
"""Whether the words of an action say just this."""


class FollowUpKind(StrEnum):
    """What is meant."""

    UNDO = "undo"
    OTHER_WAY = "other way"
    TOO_FAR = "too far"
    HALF = "half"
    DOUBLE = "double"
    FURTHER = "further"
    LESS = "less"
    SAME = "same"


class FollowUp(msgspec.Struct, frozen=True):
    """What somebody says of what was done last.

    rest: with what else the same is to be done; by how much further or less, how far the other way.
    is_instead: not beside it, if it is still being done. is_with: it is said with what, and not how.
    """

    kind: FollowUpKind
    rest: str = ""
    is_instead: bool = False
    is_with: bool = False


class FollowUpWords(msgspec.Struct, frozen=True):
    """How that is said in a language (`framework.dialogue.meta.MetaPhrases`)."""

    whole: Mapping[FollowUpKind, tuple[str, ...]] = {}
    by: tuple[str, ...] = ()
    by_more: tuple[str, ...] = ()
    by_less: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    same_before: tuple[str, ...] = ()
    same_but: tuple[str, ...] = ()
    with_instead: tuple[str, ...] = ()
    same_after: tuple[str, ...] = ()
    naming: frozenset[str] = frozenset()
    naming_beside: frozenset[str] = frozenset()
    asking: tuple[str, ...] = ()


class FollowUpReader:
    """Knows the words of one language. normal: a text without its politeness."""

    def __init__(self, words: FollowUpWords, normal: Callable[[str], str]) -> None:
        self._normal = normal
        self._whole = {" ".join(words_of(way)): kind for kind, ways in words.whole.items() for way in ways}
        self._before = _longest_first((*words.same_before, *words.same_but, *words.with_instead))
        self._but = frozenset(_longest_first(words.same_but))
        too_far = _longest_first(words.whole.get(FollowUpKind.TOO_FAR, ()))
        self._too_far_by = tuple(f"{way} {by}" for way in too_far for by in words.by)
        self._more = _longest_first(words.by_more)
        self._less = _longest_first((*words.by_less, *too_far))
        self._leading = _longest_first(words.leading)
        self._instead = frozenset(_longest_first(words.with_instead))
        self._after = _longest_first(words.same_after)
        self._naming = words.naming
        self._beside = words.naming_beside
        self._asking = tuple(f"{way} " for way in _longest_first(words.asking))

    def read(self, text: str) -> FollowUp | None:
        """What a whole text says of what was done last; None if nothing."""
        text = clean(text)
        if self.asks(text):
            return None
        said = self._normal(text) or " ".join(words_of(text))
        if (kind := self._whole.get(said)) is not None:
            return FollowUp(kind)
        for opening in self._before:
            if said.startswith(f"{opening} "):
                rest = said[len(opening) + 1 :]
                rest = self._without_closing(rest) or rest
                is_with = opening not in self._but
                return FollowUp(FollowUpKind.SAME, rest, opening in self._instead, is_with)
        rest = self._without_closing(said)
        if rest:
            return FollowUp(FollowUpKind.SAME, rest)
        return self._other_way(text) or self._by_how_much(said)

    def asks(self, text: str) -> bool:
        """Whether it asks how something is, and requests nothing: "is the other one open too?"."""
        said = self._normal(text)
        return text.rstrip().endswith("?") and said.startswith(self._asking)

    def _other_way(self, text: str) -> FollowUp | None:
        """ "Other way, but only ten centimetres"."""
        first, mark, rest = _MARK.sub("\n", text, count=1).partition("\n")
        kind = self._whole.get(self._normal(first)) if mark else None
        said = self._led(self._normal(rest))
        return FollowUp(kind, said) if kind is FollowUpKind.OTHER_WAY and said else None

    def _led(self, said: str) -> str:
        """Without "but", "only" in front."""
        while leading := next((each for each in self._leading if said.startswith(f"{each} ")), ""):
            said = said[len(leading) + 1 :]
        return said

    def _by_how_much(self, said: str) -> FollowUp | None:
        """ "Five more", "too high by three": with something that may be how much; that is looked at later."""
        for opening in self._too_far_by:
            if said.startswith(f"{opening} "):
                return FollowUp(FollowUpKind.LESS, said[len(opening) + 1 :])
        said = self._led(said)
        for kind, closings in ((FollowUpKind.FURTHER, self._more), (FollowUpKind.LESS, self._less)):
            closing = next((each for each in closings if said.endswith(f" {each}")), "")
            if closing:
                return FollowUp(kind, said[: -len(closing) - 1])
        return None

    def naming(self, text: str, nouns: Collection[str], *, is_named: bool = False) -> list[str]:
        """The words of "the left arm" that tell one thing from another; none if it names no such thing.

        nouns: what such things are called. is_named: it names one, whatever its words are.
        """
        words = words_of(text)
        naming = [word for word in words if word in self._naming or word in nouns]
        telling = [word for word in words if word not in self._beside and word not in naming]
        return telling if naming or is_named or telling == [OTHER] else []

    def _without_closing(self, said: str) -> str:
        closing = next((each for each in self._after if said.endswith(f" {each}")), "")
        return said[: -len(closing) - 1] if closing else ""


def other_way(plan: Plan, signatures: Signatures) -> tuple[Plan, ...]:
    """The plan with each way in it turned round, one at a time; the last one first."""
    found = []
    for place, do in actions_in(plan):
        if (turned := turned_round(do, signatures)) != do:
            found.append(with_value(plan, place, turned))
    return tuple(reversed(found))


def turned_round(do: Do, signatures: Signatures) -> Do:
    """An action the other way: down for up; the same if it has no way."""
    signature = signatures.find(do.action)
    values = dict(do.parameters)
    for parameter in signature.parameters if signature is not None else ():
        value = values.get(parameter.name)
        if isinstance(value, str) and value in parameter.opposites:
            values[parameter.name] = parameter.opposites[value]
    return Do(do.action, values)


def scaled(plan: Plan, kind: FollowUpKind, signatures: Signatures, says: Says) -> Plan | None:
    """The plan with half or twice the amount of its last measured action; None if it has none."""
    factor = _DOUBLE if kind is FollowUpKind.DOUBLE else _HALF
    for place, do in reversed(actions_in(plan)):
        for name, value in _amounts(do, signatures, says):
            changed = Do(do.action, {**do.parameters, name: value * factor})
            return with_value(plan, place, changed)
    return None


def with_another(plan: Plan, words: Sequence[str], signatures: Signatures, world: World) -> tuple[Plan, ...]:
    """The plan with another one of the things of which it names one; empty if these words name none.

    Where several of its actions name the same one, it is another one in all of them.
    """
    places: list[tuple[Any, str, object]] = []
    for place, do in actions_in(plan):
        for parameter in which_of(do, signatures):
            known = world.known(parameter.which)
            if meant := named_one(words, do, parameter, known):
                places.append(((*place, "parameters"), parameter.name, meant))
    if len({meant for _, _, meant in places}) != 1:
        return ()
    for where, name, value in places:
        plan = with_value(plan, where, {**at(plan, where), name: value})
    return (plan,)


def _amounts(do: Do, signatures: Signatures, says: Says) -> Iterator[tuple[str, float]]:
    """How far it goes: as it was said, or by default where its words can say just that."""
    signature = signatures.find(do.action)
    measured = [each for each in signature.parameters if each.unit in _MEASURED] if signature else []
    for parameter in measured:
        value = do.parameters.get(parameter.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield parameter.name, float(value)
            return
    for parameter in measured:
        value = parameter.default
        if isinstance(value, int | float) and says(
            Do(do.action, {**do.parameters, parameter.name: float(value)})
        ):
            yield parameter.name, float(value)


def _longest_first(ways: Sequence[str]) -> tuple[str, ...]:
    normal = dict.fromkeys(" ".join(words_of(way)) for way in ways)
    return tuple(sorted(filter(None, normal), key=lambda way: -len(way)))
