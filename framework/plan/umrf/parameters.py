"""UMRF's parameters: nested objects whose innermost ones say `pvf_type`, `pvf_value` and so on.

A value that UMRF has no type for (a reference such as "it", nothing, a mixed list) stands in the innermost
object under `pilothouse`, beside a type that other readers take as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from framework.plan.graph import Input
from framework.plan.passing import NESTED
from framework.plan.umrf.decoding import Problems, inside, of_kind, shown
from framework.plan.value import Plain, Value, is_of_type

#: Our own additions to a file stand in an object of this name, wherever they belong.
OURS = "pilothouse"
PREFIX = "pvf_"
ANY = "any"
TYPES = ("string", "number", "bool", "strings", "numbers", "bools")
_FIELDS = ("type", "value", "required", "updatable", "allowed_values", "example")
_MOST_LEVELS = 100


class Parameter(msgspec.Struct, frozen=True):
    """One innermost parameter: what is said about it, its value if it has one, and where it stands."""

    said: Input
    value: Value | msgspec.UnsetType
    path: str


def read_parameters(data: object, path: str, problems: Problems) -> list[Parameter]:
    """The parameters of an `input_parameters` or `output_parameters` object."""
    if not isinstance(data, dict):
        problems.add(path, f"{shown(data)} is no group of parameters", "allowed is an object")
        return []
    return list(_read(data, "", path, problems, 1))


def write_parameters(parameters: Mapping[str, tuple[Input, Value | msgspec.UnsetType]]) -> dict[str, Any]:
    """The object that says these parameters, by their full names; values have been checked to be finite."""
    whole: dict[str, Any] = {}
    groups = {id(whole)}
    # Shorter names first: where one is a value and a group as well, the group's members keep full names.
    for name, (said, value) in sorted(parameters.items(), key=lambda item: item[0].count(NESTED)):
        *outer, last = name.split(NESTED)
        place: dict[str, Any] | None = whole
        for part in outer:
            inner = place.setdefault(part, {}) if place is not None else None
            if inner is not None and id(inner) not in groups:
                if inner:
                    inner = None  # a parameter stands there already; this one keeps its full name
                else:
                    groups.add(id(inner))
            place = inner
        if place is None or last in place:
            place, last = whole, name
        place[last] = _leaf(said, value)
    return whole


def _leaf(said: Input, value: Value | msgspec.UnsetType) -> dict[str, Any]:
    leaf: dict[str, Any] = {PREFIX + "type": said.type or ANY}
    if value is not msgspec.UNSET:
        if said.type in TYPES and is_of_type(value, said.type):
            leaf[PREFIX + "value"] = value
        else:
            leaf[OURS] = {"value": msgspec.to_builtins(value)}
    if not said.required:
        leaf[PREFIX + "required"] = False
    if not said.updatable:
        leaf[PREFIX + "updatable"] = False
    if said.allowed:
        leaf[PREFIX + "allowed_values"] = list(said.allowed)
    return leaf


def _read(data: dict[str, Any], name: str, path: str, problems: Problems, level: int) -> Iterator[Parameter]:
    if level > _MOST_LEVELS:
        problems.add(path, f"parameters are nested more than {_MOST_LEVELS} levels deep")
        return
    for key, value in data.items():
        here = inside(path, key)
        full = f"{name}{NESTED}{key}" if level > 1 else key
        if not isinstance(value, dict):
            problems.add(
                here, f"{shown(value)} is no parameter", 'allowed is an object such as {"pvf_type": "string"}'
            )
        elif _is_leaf(value):
            yield _parameter(value, full, here, problems)
        else:
            yield from _read(value, full, here, problems, level + 1)


def _is_leaf(data: dict[str, Any]) -> bool:
    """What is in a group are objects; so whatever says something in itself is a parameter."""
    names = (*(PREFIX + field for field in _FIELDS), *_FIELDS)
    return any(name in data and not isinstance(data[name], dict) for name in names)


def _parameter(data: dict[str, Any], name: str, path: str, problems: Problems) -> Parameter:
    fields: dict[str, Any] = {}
    places: dict[str, str] = {}
    for key, value in data.items():
        field = key.removeprefix(PREFIX)
        if field in _FIELDS and field in fields:
            problems.add(inside(path, key), f"{field} is said twice", f"say {PREFIX}{field} alone")
        elif field in _FIELDS:
            fields[field], places[field] = value, inside(path, key)
        elif key != OURS:
            problems.note(inside(path, key), f"left out: {shown(value)}")
    if "example" in fields:
        problems.note(places["example"], f"left out: {shown(fields['example'])}")
    kind = fields.get("type", "")
    if not isinstance(kind, str) or "type" not in fields:
        came = shown(kind) if "type" in fields else "there is no pvf_type"
        problems.add(places.get("type", path), came, f"allowed is a string, such as {', '.join(TYPES)}")
        kind = ""
    kind = "" if kind == ANY else kind
    allowed = _allowed(fields, places, kind, problems)
    said = Input(
        name,
        kind,
        _flag(fields, places, "required", problems),
        _flag(fields, places, "updatable", problems),
        allowed,
    )
    return Parameter(said, _value(data, fields, places, kind, path, problems), path)


def _value(
    data: dict[str, Any],
    fields: dict[str, Any],
    places: dict[str, str],
    kind: str,
    path: str,
    problems: Problems,
) -> Value | msgspec.UnsetType:
    ours = data.get(OURS)
    if ours is not None:
        here = inside(path, OURS)
        if not isinstance(ours, dict) or set(ours) != {"value"} or "value" in fields:
            problems.add(here, shown(ours), 'allowed is {"value": …}, and no pvf_value beside it')
            return msgspec.UNSET
        try:
            value: Value = msgspec.convert(ours["value"], Value)
        except msgspec.ValidationError:
            problems.add(
                here,
                shown(ours["value"]),
                "allowed is a string, number, true, false, null, list of these, or reference",
            )
            return msgspec.UNSET
        return value
    if "value" not in fields:
        return msgspec.UNSET
    value = fields["value"]
    if kind not in TYPES:
        if "type" in fields and isinstance(fields["type"], str):
            problems.add(
                places["value"],
                f"a value of type {kind or ANY!r} cannot be read",
                f"allowed types of values are {', '.join(TYPES)}",
            )
        return msgspec.UNSET
    if not is_of_type(value, kind):
        problems.add(places["value"], f"{shown(value)} is no {kind}", f"allowed is {_described(kind)}")
        return msgspec.UNSET
    return value


def _allowed(
    fields: dict[str, Any], places: dict[str, str], kind: str, problems: Problems
) -> tuple[Plain, ...]:
    if "allowed_values" not in fields:
        return ()
    raw, path = fields["allowed_values"], places["allowed_values"]
    values = raw if isinstance(raw, list) else [raw]  # the older form has a single one
    good: list[Plain] = []
    single = kind.removesuffix("s") if kind in TYPES else kind
    for number, value in enumerate(values):
        here = inside(path, number) if isinstance(raw, list) else path
        if not isinstance(value, str | int | float | bool):
            problems.add(here, shown(value), "allowed is a string, a number, true or false")
        elif not is_of_type(value, single):
            problems.add(here, f"{shown(value)} is no {single}", f"allowed is {_described(single)}")
        else:
            good.append(value)
    return tuple(good)


def _flag(fields: dict[str, Any], places: dict[str, str], field: str, problems: Problems) -> bool:
    value = fields.get(field, True)
    if value in ("true", "false"):  # the older form
        return bool(value == "true")
    if not of_kind(value, "true or false"):
        problems.add(places[field], shown(value), "allowed is true or false")
        return True
    return bool(value)


def _described(kind: str) -> str:
    single = {"string": "a string", "number": "a number", "bool": "true or false"}
    return single.get(kind) or f"a list of {kind}"
