"""Programs that speak for somebody: they name themselves, draw nothing, and say until when they mean it."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest
from aiohttp import ClientSession as Client

from framework.loop_lag import LoopLag
from resources.console.backend import Topic
from resources.console.commands import TOO_LATE, Commands, hung_words
from resources.console.server import ConsoleServer
from resources.web.page_messages import Say
from resources.web.protocol import Questions, Reply
from tests.resources.console.scripted import PAUSED_TREE, ScriptedBackend, which
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
        async with client.get(PHONE, headers=origin) as answer:
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
                "number": 0,
                "subject": "",
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


def test_what_has_waited_for_the_loop_past_its_time_is_not_begun() -> None:
    """What was said before takes its time, with the loop to itself."""

    async def scenario() -> None:
        backend = ScriptedBackend()
        commands, loop = Commands(backend), asyncio.get_running_loop()
        begun = commands.start(Say("1", "hello"), "phone 1", good_until_s=loop.time() + 1.0)
        loop.time = lambda: 1e9  # type: ignore[method-assign]  # a busy loop, without being busy
        assert begun is not None and await begun == Reply("1", False, TOO_LATE)
        assert backend.asked == []

    asyncio.run(scenario())


def test_what_may_have_been_said_while_the_main_process_hung_is_not_done_afterwards() -> None:
    lag = LoopLag()

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: Client) -> None:
        now_s = asyncio.get_running_loop().time()
        async with page(client) as browser:
            lag.note(8.0, now_s + 3600.0)  # it has just turned again, for as long as this test lasts
            await browser.send_json({"type": "say", "id": "1", "text": "drive forward"})
            reply = await next_of(browser, "reply")
            assert (reply["ok"], reply["text"]) == (False, hung_words(8.0))
            async with client.post("/api/say", json={"text": "drive forward"}, headers=BEARER) as answer:
                assert hung_words(8.0) in await answer.text()
            assert backend.asked == []
            await browser.send_json({"type": "stop", "id": "2"})  # never too late
            assert (await next_of(browser, "reply"))["ok"]
            lag.note(0.0, now_s + 7200.0)
            await browser.send_json({"type": "say", "id": "3", "text": "drive forward"})
            await next_of(browser, "reply")
            assert len(backend.asked) == 2  # the stop, and this

    serve(scenario, lag)


@pytest.mark.parametrize(
    ("path", "body"),
    [("complete", {"text": "show the"}), ("language", {"kinds": ["devices"]})],
)
def test_what_moves_nothing_is_answered_right_after_the_main_process_hung(
    path: str, body: dict[str, object]
) -> None:
    lag = LoopLag()

    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: Client) -> None:
        lag.note(8.0, asyncio.get_running_loop().time() + 3600.0)
        async with client.post(f"/api/{path}", json=body, headers=BEARER) as answer:
            assert answer.status in (200, 204), await answer.text()

    serve(scenario, lag)


def test_a_page_is_told_what_could_follow_right_after_the_main_process_hung() -> None:
    lag = LoopLag()

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: Client) -> None:
        backend.trees_ = PAUSED_TREE
        async with page(client) as browser:
            lag.note(8.0, asyncio.get_running_loop().time() + 3600.0)
            await browser.send_json({"type": "complete", "id": "1", "text": "show the e"})
            assert (await next_of(browser, "completed"))["options"] == ["environment"]
            await browser.send_json({"type": "save_plan", "id": "2", "plan": "p2", "form": "umrf"})
            assert (await next_of(browser, "plan_file"))["content"]

    serve(scenario, lag)


def test_a_program_that_says_until_when_it_means_it_is_believed() -> None:
    lag = LoopLag()

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: Client) -> None:
        now_s = asyncio.get_running_loop().time()
        lag.note(8.0, now_s + 3600.0)
        say = {"type": "say", "id": "1", "text": "hello"}
        async with client.ws_connect(PHONE, headers=BEARER) as program:
            await program.send_json({"type": "timely", "good_until_s": now_s + 60.0, "message": say})
            await next_of(program, "reply")
        assert backend.asked == ["phone 1 (Jüri): say hello"]

    serve(scenario, lag)
