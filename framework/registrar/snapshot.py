"""The books as data, for the console, `pilothouse status` and tests. A snapshot never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from framework.status import Priority

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore
    from framework.registrar.records import ClientLease, Resource, ServerLease


class ResourceView(msgspec.Struct, frozen=True):
    """A resource as it is now. `leases` and `waiting` are lease ids, `depends_on` resource ids.

    `holder` is the lease that may command an exclusive resource; `next_attempt_s` counts
    on the registrar's clock and is None unless the resource is retrying.
    """

    id: str
    registrar: str
    request: Any
    state: str
    detail: str
    leases: tuple[str, ...]
    waiting: tuple[str, ...]
    depends_on: tuple[str, ...]
    holder: str
    priority: Priority
    next_attempt_s: float | None
    tries: int


class LeaseView(msgspec.Struct, frozen=True):
    """A lease as it is now; `side` says whether it was lent here or is held here (or both)."""

    id: str
    side: str
    client: str
    who: str
    request: Any
    resource: str
    exclusive: bool
    priority: Priority
    phase: str
    generation: int


class Snapshot(msgspec.Struct, frozen=True):
    """All resources a registrar provides, and all leases it has lent or holds."""

    registrar: str
    boot: str
    resources: tuple[ResourceView, ...]
    leases: tuple[LeaseView, ...]

    @property
    def is_empty(self) -> bool:
        """Nothing is up, starting or going, and no lease is out."""
        return not self.resources and not self.leases


def take(core: RegistrarCore) -> Snapshot:
    """The snapshot of a core."""
    leases = {served.id: _lent_view(core, served) for served in core.leases.values()}
    for held in core.holds.values():
        if held.id in leases:
            leases[held.id] = msgspec.structs.replace(leases[held.id], side="both")
        else:
            leases[held.id] = _held_view(core, held)
    return Snapshot(
        core.name,
        core.boot,
        tuple(_resource_view(core, resource) for resource in core.resources.values()),
        tuple(leases.values()),
    )


def _resource_view(core: RegistrarCore, resource: Resource) -> ResourceView:
    return ResourceView(
        f"{core.name}/{resource.number}",
        core.name,
        resource.request,
        resource.state.value,
        resource.detail,
        tuple(resource.leases),
        tuple(served.id for served in resource.queue),
        tuple(held.edge.id for held in resource.holds.values() if held.edge is not None),
        resource.holder.id if resource.holder is not None else "",
        resource.priority,
        resource.next_attempt_s,
        resource.tries,
    )


def _lent_view(core: RegistrarCore, served: ServerLease) -> LeaseView:
    return LeaseView(
        served.id,
        "lent",
        served.ask.client,
        served.who,
        served.resource.request,
        f"{core.name}/{served.resource.number}",
        served.exclusive,
        served.priority,
        served.phase.value,
        served.generation,
    )


def _held_view(core: RegistrarCore, held: ClientLease) -> LeaseView:
    return LeaseView(
        held.id,
        "held",
        core.name,
        held.who,
        held.request,
        held.edge.id if held.edge is not None else "",
        held.exclusive,
        held.priority,
        held.phase.value,
        held.generation,
    )
