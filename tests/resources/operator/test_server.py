"""The operator's server over real sockets: who gets in, who does not, and what becomes of a session."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from framework.errors import InstallationError, StreamError
from framework.transport.ring import RingReader
from resources.operator.addresses import Addresses
from resources.operator.certificate import FILE_NAME
from resources.operator.entrance import BUSY, FULL, NO_COOKIE, TOO_MANY_TRIES, TRIES_AT_ONCE
from resources.operator.operators import KICKED, NOT_YET
from resources.operator.orders import SeatOf, Shown
from resources.operator.pairing import MOST_TRIES, PAIRING_S, Attempt
from resources.operator.places import Places
from resources.operator.present import WHY_OVER_S
from resources.operator.protocol import (
    Done,
    Health,
    PointAt,
    Said,
    ScenePart,
    StopNow,
    Tracking,
    Welcome,
)
from resources.operator.server import MOST_BODY_BYTES, REQUESTS_AT_ONCE
from resources.operator.sessions import FORGOTTEN_S, MOST_SESSIONS
from resources.operator.signalling import MOST_INVALID
from resources.types.operator_client import Seat, SeatOrder
from tests.resources.operator.serving import House, Scenario, browser, connected, next_of, serve, until

Client = aiohttp.ClientSession


async def words_of(answer: aiohttp.ClientResponse) -> str:
    message = await answer.json()
    assert message["type"] == "refused"
    return str(message["words"])


# ---------------------------------------------------------------- who gets in


@pytest.mark.parametrize("path", ["/", "/pair", "/link", "/ws", "/nothing"])
def test_a_name_that_is_not_ours_and_a_page_of_another_site_get_nothing(tmp_path: Path, path: str) -> None:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        async with client.get(path, headers={"Host": f"evil.example:{house.server.port}"}) as answer:
            assert answer.status == 421
            assert "evil.example" not in str(answer.headers)
        async with client.get(path, headers={"Origin": "http://evil.example"}) as answer:
            assert answer.status == 403
        assert house.links == []

    serve(scenario, tmp_path)


def test_the_code_lets_one_device_in_and_gives_it_a_cookie_that_scripts_cannot_read(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        token = house.open()
        url = house.server.pairing().url
        assert url == f"{house.server.address}#token={token}"
        wish = {"token": token, "kind": "phone", "name": "Anna"}
        async with client.post("/pair", json=wish, headers=house.origin) as answer:
            assert answer.status == 200
            paired = await answer.json()
            cookie = answer.headers["Set-Cookie"]
        assert paired["name"] == "phone 1 (Anna)"
        assert paired["certificate"] == ""
        assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        assert house.server.pairing().url == ""
        async with client.get("/pair") as answer:
            assert (await answer.json()) == paired
        async with browser(house) as second:
            async with second.post("/pair", json=wish) as answer:
                assert answer.status == 403
                assert await words_of(answer) == Attempt.USED.value
            async with second.get("/pair") as answer:
                assert answer.status == 401
                assert await words_of(answer) == NO_COOKIE

    serve(scenario, tmp_path)


def test_guessing_voids_the_code_and_is_said_on_the_console(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        token = house.open()
        said = []
        for number in range(MOST_TRIES):
            async with client.post("/pair", json={"token": f"guess{number}", "kind": "phone"}) as answer:
                assert answer.status == 403
                said.append(await words_of(answer))
        assert said == [Attempt.WRONG.value] * (MOST_TRIES - 1) + [Attempt.VOID.value]
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert await words_of(answer) == Attempt.VOID.value
        assert house.reports == ["a code was tried wrongly too often, last from 127.0.0.1: it is void"]
        assert house.server.pairing().url == ""
        assert house.operators.lines() == ()

    serve(scenario, tmp_path)


def test_a_code_expires(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        token = house.open()
        house.ahead_s += PAIRING_S + 1.0
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert answer.status == 403
            assert await words_of(answer) == Attempt.EXPIRED.value

    serve(scenario, tmp_path)


def test_tries_are_limited_even_while_no_code_is_open(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        said = set()
        for _ in range(int(TRIES_AT_ONCE) + 5):
            async with client.post("/pair", json={"token": "guess", "kind": "phone"}) as answer:
                assert answer.status == 403
                said.add(await words_of(answer))
        assert said == {Attempt.NONE_OPEN.value, TOO_MANY_TRIES}

    serve(scenario, tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"{}",
        b"[" * 2000,
        b'{"token": 1, "kind": "phone"}',
        b'{"token": "x", "kind": "robot"}',
        b'{"token": "x", "kind": "phone", "more": 1}',
        b'{"type": "said", "token": "x", "kind": "phone"}',
        b"\xff\xfe",
        b'{"token": "' + b"x" * 201 + b'", "kind": "phone"}',
    ],
)
def test_what_is_no_pairing_gets_words_and_costs_no_try(tmp_path: Path, body: bytes) -> None:
    async def scenario(house: House, client: Client) -> None:
        house.open()
        async with client.post("/pair", data=body) as answer:
            assert answer.status == 400
            assert "not understood" in await words_of(answer)
        assert house.desk.tries_left == MOST_TRIES

    serve(scenario, tmp_path)


def test_too_much_at_once_is_refused(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        async with client.post("/pair", data=b"x" * (MOST_BODY_BYTES + 1)) as answer:
            assert answer.status == 413
        statuses = []
        for _ in range(int(REQUESTS_AT_ONCE) + 50):
            async with client.get("/pair") as answer:
                statuses.append(answer.status)
        assert set(statuses) == {401, 429}

    serve(scenario, tmp_path)


def test_the_desk_gets_in_with_the_installation_s_token_and_a_phone_does_not(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        async with client.post("/pair", json={"token": "", "kind": "desk"}) as answer:
            assert answer.status == 403, "before there is one, nothing is it"
        house.server.entrance.installation_token = "of this run"
        async with client.post("/pair", json={"token": "of this run", "kind": "phone"}) as answer:
            assert answer.status == 403
        async with client.post("/pair", json={"token": "of this run", "kind": "desk"}) as answer:
            assert (await answer.json())["name"] == "desk 1"
        async with client.post("/pair", json={"token": "of this run", "kind": "desk"}) as answer:
            assert (await answer.json())["name"] == "desk 1", "it is here already"
        assert len(house.operators.lines()) == 1

    serve(scenario, tmp_path)


def test_a_full_house_says_so_and_keeps_the_code(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        for _ in range(MOST_SESSIONS):
            client.cookie_jar.clear()
            await house.pair(client)
        client.cookie_jar.clear()
        token = house.open()
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert answer.status == 503
            assert await words_of(answer) == FULL
        assert house.desk.token == token
        async with client.get("/ws", params={"token": token}) as answer:
            assert await words_of(answer) == FULL

    serve(scenario, tmp_path)


def test_without_shared_memory_nobody_is_let_in_and_words_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StreamError("/dev/shm is full")

    async def scenario(house: House, client: Client) -> None:
        monkeypatch.setattr("resources.operator.operators.HandRings", full)
        async with client.post("/pair", json={"token": house.open(), "kind": "phone"}) as answer:
            assert answer.status == 503
            assert await words_of(answer) == "/dev/shm is full"
        assert house.operators.lines() == ()

    serve(scenario, tmp_path)


# ---------------------------------------------------------------- the page


def test_the_page_is_served_with_its_headers_and_nothing_beside_it(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "operator.html").write_text("<p>the operator's")
    (dist / "assets" / "a.js").write_text("1")
    (tmp_path / "secret").write_text("x")

    async def scenario(house: House, client: Client) -> None:
        async with client.get("/") as answer:
            assert (await answer.text()) == "<p>the operator's"
            assert "xr-spatial-tracking=(self)" in answer.headers["Permissions-Policy"]
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with client.get("/assets/a.js") as answer:
            assert answer.status == 200
        for path in ("/secret", "/../secret", "/%2e%2e/secret", "/assets/", "/spes/"):
            async with client.get(path) as answer:
                assert answer.status == 404

    serve(scenario, tmp_path, dist=dist)


def test_a_page_that_was_not_built_says_so(tmp_path: Path) -> None:
    async def scenario(_: House, client: Client) -> None:
        async with client.get("/") as answer:
            assert "make page" in await answer.text()

    serve(scenario, tmp_path, dist=tmp_path)


# ---------------------------------------------------------------- links


@pytest.mark.parametrize("headers", [{}, {"Origin": "own"}])
def test_without_a_cookie_there_is_no_link(tmp_path: Path, headers: dict[str, str]) -> None:
    async def scenario(house: House, client: Client) -> None:
        own = house.origin if headers else {}
        for cookie in ({}, {"Cookie": f"pilothouse_operator_{house.server.port}=guessed"}):
            async with client.get("/link", headers={**own, **cookie}) as answer:
                assert answer.status == 401
        await house.pair(client)
        async with client.get("/link") as answer:
            assert answer.status == 401, "a cookie alone is not enough: a browser sends it along whoever asks"

    serve(scenario, tmp_path)


def test_a_page_is_offered_two_connections_and_told_everything(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        paired = await house.pair(client, name="Anna")
        socket, link = await connected(house, client)
        await socket.send_json({"type": "answer", "link": "control", "sdp": "v=0"})
        await socket.send_json({"type": "candidate", "link": "media", "candidate": ""})
        await until(lambda: len(link.signals) == 2)
        assert isinstance(link.told[0], Welcome)
        assert link.told[0].session == paired["session"]
        assert [type(words) for words in link.told[:3]] == [Welcome, ScenePart, Health]
        assert link.shown == [Shown()]
        assert link.seats == [(SeatOrder(Seat.WATCHING), "")]
        (line,) = house.operators.lines()
        assert (line.name, line.alive, line.driving) == ("phone 1 (Anna)", True, False)
        assert len(line.hands) == 2
        for hand in line.hands:
            RingReader(Path(hand.stream.ring)).close()
        await socket.close()
        assert link.is_alive, "the link does not need this connection any more"

    serve(scenario, tmp_path)


def test_a_page_loaded_anew_takes_the_session_over_and_the_old_one_stays_away(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        old_socket, old = await connected(house, client)
        house.operators.seat_of(SeatOf(house.operators.lines()[0].name, SeatOrder(Seat.READY), "phone 1"))
        socket, link = await connected(house, client)
        assert "another window" in (await next_of(old_socket, "refused"))["words"]
        assert (await old_socket.receive()).type is aiohttp.WSMsgType.CLOSE
        await until(lambda: bool(old.closed_with))
        assert link.rings is old.rings
        assert link.seats == [(SeatOrder(Seat.READY), "phone 1")]
        assert len(house.operators.lines()) == 1
        await socket.close()

    serve(scenario, tmp_path)


def test_a_page_whose_link_ended_is_let_go_to_come_back(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        socket, link = await connected(house, client)
        link.die()
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert house.operators.lines()[0].alive is False
        assert house.operators.lines()[0].words == "nothing was heard for 2 s"
        house.operators.look()
        house.ahead_s += WHY_OVER_S + 0.1
        changes = house.changes
        house.operators.look()
        assert house.operators.lines()[0].words == "" and house.changes > changes
        again, _ = await connected(house, client)
        assert house.operators.lines()[0].alive
        await again.close()

    serve(scenario, tmp_path)


def test_who_is_kicked_while_driving_moves_nothing_from_then_on_and_pairs_anew(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        paired = await house.pair(client)
        socket, link = await connected(house, client)
        house.operators.seat_of(SeatOf(paired["session"], SeatOrder(Seat.READY), "phone 1"))
        ring = RingReader(Path(house.operators.lines()[0].hands[0].stream.ring))
        assert house.operators.kick("phone 1", "")
        assert ring.closed, "at once: not when the page has heard of it"
        ring.close()
        assert (await next_of(socket, "refused"))["words"] == KICKED
        await until(lambda: link.closed_with == [KICKED])
        assert house.operators.lines() == ()
        async with client.get("/link", headers=house.origin) as answer:
            assert answer.status == 401
        assert not house.operators.kick("phone 1", "")
        link.page_says(Said("a", "x"))  # what was still on its way harms nothing

    serve(scenario, tmp_path)


def test_the_dead_are_forgotten_and_come_back_as_somebody_new(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        paired = await house.pair(client)
        socket, link = await connected(house, client)
        house.operators.look()
        link.die()
        house.ahead_s += FORGOTTEN_S - 1.0
        house.operators.look()
        assert len(house.operators.lines()) == 1
        house.ahead_s += 1.5
        house.operators.look()
        assert house.operators.lines() == ()
        async with client.get("/pair") as answer:
            back = await answer.json()
        assert back["name"] == paired["name"]
        assert back["session"] != paired["session"]
        await socket.close()

    serve(scenario, tmp_path)


def test_garbage_on_the_signalling_ends_it_and_a_page_that_floods_is_let_go(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        socket, link = await connected(house, client)
        for number in range(MOST_INVALID):
            garbage = ["", "[]", '{"type": "offer"}', '{"type": "answer", "link": "other", "sdp": ""}']
            await socket.send_str(garbage[number % len(garbage)])
        assert "made no sense" in (await next_of(socket, "refused"))["words"]
        assert link.signals == []
        other, _ = await connected(house, client)
        for _ in range(200):
            await other.send_json({"type": "candidate", "link": "media", "candidate": "x" * 400})
        assert "made no sense" in (await next_of(other, "refused"))["words"]

    serve(scenario, tmp_path)


def test_an_enormous_message_ends_the_connection_and_nothing_else(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        socket, link = await connected(house, client)
        await socket.send_str("x" * 400_000)
        assert (await socket.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
        assert link.is_alive

    serve(scenario, tmp_path)


def test_connections_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.operator.entrance.MOST_SOCKETS", 1)

    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        socket, _ = await connected(house, client)
        async with client.get("/link", headers=house.origin) as answer:
            assert answer.status == 503
            assert await words_of(answer) == BUSY
        await socket.close()
        again, _ = await connected(house, client)
        await again.close()

    serve(scenario, tmp_path)


# ---------------------------------------------------------------- words


def paired_scenario(play: Any) -> Scenario:
    async def scenario(house: House, client: Client) -> None:
        await house.pair(client)
        socket, link = await connected(house, client)
        await play(house, link)
        await socket.close()

    return scenario


def test_a_stop_is_latched_in_this_process_and_shown_at_once(tmp_path: Path) -> None:
    async def play(house: House, link: Any) -> None:
        link.told.clear()
        link.page_says(StopNow())
        assert house.stop.is_latched
        assert house.stop.reason == "phone 1 stopped everything"
        (health,) = link.told
        assert health.emergency == "phone 1 stopped everything"
        house.stop.reset(house.stop.token)
        house.operators.look()
        assert link.told[-1].emergency == ""

    serve(paired_scenario(play), tmp_path)


def test_a_page_without_a_link_stops_by_https_and_nobody_else_does(tmp_path: Path) -> None:
    async def scenario(house: House, client: aiohttp.ClientSession) -> None:
        await house.pair(client)
        async with browser(house) as other:
            for who, headers in (
                (other, house.origin),  # no cookie
                (client, {}),  # no page
                (client, {"Origin": "https://elsewhere.example"}),
            ):
                async with who.post("/stop", headers=headers) as answer:
                    assert answer.status in (401, 403)
        assert not house.stop.is_latched
        for _ in range(300):  # past every limit
            async with client.get("/pair"):
                pass
        async with client.post("/stop", headers=house.origin) as answer:
            assert answer.status == 204
        assert house.stop.reason == "phone 1 stopped everything"

    serve(scenario, tmp_path)


def test_the_page_is_told_that_the_main_process_hangs(tmp_path: Path) -> None:
    async def play(house: House, link: Any) -> None:
        house.stop.beat(house.now_s())
        house.ahead_s += 0.8
        house.operators.look()
        assert "not answered" not in link.told[-1].words
        house.ahead_s += 2.2
        house.operators.look()
        assert link.told[-1].heard_age_s == pytest.approx(3.0, abs=0.2)
        assert "has not answered for 3 s" in link.told[-1].words
        count = len(link.told)
        house.operators.look()
        assert len(link.told) == count, "twice a second"

    serve(paired_scenario(play), tmp_path)


def test_before_the_main_process_has_told_where_it_is_instructions_are_refused(tmp_path: Path) -> None:
    async def play(_: House, link: Any) -> None:
        link.page_says(Said("a", "home"))
        assert link.told[-1] == Done("a", False, NOT_YET)

    serve(paired_scenario(play), tmp_path)


def test_what_a_page_says_of_itself_is_shown_in_lists(tmp_path: Path) -> None:
    async def play(house: House, link: Any) -> None:
        link.page_says(Tracking("orientation and touch: " + "x" * 1000))
        link.page_says(PointAt((1.0, 2.0, 3.0), (0.0, 0.0, -1.0)))
        link.health_ = Health(rtt_ms=(3.14159, 9.0), words="your clock stepped")
        (line,) = house.operators.lines()
        assert line.tracking.startswith("orientation and touch")
        assert len(line.tracking) == 300
        assert line.points_at == (1.0, 2.0, 3.0, 0.0, 0.0, -1.0)
        assert line.rtt_ms == 3.1
        assert line.words == "your clock stepped"
        link.health_ = Health(rtt_ms=(3.9, 9.0), words="your clock stepped")
        assert house.operators.lines() == (line,), "nobody is told of every tenth of a millisecond"

    serve(paired_scenario(play), tmp_path)


def test_one_drives_and_all_others_watch_and_know_who_drives(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        links = []
        for _ in range(2):
            client.cookie_jar.clear()
            await house.pair(client)
            links.append((await connected(house, client))[1])
        ready = SeatOrder(Seat.READY, words="press the clutch")
        house.operators.seat_of(SeatOf("phone 2", ready, "phone 2"))
        assert links[0].seats[-1] == (SeatOrder(Seat.WATCHING), "phone 2")
        assert links[1].seats[-1] == (ready, "phone 2")
        assert [line.driving for line in house.operators.lines()] == [False, True]
        house.operators.seat_of(SeatOf(links[0].session.id, ready, "phone 1"))
        assert [line.driving for line in house.operators.lines()] == [True, False]
        house.operators.seat_of(SeatOf("", SeatOrder(Seat.WATCHING)))
        assert [line.driving for line in house.operators.lines()] == [False, False]

    serve(scenario, tmp_path)


# ---------------------------------------------------------------- where it listens


def test_a_taken_port_says_by_whom_and_the_way_out(tmp_path: Path) -> None:
    async def scenario(house: House, _: Client) -> None:
        second = House(house.directory, tmp_path, port=house.server.port)
        with pytest.raises(InstallationError, match=r"in use by process .* --phone-port"):
            async with second.server:
                pass
        second.stop.close()

    serve(scenario, tmp_path)


def test_an_address_of_another_machine_is_refused_and_costs_no_certificate(tmp_path: Path) -> None:
    async def scenario(house: House, _: Client) -> None:
        elsewhere = House(house.directory, tmp_path, host="203.0.113.9")
        with pytest.raises(InstallationError, match="give an address of this machine"):
            async with elsewhere.server:
                pass
        elsewhere.stop.close()
        assert os.listdir(tmp_path) == []

    serve(scenario, tmp_path)


def test_two_places_share_a_port_or_none_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # An address of loopback stands for that of the network.
    monkeypatch.setattr("resources.operator.sites.is_loopback", lambda host: host == "127.0.0.1")

    async def scenario(house: House, client: Client) -> None:
        port = house.server.port
        assert house.server.address == f"http://127.0.0.1:{port}/"
        token = house.open()
        pairing = house.server.pairing()
        assert pairing.url == f"https://127.0.0.3:{port}/#token={token}"
        assert len(pairing.certificate) == 95
        assert "compare" in pairing.words
        trusted = ssl.create_default_context(cafile=str(tmp_path / FILE_NAME))
        network = f"https://127.0.0.3:{port}"
        async with client.post(
            f"{network}/pair",
            json={"token": token, "kind": "headset"},
            headers={"Origin": network},
            ssl=trusted,
        ) as answer:
            assert (await answer.json())["certificate"] == pairing.certificate
            assert "Secure" in answer.headers["Set-Cookie"]
        for origin in (f"http://127.0.0.3:{port}", f"http://127.0.0.1:{port}"):
            async with client.get(f"{network}/pair", headers={"Origin": origin}, ssl=trusted) as answer:
                assert answer.status == 403, "the other place's page is another page"
        async with client.get("/pair", headers={"Host": f"127.0.0.3:{port}"}) as answer:
            assert answer.status == 421
        taken = House(house.directory, tmp_path, host="127.0.0.4", port=port)
        with pytest.raises(InstallationError, match="in use"):
            async with taken.server:
                pass
        taken.stop.close()
        socket.create_server(("127.0.0.4", port)).close()  # it was let go

    serve(scenario, tmp_path, host="127.0.0.3")


def test_a_network_that_changes_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = [Addresses("127.0.0.3", ("127.0.0.3",), ("robot",))]
    monkeypatch.setattr("resources.operator.places.this_machine", lambda: here[0])

    async def play() -> None:
        reports: list[str] = []
        places = Places("0.0.0.0", (), tmp_path, reports.append)
        await places.begin()
        places.at_port(8301)
        before = places.fingerprint
        assert len(reports) == 1
        assert not await places.look()
        here[0] = Addresses("10.0.0.5", ("10.0.0.5",), ("robot",))
        assert await places.look()
        assert places.fingerprint != before
        assert places.network.address(8301) == "https://10.0.0.5:8301/"
        assert "did not name 10.0.0.5" in reports[1]
        fixed = Places("lan", (), tmp_path, reports.append)
        await fixed.begin()
        fixed.at_port(8301)
        here[0] = Addresses("10.0.0.6", ("10.0.0.6",), ("robot",))
        assert not await fixed.look()
        assert not await fixed.look()
        assert len(reports) == 3, "said once"
        assert "which this machine has no more (now it is 10.0.0.6): start again" in reports[2]

    asyncio.run(play())


def test_those_who_come_and_go_leave_nothing(tmp_path: Path) -> None:
    async def scenario(house: House, client: Client) -> None:
        async def comes_and_goes(number: int) -> None:
            client.cookie_jar.clear()
            paired = await house.pair(client)
            socket, link = await connected(house, client)
            if number % 3 == 0:
                await socket.close()
            house.operators.kick(paired["session"], "")
            await until(lambda: bool(link.closed_with))
            await socket.close()
            house.ahead_s += 10.0

        house.operators.speak("of this run")  # nobody answers there: it is tried again and again
        async with client.get("/pair"):
            tasks, files = len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))
        for number in range(40):
            await comes_and_goes(number)
        await until(lambda: len(asyncio.all_tasks()) <= tasks)
        await until(lambda: len(os.listdir("/proc/self/fd")) <= files)
        assert [name for name in os.listdir(house.directory) if name.startswith("hand_")] == []

    serve(scenario, tmp_path)
