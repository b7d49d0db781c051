"""The registrar's state machine: events in, effects out. No clock of its own, no task, no socket.

`RegistrarCore` holds the books and the rulebooks that work on them:

* `serving`: the leases this registrar lends,
* `lifecycle`: how the resources it provides come up and go down,
* `conditions`: what is said about them meanwhile,
* `access`: who may command an exclusive one, preemption, safe stop,
* `holding`: the leases it holds itself,
* `propagation`: what is said about those, and how it propagates,
* `circles`: dependencies that would wait for themselves,
* `peers`: who is there,
* `heartbeats`: who is alive, and whether both sides' books agree.

Each event runs to its end before the next begins; what is to be done is
appended to `effects`, in order. The asyncio shell is in `shell.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from framework.interlock import Interlock
from framework.registrar.access import Access
from framework.registrar.circles import Circles
from framework.registrar.conditions import Conditions
from framework.registrar.effects import Effect, JournalKind, Record
from framework.registrar.heartbeats import Heartbeats
from framework.registrar.holding import Holding
from framework.registrar.keys import Key, kind_of
from framework.registrar.lifecycle import Lifecycle
from framework.registrar.peers import Peers
from framework.registrar.propagation import Propagation
from framework.registrar.records import ClientLease, ProviderPolicy, Resource, ServerLease
from framework.registrar.serving import Serving
from framework.registrar.timers import Timers
from framework.transport import messages as m


class CorePolicy(msgspec.Struct, frozen=True):
    """What the registrar as a whole allows itself [s].

    `window_s` is how long a peer may be silent, over all hops together.
    """

    request_timeout_s: float = 30.0
    wait_timeout_s: float = 3600.0
    window_s: float = 0.25
    reconfirm_s: float = 5.0
    reconnect_s: float = 10.0


class Provided(msgspec.Struct):
    """A request type this registrar provides, and with what patience."""

    request_type: type
    kind: str
    policy: ProviderPolicy


class RegistrarCore:
    """The books of one registrar.

    Args:
        name: the registrar's name; boot: this incarnation's id.
        now_s: reads the monotonic clock.
        beat_s: heartbeat period, None where peers share our process.
        durable: whether a catalog is kept.
        first_generation: exclusive grants are numbered above this.
        interlock: who may move by itself; without one, whoever is granted it.
    """

    def __init__(
        self,
        name: str,
        boot: str,
        now_s: Callable[[], float],
        *,
        policy: CorePolicy | None = None,
        beat_s: float | None = None,
        discovery_s: float = 0.0,
        durable: bool = False,
        first_generation: int = 0,
        interlock: Interlock | None = None,
    ) -> None:
        self.name = name
        self.boot = boot
        self._clock_s = now_s
        self.policy = policy or CorePolicy()
        self.beat_s = beat_s
        self.discovery_s = discovery_s
        self.durable = durable
        self.closed = False
        self.generation = first_generation
        self.interlock = interlock
        self.effects: deque[Effect] = deque()
        self.timers = Timers()
        self.provided: dict[str, Provided] = {}
        self.resources: dict[int, Resource] = {}
        self.by_key: dict[Key, Resource] = {}
        self.running: dict[Key, Resource] = {}
        self.leases: dict[str, ServerLease] = {}
        self.holds: dict[str, ClientLease] = {}
        self._numbers = 0
        self.serving = Serving(self)
        self.lifecycle = Lifecycle(self)
        self.conditions = Conditions(self)
        self.access = Access(self)
        self.holding = Holding(self)
        self.circles = Circles(self)
        self.peers = Peers(self)
        self.heartbeats = Heartbeats(self)
        self.propagation = Propagation(self)
        self._receivers: dict[type, Callable[[str, Any], None]] = {
            m.Ask: self.serving.ask,
            m.Commit: self.serving.commit,
            m.Release: self.serving.release,
            m.Reprioritise: self.serving.reprioritise,
            m.Command: self.serving.command,
            m.Grant: self.holding.granted,
            m.Refusal: self.holding.refused,
            m.Queued: self.holding.queued,
            m.Tell: self.propagation.told,
            m.Probe: self.circles.probed,
            m.Heartbeat: self.heartbeats.beat,
            m.Audit: self.heartbeats.audited,
            m.Holding: self.heartbeats.listed,
        }

    def now_s(self) -> float:
        """The time [s]. What asks for it first after a standstill of our process notices that one first:
        what is begun now is not moved along with what had begun before."""
        now_s = self._clock_s()
        self.heartbeats.notice_standstill(now_s)
        return now_s

    def receive(self, sender: str, message: m.Message) -> None:
        """A message from a registrar; what does not fit our books changes nothing."""
        self.heartbeats.notice_standstill(self._clock_s())
        self._receivers[type(message)](sender, message)

    def provide(self, request_type: type, policy: ProviderPolicy) -> None:
        """From now on requests of this type are served here."""
        kind = kind_of(request_type)
        self.provided[kind] = Provided(request_type, kind, policy)
        self.peers.seek()

    def close(self) -> None:
        """The registrar is being left: give back what is held, stop what is provided."""
        self.closed = True
        self.holding.close()
        self.lifecycle.close()

    def tick(self) -> None:
        """Time has passed: meet the deadlines that are due."""
        self.timers.tick(self.now_s())

    def number(self) -> int:
        """The next number of this incarnation; leases, resources and incidents share the count."""
        self._numbers += 1
        return self._numbers

    def next_generation(self) -> int:
        """The next exclusive grant's number: it rises over all resources and incarnations."""
        self.generation += 1
        return self.generation

    def incident(self) -> str:
        """A fresh incident id."""
        return f"{self.name}:{self.boot}:i{self.number()}"

    def edge(self, resource: Resource) -> m.Edge:
        """The identity of a resource of ours."""
        return m.Edge(self.name, self.boot, resource.number)

    def label(self, resource: Resource) -> str:
        """A resource of ours as people everywhere read it."""
        return f"{self.name}/{resource.label}"

    def record(
        self,
        deed: JournalKind,
        resource: Resource,
        *,
        who: str = "",
        why: str = "",
        lease: str = "",
        generation: int = 0,
    ) -> None:
        """Append to the journal."""
        self.effects.append(Record(deed, resource.request, who, why, lease, generation))
