"""A graph being carried out: nodes that begin, end and feed one another along edges.

What happens along an edge when its parent has ended (or is established: that is TRUE, and told once):

| response | the child |
|---|---|
| run | begins when all that it waits for has ended and all required inputs are there; if held, it goes on |
| restart | the same; if it runs, it is ended and begins afresh |
| stop | ends, if it runs; if it was to begin, it does not |
| pause | holds on, if it runs |
| bypass | does nothing; its own children are told the same at once, without waiting for others |
| ignore | does nothing, but this parent counts as ended |

The exit is reached by the first that leads to it, after all that it requires. Then what is finite is ended,
and what is established stays. The graph succeeds, but for the result ERROR: then it fails, with the first
error's words. Without an exit it goes on until nothing is left to do.

Where nothing can go on and no exit was reached it halts: that is said once, with the reason. A plan in which
nothing else goes on is paused then, to be changed; if it goes on unchanged, the graph fails.

A node that is run again starts afresh under its old id. A spontaneous one runs again and again: each time it
has ended, all that comes after it is ended first, then its children are told.

The responses are UMRF's; see `framework.plan.graph`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from framework.errors import PlanError
from framework.events import Event, EventKind
from framework.plan.ast import Graph, Node, Plan
from framework.plan.graph import ENTRY, EXIT, Edge, Ended, Mode, Response
from framework.plan.passing import passed, renamed
from framework.tree.context import RunContext
from framework.tree.node import PlanComposite, PlanNode
from framework.tree.places import Make, Place
from framework.tree.standstill import awaited, how_it_ended, what_waits


class GraphNode(PlanComposite):
    """A graph of nodes; see the module."""

    kind = "graph"

    def __init__(self, graph: Graph, words: str, context: RunContext, make: Make) -> None:
        self._graph = graph
        self._make = make
        self.places = tuple(Place(node, make(node.plan)) for node in graph.nodes)
        self._given: dict[str, Any] = {}
        self._is_started = False
        self._result: Ended | None = None
        self._error = ""
        self._is_unanswered = False
        self._received: set[str] = set()
        self._gives: dict[str, Any] = {}
        self.is_halted = False
        self._was_told_to_go_on = False
        known = {place.id for place in self.places} | {ENTRY, EXIT}
        strange = {edge.parent for edge in graph.edges} | {edge.child for edge in graph.edges}
        if strange - known:
            raise PlanError(f"{graph.name}: there is no node {', '.join(sorted(strange - known))}")
        super().__init__(words, context, tuple(place.current for place in self.places))

    # -- what others ask

    @property
    def plan(self) -> Plan:
        """The graph with its nodes as they are now."""
        return msgspec.structs.replace(self._graph, nodes=tuple(place.node for place in self.places))

    @property
    def ended(self) -> Ended | None:
        """What reached the exit."""
        return self._result if self._result is not None else super().ended

    def outputs(self, said: Mapping[str, str] | None = None) -> dict[str, Any]:
        """What the nodes that lead to the exit have given."""
        return dict(self._gives)

    def give(self, values: Mapping[str, Any]) -> None:
        """What its entries are told."""
        self._given = dict(values)

    def said_before(self, child: PlanNode) -> tuple[PlanNode, ...]:
        """All that leads to it and has begun: what never begins is not waited for."""
        place = self._place_of(child)
        above: set[str] = set()
        to_see = [place.id]
        while to_see:
            parents = {edge.parent for edge in self._graph.into(to_see.pop())} - above
            above |= parents
            to_see += parents
        above.discard(place.id)
        return tuple(other.current for other in self.places if other.id in above and other.current.has_begun)

    def name_of(self, child: PlanNode) -> str:
        """What the graph calls it."""
        return self._place_of(child).id

    def refuses_to_grow(self, child: PlanNode) -> str:
        """Why nothing can be put before or after this node as its own; empty if it can."""
        place = self._place_of(child)
        if place.has_told or (place.has_run and not place.is_going):
            return f"the nodes after {place.id} have been told about it already; change the graph as a whole"
        return ""

    def without(self, child: PlanNode) -> Graph:
        """The graph without a node: what its parents have led to are its children then."""
        gone = self._place_of(child).id
        graph = self._graph
        edges = [edge for edge in graph.edges if gone not in (edge.parent, edge.child)]
        known = {(edge.parent, edge.child) for edge in edges}
        for above in graph.into(gone):
            for below in graph.out_of(gone):
                if (above.parent, below.child) not in known and gone not in (above.parent, below.child):
                    known.add((above.parent, below.child))
                    edges.append(msgspec.structs.replace(below, parent=above.parent, remap={}))
        nodes = tuple(place.node for place in self.places if place.id != gone)
        return msgspec.structs.replace(graph, nodes=nodes, edges=tuple(edges))

    def _place_of(self, child: PlanNode) -> Place:
        return self._by_node[child]

    @property
    def has_begun(self) -> bool:
        """It has told its entries to begin."""
        return self._is_started or super().has_begun

    @property
    def is_established(self) -> bool:
        """All that goes on stays, and nothing is to begin or to be told."""
        active = [place for place in self.places if place.is_active]
        return self._verdict is None and bool(active) and all(place.is_established for place in active)

    @property
    def is_held(self) -> bool:
        """An edge has paused something in it."""
        return any(place.is_held for place in self.places)

    # -- what is done to it

    def put(self, nodes: tuple[PlanNode, ...]) -> None:
        """One node a place, in their order."""
        for place, node in zip(self.places, nodes, strict=True):
            place.current = node
        self._show(nodes)

    def _show(self, nodes: tuple[PlanNode, ...]) -> None:
        super().put(nodes)
        self._by_node = {place.current: place for place in self.places}

    def keep(self) -> Callable[[], None]:
        """Also the graph itself may be changed."""
        graph, places, nodes, received = self._graph, self.places, self.nodes, set(self._received)
        were = [(place.node, set(place.received)) for place in places]

        def put_back() -> None:
            self._graph, self.places, self._received = graph, places, received
            for place, (node, told) in zip(places, were, strict=True):
                place.node, place.received = node, told
            self.put(nodes)

        return put_back

    def go_on(self) -> None:
        """The operator says that it goes on: also what an edge has paused, and what has halted."""
        for place in self.places:
            place.go_on()
        self._was_told_to_go_on = self.is_halted
        super().go_on()

    def start_from(self, child: PlanNode) -> None:
        """Begin this one at once, whatever it would have waited for. Raises PlanError if it is going on."""
        place = self._place_of(child)
        if place.is_active:
            raise PlanError(f"{place.id} is going on already; a graph is continued from a node that is not.")
        if self._result is not None:
            raise PlanError(f'"{self.words}" has reached its end; say it again to begin it again.')
        place.is_due = True

    def become(self, graph: Graph) -> None:
        """Be another graph from now on. Nodes of the same id stay; what goes on has to stay as it is.

        Raises PlanError, with everything as it was, if something that goes on is gone or another thing.
        """
        old = {place.id: place for place in self.places}
        new = {node.id: node for node in graph.nodes}
        for place in old.values():
            if not place.is_active:
                continue
            if place.id not in new:
                raise PlanError(f"{place.id} is going on, so it cannot be taken away; stop it first.")
            if place.is_going and new[place.id].plan != place.current.plan:
                raise PlanError(f"{place.id} is going on, so it cannot become another thing.")
        self.places = tuple(self._place_for(node, old.get(node.id)) for node in graph.nodes)
        self._graph = graph
        self._received &= set(new) | {ENTRY}
        for place in self.places:
            place.received &= set(new) | {ENTRY}
        self.put(tuple(place.current for place in self.places))

    def _place_for(self, node: Node, place: Place | None) -> Place:
        if place is None:
            return Place(node, self._make(node.plan))
        if place.current.plan != node.plan:
            place.current = self._make(node.plan)
        place.node = node
        return place

    # -- one tick

    def advance(self) -> Iterator[Behaviour]:
        """Begin what is due, tick what goes on, tell of what has ended; until nothing new comes of it."""
        ticked: set[str] = set()
        begun: set[str] = set()
        if not self._is_started:
            self._is_started = True
            self._tell(ENTRY, Ended.TRUE, self._given)
        while True:
            for place in self.places:
                if place.is_due and place.id not in begun and self._begin(place):
                    begun.add(place.id)
                    ticked.discard(place.id)
            for place in self.places:
                if place.is_going and not place.is_held and not place.is_stopping and place.id not in ticked:
                    ticked.add(place.id)
                    yield from place.current.tick()
            if self.context.is_paused or not self._take_news():
                break
        if self.context.is_paused:
            return
        if any(place.is_due and place.id in begun for place in self.places):
            self.context.wake()  # a node begins once a tick, so that no loop spins
        self._end_if_over()

    def _begin(self, place: Place) -> bool:
        if place.is_going or self.context.is_paused or not self._made_room(place):
            return False
        place.begin(self._make)
        self._show(tuple(each.current for each in self.places))
        return True

    def _made_room(self, place: Place) -> bool:
        """Whether nothing that stays is in the way of it; ends what is, as in a sequence."""
        is_free = True
        for other in self.places:
            if not other.stays or other is place:
                continue
            for action in other.current.actions():
                for wanted in place.current.actions():
                    if not action.is_quiet and (needed := self.context.runners.collide(action.do, wanted.do)):
                        action.cancel(f"{wanted.words} needs {needed}")
                        is_free = is_free and action.is_quiet
        return is_free

    def _take_news(self) -> bool:
        """Tell of everything that has ended since; whether there was anything."""
        is_news = False
        for place in self.places:
            ended = place.news()
            if ended is not None:
                is_news = True
                self._happened(place, ended)
        for place in self.places:
            if place.to_tell is not None and not any(
                other.is_going for other in self._after(place) if other is not place
            ):
                is_news = True
                ended, place.to_tell = place.to_tell, None
                place.is_due = self._result is None
                self._tell(place.id, ended, place.outputs())
        return is_news

    def _happened(self, place: Place, ended: Ended) -> None:
        if ended is Ended.ERROR and not self._error:
            self._error = place.current.detail or f"{place.current.words} failed"
        if self._result is not None:
            if ended is Ended.ERROR and self._result is not Ended.ERROR:
                self._reach_exit(Ended.ERROR)
            return
        if place.runs_again:
            place.runs_again, place.is_due = False, True
            return
        is_answer = ended in (Ended.TRUE, Ended.FALSE) and not place.is_going
        if place.node.mode is Mode.SPONTANEOUS and is_answer:
            for other in self._after(place):
                if other is not place:
                    other.stop(f"{place.current.words} has something new")
            place.to_tell = ended
            return
        has_effect = self._tell(place.id, ended, place.outputs())
        if ended is Ended.ERROR and not has_effect:
            self._is_unanswered = True

    def _tell(
        self, parent: str, ended: Ended, outputs: Mapping[str, Any], bypassed: frozenset[str] = frozenset()
    ) -> bool:
        """Tell the children of a node how it ended; whether any of them does something about it."""
        has_effect = False
        for edge in self._graph.out_of(parent):
            if self._result is not None:
                return True
            response = edge.response(ended)
            if edge.child == EXIT:
                has_effect |= self._tell_exit(edge, ended, response, outputs)
                continue
            child = next(place for place in self.places if place.id == edge.child)
            child.received.add(parent)
            if response is Response.IGNORE:
                continue
            if response is Response.BYPASS:
                if child.id not in bypassed:
                    has_effect |= self._tell(child.id, ended, {}, bypassed | {child.id})
                continue
            has_effect = True
            self._respond(child, edge, response, outputs)
        return has_effect

    def _respond(self, child: Place, edge: Edge, response: Response, outputs: Mapping[str, Any]) -> None:
        if response is Response.STOP:
            child.stop(f"{edge.parent} has ended")
            return
        if response is Response.PAUSE:
            child.hold()
            return
        child.passed |= passed(edge, outputs, child.node)
        if child.is_held and response is Response.RUN:
            child.go_on()
        elif not awaited(self._graph, child.id) - child.received and not child.lacks():
            if not child.is_going:
                child.is_due = True
            elif child.is_stopping or response is Response.RESTART:
                child.stop(f"{edge.parent} has ended: from the beginning")
                child.runs_again = True

    def _tell_exit(self, edge: Edge, ended: Ended, response: Response, outputs: Mapping[str, Any]) -> bool:
        self._received.add(edge.parent)
        if response is Response.IGNORE:
            return False
        self._gives |= renamed(outputs, edge)
        if response is Response.BYPASS or not awaited(self._graph, EXIT) - self._received:
            self._reach_exit(ended)
        return True

    def _after(self, place: Place) -> tuple[Place, ...]:
        """All that can be reached from it."""
        below: set[str] = set()
        to_see = [place.id]
        while to_see:
            children = {edge.child for edge in self._graph.out_of(to_see.pop())} - below
            below |= children
            to_see += children
        return tuple(other for other in self.places if other.id in below)

    # -- its end

    def _reach_exit(self, ended: Ended) -> None:
        self._result = ended
        for place in self.places:
            if ended is Ended.ERROR or not place.stays:
                place.stop(f'"{self._graph.name}" has come to its end')

    def _end_if_over(self) -> None:
        if self._result is Ended.ERROR:
            self.end_with(Status.FAILURE, self._error or f'"{self._graph.name}" failed')
        elif self._result is not None:
            if not any(place.is_going for place in self.places):
                self.end_with(Status.SUCCESS, "")
        elif not any(place.is_active and not place.is_held for place in self.places):
            self._stand_still()
        elif self.is_halted:
            self.is_halted = self._was_told_to_go_on = False
            self.detail = ""

    def _stand_still(self) -> None:
        """Nothing goes on, and no exit was reached."""
        waiting = what_waits(self._graph, self.places, self._received)
        if not self._graph.exits and not waiting:
            failed = self._is_unanswered
            self.end_with(Status.FAILURE if failed else Status.SUCCESS, self._error if failed else "")
            return
        why = waiting or f"nothing is to be done after what has ended ({how_it_ended(self.places)})"
        if self._was_told_to_go_on:
            self.end_with(Status.FAILURE, f"nothing can go on: {why}")
        elif not self.is_halted:
            self.is_halted = True
            self.detail = f"nothing can go on: {why}"
            name = self._graph.name or self.words
            text = f'"{name}": {self.detail}. Change it, or stop it.'
            self.context.told(Event(EventKind.WAITING, text, data={"node": self.node_id}))
