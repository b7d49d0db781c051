"""What clients say, and what becomes of each lease: asked for, granted, told about, refused, dropped.

A resource is up exactly while a lease on it lives; how it comes up and goes
down is in `lifecycle`, what is said about it meanwhile in `conditions`, and who
may command an exclusive one in `access`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from framework.errors import RequestTypeError
from framework.registrar.circles import MAX_DEPTH
from framework.registrar.effects import Commanded, Deed, Persist, Record, Send
from framework.registrar.keys import Key, converted, key_of
from framework.registrar.records import Incident, Lent, LentPhase, ProviderPolicy, Resource
from framework.status import Hop, Priority, Reason, ReasonKind
from framework.transport.messages import (
    Ask,
    Command,
    Commit,
    Grant,
    Refusal,
    Release,
    Reprioritise,
    Tell,
)

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore

#: How many leases that are over are remembered against requests that come late.
MEMORY = 4096


class Serving:
    """The rules for every lease one core lends."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core
        self._over: dict[str, Refusal | None] = {}

    def ask(self, sender: str, ask: Ask) -> None:
        """A client wants a lease: share, load, queue or refuse."""
        core = self._core
        known = core.leases.get(ask.lease)
        if known is not None:
            if known.ask.client == sender:
                self._asked_again(known, ask)
            return
        if sender != ask.client:
            return
        if ask.lease in self._over:
            # One life a lease, as its news is numbered once; whoever still waits for an answer gets it.
            if (refusal := self._over[ask.lease]) is not None:
                core.effects.append(Send(sender, refusal))
                return
            text = f"{core.name} has seen the end of this lease already: make a new request"
            self._turn_away(ask, Reason(ReasonKind.CLOSED), text)
            return
        if (unservable := self._unservable(ask)) is not None:
            self._turn_away(ask, *unservable)
            return
        provided = core.provided[ask.kind]
        try:
            request = converted(provided.request_type, ask.request)
            key = key_of(request)
        except RequestTypeError as error:
            self._turn_away(ask, Reason(ReasonKind.MALFORMED), str(error))
            return
        resource = core.by_key.get(key)
        if resource is None:
            resource = self._new_resource(key, request, provided.policy, ask.depth)
        elif ask.parent is not None and ask.parent == core.edge(resource):
            label = core.label(resource)
            text = f"{label} would wait for itself"
            self._turn_away(ask, Reason(ReasonKind.CIRCLE, circle=(label, label)), text)
            return
        lent = self._lend(ask, resource)
        if lent.exclusive and not core.access.claim(lent):
            return
        core.lifecycle.launch(resource)
        core.circles.new_edge(resource, ask)
        self.settle(lent)

    def commit(self, sender: str, message: Commit) -> None:
        """A reserved lease is wanted in earnest."""
        lent = self._lent_to(sender, message.lease)
        if lent is None or lent.committed:
            return
        self._commit(lent)

    def release(self, sender: str, message: Release) -> None:
        """A client has left. Unknown leases are remembered, in case their request comes late."""
        lent = self._core.leases.get(message.lease)
        if lent is None:
            self._remember(message.lease)
        elif lent.ask.client == sender:
            lent.by_word, lent.why_left = message.by_word, message.why
            self.drop(lent, message.why or f"{lent.who} left")

    def command(self, sender: str, message: Command) -> None:
        """A client wants something done: only the present holder's commands reach the provider, in order."""
        lent = self._lent_to(sender, message.lease)
        if lent is None or lent.phase is not LentPhase.GRANTED or message.generation != lent.generation:
            return
        if (lent.exclusive and lent.resource.holder is not lent) or message.sequence <= lent.commands:
            return
        lent.commands = message.sequence
        self._core.effects.append(Commanded(lent.resource.number, message))

    def reprioritise(self, sender: str, message: Reprioritise) -> None:
        """The clients behind a lease have changed."""
        lent = self._lent_to(sender, message.lease)
        if lent is not None:
            if (message.who and message.who != lent.who) or message.permit != lent.permit:
                lent.who, lent.permit = message.who or lent.who, message.permit
                self._core.beats.lent_changed(lent)
                self._core.holding.reprioritise(lent.resource)
            self._set_priority(lent, message.priority)

    def restore(self, ask: Ask) -> None:
        """A lease from the catalog of our former incarnation: kept for its client, who has to reconfirm it.

        Nothing is started before somebody does; an exclusive one keeps others out meanwhile.
        """
        core = self._core
        client = core.peers.known.get(ask.client)
        if (
            ask.lease in self._over
            or ask.client == core.name
            or (client is not None and client.boot != ask.boot)
        ):
            # Given back meanwhile, or its client was restarted too (or was ourselves).
            core.effects.append(Persist(ask.lease))
            return
        provided = core.provided[ask.kind]
        request = converted(provided.request_type, ask.request)
        key = key_of(request)
        resource = core.by_key.get(key) or self._new_resource(key, request, provided.policy, ask.depth)
        lent = self._lend(ask, resource)
        lent.persisted = True
        lent.committed = True
        lent.confirmed = False
        core.beats.lent_changed(lent)
        if lent.exclusive:
            core.access.claim(lent)
        core.timers.set(
            ("reconfirm", lent.id),
            core.now_s() + core.policy.reconfirm_s,
            lambda: self._reconfirm_timed_out(lent),
        )

    def settle(self, lent: Lent) -> None:
        """Grant or reserve this lease if everything is in place."""
        core = self._core
        resource = lent.resource
        if not resource.state.is_up or lent.phase is LentPhase.GRANTED or lent.phase is LentPhase.ENDED:
            return
        if not lent.confirmed:
            return
        if lent.exclusive and (core.access.refuse_without_word(lent) or not core.access.may_enter(lent)):
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
        core.record(Deed.GRANT, resource, who=lent.who, lease=lent.id, generation=lent.generation)
        if core.durable:
            lent.persisted = True
            core.effects.append(Persist(lent.ask, lent.generation))
        self._send_grant(lent)

    def tell(self, lent: Lent, incident: Incident, handle: Any = None) -> None:
        """Tell one lease, under its own id and number."""
        sequence = lent.next_sequence()
        self._core.beats.lent_changed(lent)
        self._core.effects.append(
            Send(
                lent.ask.client,
                Tell(
                    lent.id,
                    sequence,
                    incident.id,
                    incident.severity,
                    incident.message,
                    incident.hops,
                    incident.preempted_by,
                    handle,
                    incident.reason,
                ),
            )
        )

    def repeat(self, lent: Lent) -> bool:
        """Say once more that it was granted, or how it ended; False if there is no such thing to be said."""
        if lent.is_live:
            self._send_grant(lent)
        elif lent.ending is not None:
            self.tell(lent, lent.ending)
        else:
            return False
        return True

    def end(self, lent: Lent, why: Incident) -> None:
        """The lease is over for its client; the entry stays until the client has left."""
        if lent.phase is not LentPhase.ENDED:
            lent.phase = LentPhase.ENDED
            lent.ending = why
            lent.resource.counts[lent.priority] -= 1
            if lent.persisted:
                # After a restart of ours it is to keep nobody out.
                lent.persisted = False
                self._core.effects.append(Persist(lent.id))
            self._core.holding.reprioritise(lent.resource)

    def refuse(
        self,
        lent: Lent,
        reason: Reason,
        message: str,
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
    ) -> None:
        """There will be no lease: forget the request and say why."""
        core = self._core
        core.record(Deed.REFUSE, lent.resource, who=lent.who, why=message, lease=lent.id)
        hops = hops or self._here(lent, message)
        self._remember(lent.id, self._send_refusal(lent.ask, reason, message, hops, preempted_by))
        self._remove(lent, message)

    def drop(self, lent: Lent, why: str) -> None:
        """The client is gone, of itself or reaped."""
        self._remember(lent.id)
        self._remove(lent, why)

    def disown(self, lease: str) -> None:
        """A client believes to hold a lease that is none: it is not to become one by asking again."""
        self._remember(lease)

    # -- inside

    def _lend(self, ask: Ask, resource: Resource) -> Lent:
        core = self._core
        lent = Lent(ask, resource, core.number())
        core.leases[lent.id] = lent
        resource.leases[lent.id] = lent
        resource.counts[lent.priority] += 1
        if resource.holds:
            core.holding.reprioritise(resource)
        core.beats.lent(lent)
        return lent

    def _remove(self, lent: Lent, why: str) -> None:
        core = self._core
        resource = lent.resource
        del core.leases[lent.id]
        del resource.leases[lent.id]
        if lent.phase is not LentPhase.ENDED:
            resource.counts[lent.priority] -= 1
        core.beats.returned(lent)
        if not lent.confirmed:
            core.timers.clear(("reconfirm", lent.id))
        if lent.persisted:
            core.effects.append(Persist(lent.id))
        resource.ended_by_word = lent.by_word
        if lent.exclusive:
            core.access.leave(lent, why)
        if resource.leases and resource.holds:
            core.holding.reprioritise(resource)
        core.lifecycle.settle_idle(resource)

    def _unservable(self, ask: Ask) -> tuple[Reason, str] | None:
        core = self._core
        if core.closed:
            return Reason(ReasonKind.CLOSED), f"{core.name} is closing"
        if ask.kind not in core.provided:
            known = ", ".join(sorted(core.provided)) or "nothing"
            text = f"{core.name} does not provide {ask.kind}; it provides {known}"
            return Reason(ReasonKind.UNKNOWN), text
        if ask.depth > MAX_DEPTH:
            return (
                Reason(ReasonKind.FAILED),
                f"{ask.request!r} is the {ask.depth}th dependency in a row, {MAX_DEPTH} are allowed: "
                "does each one ask for a further one?",
            )
        return None

    def _turn_away(self, ask: Ask, reason: Reason, message: str) -> None:
        """Refuse what never came to be a lease."""
        self._core.effects.append(Record(Deed.REFUSE, ask.request, ask.who, message, ask.lease))
        self._send_refusal(ask, reason, message)

    def _send_refusal(
        self,
        ask: Ask,
        reason: Reason,
        message: str,
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
    ) -> Refusal:
        hops = hops or (Hop(self._core.name, str(ask.request), message),)
        refusal = Refusal(ask.lease, reason, message, hops, preempted_by)
        self._core.effects.append(Send(ask.client, refusal))
        return refusal

    def _send_grant(self, lent: Lent) -> None:
        core = self._core
        sequence = lent.next_sequence()
        core.beats.lent_changed(lent)
        core.effects.append(
            Send(
                lent.ask.client,
                Grant(
                    lent.id,
                    core.edge(lent.resource),
                    lent.resource.handle,
                    lent.generation,
                    sequence,
                    provisional=lent.phase is LentPhase.RESERVED,
                ),
            )
        )

    def _asked_again(self, lent: Lent, ask: Ask) -> None:
        """A doubled request, a client that reconfirms after our restart, or one that missed something.

        What it asks for now counts; it is told how things stand.
        """
        core = self._core
        if not lent.confirmed:
            lent.confirmed = True
            core.beats.lent_changed(lent)
            core.timers.clear(("reconfirm", lent.id))
        before = lent.sequence
        lent.permit = ask.permit
        self._set_priority(lent, ask.priority)
        if not ask.provisional:
            self._commit(lent)
        if core.leases.get(lent.id) is not lent or lent.sequence != before:
            return
        if self.repeat(lent):
            return
        if lent.phase is not LentPhase.QUEUED:
            core.lifecycle.launch(lent.resource)
            self.settle(lent)
        if lent.sequence == before:
            core.access.tell_place(lent)

    def _set_priority(self, lent: Lent, priority: Priority) -> None:
        if lent.priority == priority:
            return
        if lent.phase is not LentPhase.ENDED:
            lent.resource.counts[lent.priority] -= 1
            lent.resource.counts[priority] += 1
        lent.priority = priority
        self._core.beats.lent_changed(lent)
        self._core.holding.reprioritise(lent.resource)
        if lent.exclusive:
            self._core.access.reprioritised(lent)

    def _commit(self, lent: Lent) -> None:
        if lent.committed:
            return
        lent.committed = True
        self._core.beats.lent_changed(lent)
        if lent.exclusive:
            self._core.access.reconsider(lent.resource)
        self.settle(lent)

    def _new_resource(self, key: Key, request: Any, policy: ProviderPolicy, depth: int) -> Resource:
        core = self._core
        resource = Resource(core.number(), key, request, policy, depth)
        core.resources[resource.number] = resource
        core.by_key[key] = resource
        return resource

    def _reconfirm_timed_out(self, lent: Lent) -> None:
        if not lent.confirmed and lent.id in self._core.leases:
            why = f"not reconfirmed within {self._core.policy.reconfirm_s} s of our restart"
            self._core.record(Deed.REAP, lent.resource, who=lent.who, why=why, lease=lent.id)
            self.drop(lent, why)

    def _lent_to(self, client: str, lease: str) -> Lent | None:
        lent = self._core.leases.get(lease)
        return lent if lent is not None and lent.ask.client == client else None

    def _remember(self, lease: str, refusal: Refusal | None = None) -> None:
        self._over[lease] = refusal
        if len(self._over) > MEMORY:
            del self._over[next(iter(self._over))]

    def _here(self, lent: Lent, message: str) -> tuple[Hop, ...]:
        return (Hop(self._core.name, lent.resource.label, message),)
