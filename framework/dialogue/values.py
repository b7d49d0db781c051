"""The values inside a plan: where they stand, and the same plan with another one there.

A value is what people name or say a number for: a parameter, what a condition
is about, a limit, a duration. Works on any plan, whatever nodes it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

import msgspec

from framework.plan.ast import Do, Plan, Reference

Place = tuple[str | int, ...]
"""The way from a plan to a value: names of fields, keys and positions."""

T = TypeVar("T")

#: Fields whose entries are values, and fields that are one themselves.
_OF_MANY = frozenset(("parameters", "arguments"))
_OF_ONE = frozenset(("value", "duration_s", "what"))
#: What a node is, and how many parts it has, as leaves of their own.
_KIND, _LENGTH = "<kind>", "<length>"


def values_of(plan: Plan) -> dict[Place, Any]:
    """Every value, in the order in which they were said."""
    return {place: value for place, value in _leaves(plan, ()) if is_value(place)}


def parts_with_values(plan: Plan) -> tuple[tuple[Place, Any], ...]:
    """The actions and conditions that have values, and where they stand."""
    # A parameter may be called "value" or "what" as well: it is the parameter that counts.
    of_many = {place: len(place) > 1 and place[-2] in _OF_MANY for place in values_of(plan)}
    places = dict.fromkeys(place[:-2] if is_of_many else place[:-1] for place, is_of_many in of_many.items())
    return tuple((place, at(plan, place)) for place in places)


def actions_in(plan: Plan) -> tuple[tuple[Place, Do], ...]:
    """The actions of a plan, and where they stand."""
    kinds = _leaves(plan, ())
    places = [place[:-1] for place, leaf in kinds if place[-1] == _KIND and leaf == Do.__name__]
    return tuple((place, cast(Do, at(plan, place))) for place in places)


def is_value(place: Place) -> bool:
    """Whether what stands there is a value, and not part of the plan's structure."""
    if not place:
        return False
    return place[-1] in _OF_ONE or (len(place) > 1 and place[-2] in _OF_MANY)


def different(one: Plan, other: Plan) -> tuple[Place, ...] | None:
    """Where two plans of the same structure have different values; None if they differ in more than that."""
    mine, theirs = dict(_leaves(one, ())), dict(_leaves(other, ()))
    if mine.keys() != theirs.keys():
        return None
    places = tuple(place for place in mine if mine[place] != theirs[place])
    return places if all(map(is_value, places)) else None


def at(plan: Any, place: Place) -> Any:
    """What stands there."""
    for step in place:
        plan = getattr(plan, str(step)) if isinstance(plan, msgspec.Struct) else plan[step]
    return plan


def with_value(plan: T, place: Place, value: Any) -> T:
    """The same plan with another value there."""
    if not place:
        return cast(T, value)
    step, rest = place[0], place[1:]
    node: Any = plan
    if isinstance(node, msgspec.Struct):
        return cast(
            T, msgspec.structs.replace(node, **{str(step): with_value(at(node, (step,)), rest, value)})
        )
    if isinstance(node, dict):
        return cast(T, {**node, step: with_value(node[step], rest, value)})
    items = [with_value(each, rest, value) if index == step else each for index, each in enumerate(node)]
    return cast(T, tuple(items))


def has_action_before(plan: Plan, place: Place) -> bool:
    """Whether an action was said before what stands at this place, besides the one that it belongs to."""
    for other, leaf in _leaves(plan, ()):
        if other == place:
            return False
        if other[-1] == _KIND and leaf == Do.__name__ and other[:-1] != place[: len(other) - 1]:
            return True
    return False


def _leaves(node: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(node, msgspec.Struct) and not isinstance(node, Reference):
        yield (*place, _KIND), type(node).__name__
        for field in node.__struct_fields__:
            yield from _leaves(getattr(node, field), (*place, field))
    elif isinstance(node, dict) and not is_value(place):
        for key, value in node.items():
            yield from _leaves(value, (*place, key))
    elif isinstance(node, tuple):
        yield (*place, _LENGTH), len(node)
        for index, value in enumerate(node):
            yield from _leaves(value, (*place, index))
    else:
        yield place, node
