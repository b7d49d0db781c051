"""What may be said for a slot, given its parameter: numbers, choices, known names, free words, "it"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec
from msgspec import inspect as types

from framework.plan.ast import Reference, Value
from framework.plan.parser import World
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from framework.plugins.template import Slot
from grammars.numbers import number_at, with_unit
from grammars.tokens import words_of

MOST_FREE_WORDS = 6
#: Values, and the ways to say each.
Names: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
_IT = frozenset(("it", "them", "that", "this"))
_FLAGS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


class Filling(msgspec.Struct, frozen=True):
    """One way to read a slot. end: the position after it; free: words that nothing vouches for."""

    value: Value
    end: int
    free: int = 0


def fillings(
    words: Sequence[str], at: int, parameter: ParameterSpec, known: Names, is_closed: bool
) -> Iterator[Filling]:
    """Every way to read a slot at a position, the best first. is_closed: only what is known will do."""
    if at >= len(words):
        return
    if words[at] in _IT:
        yield Filling(Reference(words[at]), at + 1)
    allowed = choices(parameter)
    if allowed:
        yield from _named(words, at, (*known, *((each, (each,)) for each in allowed)))
        return
    info = types.type_info(parameter.type)
    kinds = info.types if isinstance(info, types.UnionType) else (info,)
    if any(isinstance(kind, types.IntType | types.FloatType) for kind in kinds):
        is_whole = not any(isinstance(kind, types.FloatType) for kind in kinds)
        yield from _number(words, at, parameter, is_whole)
    if any(isinstance(kind, types.BoolType) for kind in kinds) and words[at] in _FLAGS:
        yield Filling(_FLAGS[words[at]], at + 1)
    if any(isinstance(kind, types.StrType | types.StructType) for kind in kinds):
        found = list(_named(words, at, known))
        yield from found
        if is_closed:
            return
        taken = {each.end for each in found}
        for end in range(at + 1, min(len(words), at + MOST_FREE_WORDS) + 1):
            if end not in taken:
                yield Filling(" ".join(words[at:end]), end, end - at)


def known_names(slot: Slot, lists: Mapping[str, SlotList], world: World) -> Names:
    """What is known to be sayable for a slot: its list's values, and what the list's provider knows now."""
    kind = slot.list or slot.name
    said = lists.get(kind)
    provided = world.names(kind if said is None else said.provider) if said is None or said.provider else ()
    return (*(said.values if said is not None else ()), *((name, (name,)) for name in provided))


def choices(parameter: ParameterSpec) -> tuple[str, ...]:
    """The only texts that are allowed; empty if the parameter is no choice among texts."""
    if parameter.one_of:
        return tuple(each for each in parameter.one_of if isinstance(each, str))
    info = types.type_info(parameter.type)
    if isinstance(info, types.EnumType):
        return tuple(member.value for member in info.cls if isinstance(member.value, str))
    if isinstance(info, types.LiteralType):
        return tuple(each for each in info.values if isinstance(each, str))
    return ()


def _named(words: Sequence[str], at: int, known: Names) -> Iterator[Filling]:
    """Names that stand here, the longest first. "front_camera" is said "front camera"."""
    found = []
    for name, ways in known:
        for way in ways:
            said = words_of(way.replace("_", " "))
            if said and tuple(words[at : at + len(said)]) == said:
                found.append(Filling(name, at + len(said)))
    yield from sorted(found, key=lambda filling: -filling.end)


def _number(words: Sequence[str], at: int, parameter: ParameterSpec, is_whole: bool) -> Iterator[Filling]:
    number = number_at(words, at)
    if number is None:
        return
    value, end = with_unit(words, number[1], number[0], parameter.unit)
    value = round(value, 12)  # 30 × 0.01 is to be 0.3
    if is_whole and value == int(value):
        yield Filling(int(value), end)
    else:
        yield Filling(value, end)
