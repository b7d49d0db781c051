"""What is said about a resource while it is up: how it is, a new handle, the news from below.

Each incident reaches every lease once, however many ways it takes upwards.
FATAL is not here: it ends the resource (`lifecycle.fail`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from framework.registrar.effects import JournalKind, Retry
from framework.registrar.records import Incident, Resource, ResourceState, ServerLease
from framework.status import UNSPECIFIED, Hop, Reason, ReasonKind, Severity

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore

#: How many passed incidents a resource remembers.
MEMORY = 64

_WHY = {
    ResourceState.UNSTEADY: ReasonKind.UNSTEADY,
    ResourceState.RETRYING: ReasonKind.RETRYING,
    ResourceState.NEEDS_HUMAN: ReasonKind.NEEDS_HUMAN,
}


class Conditions:
    """The rules of telling for everything one core provides."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def came_up(self, resource: Resource) -> None:
        """It has a handle: it is as well as what it stands on."""
        self._recover(resource)

    def report(self, number: int, severity: Severity, message: str) -> None:
        """The provider says how it is; FATAL fails it."""
        core = self._core
        resource = core.resources.get(number)
        if resource is None:
            return
        if severity is Severity.FATAL:
            core.lifecycle.fail(resource, message)
            core.lifecycle.teardown(resource)
            return
        if not resource.state.is_up:
            return
        if severity is Severity.OK:
            self._recover(resource)
            if resource.state is not ResourceState.READY:
                return  # what it stands on is not: nobody is told that it is well
        elif severity is not Severity.UPDATE:
            resource.is_unwell = True
            self._enter(resource, ResourceState.DEGRADED, message)
        incident = self._own_incident(resource, severity, message)
        if severity not in (Severity.OK, Severity.UPDATE):
            resource.ailment = incident
        self._tell_all(resource, incident)

    def condition(
        self, number: int, state: ResourceState, detail: str, next_attempt_s: float | None, tries: int
    ) -> None:
        """The provider retries, needs a human, or works and keeps failing: a WARNING that says so."""
        resource = self._core.resources.get(number)
        if resource is None or not resource.state.is_up:
            return
        resource.is_unwell = True
        if state is ResourceState.RETRYING:
            self._core.record(JournalKind.RESTART, resource, why=f"try {tries}: {detail}")
        else:
            self._core.record(JournalKind.REPORT, resource, why=f"{state}: {detail}")
        self._enter(resource, state, detail, next_attempt_s, tries)
        reason = Reason(_WHY[state])
        incident = self._own_incident(resource, Severity.WARNING, f"{state}: {detail}", reason)
        resource.ailment = incident
        self._tell_all(resource, incident)

    def update(self, number: int, handle: Any, message: str, because: Incident | None = None) -> None:
        """The provider has a new handle. `because` makes a failure and its substitute one incident."""
        resource = self._core.resources.get(number)
        if resource is None or not (resource.state.is_up or resource.state is ResourceState.STARTING):
            return
        resource.handle = handle
        if not resource.state.is_up:
            return
        self._recover(resource)
        hop = Hop(self._core.name, resource.label, message)
        incident = Incident(
            because.id if because else self._core.incident(),
            Severity.UPDATE,
            message,
            (*(because.hops if because else ()), hop),
        )
        self._tell_all(resource, incident)

    def changed(self, number: int, message: str) -> None:
        """Something optional has come or gone: an UPDATE with the handle as it is."""
        resource = self._core.resources.get(number)
        if resource is not None and resource.state.is_up:
            self._tell_all(resource, self._own_incident(resource, Severity.UPDATE, message))

    def retry(self, number: int) -> bool:
        """Somebody says "retry now"; False if there is nothing that could."""
        resource = self._core.resources.get(number)
        if resource is None or not resource.state.is_up:
            return False
        self._core.effects.append(Retry(number))
        return True

    def propagate(self, resource: Resource, incident: Incident) -> None:
        """Something said about a sub-resource concerns everybody above, once."""
        hop = Hop(self._core.name, resource.label, "")
        incident = msgspec.structs.replace(incident, hops=(*incident.hops, hop))
        if incident.severity is not Severity.OK:
            resource.ailment_below = incident
        if resource.state is ResourceState.STARTING:
            resource.detail = incident.message  # nobody has it yet; it comes up as well as that is
        if not resource.state.is_up:
            return
        if incident.severity is Severity.OK:
            self._ease(resource)
            if resource.state is not ResourceState.READY:
                return  # well is what is well by all its ways: it is told when the last of them is
        elif not resource.is_unwell:
            self._enter(resource, ResourceState.DEGRADED, incident.message)
        if self._has_seen(resource, incident.id):
            return
        self._tell_all(resource, incident)

    def tell_newcomer(self, served: ServerLease) -> None:
        """Who comes while it is unwell, or what it stands on is, hears so like those who were there."""
        resource = served.resource
        for ailment in (resource.ailment, resource.ailment_below):
            if ailment is not None:
                self._core.serving.tell(served, ailment)

    def eased(self, resource: Resource) -> None:
        """One of its dependencies that was unwell is no longer used: it may be well, and then says so."""
        was_well = resource.state is ResourceState.READY
        self._ease(resource)
        if resource.state is ResourceState.READY and not was_well:
            text = f"{resource.label} does without what was wrong with it"
            self._tell_all(resource, self._own_incident(resource, Severity.OK, text))

    # -- inside

    def _ease(self, resource: Resource) -> None:
        """One of its dependencies is well again, or gone."""
        if resource.state is ResourceState.DEGRADED and not resource.is_unwell:
            self._recover(resource)

    def _recover(self, resource: Resource) -> None:
        """What it said of itself is over; what is said of its dependencies may not be."""
        resource.is_unwell = False
        resource.ailment = None
        if any(held.is_unwell for held in resource.holds.values()):
            self._enter(resource, ResourceState.DEGRADED, resource.detail)
        else:
            self._enter(resource, ResourceState.READY, "")

    def _own_incident(
        self, resource: Resource, severity: Severity, message: str, reason: Reason = UNSPECIFIED
    ) -> Incident:
        hop = Hop(self._core.name, resource.label, message)
        return Incident(self._core.incident(), severity, message, (hop,), reason=reason)

    def _tell_all(self, resource: Resource, incident: Incident) -> None:
        handle = resource.handle if incident.severity is Severity.UPDATE else None
        for served in resource.leases.values():
            if served.is_live:
                self._core.serving.tell(served, incident, handle)

    def _enter(
        self,
        resource: Resource,
        state: ResourceState,
        detail: str,
        next_attempt_s: float | None = None,
        tries: int = 0,
    ) -> None:
        resource.state = state
        resource.detail = detail
        if state is ResourceState.READY:
            resource.ailment_below = None
        resource.next_attempt_s = next_attempt_s
        resource.tries = tries

    def _has_seen(self, resource: Resource, incident: str) -> bool:
        seen = resource.seen
        if seen is None:
            seen = resource.seen = {}
        if incident in seen:
            return True
        seen[incident] = None
        if len(seen) > MEMORY:
            del seen[next(iter(seen))]
        return False
