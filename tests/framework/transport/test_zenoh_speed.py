"""A message there and back between two processes, beside a bare Zenoh query; `-m bench -s` prints both."""

from __future__ import annotations

import asyncio
import time

import pytest

from framework.transport.messages import Message, Release
from framework.transport.zenoh import ZenohTransport
from framework.transport.zenoh_session import ANYWHERE_HERE, ZenohSession
from tests.framework.transport.neighbours import Neighbour
from tests.framework.transport.recorder import Recorder

ROUNDS, WARM_UP = 4000, 200


class Figures:
    """Round trips [µs]."""

    def __init__(self, name: str, seconds: list[float]) -> None:
        ordered = sorted(1e6 * one for one in seconds[WARM_UP:])
        self.name = name
        self.median = ordered[len(ordered) // 2]
        self.p99 = ordered[int(0.99 * len(ordered))]

    def __str__(self) -> str:
        return f"{self.name}: median {self.median:.0f} µs, p99 {self.p99:.0f} µs"


class Waiting(Recorder):
    """Sets its future to whatever comes."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

    def receive(self, sender: str, message: Message) -> None:
        self.answer.set_result(message)


async def there_and_back(endpoint: str) -> Figures:
    """Our own: encoded, decoded, and handed over on both event loops."""
    with ZenohTransport(connect=(endpoint,)) as transport:
        waiting = Waiting()
        link = transport.join("asker", waiting)
        await waiting.until_seen("answerer")
        loop = asyncio.get_running_loop()
        message = Release("echo".ljust(80, "."))
        took_s = []
        for _ in range(ROUNDS):
            waiting.answer = loop.create_future()
            before_s = time.perf_counter()
            link.send("answerer", message)
            await waiting.answer
            took_s.append(time.perf_counter() - before_s)
        return Figures("message there and back", took_s)


def bare_query(endpoint: str) -> Figures:
    """Zenoh alone: no event loop, nothing encoded."""
    bare = ZenohSession((ANYWHERE_HERE,), (endpoint,), shared_memory=False)
    took_s = []
    try:
        for _ in range(ROUNDS):
            before_s = time.perf_counter()
            (reply,) = bare.zenoh.get("bare", payload=b"x" * 100)
            took_s.append(time.perf_counter() - before_s)
            assert reply.ok is not None
    finally:
        bare.close()
    return Figures("bare Zenoh query", took_s)


@pytest.mark.bench
def test_there_and_back_takes_hardly_longer_than_a_bare_query() -> None:
    answerer = Neighbour("answerer")
    try:
        endpoint = str(answerer.until("joined")["endpoint"])
        answerer.command("answer")
        bare = bare_query(str(answerer.until("answering")["endpoint"]))
        ours = asyncio.run(there_and_back(endpoint))
    finally:
        answerer.end()
    print(f"\n{bare}\n{ours}\nratio {ours.median / bare.median:.2f}")
    assert ours.median < 400  # each direction below 200 µs
    assert ours.median < 3 * bare.median
