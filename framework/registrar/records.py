"""What the registrar keeps books on: resources it provides, leases it lent, leases it holds.

Plain data with the few questions that data can answer about itself. What
happens to them is decided by the rulebooks that `core` names.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from framework.interlock import Permit
from framework.status import UNSPECIFIED, Hop, Priority, Reason, Severity, Status
from framework.transport.messages import Ask, Edge

if TYPE_CHECKING:
    from framework.registrar.keys import Key


class ProviderPolicy(msgspec.Struct, frozen=True):
    """How long a provider may take for what [s]."""

    start_timeout_s: float = 10.0
    stop_timeout_s: float = 5.0
    safe_stop_timeout_s: float = 1.0
    preempt_grace_s: float = 1.0


class ResourceState(StrEnum):
    """The life of a resource, in words people read."""

    STARTING = "starting"
    READY = "ready"
    DEGRADED = "degraded"
    UNSTEADY = "unsteady"
    RETRYING = "retrying"
    NEEDS_HUMAN = "needs a human"
    FAILED = "failed"
    STOPPING = "stopping"

    @property
    def is_up(self) -> bool:
        """Whether it has a handle that clients may use."""
        return self in UP


UP = frozenset(
    {
        ResourceState.READY,
        ResourceState.DEGRADED,
        ResourceState.UNSTEADY,
        ResourceState.RETRYING,
        ResourceState.NEEDS_HUMAN,
    }
)


GOING = frozenset({ResourceState.STOPPING, ResourceState.FAILED})


class ServerPhase(StrEnum):
    """A lease as its provider sees it."""

    PENDING = "pending"
    QUEUED = "queued"
    RESERVED = "reserved"
    GRANTED = "granted"
    ENDED = "ended"


class ClientPhase(StrEnum):
    """A lease as its client sees it."""

    SEEKING = "seeking"
    ASKED = "asked"
    QUEUED = "queued"
    RESERVED = "reserved"
    GRANTED = "granted"
    FAILED = "failed"


class ServerLease:
    """One lease that this registrar has lent, or is asked for."""

    __slots__ = (
        "ask",
        "by_word",
        "commanded",
        "commands",
        "committed",
        "confirmed",
        "ending",
        "exclusive",
        "generation",
        "has_preempted",
        "id",
        "mark",
        "order",
        "permit",
        "persisted",
        "phase",
        "place",
        "priority",
        "resource",
        "sequence",
        "who",
        "why_left",
        "wish",
    )

    def __init__(self, ask: Ask, resource: Resource, order: int) -> None:
        self.id = ask.lease
        self.ask = ask
        self.resource = resource
        self.order = order
        self.exclusive = ask.exclusive
        self.priority = ask.priority
        self.who = ask.who
        self.permit = ask.permit
        self.has_preempted = False
        self.by_word = False
        self.why_left = ""
        self.phase = ServerPhase.PENDING
        self.committed = not ask.provisional
        self.confirmed = True
        self.persisted = False
        self.ending: Incident | None = None
        self.place: tuple[str, int] | None = None
        self.mark = 0
        self.commanded = False
        self.commands = 0
        self.generation = 0
        self.sequence = 0
        self.wish = ask.wish

    @property
    def is_live(self) -> bool:
        """Whether the client has it in hand."""
        return self.phase is ServerPhase.GRANTED or self.phase is ServerPhase.RESERVED

    def next_sequence(self) -> int:
        """Numbers what is told about this lease, so that the client drops what is old or doubled."""
        self.sequence += 1
        return self.sequence


class Resource:
    """One resource that this registrar provides."""

    __slots__ = (
        "ailment",
        "ailment_below",
        "counts",
        "depth",
        "detail",
        "device",
        "ended_by_word",
        "failed_through",
        "halting",
        "handle",
        "holder",
        "holds",
        "is_unwell",
        "key",
        "last_heard_s",
        "launched",
        "leases",
        "making_safe",
        "moving",
        "next_attempt_s",
        "number",
        "outliving",
        "policy",
        "queue",
        "request",
        "running",
        "seen",
        "state",
        "tries",
    )

    def __init__(self, number: int, key: Key, request: Any, policy: ProviderPolicy, depth: int) -> None:
        self.number = number
        self.key = key
        self.request = request
        self.policy = policy
        self.depth = depth
        self.state = ResourceState.STARTING
        self.detail = ""
        self.next_attempt_s: float | None = None
        self.tries = 0
        self.handle: Any = None
        self.leases: dict[str, ServerLease] = {}
        self.holds: dict[str, ClientLease] = {}
        self.holder: ServerLease | None = None
        self.queue: list[ServerLease] = []
        self.launched = False
        self.moving = False
        # The device that it is of, if its request names one; of what moves, as the motion interlock knows it.
        self.device = _device_of(request)
        # Its last client, a person's hand, has left by that person's own word.
        self.ended_by_word = False
        self.making_safe = False
        self.running = False
        self.outliving = False
        self.halting = False
        # The lease by which its provider has failed, if it has by one: it ends by that one's failure.
        self.failed_through = ""
        self.ailment: Incident | None = None
        self.ailment_below: Incident | None = None
        self.is_unwell = False
        # Its last client was reaped, not heard of since then; None if that one left by itself.
        self.last_heard_s: float | None = None
        self.counts = [0, 0, 0]
        self.seen: dict[str, None] | None = None

    @property
    def label(self) -> str:
        """The request as people read it."""
        return str(self.request)

    @property
    def priority(self) -> Priority:
        """The highest priority of its clients; what its own requests are made with."""
        counts = self.counts
        if counts[2]:
            return Priority.OPERATOR
        return Priority.AUTONOMY if counts[1] else Priority.BACKGROUND

    @property
    def permit(self) -> Permit | None:
        """Of its clients' permits the one that counts; what its own requests are made with.

        Who only shares it does not say that it is held still: it may move for whoever looks.
        """
        permits = [
            served.permit if served.exclusive else msgspec.structs.replace(served.permit, is_still=False)
            for served in self.leases.values()
            if served.permit is not None and served.phase is not ServerPhase.ENDED
        ]
        return max(permits, key=lambda permit: permit.rank, default=None)

    @property
    def is_in_earnest(self) -> bool:
        """Whether somebody wants it for good, not only on approval."""
        return any(served.committed for served in self.leases.values())

    @property
    def has_ailment(self) -> bool:
        """Whether something is wrong with it, or with what it stands on."""
        return self.ailment is not None or self.ailment_below is not None

    @property
    def has_uncommitted_holds(self) -> bool:
        """Whether something its provider has been given is only reserved for it."""
        return any(held.on_approval and held.phase is ClientPhase.RESERVED for held in self.holds.values())

    def first_client(self) -> str:
        """For whom it is up: the client that its most important lease is for."""
        priority = self.priority
        for served in self.leases.values():
            if served.priority == priority and served.phase is not ServerPhase.ENDED:
                return served.who
        return ""


class ClientLease:
    """One lease that this registrar holds, or asks for, on behalf of a body or of a resource."""

    __slots__ = (
        "ailments",
        "asked_s",
        "at",
        "by_provider",
        "by_word",
        "cancels",
        "committing",
        "edge",
        "exclusive",
        "generation",
        "has_gap",
        "id",
        "instead_of",
        "is_awaited",
        "is_unwell",
        "kind",
        "mark",
        "moving",
        "on_approval",
        "parent",
        "permit",
        "phase",
        "place",
        "priority",
        "provisional",
        "request",
        "sent",
        "sequence",
        "server",
        "server_boot",
        "timeout_s",
        "value",
        "wait",
        "who",
        "why_left",
        "wishes",
    )

    def __init__(
        self,
        lease_id: str,
        request: Any,
        kind: str,
        *,
        who: str,
        at: str | None = None,
        exclusive: bool = False,
        priority: Priority = Priority.AUTONOMY,
        wait: bool = False,
        cancels: bool = True,
        parent: Resource | None = None,
        by_provider: bool = False,
        provisional: bool = False,
        instead_of: tuple[str, ...] = (),
        permit: Permit | None = None,
    ) -> None:
        self.id = lease_id
        self.request = request
        self.kind = kind
        self.who = who
        self.at = at
        self.exclusive = exclusive
        self.priority = priority
        self.wait = wait
        self.cancels = cancels
        self.parent = parent
        self.by_provider = by_provider
        self.provisional = provisional
        self.instead_of = instead_of
        self.permit = permit
        self.by_word = False
        self.why_left = ""
        self.on_approval = False
        self.committing = False
        self.timeout_s = 0.0
        # When it was asked for: its provider's silence counts from then on.
        self.asked_s = 0.0
        self.is_awaited = False
        self.is_unwell = False
        self.has_gap = False
        self.wishes = 0
        # What is wrong by what was told, by its incidents.
        self.ailments: tuple[str, ...] = ()
        self.mark = 0
        self.phase = ClientPhase.SEEKING
        self.place: tuple[str, int] | None = None
        self.server = ""
        self.server_boot = ""
        self.sent: Ask | None = None
        self.edge: Edge | None = None
        self.value: Any = None
        self.moving = False
        self.generation = 0
        self.sequence = 0

    @property
    def is_live(self) -> bool:
        """Whether it is in hand."""
        return self.phase is ClientPhase.GRANTED or self.phase is ClientPhase.RESERVED


def _device_of(request: Any) -> str:
    device = getattr(request, "device", "")
    return device if isinstance(device, str) else ""


class Incident(msgspec.Struct, frozen=True, gc=False):
    """What happened, on its way from hop to hop."""

    id: str
    severity: Severity
    message: str
    hops: tuple[Hop, ...] = ()
    preempted_by: str = ""
    reason: Reason = UNSPECIFIED

    def status(self, lease: str) -> Status:
        """The same, as it is told to the holder of a lease."""
        return Status(self.id, self.severity, self.message, lease, self.hops, self.preempted_by, self.reason)
