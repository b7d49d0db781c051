"""Actions that several tests of the runner run: some look, one holds both arms."""

from __future__ import annotations

import asyncio

import msgspec

from framework.plugins import Action, needs
from tests.framework.plugins.stage import Arm, Screen, Sensor


class Watch(Action):
    """Looks through the best sensor there is."""

    continuous = True
    feed = needs(Sensor("good"), Sensor("fair"), Sensor("poor"))

    async def run(self) -> None:
        await self.stay(f"watching with {self.feed.device}")


class Look(Action):
    """Looks once, for a second."""

    feed = needs(Sensor("good"), Sensor("fair"))

    async def run(self) -> str:
        await asyncio.sleep(1.0)
        return str(self.feed.device)


class Show(Action):
    """Shows what the best sensor sees."""

    continuous = True
    feed = needs(Sensor("good"), Sensor("fair"))

    async def run(self) -> None:
        async with self.use(Screen(self.feed.device)):
            await self.stay(f"showing {self.feed.device}")


class Progress(msgspec.Struct):
    runs: int = 0


class Hold(Action):
    """Holds both arms."""

    memory: Progress
    left = needs(Arm("left"), exclusive=True)
    right = needs(Arm("right"), exclusive=True)

    async def run(self) -> int:
        self.memory.runs += 1
        await asyncio.sleep(10.0)
        assert self.left.lease.is_open and self.right.lease.is_open
        return int(self.memory.runs)
