"""Clients, operators, faults and stops in any order: nothing ever moves but for its present holder.

Each command has a number of its own, so a loop that follows one says whose wish it is.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from framework.errors import LeaseError, PilothouseError
from framework.registrar import ResourceRegistrar
from framework.status import Priority
from managers.controller_manager import ControllerManager
from resources.children.failing import FailMode
from resources.controllers.loop import MotionStop
from resources.types.arms import Arm, ArmState, Motion, Recovery
from resources.types.motion import Hold, MoveJoints, TrackTwist, Wanted, encode_motion
from tests.faults.stage import Stage, now_s
from tests.managers.scripted_world import PlayedWorld, asking

Play = Callable[[Any], None]

REQUESTS = (Arm(), Arm("left"), Arm("right"), Motion("left_arm"), Motion("right_arm"))
DEVICES = ("left_arm", "right_arm")

#: That a holder has left may be under way for .06 s, and is then seen within two looks of the loop [s].
GRACE_S = 0.06 + 0.03


class Crowd:
    """People who take arms, command them and lose them; and whoever checks that all is right."""

    def __init__(
        self, stage: Stage, world: PlayedWorld, manager: ControllerManager, lots: random.Random
    ) -> None:
        self.stage = stage
        self.world = world
        self.manager = manager
        self.lots = lots
        self.grants = 0
        self.followed = 0
        self._numbers = 0
        self._of: dict[int, str] = {}
        self._ended_s: dict[str, float] = {}
        self._holding: dict[str, str] = {}

    async def somebody(self, registrar: ResourceRegistrar) -> None:
        """Take something, command it for a while, give it back; for ever."""
        lots = self.lots
        while True:
            await asyncio.sleep(lots.random() * 0.6)
            request = lots.choice(REQUESTS)
            priority = lots.choice((Priority.BACKGROUND, Priority.AUTONOMY, Priority.OPERATOR))
            wish = registrar.request(
                request, exclusive=True, priority=priority, wait=lots.random() < 0.5, timeout_s=5.0
            )
            try:
                async with wish as lease:
                    self.grants += 1
                    self._holding[lease.id] = lease.value.device
                    try:
                        await self._command(lease)
                    finally:
                        del self._holding[lease.id]
                        self._ended_s[lease.id] = now_s()
            except PilothouseError:
                continue

    async def _command(self, lease: Any) -> None:
        lots = self.lots
        until_s = now_s() + lots.random() * 1.5
        while now_s() < until_s:
            self._numbers += 1
            number = self._numbers
            self._of[number] = lease.id
            command = lots.choice(
                (
                    MoveJoints((lots.random(), 0.2, 0.0, -2.0, 0.0, 1.5, 0.8), 0.2),
                    TrackTwist((0.05, 0.0, 0.0, 0.0, 0.0, 0.0)),
                    Hold(),
                )
            )
            for _ in range(lots.randrange(1, 6)):
                try:
                    lease.send(encode_motion(Wanted(number, command)))
                except LeaseError:
                    return
                await asyncio.sleep(0.05)

    async def trouble(self) -> None:
        """Reflexes, recoveries, emergency stops, lost worlds, lost messages."""
        lots, world = self.lots, self.world
        token = 0
        while True:
            await asyncio.sleep(0.2 + lots.random())
            match lots.randrange(6):
                case 0 if world.controls is not None:
                    world.control(lots.choice(DEVICES)).fail(FailMode.REFLEX, now_s())
                case 1 | 2:
                    for device in DEVICES:
                        await self._recover(device)
                case 3:
                    token += 1
                    world.stop = MotionStop(emergency=True, reason="chance", token=token)
                    await asyncio.sleep(lots.random() * 0.5)
                    world.stop = MotionStop(token=token)
                case 4:
                    self.stage.network.kind = lots.choice(("", "late message", "reordered message"))
                case 5 if lots.random() < 0.3 and world.controls is not None and not world.stands_still:
                    world.die()

    async def _recover(self, device: str) -> None:
        (client,) = await self.stage.come(1)
        client.ask(Recovery(device))
        await client.answer()
        await client.leave()

    async def check(self) -> None:
        """At each tick of the loops."""
        while True:
            await asyncio.sleep(0.01)
            if self.world.controls is None or self.world.stands_still:
                continue
            for device in DEVICES:
                number = self.world.state(device).following
                if not number:
                    continue
                self.followed += 1
                lease = self._of[number]
                holders = [each for each, held in self._holding.items() if held == device]
                if holders:
                    assert holders == [lease], f"{device} follows {lease}, but {holders} have it"
                else:
                    late_s = now_s() - self._ended_s[lease]
                    assert late_s <= GRACE_S, f"{device} follows a holder that left {late_s:.3f} s ago"
            movers = [self.manager._motions.of(device) for device in DEVICES]
            leases = [mover.lease for mover in movers if mover is not None and mover.lease]
            assert len(set(leases)) == len(leases)


def life(play: Play, seed: int, seconds: float) -> None:
    async def scene(stage: Stage) -> None:
        lots = random.Random(seed)
        world = PlayedWorld(stage)
        crowd = Crowd(stage, world, await world.open(), lots)
        await asking(stage, ArmState(), exclusive=False)
        people = [client.registrar for client in await stage.come(4)]
        tasks = [asyncio.create_task(crowd.somebody(each)) for each in people]
        tasks += [asyncio.create_task(crowd.trouble()), asyncio.create_task(crowd.check())]
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for task in done:
            task.result()
        assert crowd.grants > seconds / 3 and crowd.followed > 10 * seconds, "nothing was tried"
        stage.network.kind = ""
        world.stop = MotionStop()
        await asyncio.sleep(3)
        for device in () if world.stands_still else DEVICES:  # one that died last moves nothing
            assert world.state(device).following == 0 and world.state(device).is_at_rest
        world.end()

    play(scene)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_moves_but_for_its_holder(play: Play, seed: int) -> None:
    life(play, seed, 12.0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 130))
def test_nothing_moves_but_for_its_holder_for_long(play: Play, seed: int) -> None:
    life(play, seed, 120.0)
