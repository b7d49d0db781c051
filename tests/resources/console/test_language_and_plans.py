"""Completion, questions and plans over real sockets: who may answer, what comes back, what is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import aiohttp
import pytest

from resources.console.backend import Topic
from resources.console.commands import MOST_OPTIONS
from resources.console.server import MOST_NAMES, ConsoleServer
from resources.web.protocol import Questions
from tests.resources.console.scripted import PAUSED_TREE, TREE, ScriptedBackend, which
from tests.resources.console.serving import BEARER, next_of, page, serve

Page = aiohttp.ClientWebSocketResponse


async def asked(socket_: Page, kind: str = "reply", **message: object) -> dict[str, Any]:
    """Send a message, and what answers it."""
    await socket_.send_json({"id": "7", **message})
    answer = await next_of(socket_, kind)
    assert answer["id"] == "7"
    return answer


# ---------------------------------------------------------------- completion


def test_a_page_asks_what_could_follow() -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            found = await asked(socket_, "completed", type="complete", text="show the e")
            assert (found["options"], found["begun"], found["is_whole"]) == (["environment"], 1, False)
            whole = await asked(socket_, "completed", type="complete", text="show the scan")
            assert whole["is_whole"]
            anything = await asked(socket_, "completed", type="complete", text="")
            assert anything["options"] == ["show", "track", "what"]

    serve(scenario)


def test_the_command_line_asks_what_could_follow() -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.post("/api/complete", headers=BEARER, json={"text": "track the "}) as answer:
            assert await answer.json() == {"options": ["hand", "red"], "begun": 0, "is_whole": False}

    serve(scenario)


def test_of_thousands_of_completions_the_likeliest_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(f"show thing {number}" for number in range(5000))
    monkeypatch.setattr("tests.resources.console.scripted.SENTENCES", many)

    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            found = await asked(socket_, "completed", type="complete", text="show thing ")
            assert found["options"] == [str(number) for number in range(MOST_OPTIONS)]

    serve(scenario)


def test_a_completion_that_fails_is_an_answer_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        def broken(text: str) -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr(backend, "complete", broken)
        async with page(client) as socket_:
            assert not (await asked(socket_, type="complete", text="show"))["ok"]
        async with client.post("/api/complete", headers=BEARER, json={"text": "show"}) as answer:
            assert answer.status == 500
            assert (await answer.json())["error"] == "this did not work: RuntimeError: a bug"

    serve(scenario)


def test_a_typist_is_within_the_limit_and_a_flood_is_not() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            for number in range(120):
                await socket_.send_json({"type": "complete", "id": str(number), "text": "show"})
            await socket_.send_json({"type": "stop", "id": "stop"})
            while (reply := await next_of(socket_, "reply"))["id"] != "stop":
                assert "too many messages" in reply["text"]
        assert len(backend.completed) < 100
        assert backend.asked == ["console page 1: stop"]

    serve(scenario)


# ---------------------------------------------------------------- questions


def test_only_who_is_asked_answers() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as one, page(client) as other:
            for socket_ in (one, other):
                assert (await next_of(socket_, "questions"))["questions"] == []
            backend.questions_ = Questions((which("console page 1", 12.5),))
            server.changed(Topic.QUESTIONS)
            for socket_ in (one, other):
                (question,) = (await next_of(socket_, "questions"))["questions"]
                assert (question["who"], question["left_s"]) == ("console page 1", 12.5)
                assert question["options"] == ["the red cup", "the blue cup"]
            refused = await asked(other, type="answer", question="q1", choice=1)
            assert not refused["ok"]
            assert "console page 1 is asked" in refused["text"]
            assert not (await asked(one, type="answer", question="q9", choice=1))["ok"]
            assert (await asked(one, type="answer", question="q1", choice=2))["ok"]
            server.changed(Topic.QUESTIONS)
            assert (await next_of(other, "questions"))["questions"] == []
            assert not (await asked(one, type="answer", question="q1", choice=2))["ok"], "once is enough"
        assert backend.asked == ["console page 1: answer q1 2"]

    serve(scenario)


def test_an_answer_from_the_command_line_names_who_gives_it() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.questions_ = Questions((which("ann"),))
        body = {"question": "q1", "choice": 0}
        async with client.post("/api/answer", headers=BEARER, json=body) as answer:
            assert answer.status == 409
        async with client.post("/api/answer", headers=BEARER, json={**body, "who": "ann"}) as answer:
            assert answer.status == 200
        assert backend.asked == ["ann: answer q1 0"]

    serve(scenario)


def test_a_page_that_is_reloaded_is_still_who_it_was_and_a_copy_of_it_is_not() -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async def name(key: str) -> str:
            async with page(client, key) as socket_:
                return str((await next_of(socket_, "hello"))["who"])

        async with page(client, "a") as first:
            assert (await next_of(first, "hello"))["who"] == "console page 1"
            assert await name("a") == "console page 2"
            assert await name("b") == "console page 3"
        assert await name("a") == "console page 1"
        assert await name("") == "console page 4"
        assert await name("x" * 1000) == "console page 5"
        assert await name("x" * 1000) == "console page 6"

    serve(scenario)


def test_names_of_pages_are_not_remembered_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, __: aiohttp.ClientSession) -> None:
        for number in range(3 * MOST_NAMES):
            server._name_of(f"key {number}")
        assert len(server._names_of_pages) == MOST_NAMES
        assert server._name_of(f"key {3 * MOST_NAMES - 1}") == f"console page {3 * MOST_NAMES}"

    serve(scenario)


# ---------------------------------------------------------------- plans


def test_a_plan_is_paused_changed_saved_and_stopped_from_a_page() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.trees_ = PAUSED_TREE
        async with page(client) as socket_:
            for order in ("pause", "resume", "stop"):
                assert (await asked(socket_, type="order_plan", plan="p2", order=order))["ok"]
            change = {"type": "change_plan", "plan": "p2", "node": "p2.3"}
            assert (await asked(socket_, **change, how="remove"))["ok"]
            assert (await asked(socket_, **change, how="replace", text="show the camera"))["ok"]
            refused = await asked(socket_, **change, how="before", text="sing a song")
            assert not refused["ok"]
            assert "sing a song" in refused["text"]
            saved = await asked(socket_, "plan_file", type="save_plan", plan="p2")
            assert saved["name"] == "p2.umrf.json"
            assert json.loads(saved["content"])["graph_name"].startswith("show the scan")
            assert not (await asked(socket_, type="save_plan", plan="p9"))["ok"]
        assert backend.asked == [
            "console page 1: pause p2",
            "console page 1: resume p2",
            "console page 1: stop p2",
            "console page 1: change p2 remove p2.3",
            "console page 1: change p2 replace p2.3 show the camera",
        ]

    serve(scenario)


def test_a_file_is_run_from_a_page_or_refused_with_all_that_is_wrong() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            refused = await asked(socket_, type="run_file", content="{}")
            assert refused["text"].splitlines()[1:] == ["there is no graph_name", "there are no actions"]
            assert (await asked(socket_, type="run_file", content='{"graph_name": "x"}'))["ok"]
        assert backend.asked == ['console page 1: run {"graph_name": "x"}']

    serve(scenario)


def test_plans_over_http() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.trees_ = PAUSED_TREE

        async def get(path: str) -> tuple[int, dict[str, Any]]:
            async with client.get(f"/api/plans/{path}", headers=BEARER) as answer:
                return answer.status, await answer.json()

        async def post(path: str, body: dict[str, str]) -> tuple[int, str]:
            async with client.post(f"/api/plans/{path}", headers=BEARER, json=body) as answer:
                return answer.status, (await answer.json()).get("error", "")

        status, shown = await get("p2")
        assert (status, shown["state"], shown["tree"]["children"][1]["id"]) == (200, "paused", "p2.3")
        assert (await get("p2/file?form=plan"))[1]["name"] == "p2.plan.json"
        for path in ("p9", "p9/file", "p2/file?form=xml"):
            status, words = await get(path)
            assert (status, bool(words["error"])) == (400, True), path
        assert await post("p2/order", {"order": "stop"}) == (200, "")
        assert await post("p2/change", {"node": "p2.3", "how": "remove"}) == (200, "")
        backend.trees_ = TREE
        status, why = await post("p1/change", {"node": "p1/1", "how": "remove"})
        assert (status, "pause it first" in why) == (409, True)
        async with client.post("/api/plans", headers=BEARER, json={"content": '{"graph_name": 1}'}) as answer:
            events = [json.loads(line) async for line in answer.content if line.strip()]
            assert [event["kind"] for event in events] == ["started"]
        async with client.post("/api/plans", headers=BEARER, json={"content": "nonsense"}) as answer:
            assert answer.status == 409
            assert "there are no actions" in (await answer.json())["error"]

    serve(scenario)


# ---------------------------------------------------------------- the world, the language


def test_the_world_and_the_known_things_are_told() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.get("/api/world", headers=BEARER) as answer:
            assert await answer.json() == [{"name": "door", "state": "closed", "states": ["open", "closed"]}]
        for thing, status in (("door", 200), ("sun", 400)):
            body = {"thing": thing, "state": "open"}
            async with client.post("/api/world", headers=BEARER, json=body) as answer:
                assert answer.status == status
        assert backend.asked == ["command line: open door"]
        async with client.post("/api/language", headers=BEARER, json={"kinds": ["world.things"]}) as answer:
            known = (await answer.json())["known"]["world.things"]
            assert [thing["name"] for thing in known] == ["red cup"]

    serve(scenario)


# ---------------------------------------------------------------- nonsense


def test_scrambled_messages_change_nothing_and_every_one_is_answered() -> None:
    whole = [
        '{"type":"complete","id":"1","text":"show the"}',
        '{"type":"answer","id":"1","question":"q1","choice":1}',
        '{"type":"order_plan","id":"1","plan":"p2","order":"stop"}',
        '{"type":"change_plan","id":"1","plan":"p2","node":"p2.3","how":"remove","text":""}',
        '{"type":"save_plan","id":"1","plan":"p2","form":"umrf"}',
        '{"type":"run_file","id":"1","content":"{}"}',
    ]
    random_ = random.Random(3)

    def scrambled(text: str) -> str:
        """Cut short, perhaps with a piece doubled or a sign of JSON put in: never whole."""
        at, to = sorted(random_.sample(range(1, len(text) - 1), 2))
        return random_.choice(
            (
                text[:at],
                (text[:to] + text[at:])[:-1],
                text[:at] + random_.choice('{}[]":,\\\x00é0') + text[at:-1],
            )
        )

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.trees_, backend.questions_ = PAUSED_TREE, Questions((which(),))
        for _round in range(20):
            async with page(client) as socket_:
                for _number in range(15):
                    await socket_.send_str(scrambled(random_.choice(whole)))
                    assert not (await next_of(socket_, "reply"))["ok"]
        assert backend.asked == []

    serve(scenario)
