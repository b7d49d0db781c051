"""How results get names, and what of them a node of a Graph takes. Pure; `framework.tree` carries it out.

An action's outputs: the fields of a struct and the items of a mapping by their names, nested ones as
"pose::x" as well; and the whole as "result". A result that is neither goes by the one name that the node says
it gives, too. A child takes an output of the name of one of its inputs (after the edge's remap), if the type
fits, the value is allowed, and it has no value of its own or is updatable. A value that was passed holds for
one run of the child; its own value comes back after that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.errors import PlanError
from framework.plan.ast import Do, Graph, Node
from framework.plan.graph import Edge, Input
from framework.plan.value import is_among, is_of_type, type_of

#: Joins the names of nested parameters.
NESTED = "::"

RESULT = "result"


def outputs_of(value: Any, said: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A result by name; nothing if it is None. said: the outputs that the node is said to have."""
    if value is None:
        return {}
    found: dict[str, Any] = {RESULT: value}
    if isinstance(value, msgspec.Struct | Mapping):
        _flatten(value, "", found)
    elif said and len(said) == 1:
        found |= dict.fromkeys(said, value)
    return found


def nested(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as an action takes them: {"pose::x": 1.0} becomes {"pose": {"x": 1.0}}.

    Raises PlanError if one name stands for a value and for a group of values.
    """
    whole: dict[str, Any] = {}
    groups = {id(whole)}
    for name, value in parameters.items():
        *outer, last = name.split(NESTED)
        place = whole
        for part in outer:
            inner = place.setdefault(part, {})
            if id(inner) not in groups:
                if inner or not isinstance(inner, dict):
                    raise PlanError(f"{part!r} of {name!r} is a value already, it cannot be a group as well.")
                groups.add(id(inner))
            place = inner
        if id(place.get(last)) in groups:
            raise PlanError(f"{name!r} is a group of values already, it cannot be a value as well.")
        place[last] = value
    return whole


def own_values(node: Node) -> dict[str, Any]:
    """The values that stand in the plan itself, by the names of the inputs."""
    if isinstance(node.plan, Do):
        return dict(node.plan.parameters)
    return {each.name: each.value for each in node.inputs if each.value is not msgspec.UNSET}


def inputs_of(node: Node) -> dict[str, Input]:
    """All inputs of a node: what is said about them, and those that merely have a value."""
    inputs = {name: Input(name, type_of(value)) for name, value in own_values(node).items()}
    if isinstance(node.plan, Graph):
        inputs |= graph_inputs(node.plan)
    return inputs | {each.name: each for each in node.inputs}


def graph_inputs(graph: Graph) -> dict[str, Input]:
    """What a graph takes in: the inputs without a value of the nodes it begins with."""
    found: dict[str, Input] = {}
    names = {node.id: node for node in graph.nodes}
    for edge in graph.entries:
        if (node := names.get(edge.child)) is None:
            continue
        back = {to: name for name, to in edge.remap.items()}
        values = own_values(node)
        for name, each in inputs_of(node).items():
            if name not in values:
                outer = back.get(name, name)
                found[outer] = msgspec.structs.replace(each, name=outer)
    return found


def graph_outputs(graph: Graph) -> dict[str, str]:
    """What a graph is said to give, name and type: the outputs of the nodes it ends with."""
    found: dict[str, str] = {}
    names = {node.id: node for node in graph.nodes}
    for edge in graph.exits:
        if (node := names.get(edge.parent)) is not None:
            found |= {edge.remap.get(name, name): kind for name, kind in outputs_said(node).items()}
    return found


def outputs_said(node: Node) -> dict[str, str]:
    """The outputs that a node is said to have, name and type; empty if nothing is said."""
    inner = graph_outputs(node.plan) if isinstance(node.plan, Graph) else {}
    return inner | node.outputs


def renamed(outputs: Mapping[str, Any], edge: Edge) -> dict[str, Any]:
    """Outputs under the names that the child knows; what is inside of a renamed group goes with it."""
    found: dict[str, Any] = {}
    for name, value in outputs.items():
        parts = name.split(NESTED)
        for length in range(len(parts), 0, -1):
            if (to := edge.remap.get(NESTED.join(parts[:length]))) is not None:
                found[NESTED.join([to, *parts[length:]])] = value
                break
        else:
            found.setdefault(name, value)
    return found


def passed(edge: Edge, outputs: Mapping[str, Any], child: Node) -> dict[str, Any]:
    """What the child takes of a parent's outputs, by the names of its inputs."""
    offered = renamed(outputs, edge)
    has = own_values(child)
    taken: dict[str, Any] = {}
    for name, each in inputs_of(child).items():
        if name not in offered or (name in has and not each.updatable):
            continue
        if fits(each, offered[name]):
            taken[name] = offered[name]
    return taken


def missing(node: Node, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The required inputs that have neither a value of their own nor one among those given."""
    has = own_values(node)
    return tuple(
        name
        for name, each in inputs_of(node).items()
        if each.required and name not in has and name not in given
    )


def fits(each: Input, value: Any) -> bool:
    """Whether a value is of an input's type and among what it allows."""
    return is_of_type(value, each.type) and (not each.allowed or is_among(value, each.allowed))


def _flatten(value: Any, before: str, found: dict[str, Any]) -> None:
    if isinstance(value, msgspec.Struct):
        items = [(field, getattr(value, field)) for field in value.__struct_fields__]
    elif isinstance(value, Mapping):
        items = [(key, each) for key, each in value.items() if isinstance(key, str)]
    else:
        return
    for name, each in items:
        found[before + name] = each
        _flatten(each, before + name + NESTED, found)
