"""The registrar people use: a thin asyncio shell around the pure core.

It turns calls into events, runs the effects that come out, keeps one timer for
all deadlines, and one task for each resource (`lives`). It decides nothing.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from framework.clock import Clock, LoopClock
from framework.errors import CircularDependency, RegistrarClosed, RequestTypeError, ResourceUnavailable
from framework.registrar import effects as fx
from framework.registrar import snapshot as snapshots
from framework.registrar.catalog import Catalog
from framework.registrar.core import CorePolicy, RegistrarCore
from framework.registrar.journal import Journal
from framework.registrar.keys import checked_type, kind_of
from framework.registrar.lease import Lease
from framework.registrar.lives import Life, Provider, scope, takes_supply
from framework.registrar.records import ProviderPolicy, Resource
from framework.registrar.request import PLAIN, OptionalRequest, Request, RequestAll, Wishes
from framework.registrar.snapshot import Snapshot
from framework.status import Hop, Priority, Status
from framework.transport.interface import Link, Transport
from framework.transport.messages import Ask, Message, Peer, RefusalKind

log = logging.getLogger("pilothouse.registrar")

P = TypeVar("P", bound=Provider)


class ResourceRegistrar:
    """Provides resources and requests them; every manager has one, so has every action runner.

    An async context manager: leaving it releases and stops everything it holds.

    Args:
        name: unique among those who meet at `transport`.
        transport: where registrars meet.
        clock: time; the running loop's by default.
        catalog: a file that lets leases survive `kill -9` of this process.
        policy: time-outs of the registrar as a whole.
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        *,
        clock: Clock | None = None,
        catalog: Path | None = None,
        policy: CorePolicy | None = None,
    ) -> None:
        self.name = name
        self.journal = Journal(name)
        self._transport = transport
        self._clock: Clock = clock or LoopClock()
        self._catalog = Catalog(catalog) if catalog is not None else None
        generation = self._catalog.generation if self._catalog is not None else 0
        self._core = RegistrarCore(
            name,
            "",
            self._clock.now_s,
            policy=policy,
            durable=self._catalog is not None,
            first_generation=generation,
        )
        self._link: Link | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._providers: dict[type, tuple[Provider, bool]] = {}
        self._lives: dict[int, Life] = {}
        self._leases: dict[str, Lease] = {}
        self._deliveries: list[tuple[Lease, Status, bool]] = []
        self._safe_stops: set[asyncio.Task[None]] = set()
        self._is_running = False
        self._is_left = False
        self._timer: asyncio.TimerHandle | None = None
        self._armed_s = math.inf
        self._do: dict[type[fx.Effect], Callable[[Any], None]] = {
            fx.Send: self._send,
            fx.Start: self._start_life,
            fx.Stop: self._stop_life,
            fx.Abandon: self._abandon_life,
            fx.SafeStop: self._safe_stop,
            fx.Holder: self._holder_changed,
            fx.Retry: self._retry,
            fx.Granted: self._granted,
            fx.Refused: self._refused,
            fx.Deliver: self._deliver,
            fx.Record: self._record,
            fx.Persist: self._persist,
        }
        if not transport.needs_loop:
            self._join()

    def __repr__(self) -> str:
        return f"<ResourceRegistrar {self.name}>"

    # -- what people call

    def provides(
        self,
        request_type: type,
        *,
        start_timeout_s: float = 10.0,
        stop_timeout_s: float = 5.0,
        safe_stop_timeout_s: float = 1.0,
        preempt_grace_s: float = 1.0,
    ) -> Callable[[P], P]:
        """Decorate an async context manager `(request)` or `(request, supply)`: one resource's life.

        Raises RequestTypeError if values of the type cannot name shared resources,
        or if the type is provided here already.
        """
        checked_type(request_type)
        if request_type in self._providers:
            raise RequestTypeError(f"{self.name} provides {request_type.__qualname__} already")
        policy = ProviderPolicy(start_timeout_s, stop_timeout_s, safe_stop_timeout_s, preempt_grace_s)

        def decorate(provider: P) -> P:
            try:
                with_supply = takes_supply(provider)
            except TypeError as error:
                raise RequestTypeError(str(error)) from error
            self._providers[request_type] = (provider, with_supply)
            self._core.provide(request_type, policy)
            self._advertise()
            self._restore(kind_of(request_type))
            return provider

        return decorate

    def request(
        self,
        request: Any,
        *,
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        on_failure: Literal["cancel", "tell"] = "cancel",
        on_status: Callable[[Status], None] | None = None,
        optional: bool = False,
        timeout_s: float | None = None,
    ) -> AbstractAsyncContextManager[Lease]:
        """Ask for a resource; use as `async with registrar.request(...) as lease`.

        Inside a provider this is a dependency: it is held with the highest
        priority of the resource's own clients, whatever `priority` says.

        Args:
            at: the registrar to ask; by default whoever provides the type.
            exclusive: ask for the write token, which one lease at a time has.
            wait: queue for it instead of being refused.
            on_failure: "cancel" ends the body with ResourceFailed or Preempted; "tell" only tells.
            on_status: called with each status, on the loop.
            optional: its absence or failure is an UPDATE, with `value` None.
            timeout_s: how long an answer is waited for; by default 30 s, when queueing an hour.

        Raises (on entering) ResourceUnavailable, CircularDependency, RequestTypeError,
        RegistrarClosed; (on leaving) ResourceFailed, Preempted.
        """
        return self._make_request(
            None, request, at, exclusive, priority, wait, on_failure, on_status, optional, timeout_s
        )

    def request_all(
        self,
        *requests: Any,
        instead_of: tuple[Lease, ...] = (),
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        on_failure: Literal["cancel", "tell"] = "cancel",
        on_status: Callable[[Status], None] | None = None,
        timeout_s: float | None = None,
    ) -> AbstractAsyncContextManager[tuple[Lease, ...]]:
        """All of these or none, in the order given. `instead_of` is exchanged for them in one step:
        if one cannot be had, the old leases were never disturbed."""
        wishes = Wishes(at, exclusive, priority, wait, on_failure == "cancel", on_status, timeout_s)
        return RequestAll(self, requests, wishes, tuple(instead_of))

    def snapshot(self) -> Snapshot:
        """All resources, leases and dependencies as they are now."""
        return snapshots.take(self._core)

    def retry_now(self, resource_id: str) -> None:
        """Have a retrying resource try at once. Raises ResourceUnavailable if there is none of that id."""
        _, _, number = resource_id.rpartition("/")
        if not number.isdigit() or not self._core.serving.retry(int(number)):
            known = ", ".join(f"{self.name}/{number}" for number in self._core.resources) or "none"
            raise ResourceUnavailable(f"{resource_id!r} is nothing that could be retried; up are {known}")
        self._run()

    async def __aenter__(self) -> ResourceRegistrar:
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Everybody is told, everything goes down, parents first; what hangs is abandoned in time."""
        self.happen(lambda core: core.close())
        while self._lives or self._safe_stops:
            tasks = {*(life.task for life in self._lives.values()), *self._safe_stops}
            await asyncio.wait(tasks, timeout=0.1)
        self._is_left = True
        if self._timer is not None:
            self._timer.cancel()
        if self._link is not None:
            self._link.leave()
        if self._catalog is not None:
            self._catalog.erase()

    # -- for requests, supplies and lives

    def requester(
        self, on_behalf_of: int | None
    ) -> tuple[ResourceRegistrar, Resource | None, asyncio.Task[Any] | None]:
        """Who asks: a body, or the resource whose provider runs (its registrar then does the asking)."""
        self._start()
        if on_behalf_of is not None:
            life = self._lives.get(on_behalf_of)
            if life is None:
                raise ResourceUnavailable(f"the resource {self.name}/{on_behalf_of} it was asked for is over")
            return self, life.resource, life.task
        here = scope.get()
        if here is None or here.registrar._transport is not self._transport:
            return self, None, None
        return here.registrar, here.resource, here.task

    def inherited(self, parent: Resource) -> tuple[bool, tuple[str, ...]]:
        """Whether a dependency is asked for on approval, and in place of what."""
        return self._core.holding.inheritance(parent)

    def new_lease_id(self) -> str:
        """Unique over all registrars and incarnations."""
        return f"{self.name}:{self._core.boot}:{self._core.number()}"

    async def obtain(self, lease: Lease, timeout_s: float | None) -> None:
        """Ask, and wait for the answer; nothing is left behind if that is cancelled."""
        self._leases[lease.id] = lease
        self._core.holding.ask(lease.held, timeout_s)
        self._run()
        try:
            await lease.decision()
        except BaseException:
            lease.close()
            self.give_back(lease)
            raise

    async def take_all(
        self, leases: tuple[Lease, ...], instead_of: tuple[Lease, ...], timeout_s: float | None
    ) -> None:
        """All are reserved: take them, and give up what they replace, in one step."""
        for lease in leases:
            await lease.decision()
            lease.await_anew()
        for lease in leases:
            lease.registrar._core.holding.commit_lease(lease.held)
        for lease in instead_of:
            lease.close()
            lease.registrar.give_back(lease)
        for lease in leases:
            lease.registrar._run()
        for lease in leases:
            await lease.decision()

    def give_back(self, lease: Lease) -> None:
        """The body is over. Idempotent."""
        if self._leases.pop(lease.id, None) is not None:
            self._core.holding.release(lease.id)
            self._run()

    def request_for(self, number: int, request: Any, **wishes: Any) -> AbstractAsyncContextManager[Lease]:
        """A request on behalf of a resource, from where contextvars do not reach."""
        return self._make_request(number, request, **wishes)

    def happen(self, event: Callable[[RegistrarCore], object]) -> None:
        """Let an event happen in the core, and do what follows."""
        if not self._is_left:
            event(self._core)
            self._run()

    def started(self, life: Life, handle: Any) -> bool:
        """A provider is at its `yield`."""
        wanted = self._core.serving.started(life.resource.number, handle, moving=life.supply.moves)
        self._run()
        return wanted

    def ended(self, life: Life, error: str | None, hops: tuple[Hop, ...], preempted_by: str) -> None:
        """A provider is over."""
        self._lives.pop(life.resource.number, None)
        self._core.serving.ended(life.resource.number, error, hops, preempted_by)
        self._run()

    # -- for the link

    def receive(self, sender: str, message: Message) -> None:
        """A message has arrived."""
        if not self._is_left:
            self._core.receive(sender, message)
            self._run()

    def peer_seen(self, peer: Peer) -> None:
        """A registrar has come, or changed."""
        self.happen(lambda core: core.peers.seen(peer))

    def peer_lost(self, name: str, boot: str) -> None:
        """A registrar has gone."""
        self.happen(lambda core: core.peers.lost(name, boot))

    def malformed(self, sender: str, reason: str) -> None:
        """Something arrived that is no message; it changed nothing."""
        log.warning(
            "%s: a malformed message from %s was dropped: %s", self.name, sender or "somebody", reason
        )

    # -- inside

    def _make_request(
        self,
        on_behalf_of: int | None,
        request: Any,
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        on_failure: Literal["cancel", "tell"] = "cancel",
        on_status: Callable[[Status], None] | None = None,
        optional: bool = False,
        timeout_s: float | None = None,
    ) -> AbstractAsyncContextManager[Lease]:
        cancels = on_failure == "cancel"
        if (at, exclusive, priority, wait, cancels, on_status, timeout_s) == _AS_USUAL:
            wishes = PLAIN
        else:
            wishes = Wishes(at, exclusive, Priority(priority), wait, cancels, on_status, timeout_s)
        if optional:
            return OptionalRequest(self, request, wishes, on_behalf_of)
        return Request(self, request, wishes, on_behalf_of=on_behalf_of)

    def _join(self) -> None:
        if self._link is not None:
            return
        durable = self._catalog is not None
        core = self._core
        self._link = self._transport.join(self.name, self, durable=durable)
        core.boot = self._link.boot
        core.beat_s = self._link.beat_s
        core.discovery_s = self._link.discovery_s
        for peer in list(self._link.peers.values()):
            core.peers.seen(peer)
        self._advertise()

    def _start(self) -> None:
        """First use on a loop: join, restore, begin to beat. Idempotent."""
        if self._loop is not None:
            return
        if self._is_left:
            raise RegistrarClosed(f"the registrar {self.name} has been left; make a new one")
        self._loop = asyncio.get_running_loop()
        self._join()
        for kind in list(self._core.provided):
            self._restore(kind)
        self._core.peers.start()
        self._run()

    def _restore(self, kind: str) -> None:
        """What our former incarnation had lent of this kind."""
        if self._catalog is None or self._loop is None:
            return
        mine = [ask for ask in self._catalog.restored if ask.kind == kind]
        self._catalog.restored = [ask for ask in self._catalog.restored if ask.kind != kind]
        for ask in mine:
            self._restore_one(ask)
        self._run()

    def _restore_one(self, ask: Ask) -> None:
        try:
            self._core.serving.restore(ask)
        except RequestTypeError as error:
            log.warning("%s: a lease in the catalog is not restored: %s", self.name, error)

    def _advertise(self) -> None:
        if self._link is not None:
            self._link.advertise(
                Peer(self.name, self._core.boot, tuple(self._core.provided), self._catalog is not None)
            )

    def _run(self) -> None:
        """Do what the core wants, in order. What that triggers is done after it."""
        if self._is_running:
            return
        self._is_running = True
        effects = self._core.effects
        do = self._do
        try:
            while effects:
                effect = effects.popleft()
                do[type(effect)](effect)
        finally:
            self._is_running = False
        if self._core.timers.wake_s < self._armed_s and self._loop is not None:
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        assert self._loop is not None
        self._armed_s = self._core.timers.wake_s
        self._timer = self._loop.call_later(max(0.0, self._armed_s - self._clock.now_s()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._armed_s = math.inf
        if not self._is_left:
            self._core.tick()
            self._run()

    def _send(self, effect: fx.Send) -> None:
        if effect.to == self.name:
            self._core.receive(self.name, effect.message)
        elif self._link is not None:
            self._link.send(effect.to, effect.message)

    def _start_life(self, effect: fx.Start) -> None:
        resource = self._core.resources.get(effect.number)
        if resource is None:
            return
        provider, with_supply = self._providers[resource.key[0]]
        life = Life(self, resource, provider, with_supply)
        self._lives[effect.number] = life
        life.begin(self._context)

    def _stop_life(self, effect: fx.Stop) -> None:
        life = self._lives.get(effect.number)
        if life is None:
            return
        lease = self._leases.get(effect.through) if effect.through else None
        if lease is not None:
            # The lease's own failure is delivered from the loop; end the provider through it after that.
            assert self._loop is not None
            self._loop.call_soon(lease.interrupt)
        else:
            life.stop()

    def _abandon_life(self, effect: fx.Abandon) -> None:
        life = self._lives.pop(effect.number, None)
        if life is not None:
            log.error(
                "%s: the provider of %r does not stop; it is abandoned", self.name, life.resource.request
            )
            life.cancel()

    def _safe_stop(self, effect: fx.SafeStop) -> None:
        life = self._lives.get(effect.number)
        number = effect.number
        if life is None:
            self._core.access.safe(number, None)
            return
        task = asyncio.get_running_loop().create_task(
            self._come_to_rest(life, number), context=self._context.copy()
        )
        self._safe_stops.add(task)
        task.add_done_callback(self._safe_stops.discard)

    async def _come_to_rest(self, life: Life, number: int) -> None:
        error = None
        timeout_s = life.resource.policy.safe_stop_timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                await life.supply.come_to_rest()
        except TimeoutError:
            error = f"it took longer than {timeout_s} s"
        except Exception as failure:
            error = f"{type(failure).__name__}: {failure}"
        self.happen(lambda core: core.access.safe(number, error))

    def _holder_changed(self, effect: fx.Holder) -> None:
        life = self._lives.get(effect.number)
        if life is not None:
            life.supply.held_by(effect.lease, effect.generation)

    def _retry(self, effect: fx.Retry) -> None:
        life = self._lives.get(effect.number)
        if life is not None:
            life.supply.retry_now()

    def _granted(self, effect: fx.Granted) -> None:
        lease = self._leases.get(effect.held.id)
        if lease is not None:
            lease.value = effect.held.value
            lease.decide(None)

    def _refused(self, effect: fx.Refused) -> None:
        lease = self._leases.pop(effect.held.id, None)
        if lease is None:
            return
        status = effect.status
        if effect.kind is RefusalKind.CIRCLE and effect.circle:
            lease.decide(CircularDependency(status.message, effect.circle, status.hops))
        elif effect.kind is RefusalKind.CLOSED and self._core.closed:
            lease.decide(RegistrarClosed(f"{status.message}: make the request before leaving it"))
        else:
            lease.decide(ResourceUnavailable(status.message, status.hops))

    def _deliver(self, effect: fx.Deliver) -> None:
        lease = self._leases.get(effect.held.id)
        if lease is None:
            return
        if not self._deliveries:
            asyncio.get_running_loop().call_soon(self._flush)
        self._deliveries.append((lease, effect.status, effect.cancel))

    def _flush(self) -> None:
        """Statuses reach leases from here only: a loop callback, never somebody's own stack."""
        deliveries, self._deliveries = self._deliveries, []
        for lease, status, cancel in deliveries:
            lease.deliver(status, cancel)

    def _record(self, effect: fx.Record) -> None:
        self.journal.append(self._clock.now_s(), self._clock.wall_s(), effect)

    def _persist(self, effect: fx.Persist) -> None:
        if self._catalog is None:
            return
        if isinstance(effect.entry, str):
            self._catalog.ended(effect.entry)
        else:
            self._catalog.granted(effect.entry, effect.generation)


_AS_USUAL = (None, False, Priority.AUTONOMY, False, True, None, None)
