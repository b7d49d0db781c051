"""Every plan as a Graph, and back: how a sequence or an "if" looks as nodes and edges.

| plan | nodes | edges beyond entry and exit |
|---|---|---|
| sequence | its steps | each to the next |
| parallel | its branches | none; all begin, all are awaited |
| alongside | body, companion | body's end stops the companion; the companion's failure ends all |
| while | body, wait until not so | what waits stops the body |
| until | body, wait | what waits stops the body |
| if | decide, then, otherwise | on_true to the one, on_false to the other |
| anything else | itself | none |

The picture is what other programs see. It says nearly what the plan says, not all of it: an Until whose
condition holds already does not begin its body, which no edge can say. So the graph keeps in `form` what it
is a picture of, and `from_form` gives that plan back, but only if the graph still is its picture: whoever has
changed it in another program gets the changed graph.
"""

from __future__ import annotations

import itertools

import msgspec

from framework.plan.ast import (
    Alongside,
    Decide,
    Do,
    Graph,
    If,
    Node,
    Parallel,
    Plan,
    Sequence,
    Until,
    Wait,
    While,
)
from framework.plan.graph import ENTRY, EXIT, Edge, Response

#: Names of nodes that are no actions begin so.
OURS = "pilothouse::"


def kind_of(plan: Plan) -> str:
    """What a plan is, in one word: "sequence", "if", "do"."""
    return str(type(plan).__struct_config__.tag)


def node_name(plan: Plan) -> str:
    """What a plan's node is called in a graph: an action's or a graph's name, else "pilothouse::if"."""
    if isinstance(plan, Do):
        return plan.action
    if isinstance(plan, Graph) and is_action_name(plan.name):
        return plan.name
    return OURS + kind_of(plan)


def is_action_name(name: str) -> bool:
    """Whether an action or a graph of this name can be told from what is not one."""
    return name not in ("", ENTRY, EXIT) and not name.startswith(OURS)


def as_graph(plan: Plan, name: str = "") -> Graph:
    """The picture of a plan; a Graph is its own. name: of the picture, by default the plan's kind."""
    if isinstance(plan, Graph):
        return plan
    name = name or OURS + kind_of(plan)
    match plan:
        case Sequence(steps=steps):
            nodes = _nodes(*steps)
            ids = [ENTRY, *(node.id for node in nodes), EXIT]
            edges = [Edge(one, other) for one, other in itertools.pairwise(ids)]
            return Graph(name, nodes, tuple(edges) if nodes else (), kind_of(plan))
        case Parallel(branches=branches):
            nodes = _nodes(*branches)
            both = [(Edge(ENTRY, node.id), Edge(node.id, EXIT)) for node in nodes]
            return Graph(name, nodes, tuple(edge for pair in both for edge in pair), kind_of(plan))
        case Alongside():
            return _alongside(plan, name)
        case While(body=body, condition=condition):
            return _guarded(body, Wait(condition, is_so=False), name, kind_of(plan))
        case Until(body=body, condition=condition):
            return _guarded(body, Wait(condition), name, kind_of(plan))
        case If():
            return _choice(plan, name)
    (node,) = nodes = _nodes(plan)
    return Graph(name, nodes, (Edge(ENTRY, node.id), Edge(node.id, EXIT)), kind_of(plan))


def from_form(graph: Graph) -> Plan:
    """The plan that a graph is the picture of; the graph itself if it is none, or not any more."""
    plain = msgspec.structs.replace(graph, form="")
    plan = _plan(graph.form, tuple(node.plan for node in graph.nodes))
    if plan is None:
        return plain
    bare = tuple(msgspec.structs.replace(node, note="", extra={}) for node in graph.nodes)
    picture = msgspec.structs.replace(graph, nodes=bare, note="", extra={})
    return plan if as_graph(plan, graph.name) == picture else plain


def _plan(form: str, parts: tuple[Plan, ...]) -> Plan | None:
    match form, parts:
        case "sequence", _:
            return Sequence(parts)
        case "parallel", _:
            return Parallel(parts)
        case "alongside", (body, companion):
            return Alongside(body, companion)
        case "while", (body, Wait(condition=condition)):
            return While(body, condition)
        case "until", (body, Wait(condition=condition)):
            return Until(body, condition)
        case "if", (Decide(condition=condition), then):
            return If(condition, then)
        case "if", (Decide(condition=condition), then, otherwise):
            return If(condition, then, otherwise)
        case "do" | "wait" | "decide" | "cancel", (only,):
            return only
    return None


def _nodes(*plans: Plan) -> tuple[Node, ...]:
    """One node a plan, numbered among those of its name."""
    times: dict[str, int] = {}
    nodes = []
    for plan in plans:
        name = node_name(plan)
        number = times.get(name, 0)
        times[name] = number + 1
        nodes.append(Node(f"{name}_{number}", plan))
    return tuple(nodes)


def _alongside(plan: Alongside, name: str) -> Graph:
    body, companion = nodes = _nodes(plan.body, plan.companion)
    stop = Response.STOP
    edges = (
        Edge(ENTRY, body.id),
        Edge(ENTRY, companion.id),
        Edge(body.id, companion.id, required=False, on_true=stop, on_false=stop),
        Edge(body.id, EXIT),
        Edge(companion.id, EXIT, required=False, on_true=Response.IGNORE, on_false=Response.IGNORE),
    )
    return Graph(name, nodes, edges, kind_of(plan))


def _guarded(body_plan: Plan, guard_plan: Wait, name: str, form: str) -> Graph:
    body, guard = nodes = _nodes(body_plan, guard_plan)
    edges = (
        Edge(ENTRY, body.id),
        Edge(ENTRY, guard.id),
        Edge(guard.id, body.id, required=False, on_true=Response.STOP),
        Edge(body.id, EXIT, on_stopped=Response.RUN),
    )
    return Graph(name, nodes, edges, form)


def _choice(plan: If, name: str) -> Graph:
    ignore = Response.IGNORE
    plans = (Decide(plan.condition), plan.then) + ((plan.otherwise,) if plan.otherwise is not None else ())
    nodes = _nodes(*plans)
    decide, then = nodes[0].id, nodes[1].id
    edges = [Edge(ENTRY, decide), Edge(decide, then, on_false=ignore), Edge(then, EXIT, required=False)]
    if plan.otherwise is None:
        edges.append(Edge(decide, EXIT, required=False, on_true=ignore))
    else:
        other = nodes[2].id
        edges += [Edge(decide, other, on_true=ignore), Edge(other, EXIT, required=False)]
    return Graph(name, nodes, tuple(edges), kind_of(plan))
