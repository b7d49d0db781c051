"""Every error Pilothouse raises, on one screen.

PilothouseError
├── ResourceUnavailable          a load failed or was refused; `hops` says where, `reason` why
│   ├── ResourceHeld             somebody else has it; `holder` says who
│   └── CircularDependency       the request would wait for itself; `circle` names it
├── ResourceFailed               a resource that was in use failed; `status` says what and where
│   └── CircleFailed             … because of a circle: also a CircularDependency
├── Preempted                    somebody with a higher priority took the resource; `by` says who
├── RequestTypeError             a request type or value that can never be shared (unhashable, NaN, …)
├── RegistrarClosed              the registrar has been left
├── LeaseError                   a stale or foreign lease was used
├── CommandRefused               a command of a former holder, replayed or out of order
│   └── CommandLate              it came too late to count: it may be given anew
├── MotionFailed                 a goal was not reached: refused, blocked, stopped, or a fault came in between
├── TransportError               the message engine cannot do what was asked
│   └── MalformedMessage         bytes from outside that are no message of ours
├── StreamError                  a shared-memory stream cannot be made, found or read
│   └── SharedMemoryFull         /dev/shm is absent or has no room
├── SoundError                   a microphone or a file gives no sound, or none that can be used
├── ProcessError                 a child process could not be started, kept or stopped
│   ├── ProcessStartFailed       it ended, or said nothing, before it was ready
│   └── ProcessDied              it was ready once and ended, hung or went stale
├── RenderingUnavailable         no OpenGL context can be made here
├── DescriptionError             a file of the user's is wrong: file, line, what is allowed
├── PluginUnavailable            a plugin cannot be used; `reason` says why
├── LoopHeld                     a plugin kept the main loop from turning: everything else stood still
├── ActionOver                   an action says of itself that it is over, in good order
├── PlanError                    a plan does not fit the actions or the world
├── ProposalError                a proposer gave no usable plan
├── SimulatedTimeError           the virtual clock was asked for something only real time can do
│   └── NothingScheduled         every task waits and nothing will ever wake one
└── InstallationError            this machine or another installation is in the way

No error class is defined anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from framework.status import FAILED, Hop, Priority, Reason, ReasonKind, Status

if TYPE_CHECKING:
    from pathlib import Path


class PilothouseError(Exception):
    """Base of all errors of Pilothouse; catching it catches nothing foreign."""

    @property
    def why(self) -> str:
        """What went wrong, said once, for people: without the hops by which they heard of it."""
        return str(self)


def in_words(error: BaseException) -> str:
    """An error as people read it: ours speak for themselves, others with their type."""
    if isinstance(error, PilothouseError):
        return error.why
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class ResourceUnavailable(PilothouseError):
    """A resource could not be had: its load failed, or the request was refused.

    `hops` has one entry for each registrar on the way, the origin first. `reason` is what programs
    decide by; it is the same at every hop.
    """

    def __init__(self, message: str, hops: tuple[Hop, ...] = (), reason: Reason = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.hops = hops
        self.reason = reason

    @property
    def why(self) -> str:
        """The message alone."""
        return self.message

    def __str__(self) -> str:
        if not self.hops:
            return self.message
        return f"{self.message} [{' → '.join(map(str, self.hops))}]"


class ResourceHeld(ResourceUnavailable):
    """Somebody with at least the same priority has what was asked for: waiting could help."""

    def __init__(self, message: str, reason: Reason, hops: tuple[Hop, ...] = ()) -> None:
        super().__init__(message, hops, reason)

    @property
    def holder(self) -> str:
        """Who has it."""
        return self.reason.holder

    @property
    def priority(self) -> Priority:
        """With which priority it is held."""
        return self.reason.priority


class CircularDependency(ResourceUnavailable):
    """Granting the request would make a resource wait for itself.

    `circle` names the resources in order; the first one is named again at the end.
    """

    def __init__(self, message: str, circle: tuple[str, ...], hops: tuple[Hop, ...] = ()) -> None:
        super().__init__(message, hops, Reason(ReasonKind.CIRCLE, circle=circle))
        self.circle = circle


class ResourceFailed(PilothouseError):
    """A resource that was held failed; raised out of the `async with` that held it."""

    def __init__(self, status: Status) -> None:
        super().__init__(str(status))
        self.status = status
        self.hops = status.hops

    @property
    def why(self) -> str:
        """What the status says, without its hops."""
        return self.status.message


class CircleFailed(CircularDependency, ResourceFailed):
    """A lease that was granted already has ended because what it is for would wait for itself."""

    def __init__(self, status: Status) -> None:
        PilothouseError.__init__(self, status.message)  # its two bases take different arguments
        self.message = status.message
        self.hops = status.hops
        self.reason = status.reason
        self.circle = status.reason.circle
        self.status = status


class Preempted(PilothouseError):
    """A holder with a higher priority took the resource; `by` is the client that did."""

    def __init__(self, by: str, status: Status) -> None:
        self.by = by
        self.status = status
        super().__init__(str(status))

    @property
    def why(self) -> str:
        """What the status says, without its hops."""
        return self.status.message


class RequestTypeError(PilothouseError):
    """A request type or a request cannot name a shared resource."""


class RegistrarClosed(PilothouseError):
    """The registrar has been left; it neither provides nor requests any more."""


class LeaseError(PilothouseError):
    """A lease that is stale, foreign or already released was used."""


class CommandRefused(PilothouseError):
    """A command was not from the present holder, or not fresh, or not in order."""


class CommandLate(CommandRefused):
    """A command is too old, or was overtaken by one to rest: whoever still holds it may give it anew."""


class MotionFailed(PilothouseError):
    """A motion did not reach its goal; the message says why, for people.

    passes: the cause passes by itself (a busy machine's hiccup), so the holder may wish it anew.
    """

    def __init__(self, message: str, *, passes: bool = False) -> None:
        super().__init__(message)
        self.passes = passes


class TransportError(PilothouseError):
    """A transport cannot be opened, joined or used as asked."""


class MalformedMessage(TransportError):
    """Bytes arrived that are no message of ours; they changed nothing."""


class StreamError(PilothouseError):
    """A stream cannot be made, found or read. The message names the stream, for people; `path` is the file,
    which only a traceback shows."""

    def __init__(self, message: str, *, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path
        if path is not None:
            self.add_note(f"its file is {path}")


class SharedMemoryFull(StreamError):
    """/dev/shm is absent, not writable, or has no room for the stream."""


class SoundError(PilothouseError):
    """A microphone or a file gives no sound, or none that can be used: what came, what would do."""


class ProcessError(PilothouseError):
    """A child process could not be started, kept alive or stopped."""


class ProcessStartFailed(ProcessError):
    """The child ended, or stayed silent, before it said that it was ready."""


class ProcessDied(ProcessError):
    """The child had been ready and then ended, hung, or let its stream go stale."""


class RenderingUnavailable(PilothouseError):
    """No OpenGL context can be made on this machine."""


class DescriptionError(PilothouseError):
    """A user's file is wrong. The message says file, line, what stands there and what may."""

    def __init__(self, message: str, *, file: str = "", line: int = 0) -> None:
        self.file = file
        self.line = line
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(f"{where}{message}")


class PluginUnavailable(PilothouseError):
    """A plugin is listed but cannot be used; `reason` says why in words."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self.reason = reason
        super().__init__(f"{name} is unavailable: {reason}")


class LoopHeld(PilothouseError):
    """A plugin's code has held the main loop: it waits or computes where it should `await`."""


class ActionOver(PilothouseError):
    """Raised by an action's `run`: it is over, in good order, in these words.

    A continuous action, which would stay when `run` returns, has no other end of its own.
    """


class PlanError(PilothouseError):
    """A plan names unknown actions, ill-typed parameters, or cannot be built; all at once."""


class ProposalError(PilothouseError):
    """A proposer gave no answer, none that is a plan, or a plan that does not fit."""


class SimulatedTimeError(PilothouseError):
    """Something that needs real time (a socket, a subprocess) was asked of the virtual clock."""


class NothingScheduled(SimulatedTimeError):
    """On the virtual clock every task waits and nothing is scheduled that could wake one."""


class InstallationError(PilothouseError):
    """This machine, or another running installation, prevents what was asked."""


def unavailable(message: str, hops: tuple[Hop, ...] = (), reason: Reason = FAILED) -> ResourceUnavailable:
    """The error for a request that got no lease, of the class that its reason asks for."""
    match reason.kind:
        case ReasonKind.HELD:
            return ResourceHeld(message, reason, hops)
        case ReasonKind.CIRCLE:
            return CircularDependency(message, reason.circle, hops)
    return ResourceUnavailable(message, hops, reason)


def all_refused(refusals: Sequence[ResourceUnavailable], words: Sequence[str] = ()) -> ResourceUnavailable:
    """The error for several resources of which any would have done, and none can be had.

    words: what to say of each of them; by default its message. If one of them is only to be waited for, so
    is the whole: ResourceHeld, or one that is being tried again.
    """
    kinds = {error.reason.kind: error for error in reversed(refusals)}
    decisive = kinds.get(ReasonKind.HELD) or kinds.get(ReasonKind.RETRYING) or refusals[-1]
    message = "; ".join(words or [error.message for error in refusals])
    return unavailable(message, refusals[-1].hops, decisive.reason)


def failure(status: Status) -> ResourceFailed | Preempted:
    """The error that a FATAL status is for whoever has the lease."""
    if status.preempted_by:
        return Preempted(status.preempted_by, status)
    return CircleFailed(status) if status.reason.kind is ReasonKind.CIRCLE else ResourceFailed(status)
