"""Why a graph cannot go on, in words: what was to begin and waits in vain, or what nothing was to follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from framework.plan.ast import Graph
from framework.plan.graph import ENTRY, EXIT, Ended, Response
from framework.tree.places import Place

_SAID = {
    Ended.TRUE: "succeeded",
    Ended.FALSE: "said no",
    Ended.STOPPED: "was stopped",
    Ended.ERROR: "failed",
}


def awaited(graph: Graph, child: str) -> set[str]:
    """The parents that a node, or EXIT, waits for."""
    return {edge.parent for edge in graph.into(child) if edge.is_awaited}


def what_waits(graph: Graph, places: Sequence[Place], at_exit: set[str]) -> str:
    """Nodes that some parent was to begin, and what they wait for; empty if there are none.

    at_exit: the parents that the exit knows to have ended.
    """
    last = {ENTRY: Ended.TRUE} | {place.id: place.last for place in places if place.last is not None}
    reasons: list[str] = []
    for place in places:
        if place.is_held:
            reasons.append(f"{place.id} is paused")
        elif place.last is None and _is_wanted(graph, place, last):
            reasons += _lacks(graph, place)
    if at_exit and (never := sorted(awaited(graph, EXIT) - at_exit)):
        reasons.append(f"the end waits for {', '.join(never)}")
    return "; ".join(reasons)


def how_it_ended(places: Sequence[Place]) -> str:
    """What the nodes that have run came to."""
    return ", ".join(f"{place.id} {_SAID[place.last]}" for place in places if place.last is not None)


def _lacks(graph: Graph, place: Place) -> Iterator[str]:
    if never := sorted(awaited(graph, place.id) - place.received):
        yield f"{place.id} waits for {', '.join(never)}"
    elif lacking := place.lacks():
        yield f"{place.id} has no {', '.join(lacking)}"


def _is_wanted(graph: Graph, place: Place, last: dict[str, Ended]) -> bool:
    """Whether the last end of a parent was a reason to begin it."""
    begins = (Response.RUN, Response.RESTART)
    return any(
        edge.parent in last and edge.response(last[edge.parent]) in begins
        for edge in graph.into(place.id)
        if edge.parent in place.received
    )
