"""One resource's life: the task that enters and leaves its provider. What it reports, the core judges."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable, in_words
from framework.registrar.records import Resource
from framework.registrar.supply import Supply
from framework.status import FAILED, Hop, Reason, Status

if TYPE_CHECKING:
    from framework.registrar.shell import Shell

log = logging.getLogger("pilothouse.registrar")

Provider = Callable[..., AbstractAsyncContextManager[Any]]


class ProviderTask:
    """The task that keeps one resource up."""

    __slots__ = (
        "_because",
        "_provider",
        "_reported",
        "_stop",
        "_with_supply",
        "resource",
        "shell",
        "supply",
        "task",
    )

    def __init__(self, shell: Shell, resource: Resource, provider: Provider, with_supply: bool) -> None:
        self.shell = shell
        self.resource = resource
        self.supply = Supply(shell, resource)
        self.task: asyncio.Task[None] | None = None
        self._provider = provider
        self._with_supply = with_supply
        self._stop: asyncio.Future[None] | None = None
        self._reported = False
        self._because: Status | None = None

    def begin(self, context: contextvars.Context) -> None:
        """Start the task in the registrar's context, never in its first client's."""
        context = context.copy()
        context.run(scope.set, self)
        self.task = asyncio.get_running_loop().create_task(self._run(), context=context)
        # A task that is cancelled before its first step runs none of its own code.
        self.task.add_done_callback(self._done)

    def stop(self) -> None:
        """Let the provider go on at `yield`; one that has not come so far is cancelled."""
        if self._stop is None:
            self._cancel()
        elif not self._stop.done():
            self._stop.set_result(None)

    def fail_through(self, failure: Status) -> None:
        """A dependency has failed whose own task has ended: it is the provider that ends by it."""
        self._because = failure
        self._cancel()

    def abandon(self) -> None:
        """End it the hard way; nobody listens to what it says any more."""
        self._reported = True
        self._cancel()

    def _cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()

    async def _run(self) -> None:
        request = self.resource.request
        try:
            manager = self._provider(request, self.supply) if self._with_supply else self._provider(request)
            async with manager as handle:
                self._stop = asyncio.get_running_loop().create_future()
                if self.shell.provider_tasks.started(self, handle):
                    await self._stop
        except asyncio.CancelledError:
            if self._because is not None:
                self._report(*_told(self._because))
            else:
                self._report("was cancelled")
        except Exception as error:
            log.debug("the provider of %r raised", request, exc_info=error)
            self._report(*_cause_of(error))
        else:
            self._report(None)

    def _report(
        self,
        error: str | None,
        hops: tuple[Hop, ...] = (),
        preempted_by: str = "",
        reason: Reason = FAILED,
    ) -> None:
        if not self._reported:
            self._reported = True
            self.shell.provider_tasks.ended(self, error, hops, preempted_by, reason)

    def _done(self, task: asyncio.Task[None]) -> None:
        if not self._reported and not task.cancelled() and task.exception() is not None:
            self._report(f"was ended by {task.exception()!r}")
        self._report("was cancelled before it began")


#: On behalf of which resource the code that runs now is running. It follows tasks,
#: `asyncio.to_thread` and `run_coroutine_threadsafe` out of a provider.
scope: contextvars.ContextVar[ProviderTask | None] = contextvars.ContextVar("pilothouse_scope", default=None)


def takes_supply(provider: Provider) -> bool:
    """Whether a provider wants `(request, supply)` rather than `(request)`; raises TypeError if neither."""
    if inspect.iscoroutinefunction(provider) or inspect.isasyncgenfunction(provider):
        raise TypeError(f"{provider!r} is no context manager: put @asynccontextmanager under @provides")
    parameters = [
        p
        for p in inspect.signature(provider).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
    ]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    needed = [p for p in parameters if p.default is p.empty]
    if len(needed) > 2 or not parameters:
        raise TypeError(f"{provider!r} must take (request) or (request, supply)")
    return len(parameters) >= 2


def _cause_of(error: Exception) -> tuple[str, tuple[Hop, ...], str, Reason]:
    """Why a provider ended: message, hops behind it, by whom preempted, the reason.

    A dependency that failed in a task group of the provider's comes out wrapped; the reason
    is the same.
    """
    leaves = list(_leaves(error))
    for leaf in leaves:
        if isinstance(leaf, ResourceFailed | Preempted):
            return _told(leaf.status)
        if isinstance(leaf, ResourceUnavailable):
            return leaf.message, leaf.hops, "", leaf.reason
    return in_words(leaves[0]), (), "", FAILED


def _told(status: Status) -> tuple[str, tuple[Hop, ...], str, Reason]:
    return status.message, status.hops, status.preempted_by, status.reason


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
