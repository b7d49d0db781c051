"""How a resource comes up and goes down: loaded once, unloaded once, within bounds.

Sub-resources are leases that its provider holds; they go down after it because
the provider leaves them last. A resource that failed is told about at once and
torn down when the resources above it are gone, so that slow stops never delay
the news. Who shares it is in `serving`, what is said about it in `conditions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from framework.registrar.effects import AbandonProvider, Holder, JournalKind, StartProvider, StopProvider
from framework.registrar.records import Incident, Resource, ResourceState, ServerPhase
from framework.status import FAILED, Hop, Reason, Severity

if TYPE_CHECKING:
    from framework.registrar.core import RegistrarCore


class Lifecycle:
    """The rules of starting, failing and stopping for everything one core provides."""

    def __init__(self, core: RegistrarCore) -> None:
        self._core = core

    def close(self) -> None:
        """The registrar is being left: everybody is told, everything goes down, parents first."""
        core = self._core
        for resource in list(core.resources.values()):
            self.fail(resource, f"{core.name} is closing")
            self.teardown(resource)

    def started(self, number: int, handle: Any, *, moving: bool = False, device: str = "") -> bool:
        """The provider is at its `yield`. False: nobody wants it any more, it should go on."""
        core = self._core
        resource = core.resources.get(number)
        if resource is None or resource.state is not ResourceState.STARTING:
            return False
        core.timers.clear(("start", number))
        core.conditions.came_up(resource)
        resource.handle = handle
        if moving:
            self.moves(number, device)
        core.record(JournalKind.READY, resource)
        for served in list(resource.leases.values()):
            core.serving.settle(served)
        return True

    def moves(self, number: int, device: str = "") -> None:
        """The provider declares a safe stop late: it counts from now on."""
        resource = self._core.resources.get(number)
        if resource is not None:
            resource.moving, resource.device = True, device or resource.device or resource.label

    def ended(
        self,
        number: int,
        error: str | None,
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
        reason: Reason = FAILED,
    ) -> None:
        """The provider is over, in whatever way; what it still holds is released."""
        core = self._core
        resource = core.resources.get(number)
        if resource is None or not resource.running:
            return
        resource.running = False
        for key in ("start", "stop", "teardown"):
            core.timers.clear((key, number))
        for held in list(resource.holds.values()):
            core.holding.abandon(held, f"{resource.label} is over")
        if resource.state is ResourceState.STARTING or resource.state.is_up:
            why = error or "ended by itself"
            self.fail(resource, why, hops=hops, preempted_by=preempted_by, reason=reason)
        elif error is not None and resource.state is ResourceState.STOPPING:
            core.record(JournalKind.REPORT, resource, why=f"stopping raised: {error}")
        if not resource.making_safe:
            self.succeed(resource)
        self.settle_idle(resource)

    def succeed(self, resource: Resource) -> None:
        """It is over and its device at rest: whoever waits to be loaded in its place may start."""
        core = self._core
        if core.running.get(resource.key) is not resource:
            return
        del core.running[resource.key]
        waiting = core.by_key.get(resource.key)
        if waiting is not None and waiting.launched and waiting.state is ResourceState.STARTING:
            self._run(waiting)

    def fail(
        self,
        resource: Resource,
        message: str,
        *,
        incident: str = "",
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
        reason: Reason = FAILED,
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
        core.record(JournalKind.FAIL, resource, why=message)
        fatal = Incident(
            incident or core.incident(),
            Severity.FATAL,
            message,
            (*hops, Hop(core.name, resource.label, message)),
            preempted_by,
            reason,
        )
        holder, resource.holder = resource.holder, None
        resource.queue.clear()
        core.timers.clear(("grace", resource.number))
        if was_up and holder is not None and holder.commanded:
            core.effects.append(Holder(resource.number, "", holder.generation))
            if resource.moving:
                # Before the refusals below, the last of which would stop the provider.
                core.access.make_safe(resource, message)
                core.access.lost_with_device(holder, fatal)
        refused = []
        for served in resource.leases.values():
            if served.is_live:
                core.serving.tell(served, fatal)
                core.serving.end(served, fatal)
            elif served.phase is not ServerPhase.ENDED:
                refused.append(served)
        for served in refused:
            core.serving.refuse(served, reason, message, fatal.hops, preempted_by)

    def teardown(self, resource: Resource) -> None:
        """A failed resource goes down: at rest first, after everything above it, within bounds."""
        core = self._core
        if resource.number not in core.resources or resource.making_safe:
            return
        if resource.running and any(served.ask.parent is not None for served in resource.leases.values()):
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
                core.record(JournalKind.STOP, resource, why="nobody uses it")
                self._halt(resource)
            elif not resource.running:
                self._forget(resource)

    def _run(self, resource: Resource) -> None:
        core = self._core
        core.timers.clear(("succeed", resource.number))
        resource.running = True
        core.running[resource.key] = resource
        timeout_s = resource.policy.start_timeout_s
        core.timers.set(
            ("start", resource.number), core.now_s() + timeout_s, lambda: self._start_timed_out(resource)
        )
        core.record(JournalKind.START, resource)
        core.effects.append(StartProvider(resource.number))

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
        core.effects.append(StopProvider(resource.number, resource.failed_through))

    def _abandon(self, resource: Resource) -> None:
        if not resource.running:
            return
        self._core.record(
            JournalKind.ABANDON, resource, why=f"did not stop within {resource.policy.stop_timeout_s} s"
        )
        self._core.effects.append(AbandonProvider(resource.number))
        self.ended(resource.number, None)

    def _forget(self, resource: Resource) -> None:
        core = self._core
        for key in ("start", "stop", "safe", "grace", "teardown", "succeed"):
            core.timers.clear((key, resource.number))
        core.resources.pop(resource.number, None)

    def launch(self, resource: Resource) -> None:
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
