"""The leases this registrar holds itself: for bodies of actions, and for the resources it provides.

What is said about a lease that a resource depends on climbs: WARNING, ERROR
and OK to everyone above, FATAL as the failure of the resource itself unless it
was taken with `on_failure="tell"`. UPDATE stays with the provider, who decides
what it means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.effects import Deliver, Granted, Refused, Send
from framework.registrar.records import Held, HeldPhase, Incident, Resource, ResourceState
from framework.status import Hop, Severity, Status
from framework.transport.messages import (
    Ask,
    Commit,
    Grant,
    Queued,
    Refusal,
    RefusalKind,
    Release,
    Reprioritise,
    Tell,
)

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Holding:
    """The rules for everything one core holds at others (and at itself)."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    # -- what the shell says

    def ask(self, held: Held, timeout_s: float | None = None) -> None:
        """Ask for a lease; the answer is an effect: Granted or Refused."""
        core = self._core
        parent = held.parent
        if core.closed:
            self._refuse_here(held, RefusalKind.CLOSED, f"{core.name} is closing")
            return
        if parent is not None and (
            parent.number not in core.resources or not parent.running or parent.halting
        ):
            self._refuse_here(held, RefusalKind.CLOSED, f"{parent.label}, for which it was asked, is over")
            return
        core.holds[held.id] = held
        if parent is not None:
            held.priority = parent.priority
            parent.holds[held.id] = held
        if timeout_s is None:
            timeout_s = core.policy.wait_timeout_s if held.wait else core.policy.request_timeout_s
        core.timers.set(("ask", held.id), core.now_s() + timeout_s, lambda: self._timed_out(held, timeout_s))
        self.seek(held)

    def release(self, lease_id: str) -> None:
        """The body has left. Idempotent."""
        held = self._core.holds.get(lease_id)
        if held is not None:
            self._let_go(held)

    def commit_lease(self, held: Held) -> None:
        """A reserved lease is wanted in earnest: its whole group is reserved."""
        held.committing = True
        self._core.effects.append(Send(held.server, Commit(held.id, held.instead_of)))

    def commit(self, resource: Resource) -> None:
        """The resource is wanted in earnest: so is what is only reserved for it."""
        for held in resource.holds.values():
            if held.provisional and held.phase is HeldPhase.RESERVED and not held.committing:
                self.commit_lease(held)

    def inheritance(self, parent: Resource) -> tuple[bool, tuple[str, ...]]:
        """How a provider that is being loaded on approval asks: on approval too, and in place of
        what the resources hold that its own is to replace."""
        core = self._core
        if parent.state is not ResourceState.STARTING or any(
            lent.committed for lent in parent.leases.values()
        ):
            return False, ()
        replaced: list[str] = []
        for lent in parent.leases.values():
            for lease in lent.ask.instead_of:
                old = core.leases.get(lease)
                if old is not None and old.resource is not parent:
                    replaced.extend(old.resource.holds)
        return True, tuple(replaced)

    def abandon(self, held: Held, why: str) -> None:
        """The resource it was for is over: tell whoever still uses it, and give it back."""
        core = self._core
        if held.is_live:
            status = Status(
                core.incident(), Severity.FATAL, why, held.id, (Hop(core.name, repr(held.request), why),)
            )
            core.effects.append(Deliver(held, status, cancel=not held.by_provider))
        elif held.phase is not HeldPhase.FAILED:
            self._refuse_here(held, RefusalKind.CLOSED, why)
        self._let_go(held)

    def close(self) -> None:
        """The registrar is being left: bodies end; those of providers end with their resources."""
        for held in list(self._core.holds.values()):
            if held.parent is None:
                self.abandon(held, f"{self._core.name} is closing")

    def seek(self, held: Held) -> None:
        """Find who provides it and ask there; wait for discovery if nobody does yet."""
        core = self._core
        server, reason = self._provider_of(held)
        if server is None:
            if core.discovery_s <= 0.0 or reason.startswith("several"):
                self._refuse_here(held, RefusalKind.UNKNOWN, reason)
                return
            key = ("seek", held.id)
            core.peers.seeking[held.id] = held
            core.timers.set(key, core.now_s() + core.discovery_s, lambda: self._not_found(held))
            return
        core.peers.seeking.pop(held.id, None)
        core.timers.clear(("seek", held.id))
        parent = held.parent
        held.phase = HeldPhase.ASKED
        held.server = server
        held.server_boot = core.peers.boot_of(server)
        held.sent = Ask(
            held.id,
            core.name,
            core.boot,
            held.kind,
            held.request,
            held.who,
            core.edge(parent) if parent is not None else None,
            parent.depth + 1 if parent is not None else 0,
            held.exclusive,
            held.priority,
            held.wait,
            held.provisional,
            held.instead_of,
        )
        core.peers.holds(held)
        core.effects.append(Send(server, held.sent))

    def reprioritise(self, resource: Resource) -> None:
        """The resource's clients have changed: what it holds is held with the highest of their priorities."""
        if not resource.holds:
            return
        priority = resource.priority
        for held in resource.holds.values():
            if held.priority != priority:
                held.priority = priority
                if held.sent is not None:
                    self._core.effects.append(Send(held.server, Reprioritise(held.id, priority)))

    # -- what providers say

    def granted(self, sender: str, message: Grant) -> None:
        """A lease is live, or reserved. One that nobody here knows is given back at once."""
        core = self._core
        held = core.holds.get(message.lease)
        if held is None:
            core.effects.append(Send(sender, Release(message.lease)))
            return
        if held.server != sender or held.phase is HeldPhase.FAILED:
            return
        again = held.phase is HeldPhase.GRANTED
        reborn = message.resource.boot != held.server_boot or (
            held.edge is not None and held.edge != message.resource
        )
        if again and not reborn and message.sequence <= held.sequence:
            return
        held.sequence = message.sequence
        held.edge = message.resource
        held.server_boot = message.resource.boot
        held.value = message.handle
        held.generation = message.generation
        if again:
            if reborn:
                core.timers.clear(("reconnect", held.id))
                text = f"{sender} is back"
                self._deliver(held, Incident(core.incident(), Severity.UPDATE, text), climbs=False)
            return
        if not message.provisional:
            core.timers.clear(("ask", held.id))
        held.phase = HeldPhase.RESERVED if message.provisional else HeldPhase.GRANTED
        core.effects.append(Granted(held, message.provisional))
        parent = held.parent
        if held.provisional and held.phase is HeldPhase.GRANTED and parent is not None:
            for lent in list(parent.leases.values()):
                core.serving.settle(lent)

    def refused(self, sender: str, message: Refusal) -> None:
        """There will be no lease."""
        held = self._core.holds.get(message.lease)
        if held is None or held.server != sender or held.phase is HeldPhase.GRANTED:
            return
        self._refuse(held, message.kind, message.message, message.hops, message.circle, message.preempted_by)

    def queued(self, sender: str, message: Queued) -> None:
        """The request waits; its caller is told for whom and at which place."""
        held = self._core.holds.get(message.lease)
        if held is None or held.server != sender or held.is_live or held.phase is HeldPhase.FAILED:
            return
        held.phase = HeldPhase.QUEUED
        text = f"waiting for {message.holder}, place {message.place}"
        status = Status(self._core.incident(), Severity.OK, text, held.id)
        self._core.effects.append(Deliver(held, status, cancel=False))

    def told(self, sender: str, message: Tell) -> None:
        """Something happened to the resource behind a lease of ours."""
        held = self._core.holds.get(message.lease)
        if held is None or held.server != sender or not held.is_live or message.sequence <= held.sequence:
            return
        held.sequence = message.sequence
        if message.severity is Severity.UPDATE:
            held.value = message.handle
        incident = Incident(
            message.incident, message.severity, message.message, message.hops, message.preempted_by
        )
        if message.severity is Severity.FATAL:
            self.failed(held, incident)
        else:
            self._deliver(held, incident, climbs=message.severity is not Severity.UPDATE)

    def failed(self, held: Held, incident: Incident) -> None:
        """A lease is lost: its body ends, and so does the resource that stands on it."""
        core = self._core
        parent = held.parent
        core.timers.clear(("reconnect", held.id))
        held.phase = HeldPhase.FAILED
        stands_on_it = parent is not None and held.cancels and held.by_provider and parent.state.is_up
        stopping = parent is not None and held.by_provider and parent.state in _GOING
        # The provider of a resource that is up is ended by its own tear-down, parents first.
        cancel = held.cancels and not stands_on_it and not stopping
        status = Status(
            incident.id, Severity.FATAL, incident.message, held.id, incident.hops, incident.preempted_by
        )
        core.effects.append(Deliver(held, status, cancel))
        if stands_on_it and parent is not None:
            core.serving.fail(
                parent,
                incident.message,
                incident=incident.id,
                hops=incident.hops,
                preempted_by=incident.preempted_by,
            )
            core.serving.teardown(parent)

    def refuse_circle(self, held: Held, circle: tuple[str, ...]) -> None:
        """This request made a circle of dependencies."""
        if held.phase is HeldPhase.FAILED:
            return
        core = self._core
        message = "circular dependency: " + " → ".join(circle)
        if held.is_live:
            self.failed(
                held,
                Incident(core.incident(), Severity.FATAL, message, (Hop(core.name, circle[0], message),)),
            )
            return
        core.effects.append(Send(held.server, Release(held.id)))
        self._refuse(held, RefusalKind.CIRCLE, message, (Hop(core.name, circle[0], message),), circle)

    def server_lost(self, held: Held, why: str) -> None:
        """The registrar that lent it is gone for good."""
        hops = (Hop(held.server, repr(held.request), why),)
        if held.is_live:
            self.failed(held, Incident(self._core.incident(), Severity.FATAL, why, hops))
        elif held.phase is not HeldPhase.FAILED:
            self._refuse(held, RefusalKind.FAILED, why, hops)

    def warn(self, held: Held, text: str) -> None:
        """Something about the way to the provider, not the resource, is not as it should be."""
        hops = (Hop(held.server, repr(held.request), text),)
        self._deliver(held, Incident(self._core.incident(), Severity.WARNING, text, hops), climbs=True)

    def reassure(self, held: Held, text: str) -> None:
        """What was warned of is over."""
        self._core.timers.clear(("reconnect", held.id))
        hops = (Hop(held.server, repr(held.request), text),)
        self._deliver(held, Incident(self._core.incident(), Severity.OK, text, hops), climbs=True)

    # -- inside

    def _deliver(self, held: Held, incident: Incident, *, climbs: bool) -> None:
        status = Status(
            incident.id,
            incident.severity,
            incident.message,
            held.id,
            incident.hops,
            incident.preempted_by,
        )
        self._core.effects.append(Deliver(held, status, cancel=False))
        if climbs and held.parent is not None:
            self._core.serving.climb(held.parent, incident)

    def _provider_of(self, held: Held) -> tuple[str | None, str]:
        core = self._core
        if held.at is not None:
            if held.at == core.name or held.at in core.peers.known:
                return held.at, ""
            present = ", ".join(sorted(core.peers.known)) or "none"
            return None, f"there is no registrar named {held.at!r}; present are {present}"
        names = core.peers.providers.get(held.kind, ())
        if held.kind in core.provided:
            names = (core.name, *names)
        if len(names) == 1:
            return names[0], ""
        if names:
            return None, (
                f"several registrars provide {held.kind}: {', '.join(names)}; say which one with at=..."
            )
        return None, f"nobody provides {held.kind}: no registrar that does has been entered"

    def _not_found(self, held: Held) -> None:
        core = self._core
        core.peers.seeking.pop(held.id, None)
        _, reason = self._provider_of(held)
        self._refuse_here(held, RefusalKind.UNKNOWN, f"{reason} (waited {core.discovery_s} s)")

    def _timed_out(self, held: Held, timeout_s: float) -> None:
        if held.phase in (HeldPhase.GRANTED, HeldPhase.FAILED):
            return
        waited = "waited in the queue" if held.phase is HeldPhase.QUEUED else "no answer"
        text = f"{waited} for {timeout_s} s"
        if held.sent is not None:
            self._core.effects.append(Send(held.server, Release(held.id)))
        self._refuse_here(held, RefusalKind.FAILED, text)

    def _refuse_here(self, held: Held, kind: RefusalKind, message: str) -> None:
        self._refuse(held, kind, message, (Hop(held.server or self._core.name, repr(held.request), message),))

    def _refuse(
        self,
        held: Held,
        kind: RefusalKind,
        message: str,
        hops: tuple[Hop, ...],
        circle: tuple[str, ...] = (),
        preempted_by: str = "",
    ) -> None:
        core = self._core
        held.phase = HeldPhase.FAILED
        status = Status(core.incident(), Severity.FATAL, message, held.id, hops, preempted_by)
        self._forget(held)
        core.effects.append(Refused(held, kind, status, circle))

    def _let_go(self, held: Held) -> None:
        if held.sent is not None:
            self._core.effects.append(Send(held.server, Release(held.id)))
        self._forget(held)

    def _forget(self, held: Held) -> None:
        core = self._core
        if core.holds.pop(held.id, None) is None:
            return
        core.timers.clear(("ask", held.id))
        core.timers.clear(("seek", held.id))
        core.timers.clear(("reconnect", held.id))
        core.peers.seeking.pop(held.id, None)
        core.peers.holds_no_more(held)
        if held.parent is not None:
            held.parent.holds.pop(held.id, None)


_GOING = frozenset({ResourceState.STOPPING, ResourceState.FAILED})
