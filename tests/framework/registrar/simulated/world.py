"""Several nodes, the wire between them, and the time."""

from __future__ import annotations

import math
from collections import Counter

from framework.interlock import Interlock
from framework.registrar.records import Resource, ServerLease
from framework.status import Severity
from framework.transport.messages import Ask, Message
from tests.framework.registrar.simulated.checks import check_books, check_empty, check_left
from tests.framework.registrar.simulated.node import Node
from tests.framework.registrar.simulated.recipes import PROVIDER_POLICY, Recipe, Thing
from tests.framework.registrar.simulated.reference import check_reference
from tests.framework.registrar.simulated.wires import Wire

#: Its teardown begins when what is above it is gone, at most one stop later; then it rests, and stops.
LEFT_WITHIN_S = 2 * PROVIDER_POLICY.stop_timeout_s + PROVIDER_POLICY.safe_stop_timeout_s + 0.01


class World:
    """Several nodes, the wire between them, and the time."""

    def __init__(
        self,
        recipes: dict[str, Recipe],
        names: tuple[str, ...],
        *,
        beat_s: float | None = None,
        durable: tuple[str, ...] = (),
        interlock: Interlock | None = None,
    ) -> None:
        self.recipes = recipes
        self.now_s = 100.0
        self.beat_s = beat_s
        self.durable = durable
        self.interlock = interlock
        self.grants: list[ServerLease] = []
        self.wire: Wire = Wire(self)
        self.running: Counter[str] = Counter()
        self.starts: Counter[str] = Counter()
        self.start_mode: dict[str, str] = {}
        self.stop_mode: dict[str, str] = {}
        self.safe_mode: dict[str, str] = {}
        self.nodes: dict[str, Node] = {}
        self._kept: dict[str, tuple[dict[str, Ask], int]] = {}
        self._boots = 0
        for name in names:
            self.boot(name)

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    def count(self, name: str, by: int) -> None:
        """A thing's own part starts (+1) or stops (-1)."""
        self.running[name] += by
        self.starts[name] += by > 0
        assert self.running[name] in (0, 1), f"{name} runs {self.running[name]} times"

    # -- nodes

    def boot(self, name: str, *, late: bool = False) -> Node:
        """Start a node, with the catalog that its former incarnation left.

        late: it is there before it provides anything, until `furnish`.
        """
        self._boots += 1
        catalog, generation = self._kept.pop(name, ({}, 0))
        node = Node(self, name, self._boots, catalog, generation)
        for other in self.nodes.values():
            node.core.peers.seen(other.peer)
        self.nodes[name] = node
        if late:
            self._announce(node)
        else:
            self.furnish(node)
        node.happen(lambda core: core.heartbeats.start())
        return node

    def furnish(self, node: Node) -> None:
        """It provides what it has to from now on, and takes up again what its catalog says."""
        if not node.core.provided and any(recipe.at == node.name for recipe in self.recipes.values()):
            node.core.provide(Thing, PROVIDER_POLICY)
            for ask in list(node.catalog.values()):
                node.core.serving.restore(ask)
        self._announce(node)
        node.drain()

    def _announce(self, node: Node) -> None:
        for other in self.nodes.values():
            if other is not node:
                other.happen(lambda core: core.peers.seen(node.peer))

    def leave(self, name: str) -> None:
        """It is left in order, and its process ends within the bounds of what it provides."""
        node = self.nodes[name]
        node.happen(lambda core: core.close())
        self.settle()
        assert all(held.parent is not None for held in node.core.holds.values()), (
            f"{name} is left, and has something"
        )
        self.advance(LEFT_WITHIN_S)
        check_left(node)
        node.catalog.clear()
        self.kill(name)

    def kill(self, name: str, *, quietly: bool = False) -> None:
        """`kill -9`: what it ran ends with it; its catalog, if it keeps one, stays.

        quietly: nobody tells the others; they see its next incarnation.
        """
        node = self.nodes.pop(name)
        if self.interlock is not None:
            self.interlock.unlisten(node)
        for provider in node.providers.values():
            provider.vanish()
        durable = name in self.durable
        self._kept[name] = (node.catalog if durable else {}, node.generation if durable else 0)
        self.wire.cut(name)
        for other in () if quietly else self.nodes.values():
            other.happen(lambda core: core.peers.lost(name, node.core.boot))

    def arrive(self, sender: str, to: str, message: Message) -> None:
        """A message has come over."""
        node = self.nodes.get(to)
        if node is not None and sender in self.nodes:
            node.happen(lambda core: core.receive(sender, message))

    # -- time

    def settle(self) -> None:
        """Let everything happen that needs no time."""
        self._settle()
        self.check_reference()

    def _settle(self) -> None:
        for _ in range(100_000):
            if not (any(node.work() for node in list(self.nodes.values())) or self.wire.deliver()):
                return
        raise AssertionError("this never comes to an end")

    def advance(self, by_s: float, *, settle: bool = True) -> None:
        """Let time pass, from one thing that is due to the next."""
        until_s = self.now_s + by_s
        while True:
            if settle:
                self._settle()
            due = [node.core.timers.wake_s for node in self.nodes.values()]
            arrival_s = self.wire.due_s()
            if arrival_s is not None:
                due.append(arrival_s)
            next_s = max(min(due, default=math.inf), self.now_s)
            if next_s > until_s:
                break
            self.now_s = next_s
            for node in list(self.nodes.values()):
                if node.core.timers.wake_s <= next_s:
                    node.happen(lambda core: core.tick())
        self.now_s = until_s
        self.check_reference()

    # -- the end

    def release_all(self) -> None:
        """Every body leaves."""
        for node in self.nodes.values():
            for body in node.bodies:
                body.leave()

    def check_reference(self) -> None:
        """The books of each core are as if written anew."""
        for node in self.nodes.values():
            check_reference(node)

    def check_empty(self) -> None:
        """Nothing is left of anything."""
        check_empty(self)

    def check_books(self) -> None:
        """Nothing is on its way: both sides of every lease say the same."""
        check_books(self)


def named(node: Node, name: str) -> Resource:
    """The resource of that name which is not on its way out."""
    for resource in node.core.by_key.values():
        if resource.request == Thing(name):
            return resource
    raise KeyError(f"{node.name} has no {name}; it has {[r.label for r in node.core.by_key.values()]}")


def fail(node: Node, name: str, message: str = "unplugged") -> None:
    """A provider says that its resource has failed."""
    number = named(node, name).number
    node.happen(lambda core: core.conditions.report(number, Severity.FATAL, message))
