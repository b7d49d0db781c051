"""Who gets in and who does not: codes, secrets, names and origins, sizes and rates. Over real sockets."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest

from framework.errors import StreamError
from resources.operator.entrance import FULL, NOT_PAIRED, TOO_MANY_TRIES, TRIES_AT_ONCE
from resources.operator.pairing import PAIRING_S, Attempt
from resources.operator.server import MOST_BODY_BYTES, REQUESTS_AT_ONCE
from resources.operator.sessions import MOST_SESSIONS
from resources.types.operator import CodeEnd
from tests.resources.operator.serving import (
    Harness,
    browser,
    serve,
    words_of,
)

Client = aiohttp.ClientSession


@pytest.mark.parametrize("path", ["/", "/pair", "/link", "/ws", "/nothing"])
def test_a_name_that_is_not_ours_and_a_page_of_another_site_get_nothing(tmp_path: Path, path: str) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        async with client.get(path, headers={"Host": f"evil.example:{harness.server.port}"}) as answer:
            assert answer.status == 421
            assert "evil.example" not in str(answer.headers)
        async with client.get(path, headers={"Origin": "http://evil.example"}) as answer:
            assert answer.status == 403
        assert harness.links == []

    serve(scenario, tmp_path)


def test_the_code_lets_one_device_in_and_gives_it_a_secret_and_no_cookie(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        token = harness.open()
        url = harness.server.pairing().url
        assert url == f"{harness.server.address}#token={token}"
        wish = {"token": token, "kind": "phone", "name": "Anna"}
        async with client.post("/pair", json=wish, headers=harness.origin) as answer:
            assert answer.status == 200
            paired = await answer.json()
            assert "Set-Cookie" not in answer.headers, "browsers send it to every port of the host"
        assert paired["name"] == "phone 1 (Anna)"
        assert paired["certificate"] == ""
        assert harness.server.pairing().url == ""
        assert harness.server.pairing().ended is CodeEnd.USED
        own = {"Authorization": f"Bearer {paired['secret']}"}
        async with client.get("/pair", headers=own) as answer:
            assert (await answer.json()) == {**paired, "secret": ""}, "it is told once"
        async with client.get("/pair", headers={"Cookie": f"secret={paired['secret']}"}) as answer:
            assert answer.status == 401
        async with browser(harness) as second:
            async with second.post("/pair", json=wish) as answer:
                assert answer.status == 403
                assert await words_of(answer) == Attempt.USED.value
            async with second.get("/pair") as answer:
                assert answer.status == 401
                assert await words_of(answer) == NOT_PAIRED

    serve(scenario, tmp_path)


def test_strangers_who_guess_keep_nobody_out_who_has_the_code_not_even_from_their_own_address(
    tmp_path: Path,
) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        token = harness.open()
        said = []
        for number in range(int(TRIES_AT_ONCE) + 5):
            async with client.post("/pair", json={"token": f"guess{number}", "kind": "phone"}) as answer:
                assert answer.status == 403
                said.append(await words_of(answer))
        assert said == [Attempt.WRONG.value] * int(TRIES_AT_ONCE) + [TOO_MANY_TRIES] * 5
        assert token in harness.server.pairing().url
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert answer.status == 200
        assert [line.name for line in harness.operators.lines()] == ["phone 1"]

    serve(scenario, tmp_path)


def test_a_code_expires(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        token = harness.open()
        harness.ahead_s += PAIRING_S + 1.0
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert answer.status == 403
            assert await words_of(answer) == Attempt.EXPIRED.value

    serve(scenario, tmp_path)


def test_tries_are_limited_even_while_no_code_is_open(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
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
def test_what_is_no_pairing_gets_words_and_costs_no_code(tmp_path: Path, body: bytes) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        token = harness.open()
        async with client.post("/pair", data=body) as answer:
            assert answer.status == 400
            assert "not understood" in await words_of(answer)
        assert harness.desk.token == token

    serve(scenario, tmp_path)


def test_too_much_at_once_is_refused(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        async with client.post("/pair", data=b"x" * (MOST_BODY_BYTES + 1)) as answer:
            assert answer.status == 413
        statuses = []
        for _ in range(int(REQUESTS_AT_ONCE) + 50):
            async with client.get("/pair") as answer:
                statuses.append(answer.status)
        assert set(statuses) == {401, 429}

    serve(scenario, tmp_path)


def test_the_desk_gets_in_with_the_installation_s_token_and_a_phone_does_not(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        async with client.post("/pair", json={"token": "", "kind": "desk"}) as answer:
            assert answer.status == 403, "before there is one, nothing is it"
        harness.server.let_in_by("of this run")
        async with client.post("/pair", json={"token": "of this run", "kind": "phone"}) as answer:
            assert answer.status == 403
        async with client.post("/pair", json={"token": "of this run", "kind": "desk"}) as answer:
            paired = await answer.json()
        assert paired["name"] == "desk 1"
        own = {"Authorization": f"Bearer {paired['secret']}"}
        async with client.post("/pair", json={"token": "of this run", "kind": "desk"}, headers=own) as answer:
            assert (await answer.json())["name"] == "desk 1", "it is here already"
        assert len(harness.operators.lines()) == 1

    serve(scenario, tmp_path)


def test_a_full_house_says_so_and_keeps_the_code(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        for _ in range(MOST_SESSIONS):
            client.headers.clear()
            await harness.pair(client)
        client.headers.clear()
        token = harness.open()
        async with client.post("/pair", json={"token": token, "kind": "phone"}) as answer:
            assert answer.status == 503
            assert await words_of(answer) == FULL
        assert harness.desk.token == token
        async with client.get("/ws", params={"token": token}) as answer:
            assert await words_of(answer) == FULL

    serve(scenario, tmp_path)


def test_without_shared_memory_nobody_is_let_in_and_words_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StreamError("/dev/shm is full")

    async def scenario(harness: Harness, client: Client) -> None:
        monkeypatch.setattr("resources.operator.operators.HandRings", full)
        async with client.post("/pair", json={"token": harness.open(), "kind": "phone"}) as answer:
            assert answer.status == 503
            assert await words_of(answer) == "/dev/shm is full"
        assert harness.operators.lines() == ()

    serve(scenario, tmp_path)
