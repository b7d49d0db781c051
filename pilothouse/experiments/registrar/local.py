"""Requests within one process: new, shared, released until down, while many other resources are up."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import msgspec

from framework.registrar import ResourceRegistrar
from framework.transport.local import LocalTransport
from pilothouse.experiments.definition import Figures, Progress

ROUNDS: Final = 250
BATCH: Final = 20
WARM_UP: Final = 10
"""Rounds that are not counted. 240 × 20 requests of each kind are."""


class Wanted(msgspec.Struct, frozen=True):
    """A resource that costs nothing by itself."""

    number: int


class LoadedRegistrar:
    """A provider and a client in one process, and `resident` resources that stay up."""

    def __init__(self, resident: int) -> None:
        self.resident = resident
        self.new_us: list[float] = []
        self.shared_us: list[float] = []
        self.release_us: list[float] = []
        transport = LocalTransport()
        self._provider = ResourceRegistrar("provider", transport)
        self._client = ResourceRegistrar("client", transport)
        self._provider.provides(Wanted)(self._provide)
        self._next = resident
        self._down: asyncio.Future[float] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Inside, the residents are up."""
        async with self._provider, self._client, AsyncExitStack() as residents:
            for number in range(self.resident):
                await residents.enter_async_context(self._client.request(Wanted(number)))
            yield

    async def batch(self, *, counts: bool) -> None:
        """A few resources, one after the other: asked for, shared, and released until they are down."""
        clock_s = time.perf_counter
        loop = asyncio.get_running_loop()
        client = self._client
        for _ in range(BATCH):
            self._next += 1
            wanted = Wanted(self._next)
            self._down = loop.create_future()
            began_s = clock_s()
            async with client.request(wanted):
                up_s = clock_s()
                async with client.request(wanted):
                    shared_s = clock_s()
                left_s = clock_s()
            down_s = await self._down
            if counts:
                self.new_us.append(1e6 * (up_s - began_s))
                self.shared_us.append(1e6 * (shared_s - up_s))
                self.release_us.append(1e6 * (down_s - left_s))

    @asynccontextmanager
    async def _provide(self, request: Wanted) -> AsyncIterator[int]:
        try:
            yield request.number
        finally:
            task = asyncio.current_task()
            assert task is not None
            # Called after the registrar's own callback: by then it has forgotten the resource.
            task.add_done_callback(self._is_down)

    def _is_down(self, task: asyncio.Task[Any]) -> None:
        if self._down is not None and not self._down.done():
            self._down.set_result(time.perf_counter())


async def measure_local(resident: tuple[int, ...], progress: Progress, seed: int) -> Figures:
    """Medians for each number of residents, measured in turn so that the machine's moods hit all alike."""
    rng = random.Random(seed)
    registrars = [LoadedRegistrar(count) for count in resident]
    progress.begin("requests in one process", ROUNDS)
    async with AsyncExitStack() as opened:
        for registrar in registrars:
            await opened.enter_async_context(registrar.open())
        for number in range(ROUNDS):
            for registrar in rng.sample(registrars, len(registrars)):
                await registrar.batch(counts=number >= WARM_UP)
            progress.step()
    figures: Figures = {}
    for kind in ("new", "shared", "release"):
        medians = [statistics.median(getattr(registrar, f"{kind}_us")) for registrar in registrars]
        for registrar, median in zip(registrars, medians, strict=True):
            figures[f"{kind}_us_{registrar.resident}"] = median
        figures[f"ratio_{kind}_{registrars[-1].resident}"] = medians[-1] / medians[0]
    return figures
