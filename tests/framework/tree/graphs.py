"""Short ways to write graphs."""

from __future__ import annotations

from typing import Any

import msgspec

from framework.plan import Do, Plan
from framework.plan.ast import Graph, Node
from framework.plan.graph import ENTRY, EXIT, Edge, Response

RUN, PAUSE, RESTART, STOP, BYPASS, IGNORE = Response


def graph(*edges: Edge | str, **nodes: Plan | Node) -> Graph:
    """Edges are "a b" ("-" is ENTRY or EXIT), or edges; a node is an action of its name by default."""
    found = [each if isinstance(each, Edge) else edge(*each.split()) for each in edges]
    names = dict.fromkeys(
        end for each in found for end in (each.parent, each.child) if end not in (ENTRY, EXIT)
    )
    made = []
    for each in dict.fromkeys((*names, *nodes)):
        plan = nodes.get(each, Do(each))
        made.append(plan if isinstance(plan, Node) else Node(each, plan))
    return Graph("g", tuple(made), tuple(found))


def called(name: str, *edges: Edge | str, **nodes: Plan | Node) -> Graph:
    """The same, under a name."""
    return msgspec.structs.replace(graph(*edges, **nodes), name=name)


def edge(parent: str, child: str, **said: Any) -> Edge:
    return Edge(ENTRY if parent == "-" else parent, EXIT if child == "-" else child, **said)
