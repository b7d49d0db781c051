"""What is said about a resource, and how loudly: severity, priority, hop, status.

These four travel through every layer, so they live on the ground floor. How a
status finds the leases it concerns is the registrar's business, not theirs.
"""

from __future__ import annotations

from enum import IntEnum

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


class Status(msgspec.Struct, frozen=True, gc=False):
    """One thing said about the resource behind one lease.

    `id` is the incident: the same for everybody whom it concerns, so that what
    reaches somebody over two ways is recognised. `hops` has one entry per
    providing registrar, origin first. `preempted_by` is the client that took
    the resource, empty unless this is a preemption.
    """

    id: str
    severity: Severity
    message: str
    lease_id: str
    hops: tuple[Hop, ...] = ()
    preempted_by: str = ""

    def __str__(self) -> str:
        chain = " → ".join(map(str, self.hops))
        return f"{self.severity.name}: {self.message}" + (f" [{chain}]" if chain else "")
