"""What clients say, and what becomes of each lease: asked for, granted, told about, refused, dropped.

A resource is up exactly while a lease on it lives; how it comes up and goes
down is in `lifecycle`, what is said about it meanwhile in `conditions`, and who
may command an exclusive one in `access`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from framework.errors import RequestTypeError
from framework.interlock import Permit
from framework.registrar.circles import MAX_DEPTH
from framework.registrar.effects import Commanded, JournalKind, Persist, Record, Send
from framework.registrar.keys import Key, converted, key_of
from framework.registrar.records import Incident, ProviderPolicy, Resource, ServerLease, ServerPhase
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
        served = self._lend(ask, resource)
        if served.exclusive and not core.access.claim(served):
            return
        core.lifecycle.launch(resource)
        core.circles.new_edge(resource, ask)
        self.settle(served)

    def commit(self, sender: str, message: Commit) -> None:
        """A reserved lease is wanted in earnest."""
        served = self._served_to(sender, message.lease)
        if served is None or served.committed:
            return
        self._commit(served)

    def release(self, sender: str, message: Release) -> None:
        """A client has left. Unknown leases are remembered, in case their request comes late."""
        served = self._core.leases.get(message.lease)
        if served is None:
            self._remember(message.lease)
        elif served.ask.client == sender:
            served.by_word, served.why_left = message.by_word, message.why
            self.drop(served, message.why or f"{served.who} left")

    def command(self, sender: str, message: Command) -> None:
        """A client wants something done: its commands reach the provider in order, if it may command.

        What moves only its exclusive holder commands: nobody else's end would bring it to rest.
        """
        served = self._served_to(sender, message.lease)
        if (
            served is None
            or served.phase is not ServerPhase.GRANTED
            or message.generation != served.generation
        ):
            return
        if (served.exclusive and served.resource.holder is not served) or message.sequence <= served.commands:
            return
        is_first, served.commands = not served.commands, message.sequence
        if served.resource.moving and not served.exclusive:
            if is_first:
                why = "it moves: only who has it for itself alone commands it"
                self._core.record(
                    JournalKind.REFUSE, served.resource, who=served.who, why=why, lease=served.id
                )
            return
        self._core.effects.append(Commanded(served.resource.number, message))

    def reprioritise(self, sender: str, message: Reprioritise) -> None:
        """The clients behind a lease have changed."""
        served = self._served_to(sender, message.lease)
        if served is not None:
            self._wants(served, message)

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
        served = self._lend(ask, resource)
        served.persisted = True
        served.committed = True
        served.confirmed = False
        core.heartbeats.served_changed(served)
        if served.exclusive:
            core.access.claim(served)
        core.timers.set(
            ("reconfirm", served.id),
            core.now_s() + core.policy.reconfirm_s,
            lambda: self._reconfirm_timed_out(served),
        )

    def settle(self, served: ServerLease) -> None:
        """Grant or reserve this lease if everything is in place; one that is forgotten is let be."""
        core = self._core
        resource = served.resource
        if core.leases.get(served.id) is not served:
            return  # when one of several was refused, those behind it were looked at as well
        if (
            not resource.state.is_up
            or served.phase is ServerPhase.GRANTED
            or served.phase is ServerPhase.ENDED
        ):
            core.holding.tell_what_it_waits_for(served)
            return
        if not served.confirmed:
            return
        if served.exclusive and (
            core.access.refuse_without_word(served) or not core.access.may_enter(served)
        ):
            return
        if not served.committed:
            if served.phase is not ServerPhase.RESERVED:
                served.phase = ServerPhase.RESERVED
                self._send_grant(served)
            return
        if resource.holds and resource.has_uncommitted_holds:
            core.holding.commit(resource)
            return
        if served.exclusive:
            core.access.grant(served)
        served.phase = ServerPhase.GRANTED
        core.record(
            JournalKind.GRANT, resource, who=served.who, lease=served.id, generation=served.generation
        )
        if core.durable:
            served.persisted = True
            core.effects.append(Persist(served.ask, served.generation))
        self._send_grant(served)
        core.conditions.tell_newcomer(served)

    def tell(self, served: ServerLease, incident: Incident, handle: Any = None) -> None:
        """Tell one lease, under its own id and number."""
        sequence = served.next_sequence()
        self._core.heartbeats.served_changed(served)
        self._core.effects.append(
            Send(
                served.ask.client,
                Tell(
                    served.id,
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

    def repeat(self, served: ServerLease) -> bool:
        """Say once more that it was granted, or how it ended; False if there is no such thing to be said."""
        if served.is_live:
            self._send_grant(served)
            if served.phase is ServerPhase.GRANTED:
                self._core.conditions.tell_newcomer(served)
        elif served.ending is not None:
            self.tell(served, served.ending)
        else:
            return False
        return True

    def end(self, served: ServerLease, why: Incident) -> None:
        """The lease is over for its client; the entry stays until the client has left."""
        if served.phase is not ServerPhase.ENDED:
            served.phase = ServerPhase.ENDED
            served.ending = why
            served.resource.counts[served.priority] -= 1
            if served.persisted:
                # After a restart of ours it is to keep nobody out.
                served.persisted = False
                self._core.effects.append(Persist(served.id))
            self._core.holding.reprioritise(served.resource)

    def refuse(
        self,
        served: ServerLease,
        reason: Reason,
        message: str,
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
    ) -> None:
        """There will be no lease: forget the request and say why."""
        core = self._core
        core.record(JournalKind.REFUSE, served.resource, who=served.who, why=message, lease=served.id)
        hops = hops or self._here(served, message)
        self._remember(served.id, self._send_refusal(served.ask, reason, message, hops, preempted_by))
        self._remove(served, message)

    def drop(self, served: ServerLease, why: str) -> None:
        """The client is gone, of itself or reaped."""
        self._remember(served.id)
        self._remove(served, why)

    def disown(self, lease: str) -> None:
        """A client believes to hold a lease that is none: it is not to become one by asking again."""
        self._remember(lease)

    # -- inside

    def _lend(self, ask: Ask, resource: Resource) -> ServerLease:
        core = self._core
        served = ServerLease(ask, resource, core.number())
        core.leases[served.id] = served
        resource.leases[served.id] = served
        resource.counts[served.priority] += 1
        if resource.holds:
            core.holding.reprioritise(resource)
        core.heartbeats.served(served)
        return served

    def _remove(self, served: ServerLease, why: str) -> None:
        core = self._core
        resource = served.resource
        del core.leases[served.id]
        del resource.leases[served.id]
        if served.phase is not ServerPhase.ENDED:
            resource.counts[served.priority] -= 1
        core.heartbeats.returned(served)
        if not served.confirmed:
            core.timers.clear(("reconfirm", served.id))
        if served.persisted:
            core.effects.append(Persist(served.id))
        resource.ended_by_word = served.by_word
        if served.exclusive:
            core.access.leave(served, why)
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
        self._core.effects.append(Record(JournalKind.REFUSE, ask.request, ask.who, message, ask.lease))
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

    def _send_grant(self, served: ServerLease) -> None:
        core = self._core
        sequence = served.next_sequence()
        core.heartbeats.served_changed(served)
        core.effects.append(
            Send(
                served.ask.client,
                Grant(
                    served.id,
                    core.edge(served.resource),
                    served.resource.handle,
                    served.generation,
                    sequence,
                    provisional=served.phase is ServerPhase.RESERVED,
                    moving=served.resource.moving,
                    is_unwell=served.resource.has_ailment,
                ),
            )
        )

    def _asked_again(self, served: ServerLease, ask: Ask) -> None:
        """A doubled request, a client that reconfirms after our restart, or one that missed something.

        What it asks for now counts; it is told how things stand.
        """
        core = self._core
        if not served.confirmed:
            served.confirmed = True
            core.heartbeats.confirmed(served)
            core.timers.clear(("reconfirm", served.id))
        before = served.sequence
        self._wants(served, ask)
        if not ask.provisional:
            self._commit(served)
        if core.leases.get(served.id) is not served or served.sequence != before:
            return
        if self.repeat(served):
            return
        if served.phase is not ServerPhase.QUEUED:
            core.lifecycle.launch(served.resource)
            self.settle(served)
        if served.sequence == before:
            core.access.tell_place(served)

    def _wants(self, served: ServerLease, message: Ask | Reprioritise) -> None:
        """What its client wants now, unless it has said something else since."""
        if message.wish < served.wish:
            return
        served.wish = message.wish
        self._set_client(served, message.who, message.permit)
        self._set_priority(served, message.priority)

    def _set_client(self, served: ServerLease, who: str, permit: Permit | None) -> None:
        """For whom it is now, and by whose word: what its resource holds is held for the same."""
        who = who or served.who
        if (who, permit) == (served.who, served.permit):
            return
        served.who, served.permit = who, permit
        self._core.heartbeats.served_changed(served)
        self._core.holding.reprioritise(served.resource)
        if served.exclusive:
            self._core.access.reconsider(served.resource)  # who waits behind it waits for another

    def _set_priority(self, served: ServerLease, priority: Priority) -> None:
        if served.priority == priority:
            return
        if served.phase is not ServerPhase.ENDED:
            served.resource.counts[served.priority] -= 1
            served.resource.counts[priority] += 1
        served.priority = priority
        self._core.heartbeats.served_changed(served)
        self._core.holding.reprioritise(served.resource)
        if served.exclusive:
            self._core.access.reprioritised(served)

    def _commit(self, served: ServerLease) -> None:
        if served.committed:
            return
        served.committed = True
        self._core.heartbeats.served_changed(served)
        if served.exclusive:
            self._core.access.reconsider(served.resource)
        self.settle(served)

    def _new_resource(self, key: Key, request: Any, policy: ProviderPolicy, depth: int) -> Resource:
        core = self._core
        resource = Resource(core.number(), key, request, policy, depth)
        core.resources[resource.number] = resource
        core.by_key[key] = resource
        return resource

    def _reconfirm_timed_out(self, served: ServerLease) -> None:
        if not served.confirmed and served.id in self._core.leases:
            why = f"not reconfirmed within {self._core.policy.reconfirm_s} s of our restart"
            self._core.record(JournalKind.REAP, served.resource, who=served.who, why=why, lease=served.id)
            self.drop(served, why)

    def _served_to(self, client: str, lease: str) -> ServerLease | None:
        served = self._core.leases.get(lease)
        return served if served is not None and served.ask.client == client else None

    def _remember(self, lease: str, refusal: Refusal | None = None) -> None:
        self._over[lease] = refusal
        if len(self._over) > MEMORY:
            del self._over[next(iter(self._over))]

    def _here(self, served: ServerLease, message: str) -> tuple[Hop, ...]:
        return (Hop(self._core.name, served.resource.label, message),)
