"""One task per resource enters and leaves its provider. What it reports, the core judges."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar.records import Resource
from framework.registrar.supply import Supply
from framework.status import Hop

if TYPE_CHECKING:
    from framework.registrar.registrar import ResourceRegistrar

log = logging.getLogger("pilothouse.registrar")

Provider = Callable[..., AbstractAsyncContextManager[Any]]


class Scope:
    """On behalf of which resource the code that runs now is running."""

    __slots__ = ("registrar", "resource", "task")

    def __init__(self, registrar: ResourceRegistrar, resource: Resource) -> None:
        self.registrar = registrar
        self.resource = resource
        self.task: asyncio.Task[Any] | None = None


#: Follows tasks, `asyncio.to_thread` and `run_coroutine_threadsafe` out of a provider.
scope: contextvars.ContextVar[Scope | None] = contextvars.ContextVar("pilothouse_scope", default=None)


def takes_supply(provider: Provider) -> bool:
    """Whether a provider wants `(request, supply)` rather than `(request)`; raises TypeError if neither."""
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


class Life:
    """The task that keeps one resource up."""

    __slots__ = (
        "_provider",
        "_registrar",
        "_reported",
        "_stop",
        "_with_supply",
        "resource",
        "scope",
        "supply",
        "task",
    )

    def __init__(
        self, registrar: ResourceRegistrar, resource: Resource, provider: Provider, with_supply: bool
    ) -> None:
        self._registrar = registrar
        self._provider = provider
        self._with_supply = with_supply
        self._stop: asyncio.Future[None] | None = None
        self._reported = False
        self.resource = resource
        self.supply = Supply(registrar, resource)
        self.scope = Scope(registrar, resource)

    def begin(self, context: contextvars.Context) -> None:
        """Start the task in the registrar's context, never in its first client's."""
        context = context.copy()
        context.run(scope.set, self.scope)
        self.task = asyncio.get_running_loop().create_task(self._run(), context=context)
        self.scope.task = self.task
        # A task that is cancelled before its first step runs none of its own code.
        self.task.add_done_callback(self._done)

    def stop(self) -> None:
        """Let the provider go on at `yield`; one that has not come so far is cancelled."""
        if self._stop is None:
            self.task.cancel()
        elif not self._stop.done():
            self._stop.set_result(None)

    def cancel(self) -> None:
        """End it the hard way."""
        self._reported = True
        self.task.cancel()

    async def _run(self) -> None:
        request = self.resource.request
        try:
            manager = self._provider(request, self.supply) if self._with_supply else self._provider(request)
            async with manager as handle:
                self._stop = asyncio.get_running_loop().create_future()
                if self._registrar.started(self, handle):
                    await self._stop
        except ResourceFailed as error:
            self._report(error.status.message, error.status.hops)
        except Preempted as error:
            self._report(error.status.message, error.status.hops, error.by)
        except ResourceUnavailable as error:
            self._report(error.message, error.hops)
        except asyncio.CancelledError:
            self._report("was cancelled")
        except Exception as error:
            log.debug("the provider of %r raised", request, exc_info=error)
            self._report(_in_words(error))
        else:
            self._report(None)

    def _report(self, error: str | None, hops: tuple[Hop, ...] = (), preempted_by: str = "") -> None:
        if not self._reported:
            self._reported = True
            self._registrar.ended(self, error, hops, preempted_by)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._report("was cancelled before it began")


def _in_words(error: BaseException) -> str:
    """The innermost reason of an error, for people."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
