"""A console under test: a scripted installation, its server, and the rings that a sensor would write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import numpy as np
from playwright.async_api import Browser

from framework.transport.ring import RingWriter
from resources.console.backend import RingFeed
from resources.console.server import ConsoleServer
from resources.types.streams import StreamFormat
from resources.web.samples import EncodedMeta
from tests.resources.console.scripted import SCENE_POSES, ScriptedBackend

TOKEN = "the-token-of-this-run"
MAGENTA = (255, 0, 255)


class Desk:
    """A console under test: the backend, its server, and rings that a sensor would write."""

    def __init__(self, folder: Path) -> None:
        self.backend = ScriptedBackend()
        self.poses = RingWriter(folder, "poses", slot_bytes=1000)
        self.view = RingWriter(folder, "view", slot_bytes=1_000_000)
        self.backend.feeds_ = {
            "scene": RingFeed(self.poses.path, StreamFormat.POSES, 20.0),
            "v1": RingFeed(self.view.path, StreamFormat.VIEW),
        }
        self.server = ConsoleServer(self.backend, port=0, token=TOKEN)
        self.put_bodies()

    def put_bodies(self) -> None:
        """The scene's bodies where they are."""
        self.poses.write(np.array(SCENE_POSES, np.float32), stamp_s=_now())

    def put_cloud(self, picture: bytes = b"") -> None:
        """A magenta wall of points in front of the robot."""
        side = np.linspace(-0.8, 0.8, 120)
        points = np.zeros((120 * 120, 4), np.float32)
        points[:, 0] = 1.6
        points[:, 1:3] = np.stack(np.meshgrid(side, side + 1.0), -1).reshape(-1, 2)
        points.view(np.uint8).reshape(-1, 16)[:, 12:] = (*MAGENTA, 255)
        meta = msgspec.msgpack.encode(EncodedMeta(len(points), len(picture)))
        self.view.write(points.tobytes() + picture, stamp_s=_now(), meta=meta)

    def close(self) -> None:
        self.poses.close()
        self.view.close()


def _now() -> float:
    return asyncio.get_running_loop().time()


Scenario = Callable[[Desk, Browser], Awaitable[None]]


@asynccontextmanager
async def desk_in(folder: Path) -> AsyncIterator[Desk]:
    desk = Desk(folder)
    try:
        async with desk.server:
            yield desk
    finally:
        desk.close()


class Driver:
    """One loop and one browser for all tests of this file; each gets windows and a server of its own."""

    def __init__(self, runner: asyncio.Runner, browser: Browser) -> None:
        self.runner = runner
        self.browser = browser

    def __call__(self, folder: Path, scenario: Scenario) -> None:
        """Run a scenario with a fresh server."""

        async def whole() -> None:
            async with asyncio.timeout(240), desk_in(folder) as desk:
                await scenario(desk, self.browser)

        self.runner.run(whole())
