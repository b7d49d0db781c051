"""Which of several equally good readings "them" speaks for: "find Ann, then take them home" guides a person.

A word that stands for something has to stand for a thing of its slot's kind. Where a text may be read in two
ways that differ in that, the one counts whose slots take what was named last. This looks only at readings
that would be asked about, and never makes a reading that was not there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from framework.plan.ast import Do, Plan, Reference, actions_of
from framework.plan.parser import Reading, World
from grammars.reading.ranking import LESS_LIKELY
from grammars.reading.slots import SlotNode

#: The slots of each parameter of an action.
Slots = Mapping[tuple[str, str], Sequence[SlotNode]]


def agreeing(found: Sequence[Reading], slots: Slots, world: World) -> tuple[Reading, ...]:
    """The readings, those first in which words like "it" agree with what was named before them."""
    ties = [each for each in found if each.confidence == found[0].confidence]
    if len(ties) < 2:
        return tuple(found)
    kinds = {kind for each in ties for _, _, of in _references(each.plan, slots) for kind in of}
    if not kinds:
        return tuple(found)
    kept = [each for each in ties if _agrees(each.plan, slots, world, kinds)]
    if not kept or len(kept) == len(ties):
        return tuple(found)
    others = (
        msgspec.structs.replace(each, confidence=round(each.confidence * LESS_LIKELY, 6))
        for each in found
        if each not in kept
    )
    return (*kept, *sorted(others, key=lambda each: -each.confidence))


def _agrees(plan: Plan, slots: Slots, world: World, kinds: Collection[str]) -> bool:
    """Whether each reference can be what was named last before it, of what any of them could be."""
    actions = list(actions_of(plan))
    for place, _, of in _references(plan, slots):
        named = next(_named(actions[:place], world, kinds), None)
        if named is not None and named.isdisjoint(of):
            return False
    return True


def _references(plan: Plan, slots: Slots) -> Iterator[tuple[int, str, frozenset[str]]]:
    """(which action, parameter, kinds of things that it takes) of each word that stands for something."""
    for place, do in enumerate(actions_of(plan)):
        for name, value in do.parameters.items():
            if isinstance(value, Reference) and not value.is_pointing:
                of = frozenset(slot.kind for slot in slots.get((do.action, name), ()) if slot.kind)
                if of:
                    yield place, name, of


def _named(actions: Sequence[Do], world: World, kinds: Collection[str]) -> Iterator[frozenset[str]]:
    """Of what was named in these actions, the last first: under which of the kinds it is known."""
    for do in reversed(actions):
        for value in reversed(list(do.parameters.values())):
            if isinstance(value, str):
                of = frozenset(
                    kind for kind in kinds if any(known.value == value for known in world.known(kind))
                )
                if of:
                    yield of
