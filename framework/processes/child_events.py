"""What an owner is told about its child, and the words for it.

`Ready` and `Lost` alternate, beginning with `Ready`: each life is announced once and its loss once.
A child whose very first start fails is told as `Failed` and nothing else.
"""

from __future__ import annotations

import signal
from enum import Enum

import msgspec

from framework.status import Severity


class ChildState(Enum):
    """Where a child stands; the same words as for a resource."""

    STARTING = "starting"
    READY = "ready"
    DEGRADED = "degraded"
    RETRYING = "retrying"
    NEEDS_HUMAN = "needs a human"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


class LossReason(Enum):
    """Why a child is lost."""

    DIED = "died"
    HUNG = "hung"
    STALE = "stale stream"
    GARBAGE = "garbage"
    FLOOD = "flood"
    GAVE_UP = "gave up"
    CLOSED = "closed its channel"
    NOT_STARTED = "could not be started"
    NEVER_READY = "never ready"


class StopHow(Enum):
    """What it took to stop a child."""

    WAS_GONE = "was gone already"
    INTERRUPTED = "left on SIGINT"
    TERMINATED = "left on SIGTERM"
    KILLED = "was killed"
    ABANDONED = "survived SIGKILL and was abandoned"


class Exit(msgspec.Struct, frozen=True):
    """How a process ended: by exit code or by signal; neither where nobody could know.

    `note` is what is known besides; `refusal` why it did not want to start, in its own words.
    """

    code: int | None = None
    signal: int | None = None
    note: str = ""
    refusal: str = ""

    def __str__(self) -> str:
        if self.signal is not None:
            text = f"killed by {signal_name(self.signal)}"
            if self.signal == signal.SIGALRM:
                text += " (its own watchdog: the main loop stood still)"
        elif self.code is not None:
            text = f"exit code {self.code}"
        else:
            text = "ended"
        return f"{text}, {self.note}" if self.note else text


class Ready(msgspec.Struct, frozen=True):
    """It said that it is ready. `after_s` since this start; `restarts` since it was first ready."""

    handle: bytes
    after_s: float
    restarts: int


class Updated(msgspec.Struct, frozen=True):
    """It is still ready, with a new handle."""

    handle: bytes


class Said(msgspec.Struct, frozen=True):
    """A status that ends nothing: the child's own, or a warning about the child."""

    severity: Severity
    message: str


class Lost(msgspec.Struct, frozen=True):
    """It was ready and is no more. Told before anything is torn down."""

    reason: LossReason
    message: str


class Retrying(msgspec.Struct, frozen=True):
    """It will be started again at `next_attempt_s` on the loop's clock; the `tries`-th time in a row."""

    reason: str
    next_attempt_s: float
    tries: int


class NeedsHuman(msgspec.Struct, frozen=True):
    """No further attempts by itself; `what` says what happened and what to do. "Retry now" retries."""

    what: str


class Failed(msgspec.Struct, frozen=True):
    """The end: its first start failed, or it was lost and is not to be restarted."""

    reason: LossReason
    message: str


class Stopped(msgspec.Struct, frozen=True):
    """It was asked to stop, and has."""

    how: StopHow
    after_s: float


ChildEvent = Ready | Updated | Said | Lost | Retrying | NeedsHuman | Failed | Stopped


def signal_name(number: int) -> str:
    """The name of a signal, e.g. SIGSEGV; its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
