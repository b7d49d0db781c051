"""One core with the smallest shell that can be.

Effects are done at once, in order; what providers and bodies do next waits in
`todo` until somebody runs it, as tasks of a real loop would.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from framework.interlock import Listener, Permit
from framework.registrar import effects as fx
from framework.registrar.core import RegistrarCore
from framework.registrar.records import ClientLease, ResourceState
from framework.status import Priority, Severity, Status
from framework.transport.messages import Ask, Command, Peer
from tests.framework.registrar.simulated.checks import (
    check_commander,
    check_core,
    check_how_it_ends,
    check_news,
    check_preemption,
    check_stop,
)
from tests.framework.registrar.simulated.parties import Body, Provider
from tests.framework.registrar.simulated.recipes import CORE_POLICY, KIND, Thing
from tests.framework.registrar.simulated.reference import Deadlines

if TYPE_CHECKING:
    from tests.framework.registrar.simulated.world import World


class Node(Listener):
    """One core, its providers, its bodies, and what of it outlives a kill."""

    def __init__(self, world: World, name: str, boot: int, catalog: dict[str, Ask], generation: int) -> None:
        self.world = world
        self.name = name
        self.catalog = catalog
        self.generation = generation
        self.providers: dict[int, Provider] = {}
        self.holders: dict[str, Provider | Body] = {}
        self.bodies: list[Body] = []
        self.todo: deque[Callable[[], None]] = deque()
        self.fatal: Counter[str] = Counter()
        self.incidents: Counter[tuple[str, str, Severity]] = Counter()
        self.records: list[fx.Record] = []
        self.safe_stops: list[int] = []
        self.commands: list[Command] = []
        self.failed_at_s: dict[int, float] = {}
        self.is_paused = False
        self.on_stop: Callable[[str], object] = lambda through: None
        self.causes: dict[int, Status] = {}
        self.fallen: set[int] = set()
        self.core = RegistrarCore(
            name,
            f"{name}{boot}",
            lambda: world.now_s,
            policy=CORE_POLICY,
            beat_s=world.beat_s,
            durable=name in world.durable,
            first_generation=generation,
            interlock=world.interlock,
        )
        self.core.timers = Deadlines(self.core)
        if world.interlock is not None:
            world.interlock.listen(self)

    def epoch_rose(self) -> None:
        """As a shell does it."""
        self.happen(lambda core: core.access.epoch_rose())

    def permit_changed(self, plan: str) -> None:
        """As a shell does it."""
        self.happen(lambda core: core.holding.permit_changed(plan))

    @property
    def peer(self) -> Peer:
        """How the others see this node."""
        provides = (KIND,) if self.core.provided else ()
        return Peer(self.name, self.core.boot, provides, self.core.durable)

    def new_id(self) -> str:
        """A lease id as the shell makes them."""
        return f"{self.name}:{self.core.boot}:{self.core.number()}"

    # -- what bodies do

    def request(
        self,
        *names: str,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        cancels: bool = True,
        group: bool = False,
        instead_of: tuple[Body, ...] = (),
        permit: Permit | None = None,
    ) -> Body:
        """A body that asks for one thing, or (as a group) for several or none."""
        old = tuple(held.id for body in instead_of for held in body.held)
        held = [
            ClientLease(
                self.new_id(),
                Thing(name),
                KIND,
                who=self.name,
                at=self.world.recipes[name].at,
                exclusive=exclusive,
                priority=priority,
                wait=wait,
                cancels=cancels,
                provisional=group,
                instead_of=old,
                permit=permit,
            )
            for name in (sorted(names) if group else names)
        ]
        body = Body(self, held, instead_of)
        self.bodies.append(body)
        for one in held:
            self.holders[one.id] = body
        body.step()
        return body

    # -- events and effects

    def happen(self, event: Callable[[RegistrarCore], object]) -> None:
        """Let an event happen in the core, and do what follows."""
        event(self.core)
        self.drain()

    def drain(self) -> None:
        """Do what the core wants, in order."""
        if self.is_paused:
            return
        self.is_paused = True  # what follows from an effect is done after it
        effects = self.core.effects
        while effects:
            self._do(effects.popleft())
        self.is_paused = False
        check_core(self)

    def work(self) -> bool:
        """Run one step of some provider or body; False if there is none."""
        if not self.todo:
            return False
        self.todo.popleft()()
        return True

    def _do(self, effect: fx.Effect) -> None:
        core = self.core
        if isinstance(effect, fx.Send):
            check_news(self, effect.message)
            if effect.to == self.name:
                core.receive(self.name, effect.message)
            else:
                self.world.wire.send(self.name, effect.to, effect.message)
        elif isinstance(effect, fx.StartProvider):
            resource = core.resources.get(effect.number)
            if resource is not None:
                moving = [r for r in core.resources.values() if r.key == resource.key and r.making_safe]
                assert not moving, f"{resource.label} starts while its predecessor's device still moves"
                provider = self.providers[effect.number] = Provider(self, resource)
                self.todo.append(provider.step)
        elif isinstance(effect, fx.StopProvider):
            running = self.providers.get(effect.number)
            if running is not None:
                check_stop(self, running.resource)
                check_how_it_ends(running, effect.through)
                self.on_stop(effect.through)
                self.todo.append(running.stop)
        elif isinstance(effect, fx.AbandonProvider):
            running = self.providers.pop(effect.number, None)
            if running is not None:
                running.vanish()
        elif isinstance(effect, fx.SafeStop):
            self.safe_stops.append(effect.number)
            self.todo.append(lambda: self._come_to_rest(effect.number))
        elif isinstance(effect, fx.Commanded):
            check_commander(core.resources[effect.number], effect.command)
            if (commanded := self.providers.get(effect.number)) is not None:
                commanded.obeys(effect.command)
            self.commands.append(effect.command)
        elif isinstance(effect, fx.Holder):
            self._holder(effect)
        elif isinstance(effect, fx.EpochRose):
            if core.interlock is not None:
                core.interlock.tell_rise()
        elif isinstance(effect, fx.Granted):
            holder = self.holders.get(effect.held.id)
            if holder is not None:
                self.todo.append(lambda: holder.granted(effect.held, effect.provisional))
        elif isinstance(effect, fx.Refused):
            self._refused(effect)
        elif isinstance(effect, fx.Deliver):
            self._deliver(effect)
        elif isinstance(effect, fx.Persist):
            if isinstance(effect.entry, str):
                self.catalog.pop(effect.entry, None)
            else:
                self.catalog[effect.entry.lease] = effect.entry
        elif isinstance(effect, fx.Record):
            if effect.deed is fx.JournalKind.PREEMPT:
                check_preemption(self, effect.lease)
            elif effect.deed is fx.JournalKind.FAIL:
                failed = [r for r in core.resources.values() if r.request == effect.request]
                self.fallen.update(r.number for r in failed if r.state is ResourceState.FAILED)
            self.records.append(effect)

    def _come_to_rest(self, number: int) -> None:
        provider = self.providers.get(number)
        name = provider.name if provider is not None else ""
        mode = self.world.safe_mode.get(name, "ok")
        if mode == "hang":
            return
        if provider is not None and mode == "ok":
            provider.in_motion = False
        self.happen(lambda core: core.access.safe(number, None if mode == "ok" else "its safe stop raised"))

    def _holder(self, effect: fx.Holder) -> None:
        provider = self.providers.get(effect.number)
        if provider is not None:
            provider.held_by(effect.lease, effect.generation)
        if effect.lease:
            assert effect.generation > self.generation, "an exclusive grant that is no newer than an old one"
            self.generation = effect.generation
            resource = self.core.resources[effect.number]
            served = resource.leases.get(effect.lease)
            if served is not None:
                self.world.grants.append(served)
            for other in resource.queue if served is not None else ():
                assert served is not None
                is_behind = (other.priority, -other.order) < (served.priority, -served.order)
                is_behind = is_behind or not other.committed  # only reserves, for now
                assert is_behind, "not first come, first served"
            if provider is not None:
                assert not provider.in_motion, "granted before the device was at rest"
                provider.in_motion = provider.recipe.moves

    def _refused(self, effect: fx.Refused) -> None:
        held = effect.held
        holder = self.holders.get(held.id)
        assert held.id not in self.core.holds
        if isinstance(holder, Provider):
            self._note_cause(held, effect.status)
            self.todo.append(lambda: holder.refused(held, effect.status))
        elif holder is not None:
            self.todo.append(lambda: holder.refused(held, effect))

    def _deliver(self, effect: fx.Deliver) -> None:
        held, status = effect.held, effect.status
        assert status.lease_id == held.id, "told under another lease's id"
        if status.severity is Severity.FATAL:
            self.fatal[held.id] += 1
            assert self.fatal[held.id] == 1, f"{held.request} was told twice that it failed"
        key = (held.id, status.id, status.severity)
        self.incidents[key] += 1
        assert self.incidents[key] == 1, f"{held.request} was told twice of {status}"
        holder = self.holders.get(held.id)
        if isinstance(holder, Provider):
            if status.severity is Severity.FATAL:
                self._note_cause(held, status)
                self.todo.append(lambda: holder.told(held, status, effect.cancel))
        elif holder is not None:
            self.todo.append(lambda: holder.told(held, status, effect.cancel))

    def _note_cause(self, held: ClientLease, status: Status) -> None:
        """Its provider stands on this lease: what is said of it from now on is said because of this.

        Unless it had failed before, perhaps in the same words: a registrar that is left says them of all.
        """
        if (
            held.parent is not None
            and held.by_provider
            and held.cancels
            and held.parent.number not in self.fallen
        ):
            self.causes.setdefault(held.parent.number, status)
