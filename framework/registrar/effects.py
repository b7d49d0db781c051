"""What the core wants done. The shell does it; the core never looks back.

Every effect is a struct; the shell has one method for each. Their order
matters and is kept.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from framework.registrar.records import ClientLease
from framework.status import Status
from framework.transport.messages import Ask, Command, Message


class Effect(msgspec.Struct, frozen=True, gc=False):
    """Base of all effects."""


class Send(Effect, frozen=True, gc=False):
    """Hand a message to a registrar (possibly ourselves)."""

    to: str
    message: Message


class StartProvider(Effect, frozen=True, gc=False):
    """Run the provider of this resource."""

    number: int


class StopProvider(Effect, frozen=True, gc=False):
    """End the provider: let it go on at `yield`, or cancel it while it is still starting.

    `through` is the lease whose failure ends it: it then comes out of that lease's `async with`.
    """

    number: int
    through: str = ""


class AbandonProvider(Effect, frozen=True, gc=False):
    """The provider did not stop in time: cancel it and forget it."""

    number: int


class SafeStop(Effect, frozen=True, gc=False):
    """Bring the device to rest; answer with `access.safe`."""

    number: int
    reason: str


class Holder(Effect, frozen=True, gc=False):
    """From now on only commands of this lease and generation count; an empty lease: nobody's."""

    number: int
    lease: str
    generation: int


class Commanded(Effect, frozen=True, gc=False):
    """Hand a command to the provider: its lease is live and, if exclusive, the present holder's."""

    number: int
    command: Command


class Retry(Effect, frozen=True, gc=False):
    """Somebody asked to try again now."""

    number: int


class EpochRose(Effect, frozen=True, gc=False):
    """A device was lost: whoever moves what it could hit is to be told, also at other registrars."""


class Granted(Effect, frozen=True, gc=False):
    """A lease of ours is live (or reserved, if `provisional`)."""

    held: ClientLease
    provisional: bool


class Refused(Effect, frozen=True, gc=False):
    """A request of ours got no lease; it has been forgotten."""

    held: ClientLease
    status: Status


class Deliver(Effect, frozen=True, gc=False):
    """Tell the holder of a lease; `cancel` ends its body."""

    held: ClientLease
    status: Status
    cancel: bool


class JournalKind(StrEnum):
    """The kinds of entry in the journal."""

    GRANT = "grant"
    REFUSE = "refuse"
    PREEMPT = "preempt"
    START = "start"
    READY = "ready"
    STOP = "stop"
    FAIL = "fail"
    SAFE_STOP = "safe stop"
    ABANDON = "abandon"
    REAP = "reap"
    RESTART = "restart"
    REPORT = "report"


class Record(Effect, frozen=True, gc=False):
    """One line of the append-only journal: who, what, why."""

    deed: JournalKind
    request: Any
    who: str = ""
    why: str = ""
    lease: str = ""
    generation: int = 0


class Persist(Effect, frozen=True, gc=False):
    """Write to the catalog: an Ask that was granted, or the id of a lease that ended."""

    entry: Ask | str
    generation: int = 0
