"""A real HTTP server on loopback that misbehaves as it is told."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Served:
    """A server that runs: its address, and the bodies that it was sent."""

    def __init__(self) -> None:
        self.address = ""
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.hung_up = asyncio.Event()


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Served]:
    """Answers every POST to /v1/chat/completions with the handler's response."""
    served = Served()

    async def handle(request: web.Request) -> web.StreamResponse:
        served.bodies.append(await request.json())
        served.headers.append(dict(request.headers))
        try:
            return await handler(request)
        except (asyncio.CancelledError, ConnectionResetError):
            served.hung_up.set()
            raise

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    served.address = f"http://127.0.0.1:{port}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()


def completion(content: str | None, **more: Any) -> dict[str, Any]:
    """What a well-behaved server sends around a model's message."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        **more,
        "message": {"role": "assistant", "content": content},
    }
    return {"id": "1", "object": "chat.completion", "choices": [choice]}


def says(content: Any) -> Handler:
    """The model says this; what is no text is said as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(completion(text))

    return handler


def sends(body: bytes, status: int = 200, **headers: str) -> Handler:
    """The server sends just these bytes."""

    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=body, status=status, headers=headers, content_type="application/json")

    return handler


async def hangs(request: web.Request) -> web.StreamResponse:
    """Never answers."""
    await asyncio.Event().wait()
    raise AssertionError


async def drips(request: web.Request) -> web.StreamResponse:
    """Begins an answer and never ends it."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"choices": [')
    await asyncio.Event().wait()
    return response


async def swells(request: web.Request) -> web.StreamResponse:
    """Few bytes that unpack to fifty million."""
    body = gzip.compress(b" " * 50_000_000, 1)
    return web.Response(body=body, headers={"Content-Encoding": "gzip"}, content_type="application/json")


async def floods(request: web.Request) -> web.StreamResponse:
    """Sends without end, as fast as it can."""
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" " * 65_536)


async def breaks_off(request: web.Request) -> web.StreamResponse:
    """Closes the connection in the middle of the answer."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response
