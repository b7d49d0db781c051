"""A device without a watchdog of its own, commanded over a bad network: it does not move on for nobody.

What is measured is how long it moves after the last body that may command it has left.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from framework.errors import LeaseError, PilothouseError
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.core import CorePolicy
from framework.transport.local import LocalTransport
from framework.transport.messages import Command, Message
from tests.effort import seeds
from tests.framework.registrar.harness import Arm, Device, Harness, Sub, play

BEAT_S = 0.1
LIFE_S = 30.0
LATEST_S = 0.04  # that a message takes

#: Over two hops a release may get lost twice.
MOVES_ON_S = 2 * (CorePolicy().window_s + LATEST_S)


class Motion:
    """What the device does, and since when nobody is there who commands it."""

    def __init__(self) -> None:
        self.commanders: set[int] = set()
        self.is_moving = False
        self.since_s = 0.0
        self.longest_s = 0.0
        self.commands = 0

    def begins(self, who: int) -> None:
        self.commanders.add(who)

    def ends(self, who: int) -> None:
        self.commanders.discard(who)
        self.since_s = now_s()

    def commanded(self, _: Command) -> None:
        self.is_moving = True
        self.commands += 1

    async def rests(self) -> None:
        if self.is_moving and not self.commanders:
            self.longest_s = max(self.longest_s, now_s() - self.since_s)
        self.is_moving = False


def now_s() -> float:
    return asyncio.get_running_loop().time()


async def drive(client: ResourceRegistrar, lots: random.Random, motion: Motion, who: int) -> None:
    """One body that commands for a while, the device or what stands on it, whatever becomes of it."""
    request: Any = lots.choice([Device(), Arm(f"of {who}")])
    wanted = client.request(request, exclusive=True, wait=lots.random() < 0.5, timeout_s=1.0)
    with suppress(PilothouseError, TimeoutError):
        async with asyncio.timeout(3.0), wanted as lease:
            motion.begins(who)
            try:
                for _ in range(lots.randrange(1, 30)):
                    lease.send(b"go")
                    await asyncio.sleep(0.02)
            finally:
                motion.ends(who)


async def scene_of(seed: int, loss: float, motion: Motion) -> None:
    lots = random.Random(seed)

    def disturb(sender: str, to: str, message: Message) -> tuple[float, ...]:
        fate = lots.random()
        times = 0 if fate < loss else 2 if fate < 1.5 * loss else 1
        return tuple(lots.random() * LATEST_S for _ in range(times))

    async with Harness(LocalTransport(beat_s=BEAT_S)) as harness:
        low, high, a, b = await harness.enter_all("low", "high", "a", "b")
        harness.offer(low, Sub)

        @low.provides(Device)
        @asynccontextmanager
        async def device(request: Device, supply: Supply) -> AsyncIterator[str]:
            supply.declare_safe_stop(motion.rests)
            supply.on_command(motion.commanded)
            yield "device"
            await motion.rests()

        @high.provides(Arm)
        @asynccontextmanager
        async def arm(request: Arm, supply: Supply) -> AsyncIterator[str]:
            async with high.request(Device(), exclusive=True, wait=supply.is_patient) as lease:

                def pass_on(command: Command) -> None:
                    with suppress(LeaseError):
                        lease.send(command.payload)

                supply.on_command(pass_on)
                yield "arm"

        harness.transport.disturb = disturb
        number = 0

        async def live(client: ResourceRegistrar) -> None:
            nonlocal number
            while now_s() < LIFE_S:
                number += 1
                if lots.random() < 0.5:
                    # Another lease at the same registrar keeps both talking when the device is given back.
                    async with client.request(Sub(), optional=True, timeout_s=1.0):
                        await drive(client, lots, motion, number)
                        await asyncio.sleep(1.0)
                else:
                    await drive(client, lots, motion, number)
                await asyncio.sleep(lots.random())

        await asyncio.gather(live(a), live(b))
        await asyncio.sleep(MOVES_ON_S)
        assert not motion.is_moving
        harness.transport.disturb = None


@seeds("fours", 12)
def test_a_device_without_a_watchdog_rests_when_nobody_commands_it_whatever_is_lost(fours: int) -> None:
    for seed in range(4 * fours, 4 * fours + 4):
        for loss in (0.1, 0.2):
            motion = Motion()
            play(lambda: scene_of(seed, loss, motion), seed=seed)  # noqa: B023
            assert motion.commands > 20
            assert motion.longest_s <= MOVES_ON_S, f"seed {seed}, loss {loss}: for {motion.longest_s:.3f} s"
