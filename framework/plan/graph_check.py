"""What keeps a Graph from being carried out, beyond what keeps its actions from it. All is said at once.

A loop is legal: it is an ordinary edge back, and the node it leads to does not wait for it (`required`
False). A circle in which each node waits for the one before can never begin; that is an error, unless a
bypass leads into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from framework.plan.ast import Graph, Node
from framework.plan.graph import ENTRY, EXIT, Edge, Input, Response
from framework.plan.passing import (
    NESTED,
    RESULT,
    graph_inputs,
    inputs_of,
    outputs_said,
    own_values,
    renamed,
)
from framework.plan.value import is_among, is_of_type


class Problem(msgspec.Struct, frozen=True):
    """What is wrong, and where: a node's id, an edge as "a_0 → b_0", or the graph itself: ""."""

    where: str
    what: str


def graph_problems(graph: Graph, *, robot: str | None = None) -> Iterator[Problem]:
    """What is wrong with one graph, not with the plans in its nodes.

    robot: this robot's name; nodes of other actors cannot be carried out. None: that is not asked.
    """
    ids = {node.id for node in graph.nodes}
    if not graph.nodes:
        yield Problem("", "a graph needs at least one node")
    yield from _names(graph, ids)
    if graph.nodes and not any(edge.child in ids for edge in graph.entries):
        yield Problem("", f"nothing begins it; name at least one node that follows {ENTRY}")
    for node in graph.nodes:
        if robot is not None and node.actor not in ("", robot):
            allowed = f"allowed is no actor, or {robot!r}" if robot else "allowed is no actor"
            yield Problem(node.id, f"actor {node.actor!r} is to do it, not this robot; {allowed}")
        yield from _inputs(node)
    for edge in graph.edges:
        yield from _remap(graph, edge, ids)
    for circle in circles(graph):
        chain = " waits for ".join([*circle, circle[0]])
        yield Problem(
            circle[0], f"it can never begin: {chain}; say required: false where one of them need not wait"
        )


def never_begun(graph: Graph) -> tuple[str, ...]:
    """The nodes that nothing can ever begin, whatever the others give."""
    begun: set[str] = {ENTRY}
    told: set[str] = {ENTRY}
    begins = {Response.RUN, Response.RESTART}
    into = {node.id: graph.into(node.id) for node in graph.nodes}
    while True:
        now = {
            name
            for name, edges in into.items()
            if name not in begun
            and all(edge.parent in told for edge in edges if edge.is_awaited)
            and any(edge.parent in told and edge.responses & begins for edge in edges)
        }
        passed_by = {
            edge.child for edge in graph.edges if edge.parent in told and Response.BYPASS in _wanted(edge)
        } - {EXIT}
        if now <= begun and passed_by <= told:
            return tuple(node.id for node in graph.nodes if node.id not in begun)
        begun |= now
        told |= now | passed_by


def circles(graph: Graph) -> list[tuple[str, ...]]:
    """The circles of nodes that wait for one another and that nothing from outside passes by, each once."""
    waits = {
        node.id: [
            edge.parent
            for edge in graph.into(node.id)
            if edge.is_awaited and edge.parent not in (ENTRY, EXIT)
        ]
        for node in graph.nodes
    }
    found: list[tuple[str, ...]] = []
    for together in _components(waits):
        inside = set(together)
        if len(together) == 1 and together[0] not in waits[together[0]]:
            continue
        if any(
            edge.child in inside and edge.parent not in inside and Response.BYPASS in _wanted(edge)
            for edge in graph.edges
        ):
            continue
        found.append(_circle(waits, together))
    return found


def _wanted(edge: Edge) -> tuple[Response, ...]:
    """The responses to ends that are not errors: what a circle may count on."""
    return edge.on_true, edge.on_false, edge.on_stopped


def _names(graph: Graph, ids: set[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for node in graph.nodes:
        if node.id in seen:
            yield Problem(node.id, "there is more than one node of this name and instance")
        if node.id in (ENTRY, EXIT):
            yield Problem(node.id, f"{ENTRY} and {EXIT} are the graph's own names")
        seen.add(node.id)
    pairs: set[tuple[str, str]] = set()
    for edge in graph.edges:
        where = f"{edge.parent} → {edge.child}"
        if edge.parent not in ids | {ENTRY} or edge.child not in ids | {EXIT}:
            missing = edge.parent if edge.parent not in ids | {ENTRY} else edge.child
            yield Problem(
                where, f"there is no node {missing!r}; there are {', '.join(sorted(ids)) or 'none'}"
            )
        if (edge.parent, edge.child) == (ENTRY, EXIT):
            yield Problem(where, "it would end before it begins; allowed are edges from or to a node")
        if (edge.parent, edge.child) in pairs:
            yield Problem(where, "there is more than one edge between these two")
        pairs.add((edge.parent, edge.child))


def _inputs(node: Node) -> Iterator[Problem]:
    names = [each.name for each in node.inputs]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem(node.id, f"input {name!r} is said more than once")
    if isinstance(node.plan, Graph):
        takes = graph_inputs(node.plan)
        for name in names:
            if name not in takes:
                known = ", ".join(takes) or "nothing"
                yield Problem(node.id, f"its graph takes no input {name!r}; it takes {known}")
    inputs = inputs_of(node)
    for name, value in own_values(node).items():
        each = inputs[name]
        if not _is_plain(value):
            continue
        if not is_of_type(value, each.type):
            yield Problem(node.id, f"{name} = {value!r} will not do; allowed is a {each.type}")
        elif each.allowed and not is_among(value, each.allowed):
            allowed = ", ".join(map(repr, each.allowed))
            yield Problem(node.id, f"{name} = {value!r} will not do; allowed is one of {allowed}")


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | list)


def _remap(graph: Graph, edge: Edge, ids: set[str]) -> Iterator[Problem]:
    where = f"{edge.parent} → {edge.child}"
    targets = list(edge.remap.values())
    for name in sorted({name for name in targets if targets.count(name) > 1}):
        yield Problem(where, f"more than one output is renamed to {name!r}")
    if edge.parent in ids:
        said = outputs_said(graph.node(edge.parent))
        for name in edge.remap:
            if said and name != RESULT and not _is_said(name, said):
                yield Problem(where, f"{edge.parent} gives no {name!r}; it gives {', '.join(said)}")
    if edge.child in ids:
        takes = inputs_of(graph.node(edge.child))
        for name in targets:
            if not _is_said(name, takes):
                known = ", ".join(takes) or "nothing"
                yield Problem(where, f"{edge.child} takes no input {name!r}; it takes {known}")


def _is_said(name: str, names: Mapping[str, object]) -> bool:
    """Whether a name, or what is inside of it or around it, is among those said."""
    return any(
        each == name or each.startswith(name + NESTED) or name.startswith(each + NESTED) for each in names
    )


def comes_later(graph: Graph, node: Node, *, is_inner: bool) -> tuple[set[str], dict[str, str]]:
    """Which inputs without a value a parent may still give; and for the others, what parents give instead.

    is_inner: the graph is a node of another one, which may give inputs to the nodes it begins with.
    """
    has = own_values(node)
    may: set[str] = set()
    cannot: dict[str, str] = {}
    ids = {each.id: each for each in graph.nodes}
    edges = [edge for edge in graph.into(node.id) if edge.parent in ids]
    is_fed = is_inner and any(edge.parent == ENTRY for edge in graph.into(node.id))
    offers = [renamed(outputs_said(ids[edge.parent]), edge) for edge in edges]
    for name, each in inputs_of(node).items():
        if name in has:
            continue
        if is_fed or not all(offers) or any(_is_offered(each, offer) for offer in offers):
            may.add(name)
        else:
            given = {f"{said} ({kind})" if kind else said for offer in offers for said, kind in offer.items()}
            cannot[name] = f"its parents give {', '.join(sorted(given))}" if given else "it has no parent"
    return may, cannot


def _is_offered(wanted: Input, offer: Mapping[str, str]) -> bool:
    """Whether an input's name is among outputs that are said, and its type is theirs if both are."""
    if wanted.name in offer:
        return not wanted.type or offer[wanted.name] in ("", wanted.type)
    return _is_said(wanted.name, offer)


def _components(waits: Mapping[str, list[str]]) -> list[list[str]]:
    """Strongly connected components (Tarjan), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for start in waits:
        if start in index:
            continue
        work: list[tuple[str, int]] = [(start, 0)]
        while work:
            name, at = work.pop()
            if name not in index:
                index[name] = low[name] = len(index)
                stack.append(name)
            following = waits.get(name, [])
            for number in range(at, len(following)):
                other = following[number]
                if other not in waits:
                    continue
                if other not in index:
                    work += [(name, number), (other, 0)]
                    break
                if other in stack:
                    low[name] = min(low[name], low[other])
            else:
                if low[name] == index[name]:
                    cut = stack.index(name)
                    found.append(stack[cut:])
                    del stack[cut:]
    return found


def _circle(waits: Mapping[str, list[str]], together: list[str]) -> tuple[str, ...]:
    """One circle within a component, begun at its first node."""
    inside = set(together)
    path = [together[0]]
    while True:
        following = next(other for other in waits[path[-1]] if other in inside)
        if following in path:
            return tuple(path[path.index(following) :])
        path.append(following)
