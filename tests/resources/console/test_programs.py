"""Programs that speak for somebody: they name themselves, draw nothing, and say until when they mean it."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest
from aiohttp import ClientSession as Client

from resources.console.backend import Topic
from resources.console.page_link import TOO_LATE
from resources.console.protocol import Questions
from resources.console.server import ConsoleServer
from tests.resources.console.scripted import ScriptedBackend, which
from tests.resources.console.serving import BEARER, next_of, page, serve

PHONE = f"/ws?who={quote('phone 1 (Jüri)')}"


@pytest.mark.parametrize("who", ["", " phone", "phone ", "x" * 65, "a\nb", "a\x1b[31mb", "\u202ephone"])
def test_a_name_that_would_not_stand_in_a_list_is_refused(who: str) -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: Client) -> None:
        async with client.get("/ws", params={"who": who}, headers=BEARER) as answer:
            assert answer.status == 400

    serve(scenario)


def test_a_page_may_not_name_itself() -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: Client) -> None:
        origin = {"Origin": server.address.rstrip("/")}
        async with client.post("/api/session", headers={**BEARER, **origin}) as answer:
            cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
        async with client.get(PHONE, headers={**cookie, **origin}) as answer:
            assert answer.status == 400
        async with client.get(PHONE) as answer:
            assert answer.status == 401

    serve(scenario)


def test_it_is_known_by_its_name_and_told_words_only() -> None:
    async def scenario(server: ConsoleServer, backend: ScriptedBackend, client: Client) -> None:
        async with client.ws_connect(PHONE, headers=BEARER) as program:
            assert (await next_of(program, "hello"))["who"] == "phone 1 (Jüri)"
            kinds = [(await program.receive_json())["type"] for _ in range(3)]
            assert sorted(kinds) == ["emergency", "events", "questions"]
            backend.questions_ = Questions((which("phone 1 (Jüri)"),))
            for topic in Topic:
                server.changed(topic)
            await program.send_json({"type": "say", "id": "1", "text": "hello"})
            told = [await program.receive_json() for _ in range(3)]
            assert {each["type"] for each in told} == {"reply", "questions", "emergency"}
            await program.send_json({"type": "answer", "id": "2", "question": "q1", "choice": 2})
            assert (await next_of(program, "reply"))["ok"]
        assert backend.asked == ["phone 1 (Jüri): say hello", "phone 1 (Jüri): answer q1 2"]

    serve(scenario)


def test_what_comes_after_its_time_is_not_begun() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: Client) -> None:
        now_s = asyncio.get_running_loop().time()
        say = {"type": "say", "id": "1", "text": "hello"}
        async with client.ws_connect(PHONE, headers=BEARER) as program:
            await program.send_json({"type": "timely", "good_until_s": now_s - 0.001, "message": say})
            assert (await next_of(program, "reply")) == {
                "type": "reply",
                "id": "1",
                "ok": False,
                "text": TOO_LATE,
            }
            assert backend.asked == []
            await program.send_json(
                {"type": "timely", "good_until_s": now_s + 60.0, "message": {**say, "id": "2"}}
            )
            assert (await next_of(program, "reply"))["id"] == "2"
            assert backend.asked == ["phone 1 (Jüri): say hello"]
            for wrong in ({"type": "stop", "id": "3"}, {**say, "more": 1}, None):
                await program.send_json({"type": "timely", "good_until_s": now_s + 60.0, "message": wrong})
                assert "not understood" in (await next_of(program, "reply"))["text"]
        async with page(client) as browser:
            await browser.send_json({"type": "timely", "good_until_s": now_s + 60.0, "message": say})
            assert "not understood" in (await next_of(browser, "reply"))["text"]

    serve(scenario)
