"""All lives of one registrar: what the core wants done to resources, and what their providers report."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from typing import TYPE_CHECKING, Any

from framework.errors import ResourceUnavailable, in_words
from framework.registrar import effects as fx
from framework.registrar.lease import Lease
from framework.registrar.provider_task import Provider, ProviderTask, scope
from framework.status import Hop, Reason

if TYPE_CHECKING:
    from framework.registrar.shell import Shell

log = logging.getLogger("pilothouse.registrar")


class ProviderTasks:
    """The providers, and one life for each resource that is up."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._context = contextvars.copy_context()
        # A registrar that is made inside of a provider does not run on that one's behalf.
        self._context.run(scope.set, None)
        self._running: dict[int, ProviderTask] = {}
        self._safe_stops: set[asyncio.Task[None]] = set()
        self.providers: dict[type, tuple[Provider, bool]] = {}

    def of(self, number: int) -> ProviderTask:
        """The life of a resource; raises ResourceUnavailable if it is over."""
        life = self._running.get(number)
        if life is None:
            raise ResourceUnavailable(f"the resource {self._shell.name}/{number} it was asked for is over")
        return life

    async def all_over(self) -> None:
        """Wait until every provider has ended or has been abandoned."""
        while self._running or self._safe_stops:
            tasks = {life.task for life in self._running.values() if life.task is not None}
            await asyncio.wait(tasks | self._safe_stops, timeout=0.1)

    def abandon_all(self) -> None:
        """Nobody waits for them any more."""
        for life in self._running.values():
            life.abandon()
        self._running.clear()
        for task in self._safe_stops:
            task.cancel()

    # -- what providers report

    def started(self, life: ProviderTask, handle: Any) -> bool:
        """A provider is at its `yield`. False: nobody wants it any more, it should go on."""
        shell = self._shell
        moving, device = life.supply.moves, life.supply.device
        wanted = shell.core.lifecycle.started(life.resource.number, handle, moving=moving, device=device)
        shell.run()
        return wanted

    def ended(
        self, life: ProviderTask, error: str | None, hops: tuple[Hop, ...], preempted_by: str, reason: Reason
    ) -> None:
        """A provider is over."""
        number = life.resource.number
        self._shell.core.lifecycle.ended(number, error, hops, preempted_by, reason)
        # Only then is it forgotten: what it moves is still brought to rest.
        self._shell.run()
        self._running.pop(number, None)

    # -- what the core wants

    def start(self, effect: fx.StartProvider) -> None:
        """Enter the provider of a resource."""
        resource = self._shell.core.resources.get(effect.number)
        if resource is None:
            return
        provider, with_supply = self.providers[resource.key[0]]
        life = ProviderTask(self._shell, resource, provider, with_supply)
        self._running[effect.number] = life
        life.begin(self._context)

    def stop(self, effect: fx.StopProvider) -> None:
        """End a provider, through the lease whose failure ends it if there is one."""
        life = self._running.get(effect.number)
        if life is None:
            return
        lease = self._shell.claims.in_hand.get(effect.through) if effect.through else None
        if lease is not None:
            # The lease's own failure is delivered from the loop; end the provider through it after that.
            asyncio.get_running_loop().call_soon(_end_through, lease, life)
        else:
            life.stop()

    def abandon(self, effect: fx.AbandonProvider) -> None:
        """A provider does not stop: cancel it and forget it."""
        life = self._running.pop(effect.number, None)
        if life is not None:
            log.error(
                "%s: the provider of %r does not stop; it is abandoned",
                self._shell.name,
                life.resource.request,
            )
            life.abandon()

    def make_safe(self, effect: fx.SafeStop) -> None:
        """Bring a device to rest, in a task of its own."""
        life = self._running.get(effect.number)
        number = effect.number
        if life is None:
            self._shell.core.access.safe(number, None)
            return
        task = asyncio.get_running_loop().create_task(
            self._come_to_rest(life, number), context=self._context.copy()
        )
        self._safe_stops.add(task)
        task.add_done_callback(self._safe_stops.discard)

    async def _come_to_rest(self, life: ProviderTask, number: int) -> None:
        error = None
        timeout_s = life.resource.policy.safe_stop_timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                await life.supply.come_to_rest()
        except TimeoutError:
            error = f"it took longer than {timeout_s} s"
        except Exception as failure:
            error = in_words(failure)
        self._shell.happen(lambda core: core.access.safe(number, error))

    def commanded(self, effect: fx.Commanded) -> None:
        """Hand a command to its provider; one that raises harms nobody else."""
        life = self._running.get(effect.number)
        if life is None:
            return
        try:
            life.supply.carry_out(effect.command)
        except Exception:
            log.exception("the provider of %r raised on a command", life.resource.request)

    def holder_changed(self, effect: fx.Holder) -> None:
        """Tell the provider whose commands count from now on."""
        life = self._running.get(effect.number)
        if life is not None:
            life.supply.held_by(effect.lease, effect.generation)

    def retry(self, effect: fx.Retry) -> None:
        """Somebody says "retry now"."""
        life = self._running.get(effect.number)
        if life is not None:
            life.supply.retry_now()


def _end_through(lease: Lease, life: ProviderTask) -> None:
    if not lease.interrupt():
        life.stop()
