"""Connections that cost something before anybody knows whose they are: half-open, silent, slow, too many."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest

from resources.operator import entrance
from resources.web import connections
from resources.web.certificate import FILE_NAME
from resources.web.connections import MOST_OF_ONE_ADDRESS
from tests.resources.operator.serving import Harness, connected, next_of, serve, signed_in, until

Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def strangers(harness: Harness, count: int) -> AsyncIterator[list[Pair]]:
    """Connections that say nothing."""
    host, found = harness.server.places.sites[-1].host, []
    try:
        for _ in range(count):
            found.append(await asyncio.open_connection(host, harness.server.port))
        yield found
    finally:
        for _, writer in found:
            writer.transport.abort()
        await asyncio.sleep(0.01)  # their sockets close


async def ended(pair: Pair) -> bool:
    """Whether the other side has ended it, or does so now."""
    with suppress(ConnectionError):
        return await pair[0].read() == b""
    return True


async def is_gone(pair: Pair) -> bool:
    """Whether the other side has ended it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(0.001):
            return await ended(pair)
    return False


def test_silent_connections_are_few_and_keep_nobody_out(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        async with strangers(harness, 3 * MOST_OF_ONE_ADDRESS) as pairs:
            gone = [await is_gone(pair) for pair in pairs]
            assert sum(gone) >= 2 * MOST_OF_ONE_ADDRESS
            await harness.pair(client)
            async with client.get("/pair") as answer:
                assert answer.status == 200

    serve(scenario, tmp_path)


def test_who_asks_nothing_is_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "FIRST_REQUEST_S", 0.05)

    async def scenario(harness: Harness, _: aiohttp.ClientSession) -> None:
        async with strangers(harness, 2) as (silent, slow):
            slow[1].write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-One: ")
            assert await ended(silent)
            assert await ended(slow)

    serve(scenario, tmp_path)


def test_a_body_that_does_not_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "BODY_WITHIN_S", 0.05)

    async def scenario(harness: Harness, _: aiohttp.ClientSession) -> None:
        async with strangers(harness, 1) as ((reader, writer),):
            host = f"127.0.0.1:{harness.server.port}"
            writer.write(f"POST /pair HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n{{".encode())
            assert b"408" in await reader.readline()

    serve(scenario, tmp_path)


def test_who_is_known_is_not_sent_away_for_strangers(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        await harness.pair(client)
        signalling, link = await connected(harness, client)
        async with strangers(harness, 2 * MOST_OF_ONE_ADDRESS):
            await until(lambda: len(harness.server._guests) <= MOST_OF_ONE_ADDRESS)
            assert not signalling.closed
            assert link.is_alive
            async with client.get("/pair") as answer:
                assert answer.status == 200

    serve(scenario, tmp_path)


def test_handshakes_that_do_not_end_are_few_and_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HANDSHAKE_S", 0.3)
    with socket.create_server(("127.0.0.3", 0)) as free:
        port = free.getsockname()[1]

    async def scenario(harness: Harness, _client: aiohttp.ClientSession) -> None:
        trusted = ssl.create_default_context(cafile=str(tmp_path / FILE_NAME))
        trusted.check_hostname = False
        async with (
            strangers(harness, 2 * MOST_OF_ONE_ADDRESS) as pairs,
            strangers(harness, 1) as ((_, confused),),
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as client,
        ):
            for _, writer in pairs[::2]:
                writer.write(b"\x16\x03\x01\x02\x00\x01")  # as a greeting begins
            confused.write(b"GET / HTTP/1.1\r\n\r\n")
            asked = {"Host": f"127.3:{port}"}
            async with client.get(f"https://127.0.0.3:{port}/pair", headers=asked) as answer:
                assert answer.status == 401
            await until(lambda: len(harness.server._guests) <= 1)  # the client's own, at most

    serve(scenario, tmp_path, host="127.3", port=port)


def test_wrong_tries_of_one_address_keep_no_other_out(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        for _ in range(30):
            async with client.post("/pair", json={"token": "guess", "kind": "phone"}) as answer:
                assert answer.status == 403
        connector = aiohttp.TCPConnector(local_addr=("127.0.0.9", 0))
        async with aiohttp.ClientSession(harness.server.address, connector=connector) as other:
            wish = {"token": harness.open(), "kind": "phone"}
            async with other.post("/pair", json=wish) as answer:
                assert answer.status == 200

    serve(scenario, tmp_path)


def test_a_page_that_connects_without_end_is_refused(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        await harness.pair(client)
        for _ in range(round(entrance.LINKS_AT_ONCE)):
            async with await signed_in(harness, client) as socket:
                await next_of(socket, "offer")
        async with await signed_in(harness, client) as socket:
            frame = await socket.receive()
            assert (frame.data, frame.extra) == (aiohttp.WSCloseCode.TRY_AGAIN_LATER, entrance.TOO_MANY_LINKS)
        assert len(harness.links) == round(entrance.LINKS_AT_ONCE)
        harness.ahead_s = 5.0
        async with await signed_in(harness, client) as socket:
            await next_of(socket, "offer")

    serve(scenario, tmp_path)


BROKEN = (
    "GET /ws?token={secret} HTTP/9.9\r\n\r\n",
    "GET /ws?token={secret} HTTP/1.1\r\nHost: a\r\n bad {secret}\r\n\r\n",
    "POST /pair HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n{secret}\r\n",
    "POST /pair HTTP/1.1\r\nHost: {host}\r\nCookie: a={secret}\r\nContent-Length: x\r\n\r\n",
)


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_no_request_is_not_logged(
    tmp_path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Anybody could fill the log with it, and what stands there may be a secret."""

    async def scenario(harness: Harness, _: aiohttp.ClientSession) -> None:
        async with strangers(harness, 1) as ((reader, writer),):
            host = f"127.0.0.1:{harness.server.port}"
            writer.write(broken.format(secret="s3cret", host=host).encode())
            assert b"400" in await reader.readline()

    serve(scenario, tmp_path)
    assert caplog.text == ""


def test_a_code_in_the_address_is_not_used_up_by_what_is_no_websocket(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        token = harness.open()
        async with client.get(f"/ws?token={token}") as answer:
            assert answer.status == 426
        async with client.ws_connect(f"/ws?token={token}"):
            assert len(harness.operators.lines()) == 1

    serve(scenario, tmp_path)


def test_the_end_does_not_wait_for_who_shakes_hands(tmp_path: Path) -> None:
    async def scenario(harness: Harness, _: aiohttp.ClientSession) -> None:
        async with strangers(harness, 3) as pairs, asyncio.timeout(3.0):
            await harness.server.__aexit__(None, None, None)
            assert all([await ended(pair) for pair in pairs])

    serve(scenario, tmp_path, host="127.3")
