"""One action of a UMRF file, and its relations: both forms' words for the same, read into one.

| | present form | older forms |
|---|---|---|
| actions | `actions` | `umrf_actions` |
| number | `instance_id` | `id`, `suffix` |
| how it runs | `type`: sync, async, spontaneous | `effect`: synchronous, asynchronous |
| beginning | `graph_entry` | no parents, or `execute_first` |
| end | `graph_exit` | nodes without children |
| a parent ends it | `conditions`: on_true -> stop | `stop_when_received` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from framework.plan.graph import Ended, Mode, Response
from framework.plan.umrf.decoding import Problems, inside, of_kind, shown
from framework.plan.umrf.parameters import OURS, Parameter, read_parameters

_NUMBER = ("instance_id", "id", "suffix")
_EFFECTS = {"synchronous": Mode.SYNC, "asynchronous": Mode.ASYNC}
_ACTION = frozenset(
    (
        *("name", "type", "effect", "actor", "description", "input_parameters", "output_parameters"),
        *("parents", "children", "execute_first", OURS, *_NUMBER),
    )
)
_RELATION = frozenset(("name", "required", "conditions", "remap", "stop_when_received", *_NUMBER))
_MOST_INSTANCES = 65535  # the format's own: 16 bits


class Relation(msgspec.Struct, frozen=True):
    """What one action's list says about another one. None: it is not said."""

    name: str
    instance: int | None
    path: str
    required: bool | None = None
    responses: dict[Ended, Response] = {}
    remap: dict[str, str] = {}
    stops: bool = False


class Action(msgspec.Struct, frozen=True):
    """What stands in one action's object, checked for itself."""

    name: str
    instance: int
    path: str
    mode: Mode | None
    actor: str
    note: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    parents: tuple[Relation, ...] | None
    children: tuple[Relation, ...] | None
    is_first: bool
    ours: dict[str, Any]
    extra: dict[str, Any]


def read_action(data: object, path: str, problems: Problems) -> Action | None:
    """One action; None if nothing can be made of it. Everything that is wrong goes to `problems`."""
    if not isinstance(data, dict):
        problems.add(path, f"{shown(data)} is no action", 'allowed is an object such as {"name": "show"}')
        return None
    name = take(data, "name", "string", path, problems, needed=True)
    if name == "":
        problems.add(inside(path, "name"), "it is empty", "give the action's name")
    return Action(
        name=name if isinstance(name, str) else "",
        instance=_instance(data, path, problems) or 0,
        path=path,
        mode=_mode(data, path, problems),
        actor=take(data, "actor", "string", path, problems) or "",
        note=take(data, "description", "string", path, problems) or "",
        inputs=_parameters(data, "input_parameters", path, problems),
        outputs=_parameters(data, "output_parameters", path, problems),
        parents=_relations(data, "parents", path, problems),
        children=_relations(data, "children", path, problems),
        is_first=bool(take(data, "execute_first", "true or false", path, problems)),
        ours=take(data, OURS, "object", path, problems) or {},
        extra={key: value for key, value in data.items() if key not in _ACTION},
    )


def read_relations(data: object, path: str, problems: Problems) -> tuple[Relation, ...]:
    """A list of relations: parents, children, `graph_entry` or `graph_exit`."""
    if not isinstance(data, list):
        problems.add(path, f"{shown(data)} is no list", 'allowed is a list such as [{"name": "show"}]')
        return ()
    read = (_relation(each, inside(path, number), problems) for number, each in enumerate(data))
    return tuple(each for each in read if each is not None)


def take(
    data: dict[str, Any], key: str, kind: str, path: str, problems: Problems, *, needed: bool = False
) -> Any:
    """A field of a JSON kind; None if it is absent or wrong, which is noted down."""
    article = "an " if kind[0] in "ao" else "a "
    allowed = kind if kind == "true or false" else article + kind
    if key not in data:
        if needed:
            problems.add(path, f"there is no {shown(key)}", f"{allowed} is needed")
        return None
    if not of_kind(data[key], kind):
        problems.add(inside(path, key), shown(data[key]), f"allowed is {allowed}")
        return None
    return data[key]


def _parameters(data: dict[str, Any], key: str, path: str, problems: Problems) -> tuple[Parameter, ...]:
    return tuple(read_parameters(data[key], inside(path, key), problems)) if key in data else ()


def _relations(data: dict[str, Any], key: str, path: str, problems: Problems) -> tuple[Relation, ...] | None:
    return read_relations(data[key], inside(path, key), problems) if key in data else None


def _instance(data: dict[str, Any], path: str, problems: Problems) -> int | None:
    said = [key for key in _NUMBER if key in data]
    for key in said[1:]:
        if data[key] != data[said[0]]:
            problems.add(
                inside(path, key), f"{shown(data[key])} is not what {said[0]} says", "say one of them"
            )
    if not said:
        return None
    value = data[said[0]]
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,5}", value):  # the oldest form
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_INSTANCES:
        allowed = f"allowed is a whole number from 0 to {_MOST_INSTANCES}"
        problems.add(inside(path, said[0]), shown(value), allowed)
        return None
    return value


def _mode(data: dict[str, Any], path: str, problems: Problems) -> Mode | None:
    said: list[Mode] = []
    for key, known in (("type", {str(mode): mode for mode in Mode}), ("effect", _EFFECTS)):
        if key not in data:
            continue
        value = data[key]
        mode = known.get(value) if isinstance(value, str) else None
        if mode is None:
            problems.add(inside(path, key), shown(value), f"allowed is one of {', '.join(known)}")
            said.append(Mode.SYNC)
        else:
            said.append(mode)
    if len(set(said)) > 1:
        problems.add(path, f"type {data['type']} and effect {data['effect']} contradict", "say type alone")
    return said[0] if said else None


def _relation(data: object, path: str, problems: Problems) -> Relation | None:
    if isinstance(data, str):  # the oldest form: "TaSomething_0"
        name, _, number = data.rpartition("_")
        if not name or not re.fullmatch(r"[0-9]{1,5}", number):
            name, number = data, ""
        return Relation(name, int(number) if number else None, path)
    if not isinstance(data, dict):
        problems.add(path, f"{shown(data)} is no relation", 'allowed is an object such as {"name": "show"}')
        return None
    name = take(data, "name", "string", path, problems, needed=True)
    for key in data:
        if key not in _RELATION:
            problems.note(inside(path, key), f"left out: {shown(data[key])}")
    relation = Relation(
        name or "",
        _instance(data, path, problems),
        path,
        take(data, "required", "true or false", path, problems),
        _responses(data["conditions"], inside(path, "conditions"), problems) if "conditions" in data else {},
        _remap(data["remap"], inside(path, "remap"), problems) if "remap" in data else {},
        bool(take(data, "stop_when_received", "true or false", path, problems)),
    )
    return relation if isinstance(name, str) else None


def _responses(data: object, path: str, problems: Problems) -> dict[Ended, Response]:
    found: dict[Ended, Response] = {}
    for place, when, what in _conditions(data, path, problems):
        if when not in list(Ended):
            problems.add(place, f"{shown(when)} is no condition", f"allowed is one of {', '.join(Ended)}")
        elif what not in list(Response):
            problems.add(place, f"{shown(what)} is no response", f"allowed is one of {', '.join(Response)}")
        elif Ended(when) in found:
            problems.add(place, f"{when} is said more than once", "say it once")
        else:
            found[Ended(when)] = Response(what)
    return found


def _conditions(data: object, path: str, problems: Problems) -> Iterator[tuple[str, str, str]]:
    example = 'allowed is a list such as ["on_true -> run", "on_error -> bypass"]'
    if isinstance(data, dict):
        pairs: list[tuple[str, str, object]] = [(inside(path, key), key, data[key]) for key in data]
    elif isinstance(data, list):
        pairs = []
        for number, each in enumerate(data):
            when, arrow, what = each.partition("->") if isinstance(each, str) else ("", "", "")
            if arrow:
                pairs.append((inside(path, number), when, what))
            else:
                problems.add(inside(path, number), f"{shown(each)} is no condition", example)
    else:
        problems.add(path, f"{shown(data)} is no list of conditions", example)
        return
    for place, condition, response in pairs:
        if isinstance(response, str):
            yield place, "".join(condition.split()), "".join(response.split())
        else:
            problems.add(
                place, f"{shown(response)} is no response", f"allowed is one of {', '.join(Response)}"
            )


def _remap(data: object, path: str, problems: Problems) -> dict[str, str]:
    example = 'allowed is a list such as [{"from": "result", "to": "thing"}]'
    if not isinstance(data, list):
        problems.add(path, f"{shown(data)} is no list of new names", example)
        return {}
    found: dict[str, str] = {}
    for number, each in enumerate(data):
        here = inside(path, number)
        if not isinstance(each, dict) or not all(isinstance(each.get(key), str) for key in ("from", "to")):
            problems.add(here, shown(each), example)
        elif each["from"] in found:
            problems.add(here, f"{each['from']!r} gets more than one new name", "say one")
        else:
            found[each["from"]] = each["to"]
    return found
