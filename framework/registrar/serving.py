"""The life of the resources this registrar provides: loaded once, shared, told about, unloaded once.

A resource is up exactly while a lease on it lives. Sub-resources are leases
its provider holds; they go down after it because the provider leaves them
last. A resource that failed is told about at once and torn down when the
resources above it are gone, so that slow stops never delay the news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from framework.errors import RequestTypeError
from framework.registrar.circles import MAX_DEPTH
from framework.registrar.effects import Abandon, Deed, Holder, Persist, Retry, Send, Start, Stop
from framework.registrar.keys import converted, key_of
from framework.registrar.records import HeldPhase, Incident, Lent, LentPhase, Resource, ResourceState
from framework.status import Hop, Severity
from framework.transport.messages import Ask, Commit, Grant, Refusal, RefusalKind, Release, Reprioritise, Tell

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore

#: How many released leases and passed incidents are remembered against late and doubled messages.
MEMORY = 4096


class Serving:
    """The rules for everything one core provides."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self._released: dict[str, None] = {}

    # -- what clients say

    def ask(self, sender: str, ask: Ask) -> None:
        """A client wants a lease: share, load, queue or refuse."""
        core = self._core
        known = core.leases.get(ask.lease)
        if known is not None:
            if known.ask.client == sender:
                self._asked_again(known)
            return
        if ask.lease in self._released or sender != ask.client:
            return
        refusal = self._unservable(ask)
        if refusal is not None:
            self._send_refusal(ask, *refusal)
            return
        provided = core.provided[ask.kind]
        try:
            request = converted(provided.request_type, ask.request)
            key = key_of(request)
        except RequestTypeError as error:
            self._send_refusal(ask, RefusalKind.MALFORMED, str(error))
            return
        resource = core.by_key.get(key)
        if resource is None:
            resource = Resource(core.number(), key, request, provided.policy, ask.depth)
            core.resources[resource.number] = resource
            core.by_key[key] = resource
        elif ask.parent is not None and ask.parent == core.edge(resource):
            label = core.label(resource)
            self._send_refusal(
                ask, RefusalKind.CIRCLE, f"{label} would wait for itself", circle=(label, label)
            )
            return
        lent = self._lend(ask, resource)
        self._launch(resource)
        if lent.exclusive and not core.access.claim(lent):
            return
        core.circles.new_edge(resource, ask)
        self.settle(lent)

    def commit(self, sender: str, message: Commit) -> None:
        """A reserved lease is wanted in earnest."""
        lent = self._lent_to(sender, message.lease)
        if lent is None or lent.committed:
            return
        lent.committed = True
        if lent.exclusive:
            self._core.access.reconsider(lent.resource)
        self.settle(lent)

    def release(self, sender: str, message: Release) -> None:
        """A client has left. Unknown leases are remembered, in case their request comes late."""
        lent = self._core.leases.get(message.lease)
        if lent is None:
            self._remember(message.lease)
        elif lent.ask.client == sender:
            self.drop(lent, f"{lent.ask.who} left")

    def reprioritise(self, sender: str, message: Reprioritise) -> None:
        """The clients behind a lease have changed."""
        lent = self._lent_to(sender, message.lease)
        if lent is None or lent.priority == message.priority:
            return
        if lent.phase is not LentPhase.ENDED:
            lent.resource.counts[lent.priority] -= 1
            lent.resource.counts[message.priority] += 1
        lent.priority = message.priority
        self._core.holding.reprioritise(lent.resource)
        if lent.exclusive:
            self._core.access.reprioritised(lent)

    def restore(self, ask: Ask) -> None:
        """A lease from the catalog of our former incarnation: kept for its client, who has to reconfirm it.

        Nothing is started before somebody does; an exclusive one keeps others out meanwhile.
        """
        core = self._core
        provided = core.provided[ask.kind]
        request = converted(provided.request_type, ask.request)
        key = key_of(request)
        resource = core.by_key.get(key)
        if resource is None:
            resource = Resource(core.number(), key, request, provided.policy, ask.depth)
            core.resources[resource.number] = resource
            core.by_key[key] = resource
        lent = self._lend(ask, resource)
        lent.confirmed = False
        if lent.exclusive:
            core.access.claim(lent)
        core.timers.set(
            ("reconfirm", lent.id),
            core.now_s() + core.policy.reconfirm_s,
            lambda: self._reconfirm_timed_out(lent),
        )

    def close(self) -> None:
        """The registrar is being left: everybody is told, everything goes down, parents first."""
        core = self._core
        for resource in list(core.resources.values()):
            self.fail(resource, f"{core.name} is closing")
            self.teardown(resource)

    # -- what providers say

    def started(self, number: int, handle: Any, *, moving: bool = False) -> bool:
        """The provider is at its `yield`. False: nobody wants it any more, it should go on."""
        core = self._core
        resource = core.resources.get(number)
        if resource is None or resource.state is not ResourceState.STARTING:
            return False
        core.timers.clear(("start", number))
        resource.state = ResourceState.READY
        resource.handle = handle
        resource.moving = moving
        core.record(Deed.READY, resource)
        for lent in list(resource.leases.values()):
            self.settle(lent)
        return True

    def ended(
        self, number: int, error: str | None, hops: tuple[Hop, ...] = (), preempted_by: str = ""
    ) -> None:
        """The provider is over, in whatever way; what it still holds is released."""
        core = self._core
        resource = core.resources.get(number)
        if resource is None or not resource.running:
            return
        resource.running = False
        if core.running.get(resource.key) is resource:
            del core.running[resource.key]
        core.timers.clear(("start", number))
        core.timers.clear(("stop", number))
        for held in list(resource.holds.values()):
            core.holding.abandon(held, f"{resource.label} is over")
        if resource.state is ResourceState.STARTING or resource.state.is_up:
            self.fail(resource, error or "ended by itself", hops=hops, preempted_by=preempted_by)
        elif error is not None and resource.state is ResourceState.STOPPING:
            core.record(Deed.REPORT, resource, why=f"stopping raised: {error}")
        waiting = core.by_key.get(resource.key)
        if waiting is not None and waiting.state is ResourceState.STARTING and not waiting.running:
            self._run(waiting)
        self.settle_idle(resource)

    def report(self, number: int, severity: Severity, message: str) -> None:
        """The provider says how it is; FATAL fails it."""
        resource = self._core.resources.get(number)
        if resource is None:
            return
        if severity is Severity.FATAL:
            self.fail(resource, message)
            self.teardown(resource)
            return
        if not resource.state.is_up:
            return
        if severity is Severity.OK:
            self._enter(resource, ResourceState.READY, "")
        elif severity in (Severity.WARNING, Severity.ERROR):
            self._enter(resource, ResourceState.DEGRADED, message)
        self._tell_all(resource, self._own_incident(resource, severity, message))

    def condition(
        self, number: int, state: ResourceState, detail: str, next_attempt_s: float | None, tries: int
    ) -> None:
        """The provider retries, or needs a human: a WARNING that says so."""
        resource = self._core.resources.get(number)
        if resource is None or not resource.state.is_up:
            return
        self._enter(resource, state, detail, next_attempt_s, tries)
        self._tell_all(resource, self._own_incident(resource, Severity.WARNING, f"{state}: {detail}"))

    def update(self, number: int, handle: Any, message: str, because: Incident | None = None) -> None:
        """The provider has a new handle. `because` makes a failure and its substitute one incident."""
        resource = self._core.resources.get(number)
        if resource is None or not (resource.state.is_up or resource.state is ResourceState.STARTING):
            return
        resource.handle = handle
        if not resource.state.is_up:
            return
        self._enter(resource, ResourceState.READY, "")
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

    # -- how a resource fails and goes

    def climb(self, resource: Resource, incident: Incident) -> None:
        """Something said about a sub-resource concerns everybody above, once."""
        if not resource.state.is_up or self._has_seen(resource, incident.id):
            return
        if incident.severity is Severity.OK:
            self._enter(resource, ResourceState.READY, "")
        else:
            self._enter(resource, ResourceState.DEGRADED, incident.message)
        self._tell_all(resource, self._with_own_hop(resource, incident))

    def fail(
        self,
        resource: Resource,
        message: str,
        *,
        incident: str = "",
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
    ) -> None:
        """FATAL: everyone who has it is told, everyone who waits for it is refused, nobody new gets it."""
        core = self._core
        if resource.state is ResourceState.FAILED or resource.state is ResourceState.STOPPING:
            return
        if core.by_key.get(resource.key) is resource:
            del core.by_key[resource.key]
        core.timers.clear(("start", resource.number))
        was_up = resource.state.is_up
        resource.state = ResourceState.FAILED
        resource.detail = message
        core.record(Deed.FAIL, resource, why=message)
        fatal = Incident(
            incident or core.incident(),
            Severity.FATAL,
            message,
            (*hops, Hop(core.name, resource.label, message)),
            preempted_by,
        )
        holder, resource.holder = resource.holder, None
        resource.queue.clear()
        core.timers.clear(("grace", resource.number))
        for lent in list(resource.leases.values()):
            if lent.phase is LentPhase.GRANTED:
                self.tell(lent, fatal)
                self.end(lent)
            elif lent.phase is not LentPhase.ENDED:
                self.refuse(lent, RefusalKind.FAILED, message, fatal.hops, preempted_by=preempted_by)
        if was_up and holder is not None and holder.commanded:
            core.effects.append(Holder(resource.number, "", holder.generation))
            if resource.moving:
                core.access.make_safe(resource, message)

    def teardown(self, resource: Resource) -> None:
        """A failed resource goes down: at rest first, after everything above it, within bounds."""
        if resource.number not in self._core.resources:
            return
        core = self._core
        if resource.making_safe:
            return
        if resource.running and any(lent.ask.parent is not None for lent in resource.leases.values()):
            if not resource.outliving:
                resource.outliving = True
                core.timers.set(
                    ("teardown", resource.number),
                    core.now_s() + resource.policy.stop_timeout_s,
                    lambda: self._halt(resource),
                )
            return
        self._halt(resource)

    def settle_idle(self, resource: Resource) -> None:
        """Leases have gone: stop what nobody uses, forget what is over."""
        core = self._core
        if resource.number not in core.resources or resource.making_safe:
            return
        if resource.state is ResourceState.FAILED:
            if resource.running:
                self.teardown(resource)
            elif not resource.leases:
                self._forget(resource)
        elif not resource.leases:
            if resource.state is not ResourceState.STOPPING:
                if core.by_key.get(resource.key) is resource:
                    del core.by_key[resource.key]
                core.timers.clear(("start", resource.number))
                resource.state = ResourceState.STOPPING
                core.record(Deed.STOP, resource, why="nobody uses it")
                self._halt(resource)
            elif not resource.running:
                self._forget(resource)

    def settle(self, lent: Lent) -> None:
        """Grant or reserve this lease if everything is in place."""
        core = self._core
        resource = lent.resource
        if not resource.state.is_up or lent.phase is LentPhase.GRANTED or lent.phase is LentPhase.ENDED:
            return
        if lent.exclusive and not core.access.may_enter(lent):
            return
        if not lent.committed:
            if lent.phase is not LentPhase.RESERVED:
                lent.phase = LentPhase.RESERVED
                self._send_grant(lent)
            return
        if resource.holds and resource.has_uncommitted_holds:
            core.holding.commit(resource)
            return
        if lent.exclusive:
            core.access.grant(lent)
        lent.phase = LentPhase.GRANTED
        core.record(Deed.GRANT, resource, who=lent.ask.who, lease=lent.id, generation=lent.generation)
        if core.durable:
            core.effects.append(Persist(lent.ask, lent.generation))
        self._send_grant(lent)

    # -- single leases

    def tell(self, lent: Lent, incident: Incident, handle: Any = None) -> None:
        """Tell one lease, under its own id and number."""
        self._core.effects.append(
            Send(
                lent.ask.client,
                Tell(
                    lent.id,
                    lent.next_sequence(),
                    incident.id,
                    incident.severity,
                    incident.message,
                    incident.hops,
                    incident.preempted_by,
                    handle,
                ),
            )
        )

    def end(self, lent: Lent) -> None:
        """The lease is over for its client; the entry stays until the client has left."""
        if lent.phase is not LentPhase.ENDED:
            lent.phase = LentPhase.ENDED
            lent.resource.counts[lent.priority] -= 1
            self._core.holding.reprioritise(lent.resource)

    def refuse(
        self,
        lent: Lent,
        kind: RefusalKind,
        message: str,
        hops: tuple[Hop, ...] = (),
        circle: tuple[str, ...] = (),
        preempted_by: str = "",
    ) -> None:
        """There will be no lease: forget the request and say why."""
        core = self._core
        core.record(Deed.REFUSE, lent.resource, who=lent.ask.who, why=message, lease=lent.id)
        self._send_refusal(lent.ask, kind, message, hops or self._here(lent, message), circle, preempted_by)
        self._remove(lent, message)

    def drop(self, lent: Lent, why: str) -> None:
        """The client is gone, of itself or reaped."""
        self._remember(lent.id)
        self._remove(lent, why)

    # -- inside

    def _lend(self, ask: Ask, resource: Resource) -> Lent:
        core = self._core
        lent = Lent(ask, resource, core.number())
        core.leases[lent.id] = lent
        resource.leases[lent.id] = lent
        resource.counts[lent.priority] += 1
        if resource.holds:
            core.holding.reprioritise(resource)
        core.peers.lent(lent)
        return lent

    def _remove(self, lent: Lent, why: str) -> None:
        core = self._core
        resource = lent.resource
        del core.leases[lent.id]
        del resource.leases[lent.id]
        if lent.phase is not LentPhase.ENDED:
            resource.counts[lent.priority] -= 1
        core.peers.returned(lent)
        if core.durable and (lent.phase is LentPhase.GRANTED or lent.phase is LentPhase.ENDED):
            core.effects.append(Persist(lent.id))
        if lent.exclusive:
            core.access.leave(lent, why)
        if resource.leases and resource.holds:
            core.holding.reprioritise(resource)
        self.settle_idle(resource)

    def _launch(self, resource: Resource) -> None:
        """Start it, or wait for the tear-down of its predecessor, at most that one's `stop_timeout_s`."""
        core = self._core
        if resource.launched:
            return
        resource.launched = True
        predecessor = core.running.get(resource.key)
        if predecessor is None:
            self._run(resource)
            return
        core.timers.set(
            ("succeed", resource.number),
            core.now_s() + predecessor.policy.stop_timeout_s,
            lambda: self._abandon(predecessor),
        )

    def _run(self, resource: Resource) -> None:
        core = self._core
        core.timers.clear(("succeed", resource.number))
        resource.running = True
        core.running[resource.key] = resource
        timeout_s = resource.policy.start_timeout_s
        core.timers.set(
            ("start", resource.number), core.now_s() + timeout_s, lambda: self._start_timed_out(resource)
        )
        core.record(Deed.START, resource)
        core.effects.append(Start(resource.number))

    def _start_timed_out(self, resource: Resource) -> None:
        self.fail(resource, f"did not start within {resource.policy.start_timeout_s} s")
        self._halt(resource)

    def _halt(self, resource: Resource) -> None:
        """End the provider, if it still runs."""
        core = self._core
        core.timers.clear(("teardown", resource.number))
        if not resource.running:
            core.timers.clear(("succeed", resource.number))
            self.settle_idle(resource)
            return
        if resource.halting:
            return
        resource.halting = True
        core.timers.set(
            ("stop", resource.number),
            core.now_s() + resource.policy.stop_timeout_s,
            lambda: self._abandon(resource),
        )
        through = next(
            (
                held.id
                for held in resource.holds.values()
                if held.by_provider and held.cancels and held.phase is HeldPhase.FAILED
            ),
            "",
        )
        core.effects.append(Stop(resource.number, through))

    def _abandon(self, resource: Resource) -> None:
        if not resource.running:
            return
        self._core.record(
            Deed.ABANDON, resource, why=f"did not stop within {resource.policy.stop_timeout_s} s"
        )
        self._core.effects.append(Abandon(resource.number))
        self.ended(resource.number, None)

    def _forget(self, resource: Resource) -> None:
        core = self._core
        for key in ("start", "stop", "safe", "grace", "teardown", "succeed"):
            core.timers.clear((key, resource.number))
        core.resources.pop(resource.number, None)

    def _unservable(self, ask: Ask) -> tuple[RefusalKind, str] | None:
        core = self._core
        if core.closed:
            return RefusalKind.CLOSED, f"{core.name} is closing"
        if ask.kind not in core.provided:
            known = ", ".join(sorted(core.provided)) or "nothing"
            return RefusalKind.UNKNOWN, f"{core.name} does not provide {ask.kind}; it provides {known}"
        if ask.depth > MAX_DEPTH:
            return (
                RefusalKind.CIRCLE,
                f"{ask.request!r} is the {ask.depth}th dependency in a row, {MAX_DEPTH} are allowed: "
                "does each one ask for a further one?",
            )
        return None

    def _send_refusal(
        self,
        ask: Ask,
        kind: RefusalKind,
        message: str,
        hops: tuple[Hop, ...] = (),
        circle: tuple[str, ...] = (),
        preempted_by: str = "",
    ) -> None:
        hops = hops or (Hop(self._core.name, repr(ask.request), message),)
        self._core.effects.append(
            Send(ask.client, Refusal(ask.lease, kind, message, hops, circle, preempted_by))
        )

    def _send_grant(self, lent: Lent) -> None:
        core = self._core
        core.effects.append(
            Send(
                lent.ask.client,
                Grant(
                    lent.id,
                    core.edge(lent.resource),
                    lent.resource.handle,
                    lent.generation,
                    lent.next_sequence(),
                    provisional=lent.phase is LentPhase.RESERVED,
                ),
            )
        )

    def _asked_again(self, lent: Lent) -> None:
        """A doubled request, or a client that reconfirms a lease after we were restarted."""
        lent.confirmed = True
        if lent.is_live:
            self._send_grant(lent)
        else:
            self._launch(lent.resource)

    def _reconfirm_timed_out(self, lent: Lent) -> None:
        if not lent.confirmed and lent.id in self._core.leases:
            why = f"not reconfirmed within {self._core.policy.reconfirm_s} s of our restart"
            self._core.record(Deed.REAP, lent.resource, who=lent.ask.who, why=why, lease=lent.id)
            self.drop(lent, why)

    def _lent_to(self, client: str, lease: str) -> Lent | None:
        lent = self._core.leases.get(lease)
        return lent if lent is not None and lent.ask.client == client else None

    def _remember(self, lease: str) -> None:
        self._released[lease] = None
        if len(self._released) > MEMORY:
            del self._released[next(iter(self._released))]

    def _here(self, lent: Lent, message: str) -> tuple[Hop, ...]:
        return (Hop(self._core.name, lent.resource.label, message),)

    def _own_incident(self, resource: Resource, severity: Severity, message: str) -> Incident:
        hop = Hop(self._core.name, resource.label, message)
        return Incident(self._core.incident(), severity, message, (hop,))

    def _with_own_hop(self, resource: Resource, incident: Incident) -> Incident:
        hop = Hop(self._core.name, resource.label, "")
        return Incident(
            incident.id, incident.severity, incident.message, (*incident.hops, hop), incident.preempted_by
        )

    def _tell_all(self, resource: Resource, incident: Incident) -> None:
        handle = resource.handle if incident.severity is Severity.UPDATE else None
        for lent in resource.leases.values():
            if lent.is_live:
                self.tell(lent, incident, handle)

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
        resource.next_attempt_s = next_attempt_s
        resource.tries = tries

    def _has_seen(self, resource: Resource, incident: str) -> bool:
        seen = resource.seen
        if seen is None:
            seen = resource.seen = {}
        if incident in seen:
            return True
        seen[incident] = None
        if len(seen) > 64:
            del seen[next(iter(seen))]
        return False
