"""Dependencies that would wait for themselves, found across registrars by edge chasing.

A path carried in the request is not enough: A → B and B → A entered from both
ends at once wait for each other. So each new edge sends a probe along the
outgoing edges of its target; one that comes back to its origin has gone round a
circle, and the request that made the edge is refused with the circle's names.
(Chandy, Misra and Haas 1983, for the AND model.) Circles are per resource:
p:A → q:B → p:C is legal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.effects import Send
from framework.transport.messages import Ask, Edge, Probe

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore
    from framework.registrar.records import Resource

#: A chain of dependencies deeper than this never ends (A(n) needs A(n + 1)).
MAX_DEPTH = 32

#: How many probes are remembered, so that each passes a resource once.
MEMORY = 1024


class Circles:
    """Edge chasing for one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self._passed: dict[tuple[str, int], None] = {}

    def new_edge(self, target: Resource, ask: Ask) -> None:
        """Somebody's resource has come to depend on `target`: look whether `target` depends on it."""
        if ask.parent is not None and target.holds:
            self._forward(target, ask.parent, ask.lease, (self._core.label(target),))

    def probed(self, sender: str, probe: Probe) -> None:
        """A probe arrives over one of our leases: it has come home, or goes on."""
        core = self._core
        served = core.leases.get(probe.lease)
        if served is None or served.ask.client != sender:
            return
        resource = served.resource
        path = (*probe.path, core.label(resource))
        if core.edge(resource) == probe.origin:
            held = core.holds.get(probe.origin_lease)
            if held is not None:
                core.propagation.refuse_circle(held, (core.label(resource), *path))
            return
        if len(path) > MAX_DEPTH or self._has_passed(probe.origin_lease, resource.number):
            return
        self._forward(resource, probe.origin, probe.origin_lease, path)

    def _forward(self, resource: Resource, origin: Edge, origin_lease: str, path: tuple[str, ...]) -> None:
        for held in resource.holds.values():
            if held.sent is not None:
                self._core.effects.append(Send(held.server, Probe(held.id, origin, origin_lease, path)))

    def _has_passed(self, origin_lease: str, number: int) -> bool:
        mark = (origin_lease, number)
        if mark in self._passed:
            return True
        self._passed[mark] = None
        if len(self._passed) > MEMORY:
            del self._passed[next(iter(self._passed))]
        return False
