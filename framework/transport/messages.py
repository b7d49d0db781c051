"""Every message registrars exchange, declared once. No behaviour lives here.

A message is a tagged msgspec struct. In one process the struct itself is
handed over; between processes it is msgpack. `request` and `handle` are
whatever the two ends agreed on: inside a process the object itself, from
outside the plain containers that msgpack gives, which the receiving registrar
converts to the type it knows. No type is ever looked up by a name that came
over the wire.

Client → provider: Ask, Commit, Release, Reprioritise, Command, Probe, Beat, Holding.
Provider → client: Grant, Refusal, Queued, Tell, Beat, Audit.
"""

from __future__ import annotations

from typing import Any

import msgspec

from framework.interlock import Permit
from framework.status import UNSPECIFIED, Hop, Priority, Reason, Severity


class Edge(msgspec.Struct, frozen=True, gc=False):
    """A resource's identity anywhere: its registrar, that registrar's incarnation, its number there."""

    registrar: str
    boot: str
    number: int

    @property
    def id(self) -> str:
        """What snapshots call it."""
        return f"{self.registrar}/{self.number}"


class Peer(msgspec.Struct, frozen=True):
    """A registrar as its neighbours see it.

    `provides` holds wire names (`module:qualname`); `durable` says that it keeps a
    catalog, so that its leases outlive its process.
    """

    name: str
    boot: str
    provides: tuple[str, ...] = ()
    durable: bool = False


class Message(msgspec.Struct, frozen=True, gc=False, tag=True, array_like=True):
    """Base of all messages; `lease` is the lease it is about, empty if about none."""


class Ask(Message, frozen=True, gc=False):
    """A client wants a lease. The same lease id asked twice is one request.

    wish: which of this lease's messages about what is wanted it is: an older one, that a network has doubled
    or delayed, changes neither priority nor permit.
    """

    lease: str
    client: str
    boot: str
    kind: str
    request: Any
    who: str
    parent: Edge | None = None
    depth: int = 0
    exclusive: bool = False
    priority: Priority = Priority.AUTONOMY
    wait: bool = False
    provisional: bool = False
    instead_of: tuple[str, ...] = ()
    permit: Permit | None = None
    wish: int = 0


class Commit(Message, frozen=True, gc=False):
    """A provisional lease is wanted in earnest: every part of its group is reserved."""

    lease: str


class Release(Message, frozen=True, gc=False):
    """The client has left. Idempotent.

    by_word: the person whose hand had it has said so; else the motion interlock counts it as a loss.
    why: what happened, for people.
    """

    lease: str
    by_word: bool = False
    why: str = ""


class Reprioritise(Message, frozen=True, gc=False):
    """The clients of the resource that holds this lease, or their permits, have changed.

    `who` is the most important now. `wish`: as in `Ask`.
    """

    lease: str
    priority: Priority
    who: str = ""
    permit: Permit | None = None
    wish: int = 0


class Grant(Message, frozen=True, gc=False):
    """The lease is live; `generation` is 0 unless it is exclusive.

    moving: the resource declares a safe stop, so nobody commands it by a shared lease.
    is_unwell: what is wrong with it is told next; if it is not, nothing is any more.
    """

    lease: str
    resource: Edge
    handle: Any
    generation: int
    sequence: int
    provisional: bool = False
    moving: bool = False
    is_unwell: bool = False


class Refusal(Message, frozen=True, gc=False):
    """There will be no lease; the provider has forgotten the request."""

    lease: str
    reason: Reason
    message: str
    hops: tuple[Hop, ...] = ()
    preempted_by: str = ""


class Queued(Message, frozen=True, gc=False):
    """The request waits at `place` (1 is next) for `holder`; `boot`: the incarnation that says so."""

    lease: str
    holder: str
    place: int
    sequence: int
    boot: str


class Tell(Message, frozen=True, gc=False):
    """Something happened to the resource behind the lease. `handle` counts only with UPDATE."""

    lease: str
    sequence: int
    incident: str
    severity: Severity
    message: str
    hops: tuple[Hop, ...] = ()
    preempted_by: str = ""
    handle: Any = None
    reason: Reason = UNSPECIFIED


class Command(Message, frozen=True, gc=False):
    """The holder of a lease wants its resource to do something; what, only the driver knows.

    `sent_s` is the sender's CLOCK_MONOTONIC (virtual on the virtual clock).
    """

    lease: str
    generation: int
    sequence: int
    sent_s: float
    payload: bytes


class Probe(Message, frozen=True, gc=False):
    """Does following dependencies from `origin` lead back to it? (edge chasing)

    `origin_lease` is the lease that made the new edge; `path` the labels passed so far.
    """

    lease: str
    origin: Edge
    origin_lease: str
    path: tuple[str, ...]


class Heartbeat(Message, frozen=True, gc=False):
    """I am alive. `count` and `digest` summarise the leases I hold at you and what I have heard
    about each; `ages_s` names those whose own first client has been silent for a while, so
    that the time to stop is one window over all hops, never a sum. `released`: what I have given
    back lately, said again in case it was lost."""

    boot: str
    sequence: int
    count: int
    digest: int
    ages_s: dict[str, float]
    released: tuple[Release, ...] = ()


class Audit(Message, frozen=True, gc=False):
    """Our books differ: say which leases you hold at me."""

    boot: str


class Holding(Message, frozen=True, gc=False):
    """The answer to an audit: all leases this client holds, or asks for (`unanswered`), at you.

    `failed`: those that are over for it, and will be given back; they are asked for no more.
    """

    boot: str
    leases: tuple[str, ...]
    unanswered: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


AnyMessage = (
    Ask
    | Commit
    | Release
    | Reprioritise
    | Grant
    | Refusal
    | Queued
    | Tell
    | Command
    | Probe
    | Heartbeat
    | Audit
    | Holding
)
