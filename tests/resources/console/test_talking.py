"""Hold to talk over the console's socket: who is heard, what is refused, and that a flood ends."""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from framework.loop_lag import LoopLag
from resources.console.commands import hung_words
from resources.console.page_link import MOST_EXCESS
from resources.console.server import ConsoleServer
from resources.web.sound_packets import BLOCKS_AT_ONCE, SoundPacket, encode_sound
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.console.serving import next_of, page, serve

SOUND = bytes(1024)
Socket = aiohttp.ClientWebSocketResponse


async def begin(socket_: Socket, talk: int) -> dict[str, object]:
    await socket_.send_str(json.dumps({"type": "begin_talk", "id": "t", "talk": talk}))
    return await next_of(socket_, "reply")


async def send(socket_: Socket, talk: int, sequence: int, *, is_last: bool = False) -> None:
    await socket_.send_bytes(encode_sound(SoundPacket(talk, sequence, SOUND, is_last)))


def test_a_page_is_heard_while_it_talks_and_only_it_is_told_what() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_, page(client) as other:
            who = (await next_of(socket_, "hello"))["who"]
            await socket_.send_str('{"type":"begin_talk","id":"t","talk":1}')
            assert (await next_of(socket_, "heard"))["state"] == "starting"
            assert (await next_of(socket_, "reply"))["ok"]
            await send(socket_, 1, 0)
            heard = await next_of(socket_, "heard")
            assert (heard["state"], heard["text"]) == ("listening", "1 blocks")
            await send(socket_, 1, 1, is_last=True)
            assert (await next_of(socket_, "heard"))["state"] == "over"
            await other.send_str('{"type":"complete","id":"c","text":"show"}')
            while (message := json.loads((await other.receive()).data))["type"] != "completed":
                assert message["type"] != "heard"
        assert backend.asked == [f"{who}: talk 1", f"{who}: said after 2 blocks", f"{who}: gone"]

    serve(scenario)


def test_what_is_refused_is_said_in_words_and_the_page_stays() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await send(socket_, 1, 0)
            assert "no talk has begun at this page" in (await next_of(socket_, "reply"))["text"]
            refused = await begin(socket_, 13)
            assert not refused["ok"] and "4 people talk at once" in str(refused["text"])
            await begin(socket_, 1)
            await send(socket_, 1, 100)
            assert "block 100 is none" in (await next_of(socket_, "reply"))["text"]
            await socket_.send_bytes(encode_sound(SoundPacket(1, 0, SOUND))[:-1])
            assert "in 1039 bytes" in (await next_of(socket_, "reply"))["text"]
            await socket_.send_str('{"type":"begin_talk","id":"t","talk":-1}')
            assert "not understood" in (await next_of(socket_, "reply"))["text"]
            assert (await begin(socket_, 2))["ok"]

    serve(scenario)


def test_what_may_have_been_said_while_the_main_process_hung_is_not_heard_afterwards() -> None:
    lag = LoopLag()

    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await begin(socket_, 1)
            await send(socket_, 1, 0)
            while (await next_of(socket_, "heard"))["text"] != "1 blocks":
                pass
            lag.note(8.0, asyncio.get_running_loop().time() + 3600.0)  # it has just turned again
            await send(socket_, 1, 1, is_last=True)
            refused = await next_of(socket_, "reply")
            assert not refused["ok"] and hung_words(8.0) in str(refused["text"])
            refused = await begin(socket_, 2)
            assert (refused["ok"], refused["text"]) == (False, hung_words(8.0))
        assert not any("said" in each for each in backend.asked)

    serve(scenario, lag)


@pytest.mark.parametrize("talks", [True, False])
def test_who_floods_with_sound_is_dropped(talks: bool) -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            if talks:
                await begin(socket_, 1)
            for _each in range(int(BLOCKS_AT_ONCE) + MOST_EXCESS + 50):
                await send(socket_, 1, 0)
            while (frame := await socket_.receive()).type in (
                aiohttp.WSMsgType.TEXT,
                aiohttp.WSMsgType.BINARY,
            ):
                pass
            assert frame.type is aiohttp.WSMsgType.CLOSE
            assert frame.data == aiohttp.WSCloseCode.POLICY_VIOLATION

    serve(scenario)


def test_a_page_that_goes_while_it_talks_is_given_up() -> None:
    async def scenario(_: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession) -> None:
        async with page(client) as socket_:
            await begin(socket_, 1)
            await send(socket_, 1, 0)
            await next_of(socket_, "heard")
        async with page(client) as other:
            await next_of(other, "hello")
            assert backend.asked[-1].endswith("gone")

    serve(scenario)
