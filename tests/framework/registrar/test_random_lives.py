"""Random bodies, failures, preemptions and cancellations: each body ends as it must, and nothing is left.

What `test_cancelling_bodies.py` shows one case at a time, here in all mixtures:
a cancellation from outside always comes out as one, anything else as the
registrar's error, and no task is left half cancelled.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

import pytest

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.status import Priority, Severity, Status
from tests.effort import seeds
from tests.framework.registrar.harness import Arm, Device, Harness, Mid, Sub, Top, play

BODIES = 60


class Arm7:
    """The one device that must never have two masters, nor a new one while it is being stopped."""

    def __init__(self, lots: random.Random) -> None:
        self._lots = lots
        self._masters: list[Lease] = []
        self._is_stopping = False
        self.mastered = 0

    async def rest(self) -> None:
        self._is_stopping = True
        try:
            await asyncio.sleep(self._lots.choice([0.0, 0.01, 5.0]))
        finally:
            self._is_stopping = False

    @contextmanager
    def mastered_by(self, lease: Lease) -> Iterator[None]:
        assert not self._is_stopping, "granted before the device was at rest"
        for other in self._masters:
            assert other.status.severity is Severity.FATAL, "granted beside a holder that was told nothing"
        assert all(lease.generation > other.generation for other in self._masters)
        self.mastered += 1
        self._masters.append(lease)
        try:
            yield
        finally:
            self._masters.remove(lease)


class Body:
    """One user of resources, and how it ended."""

    def __init__(self, client: ResourceRegistrar, lots: random.Random, device: Arm7) -> None:
        self._client = client
        self._device = device
        self._lots = lots
        self.was_cancelled = False
        self.fatal: dict[str, int] = {}
        self.task = asyncio.create_task(self._run())

    def cancel(self) -> None:
        if not self.task.done():
            self.was_cancelled = self.task.cancel()

    def check(self) -> None:
        assert self.task.done()
        if self.was_cancelled:
            assert self.task.cancelled(), "a cancellation from outside was lost"
        else:
            assert not self.task.cancelled(), "a cancellation of the registrar's came out"
            assert self.task.exception() is None, self.task.exception()
            assert self.task.result() == 0, "the task is left half cancelled"
        assert all(times == 1 for times in self.fatal.values()), self.fatal

    def _told(self, status: Status) -> None:
        if status.severity is Severity.FATAL:
            self.fatal[status.lease_id] = self.fatal.get(status.lease_id, 0) + 1

    async def _run(self) -> int:
        task = asyncio.current_task()
        assert task is not None
        for _ in range(3):
            with suppress(ResourceFailed, ResourceUnavailable, Preempted):
                await self._hold(self._lots.choice([1, 2, 3]))
        return task.cancelling()

    async def _hold(self, depth: int) -> None:
        lots = self._lots
        request = lots.choice(
            [Sub("a"), Sub("b"), Mid(), Top(), Arm(lots.choice(["pose", "twist"])), Device(), Device()]
        )
        priority, exclusive = lots.choice(list(Priority)), lots.random() < 0.5
        wanted: Any
        if lots.random() < 0.2:
            wanted = self._client.request_all(request, Sub("c"), exclusive=exclusive, wait=True, timeout_s=1)
        else:
            wanted = self._client.request(
                request,
                exclusive=exclusive,
                priority=priority,
                wait=lots.random() < 0.5,
                timeout_s=lots.choice([0.0, 0.01, 1.0]),
                on_status=self._told,
            )
        async with AsyncExitStack() as stack:
            lease = await stack.enter_async_context(wanted)
            if isinstance(lease, Lease) and request == Device() and exclusive:
                stack.enter_context(self._device.mastered_by(lease))
            if depth > 1:
                await self._hold(depth - 1)
            try:
                await asyncio.sleep(lots.choice([0.0, 0.01, 0.3]))
            finally:
                if lots.random() < 0.5:
                    await asyncio.sleep(lots.choice([0.0, 0.01]))


def offer_everything(
    harness: Harness, low: ResourceRegistrar, high: ResourceRegistrar, lots: random.Random, device: Arm7
) -> None:
    @low.provides(Sub, start_timeout_s=0.2, stop_timeout_s=0.2)
    @asynccontextmanager
    async def moody(request: Sub, supply: Supply) -> AsyncIterator[int]:
        harness.supplies[request] = supply
        await asyncio.sleep(lots.choice([0.0, 0.0, 0.01, 1.0]))
        if lots.random() < 0.1:
            raise OSError("in a bad mood")
        yield 1
        await asyncio.sleep(lots.choice([0.0, 0.0, 0.01, 1.0]))
        if lots.random() < 0.1:
            raise OSError("in a bad mood still")

    harness.offer(low, Device, safe_stop=device.rest, safe_stop_timeout_s=0.5, preempt_grace_s=0.05)
    harness.offer(high, Mid, lambda mid: Sub("a"), stop_s=0.01)
    harness.offer(high, Top, lambda top: Mid())
    harness.offer(high, Arm, lambda arm: Device(), exclusive=True, wait=True)


async def scene_of(seed: int, mastered: list[int]) -> None:
    lots = random.Random(seed)
    async with Harness() as harness:
        low, high, a, b = await harness.enter_all("low", "high", "a", "b")
        device = Arm7(lots)
        offer_everything(harness, low, high, lots, device)
        bodies = []
        for _ in range(BODIES):
            bodies.append(Body(lots.choice([a, b]), lots, device))
            for _ in range(lots.randrange(4)):
                await asyncio.sleep(0)
            if lots.random() < 0.3:
                await asyncio.sleep(lots.random() * 0.1)
            if lots.random() < 0.3 and harness.supplies:
                harness.supplies[lots.choice(list(harness.supplies))].fail("by chance")
            if lots.random() < 0.3:
                lots.choice(bodies).cancel()
        async with asyncio.timeout(300):
            await asyncio.wait([body.task for body in bodies])
        for body in bodies:
            body.check()
        mastered.append(device.mastered)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Providers are abandoned here all the time."""
    caplog.set_level("CRITICAL", "pilothouse.registrar")


@seeds("tens", 10)
def test_every_body_ends_as_it_must(tens: int) -> None:
    mastered: list[int] = []
    for seed in range(10 * tens, 10 * tens + 10):
        try:
            play(lambda seed=seed: scene_of(seed, mastered), seed=seed)  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    assert sum(mastered) > 10
