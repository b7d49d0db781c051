"""What a parameter of a plan may be, and what UMRF calls its type."""

from __future__ import annotations

from typing import Any

import msgspec

_LISTS = {"strings": "string", "numbers": "number", "bools": "bool"}


class Reference(msgspec.Struct, frozen=True, tag_field="kind", tag="reference"):
    """A parameter that is the result of an earlier action ("it"), or was pointed at ("that").

    word: what was said ("it", "them", "there").
    type: name of the result's type, empty if any will do.
    is_pointing: the word points; the dialogue replaces it before the plan starts.
    """

    word: str = "it"
    type: str = ""
    is_pointing: bool = False


Plain = str | int | float | bool

Value = Reference | str | int | float | bool | list[Plain] | None
"""What a parameter may be. Units are SI; what they are for stands in the action's signature."""


def is_of_type(value: Any, kind: str) -> bool:
    """Whether a value is of a UMRF type; what is neither string, number nor bool may be anything."""
    if kind in _LISTS:
        return isinstance(value, list | tuple) and all(is_of_type(each, _LISTS[kind]) for each in value)
    match kind:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
    return True


def type_of(value: Any) -> str:
    """The UMRF type of a plain value; "" if it has none."""
    if isinstance(value, list):
        kinds = {type_of(each) for each in value}
        kind = kinds.pop() if len(kinds) == 1 else ""
        return f"{kind}s" if f"{kind}s" in _LISTS else ""
    return next((kind for kind in _LISTS.values() if is_of_type(value, kind)), "")


def is_among(value: Any, allowed: tuple[Any, ...]) -> bool:
    """Membership that tells True from 1; every element of a list has to be among them."""
    if isinstance(value, list | tuple):
        return all(is_among(each, allowed) for each in value)
    return any(isinstance(each, bool) is isinstance(value, bool) and each == value for each in allowed)
