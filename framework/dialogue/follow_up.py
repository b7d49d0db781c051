"""What the plan of the last instruction becomes by what is said of it. Pure.

Turned round, half as far, with another one of the things of which it names one.

What was said is recognised in `framework.dialogue.referring`; which words stand for which value of the plan,
in `framework.dialogue.referred`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from framework.dialogue.discourse import OTHER, named_one, which_of
from framework.dialogue.spelling import words_of
from framework.dialogue.values import actions_in, at, with_value
from framework.plan.ast import Do, Plan
from framework.plan.parser import World
from framework.plan.signature import Signatures

#: "Half that" and "twice that".
HALF, DOUBLE = 0.5, 2.0

#: Units of what can be too much or too little.
_MEASURED = ("m", "rad")

Says = Callable[[Do], bool]
"""Whether the words of an action say just this."""


class Naming:
    """How one of several is named: "the left arm", "the other one".

    words: what things are called, besides their own nouns: "one", "hand". beside: what may stand beside that
    without telling anything apart: "the", "with".
    """

    def __init__(self, words: Collection[str], beside: Collection[str]) -> None:
        self._words = frozenset(words)
        self._beside = frozenset(beside)

    def telling(self, text: str, nouns: Collection[str], *, is_named: bool = False) -> list[str]:
        """The words of "the left arm" that tell one thing from another; none if it names no such thing.

        nouns: what such things are called. is_named: it names one, whatever its words are.
        """
        words = words_of(text)
        naming = [word for word in words if word in self._words or word in nouns]
        telling = [word for word in words if word not in self._beside and word not in naming]
        return telling if naming or is_named or telling == [OTHER] else []


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


def scaled(plan: Plan, factor: float, signatures: Signatures, says: Says) -> Plan | None:
    """The plan with so many times the amount of its last measured action; None if it has none."""
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
