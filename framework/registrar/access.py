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
from framework.registrar.effects import Deed, EpochRose, Holder, SafeStop, Send
from framework.registrar.records import Incident, Lent, LentPhase, Resource, ResourceState
from framework.status import UNSPECIFIED, Hop, Priority, Reason, ReasonKind, Severity
from framework.transport.messages import Edge, Queued

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Access:
    """The rules of exclusivity for all resources of one core."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def claim(self, lent: Lent) -> bool:
        """An exclusive lease is asked for: make it holder, queue it, or refuse it (False)."""
        resource = lent.resource
        holder = resource.holder
        if self.refuse_without_word(lent):
            return False
        if holder is None and not resource.making_safe and not resource.queue:
            resource.holder = lent
            return True
        blocker = self._blocker(lent)
        if blocker is not None and not lent.ask.wait:
            self._refuse_held(lent, blocker)
            return False
        lent.phase = LentPhase.QUEUED
        self._enqueue(lent)
        self.reconsider(resource)
        return True

    def may_enter(self, lent: Lent) -> bool:
        """Whether this exclusive lease may be granted now (or, provisionally, be reserved)."""
        resource = lent.resource
        if resource.holder is lent:
            return not resource.making_safe
        if lent.committed or not resource.queue or resource.queue[0] is not lent:
            return False
        return resource.holder is None or not self._blocks(resource.holder, lent)

    def reconsider(self, resource: Resource) -> None:
        """Holder, queue or priorities have changed: preempt, let the next one in, tell the places."""
        queue = resource.queue
        if resource.holder is None:
            self._advance(resource)
        elif queue:
            # Who only reserves preempts nobody, but does not keep those behind it from it either.
            first = next((lent for lent in queue if lent.committed), None)
            if first is not None and first.priority > resource.holder.priority:
                self._preempt(resource, resource.holder, first)
            elif not queue[0].committed:
                self._core.serving.settle(queue[0])
        if queue:
            self._turn_away(resource)
            self._tell_places(resource)

    def leave(self, lent: Lent, why: str) -> None:
        """An exclusive lease is over: out of the queue, or the device is brought to rest and passed on."""
        resource = lent.resource
        if lent in resource.queue:
            resource.queue.remove(lent)
            self._lost_by_hand(lent)
            self.reconsider(resource)
        elif resource.holder is lent:
            resource.holder = None
            self._core.timers.clear(("grace", resource.number))
            if lent.commanded:
                self._core.effects.append(Holder(resource.number, "", lent.generation))
            if lent.commanded and resource.moving:
                self.make_safe(resource, why)
            self._lost_by_hand(lent)
            if not (lent.commanded and resource.moving):
                self._advance(resource)

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
            self._core.record(Deed.SAFE_STOP, resource, why=f"failed: {error}")
            self._core.lifecycle.fail(resource, f"did not come to a safe stop: {error}")
            self._core.lifecycle.teardown(resource)
            return
        if resource.state is ResourceState.FAILED or not resource.leases:
            self._core.lifecycle.settle_idle(resource)
            return
        self._advance(resource)

    def reprioritised(self, lent: Lent) -> None:
        """A lease's priority has changed: its place in the queue, or its hold, may be another now."""
        resource = lent.resource
        if lent in resource.queue:
            resource.queue.remove(lent)
            self._enqueue(lent)
        self.reconsider(resource)

    def grant(self, lent: Lent) -> None:
        """Number the grant; commands of every earlier generation are void from here on."""
        lent.generation = self._core.next_generation()
        lent.commanded = True
        resource = lent.resource
        self._core.effects.append(Holder(resource.number, lent.id, lent.generation))
        if self._core.interlock is not None and resource.moving and lent.priority < Priority.OPERATOR:
            self._core.interlock.moves(lent.id, resource.device, resource.label, lambda: lent.permit)

    # -- the motion interlock

    def refuse_without_word(self, lent: Lent) -> bool:
        """Refuse what moves by itself if nobody has given the word for it since the device was lost."""
        interlock, resource = self._core.interlock, lent.resource
        loss = self._loss_since(lent)
        if loss is None or interlock is None:
            return False
        interlock.refused(lent.permit, resource.label, loss)
        why = f"{resource.label} waits for a word: {loss.why or loss.kind}"
        self._core.serving.refuse(lent, _needs_word(resource, loss), why)
        return True

    def epoch_rose(self) -> None:
        """Some devices were lost: what would move them by itself, or does, has to have a new word."""
        core = self._core
        to_end: dict[Edge, tuple[Resource, Lent, Loss]] = {}
        for resource in list(core.resources.values()):
            if not resource.moving or not resource.state.is_up:
                continue
            for lent in list(resource.queue):
                if lent in resource.queue:
                    self.refuse_without_word(lent)
            holder = resource.holder
            loss = None if holder is None else self._loss_since(holder)
            if holder is None or loss is None or holder.phase is LentPhase.ENDED:
                continue
            if holder.phase is not LentPhase.GRANTED:
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

    def lost_with_device(self, holder: Lent, incident: Incident) -> None:
        """A device has failed while somebody had it: that one's motion does not go on by itself."""
        core, resource = self._core, holder.resource
        if core.interlock is None or core.closed:
            return
        core.interlock.moves_no_more(holder.id)
        is_hand = holder.priority is Priority.OPERATOR
        if incident.preempted_by and not is_hand:
            return  # it was taken: nothing has failed
        kind = LossKind.HAND if is_hand else LossKind.DEVICE
        self._raise_for(resource, Loss(kind, holder.who, incident.message), incident.id)

    def _lost_by_hand(self, lent: Lent) -> None:
        """A person's hand has let go. Unless they have said so, what it interrupted waits for a word.

        Counted where the hand itself holds it; what only queued, if somebody was asked to let go for it.
        """
        core, resource = self._core, lent.resource
        if core.interlock is None or core.closed:
            return
        core.interlock.moves_no_more(lent.id)
        counts = lent.ask.parent is None if lent.commanded else lent.has_preempted
        if counts and resource.moving and lent.priority is Priority.OPERATOR and not lent.by_word:
            why = lent.why_left or f"{lent.who} does not have {the(resource.label)} any more"
            self._raise_for(resource, Loss(LossKind.HAND, lent.who, why))

    def _raise_for(self, resource: Resource, loss: Loss, incident: str = "") -> None:
        interlock = self._core.interlock
        if interlock is not None and interlock.raise_for(resource.device, loss, incident):
            self._core.effects.append(EpochRose())

    def _loss_since(self, lent: Lent) -> Loss | None:
        resource = lent.resource
        if self._core.interlock is None or not resource.moving or lent.priority is Priority.OPERATOR:
            return None
        return self._core.interlock.since(resource.device, lent.permit)

    def _blocks(self, other: Lent, lent: Lent) -> bool:
        """Whether `lent` has to wait for `other`; one whose body is being ended is waited for anyway."""
        return (
            other.priority >= lent.priority
            and other.phase is not LentPhase.ENDED
            and other.id not in lent.ask.instead_of
        )

    def _blocker(self, lent: Lent) -> Lent | None:
        """The first who is ahead by right: the holder, or somebody before it in the queue."""
        resource = lent.resource
        if resource.holder is not None and self._blocks(resource.holder, lent):
            return resource.holder
        for other in resource.queue:
            if other is lent:
                break
            if self._blocks(other, lent):
                return other
        return None

    def _enqueue(self, lent: Lent) -> None:
        """First come, first served within a priority."""
        queue = lent.resource.queue
        place = len(queue)
        while place and queue[place - 1].priority < lent.priority:
            place -= 1
        while place and queue[place - 1].priority == lent.priority and queue[place - 1].order > lent.order:
            place -= 1
        queue.insert(place, lent)

    def _refuse_held(self, lent: Lent, blocker: Lent) -> None:
        resource = lent.resource
        reason = Reason(
            ReasonKind.HELD, blocker.who, resource.label, resource.device, priority=blocker.priority
        )
        self._core.serving.refuse(lent, reason, _held(reason, lent.priority))

    def _advance(self, resource: Resource) -> None:
        """Let the next one in, unless the device still moves."""
        if resource.making_safe or resource.holder is not None or not resource.queue:
            return
        if resource.state is ResourceState.FAILED or resource.state is ResourceState.STOPPING:
            return
        resource.holder = resource.queue.pop(0)
        if resource.holder.phase is LentPhase.QUEUED:
            resource.holder.phase = LentPhase.PENDING
        self._core.serving.settle(resource.holder)
        self.reconsider(resource)

    def _turn_away(self, resource: Resource) -> None:
        """Who is blocked and would not wait is refused."""
        for lent in list(resource.queue):
            if lent.ask.wait or lent not in resource.queue:
                continue
            blocker = self._blocker(lent)
            if blocker is not None:
                resource.queue.remove(lent)
                self._refuse_held(lent, blocker)

    def _tell_places(self, resource: Resource) -> None:
        """Tell those who wait for whom and at which place, if that has changed."""
        for number, lent in enumerate(resource.queue, 1):
            blocker = self._blocker(lent)
            if blocker is None or lent.phase is not LentPhase.QUEUED:
                continue
            place = (blocker.who, number)
            if lent.place != place:
                lent.place = place
                self.tell_place(lent)

    def tell_place(self, lent: Lent) -> None:
        """Tell who waits for whom, and at which place; numbered, so that its loss is noticed."""
        if lent.place is not None:
            core = self._core
            sequence = lent.next_sequence()
            core.beats.lent_changed(lent)
            core.effects.append(Send(lent.ask.client, Queued(lent.id, *lent.place, sequence, core.boot)))

    def _preempt(self, resource: Resource, holder: Lent, by: Lent) -> None:
        """End the holder's body; the device passes on when it has left, at most `preempt_grace_s` later."""
        core = self._core
        if holder.phase is LentPhase.ENDED:
            return
        if holder.phase is not LentPhase.GRANTED and not holder.persisted:
            # It has not begun (nor had it before a restart of ours): nothing to end. Who is ready to wait
            # goes back into the queue.
            resource.holder = None
            if holder.ask.wait:
                holder.phase = LentPhase.QUEUED
                self._enqueue(holder)
            else:
                self._refuse_held(holder, by)
            self._advance(resource)
            return
        by.has_preempted = True
        over = f"over {holder.who}, {by.priority.name.lower()} over {holder.priority.name.lower()}"
        core.record(Deed.PREEMPT, resource, who=by.who, why=over, lease=holder.id)
        self._end(resource, holder, by.who, f"{by.who} takes {the(resource.label)} from {holder.who}")

    def _end(
        self, resource: Resource, holder: Lent, by: str, message: str, reason: Reason = UNSPECIFIED
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

    def _revoke(self, resource: Resource, holder: Lent) -> None:
        if resource.holder is holder:
            why = f"{holder.who} did not leave within {resource.policy.preempt_grace_s} s"
            self._core.record(Deed.REAP, resource, who=holder.who, why=why, lease=holder.id)
            self.leave(holder, why)

    def make_safe(self, resource: Resource, why: str) -> None:
        core = self._core
        timeout_s = resource.policy.safe_stop_timeout_s
        resource.making_safe = True
        core.record(Deed.SAFE_STOP, resource, why=why)
        core.timers.set(
            ("safe", resource.number),
            core.now_s() + timeout_s,
            lambda: self.safe(resource.number, f"it took longer than {timeout_s} s"),
        )
        core.effects.append(SafeStop(resource.number, why))


def _needs_word(resource: Resource, loss: Loss) -> Reason:
    return Reason(ReasonKind.NEEDS_WORD, loss.who, resource.label, resource.device)


def _held(reason: Reason, asked_with: Priority) -> str:
    higher = "a higher" if reason.priority > asked_with else "the same"
    return (
        f"{reason.resource} is held by {reason.holder}, with {higher} priority; "
        "wait for it, ask with a higher one, or use another"
    )
