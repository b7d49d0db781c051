"""Resources whose handles a test writes down: what an action's tests need where no sensor is to be scripted.

resources = ScriptedResources(transport, {Known: Surroundings((CUP, TABLE))})
async with resources:
    ...                                                 # whoever asks for Known gets that
    resources.update(Known, Surroundings((CUP,)))       # and now hears that the table is gone
    resources.fail(Known, "somebody pulled the plug")
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar, Supply
from framework.transport.interface import Transport


class ScriptedResources:
    """One registrar that provides each of these request types; an async context manager.

    handles: by request type, the handle, or a function of the request that returns it (and may raise
    ResourceUnavailable). commands: what clients sent, as (request, payload).
    """

    def __init__(
        self,
        transport: Transport,
        handles: Mapping[type, Any],
        *,
        name: str = "resources",
        clock: Clock | None = None,
    ) -> None:
        self.commands: list[tuple[Any, bytes]] = []
        self.registrar = ResourceRegistrar(name, transport, clock=clock)
        self._handles = dict(handles)
        self._up: dict[Any, Supply] = {}
        for request_type in handles:
            self.registrar.provides(request_type)(self._provider(request_type))

    async def __aenter__(self) -> Self:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.registrar.__aexit__(kind, error, trace)

    @property
    def in_use(self) -> tuple[Any, ...]:
        """The requests that are being served."""
        return tuple(self._up)

    def update(self, request_type: type, handle: Any) -> None:
        """From now on this is the handle; who has one already hears of it."""
        self._handles[request_type] = handle
        for request, supply in self._up.items():
            if isinstance(request, request_type):
                supply.update(self._handle(request))

    def fail(self, request_type: type, why: str) -> None:
        """What is up of this type fails, and cannot be had any more until `update`."""

        def refused(request: Any) -> Any:
            raise ResourceUnavailable(why)

        self._handles[request_type] = refused
        for request, supply in tuple(self._up.items()):
            if isinstance(request, request_type):
                supply.fail(why)

    def _handle(self, request: Any) -> Any:
        handle = self._handles[type(request)]
        is_made = callable(handle) and not isinstance(handle, type)
        return handle(request) if is_made else handle

    def _provider(self, request_type: type) -> Callable[..., Any]:
        @asynccontextmanager
        async def provide(request: Any, supply: Supply) -> AsyncIterator[Any]:
            supply.on_command(lambda command: self.commands.append((request, command.payload)))
            handle = self._handle(request)
            self._up[request] = supply
            try:
                yield handle
            finally:
                self._up.pop(request, None)

        return provide
