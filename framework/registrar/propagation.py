"""What is said about the leases this registrar holds, and how it propagates to everybody above.

WARNING, ERROR and OK reach everyone above, FATAL as the failure of the
resource itself unless the lease was taken with `on_failure="tell"`. UPDATE
stays with the provider, who decides what it means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from framework.registrar.effects import Deliver
from framework.registrar.heartbeats import LAST_SEQUENCE
from framework.registrar.records import GOING, ClientLease, ClientPhase, Incident
from framework.status import FAILED, Hop, Reason, ReasonKind, Severity
from framework.transport.messages import Grant, Tell

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


#: So many things that are wrong with one lease are remembered: each is delivered once.
MEMORY = 16


class Propagation:
    """The rules for all news about what one core holds."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def told(self, sender: str, message: Tell) -> None:
        """Something happened to the resource behind a lease of ours."""
        core = self._core
        held = core.holds.get(message.lease)
        if held is None or held.server != sender or message.sequence <= held.sequence:
            return
        if not held.is_live and held.phase is not ClientPhase.FAILED:
            # It overtook its grant, or the grant was lost: it is asked for again, unless this is the end.
            held.has_gap = True
            core.heartbeats.held_changed(held)
            if message.severity is Severity.FATAL:
                core.holding.give_back(sender, held.id)
                core.holding.refuse(
                    held,
                    message.reason,
                    message.message,
                    message.hops,
                    message.preempted_by,
                )
            return
        has_gap = message.sequence > held.sequence + 1
        held.has_gap = held.has_gap or has_gap
        held.sequence = message.sequence
        core.heartbeats.held_changed(held)
        if message.sequence >= LAST_SEQUENCE:
            core.holding.owes_nothing(held)
        if held.phase is ClientPhase.FAILED:
            return
        if message.severity is Severity.UPDATE:
            held.value = message.handle
        # About a lease that was given up or is not known any more: the way begins where that was said.
        hops = message.hops or (Hop(sender, str(held.request), message.message),)
        incident = Incident(
            message.incident,
            message.severity,
            message.message,
            hops,
            message.preempted_by,
            message.reason,
        )
        if message.severity is Severity.FATAL:
            self.failed(held, incident)
            return
        if not self._was_told(held, incident):
            self._deliver(held, incident)
        if has_gap:
            core.holding.again(held)

    def _was_told(self, held: ClientLease, incident: Incident) -> bool:
        """What is wrong is said again with each repeated grant."""
        if incident.severity is Severity.OK:
            held.ailments = ()
        elif incident.severity is not Severity.UPDATE:
            if incident.id in held.ailments:
                return True
            held.ailments = (*held.ailments[-MEMORY:], incident.id)
        return False

    def granted_again(self, held: ClientLease, message: Grant, *, is_other: bool, has_gap: bool) -> None:
        """The provider repeats a grant: it was restarted, is back, or something was lost before."""
        core = self._core
        core.timers.clear(("reconnect", held.id))
        was_awaited, held.is_awaited = held.is_awaited, False
        core.heartbeats.held_changed(held)
        # What is wrong with it is not over, and is not told once more, because it has been away.
        is_unwell_still = message.is_unwell and bool(held.ailments) and not is_other
        if was_awaited and not is_unwell_still:
            self.reassure(held, f"{held.server} is back")
        if is_other or (was_awaited and is_unwell_still):
            self._deliver(held, Incident(core.incident(), Severity.UPDATE, f"{held.server} is back"))
        elif has_gap:
            text = f"news from {held.server} was lost on the way; this is how it is now"
            self._deliver(held, Incident(core.incident(), Severity.UPDATE, text))
        if not message.is_unwell and (is_other or has_gap):
            was_unwell, held.ailments = bool(held.ailments), ()
            if was_unwell and not was_awaited:
                self.reassure(held, f"{held.server} says that nothing is wrong with it any more")

    def failed(self, held: ClientLease, incident: Incident) -> None:
        """A lease is lost: its body ends, and so does the resource that stands on it."""
        core = self._core
        parent = held.parent
        core.timers.clear(("reconnect", held.id))
        core.timers.clear(("ask", held.id))
        held.phase = ClientPhase.FAILED
        core.heartbeats.held_changed(held)
        stands_on_it = parent is not None and held.cancels and held.by_provider and parent.state.is_up
        stopping = parent is not None and held.by_provider and parent.state in GOING
        # The provider of a resource that is up is ended by its own tear-down, parents first.
        cancel = held.cancels and not stands_on_it and not stopping
        core.effects.append(Deliver(held, incident.status(held.id), cancel))
        if parent is None:
            return
        if held.by_provider and held.cancels and not stopping:
            parent.failed_through = held.id
        if stands_on_it:
            core.lifecycle.fail(
                parent,
                incident.message,
                incident=incident.id,
                hops=incident.hops,
                preempted_by=incident.preempted_by,
                reason=incident.reason,
            )
            core.lifecycle.teardown(parent)
        elif held.is_unwell:
            held.is_unwell = False
            core.conditions.eased(parent)
        if held.on_approval:
            # Who waited for it to be committed need not wait any longer.
            for served in list(parent.leases.values()):
                core.serving.settle(served)

    def refuse_circle(self, held: ClientLease, circle: tuple[str, ...]) -> None:
        """This request made a circle of dependencies."""
        if held.phase is ClientPhase.FAILED:
            return
        core = self._core
        message = "circular dependency: " + " → ".join(circle)
        hops = (Hop(core.name, circle[0], message),)
        reason = Reason(ReasonKind.CIRCLE, circle=circle)
        if held.is_live:
            self.given_up(held, Incident(core.incident(), Severity.FATAL, message, hops, reason=reason))
            return
        core.holding.give_back(held.server, held.id)
        core.holding.refuse(held, reason, message, hops)

    def server_lost(self, held: ClientLease, why: str) -> None:
        """The registrar that lent it is gone for good, or silent."""
        core = self._core
        if held.phase is ClientPhase.FAILED:
            return
        hops = (Hop(held.server, str(held.request), why),)
        if held.is_live:
            self.given_up(held, Incident(core.incident(), Severity.FATAL, why, hops, reason=FAILED))
        else:
            core.holding.give_back(held.server, held.id)
            core.holding.refuse(held, FAILED, why, hops)

    def given_up(self, held: ClientLease, incident: Incident) -> None:
        """It is over on our own account: its provider, if there is one, need not wait for the body."""
        self._core.holding.give_back(held.server, held.id)
        self._core.holding.owes_nothing(held)
        self.failed(held, incident)

    def warn(self, held: ClientLease, text: str) -> None:
        """Something about the way to the provider, not the resource, is not as it should be."""
        hops = (Hop(held.server, str(held.request), text),)
        self._deliver(held, Incident(self._core.incident(), Severity.WARNING, text, hops))

    def reassure(self, held: ClientLease, text: str) -> None:
        """What was warned of is over."""
        hops = (Hop(held.server, str(held.request), text),)
        self._deliver(held, Incident(self._core.incident(), Severity.OK, text, hops))

    def _deliver(self, held: ClientLease, incident: Incident) -> None:
        """Anything but FATAL."""
        self._core.effects.append(Deliver(held, incident.status(held.id), cancel=False))
        if held.parent is not None and incident.severity is not Severity.UPDATE:
            held.is_unwell = incident.severity is not Severity.OK
            self._core.conditions.propagate(held.parent, incident)
