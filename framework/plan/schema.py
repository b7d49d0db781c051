"""The form of all plans that could be made now, as a JSON schema: for whoever answers in JSON (a proposer).

Strict in the sense of OpenAI-compatible servers (`response_format: json_schema`): every object names all of
its properties as required and allows no others; a parameter that may be left out is null. Only what such
servers understand is used: anyOf, const, enum, $ref; bounds are looked at when the plan is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import inspect as types

from framework.errors import PlanError
from framework.plan.ast import Plan
from framework.plan.codec import from_json
from framework.plan.signature import Signature, Signatures
from framework.plugins.parameters import ParameterSpec
from framework.unreadable import UNREADABLE

Schema: TypeAlias = dict[str, Any]
#: What may be said for a parameter of an action; empty if any text may.
NamesFor: TypeAlias = Callable[[str, str], tuple[str, ...]]

MOST_NAMES = 200
_PLAN: Schema = {"$ref": "#/$defs/plan"}
_CONDITION: Schema = {"$ref": "#/$defs/condition"}


def plan_schema(
    signatures: Signatures,
    names_for: NamesFor = lambda action, parameter: (),
    conditions: Mapping[str, tuple[str, ...]] | None = None,
    leave_out: Collection[str] = (),
) -> Schema:
    """The schema of an object with one property `plan`, null where none can be made.

    Args:
        signatures: the actions; unavailable ones are left out.
        names_for: known names for a text parameter. More than 200 are not listed; any text may stand then.
        conditions: names of states → names of their arguments; time that has passed is always one.
        leave_out: actions that are not to be planned.
    """
    found = (signatures.find(name) for name in signatures.names() if name not in leave_out)
    actions = [_do(each, names_for) for each in found if each is not None and not each.unavailable]
    several = {"type": "array", "items": _PLAN, "minItems": 2, "maxItems": 20}
    kinds = [
        *actions,
        _node("sequence", steps=several),
        _node("parallel", branches=several),
        _node("alongside", body=_PLAN, companion=_PLAN),
        _node("until", body=_PLAN, condition=_CONDITION),
        _node("while", body=_PLAN, condition=_CONDITION),
        _node("wait", condition=_CONDITION),
        _node("if", condition=_CONDITION, then=_PLAN, otherwise={"anyOf": [_PLAN, {"type": "null"}]}),
    ]
    states = [_state(name, arguments) for name, arguments in (conditions or {}).items()]
    elapsed = _node("elapsed", duration_s={"type": "number"})
    return {
        **_object({"plan": {"anyOf": [_PLAN, {"type": "null"}]}}),
        "$defs": {"plan": {"anyOf": kinds}, "condition": {"anyOf": [*states, elapsed]}},
    }


def from_answer(answer: str) -> Plan | None:
    """The plan in an answer that follows the schema, None if it is null. Raises PlanError."""
    try:
        decoded = msgspec.json.decode(answer)
        inner = decoded["plan"] if isinstance(decoded, dict) and set(decoded) == {"plan"} else decoded
        if inner is None:
            return None
        plain = msgspec.json.encode(_without_nulls(inner))
    except RecursionError as error:
        raise PlanError("the answer is nested without end") from error
    except (UnicodeError, *UNREADABLE) as error:
        raise PlanError(f"the answer is no JSON: {error}") from error
    return from_json(plain)


def _do(signature: Signature, names_for: NamesFor) -> Schema:
    parameters = {
        each.name: _parameter(each, names_for(signature.name, each.name)) for each in signature.parameters
    }
    return _node("do", action={"const": signature.name}, parameters=_object(parameters))


def _parameter(spec: ParameterSpec, names: tuple[str, ...]) -> Schema:
    value = _value(spec, names)
    options: list[Schema] = [value] if "anyOf" not in value else list(value["anyOf"])
    if spec.doc:
        options[0] = {**options[0], "description": spec.doc}
    options.append(_node("reference", word={"enum": ["it", "them"]}))
    if not spec.is_required:
        options.append({"type": "null"})
    return {"anyOf": options}


def _value(spec: ParameterSpec, names: tuple[str, ...]) -> Schema:
    if spec.one_of:
        return {"enum": list(spec.one_of)}
    info = types.type_info(spec.type)
    match info:
        case types.BoolType():
            return {"type": "boolean"}
        case types.IntType():
            return {"type": "integer"}
        case types.FloatType():
            return {"type": "number"}
        case types.EnumType():
            return {"enum": [member.value for member in info.cls]}
        case types.LiteralType():
            return {"enum": list(info.values)}
    return {"enum": list(names)} if 0 < len(names) <= MOST_NAMES else {"type": "string"}


def _state(name: str, arguments: tuple[str, ...]) -> Schema:
    values = _object({argument: {"type": "string"} for argument in arguments})
    return _node("state", name={"const": name}, arguments=values, is_so={"type": "boolean"})


def _node(kind: str, **properties: Schema) -> Schema:
    return _object({"kind": {"const": kind}, **properties})


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
