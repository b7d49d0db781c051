"""The console's server over real sockets: who gets in, what comes out, and that nobody waits."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import numpy as np
import pytest

from framework.errors import InstallationError
from framework.transport.ring import RingWriter
from resources.console import page_link
from resources.console.backend import RingFeed, Topic
from resources.console.outbox import MOST_WAITING
from resources.console.page_link import BURST, MOST_EXCESS
from resources.console.server import MOST_PAGES, ConsoleServer
from resources.types.streams import StreamFormat
from resources.web import static_files
from resources.web.page_messages import MAX_FILE_CHARS, MAX_MESSAGE_BYTES
from resources.web.protocol import Emergency, EventLine, PutView
from resources.web.samples import HEAD_BYTES, EncodedMeta
from resources.web.sign_in import MOST_WAITING as MOST_SILENT
from resources.web.sign_in import REFUSED_CODE
from tests.resources.console.scripted import GRAPH, TREE, ScriptedBackend, shown
from tests.resources.console.serving import BEARER, TOKEN, next_of, page, serve


async def next_sample(socket_: aiohttp.ClientWebSocketResponse) -> tuple[dict[str, Any], bytes]:
    """Header and payload of the next binary message."""
    while True:
        frame = await socket_.receive()
        assert frame.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY), frame
        if frame.type is aiohttp.WSMsgType.BINARY:
            (length,) = struct.unpack_from("<I", frame.data)
            return json.loads(frame.data[4 : 4 + length]), frame.data[HEAD_BYTES:]


# ---------------------------------------------------------------- who gets in


@pytest.mark.parametrize("path", ["/", "/api/status", "/ws", "/assets/x.js"])
def test_a_name_that_is_not_ours_gets_nothing(path: str) -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.get(path, headers={"Host": f"evil.example:{server.port}", **BEARER}) as answer:
            assert answer.status == 421

    serve(scenario)


@pytest.mark.parametrize("path", ["/", "/api/status", "/ws"])
def test_a_page_of_another_site_gets_nothing_even_with_the_token(path: str) -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.get(path, headers={"Origin": "http://evil.example", **BEARER}) as answer:
            assert answer.status == 403

    serve(scenario)


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer guessed"}, {"Cookie": "pilothouse_0=guessed"}]
)
def test_without_the_token_nothing_is_told_or_done(headers: dict[str, str]) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        for method, path in [
            ("GET", "/ws"),
            ("GET", "/api/status"),
            ("GET", "/api/world"),
            *(("POST", f"/api/{name}") for name in ("say", "stop", "reset", "fail", "restore", "retry")),
            *(("POST", f"/api/{name}") for name in ("answer", "complete", "language", "world", "plans")),
            *(("GET", f"/api/plans/p1{what}") for what in ("", "/file")),
            *(("POST", f"/api/plans/p1/{what}") for what in ("order", "change")),
        ]:
            async with client.request(method, path, headers=headers, json=None) as answer:
                assert answer.status == 401, path
        assert backend.asked == []

    serve(scenario)


def test_a_page_signs_in_with_its_first_message_and_gets_no_cookie() -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        origin = {"Origin": server.address.rstrip("/")}
        async with client.ws_connect("/ws", headers=origin) as socket_:
            await socket_.send_json({"type": "sign_in", "secret": TOKEN})
            assert (await next_of(socket_, "hello"))["installation"] == "inspection (simulated)"
        async with client.ws_connect("/ws", headers={**origin, "Cookie": f"pilothouse={TOKEN}"}) as socket_:
            await socket_.send_json({"type": "sign_in", "secret": "guessed"})
            frame = await socket_.receive()
            assert (frame.type, frame.data) == (aiohttp.WSMsgType.CLOSE, REFUSED_CODE)
            assert frame.extra, "in words"
        async with client.get("/", headers=BEARER) as answer:
            assert "Set-Cookie" not in answer.headers
        async with client.get("/ws") as answer:
            assert answer.status == 401, "no page of ours"

    serve(scenario)


@pytest.mark.parametrize(
    "first",
    [
        "",
        "[" * 500,
        '{"type": "stop", "id": "1"}',
        '{"type": "sign_in", "secret": "' + TOKEN + '", "more": 1}',
        '{"type": "sign_in", "secret": "' + "x" * 2000 + '"}',
        TOKEN.encode(),
    ],
)
def test_a_page_that_does_not_sign_in_first_is_told_nothing(first: str | bytes) -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with client.ws_connect("/ws", headers={"Origin": server.address.rstrip("/")}) as socket_:
            await (socket_.send_bytes(first) if isinstance(first, bytes) else socket_.send_str(first))
            assert (await socket_.receive()).type is aiohttp.WSMsgType.CLOSE
        assert backend.asked == []
        assert server.pages == 0

    serve(scenario)


def test_a_page_that_says_nothing_is_closed_soon_and_keeps_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("resources.web.sign_in.WITHIN_S", 1.0)

    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        origin = {"Origin": server.address.rstrip("/")}
        silent = [await client.ws_connect("/ws", headers=origin) for _ in range(MOST_SILENT)]
        async with client.ws_connect("/ws", headers=origin) as socket_:  # the oldest goes, for its sake
            await socket_.send_json({"type": "sign_in", "secret": TOKEN})
            await next_of(socket_, "hello")
        for socket_ in silent:
            assert (await socket_.receive()).type is aiohttp.WSMsgType.CLOSE

    serve(scenario)


def test_every_answer_carries_the_strict_policy() -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        for path in ("/", "/api/status", "/nothing"):
            async with client.get(path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy
                assert "unsafe" not in policy
                assert f"ws://127.0.0.1:{server.port}" in policy
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert "aiohttp" not in answer.headers["Server"]

    serve(scenario)


def test_only_the_hand_trackers_thread_may_run_webassembly_and_nobody_makes_scripts_of_text() -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        for path, may in ((f"{static_files.TRACKER_THREAD}1.js", True), ("/assets/index-1.js", False)):
            async with client.get(path) as answer:
                policy = answer.headers["Content-Security-Policy"]
                assert ("'wasm-unsafe-eval'" in policy) is may
                assert "'unsafe-eval'" not in policy and "unsafe-inline" not in policy

    serve(scenario)


@pytest.mark.parametrize(
    "path", ["/../server.py", "/%2e%2e/server.py", "/assets/../../server.py", "/assets/", "/.env"]
)
def test_nothing_outside_the_page_is_served(path: str) -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, __: aiohttp.ClientSession) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), answer[:100]
        assert b"ConsoleServer" not in answer

    serve(scenario)


def test_a_page_too_many_is_told_so() -> None:
    async def scenario(server: ConsoleServer, _: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        open_ = [await client.ws_connect("/ws", headers=BEARER) for _ in range(MOST_PAGES)]
        async with client.get("/ws", headers=BEARER) as answer:
            assert answer.status == 503
        for socket_ in open_:
            await socket_.close()

    serve(scenario)


# ---------------------------------------------------------------- bad input


BAD = [
    "",
    "null",
    "{",
    '{"type":"launch","id":"1"}',
    '{"type":"say","id":"1"}',
    '{"type":"say","id":"1","text":5}',
    pytest.param('{"x":' + "[" * 4000 + "]" * 4000 + ',"type":"stop"}', id="deep"),
]


@pytest.mark.parametrize("text", BAD)
def test_a_malformed_message_gets_an_answer_and_changes_nothing(text: str) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await socket_.send_str(text)
            reply = await next_of(socket_, "reply")
            assert (reply["ok"], reply["id"]) == (False, "")
            assert "nothing was changed" in reply["text"]
            await socket_.send_json({"type": "restore", "id": "2", "device": "front_camera"})
            assert (await next_of(socket_, "reply"))["ok"]
        assert backend.asked == ["console page 1: restore front_camera"]

    serve(scenario)


def test_binary_messages_are_answered_and_huge_ones_end_the_connection() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await socket_.send_bytes(b"\x00" * 100)
            assert "binary messages of this way are sound" in (await next_of(socket_, "reply"))["text"]
            await socket_.send_str('{"type":"say","id":"1","text":"' + "x" * MAX_MESSAGE_BYTES + '"}')
            while (frame := await socket_.receive()).type in (
                aiohttp.WSMsgType.TEXT,
                aiohttp.WSMsgType.BINARY,
            ):
                pass
            assert frame.type is aiohttp.WSMsgType.CLOSE
            assert frame.data == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
        assert backend.asked == []

    serve(scenario)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/say", b""),
        ("/api/say", b"\xff\xfe"),
        ("/api/say", b'{"text": 5}'),
        ("/api/say", b'{"text": "x", "loud": true}'),
        ("/api/listen", b'{"recording": 5}'),
        ("/api/listen", b'{"recording": "' + b"x" * 5000 + b'"}'),
        ("/api/fail", b'{"resource": "front_camera", "how": "explode"}'),
        ("/api/restore", b"[]"),
        ("/api/reset", b'{"confirmed": "yes"}'),
        ("/api/say", b'{"text": "' + b"x" * 70_000 + b'"}'),
        ("/api/complete", b"{}"),
        ("/api/complete", b'{"text": "' + b"x" * 2001 + b'"}'),
        ("/api/answer", b'{"question": "q1"}'),
        ("/api/answer", b'{"question": "q1", "choice": -1}'),
        ("/api/answer", b'{"question": "q1", "choice": "yes"}'),
        ("/api/answer", b'{"question": "q1", "choice": true}'),
        ("/api/language", b'{"kinds": "all"}'),
        ("/api/world", b'{"thing": "door"}'),
        ("/api/plans", b'{"content": {}}'),
        ("/api/plans", b'{"content": "' + b"x" * (MAX_FILE_CHARS + 1) + b'"}'),
        ("/api/plans", b'{"content": "' + b"x" * MAX_MESSAGE_BYTES + b'"}'),
        ("/api/plans/p1/order", b'{"order": "destroy"}'),
        ("/api/plans/p1/change", b'{"node": "p1.1", "how": "sideways"}'),
        ("/api/plans/p1/change", b"[" * 50_000),
    ],
)
def test_a_malformed_request_gets_words_and_changes_nothing(path: str, body: bytes) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.post(path, headers=BEARER, data=body) as answer:
            assert answer.status in (400, 413)
            assert (await answer.json())["error"]
        assert backend.asked == []

    serve(scenario)


def test_a_flood_is_refused_then_dropped_but_a_stop_in_it_gets_through() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        backend.hold.clear()
        async with page(client) as socket_:
            for _ in range(int(BURST) + 5):
                await socket_.send_str("nonsense")
            await socket_.send_json({"type": "stop", "id": "s"})
            while (await next_of(socket_, "reply"))["id"] != "s":
                pass
            assert backend.asked == ["console page 1: stop"]
            for _ in range(3 * MOST_EXCESS):
                await socket_.send_str("nonsense")
            while (frame := await socket_.receive()).type in (
                aiohttp.WSMsgType.TEXT,
                aiohttp.WSMsgType.BINARY,
            ):
                pass
            assert socket_.closed
            assert frame.type is not aiohttp.WSMsgType.ERROR

    serve(scenario)


# ---------------------------------------------------------------- commands


def test_a_stop_does_not_wait_for_a_command_that_hangs() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.hold.clear()
        async with page(client) as socket_:
            await socket_.send_json({"type": "fail", "id": "1", "device": "front_camera", "how": "die"})
            await socket_.send_json({"type": "stop", "id": "2"})
            assert (await next_of(socket_, "reply"))["id"] == "2"
            backend.hold.set()
            assert (await next_of(socket_, "reply"))["id"] == "1"

    serve(scenario)


def test_a_stop_that_fails_says_so_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        def broken(*, who: str, press: str) -> str:
            raise OSError("no shared memory")

        monkeypatch.setattr(backend, "stop", broken)
        async with client.post("/api/stop", headers=BEARER) as answer:
            assert answer.status == 500
            assert "DID NOT WORK" in (await answer.json())["error"]

    serve(scenario)


@pytest.mark.parametrize("is_late", [False, True])
def test_a_press_counts_once_by_whatever_way_it_comes_and_is_confirmed_each_time(is_late: bool) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        press = "0123456789ab-1"
        confirmed = {"type": "stop_confirmed", "id": press, "latched": True}
        async with page(client) as socket_:
            await socket_.send_json({"type": "stop", "id": press})
            assert await next_of(socket_, "stop_confirmed") == confirmed
            if is_late:  # a person has reset it meanwhile
                backend.emergency_ = Emergency()
                confirmed["latched"] = False
            body = {"who": "console page 1", "id": press}
            async with client.post("/api/stop", headers=BEARER, json=body) as answer:
                assert await answer.json() == confirmed
            await socket_.send_json({"type": "stop", "id": press})
            assert await next_of(socket_, "stop_confirmed") == confirmed
            assert backend.asked == ["console page 1: stop"]
            await socket_.send_json({"type": "stop", "id": "0123456789ab-2"})
            assert (await next_of(socket_, "stop_confirmed"))["latched"]
        assert backend.asked == 2 * ["console page 1: stop"]

    serve(scenario)


def test_the_page_stops_by_a_request_of_its_own_and_never_by_a_cookie() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        cookie = {"Cookie": f"pilothouse_{server.port}={TOKEN}"}
        own = {"Origin": f"http://127.0.0.1:{server.port}"}
        for headers, status in (
            (cookie, 401),
            (own, 401),
            ({**cookie, **own}, 401),
            ({**BEARER, **own}, 200),
        ):
            async with client.post("/api/stop", headers=headers, json={"id": "0123456789ab-1"}) as answer:
                assert answer.status == status
        assert backend.asked == ["command line: stop"]

    serve(scenario)


def test_a_stop_with_a_broken_body_is_a_stop() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.post("/api/stop", headers=BEARER, data=b"{{{") as answer:
            assert answer.status == 200
        assert backend.asked == ["command line: stop"]

    serve(scenario)


def test_a_reset_must_be_confirmed() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        for confirmed, status in ((False, 409), (True, 200)):
            async with client.post("/api/reset", headers=BEARER, json={"confirmed": confirmed}) as answer:
                assert answer.status == status
        assert backend.asked == ["command line: reset"]

    serve(scenario)


def test_refusals_carry_the_backends_words() -> None:
    async def scenario(_: ConsoleServer, __: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with client.post("/api/fail", headers=BEARER, json={"resource": "toaster"}) as answer:
            assert answer.status == 409
            assert "there is front_camera" in (await answer.json())["error"]
        async with client.post("/api/say", headers=BEARER, json={"text": "raise"}) as answer:
            assert answer.status == 409
            assert "nobody knows" in (await answer.json())["error"]

    serve(scenario)


def test_say_gives_one_event_a_line() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.answer_with = [backend.line("heard", "wave"), backend.line("ended", "waved")]
        async with client.post("/api/say", headers=BEARER, json={"text": "wave", "who": "ann"}) as answer:
            assert answer.content_type == "application/x-ndjson"
            lines = [msgspec.json.decode(line, type=EventLine) async for line in answer.content]
        assert lines == backend.answer_with
        assert backend.asked == ["ann: say wave"]
        async with client.get("/api/status", headers=BEARER) as answer:
            assert set(await answer.json()) == {"plans", "resources", "providers", "health"}

    serve(scenario)


def test_between_events_there_are_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.console.http_answers.ALIVE_EVERY_S", 0.01)

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        go_on = asyncio.Event()

        async def slow(text: str, *, who: str) -> AsyncIterator[EventLine]:
            yield backend.line("heard", text)
            await go_on.wait()
            yield backend.line("ended", text)

        monkeypatch.setattr(backend, "say", slow)
        async with client.post("/api/say", headers=BEARER, json={"text": "wave"}) as answer:
            assert b"heard" in await answer.content.readline()
            assert await answer.content.readline() == b"\n"
            go_on.set()
            rest = [line async for line in answer.content if line.strip()]
        assert [msgspec.json.decode(line, type=EventLine).kind for line in rest] == ["ended"]

    serve(scenario)


def test_who_leaves_while_being_told_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        closed = asyncio.Event()

        async def endless(text: str, *, who: str) -> AsyncIterator[EventLine]:
            try:
                yield backend.line("heard", text)
                await asyncio.Event().wait()
            finally:
                closed.set()

        monkeypatch.setattr(backend, "say", endless)
        async with client.post("/api/say", headers=BEARER, json={"text": "show"}) as answer:
            assert b"heard" in await answer.content.readline()
        answer.close()
        await closed.wait()

    serve(scenario)


# ---------------------------------------------------------------- what pages are told


def test_a_new_page_is_told_everything() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        backend.graph_, backend.trees_, backend.views_ = GRAPH, TREE, shown()
        backend.line("heard", "show the environment")
        seen: list[dict[str, Any]] = []
        async with page(client) as socket_:
            while len(seen) < 9:
                seen.append(json.loads(await socket_.receive_str()))
        kinds = [message["type"] for message in seen]
        assert kinds[:3] == ["hello", "events", "emergency"]
        assert set(kinds[3:]) == {"scene", "graph", "trees", "devices", "views", "questions"}
        assert seen[0]["who"] == "console page 1"

    serve(scenario)


def test_a_broken_panel_does_not_take_the_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        def broken() -> None:
            raise RuntimeError("a bug")

        monkeypatch.setattr(backend, "graph", broken)
        async with page(client) as socket_:
            await next_of(socket_, "views")
            await socket_.send_json({"type": "stop", "id": "1"})
            assert (await next_of(socket_, "reply"))["ok"]

    serve(scenario)


def test_changes_are_coalesced_and_all_pages_get_them() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as one, page(client) as other:
            for socket_ in (one, other):
                await next_of(socket_, "views")
            for number in range(100):
                backend.emergency_ = Emergency(True, f"stop {number}")
                server.changed(Topic.EMERGENCY)
            for socket_ in (one, other):
                assert (await next_of(socket_, "emergency"))["words"] == "stop 99"
            server.event(backend.line("heard", "hello"))
            for socket_ in (one, other):
                assert (await next_of(socket_, "events"))["lines"][0]["text"] == "hello"

    serve(scenario)


def test_a_page_is_told_how_to_look_at_its_scene_and_no_other_is() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as one, page(client) as other:
            for socket_ in (one, other):
                await next_of(socket_, "views")
            assert server.put_view("console page 1", PutView((1.0, 2.0, 0.5)), draws=True)
            assert not server.put_view("console page 1", PutView(None), draws=False)
            assert not server.put_view("phone 1", PutView(None), draws=True)
            assert (await next_of(one, "put_view"))["middle"] == [1.0, 2.0, 0.5]
            server.event(backend.line("heard", "hello"))
            assert "middle" not in await next_of(other, "events")

    serve(scenario)


def test_samples_are_relayed_as_they_lie_and_survive_their_writer(tmp_path: Path) -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        def write(ring: RingWriter, value: int) -> None:
            meta = msgspec.msgpack.encode(EncodedMeta(2, 3))
            payload = np.full(35, value, np.uint8)
            ring.write(payload, stamp_s=asyncio.get_running_loop().time() - 0.5, meta=meta)

        backend.views_ = shown()
        backend.feeds_ = {"v1": RingFeed(tmp_path / "v1.ring", StreamFormat.VIEW, 1000.0)}
        async with page(client) as socket_:
            with RingWriter(tmp_path, "v1", slot_bytes=100) as ring:
                write(ring, 1)
                header, payload = await next_sample(socket_)
                assert (header["view"], header["points"], header["picture"]) == ("v1", 2, 3)
                assert payload == b"\x01" * 35
                assert 0.5 <= header["age_s"] < 5
                async with page(client) as late:  # gets the last one, with its age now
                    assert (await next_sample(late))[1] == payload
            with RingWriter(tmp_path, "v1", slot_bytes=200) as ring:  # the encoder was started again
                write(ring, 2)
                header, payload = await next_sample(socket_)
                assert (header["sequence"], payload) == (1, b"\x02" * 35)
                ring.write(b"nonsense", stamp_s=0.0, meta=b"?")
                write(ring, 3)
                assert (await next_sample(socket_))[1] == b"\x03" * 35

    serve(scenario)


def test_a_page_that_takes_nothing_in_is_dropped_and_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_link, "SEND_TIMEOUT_S", 0.3)

    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        stuck = await _stuck_page(server.port)
        async with page(client) as quick:
            await next_of(quick, "views")
            with RingWriter(tmp_path, "v1", slot_bytes=1_000_000) as ring:
                meta = msgspec.msgpack.encode(EncodedMeta(62_500, 0))
                backend.views_ = shown()
                backend.feeds_ = {"v1": RingFeed(ring.path, StreamFormat.VIEW, 1000.0)}
                server.changed(Topic.VIEWS)
                payload = np.zeros(1_000_000, np.uint8)
                got = 0
                while server.pages == 2 or got < 5:
                    ring.write(payload, stamp_s=asyncio.get_running_loop().time(), meta=meta)
                    await next_sample(quick)
                    got += 1
        stuck.close()

    serve(scenario)


def test_a_page_that_cannot_follow_the_events_is_dropped() -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        stuck = await _stuck_page(server.port)
        text = "x" * 10_000
        line = EventLine(1, 0.0, 0.0, "doing", text)
        for _ in range(MOST_WAITING + 1):  # without giving the writer a turn
            server.event(line)
        while server.pages:
            await asyncio.sleep(0)
        stuck.close()

    serve(scenario)


async def _stuck_page(port: int) -> socket.socket:
    """A page that has connected and never reads."""
    loop = asyncio.get_running_loop()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await loop.sock_connect(raw, ("127.0.0.1", port))
    request = (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Authorization: Bearer {TOKEN}\r\n\r\n"
    )
    await loop.sock_sendall(raw, request.encode())
    assert b"101" in await loop.sock_recv(raw, 16)
    return raw


# ---------------------------------------------------------------- life


def test_a_port_that_is_taken_is_explained() -> None:
    async def whole() -> None:
        async with ConsoleServer(ScriptedBackend(), port=0) as first:
            with pytest.raises(InstallationError) as caught:
                async with ConsoleServer(ScriptedBackend(), port=first.port):
                    pass
        assert f"by process {os.getpid()}" in str(caught.value)
        assert f"--port {first.port + 10}" in str(caught.value)

    asyncio.run(whole())


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_that_is_not_ours_is_explained(host: str) -> None:
    async def whole() -> None:
        with pytest.raises(InstallationError, match="cannot listen"):
            async with ConsoleServer(ScriptedBackend(), host=host, port=0):
                pass

    asyncio.run(whole())


def test_fifty_pages_that_come_and_go_leave_nothing(tmp_path: Path) -> None:
    async def scenario(
        server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        with RingWriter(tmp_path, "v1", slot_bytes=100) as ring:
            ring.write(b"\x00" * 16, stamp_s=0.0, meta=msgspec.msgpack.encode(EncodedMeta(1, 0)))
            backend.views_, backend.feeds_ = shown(), {"v1": RingFeed(ring.path, StreamFormat.VIEW)}

            async def visit(politely: bool) -> None:
                async with aiohttp.ClientSession(server.address) as visitor:
                    socket_ = await visitor.ws_connect("/ws", headers=BEARER)
                    await next_of(socket_, "views")
                    if politely:
                        await socket_.close()
                    elif (transport := socket_.get_extra_info("socket")) is not None:
                        transport.shutdown(socket.SHUT_RDWR)
                while server.pages:
                    await asyncio.sleep(0)
                await asyncio.sleep(0)

            await visit(politely=True)  # what is made once is made now
            await _settled()
            before = _held()
            for number in range(50):
                await visit(politely=number % 2 == 0)
            await _settled()
            assert _held() == before

    serve(scenario)


async def _settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)
    gc.collect()


def _held() -> tuple[int, int]:
    """Tasks of this loop and open descriptors of this process."""
    return len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))
