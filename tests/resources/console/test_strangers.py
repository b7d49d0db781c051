"""Whoever connects to the console without being anybody: silent, slow, too many, or speaking no http."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest

from resources.console import server as console_server
from resources.console.server import ConsoleServer
from resources.web import connections
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.console.serving import BEARER, next_of, page, serve

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def strangers(server: ConsoleServer, count: int) -> AsyncIterator[list[Pair]]:
    """Connections that say nothing."""
    found: list[Pair] = []
    try:
        for _ in range(count):
            found.append(await asyncio.open_connection("127.0.0.1", server.port))
        yield found
    finally:
        for _, writer in found:
            writer.transport.abort()
        await asyncio.sleep(0.01)  # their sockets close


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the other side has ended it, or does so now."""
    with suppress(ConnectionError):
        return await reader.read() == b""
    return True


def test_who_asks_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "FIRST_REQUEST_S", 0.05)

    async def scenario(server: ConsoleServer, _: ScriptedBackend, _client: aiohttp.ClientSession) -> None:
        async with asyncio.timeout(5.0), strangers(server, 2) as (silent, slow):
            slow[1].write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-One: ")
            assert await ended(silent[0])
            assert await ended(slow[0])

    serve(scenario)


def test_strangers_are_few_and_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_server, "MOST_CONNECTIONS", 8)

    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await next_of(socket_, "hello")
            async with asyncio.timeout(5.0), strangers(server, 20) as pairs:
                assert all([await ended(reader) for reader, _writer in pairs[:12]])
                async with client.get("/api/status", headers=BEARER) as answer:
                    assert answer.status < 400
                await socket_.send_json({"type": "restore", "id": "1", "device": "front_camera"})
                assert (await next_of(socket_, "reply"))["ok"]

    serve(scenario)


def test_what_is_no_request_is_refused_and_not_written_down(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def scenario(server: ConsoleServer, _: ScriptedBackend, _client: aiohttp.ClientSession) -> None:
        async with strangers(server, 1) as ((reader, writer),):
            writer.write(b"GET /\x00#token=of-somebody HTTP/9.9\r\nX: \x00\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.0 400")

    serve(scenario)
    assert not [record for record in caplog.records if record.name.startswith("aiohttp")]
    assert "of-somebody" not in caplog.text
