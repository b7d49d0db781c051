"""The work of the language, off the loop: a long sentence takes longer than anything may hold the loop.

One thread does one piece of work after the other. It sees the names as they were known when a piece began
(`KnownThen`), never what the loop is changing meanwhile. Without a `Thinking` the supervisor understands on
its caller's stack: for tests whose language is a table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from framework.plan.parser import Known, World

T = TypeVar("T")

#: After so long the thread makes room for the loop if that wants to go on: `sys.setswitchinterval` [s].
SWITCH_S = 0.001


class Think(Protocol):
    """Does a piece of work that changes nothing but itself, and returns its result."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]: ...


class KnownThen:
    """A world's names as they were when they were last noted (`framework.plan.World`)."""

    def __init__(self, world: World, kinds: Iterable[str]) -> None:
        self._world = world
        self._kinds = tuple(dict.fromkeys(kinds))
        self._known: dict[str, tuple[Known, ...]] = {}
        self.note()

    def note(self) -> None:
        """As they are now; on the loop."""
        self._known = {kind: self._world.known(kind) for kind in self._kinds}

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(known.name for known in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        return self._known.get(kind, ())


class Thinking:
    """A thread for the language. kinds: of the names that it may ask for."""

    def __init__(self, world: World, kinds: Iterable[str]) -> None:
        self.world = KnownThen(world, kinds)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="language")
        self._turn = asyncio.Lock()

    async def __call__(self, work: Callable[[], T], /) -> T:
        """Do it in the thread, after all that was asked for before."""
        async with self._turn:
            self.world.note()
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def close(self) -> None:
        """No more of it; what is under way ends by itself."""
        self._thread.shutdown(wait=False, cancel_futures=True)


async def at_once(work: Callable[[], T], /) -> T:
    """On the loop; it has its turn afterwards."""
    result = work()
    await asyncio.sleep(0)
    return result
