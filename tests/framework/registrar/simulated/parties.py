"""Who lives in a simulated world: providers of things, and bodies that hold them.

Both are state machines; each step is what a task would do between two awaits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from framework.registrar import effects as fx
from framework.registrar.fencing import CommandGate, CommandStamp
from framework.registrar.records import ClientLease, ClientPhase, Resource
from framework.status import FAILED, Severity, Status
from framework.transport.messages import Command
from tests.framework.registrar.simulated.recipes import KIND, Need, Thing

if TYPE_CHECKING:
    from tests.framework.registrar.simulated.node import Node


class Provider:
    """What a provider's task does, step by step: needs, own start, up, own stop, needs given back."""

    def __init__(self, node: Node, resource: Resource) -> None:
        self.node = node
        self.resource = resource
        self.name: str = resource.request.name
        self.recipe = node.world.recipes[self.name]
        self.held: list[ClientLease] = []
        self.is_over = False
        self.own_part_runs = False
        self.is_up = False
        self.in_motion = False
        self.stops = 0
        # As a driver has it; how old a command may be is not what is tried here.
        self.gate = CommandGate(max_age_s=math.inf)

    def held_by(self, lease: str, generation: int) -> None:
        """Whose commands count from now on."""
        if lease:
            self.gate.open(lease, generation)
        else:
            self.gate.close()

    def obeys(self, command: Command) -> None:
        """What gets here of what moves, its driver lets through."""
        if self.recipe.moves and self.resource.moving:
            stamp = CommandStamp(command.lease, command.generation, command.sequence, command.sent_s)
            self.gate.check(stamp, self.node.world.now_s)

    def step(self) -> None:
        """Ask for the next need, or begin the own part when all are there."""
        if self.is_over or self.own_part_runs:
            return
        needs = self.recipe.needs
        if len(self.held) < len(needs):
            self.acquire(needs[len(self.held)], by_provider=True)
            return
        world = self.node.world
        for held in self.held:
            assert held.is_live or held.phase is ClientPhase.FAILED, (
                f"{self.name} starts before {held.request}"
            )
        world.count(self.name, +1)
        self.own_part_runs = True
        mode = world.start_mode.get(self.name, "ok")
        if mode == "raise":
            self.stop("its start raised")
        elif mode == "ok":
            self.is_up = True
            handle = f"handle of {self.name}"
            core = self.node.core
            moving, device = self.recipe.moves, self.recipe.device
            wanted = core.lifecycle.started(self.resource.number, handle, moving=moving, device=device)
            self.node.drain()
            if not wanted:
                self.stop()

    def acquire(self, need: Need, *, by_provider: bool) -> None:
        """A request on behalf of this resource."""
        held = ClientLease(
            self.node.new_id(),
            Thing(need.name),
            KIND,
            who=self.resource.first_client(),
            at=self.node.world.recipes[need.name].at,
            exclusive=need.exclusive,
            wait=need.wait,
            cancels=need.cancels,
            parent=self.resource,
            by_provider=by_provider,
        )
        self.held.append(held)
        self.node.holders[held.id] = self
        self.node.happen(lambda core: core.holding.ask(held))

    def granted(self, held: ClientLease, provisional: bool) -> None:
        """A need is there."""
        if self.is_over or held not in self.held:
            return
        if not self.own_part_runs:
            if held is self.held[-1]:
                self.step()
        elif self.is_up and not held.by_provider:
            text = f"{held.request.name} is back"
            self.node.happen(
                lambda core: core.conditions.update(self.resource.number, f"handle with {text}", text)
            )

    def refused(self, held: ClientLease, status: Status) -> None:
        """A need cannot be had."""
        if held in self.held:
            self.held.remove(held)
            if held.by_provider:
                self.stop(status.message, status)

    def told(self, held: ClientLease, status: Status, cancel: bool) -> None:
        """A need has failed; without `cancel` it was only told."""
        if self.is_over or held not in self.held:
            return
        if cancel:
            self.stop(status.message, status)
        elif not held.cancels:
            self.held.remove(held)
            self.node.happen(lambda core: core.holding.release(held.id))

    def stop(self, error: str | None = None, status: Status | None = None) -> None:
        """End the own part, unless that hangs, then give the needs back, the last first."""
        if self.is_over:
            return
        if self.own_part_runs:
            mode = self.node.world.stop_mode.get(self.name, "ok")
            if mode == "hang":
                return
            if mode == "raise":
                error = error or "its stop raised"
            for held in self.held:
                assert held.id in self.node.core.holds, f"{held.request} went down before {self.name}"
            self.own_part_runs = False
            self.node.world.count(self.name, -1)
        self.is_over = True
        self.node.providers.pop(self.resource.number, None)
        for held in reversed(self.held):
            self.node.happen(lambda core, held=held: core.holding.release(held.id))  # type: ignore[misc]
        hops = status.hops if status is not None else ()
        preempted_by = status.preempted_by if status is not None else ""
        reason = status.reason if status is not None else FAILED
        number = self.resource.number
        self.node.happen(lambda core: core.lifecycle.ended(number, error, hops, preempted_by, reason))

    def vanish(self) -> None:
        """Cancelled the hard way, or its process was killed."""
        self.is_over = True
        if self.own_part_runs:
            self.own_part_runs = False
            self.node.world.count(self.name, -1)


class Body:
    """Who holds a lease, or a group of them, for its own sake."""

    def __init__(self, node: Node, held: list[ClientLease], instead_of: tuple[Body, ...] = ()) -> None:
        self.node = node
        self.held = held
        self.asked = 0
        self.instead_of = instead_of
        self.is_group = held[0].provisional
        self.is_stubborn = False
        self.state = "asking"
        self.refusal: fx.Refused | None = None
        self.statuses: list[Status] = []

    def step(self) -> None:
        """Ask for the next one of the group; commit when all are reserved."""
        if self.state != "asking":
            return
        if self.asked < len(self.held):
            held = self.held[self.asked]
            self.asked += 1
            self.node.happen(lambda core: core.holding.ask(held))
            return
        if not self.is_group:
            self.state = "in"
            return
        if self.state == "asking" and all(held.phase is ClientPhase.RESERVED for held in self.held):
            self.state = "taking"
            for held in self.held:
                self.node.core.holding.commit_lease(held)
            for old in self.instead_of:
                old.leave()
            self.node.drain()

    def granted(self, held: ClientLease, provisional: bool) -> None:
        """A lease is there, or reserved."""
        if self.state == "asking":
            self.step()
        elif self.state == "taking" and all(h.phase is ClientPhase.GRANTED for h in self.held):
            self.state = "in"

    def refused(self, held: ClientLease, refusal: fx.Refused) -> None:
        """One of them cannot be had: none is."""
        self.refusal = refusal
        self.leave()
        self.state = "refused"

    def told(self, held: ClientLease, status: Status, cancel: bool) -> None:
        """Something was said about the lease."""
        self.statuses.append(status)
        if status.severity is Severity.FATAL and self.state != "over":
            self.state = "failed"
            if not self.is_stubborn:
                self.leave()

    def leave(self, *, by_word: bool = False) -> None:
        """The end of the body. Idempotent."""
        self.state = "over"
        for held in reversed(self.held):
            held.by_word = by_word
            self.node.happen(lambda core, held=held: core.holding.release(held.id))  # type: ignore[misc]
