"""A manager with a catalog is killed and restarted at random, over good and bad networks.

A lease either comes back to its holder or is reported lost; when all have left,
registry and catalog are empty. On a good network nobody becomes a second master
of a device that the first was not told to have lost; on one that loses and
reorders messages he may for a moment believe it, and his commands are refused:
generations rise over all restarts.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from framework.errors import PilothouseError
from framework.registrar import Lease, ResourceRegistrar
from framework.registrar.catalog import Catalog
from framework.status import Severity
from framework.transport.local import LocalTransport
from tests.effort import seeds
from tests.framework.registrar.harness import Device, Harness, Sub, play, vanish
from tests.framework.registrar.test_lossy_network import bad_network

CLIENTS = ("a", "b", "c")
RESTARTS = 5
REPAIR_S = 30.0


class Manager:
    """The manager that is killed again and again."""

    def __init__(self, harness: Harness, path: Path) -> None:
        self._harness = harness
        self._path = path
        self.registrar: ResourceRegistrar | None = None

    async def start(self) -> None:
        self.registrar = await self._harness.enter("server", catalog=self._path)
        self._harness.offer(self.registrar, Device)
        self._harness.offer(self.registrar, Sub, start_s=0.1)

    def kill(self) -> None:
        assert self.registrar is not None
        self._harness.forget(self.registrar)
        vanish(self.registrar)


async def use(client: ResourceRegistrar, lots: random.Random, masters: list[Lease], is_bad: bool) -> None:
    request: Any = lots.choice([Device(), Sub("a"), Sub("b")])
    exclusive = request == Device()
    wait = lots.random() < 0.7
    with suppress(PilothouseError):
        async with AsyncExitStack() as stack:
            lease = await stack.enter_async_context(
                client.request(request, exclusive=exclusive, wait=wait, timeout_s=lots.choice([0.5, 8.0]))
            )
            if exclusive:
                for other in masters:
                    assert lease.generation != other.generation
                    assert is_bad or other.status.severity is Severity.FATAL, "a second master"
                masters.append(lease)
                stack.callback(masters.remove, lease)
            await asyncio.sleep(lots.choice([0.1, 1.0, 4.0]))


async def scene_of(seed: int, path: Path, is_bad: bool) -> None:
    lots = random.Random(seed)
    transport = LocalTransport(beat_s=0.1)
    async with Harness(transport) as harness:
        manager = Manager(harness, path)
        await manager.start()
        clients = [await harness.enter(name) for name in CLIENTS]
        masters: list[Lease] = []
        users: list[asyncio.Task[None]] = []
        if is_bad:
            transport.disturb = bad_network(lots)
        for _ in range(RESTARTS):
            for _ in range(lots.randrange(6)):
                users.append(asyncio.create_task(use(lots.choice(clients), lots, masters, is_bad)))
                await asyncio.sleep(lots.choice([0.0, 0.05, 0.3]))
            manager.kill()
            await asyncio.sleep(lots.choice([0.0, 0.1, 1.0, 12.0]))
            await manager.start()
            await asyncio.sleep(lots.choice([0.0, 0.1, 1.0]))
        async with asyncio.timeout(60):
            await asyncio.gather(*users)
        await asyncio.sleep(REPAIR_S)
        harness.assert_empty()
        assert_nothing_to_restore(path)
        transport.disturb = None
        await asyncio.sleep(1)


def assert_nothing_to_restore(path: Path) -> None:
    seen = path.with_name("copy")
    seen.write_bytes(path.read_bytes())
    copy = Catalog(seen)
    assert copy.restored == []
    copy.erase()


@pytest.mark.parametrize("is_bad", [False, True], ids=["good network", "bad network"])
@seeds("tens", 3)
def test_what_a_restart_finds_is_right(tmp_path: Path, tens: int, is_bad: bool) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        try:
            play(lambda seed=seed: scene_of(seed, tmp_path / f"{seed}", is_bad), seed=seed)  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
