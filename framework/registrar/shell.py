"""The asyncio shell around the pure core: runs its effects, keeps one timer, speaks to the link.

It decides nothing. Resources are run in `provider_tasks`, leases in hand are kept in
`claims`; what people call is in `registrar.py`.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from framework.clock import Clock, LoopClock
from framework.errors import RegistrarClosed, RequestTypeError, ResourceUnavailable, TransportError
from framework.interlock import Interlock, Listener
from framework.registrar import effects as fx
from framework.registrar.catalog import Catalog
from framework.registrar.claims import Claims
from framework.registrar.core import CorePolicy, RegistrarCore
from framework.registrar.journal import Journal
from framework.registrar.keys import checked_type, kind_of
from framework.registrar.marshalling import Marshalling
from framework.registrar.provider_task import Provider, ProviderTask, scope
from framework.registrar.provider_tasks import ProviderTasks
from framework.registrar.records import ProviderPolicy
from framework.transport.interface import Link, Transport
from framework.transport.messages import Ask, Message, Peer

log = logging.getLogger("pilothouse.registrar")


class Shell(Listener):
    """What moves for one registrar; the listener on its link, and on the motion interlock."""

    def __init__(
        self,
        name: str,
        transport: Transport,
        clock: Clock | None,
        catalog: Path | None,
        policy: CorePolicy | None,
        interlock: Interlock | None = None,
    ) -> None:
        self.name = name
        self.transport = transport
        self.journal = Journal(name)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._clock: Clock = clock or LoopClock()
        self._catalog = Catalog(catalog) if catalog is not None else None
        self.core = RegistrarCore(
            name,
            "",
            self._clock.now_s,
            policy=policy,
            durable=self._catalog is not None,
            first_generation=self._catalog.generation if self._catalog is not None else 0,
            interlock=interlock,
        )
        self.provider_tasks = ProviderTasks(self)
        self.claims = Claims(self)
        # Where all registrars share one process, nothing ever has to be encoded.
        self._must_marshal = transport.needs_loop
        self._marshalling = Marshalling(self.core)
        self._link: Link | None = None
        self._is_running = False
        self._is_left = False
        self._timer: asyncio.TimerHandle | None = None
        self._armed_s = math.inf
        self._do: dict[type[fx.Effect], Callable[[Any], None]] = {
            fx.Send: self._send,
            fx.StartProvider: self.provider_tasks.start,
            fx.StopProvider: self.provider_tasks.stop,
            fx.AbandonProvider: self.provider_tasks.abandon,
            fx.SafeStop: self.provider_tasks.make_safe,
            fx.Holder: self.provider_tasks.holder_changed,
            fx.Commanded: self.provider_tasks.commanded,
            fx.Retry: self.provider_tasks.retry,
            fx.EpochRose: self._tell_rise,
            fx.Granted: self.claims.granted,
            fx.Refused: self.claims.refused,
            fx.Deliver: self.claims.deliver,
            fx.Record: self._record,
            fx.Persist: self._persist,
        }
        if not transport.needs_loop:
            self._join()

    # -- coming and going

    def start(self) -> None:
        """First use on a loop: join, restore, begin to beat. Idempotent."""
        if self._is_left:
            raise RegistrarClosed(f"the registrar {self.name} has been left; make a new one")
        if self.loop is not None:
            return
        self.loop = asyncio.get_running_loop()
        self._join()
        if self.core.interlock is not None:
            self.core.interlock.listen(self)
        for kind in list(self.core.provided):
            self._restore(kind)
        self.core.heartbeats.start()
        self.run()

    async def leave(self) -> None:
        """Everybody is told, everything goes down, parents first; what hangs is abandoned in time."""
        self.happen(lambda core: core.close())
        try:
            await self.provider_tasks.all_over()
        finally:
            self._is_left = True
            if self.core.interlock is not None:
                self.core.interlock.unlisten(self)
            self.provider_tasks.abandon_all()
            if self._timer is not None:
                self._timer.cancel()
            if self._link is not None:
                self._link.leave()
            if self._catalog is not None:
                self._catalog.erase()

    def provide(
        self, request_type: type, provider: Provider, with_supply: bool, policy: ProviderPolicy
    ) -> None:
        """Serve requests of this type from now on, and tell everyone."""
        self.provider_tasks.providers[checked_type(request_type)] = (provider, with_supply)
        self.core.provide(request_type, policy)
        self._restore(kind_of(request_type))
        self._advertise()

    # -- events

    def happen(self, event: Callable[[RegistrarCore], object]) -> None:
        """Let an event happen in the core, and do what follows."""
        if not self._is_left:
            event(self.core)
            self.run()

    def requester(self, on_behalf_of: int | None) -> tuple[Shell, ProviderTask | None]:
        """Who asks: a body, or the resource whose provider runs (its registrar then does the asking)."""
        if self.loop is None:
            self.start()
        if self.loop is not asyncio.get_running_loop():
            raise ResourceUnavailable(
                f"the registrar {self.name} belongs to another event loop: hand the request over with "
                "asyncio.run_coroutine_threadsafe"
            )
        if on_behalf_of is not None:
            return self, self.provider_tasks.of(on_behalf_of)
        here = scope.get()
        if here is None or here.shell.transport is not self.transport:
            return self, None
        return here.shell, here

    def now_s(self) -> float:
        """The time of its clock [s]."""
        return self._clock.now_s()

    def new_lease_id(self) -> str:
        """Unique over all registrars and incarnations."""
        return f"{self.name}:{self.core.boot}:{self.core.number()}"

    # -- for the link

    def receive(self, sender: str, message: Message) -> None:
        """A message has arrived."""
        if not self._is_left:
            if self.loop is None:
                self.start()
            if self._must_marshal and self._link is not None and not self._link.is_local(sender):
                message = self._marshalling.inward(sender, message)
            self.core.receive(sender, message)
            self.run()

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

    # -- for the motion interlock

    def epoch_rose(self) -> None:
        """Devices were lost: what moves them by itself may have to end."""
        self.happen(lambda core: core.access.epoch_rose())

    def permit_changed(self, plan: str) -> None:
        """What was asked for in this plan's name is told."""
        self.happen(lambda core: core.holding.permit_changed(plan))

    # -- effects and time

    def run(self) -> None:
        """Do what the core wants, in order. What that triggers is done after it."""
        if self._is_running:
            return
        self._is_running = True
        effects = self.core.effects
        do = self._do
        try:
            while effects:
                effect = effects.popleft()
                do[type(effect)](effect)
        finally:
            self._is_running = False
        if self.core.timers.wake_s < self._armed_s and self.loop is not None:
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        assert self.loop is not None
        self._armed_s = self.core.timers.wake_s
        self._timer = self.loop.call_later(max(0.0, self._armed_s - self._clock.now_s()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._armed_s = math.inf
        if not self._is_left:
            self.core.tick()
            self.run()

    def _send(self, effect: fx.Send) -> None:
        if effect.to == self.name:
            self.core.receive(self.name, effect.message)
        elif self._link is not None:
            try:
                if self._must_marshal and not self._link.is_local(effect.to):
                    self._marshalling.outward(effect.message)
                self._link.send(effect.to, effect.message)
            except (RequestTypeError, TransportError) as error:
                self._marshalling.unsaid(effect.message, str(error))

    def _tell_rise(self, _: fx.EpochRose) -> None:
        if self.core.interlock is not None:
            self.core.interlock.tell_rise()

    def _record(self, effect: fx.Record) -> None:
        self.journal.append(self._clock.now_s(), self._clock.wall_s(), effect)

    def _persist(self, effect: fx.Persist) -> None:
        if self._catalog is None:
            return
        if isinstance(effect.entry, str):
            self._catalog.ended(effect.entry)
        else:
            self._catalog.granted(effect.entry, effect.generation)

    # -- presence and the past

    def _join(self) -> None:
        if self._link is not None:
            return
        core = self.core
        self._link = self.transport.join(self.name, self, durable=self._catalog is not None)
        core.boot = self._link.boot
        core.beat_s = self._link.beat_s
        core.discovery_s = self._link.discovery_s
        for peer in list(self._link.peers.values()):
            core.peers.seen(peer)
        self._advertise()

    def _advertise(self) -> None:
        if self._link is not None:
            self._link.advertise(
                Peer(self.name, self.core.boot, tuple(self.core.provided), self._catalog is not None)
            )

    def _restore(self, kind: str) -> None:
        """What our former incarnation had lent of this kind."""
        if self._catalog is None or self.loop is None:
            return
        mine = [ask for ask in self._catalog.restored if ask.kind == kind]
        self._catalog.restored = [ask for ask in self._catalog.restored if ask.kind != kind]
        for ask in mine:
            self._restore_one(self._catalog, ask)
        self.run()

    def _restore_one(self, catalog: Catalog, ask: Ask) -> None:
        try:
            self.core.serving.restore(ask)
        except RequestTypeError as error:
            log.warning("%s: a lease in the catalog is not restored: %s", self.name, error)
            catalog.ended(ask.lease)
