"""Who may command an exclusive resource: holder, queue, preemption, safe stop, generation.

Exclusive is the write token: it excludes other exclusive leases only. The
holder is chosen when it asks, even if the resource is still starting; the
grant is sent when the resource is up, the former body has left (or its grace
is over) and the device is at rest. What moves by itself needs a permit besides
(`framework.interlock`): without one it is refused, in the queue or in hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.interlock import Loss, LossKind
from framework.phrasing import the
from framework.registrar.effects import EpochRose, Holder, JournalKind, SafeStop, Send
from framework.registrar.records import Incident, Resource, ResourceState, ServerLease, ServerPhase
from framework.status import UNSPECIFIED, Hop, Priority, Reason, ReasonKind, Severity
from framework.transport.messages import Edge, Queued

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Access:
    """The rules of exclusivity for all resources of one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def claim(self, served: ServerLease) -> bool:
        """An exclusive lease is asked for: make it holder, queue it, or refuse it (False)."""
        resource = served.resource
        holder = resource.holder
        if self.refuse_without_word(served):
            return False
        if holder is None and not resource.making_safe and not resource.queue:
            resource.holder = served
            return True
        blocker = self._blocker(served)
        if blocker is not None and not served.ask.wait:
            self._refuse_held(served, blocker)
            return False
        served.phase = ServerPhase.QUEUED
        self._enqueue(served)
        self.reconsider(resource)
        return True

    def has(self, lease: str) -> bool:
        """Whether an exclusive resource is this lease's, or about to be."""
        served = self._core.leases.get(lease)
        return served is not None and served.resource.holder is served

    def may_enter(self, served: ServerLease) -> bool:
        """Whether this exclusive lease may be granted now (or, provisionally, be reserved)."""
        resource = served.resource
        if resource.holder is served:
            return not resource.making_safe
        if served.committed or not resource.queue or resource.queue[0] is not served:
            return False
        return resource.holder is None or not self._blocks(resource.holder, served)

    def reconsider(self, resource: Resource) -> None:
        """Holder, queue or priorities have changed: preempt, let the next one in, tell the places."""
        queue = resource.queue
        if resource.holder is None:
            self._advance(resource)
        elif queue:
            # Who only reserves preempts nobody, but does not keep those behind it from it either.
            first = next((served for served in queue if served.committed), None)
            if first is not None and first.priority > resource.holder.priority:
                self._preempt(resource, resource.holder, first)
            elif not queue[0].committed:
                self._core.serving.settle(queue[0])
        if queue:
            self._turn_away(resource)
            self._tell_places(resource)

    def leave(self, served: ServerLease, why: str) -> None:
        """An exclusive lease is over: out of the queue, or the device is brought to rest and passed on."""
        resource = served.resource
        if served in resource.queue:
            resource.queue.remove(served)
            self._lost_by_hand(served)
            self.reconsider(resource)
        elif resource.holder is served:
            resource.holder = None
            self._core.timers.clear(("grace", resource.number))
            if served.commanded:
                self._core.effects.append(Holder(resource.number, "", served.generation))
            if served.commanded and resource.moving:
                self.make_safe(resource, why)
            self._lost_by_hand(served)
            self.reconsider(resource)

    def safe(self, number: int, error: str | None) -> None:
        """The device has come to rest, or has not (`error`)."""
        resource = self._core.resources.get(number)
        if resource is None or not resource.making_safe:
            return
        resource.making_safe = False
        self._core.timers.clear(("safe", number))
        if not resource.running:
            self._core.lifecycle.succeed(resource)
        if error is not None:
            self._core.record(JournalKind.SAFE_STOP, resource, why=f"failed: {error}")
            self._core.lifecycle.fail(resource, f"did not come to a safe stop: {error}")
            self._core.lifecycle.teardown(resource)
            return
        if resource.state is ResourceState.FAILED or not resource.leases:
            self._core.lifecycle.settle_idle(resource)
            return
        self._advance(resource)

    def reprioritised(self, served: ServerLease) -> None:
        """A lease's priority has changed: its place in the queue, or its hold, may be another now."""
        resource = served.resource
        if served in resource.queue:
            resource.queue.remove(served)
            self._enqueue(served)
        self.reconsider(resource)

    def grant(self, served: ServerLease) -> None:
        """Number the grant; commands of every earlier generation are void from here on."""
        served.generation = self._core.next_generation()
        served.commanded = True
        resource = served.resource
        if self._core.interlock is not None and _is_hand(served):
            self._core.interlock.keepers.takes(_kept_as(resource), served.who)
        self._core.effects.append(Holder(resource.number, served.id, served.generation))
        if self._core.interlock is not None and resource.moving and served.priority < Priority.OPERATOR:
            self._core.interlock.moves(served.id, resource.device, resource.label, lambda: served.permit)

    # -- the motion interlock

    def refuse_without_word(self, served: ServerLease) -> bool:
        """Refuse what moves by itself if nobody has given the word for it since the device was lost.

        And a person's hand, if it is kept for another person, whose word it has not.
        """
        interlock, resource = self._core.interlock, served.resource
        if interlock is not None and _is_hand(served):
            keeper = interlock.keeper(_kept_as(resource), served.permit, served.who)
            if keeper:
                reason = Reason(
                    ReasonKind.HELD, keeper, resource.label, resource.device, priority=served.priority
                )
                self._core.serving.refuse(served, reason, f"{resource.label} is kept for {keeper}")
            return bool(keeper)
        loss = self._loss_since(served)
        if loss is None or interlock is None:
            return False
        interlock.refused(served.permit, resource.label, loss)
        why = f"{resource.label} waits for a word: {loss.why or loss.kind}"
        self._core.serving.refuse(served, _needs_word(resource, loss), why)
        return True

    def epoch_rose(self) -> None:
        """Some devices were lost: what would move them by itself, or does, has to have a new word."""
        core = self._core
        to_end: dict[Edge, tuple[Resource, ServerLease, Loss]] = {}
        for resource in list(core.resources.values()):
            if not resource.moving or not resource.state.is_up:
                continue
            for served in list(resource.queue):
                if served in resource.queue:
                    self.refuse_without_word(served)
            holder = resource.holder
            loss = None if holder is None else self._loss_since(holder)
            if holder is None or loss is None or holder.phase is ServerPhase.ENDED:
                continue
            if holder.phase is not ServerPhase.GRANTED:
                self.refuse_without_word(holder)
            elif loss.kind is not LossKind.DEVICE:
                # With a device its holder's lease fails anyway, and says how: that must not look preempted.
                to_end[core.edge(resource)] = resource, holder, loss
        for resource, holder, loss in to_end.values():
            # What stands on another one of these fails with it: one incident, from where it begins.
            holds = resource.holds.values()
            if not any(held.edge in to_end and held.cancels and held.by_provider for held in holds):
                # An emergency stop takes nothing for itself: that is no preemption.
                by = (loss.who or loss.kind) if loss.kind is LossKind.HAND else ""
                self._end(resource, holder, by, loss.why or loss.kind, _needs_word(resource, loss))

    def lost_with_device(self, holder: ServerLease, incident: Incident) -> None:
        """A device has failed while somebody had it: that one's motion does not go on by itself."""
        core, resource = self._core, holder.resource
        if core.interlock is None or core.closed:
            return
        core.interlock.moves_no_more(holder.id)
        is_hand = holder.priority is Priority.OPERATOR
        if _is_hand(holder):
            core.interlock.keepers.lets_go(_kept_as(resource), holder.who, by_word=False)
        if incident.preempted_by and not is_hand:
            return  # it was taken: nothing has failed
        kind = LossKind.HAND if is_hand else LossKind.DEVICE
        self._raise_for(resource, Loss(kind, holder.who, incident.message), incident.id)

    def _lost_by_hand(self, served: ServerLease) -> None:
        """A person's hand has let go. Unless they have said so, what it interrupted waits for a word.

        Counted where the hand itself holds it; what only queued, if somebody was asked to let go for it.
        """
        core, resource = self._core, served.resource
        if core.interlock is None or core.closed:
            return
        core.interlock.moves_no_more(served.id)
        if served.commanded and _is_hand(served):
            core.interlock.keepers.lets_go(_kept_as(resource), served.who, by_word=served.by_word)
        counts = served.ask.parent is None if served.commanded else served.has_preempted
        if counts and resource.moving and served.priority is Priority.OPERATOR and not served.by_word:
            why = served.why_left or f"{served.who} does not have {the(resource.label)} any more"
            self._raise_for(resource, Loss(LossKind.HAND, served.who, why))

    def _raise_for(self, resource: Resource, loss: Loss, incident: str = "") -> None:
        interlock = self._core.interlock
        if interlock is not None and interlock.raise_for(resource.device, loss, incident):
            self._core.effects.append(EpochRose())

    def _loss_since(self, served: ServerLease) -> Loss | None:
        resource = served.resource
        if self._core.interlock is None or not resource.moving or served.priority is Priority.OPERATOR:
            return None
        return self._core.interlock.since(resource.device, served.permit)

    def _blocks(self, other: ServerLease, served: ServerLease) -> bool:
        """Whether `served` has to wait for `other`; one whose body is being ended is waited for anyway."""
        return (
            other.priority >= served.priority
            and other.phase is not ServerPhase.ENDED
            and other.id not in served.ask.instead_of
        )

    def _blocker(self, served: ServerLease) -> ServerLease | None:
        """The first who is ahead by right: the holder, or somebody before it in the queue."""
        resource = served.resource
        if resource.holder is not None and self._blocks(resource.holder, served):
            return resource.holder
        for other in resource.queue:
            if other is served:
                break
            if self._blocks(other, served):
                return other
        return None

    def _enqueue(self, served: ServerLease) -> None:
        """First come, first served within a priority."""
        queue = served.resource.queue
        place = len(queue)
        while place and queue[place - 1].priority < served.priority:
            place -= 1
        while (
            place and queue[place - 1].priority == served.priority and queue[place - 1].order > served.order
        ):
            place -= 1
        queue.insert(place, served)

    def _refuse_held(self, served: ServerLease, blocker: ServerLease) -> None:
        resource = served.resource
        reason = Reason(
            ReasonKind.HELD, blocker.who, resource.label, resource.device, priority=blocker.priority
        )
        self._core.serving.refuse(served, reason, _held(reason, served.priority))

    def _advance(self, resource: Resource) -> None:
        """Let the next one in, unless the device still moves."""
        if resource.making_safe or resource.holder is not None or not resource.queue:
            return
        if resource.state is ResourceState.FAILED or resource.state is ResourceState.STOPPING:
            return
        resource.holder = resource.queue.pop(0)
        if resource.holder.phase is ServerPhase.QUEUED:
            resource.holder.phase = ServerPhase.PENDING
        self._core.serving.settle(resource.holder)
        self.reconsider(resource)

    def _turn_away(self, resource: Resource) -> None:
        """Who is blocked and would not wait is refused."""
        for served in list(resource.queue):
            if served.ask.wait or served not in resource.queue:
                continue
            blocker = self._blocker(served)
            if blocker is not None:
                resource.queue.remove(served)
                self._refuse_held(served, blocker)

    def _tell_places(self, resource: Resource) -> None:
        """Tell those who wait for whom and at which place, if that has changed."""
        for number, served in enumerate(resource.queue, 1):
            blocker = self._blocker(served)
            if blocker is None or served.phase is not ServerPhase.QUEUED:
                continue
            place = (blocker.who, number)
            if served.place != place:
                served.place = place
                self.tell_place(served)

    def tell_place(self, served: ServerLease) -> None:
        """Tell who waits for whom, and at which place; numbered, so that its loss is noticed."""
        if served.place is not None:
            core = self._core
            sequence = served.next_sequence()
            core.heartbeats.served_changed(served)
            core.effects.append(
                Send(served.ask.client, Queued(served.id, *served.place, sequence, core.boot))
            )

    def _preempt(self, resource: Resource, holder: ServerLease, by: ServerLease) -> None:
        """End the holder's body; the device passes on when it has left, at most `preempt_grace_s` later."""
        core = self._core
        if holder.phase is ServerPhase.ENDED:
            return
        if holder.phase is not ServerPhase.GRANTED and not holder.persisted:
            # It has not begun (nor had it before a restart of ours): nothing to end. Who is ready to wait
            # goes back into the queue.
            resource.holder = None
            if holder.ask.wait:
                holder.phase = ServerPhase.QUEUED
                self._enqueue(holder)
            else:
                self._refuse_held(holder, by)
            self._advance(resource)
            return
        by.has_preempted = True
        over = f"over {holder.who}, {by.priority.name.lower()} over {holder.priority.name.lower()}"
        core.record(JournalKind.PREEMPT, resource, who=by.who, why=over, lease=holder.id)
        self._end(resource, holder, by.who, f"{by.who} takes {the(resource.label)} from {holder.who}")

    def _end(
        self, resource: Resource, holder: ServerLease, by: str, message: str, reason: Reason = UNSPECIFIED
    ) -> None:
        """End the holder's body, which has a little time to leave."""
        core = self._core
        incident = Incident(
            core.incident(),
            Severity.FATAL,
            message,
            (Hop(core.name, resource.label, message),),
            preempted_by=by,
            reason=reason,
        )
        core.serving.tell(holder, incident)
        core.serving.end(holder, incident)
        core.timers.set(
            ("grace", resource.number),
            core.now_s() + resource.policy.preempt_grace_s,
            lambda: self._revoke(resource, holder),
        )

    def _revoke(self, resource: Resource, holder: ServerLease) -> None:
        if resource.holder is holder:
            why = f"{holder.who} did not leave within {resource.policy.preempt_grace_s} s"
            self._core.record(JournalKind.REAP, resource, who=holder.who, why=why, lease=holder.id)
            self.leave(holder, why)

    def make_safe(self, resource: Resource, why: str) -> None:
        core = self._core
        timeout_s = resource.policy.safe_stop_timeout_s
        resource.making_safe = True
        core.record(JournalKind.SAFE_STOP, resource, why=why)
        core.timers.set(
            ("safe", resource.number),
            core.now_s() + timeout_s,
            lambda: self.safe(resource.number, f"it took longer than {timeout_s} s"),
        )
        core.effects.append(SafeStop(resource.number, why))


def _is_hand(served: ServerLease) -> bool:
    """Whether this is what a person's hand itself has, or is to have."""
    return served.priority is Priority.OPERATOR and served.ask.parent is None


def _kept_as(resource: Resource) -> str:
    """As which it is kept for a person: also what does not move, like the seat that they drive from."""
    return resource.device or resource.label


def _needs_word(resource: Resource, loss: Loss) -> Reason:
    return Reason(ReasonKind.NEEDS_WORD, loss.who, resource.label, resource.device)


def _held(reason: Reason, asked_with: Priority) -> str:
    higher = "a higher" if reason.priority > asked_with else "the same"
    return (
        f"{reason.resource} is held by {reason.holder}, with {higher} priority; "
        "wait for it, ask with a higher one, or use another"
    )
