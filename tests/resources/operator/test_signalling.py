"""A page's WebSocket: what it is offered; how a session is taken over, ended, forgotten and come back to."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import aiohttp
import pytest

from framework.transport.ring import RingReader
from resources.operator.bad_messages import MOST_INVALID
from resources.operator.entrance import BUSY, NOT_PAIRED
from resources.operator.operators import KICKED, LEAVES_WITHIN_S
from resources.operator.orders import SeatOf, Shown
from resources.operator.present import WHY_OVER_S
from resources.operator.protocol import (
    Health,
    Said,
    ScenePart,
    Welcome,
)
from resources.operator.sessions import FORGOTTEN_S
from resources.types.operator_client import Seat, SeatOrder
from resources.web.sign_in import MOST_WAITING
from tests.resources.operator.serving import (
    Harness,
    connected,
    next_of,
    serve,
    signed_in,
    until,
    words_of,
)

Client = aiohttp.ClientSession


FIRST = [
    "",
    "null",
    "[" * 500,
    '{"type": "sign_in"}',
    '{"type": "sign_in", "secret": ""}',
    '{"type": "sign_in", "secret": 5}',
    '{"type": "sign_in", "secret": "x", "more": 1}',
    '{"type": "answer", "link": "control", "sdp": "v=0"}',
    '{"type": "sign_in", "secret": "' + "x" * 2000 + '"}',
    b"x",
]


@pytest.mark.parametrize("path", ["/link", "/ws"])
@pytest.mark.parametrize("first", FIRST)
def test_who_does_not_sign_in_first_is_told_nothing(tmp_path: Path, path: str, first: str | bytes) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        async with client.ws_connect(path, headers=harness.origin) as socket:
            await (socket.send_bytes(first) if isinstance(first, bytes) else socket.send_str(first))
            assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert harness.links == []

    serve(scenario, tmp_path)


@pytest.mark.parametrize("path", ["/link", "/ws"])
def test_who_says_nothing_is_closed_soon_and_keeps_nobody_out(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resources.web.sign_in.WITHIN_S", 1.0)

    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        silent = [await client.ws_connect(path, headers=harness.origin) for _ in range(MOST_WAITING)]
        page, _ = await connected(harness, client)
        for socket in silent:  # the oldest at once, for the page's sake
            assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        await page.close()

    serve(scenario, tmp_path)


def test_a_secret_opens_no_link_in_a_header_a_cookie_or_to_another_page(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        paired = await harness.pair(client)
        async with client.get("/link") as answer:
            assert answer.status == 401, "no page of ours"
        cookie = {"Cookie": f"pilothouse_operator_{harness.server.port}={paired['secret']}"}
        async with client.ws_connect("/link", headers={**harness.origin, **cookie}) as socket:
            await socket.send_json({"type": "sign_in", "secret": "guessed"})
            refused = await next_of(socket, "refused")
            assert (refused["words"], refused["way_in"]) == (NOT_PAIRED, "code")
        assert harness.links == []

    serve(scenario, tmp_path)


def test_a_page_is_offered_two_connections_and_told_everything(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        paired = await harness.pair(client, name="Anna")
        socket, link = await connected(harness, client)
        await socket.send_json({"type": "answer", "link": "control", "sdp": "v=0"})
        await socket.send_json({"type": "candidate", "link": "media", "candidate": ""})
        await until(lambda: len(link.signals) == 2)
        assert isinstance(link.told[0], Welcome)
        assert link.told[0].session == paired["session"]
        assert [type(words) for words in link.told[:3]] == [Welcome, ScenePart, Health]
        assert link.shown == [Shown()]
        assert link.seats == [(SeatOrder(Seat.WATCHING), "")]
        (line,) = harness.operators.lines()
        assert (line.name, line.alive, line.driving) == ("phone 1 (Anna)", True, False)
        assert len(line.hands) == 2
        for hand in line.hands:
            RingReader(Path(hand.stream.ring)).close()
        await socket.close()
        assert link.is_alive, "the link does not need this connection any more"

    serve(scenario, tmp_path)


def test_a_page_loaded_anew_takes_the_session_over_and_the_old_one_stays_away(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        old_socket, old = await connected(harness, client)
        harness.operators.seat_of(SeatOf(harness.operators.lines()[0].name, SeatOrder(Seat.READY), "phone 1"))
        socket, link = await connected(harness, client)
        refused = await next_of(old_socket, "refused")
        assert "another window" in refused["words"] and refused["way_in"] == "here"
        assert (await old_socket.receive()).type is aiohttp.WSMsgType.CLOSE
        old.die("the connection was closed by the page")
        await until(lambda: bool(old.closed_with))
        assert link.rings is old.rings
        assert link.seats == [(SeatOrder(Seat.READY), "phone 1")]
        assert len(harness.operators.lines()) == 1
        await socket.close()

    serve(scenario, tmp_path)


def test_a_page_whose_link_ended_is_let_go_to_come_back(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, link = await connected(harness, client)
        link.die()
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert harness.operators.lines()[0].alive is False
        assert harness.operators.lines()[0].words == "nothing was heard for 2 s"
        harness.operators.look()
        harness.ahead_s += WHY_OVER_S + 0.1
        changes = harness.changes
        harness.operators.look()
        assert harness.operators.lines()[0].words == "" and harness.changes > changes
        again, _ = await connected(harness, client)
        assert harness.operators.lines()[0].alive
        await again.close()

    serve(scenario, tmp_path)


def test_who_is_kicked_while_driving_moves_nothing_from_then_on_and_pairs_anew(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        paired = await harness.pair(client)
        socket, link = await connected(harness, client)
        harness.operators.seat_of(SeatOf(paired["session"], SeatOrder(Seat.READY), "phone 1"))
        ring = RingReader(Path(harness.operators.lines()[0].hands[0].stream.ring))
        assert harness.operators.kick("phone 1", "")
        assert ring.closed, "at once: not when the page has heard of it"
        ring.close()
        refused = await next_of(socket, "refused")
        assert (refused["words"], refused["way_in"]) == (KICKED, "code")
        harness.operators.look()
        assert link.closed_with == [], "a page whose link is cut before it has heard this would come back"
        harness.ahead_s += LEAVES_WITHIN_S
        harness.operators.look()
        await until(lambda: link.closed_with == [KICKED])
        assert harness.operators.lines() == ()
        # Also one who was not there when it was said.
        async with client.get("/pair", headers=harness.origin) as answer:
            assert (answer.status, await words_of(answer)) == (401, KICKED)
        async with await signed_in(harness, client) as again:
            assert (await next_of(again, "refused"))["words"] == KICKED
        assert not harness.operators.kick("phone 1", "")
        link.page_says(Said("a", "x"))  # what was still on its way harms nothing

    serve(scenario, tmp_path)


def test_who_is_kicked_while_away_does_not_come_back_by_its_secret(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        harness.ahead_s += FORGOTTEN_S + 1.0
        harness.operators.look()
        assert harness.operators.lines() == ()
        assert harness.operators.kick("phone 1", "")
        async with client.get("/pair") as answer:
            assert answer.status == 401
        assert not harness.operators.kick("phone 1", "")

    serve(scenario, tmp_path)


def test_the_dead_are_forgotten_and_come_back_as_somebody_new(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        paired = await harness.pair(client)
        socket, link = await connected(harness, client)
        harness.operators.look()
        link.die()
        harness.ahead_s += FORGOTTEN_S - 1.0
        harness.operators.look()
        assert len(harness.operators.lines()) == 1
        harness.ahead_s += 1.5
        harness.operators.look()
        assert harness.operators.lines() == ()
        async with client.get("/pair") as answer:
            back = await answer.json()
        assert back["name"] == paired["name"]
        assert back["session"] != paired["session"]
        await socket.close()

    serve(scenario, tmp_path)


def test_garbage_on_the_signalling_ends_it_and_a_page_that_floods_is_let_go(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, link = await connected(harness, client)
        for number in range(MOST_INVALID):
            garbage = ["", "[]", '{"type": "offer"}', '{"type": "answer", "link": "other", "sdp": ""}']
            await socket.send_str(garbage[number % len(garbage)])
        refused = await next_of(socket, "refused")
        assert "made no sense" in refused["words"] and refused["way_in"] == "again"
        assert link.signals == []
        other, _ = await connected(harness, client)
        for _ in range(200):
            await other.send_json({"type": "candidate", "link": "media", "candidate": "x" * 400})
        assert "made no sense" in (await next_of(other, "refused"))["words"]

    serve(scenario, tmp_path)


def test_an_enormous_message_ends_the_connection_and_nothing_else(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, link = await connected(harness, client)
        await socket.send_str("x" * 400_000)
        assert (await socket.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
        assert link.is_alive

    serve(scenario, tmp_path)


def test_connections_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.operator.entrance.MOST_SOCKETS", 1)

    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, _ = await connected(harness, client)
        async with client.get("/link", headers=harness.origin) as answer:
            assert answer.status == 503
            assert await words_of(answer) == BUSY
        await socket.close()
        again, _ = await connected(harness, client)
        await again.close()

    serve(scenario, tmp_path)


def test_those_who_come_and_go_leave_nothing(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        async def comes_and_goes(number: int) -> None:
            client.headers.clear()
            paired = await harness.pair(client)
            socket, link = await connected(harness, client)
            if number % 3 == 0:
                await socket.close()
            harness.operators.kick(paired["session"], "")
            link.die("the connection was closed by the page")
            await until(lambda: bool(link.closed_with))
            await socket.close()
            harness.ahead_s += 10.0

        harness.operators.speak("of this run")  # nobody answers there: it is tried again and again
        async with client.get("/pair"):
            tasks, files = len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))
        for number in range(40):
            await comes_and_goes(number)
        await until(lambda: len(asyncio.all_tasks()) <= tasks)
        await until(lambda: len(os.listdir("/proc/self/fd")) <= files)
        assert [name for name in os.listdir(harness.directory) if name.startswith("hand_")] == []

    serve(scenario, tmp_path)
