"""How the tests of actions are played: on the virtual clock, with nothing left at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np

import pilothouse as ph
from framework.testing.pytest_plugin import VirtualRunner
from tests.actions.fake_robot import FakeRobot

_R = TypeVar("_R", bound=FakeRobot)


def on_robot(directory: Path, play: Callable[[FakeRobot], Awaitable[None]]) -> None:
    on(FakeRobot(directory), play)


def on(made: _R, play: Callable[[_R], Awaitable[None]]) -> None:
    async def scene() -> None:
        async with made as robot:
            await play(robot)
            await asyncio.sleep(1.0)
            assert robot.is_idle

    VirtualRunner(seed=0)(scene)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60.0):
        while not condition():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def hand_at(
    directory: Path, place: ph.Pose7 | None, sensor: ph.Pose7 | None = None
) -> AsyncIterator[None]:
    """The hand's stream of poses at 20 Hz: here, or nowhere."""
    meta = ph.encode_meta(ph.SampleMeta(world_T_sensor=sensor))
    loop = asyncio.get_running_loop()

    async def write(ring: ph.RingWriter) -> None:
        while True:
            poses = np.array([place] if place is not None else [], np.float32).reshape(-1, 7)
            ring.write(poses, stamp_s=loop.time(), meta=meta)
            await asyncio.sleep(0.05)

    with ph.RingWriter(directory, "hand", slot_bytes=1024) as ring:
        writing = asyncio.create_task(write(ring))
        try:
            yield
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
