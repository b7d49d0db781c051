"""A lease in its client's hand, and how a failure gets into the body that holds it.

The body is ended in the way of `asyncio.timeout`: the task that entered is
cancelled, the `async with` counts and takes the cancellation back, and
ResourceFailed (or Preempted) comes out. One failure at a time is on its way out
of a task; later ones wait until it has been converted, so that a second one
never kills the `finally` that the first one has started.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from framework.errors import LeaseError, PilothouseError, ResourceUnavailable, failure, unavailable
from framework.registrar.records import ClientLease, ClientPhase
from framework.registrar.statuses import Statuses
from framework.status import Priority, Severity, Status

if TYPE_CHECKING:
    from framework.registrar.provider_task import ProviderTask
    from framework.registrar.shell import Shell

log = logging.getLogger("pilothouse.registrar")

#: As much as a child process takes: a command is a note, data goes by streams.
MAX_COMMAND_BYTES = 60 << 10

#: For each task that is being interrupted: the leases whose failure has to wait.
_interrupted: WeakKeyDictionary[asyncio.Task[Any], deque[Lease]] = WeakKeyDictionary()


class Lease:
    """A live claim on a resource, valid inside the `async with` that gave it.

    Attributes:
        value: the handle; replaced when an UPDATE arrives. None while an optional
            resource is absent.
        status: the latest status.
    """

    __slots__ = (
        "_cancelling",
        "_commands",
        "_error",
        "_failed",
        "_failure",
        "_is_decided",
        "_is_entered",
        "_iterators",
        "_on_status",
        "_provider_task",
        "_status",
        "_task",
        "_told_if_lost",
        "_waiter",
        "_was_interrupted",
        "held",
        "is_open",
        "shell",
        "value",
    )

    def __init__(
        self,
        shell: Shell,
        held: ClientLease,
        task: asyncio.Task[Any],
        life: ProviderTask | None,
        on_status: Callable[[Status], None] | None,
    ) -> None:
        self.held = held
        self.value: Any = None
        self.is_open = True
        self.shell = shell
        self._task = task
        self._provider_task = life
        self._on_status = on_status
        self._status: Status | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: PilothouseError | None = None
        self._is_decided = False
        self._is_entered = False
        self._told_if_lost: Callable[[PilothouseError], None] | None = None
        self._failure: Status | None = None
        self._failed: asyncio.Future[Status] | None = None
        self._iterators: WeakKeyDictionary[Statuses, None] | None = None
        self._was_interrupted = False
        self._cancelling = 0
        self._commands = 0

    def __repr__(self) -> str:
        return f"<Lease {self.id} on {self.held.request!r}: {self.status.severity.name}>"

    @property
    def id(self) -> str:
        """Unique over all registrars and their incarnations."""
        return self.held.id

    @property
    def request(self) -> Any:
        """What was asked for."""
        return self.held.request

    @property
    def is_reserved(self) -> bool:
        """It is only held for the time being, as part of a group or for what is: it cannot command yet."""
        return self.is_open and self.held.phase is ClientPhase.RESERVED

    @property
    def is_granted(self) -> bool:
        """It has not been left, has not failed, and can command, as far as it is held for that."""
        return self.is_open and self._failure is None and self.held.phase is ClientPhase.GRANTED

    @property
    def generation(self) -> int:
        """The number of an exclusive grant, which every command carries; 0 if the lease is shared."""
        return self.held.generation

    @property
    def priority(self) -> Priority:
        """With which priority it is held now."""
        return self.held.priority

    @property
    def status(self) -> Status:
        """The latest status; OK from the start."""
        if self._status is None:
            self._status = Status("", Severity.OK, "granted", self.held.id)
        return self._status

    def send(self, payload: bytes, *, sent_s: float | None = None) -> None:
        """Command the resource. What a payload means, the request type's client and driver know.

        Carries lease, generation, sequence and time, so that nobody but the present holder is
        obeyed. What declares a safe stop is commanded by an exclusive lease alone. `sent_s`: of a
        command that is passed on, when its first sender gave it, on the clock of `Command.sent_s`; by
        default now. Never blocks. Raises LeaseError if the lease has been left or has failed, if it is
        optional and nothing is there, if it is shared and the resource moves, or if the payload is
        longer than `MAX_COMMAND_BYTES`.
        """
        if len(payload) > MAX_COMMAND_BYTES:
            raise LeaseError(
                f"a command of {len(payload)} bytes to {self.request!r}; at most {MAX_COMMAND_BYTES} are "
                "allowed: put large data into a stream"
            )
        if not self.is_granted:
            state = "has failed" if self._failure is not None else "was left"
            if self.is_open and self._failure is None:
                state = f"is {self.held.phase}"
            raise LeaseError(
                f"lease {self.id} on {self.request!r} {state}: request it again before commanding"
            )
        if self.held.moving and not self.held.exclusive:
            raise LeaseError(
                f"lease {self.id} on {self.request!r} is shared, and that moves: only who holds it with "
                "exclusive=True commands it"
            )
        self._commands += 1
        sequence, held = self._commands, self.held
        self.shell.happen(lambda core: core.holding.command(held, sequence, payload, sent_s))

    def lets_go(self, why: str = "", *, by_word: bool) -> None:
        """It is about to be left; to be called before that, if at all.

        by_word: the person whose hand has it says that they are done, so what it has interrupted may go on.
        Else leaving an operator's lease of what moves counts as a loss (`framework.interlock`).
        why: what happened, for people who are told why something waits for a word.
        """
        self.held.by_word, self.held.why_left = by_word, why

    async def failed(self) -> Status:
        """Wait for the FATAL status; returns it at once if it has come already.

        Raises LeaseError if the lease is left without one.
        """
        if self._failure is not None:
            return self._failure
        if not self.is_open:
            raise self._left()
        if self._failed is None:
            self._failed = asyncio.get_running_loop().create_future()
        return await asyncio.shield(self._failed)

    def statuses(self) -> AsyncIterator[Status]:
        """All statuses from now on; ends after FATAL, or when the lease is left."""
        iterator = Statuses()
        if self._failure is not None or not self.is_open:
            iterator.end()
        if self._iterators is None:
            self._iterators = WeakKeyDictionary()
        self._iterators[iterator] = None
        return iterator

    # -- for the shell

    def decide(self, error: PilothouseError | None) -> None:
        """The request is granted (None) or refused."""
        self._error = error
        self._is_decided = True
        self._wake(error)

    async def decision(self) -> None:
        """Wait for the answer; raises the refusal, or ResourceUnavailable if it failed at once."""
        if not self._is_decided:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        self.check()

    def check(self) -> None:
        """Raises what has become of the request, unless it is granted (or reserved) and well."""
        if self._error is not None:
            raise self._error
        if self._failure is not None:
            raise _refusal(self._failure)

    def tell_if_lost(self, told: Callable[[PilothouseError], None]) -> None:
        """While others of its group are still asked for: whom to tell if this one is lost meanwhile."""
        self._told_if_lost = told

    def give_up(self, error: PilothouseError) -> None:
        """Another one of its group is lost: there is no need to wait for this one any more."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(error)

    def _wake(self, error: PilothouseError | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        elif error is not None and self._told_if_lost is not None:
            self._told_if_lost(error)

    def await_anew(self) -> None:
        """A reserved lease has been committed: there will be another answer."""
        self._is_decided = False

    def deliver(self, status: Status, cancel: bool) -> None:
        """A status has come; always from a loop callback, never on the body's stack."""
        if not self.is_open:
            return
        self._status = status
        fatal = status.severity is Severity.FATAL
        if fatal:
            self._failure = status
        else:
            self.value = self.held.value
        if self._on_status is not None:
            try:
                self._on_status(status)
            except Exception:
                log.exception("the status handler of lease %s raised; others were still told", self.id)
        if self._iterators is not None:
            for iterator in list(self._iterators):
                iterator.put(status)
        if fatal:
            if self._failed is not None and not self._failed.done():
                self._failed.set_result(status)
            if self._iterators is not None:
                for iterator in list(self._iterators):
                    iterator.end()
            if not self._is_entered:
                # It comes out of the `async with` on the way in, as ResourceUnavailable.
                self._wake(_refusal(status))
            elif cancel:
                self.interrupt()

    def interrupt(self) -> bool:
        """Cancel the task that entered; if it has ended, the provider's own.

        False if there is no failure, or nobody left whom it could end.
        """
        if not self.is_open or not self._is_entered or self._failure is None:
            return False
        if self._was_interrupted:
            return True
        task = self._task
        if task.done():
            if self._provider_task is None:
                return False
            self._provider_task.fail_through(self._failure)
            return True
        waiting = _interrupted.get(task)
        if waiting is not None:
            waiting.append(self)
            return True
        _interrupted[task] = deque()
        self._was_interrupted = True
        task.cancel()
        return True

    def enter(self) -> None:
        """The body begins."""
        self._is_entered = True
        self._told_if_lost = None
        self._cancelling = self._task.cancelling()

    def close(self) -> None:
        """The body is over; nothing reaches it any more."""
        self.is_open = False
        if self._failed is not None and not self._failed.done():
            self._failed.set_exception(self._left())
            self._failed.exception()  # whoever waited may be gone as well
        if self._iterators is not None:
            for iterator in list(self._iterators):
                iterator.end()

    def leave(self, error: BaseException | None) -> PilothouseError | None:
        """The body has ended with `error`: what is to be raised instead, if anything.

        A body that ends normally although its resource has failed still gets the
        failure; one that raises something else keeps that, with a note.
        """
        fatal = self._failure
        outside = False
        if self._was_interrupted:
            self._was_interrupted = False
            outside = self._task.uncancel() > self._cancelling
            self._pass_on()
        elif fatal is not None and isinstance(error, asyncio.CancelledError):
            outside = True
        self.close()
        if fatal is None or not self.held.cancels:
            return None
        if error is None or (isinstance(error, asyncio.CancelledError) and not outside):
            return failure(fatal)
        if not isinstance(error, asyncio.CancelledError):
            error.add_note(f"meanwhile {self.held.request!r} had failed: {fatal}")
        return None

    def _left(self) -> LeaseError:
        return LeaseError(
            f"lease {self.id} on {self.held.request!r} was left: wait for it inside of its body"
        )

    def _pass_on(self) -> None:
        """The task is free again: the next failure that waited for it is on its way."""
        waiting = _interrupted.pop(self._task, None)
        if waiting:
            loop = asyncio.get_running_loop()
            for lease in waiting:
                loop.call_soon(lease.interrupt)


def _refusal(status: Status) -> ResourceUnavailable:
    """What comes out on the way in, of a lease that has failed by then."""
    return unavailable(status.message, status.hops, status.reason)
