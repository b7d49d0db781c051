"""What carries messages between nodes: in order and at will, or badly and by the clock."""

from __future__ import annotations

import heapq
import random
from collections import deque
from typing import TYPE_CHECKING, Any

from framework.transport.messages import Heartbeat, Message

if TYPE_CHECKING:
    from tests.framework.registrar.simulated.world import World


class Wire:
    """Every channel keeps its order; which channel moves next is up to the test."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.channels: dict[tuple[str, str], deque[Message]] = {}

    def send(self, sender: str, to: str, message: Message) -> None:
        """Put a message on its way."""
        self.channels.setdefault((sender, to), deque()).append(message)

    def deliver(self, pick: int = 0) -> bool:
        """Bring the oldest message of some channel over; False if nothing is on its way."""
        busy = [key for key, messages in self.channels.items() if messages]
        if not busy:
            return False
        sender, to = busy[pick % len(busy)]
        message = self.channels[sender, to].popleft()
        self.world.arrive(sender, to, message)
        return True

    def cut(self, name: str) -> None:
        """Whatever is on its way to or from a node that was killed is lost."""
        for key in list(self.channels):
            if name in key:
                del self.channels[key]

    def due_s(self) -> float | None:
        """Messages wait for the test, not for a time."""
        return None

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is on its way but beats."""
        return not any(self.channels.values())


class BadWire(Wire):
    """Takes a while; loses, doubles, delays and reorders while it is bad."""

    def __init__(self, world: World, seed: int, badness: float) -> None:
        super().__init__(world)
        self.random = random.Random(seed)
        self.badness = badness
        self.cut_off: set[str] = set()
        self._flying: list[tuple[float, int, str, str, Message]] = []
        self._count = 0

    def send(self, sender: str, to: str, message: Message) -> None:
        """Put a message on its way, or not."""
        if sender in self.cut_off or to in self.cut_off:
            return
        copies = [0.002]
        if self.badness and self.random.random() < self.badness:
            copies = self.random.choice([[], [], [0.002, 0.002], [0.002, 0.15], [0.06], [0.3]])
        for delay_s in copies:
            self._count += 1
            heapq.heappush(self._flying, (self.world.now_s + delay_s, self._count, sender, to, message))

    def deliver(self, pick: int = 0) -> bool:
        """Bring over what has arrived by now."""
        if not self._flying or self._flying[0][0] > self.world.now_s:
            return False
        _, _, sender, to, message = heapq.heappop(self._flying)
        self.world.arrive(sender, to, message)
        return True

    def cut(self, name: str) -> None:
        """Whatever is on its way to or from a node that was killed is lost."""
        self._flying = [entry for entry in self._flying if name not in entry[2:4]]
        heapq.heapify(self._flying)

    def due_s(self) -> float | None:
        """When the next message arrives."""
        return self._flying[0][0] if self._flying else None

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is on its way but beats."""
        return all(isinstance(entry[4], Heartbeat) for entry in self._flying)


def messages(wire: Wire) -> list[tuple[str, str, Any]]:
    """What is on its way, for tests that look."""
    return [(sender, to, m) for (sender, to), queue in wire.channels.items() for m in queue]
