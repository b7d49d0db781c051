"""What is said about a resource, and how loudly: severity, priority, hop, reason, status.

These travel through every layer, so they live on the ground floor. How a
status finds the leases it concerns is the registrar's business, not theirs.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

import msgspec


class Severity(IntEnum):
    """How serious a status is. Only FATAL ends anything."""

    OK = 0
    UPDATE = 1
    WARNING = 2
    ERROR = 3
    FATAL = 4


class Priority(IntEnum):
    """Who goes first where a resource is exclusive."""

    BACKGROUND = 0
    AUTONOMY = 1
    OPERATOR = 2


class Hop(msgspec.Struct, frozen=True, gc=False):
    """One station of a failure's way: the registrar that provides, what it provides, what it says."""

    registrar: str
    request: str
    message: str = ""

    def __str__(self) -> str:
        said = f": {self.message}" if self.message else ""
        return f"{self.registrar}/{self.request}{said}"


class ReasonKind(StrEnum):
    """Why there is no lease, or why one waits or has ended."""

    UNSPECIFIED = "unspecified"  # nothing that a program could act on
    FAILED = "failed"  # the resource, or what it depends on, does not work
    HELD = "held"  # somebody with at least the same priority has it
    QUEUED = "queued"  # somebody has it, and it is waited for
    CIRCLE = "circle"  # it would wait for itself
    UNKNOWN = "unknown"  # nobody provides it
    AMBIGUOUS = "ambiguous"  # several registrars provide it
    MALFORMED = "malformed"  # a request or a handle that cannot be read
    RETRYING = "retrying"  # it is being restarted
    UNSTEADY = "unsteady"  # it works, and has kept failing
    NEEDS_HUMAN = "needs a human"  # it cannot go on by itself
    NEEDS_WORD = "needs a word"  # it would move by itself, and no operator has said so since a loss
    CLOSED = "closed"  # whoever would provide or use it is over


class Reason(msgspec.Struct, frozen=True, gc=False):
    """Why, as data: what programs decide by. It stays the same at every hop; messages are for people.

    holder: who has it (HELD, QUEUED), or whose hand or which device was lost (NEEDS_WORD). resource: what is
    had, as its registrar labels it, and `device`: the device that it is of, if its request names one, or that
    moves by it. priority: the holder's. place: in the queue, 1 is next.
    circle: the resources in order, the first one again at the end (CIRCLE).
    """

    kind: ReasonKind = ReasonKind.UNSPECIFIED
    holder: str = ""
    resource: str = ""
    device: str = ""
    priority: Priority = Priority.BACKGROUND
    place: int = 0
    circle: tuple[str, ...] = ()


UNSPECIFIED = Reason()
FAILED = Reason(ReasonKind.FAILED)


class Status(msgspec.Struct, frozen=True, gc=False):
    """One thing said about the resource behind one lease.

    `id` is the incident: the same for everybody whom it concerns, so that what
    reaches somebody over two ways is recognised. `hops` has one entry per
    providing registrar, origin first. `preempted_by` is the client that took
    the resource, empty unless this is a preemption. `reason` is for programs,
    `message` for people.
    """

    id: str
    severity: Severity
    message: str
    lease_id: str
    hops: tuple[Hop, ...] = ()
    preempted_by: str = ""
    reason: Reason = UNSPECIFIED

    def __str__(self) -> str:
        chain = " → ".join(map(str, self.hops))
        return f"{self.severity.name}: {self.message}" + (f" [{chain}]" if chain else "")
