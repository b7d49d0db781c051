"""A UMRF graph as a Graph: actions become nodes, what they say about one another becomes edges.

Nothing here asks whether the graph can be carried out (`graph_check`), only whether it says something.
Everything that was guessed or left out is noted.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from framework.plan.ast import Do, Graph, Node, Plan
from framework.plan.forms import OURS as OUR_NODES
from framework.plan.forms import from_form
from framework.plan.graph import Edge, Mode, Response
from framework.plan.graph_check import circles
from framework.plan.umrf.decoding import Problems, inside, shown
from framework.plan.umrf.edges import Nodes, Paths
from framework.plan.umrf.fields import Action, read_action, take
from framework.plan.umrf.parameters import OURS, Parameter
from framework.plan.umrf.steps import STEPS, step

MOST_ACTIONS = 500
_MOST_LEVELS = 32
_GRAPH = frozenset(
    ("graph_name", "graph_description", "graph_entry", "graph_exit", "actions", "umrf_actions", OURS)
)
#: The graph that an action's name means, with its path for messages; None if it means none.
FindGraph = Callable[[str], tuple[object, str] | None]


class Reader:
    """Reads one file and the graphs that it needs.

    knows_action: whether there is an action of a name; then it is no sub-graph.
    find_graph: the graph of a name.
    """

    def __init__(
        self, problems: Problems, knows_action: Callable[[str], bool], find_graph: FindGraph
    ) -> None:
        self._problems = problems
        self._knows_action = knows_action
        self._find_graph = find_graph
        self._within: list[str] = []
        self._actions = 0
        #: Every graph that was read, as it was before it was taken for a form; and where its nodes stand.
        self.read: list[tuple[Graph, Paths, bool]] = []

    def graph(self, data: object, path: str) -> Graph:
        """The graph of a JSON object. What is wrong goes to the problems; what is left is a graph anyhow."""
        if not isinstance(data, dict):
            allowed = "allowed is an object with graph_name and actions"
            self._problems.add(path, f"{shown(data)} is no graph", allowed)
            return Graph("", ())
        if "name" in data and not {"actions", "umrf_actions"} & set(data):
            data = {"graph_name": data["name"], "actions": [data]}  # a single action, the oldest form
            self._problems.note(path, "taken for a graph of one action")
        name = take(data, "graph_name", "string", path, self._problems, needed=True) or ""
        note = take(data, "graph_description", "string", path, self._problems) or ""
        ours = take(data, OURS, "object", path, self._problems) or {}
        form = take(ours, "form", "string", inside(path, OURS), self._problems) or ""
        is_older = "umrf_actions" in data and "actions" not in data
        key = "umrf_actions" if is_older else "actions"
        listed = take(data, key, "array", path, self._problems, needed=True) or []
        place = inside(path, key)
        self._actions += len(listed)
        if self._actions > MOST_ACTIONS:
            self._problems.add(
                place,
                f"there are {self._actions} actions so far",
                f"allowed are {MOST_ACTIONS} in all graphs",
            )
            return Graph(name, ())
        if key in data and data[key] == []:
            self._problems.add(place, "it is empty", "a graph needs at least one action")
        if len(self._within) >= _MOST_LEVELS:
            self._problems.add(path, f"graphs are nested more than {_MOST_LEVELS} levels deep")
            return Graph(name, ())
        self._within.append(name)
        actions = [
            read_action(each, inside(place, number), self._problems) for number, each in enumerate(listed)
        ]
        nodes = Nodes([each for each in actions if each is not None], data, path, is_older, self._problems)
        edges = nodes.edges()
        graph = Graph(
            name,
            tuple(self._node(action, node_id) for node_id, action in nodes.by_id.items()),
            tuple(edges),
            form,
            note,
            {key: value for key, value in data.items() if key not in _GRAPH},
        )
        if is_older:
            graph = _loosened(graph, nodes, self._problems)
        self._within.pop()
        paths = (
            {node_id: action.path for node_id, action in nodes.by_id.items()} | {"": path} | nodes.edge_paths
        )
        self.read.append((graph, paths, bool(self._within)))
        return graph

    def _node(self, action: Action, node_id: str) -> Node:
        plan, used = self._plan(action)
        inputs: tuple[Parameter, ...] = () if used else action.inputs
        said = []
        for parameter in inputs:
            value = msgspec.UNSET if isinstance(plan, Do) else parameter.value
            said.append(msgspec.structs.replace(parameter.said, value=value))
        for parameter in action.outputs:
            if parameter.value is not msgspec.UNSET:
                self._problems.note(parameter.path, "left out: the value of an output")
        return Node(
            node_id,
            plan,
            action.mode or Mode.SYNC,
            action.actor,
            tuple(said),
            {parameter.said.name: parameter.said.type for parameter in action.outputs},
            action.note,
            action.extra,
        )

    def _plan(self, action: Action) -> tuple[Plan, bool]:
        """What an action's node does, and whether its parameters are used up by that."""
        here = inside(action.path, OURS)
        for key in action.ours:
            if key not in ("graph", "id"):
                self._problems.add(here, f"{shown(key)} is not known", "allowed are graph and id")
        if "graph" in action.ours:
            plan = from_form(self.graph(action.ours["graph"], inside(here, "graph")))
            return plan, self._takes_nothing(plan, action)
        if action.name.startswith(OUR_NODES):
            kind = action.name.removeprefix(OUR_NODES)
            if kind in STEPS:
                return step(kind, list(action.inputs), action.path, self._problems), True
            known = ", ".join(OUR_NODES + name for name in STEPS)
            allowed = f'known are {known}; others need their graph in {OURS}: {{"graph": …}}'
            self._problems.add(action.path, f"{action.name!r} is not known", allowed)
            return Do(action.name), True
        if not self._knows_action(action.name) and (found := self._find_graph(action.name)) is not None:
            if action.name in self._within:
                circle = " → ".join([*self._within[self._within.index(action.name) :], action.name])
                self._problems.add(action.path, f"a graph is within itself: {circle}", "take it out")
                return Do(action.name), True
            plan = from_form(self.graph(*found))
            return plan, self._takes_nothing(plan, action)
        own = {each.said.name: each.value for each in action.inputs if each.value is not msgspec.UNSET}
        return Do(action.name, own), False

    def _takes_nothing(self, plan: Plan, action: Action) -> bool:
        if isinstance(plan, Graph):
            return False
        for parameter in action.inputs:
            self._problems.add(parameter.path, f"{action.name} takes no inputs", "take it out")
        return True


def _loosened(graph: Graph, nodes: Nodes, problems: Problems) -> Graph:
    """In the older form a loop's edge back often does not say that nobody waits for it."""
    while (edge := _loosest(graph, nodes)) is not None:
        looser = msgspec.structs.replace(edge, required=False)
        edges = tuple(looser if each == edge else each for each in graph.edges)
        graph = msgspec.structs.replace(graph, edges=edges)
        note = f"it closes a loop, so it does not wait for {edge.parent}"
        problems.note(nodes.by_id[edge.child].path, note)
    return graph


def _loosest(graph: Graph, nodes: Nodes) -> Edge | None:
    """An edge in a circle of waiting, of which the file did not say that it is waited for, and whose child
    something outside of the circle begins.
    """
    for circle in circles(graph):
        within = set(circle)
        for edge in graph.edges:
            is_within = edge.parent in within and edge.child in within and edge.is_awaited
            if not is_within or (edge.parent, edge.child) not in nodes.unsaid:
                continue
            others = (other for other in graph.into(edge.child) if other.parent not in within)
            if any(other.responses & {Response.RUN, Response.RESTART} for other in others):
                return edge
    return None
