"""The graph the page draws, from the registrars' snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from framework.registrar.snapshot import LeaseView, ResourceView, Snapshot
from resources.web.protocol import Graph, GraphLease, GraphResource

_PRIORITIES = {0: "background", 1: "autonomy", 2: "operator"}
_LONGEST = 300
_GIVEN_OUT = frozenset({"granted", "reserved"})
_WAITS = frozenset({"pending", "queued"})


def graph_of(snapshots: Iterable[Snapshot], now_s: float) -> Graph:
    """One graph of all registrars; `now_s` on the registrars' clock.

    A lease that a resource took for itself is an arrow between resources; the others show who
    (an action, a person) is at the beginning of a chain.
    """
    all_ = list(snapshots)
    resources = [view for snapshot in all_ for view in snapshot.resources]
    needed_by = {(view.registrar, needed) for view in resources for needed in view.depends_on}
    leases = {
        lease.id: _lease(lease)
        for snapshot in all_
        for lease in snapshot.leases
        if lease.side != "held" and (lease.client, lease.resource) not in needed_by
        if lease.phase in _GIVEN_OUT | _WAITS
    }
    return Graph(tuple(_resource(view, now_s) for view in resources), tuple(leases.values()))


#: Looking them up takes longer than all else that a label takes.
_fields = lru_cache(maxsize=500)(msgspec.structs.fields)


def label(request: object) -> str:
    """A request in a few words: its type's name and what tells it from others."""
    words = [type(request).__name__]
    if isinstance(request, msgspec.Struct):
        for field in _fields(type(request)):
            value = getattr(request, field.name)
            if value == field.default:
                continue
            text = getattr(value, "name", value)
            if isinstance(text, bool) or not isinstance(text, str | int | float) or text == "":
                continue
            if not any(word in str(text) for word in words[1:]):  # a title mostly repeats a name
                words.append(str(text))
    return " ".join(words)


def _resource(view: ResourceView, now_s: float) -> GraphResource:
    return GraphResource(
        view.id,
        view.registrar,
        label(view.request),
        repr(view.request)[:_LONGEST],
        view.state,
        view.detail[:_LONGEST],
        view.depends_on,
        view.tries,
        None if view.next_attempt_s is None else max(0.0, view.next_attempt_s - now_s),
    )


def _lease(lease: LeaseView) -> GraphLease:
    return GraphLease(
        lease.id,
        lease.resource,
        lease.who or lease.client,
        lease.exclusive,
        _PRIORITIES.get(int(lease.priority), str(lease.priority)),
        lease.phase in _WAITS,
    )
