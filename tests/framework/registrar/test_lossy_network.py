"""Random traffic over a network that loses, doubles and delays one message in five: nothing may be left."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

from framework.errors import PilothouseError
from framework.registrar import ResourceRegistrar
from framework.registrar.effects import JournalKind
from framework.status import Priority
from framework.transport.local import LocalTransport
from framework.transport.messages import Message
from tests.effort import seeds
from tests.framework.registrar.harness import Arm, Device, Harness, Mid, Sub, play

#: How long there is traffic, and how long the books then have to agree again [s], all virtual.
TRAFFIC_S = 4.0
REPAIR_S = 8.0

Disturbance = Callable[[str, str, Message], tuple[float, ...]]


def bad_network(lots: random.Random) -> Disturbance:
    """One in five is lost, another one doubled, and each is late by up to 40 ms: so they overtake."""

    def disturb(sender: str, to: str, message: Message) -> tuple[float, ...]:
        fate = lots.random()
        if fate < 0.2:
            return ()
        if fate < 0.4:
            return (lots.random() * 0.04, lots.random() * 0.04)
        return (lots.random() * 0.04,)

    return disturb


async def use(client: ResourceRegistrar, lots: random.Random) -> None:
    """One client's wish, whatever becomes of it."""
    priority = lots.choice(list(Priority))
    timeout_s = lots.choice([0.05, 0.5, 2.0])
    name = lots.choice(["a", "b"])
    exclusive = lots.random() < 0.5
    wait = lots.random() < 0.5
    wishes: dict[str, Any] = {"priority": priority, "timeout_s": timeout_s}
    wishes |= {"exclusive": exclusive, "wait": wait}
    kind = lots.randrange(5)
    try:
        async with asyncio.timeout(lots.choice([0.1, 1.0, 3.0])):
            if kind == 0:
                async with client.request(Sub(name), **wishes):
                    await asyncio.sleep(lots.random())
            elif kind == 1:
                async with client.request(Mid(name), **wishes):
                    await asyncio.sleep(lots.random())
            elif kind == 2:
                async with client.request_all(Device(name), Sub(), **wishes):
                    await asyncio.sleep(lots.random())
            elif kind == 3:
                async with client.request(Arm("pose"), **wishes) as pose:
                    await asyncio.sleep(lots.random())
                    async with client.request_all(Arm("twist"), instead_of=(pose,), **wishes):
                        await asyncio.sleep(lots.random())
            else:
                async with client.request(Sub(name), optional=True, timeout_s=timeout_s):
                    await asyncio.sleep(lots.random())
    except (PilothouseError, TimeoutError):
        pass


async def scene_of(seed: int) -> None:
    lots = random.Random(seed)
    async with Harness(LocalTransport(beat_s=0.1)) as harness:
        low, high, a, b = await harness.enter_all("low", "high", "a", "b")

        async def rest() -> None:
            await asyncio.sleep(0.02)

        harness.offer(low, Sub, start_s=0.05)
        harness.offer(low, Device, safe_stop=rest)
        harness.offer(high, Mid, lambda mid: Sub(mid.name))
        harness.offer(high, Arm, lambda arm: Device(), exclusive=True, wait=True)
        harness.transport.disturb = bad_network(lots)
        loop = asyncio.get_running_loop()
        users: list[asyncio.Task[None]] = []
        while loop.time() < TRAFFIC_S:
            await asyncio.sleep(lots.expovariate(8.0))
            users.append(asyncio.create_task(use(lots.choice([a, b]), lots)))
            if lots.random() < 0.1 and harness.supplies:
                harness.supplies[lots.choice(list(harness.supplies))].fail("unplugged")
            if lots.random() < 0.1:
                users[-1].cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(*users, return_exceptions=True)
        for user in users:
            assert user.cancelled() or user.exception() is None, user.exception()
        await asyncio.sleep(REPAIR_S)
        harness.assert_empty()
        assert len(harness.log) > 10 and any(
            entry.deed is JournalKind.GRANT for entry in low.journal.entries()
        )
        harness.transport.disturb = None
        await asyncio.sleep(1)


@seeds("tens", 20)
def test_random_traffic_over_a_bad_network_leaves_nothing_and_nobody_hanging(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        try:
            play(lambda seed=seed: scene_of(seed), seed=seed)  # type: ignore[misc]
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
