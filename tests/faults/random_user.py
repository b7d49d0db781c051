"""Somebody in the random harness who wants something for a while, whatever becomes of it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.registrar import ResourceRegistrar
from framework.status import Priority, Severity, Status
from resources.types.sensors import Camera
from tests.framework.registrar.harness import Arm, Device, Mid, Sub, Top

#: What the resources of each chain are called.
NAMES = ("a", "b", "c")


class User:
    """Somebody who wants something for a while, and remembers what was said."""

    def __init__(self, lots: random.Random, client: ResourceRegistrar) -> None:
        self.client = client
        self.leave = asyncio.Event()
        self._lots = lots
        self._told: list[tuple[str, str, Severity]] = []
        self.task = asyncio.create_task(self._live())

    def check(self) -> None:
        """It ended as it must, and heard of nothing twice."""
        if not self.task.cancelled():
            error = self.task.exception()
            assert error is None, error
        assert len(set(self._told)) == len(self._told), self._told
        lost = [lease for lease, _, severity in self._told if severity is Severity.FATAL]
        assert len(set(lost)) == len(lost), self._told

    async def _live(self) -> None:
        lots = self._lots
        request = lots.choice(
            [
                Sub(lots.choice(NAMES)),
                Mid(lots.choice(NAMES)),
                Top(lots.choice(NAMES)),
                Top(lots.choice(NAMES)),
                Arm(lots.choice(["pose", "twist"])),
                Device(),
                Camera(),
                Camera(kind="rgbd"),
            ]
        )
        exclusive, wait = lots.random() < 0.4, lots.random() < 0.5
        priority = lots.choice(list(Priority))
        timeout_s = lots.choice([0.2, 2.0, 5.0])
        wishes: dict[str, Any] = {"wait": wait, "priority": priority, "timeout_s": timeout_s}
        try:
            if lots.random() < 0.2:
                both = self.client.request_all(request, Sub("c"), on_status=self._hear, **wishes)
                async with both:
                    await self._stay()
            else:
                one = self.client.request(request, exclusive=exclusive, on_status=self._hear, **wishes)
                async with one:
                    await self._stay()
        except (ResourceFailed, ResourceUnavailable, Preempted):
            pass

    async def _stay(self) -> None:
        try:
            async with asyncio.timeout(self._lots.expovariate(1.0)):
                await self.leave.wait()
        except TimeoutError:
            pass

    def _hear(self, status: Status) -> None:
        if status.id:
            self._told.append((status.lease_id, status.id, status.severity))
