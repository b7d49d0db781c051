"""A Graph in words: short enough to be read back, with everything in it that will be done."""

from __future__ import annotations

from collections.abc import Callable

from framework.plan.ast import Graph, Plan
from framework.plan.graph import Edge, Response

_WHEN = (
    ("on_true", "when {} is done"),
    ("on_false", "when {} says no"),
    ("on_stopped", "when {} is stopped"),
    ("on_error", "when {} fails"),
)


def graph_in_words(graph: Graph, words_of: Callable[[Plan], str]) -> str:
    """The graph as an instruction: 'carry out "patrol": show the scan; then wait 10 s'.

    words_of: puts the plan of a node into words.
    """
    return f"carry out {_name(graph)}: {_inside(graph, words_of)}"


def _inside(graph: Graph, words_of: Callable[[Plan], str]) -> str:
    words: dict[str, str] = {}  # what is done, said once
    names: dict[str, str] = {}  # how it is spoken of elsewhere
    for node in graph.nodes:
        if isinstance(node.plan, Graph):
            names[node.id] = _name(node.plan)
            words[node.id] = f"carry out {names[node.id]} ({_inside(node.plan, words_of)})"
        else:
            words[node.id] = words_of(node.plan)
            names[node.id] = f'"{words[node.id]}"'
    begins = [edge.child for edge in graph.entries if edge.child in words]
    clauses = [" and ".join(words[node] for node in begins)] if begins else []
    for node in graph.nodes:
        if node.id not in begins:
            clauses.append(f"then {words[node.id]}{_reason(graph, node.id, names)}")
    for edge in graph.edges:
        if Response.STOP in edge.responses and edge.child in words and edge.parent in words:
            clauses.append(f"{names[edge.child]} is ended {_when(edge, Response.STOP, names)}")
    goes_on = "" if graph.exits else ", until it is stopped"
    return f"{'; '.join(clauses) or 'nothing'}{goes_on}"


def _name(graph: Graph) -> str:
    return f'"{graph.name}"' if graph.name else "a graph"


def _reason(graph: Graph, node: str, names: dict[str, str]) -> str:
    """When a node begins, where that is not simply the order in which things are said."""
    edges = [edge for edge in graph.into(node) if edge.parent in names and Response.RUN in edge.responses]
    if len(edges) == 1 and edges[0].on_true is edges[0].on_false:
        return ""
    joined = " and " if all(edge.required for edge in edges) else " or "
    return "".join([" ", joined.join(_when(edge, Response.RUN, names) for edge in edges)]) if edges else ""


def _when(edge: Edge, response: Response, names: dict[str, str]) -> str:
    parent = names[edge.parent]
    if edge.on_true is edge.on_false is response:
        return f"after {parent}"
    return " or ".join(clause.format(parent) for field, clause in _WHEN if getattr(edge, field) is response)
