"""The stage on which the registrar's tests play: requests, providers that keep a log, and no leftovers.

`@scene` runs an `async def test_…(harness)` on the virtual clock. When it is over
every registrar must be empty before it is left, and no task or timer may
remain after.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Any

import msgspec
import pytest

from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.shell import Shell
from framework.testing import VirtualLoop, run_on
from framework.testing.vanishing import vanish as vanish
from framework.transport.local import LocalTransport

#: Longer than any stop takes unless a test says so [s].
SETTLED_S = 30.0


class Sub(msgspec.Struct, frozen=True):
    name: str = "sub"


class Mid(msgspec.Struct, frozen=True):
    name: str = "mid"


class Top(msgspec.Struct, frozen=True):
    name: str = "top"


class Arm(msgspec.Struct, frozen=True):
    mode: str = "pose"


class Device(msgspec.Struct, frozen=True):
    name: str = "arm"


class Harness:
    """A local transport, registrars that are entered on it, and a log of what went up and down."""

    def __init__(self, transport: LocalTransport | None = None) -> None:
        self.transport = transport or LocalTransport()
        self.log: list[str] = []
        self.supplies: dict[Any, Supply] = {}
        self.registrars: list[ResourceRegistrar] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Harness:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                await asyncio.sleep(SETTLED_S)
                self.assert_empty()
        finally:
            await self._stack.__aexit__(kind, error, trace)

    async def enter(self, name: str, **options: Any) -> ResourceRegistrar:
        """A new registrar, which is left at the end of the scene."""
        registrar = ResourceRegistrar(name, self.transport, **options)
        self.registrars.append(registrar)
        return await self._stack.enter_async_context(registrar)

    async def enter_all(self, *names: str) -> tuple[ResourceRegistrar, ...]:
        return tuple([await self.enter(name) for name in names])

    def offer(
        self,
        registrar: ResourceRegistrar,
        kind: type,
        needs: Callable[[Any], Any] | None = None,
        *,
        start_s: float = 0.0,
        stop_s: float = 0.0,
        safe_stop: Callable[[], Awaitable[object]] | None = None,
        exclusive: bool = False,
        wait: bool = False,
        **policy: float,
    ) -> None:
        """Provide `kind` in the plainest way; `needs` says which request it depends on."""

        @registrar.provides(kind, **policy)
        @asynccontextmanager
        async def provider(request: Any, supply: Supply) -> AsyncIterator[str]:
            async with AsyncExitStack() as dependencies:
                if needs is not None:
                    await dependencies.enter_async_context(
                        registrar.request(needs(request), exclusive=exclusive, wait=wait)
                    )
                if start_s:
                    await asyncio.sleep(start_s)
                if safe_stop is not None:
                    supply.declare_safe_stop(safe_stop)
                self.supplies[request] = supply
                self.log.append(f"up {called(request)}")
                try:
                    yield f"handle of {called(request)}"
                finally:
                    self.log.append(f"down {called(request)}")
                    if stop_s:
                        await asyncio.sleep(stop_s)

    def count(self, entry: str) -> int:
        return self.log.count(entry)

    def forget(self, registrar: ResourceRegistrar) -> None:
        """It is not expected to be empty at the end (its process is 'dead')."""
        self.registrars.remove(registrar)

    def assert_empty(self) -> None:
        for registrar in self.registrars:
            assert registrar.snapshot().is_empty, registrar.snapshot()


async def cancelled_after(turns: int, body: Coroutine[Any, Any, None]) -> None:
    """Somebody begins this, and is cancelled after so many turns of the loop."""
    task = asyncio.create_task(body)
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def called(request: Any) -> str:
    first = msgspec.structs.astuple(request)[0]
    return f"{type(request).__name__}({first})"


def shell_of(registrar: ResourceRegistrar) -> Shell:
    return registrar._shell


async def refusal(context: Any) -> ResourceUnavailable:
    """What an `async with` that must be refused raises."""
    try:
        async with context:
            raise AssertionError("it was granted")
    except ResourceUnavailable as error:
        return error


def held_time() -> AbstractContextManager[object]:
    """Virtual time stands still while a thread of the test's own works."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.hold("a thread of the test")


def play(main: Callable[[], Coroutine[Any, Any, Any]], *, seed: int = 0) -> None:
    """On the virtual clock; nothing may be left on the loop afterwards."""
    loop = VirtualLoop(seed=seed)
    run_on(loop, main)
    assert not loop.leftovers, loop.leftovers
    timers = [handle for _, _, handle in loop._timers if not handle.cancelled()]
    assert not timers, timers


def scene(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run `async def test_…(harness, …)` on the virtual clock, in a fresh harness."""

    @functools.wraps(test)
    def wrapper(**arguments: Any) -> None:
        async def main() -> None:
            async with Harness() as harness:
                await test(harness, **arguments)

        play(main)

    signature = inspect.signature(test)
    wrapper.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:]
    )
    return wrapper
