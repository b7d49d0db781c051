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

from framework.errors import PilothouseError, Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar.records import Held
from framework.status import Priority, Severity, Status

if TYPE_CHECKING:
    from framework.registrar.registrar import ResourceRegistrar

log = logging.getLogger("pilothouse.registrar")

#: How many statuses an iterator that nobody reads keeps.
UNREAD = 1024

#: For each task that is being interrupted: the leases whose failure has to wait.
_interrupted: WeakKeyDictionary[asyncio.Task[Any], deque[Lease]] = WeakKeyDictionary()


def failure_of(status: Status) -> ResourceFailed | Preempted:
    """The exception that a FATAL status is for the body."""
    if status.preempted_by:
        return Preempted(status.preempted_by, status)
    return ResourceFailed(status)


class Lease:
    """A live claim on a resource, valid inside the `async with` that gave it.

    Attributes:
        value: the handle; replaced when an UPDATE arrives. None while an optional
            resource is absent.
        status: the latest status.
    """

    __slots__ = (
        "_cancelling",
        "_error",
        "_failed",
        "_failure",
        "_is_decided",
        "_iterators",
        "_on_status",
        "_provider_task",
        "_status",
        "_task",
        "_waiter",
        "_was_interrupted",
        "held",
        "is_open",
        "registrar",
        "value",
    )

    def __init__(
        self,
        registrar: ResourceRegistrar,
        held: Held,
        task: asyncio.Task[Any],
        provider_task: asyncio.Task[Any] | None,
        on_status: Callable[[Status], None] | None,
    ) -> None:
        self.held = held
        self.value: Any = None
        self.is_open = True
        self.registrar = registrar
        self._task = task
        self._provider_task = provider_task
        self._on_status = on_status
        self._status: Status | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: PilothouseError | None = None
        self._is_decided = False
        self._failure: Status | None = None
        self._failed: asyncio.Future[Status] | None = None
        self._iterators: list[_Statuses] | None = None
        self._was_interrupted = False
        self._cancelling = 0

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

    async def failed(self) -> Status:
        """Wait for the FATAL status; returns it at once if it has come already."""
        if self._failure is not None:
            return self._failure
        if self._failed is None:
            self._failed = asyncio.get_running_loop().create_future()
        return await asyncio.shield(self._failed)

    def statuses(self) -> AsyncIterator[Status]:
        """All statuses from now on; ends after FATAL, or when the lease is left."""
        iterator = _Statuses()
        if self._failure is not None or not self.is_open:
            iterator.end()
        if self._iterators is None:
            self._iterators = []
        self._iterators.append(iterator)
        return iterator

    # -- for the shell

    def decide(self, error: PilothouseError | None) -> None:
        """The request is granted (None) or refused."""
        self._error = error
        self._is_decided = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def decision(self) -> None:
        """Wait for the answer; raises the refusal, or ResourceUnavailable if it failed at once."""
        if not self._is_decided:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if self._error is not None:
            raise self._error
        if self._failure is not None:
            raise ResourceUnavailable(self._failure.message, self._failure.hops)

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
            for iterator in self._iterators:
                iterator.put(status)
        if fatal:
            if self._failed is not None and not self._failed.done():
                self._failed.set_result(status)
            if self._iterators is not None:
                for iterator in self._iterators:
                    iterator.end()
            if cancel:
                self.interrupt()

    def interrupt(self) -> None:
        """Cancel the task that entered; if it has ended, the provider's own."""
        if not self.is_open or self._was_interrupted or self._failure is None:
            return
        task = self._task
        if task.done():
            if self._provider_task is None or self._provider_task.done():
                return
            self._provider_task.cancel()
            return
        waiting = _interrupted.get(task)
        if waiting is not None:
            waiting.append(self)
            return
        _interrupted[task] = deque()
        self._was_interrupted = True
        task.cancel()

    def enter(self) -> None:
        """The body begins."""
        self._cancelling = self._task.cancelling()

    def close(self) -> None:
        """The body is over; nothing reaches it any more."""
        self.is_open = False
        if self._failed is not None and not self._failed.done():
            self._failed.cancel()
        if self._iterators is not None:
            for iterator in self._iterators:
                iterator.end()

    def leave(self, error: BaseException | None) -> PilothouseError | None:
        """The body has ended with `error`: what is to be raised instead, if anything.

        A body that ends normally although its resource has failed still gets the
        failure; one that raises something else keeps that, with a note.
        """
        failure = self._failure
        outside = False
        if self._was_interrupted:
            self._was_interrupted = False
            outside = self._task.uncancel() > self._cancelling
            self._pass_on()
        elif failure is not None and isinstance(error, asyncio.CancelledError):
            outside = True
        self.close()
        if failure is None or not self.held.cancels:
            return None
        if error is None or (isinstance(error, asyncio.CancelledError) and not outside):
            return failure_of(failure)
        if not isinstance(error, asyncio.CancelledError):
            error.add_note(f"meanwhile {self.held.request!r} had failed: {failure}")
        return None

    def _pass_on(self) -> None:
        """The task is free again: the next failure that waited for it is on its way."""
        waiting = _interrupted.pop(self._task, None)
        if waiting:
            loop = asyncio.get_running_loop()
            for lease in waiting:
                loop.call_soon(lease.interrupt)


class _Statuses:
    """One reader of a lease's statuses; keeps the latest `UNREAD`."""

    def __init__(self) -> None:
        self._kept: deque[Status] = deque(maxlen=UNREAD)
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False

    def __aiter__(self) -> AsyncIterator[Status]:
        return self

    async def __anext__(self) -> Status:
        while not self._kept:
            if self._ended:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return self._kept.popleft()

    def put(self, status: Status) -> None:
        self._kept.append(status)
        self._wake()

    def end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
