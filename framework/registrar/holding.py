"""The leases this registrar holds itself: for bodies of actions, and for the resources it provides.

Asked for, reserved, granted, refused, given back. What is said about a lease
while it is held, and how that propagates, is in `propagation`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.phrasing import in_the_queue
from framework.registrar.effects import Deliver, Granted, Refused, Send
from framework.registrar.records import (
    GOING,
    ClientLease,
    ClientPhase,
    Incident,
    Resource,
    ResourceState,
    ServerLease,
    ServerPhase,
)
from framework.status import FAILED, Hop, Reason, ReasonKind, Severity, Status
from framework.transport.messages import (
    Ask,
    Command,
    Commit,
    Grant,
    Queued,
    Refusal,
    Release,
    Reprioritise,
)

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Holding:
    """The rules for everything one core holds at others (and at itself)."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    # -- what the shell says

    def ask(self, held: ClientLease, timeout_s: float | None = None) -> None:
        """Ask for a lease; the answer is an effect: Granted or Refused."""
        core = self._core
        parent = held.parent
        if core.closed:
            self.refuse_here(held, Reason(ReasonKind.CLOSED), f"{core.name} is closing")
            return
        if parent is not None:
            if parent.number not in core.resources or not parent.running or parent.state in GOING:
                text = f"{parent.label}, for which it was asked, is over"
                self.refuse_here(held, Reason(ReasonKind.CLOSED), text)
                return
            held.priority, held.permit = parent.priority, parent.permit
            parent.holds[held.id] = held
            if not held.provisional:
                self._inherit(held, parent)
        elif core.interlock is not None:
            held.permit = core.interlock.current(held.permit)
        core.holds[held.id] = held
        if timeout_s is None:
            timeout_s = core.policy.wait_timeout_s if held.wait else core.policy.request_timeout_s
        held.timeout_s = timeout_s
        self._expect(held)
        self.seek(held)

    def release(self, lease_id: str) -> None:
        """The body has left. Idempotent."""
        held = self._core.holds.get(lease_id)
        if held is not None:
            self.let_go(held)

    def command(self, held: ClientLease, sequence: int, payload: bytes, sent_s: float | None = None) -> None:
        """The body commands the resource it holds; `sent_s`: the first sender's time, if that is another."""
        if held.phase is ClientPhase.GRANTED:
            sent_s = self._core.now_s() if sent_s is None else sent_s
            message = Command(held.id, held.generation, sequence, sent_s, payload)
            self._core.effects.append(Send(held.server, message))

    def commit_lease(self, held: ClientLease) -> None:
        """A reserved lease is wanted in earnest: its whole group is reserved."""
        core = self._core
        parent = held.parent
        if held.phase is not ClientPhase.RESERVED or held.committing:
            return
        if parent is not None and parent.state is ResourceState.STARTING and not parent.is_in_earnest:
            # Its own resource is asked for on approval only; so it stays reserved as long as that.
            held.on_approval = True
            core.effects.append(Granted(held, True))
            return
        held.committing = True
        self._expect(held)
        core.heartbeats.held_changed(held)
        core.effects.append(Send(held.server, Commit(held.id)))

    def commit(self, resource: Resource) -> None:
        """The resource is wanted in earnest: so is what is only reserved for it."""
        for held in list(resource.holds.values()):
            if held.on_approval:
                self.commit_lease(held)

    def abandon(self, held: ClientLease, why: str) -> None:
        """The resource it was for is over: tell whoever still uses it, and give it back."""
        core = self._core
        if held.is_live:
            status = Status(
                core.incident(), Severity.FATAL, why, held.id, (Hop(core.name, str(held.request), why),)
            )
            core.effects.append(Deliver(held, status, cancel=not held.by_provider))
        elif held.phase is not ClientPhase.FAILED:
            self.refuse_here(held, Reason(ReasonKind.CLOSED), why)
        self.let_go(held)

    def close(self) -> None:
        """The registrar is being left: bodies end; those of providers end with their resources."""
        for held in list(self._core.holds.values()):
            if held.parent is None:
                self.abandon(held, f"{self._core.name} is closing")

    # -- asking

    def seek(self, held: ClientLease) -> None:
        """Find who provides it and ask there; wait for discovery if nobody does yet."""
        core = self._core
        server, kind, why = self._provider_of(held)
        if server is None:
            if core.discovery_s <= 0.0 or kind is ReasonKind.AMBIGUOUS:
                self.refuse_here(held, Reason(kind), why)
            elif held.id not in core.peers.seeking:
                core.peers.seeking[held.id] = held
                core.timers.set(
                    ("seek", held.id), core.now_s() + core.discovery_s, lambda: self._not_found(held)
                )
            return
        core.peers.seeking.pop(held.id, None)
        core.timers.clear(("seek", held.id))
        held.phase = ClientPhase.ASKED
        held.server = server
        held.server_boot = core.peers.boot_of(server)
        held.sent = self._in_words(held)
        core.heartbeats.holds(held)
        core.effects.append(Send(server, held.sent))

    def again(self, held: ClientLease) -> None:
        """Say once more what is wanted, as it is wanted now: something was lost on the way."""
        if held.sent is None:
            return
        if held.phase is ClientPhase.FAILED:
            # Asked for once more it might come up again, for nobody.
            self._say_priority(held)
            return
        held.sent = self._in_words(held)
        self._core.effects.append(Send(held.server, held.sent))

    def reprioritise(self, resource: Resource) -> None:
        """The resource's clients have changed: what it holds is held with the highest of their priorities."""
        if not resource.holds or not any(resource.counts):
            return  # one that nobody uses any more goes down with the priority it had
        priority, permit = resource.priority, resource.permit
        who = resource.first_client()
        for held in resource.holds.values():
            if held.priority != priority or held.permit != permit or (who and held.who != who):
                held.priority, held.permit = priority, permit
                held.who = who or held.who
                self._tell_clients(held)

    def permit_changed(self, plan: str) -> None:
        """A plan got the word, or is paused: what was asked for in its name is told."""
        core = self._core
        if core.interlock is None:
            return
        for held in core.holds.values():
            if held.parent is None and held.permit is not None and held.permit.plan == plan:
                held.permit = core.interlock.current(held.permit)
                self._tell_clients(held)

    # -- what providers answer

    def granted(self, sender: str, message: Grant) -> None:
        """A lease is live, or reserved."""
        core = self._core
        held = self._meant(sender, message.lease)
        if held is None:
            return
        before = held.edge
        if before is not None and before != message.resource:
            if before.boot == core.peers.boot_of(sender) != message.resource.boot:
                return  # from an incarnation that is no more
            is_other = True
        elif message.sequence <= held.sequence:
            return
        else:
            is_other = False
        has_gap = held.has_gap or message.sequence > held.sequence + 1
        held.sequence = message.sequence
        held.has_gap = False
        core.heartbeats.held_changed(held)
        if held.phase is ClientPhase.FAILED:
            return
        held.edge = message.resource
        held.server_boot = message.resource.boot
        held.value = message.handle
        held.generation = message.generation
        held.moving = message.moving
        if held.phase is ClientPhase.GRANTED:
            core.propagation.granted_again(held, message, is_other=is_other, has_gap=has_gap)
        elif not message.provisional:
            self._take(held)
            if has_gap:
                self.again(held)
        elif held.phase is not ClientPhase.RESERVED:
            core.timers.clear(("ask", held.id))
            held.phase = ClientPhase.RESERVED
            core.effects.append(Granted(held, True))
            parent = held.parent
            if held.on_approval and parent is not None and parent.state.is_up and parent.is_in_earnest:
                self.commit_lease(held)

    def refused(self, sender: str, message: Refusal) -> None:
        """There will be no lease, or (after a restart of the provider) no longer."""
        core = self._core
        held = core.holds.get(message.lease)
        if held is None or held.server != sender or held.phase is ClientPhase.FAILED:
            return
        if held.phase is ClientPhase.GRANTED or (held.phase is ClientPhase.RESERVED and held.on_approval):
            incident = Incident(
                core.incident(),
                Severity.FATAL,
                message.message,
                message.hops,
                message.preempted_by,
                message.reason,
            )
            core.propagation.failed(held, incident)
            return
        self.refuse(held, message.reason, message.message, message.hops, message.preempted_by)

    def queued(self, sender: str, message: Queued) -> None:
        """The request waits; its caller is told for whom and at which place."""
        core = self._core
        held = self._meant(sender, message.lease)
        if held is None:
            return
        if held.server_boot != message.boot:
            if held.is_awaited and message.boot == core.peers.boot_of(sender):
                self._taken_by_another(held, message.holder)
            return
        if message.sequence <= held.sequence:
            return
        held.has_gap = held.has_gap or message.sequence > held.sequence + 1
        held.sequence = message.sequence
        core.heartbeats.held_changed(held)
        place = (message.holder, message.place)
        if held.is_live or held.phase is ClientPhase.FAILED or held.place == place:
            return
        held.phase, held.place = ClientPhase.QUEUED, place
        text = f"waiting for {message.holder}, {in_the_queue(message.place)}"
        reason = Reason(ReasonKind.QUEUED, message.holder, place=message.place)
        status = Status(core.incident(), Severity.OK, text, held.id, reason=reason)
        core.effects.append(Deliver(held, status, cancel=False))
        if held.parent is not None:
            for served in held.parent.leases.values():
                self.tell_what_it_waits_for(served)

    def tell_what_it_waits_for(self, served: ServerLease) -> None:
        """Who waits for something that is being loaded waits for what that waits for."""
        resource = served.resource
        if resource.state is not ResourceState.STARTING or served.phase is not ServerPhase.PENDING:
            return
        for held in resource.holds.values():
            if held.phase is ClientPhase.QUEUED and served.ask.wait and served.place != held.place:
                served.place = held.place
                self._core.access.tell_place(served)

    def _meant(self, sender: str, lease: str) -> ClientLease | None:
        """What a provider has granted or lets wait; None if it is no longer ours. What nobody here knows is
        given back at once: what was asked for twice may have been refused the first time.
        """
        held = self._core.holds.get(lease)
        if held is None:
            self.give_back(sender, lease)
            return None
        return held if held.server == sender else None

    # -- how it ends

    def refuse(
        self,
        held: ClientLease,
        reason: Reason,
        message: str,
        hops: tuple[Hop, ...],
        preempted_by: str = "",
    ) -> None:
        """No lease has come of it: forget it and say why."""
        core = self._core
        status = Status(core.incident(), Severity.FATAL, message, held.id, hops, preempted_by, reason)
        self._forget(held)
        core.effects.append(Refused(held, status))

    def refuse_here(self, held: ClientLease, reason: Reason, message: str) -> None:
        """Refuse it on our own account."""
        self.refuse(held, reason, message, (Hop(held.server or self._core.name, str(held.request), message),))

    def let_go(self, held: ClientLease) -> None:
        """Give it back and forget it."""
        if held.sent is not None:
            by_word = held.by_word or (held.parent is not None and held.parent.ended_by_word)
            self.give_back(held.server, held.id, by_word=by_word, why=held.why_left)
        self._forget(held)

    def give_back(self, server: str, lease: str, *, by_word: bool = False, why: str = "") -> None:
        """Say that nobody here has it, or wants it, any more."""
        release = Release(lease, by_word, why)
        self._core.heartbeats.gives_back(server, release)
        self._core.effects.append(Send(server, release))

    def owes_nothing(self, held: ClientLease) -> None:
        """Its registrar knows nothing of it any more: nothing to give back there, or to agree on."""
        self._core.heartbeats.holds_no_more(held)
        held.sent = None

    # -- inside

    def _tell_clients(self, held: ClientLease) -> None:
        """For whom it is held has changed: whoever was asked for it is told."""
        if held.sent is not None:
            self._core.heartbeats.held_changed(held)
            self._say_priority(held)

    def _say_priority(self, held: ClientLease) -> None:
        held.wishes += 1
        self._core.effects.append(
            Send(held.server, Reprioritise(held.id, held.priority, held.who, held.permit, held.wishes))
        )

    def _inherit(self, held: ClientLease, parent: Resource) -> None:
        """A provider that is being loaded on approval asks on approval too, and in place of what the
        resources hold that its own is to replace."""
        core = self._core
        if parent.state is not ResourceState.STARTING or parent.is_in_earnest:
            return
        replaced: list[str] = []
        for served in parent.leases.values():
            for lease in served.ask.instead_of:
                old = core.leases.get(lease)
                if old is not None and old.resource is not parent:
                    replaced.extend(old.resource.holds)
        held.provisional = held.on_approval = True
        held.instead_of = tuple(replaced)

    def _in_words(self, held: ClientLease) -> Ask:
        core = self._core
        parent = held.parent
        held.wishes += 1
        return Ask(
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
            held.provisional and not held.committing,
            held.instead_of,
            held.permit,
            held.wishes,
        )

    def _taken_by_another(self, held: ClientLease, holder: str) -> None:
        """A registrar that was restarted would have us wait for what we hold: somebody else has it by now."""
        if held.phase is not ClientPhase.GRANTED:
            return
        core = self._core
        text = f"{held.server} was restarted, and {holder} has taken it since"
        hops = (Hop(held.server, str(held.request), text),)
        core.propagation.given_up(held, Incident(core.incident(), Severity.FATAL, text, hops, holder))

    def _take(self, held: ClientLease) -> None:
        """It is ours now."""
        core = self._core
        core.timers.clear(("ask", held.id))
        held.phase = ClientPhase.GRANTED
        core.effects.append(Granted(held, False))
        parent = held.parent
        if held.on_approval and parent is not None:
            for served in list(parent.leases.values()):
                core.serving.settle(served)

    def _provider_of(self, held: ClientLease) -> tuple[str | None, ReasonKind, str]:
        """Which registrar to ask; if that cannot be said, None, and why."""
        core = self._core
        if held.at is not None:
            if held.at == core.name or held.at in core.peers.known:
                return held.at, ReasonKind.UNSPECIFIED, ""
            present = ", ".join(sorted(core.peers.known)) or "none"
            why = f"there is no registrar named {held.at!r}; present are {present}"
            return None, ReasonKind.UNKNOWN, why
        names = core.peers.providers.get(held.kind, ())
        if held.kind in core.provided:
            names = (core.name, *names)
        if len(names) == 1:
            return names[0], ReasonKind.UNSPECIFIED, ""
        if names:
            why = f"several registrars provide {held.kind}: {', '.join(names)}; say which one with at=..."
            return None, ReasonKind.AMBIGUOUS, why
        why = f"nobody provides {held.kind}: no registrar that does has been entered"
        return None, ReasonKind.UNKNOWN, why

    def _not_found(self, held: ClientLease) -> None:
        core = self._core
        core.peers.seeking.pop(held.id, None)
        _, kind, why = self._provider_of(held)
        self.refuse_here(held, Reason(kind), f"{why} (waited {core.discovery_s} s)")

    def _expect(self, held: ClientLease) -> None:
        """From now on an answer has to come in time."""
        core = self._core
        core.timers.set(("ask", held.id), core.now_s() + held.timeout_s, lambda: self._timed_out(held))

    def _timed_out(self, held: ClientLease) -> None:
        core = self._core
        waited = "waited in the queue" if held.phase is ClientPhase.QUEUED else "no answer"
        text = f"{waited} for {held.timeout_s} s"
        if held.phase is ClientPhase.RESERVED and held.on_approval:
            core.propagation.server_lost(held, text)
            return
        if held.sent is not None:
            self.give_back(held.server, held.id)
        self.refuse_here(held, FAILED, text)

    def _forget(self, held: ClientLease) -> None:
        core = self._core
        # Whoever was just given it, and has not got round to it, can neither command it nor commit to it.
        held.phase = ClientPhase.FAILED
        if core.holds.pop(held.id, None) is None:
            return
        core.timers.clear(("ask", held.id))
        core.timers.clear(("seek", held.id))
        core.timers.clear(("reconnect", held.id))
        core.peers.seeking.pop(held.id, None)
        core.heartbeats.holds_no_more(held)
        parent = held.parent
        if parent is not None:
            parent.holds.pop(held.id, None)
            if held.is_unwell:
                core.conditions.eased(parent)
