"""Requests to a registrar in another process, beside a bare Zenoh query between the same two."""

from __future__ import annotations

import random
import statistics
import time
from contextlib import AsyncExitStack
from typing import Final

from framework.errors import TransportError
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec, python_child
from framework.registrar import ResourceRegistrar
from framework.transport.zenoh import ZenohTransport
from framework.transport.zenoh_session import ANYWHERE_HERE, ZenohSession
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.registrar.far_side import BARE_KEY, PATIENT, FarSide
from pilothouse.experiments.registrar.local import Wanted

ROUNDS: Final = 220
BATCH: Final = 10
WARM_UP: Final = 20
"""Rounds that are not counted. 200 × 10 round trips of each kind are."""

PAYLOAD: Final = b"x" * 100


class Trips:
    """The three kinds of round trip, on the near side."""

    def __init__(self, client: ResourceRegistrar, bare: ZenohSession) -> None:
        self.raw_us: list[float] = []
        self.shared_us: list[float] = []
        self.new_us: list[float] = []
        self._client = client
        self._bare = bare
        self._next = 0

    async def batch(self) -> None:
        """A few of each in turn; the uncounted query lets the far side finish with what was before."""
        for _ in range(BATCH):
            self._next += 1
            self._query()
            self.raw_us.append(self._query())
            self.shared_us.append(await self._request(0))
            self._query()
            self.new_us.append(await self._request(self._next))

    def forget(self) -> None:
        """It was for warming up."""
        for samples in (self.raw_us, self.shared_us, self.new_us):
            samples.clear()

    def _query(self) -> float:
        began_s = time.perf_counter()
        replies = list(self._bare.zenoh.get(BARE_KEY, payload=PAYLOAD))
        took_us = 1e6 * (time.perf_counter() - began_s)
        if len(replies) != 1 or replies[0].ok is None:
            raise TransportError(f"the bare query got {len(replies)} replies instead of one good one")
        return took_us

    async def _request(self, number: int) -> float:
        began_s = time.perf_counter()
        async with self._client.request(Wanted(number)):
            return 1e6 * (time.perf_counter() - began_s)


async def measure_zenoh(progress: Progress) -> Figures:
    """Medians; starts the other process and ends it."""
    progress.begin("requests to another process", ROUNDS)
    async with AsyncExitStack() as stack:
        transport = stack.enter_context(ZenohTransport())
        client = await stack.enter_async_context(ResourceRegistrar("near", transport, policy=PATIENT))
        target = "pilothouse.experiments.registrar.far_side:provide"
        spec = ProcessSpec(python_child(target, FarSide(transport.endpoints[0])), "far side", restart=None)
        launcher = ProcessLauncher(rng=random.Random(0))
        child = await stack.enter_async_context(launcher.launch(spec))
        bare = ZenohSession((ANYWHERE_HERE,), (child.handle.decode(),), shared_memory=False)
        stack.callback(bare.close)
        await stack.enter_async_context(client.request(Wanted(0)))
        trips = Trips(client, bare)
        for number in range(ROUNDS):
            if number == WARM_UP:
                trips.forget()
            await trips.batch()
            progress.step()
    raw_us, shared_us, new_us = map(statistics.median, (trips.raw_us, trips.shared_us, trips.new_us))
    return {
        "zenoh_raw_us": raw_us,
        "zenoh_request_us": shared_us,
        "zenoh_new_us": new_us,
        "zenoh_ratio": shared_us / raw_us,
        "zenoh_new_ratio": new_us / raw_us,
    }
