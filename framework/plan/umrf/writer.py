"""A Graph as a UMRF graph in the present form, so that `reader.py` makes an equal one of it.

What the format has no place for stands under `pilothouse`, which other readers pass over: a graph inside a
node, an id that is not "name_instance", and in a graph what it is a picture of (`framework/plan/forms.py`).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from framework.plan.ast import Do, Graph, Node
from framework.plan.forms import as_graph, kind_of, node_name
from framework.plan.graph import ENTRY, EXIT, Edge, Ended, Input
from framework.plan.passing import own_values
from framework.plan.umrf.parameters import OURS, write_parameters
from framework.plan.umrf.steps import STEPS, Said, step_parameters
from framework.plan.value import type_of

#: Name and instance.
_Key = tuple[str, int]


def write_graph(graph: Graph, name: str = "") -> dict[str, Any]:
    """The graph as plain data. name: the graph's, if not its own."""
    keys = _keys(graph)
    data: dict[str, Any] = {"graph_name": name or graph.name}
    if graph.note:
        data["graph_description"] = graph.note
    if graph.form:
        data[OURS] = {"form": graph.form}
    data["graph_entry"] = [_child(edge, keys) for edge in graph.entries]
    data["graph_exit"] = [_parent(edge, keys) for edge in graph.exits]
    data["actions"] = [_action(graph, node, keys) for node in graph.nodes]
    return data | {key: value for key, value in graph.extra.items() if key not in data}


def _keys(graph: Graph) -> dict[str, _Key]:
    """Name and instance of every node; those of its id where they can be."""
    keys: dict[str, _Key] = {}
    taken: set[_Key] = set()
    later: list[Node] = []
    for node in graph.nodes:
        found = re.fullmatch(r"(.*)_(0|[1-9][0-9]{0,4})", node.id, re.DOTALL)
        key = (found[1], int(found[2])) if found else None
        if key is not None and key[0] == node_name(node.plan) and key[1] <= 65535:
            keys[node.id] = key
            taken.add(key)
        else:
            later.append(node)
    for node in later:
        name, number = node_name(node.plan), 0
        while (name, number) in taken:
            number += 1
        keys[node.id] = (name, number)
        taken.add((name, number))
    return keys


def _action(graph: Graph, node: Node, keys: dict[str, _Key]) -> dict[str, Any]:
    name, number = keys[node.id]
    data: dict[str, Any] = {"name": name, "instance_id": number, "type": str(node.mode)}
    if node.actor:
        data["actor"] = node.actor
    if node.note:
        data["description"] = node.note
    ours: dict[str, Any] = {} if node.id == f"{name}_{number}" else {"id": node.id}
    if not isinstance(node.plan, Do) and kind_of(node.plan) not in STEPS:
        ours["graph"] = write_graph(as_graph(node.plan))
    if ours:
        data[OURS] = ours
    inputs = _inputs(node)
    if inputs:
        data["input_parameters"] = write_parameters(inputs)
    if node.outputs:
        outputs: Said = {key: (Input(key, kind), msgspec.UNSET) for key, kind in node.outputs.items()}
        data["output_parameters"] = write_parameters(outputs)
    parents = [_parent(edge, keys) for edge in graph.into(node.id) if edge.parent != ENTRY]
    children = [_child(edge, keys) for edge in graph.out_of(node.id) if edge.child != EXIT]
    if parents:
        data["parents"] = parents
    if children:
        data["children"] = children
    return data | {key: value for key, value in node.extra.items() if key not in data}


def _inputs(node: Node) -> Said:
    steps = step_parameters(node.plan)
    if steps:
        return steps
    values = own_values(node)
    said: Said = {name: (Input(name, type_of(value)), value) for name, value in values.items()}
    return said | {each.name: (each, values.get(each.name, msgspec.UNSET)) for each in node.inputs}


def _parent(edge: Edge, keys: dict[str, _Key]) -> dict[str, Any]:
    """The relation as the child says it."""
    name, number = keys[edge.parent]
    data: dict[str, Any] = {"name": name, "instance_id": number, "required": edge.required}
    if edge.child != EXIT or not _is_usual(edge):
        data["conditions"] = _conditions(edge)
    if edge.child == EXIT and edge.remap:
        data["remap"] = _remap(edge)
    return data


def _child(edge: Edge, keys: dict[str, _Key]) -> dict[str, Any]:
    """The relation as the parent says it."""
    name, number = keys[edge.child]
    data: dict[str, Any] = {"name": name, "instance_id": number}
    if edge.parent == ENTRY and not (edge.required and _is_usual(edge)):
        data["required"] = edge.required
        data["conditions"] = _conditions(edge)
    if edge.remap:
        data["remap"] = _remap(edge)
    return data


def _is_usual(edge: Edge) -> bool:
    """Whether its responses are those of a relation that says none."""
    usual = Edge(edge.parent, edge.child)
    return all(edge.response(ended) is usual.response(ended) for ended in Ended)


def _conditions(edge: Edge) -> list[str]:
    return [f"{ended} -> {edge.response(ended)}" for ended in Ended]


def _remap(edge: Edge) -> list[dict[str, str]]:
    return [{"from": name, "to": to} for name, to in edge.remap.items()]
