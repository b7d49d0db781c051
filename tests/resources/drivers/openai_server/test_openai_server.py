"""A proposer's server that misbehaves in every way: the operator gets a sentence, never a surprise."""

from __future__ import annotations

import asyncio

import pytest

from framework.dialogue.proposal import ClarifyingQuestion
from framework.errors import InstallationError, ProposalError
from resources.drivers.openai_server import MOST_BYTES, OpenAIServer
from tests.resources.drivers.openai_server.server import (
    Handler,
    Served,
    breaks_off,
    drips,
    floods,
    hangs,
    says,
    sends,
    serving,
    swells,
)

QUESTION = ClarifyingQuestion("be brief", "make me happy", {"type": "object"})


def ask(handler: Handler, *, within_s: float = 5.0, key: str = "") -> tuple[str, Served]:
    async def play() -> tuple[str, Served]:
        async with (
            serving(handler) as served,
            OpenAIServer(served.address, "small", key=key, within_s=within_s) as server,
        ):
            return await server.answer(QUESTION), served

    return asyncio.run(play())


def test_the_models_words_come_back_as_they_are() -> None:
    answer, served = ask(says({"plan": None}), key="secret")
    assert answer == '{"plan": null}'
    body = served.bodies[0]
    assert body["temperature"] == 0 and body["model"] == "small"
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert served.headers[0]["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (sends(b"this is no JSON"), "no chat completion"),
        (sends(b""), "no chat completion"),
        (sends(b"\xff\xfe\x00"), "no chat completion"),
        (sends(b"[" * 100_000), "no chat completion"),
        (sends(b'{"answer": 42}'), "no chat completion"),
        (sends(b'{"choices": {}}'), "no chat completion"),
        (sends(b'{"choices": []}'), "no choices"),
        (sends(b'{"choices": [{"message": {}}]}'), "is empty"),
        (sends(b'{"choices": [{"message": {"refusal": "I will not"}}]}'), "refuses: I will not"),
        (sends(b'{"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]}'), "cut off"),
        (sends(b'{"error": "no such model"}', 404), "answered 404"),
        (sends(b"busy", 503), "answered 503"),
        (sends(b"", 307, Location="http://192.0.2.1/"), "answered 307"),
        (swells, "no chat completion"),
        (floods, f"{MOST_BYTES} bytes are the most"),
        (breaks_off, "cannot be asked"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_a_server_that_misbehaves(handler: Handler, words: str) -> None:
    with pytest.raises(ProposalError, match=words):
        ask(handler)


@pytest.mark.parametrize("handler", [hangs, drips])
def test_a_server_that_hangs_is_left_in_time(handler: Handler) -> None:
    async def play() -> None:
        async with serving(handler) as served:
            async with OpenAIServer(served.address, "small", within_s=0.2) as server:
                with pytest.raises(ProposalError, match=r"no answer within 0\.2 s"):
                    await server.answer(QUESTION)
            await asyncio.wait_for(served.hung_up.wait(), 5)  # the connection is not left behind

    asyncio.run(play())


def test_nobody_listens() -> None:
    async def play() -> None:
        async with serving(hangs) as served:
            address = served.address
        async with OpenAIServer(address, "small") as server:
            with pytest.raises(ProposalError, match="cannot be asked"):
                await server.answer(QUESTION)

    asyncio.run(play())


def test_who_is_not_entered_is_not_asked() -> None:
    with pytest.raises(ProposalError, match="entered first"):
        asyncio.run(OpenAIServer("http://localhost:1/v1", "small").answer(QUESTION))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "127.0.0.1:8080",
        "ftp://127.0.0.1/v1",
        "http://example.com/v1",
        "http://127.0.0.1.example.com/v1",
        "http://10.0.0.1:8080/v1",
        "http://0.0.0.0:8080/v1",
        "http://user:word@127.0.0.1/v1",
        "http://127.0.0.1/v1?x=1",
        "http://127.0.0.1:99999/v1",
        "http://[::1/v1",
    ],
)
def test_only_this_machine_is_asked(address: str) -> None:
    with pytest.raises(InstallationError, match=r"http://127\.0\.0\.1:8080/v1"):
        OpenAIServer(address, "small")


@pytest.mark.parametrize("address", ["http://localhost:1/v1", "http://127.0.0.2:8/v1/", "http://[::1]:8/v1"])
def test_loopback_in_every_spelling(address: str) -> None:
    OpenAIServer(address, "small")
