"""What could stand in a plan just now, for whoever makes plans without words: a proposer's schema, a form.

The names that the world knows for each parameter, and the states that can be asked about.
"""

from __future__ import annotations

from collections.abc import Callable

from framework.plan.parser import World
from framework.plugins.template import slots_of
from grammars.conditions import VALUE
from grammars.language import Language
from grammars.reading.slots import SlotNode


def names_for(language: Language, world: World) -> Callable[[str, str], tuple[str, ...]]:
    """For (action, parameter): what its phrases and the world offer now; nothing if any text will do."""

    def names(action: str, parameter: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for slot in language.phrasebook.slots.get((action, parameter), ()):
            if not isinstance(slot, SlotNode):
                continue
            if not slot.has_list and not slot.values:
                return ()
            found |= {value: None for ways in slot.values.values() for _, value, _ in ways}
            found |= {known.value: None for known in (world.known(slot.kind) if slot.kind else ())}
        return tuple(found)

    return names


def states_of(language: Language) -> dict[str, tuple[str, ...]]:
    """The states that a condition may be about, and the names of their arguments."""
    found: dict[str, dict[str, None]] = {}
    for said in language.conditions.sayables:
        if said.comparison is None:
            always, sometimes, _ = slots_of(said.template, dict(said.rules))
            found.setdefault(said.name, {}).update(dict.fromkeys(sorted(always | sometimes)))
    return {name: tuple(each for each in slots if each != VALUE) for name, slots in found.items()}
