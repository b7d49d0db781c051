"""A console's server on a free port with a scripted installation behind it, and a page that reads it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from framework.loop_lag import LoopLag
from resources.console.server import ConsoleServer
from tests.resources.console.scripted import ScriptedBackend

TOKEN = "the-token-of-this-run"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
Scenario = Callable[[ConsoleServer, ScriptedBackend, aiohttp.ClientSession], Awaitable[None]]


def serve(scenario: Scenario, lag: LoopLag | None = None) -> None:
    """Run a scenario against a fresh server on a free port. lag: of the loop, as far as the server knows."""

    async def whole() -> None:
        backend = ScriptedBackend()
        async with (
            asyncio.timeout(120),
            ConsoleServer(backend, port=0, token=TOKEN, lag=lag) as server,
            aiohttp.ClientSession(server.address) as client,
        ):
            await scenario(server, backend, client)

    asyncio.run(whole())


@asynccontextmanager
async def page(
    client: aiohttp.ClientSession, key: str = ""
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A connected page, before it has read anything."""
    path = f"/ws?page={key}" if key else "/ws"
    async with client.ws_connect(path, headers=BEARER, max_msg_size=0) as socket_:
        yield socket_


async def next_of(socket_: aiohttp.ClientWebSocketResponse, kind: str) -> dict[str, Any]:
    """The next text message of this type; what comes before is passed over."""
    while True:
        frame = await socket_.receive()
        assert frame.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), frame
        if frame.type is aiohttp.WSMsgType.TEXT:
            message: dict[str, Any] = json.loads(frame.data)
            if message["type"] == kind:
                return message
