"""The hands of a page's camera, on their way in: what is refused, how many are taken, when they are off."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.unreadable import UNREADABLE
from resources.console.page_hands import BURST, MOST_EXCESS, PageHands
from resources.console.server import ConsoleServer
from resources.types.gestures import GestureKind
from resources.types.masters import HandSide
from resources.web.page_messages import HANDS_PER_S, HandsSeen, PageHand, WatchHands, decode_page_message
from resources.web.protocol import GesturesSeen, HandShown, Reply
from tests.effort import random_inputs
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.console.serving import next_of, page, serve

POINTS = tuple((0.01 * number, 0.02, -0.03) for number in range(21))
HAND = PageHand(HandSide.LEFT, 0.9, POINTS)
SEEN = HandsSeen("hands", 40.0, (HAND,))
ON, OFF = WatchHands("1", True), WatchHands("2", False)


def changed(**changes: object) -> str:
    """A picture of one hand with some of its numbers changed."""
    hand = {"side": "left", "confidence": 0.9, "points": [list(point) for point in POINTS]}
    message = {"type": "hands_seen", "id": "hands", "age_ms": 40.0, "hands": [hand]}
    for name, value in changes.items():
        (hand if name in hand else message)[name] = value
    return json.dumps(message)


def test_a_picture_is_what_the_page_sends() -> None:
    assert decode_page_message(changed()) == SEEN
    assert decode_page_message(changed(hands=[])) == HandsSeen("hands", 40.0, ())


@pytest.mark.parametrize(
    "text",
    [
        changed(points=[]),
        changed(points=[[0.0, 0.0, 0.0]] * 20),
        changed(points=[[0.0, 0.0, 0.0]] * 22),
        changed(points=[[0.0, 0.0]] * 21),
        changed(points=[[0.0, 0.0, 10.1]] * 21),
        changed(points=[[math.nan, 0.0, 0.0]] * 21),
        changed(points=[[math.inf, 0.0, 0.0]] * 21),
        changed(points=[[0.0, 0.0, None]] * 21),
        changed(points="points"),
        changed(confidence=1.1),
        changed(confidence=-0.1),
        changed(confidence="sure"),
        changed(side="middle"),
        changed(age_ms=-1.0),
        changed(age_ms=1001.0),
        changed(age_ms=1e999),
        changed(hands=[json.loads(changed())["hands"][0]] * 3),
        changed(hands=None),
        changed(picture="of the room"),
        changed().replace("0.9", "1e999"),
        '{"type": "hands_seen", "id": "hands"}',
        '{"type": "watch_hands", "id": "1", "is_on": "yes"}',
        '{"type": "watch_hands", "id": "1"}',
    ],
)
def test_what_is_no_picture_of_hands_is_refused(text: str) -> None:
    with pytest.raises(UNREADABLE):
        decode_page_message(text)


@random_inputs(400)
@given(st.integers(0, 1500), st.binary(max_size=4), st.integers(0, 3))
def test_no_damaged_picture_raises_anything_else(place: int, garbage: bytes, cut: int) -> None:
    text = changed().encode()
    place %= len(text)
    damaged = text[:place] + garbage + text[place + cut :]
    try:
        found = decode_page_message(damaged.decode("utf-8", "surrogateescape"))
    except (UnicodeError, *UNREADABLE):
        return
    assert isinstance(found, HandsSeen)
    for hand in found.hands:
        assert len(hand.points) == 21 and 0.0 <= hand.confidence <= 1.0
        assert all(abs(value) <= 10.0 for point in hand.points for value in point)


class Clocked:
    """A page's hands on a clock of the test."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.backend = ScriptedBackend()
        self.told: list[GesturesSeen] = []
        self.hands = PageHands(self.backend, "ann", self.told.append, monotonic_s=lambda: self.now_s)

    def see(self, pictures: int, per_s: float) -> list[Reply]:
        """So many, so fast. What was answered."""
        answers = []
        for _ in range(pictures):
            self.now_s += 1.0 / per_s
            answers.append(self.hands.take(SEEN))
        return [answer for answer in answers if answer is not None]


def test_hands_are_taken_while_they_are_on() -> None:
    page_ = Clocked()
    (refused,) = page_.see(1, 30.0)
    assert not refused.ok and "off" in refused.text
    assert page_.hands.switch(ON).ok and page_.hands.switch(ON).ok
    (sink,) = page_.backend.hands
    assert page_.see(60, HANDS_PER_S) == []
    assert len(sink.seen) == 60
    assert page_.hands.switch(OFF).ok and page_.hands.switch(OFF).ok
    assert sink.is_closed
    assert len(page_.see(1, 30.0)) == 1 and len(sink.seen) == 60


def test_more_than_the_limit_are_dropped_and_a_flood_is_told() -> None:
    page_ = Clocked()
    page_.hands.switch(ON)
    assert page_.see(1000, 100.0) == []
    taken = len(page_.backend.hands[0].seen)
    assert 300 <= taken <= 1.1 * HANDS_PER_S * 10.0 + BURST
    assert not page_.hands.is_flooded
    page_.see(5000, 50_000.0)
    assert page_.hands.is_flooded
    assert len(page_.backend.hands[0].seen) - taken <= BURST + 4
    assert MOST_EXCESS < 5000


def test_a_refusal_of_the_installation_is_answered() -> None:
    page_ = Clocked()
    page_.backend.no_hands = "eight are watched already"
    assert page_.hands.switch(ON) == Reply("1", False, "eight are watched already")
    page_.backend.no_hands = ""
    page_.hands.switch(ON)
    page_.backend.hands[0].refuses = "these are no hands"
    assert page_.see(1, 30.0) == [Reply("hands", False, "these are no hands")]


def test_what_ends_late_ends_nothing_that_has_begun_since() -> None:
    page_ = Clocked()
    page_.hands.switch(ON)
    page_.hands.switch(OFF)
    page_.hands.switch(ON)
    first, second = page_.backend.hands
    first.show(GesturesSeen(False))
    assert page_.told == [] and page_.see(1, 30.0) == [] and len(second.seen) == 1
    second.show(GesturesSeen(False, why="its process died too often"))
    assert page_.told == [GesturesSeen(False, why="its process died too often")]
    assert page_.hands.switch(ON).ok and len(page_.backend.hands) == 3


async def send(socket_: aiohttp.ClientWebSocketResponse, **message: Any) -> None:
    await socket_.send_str(json.dumps(message))


def test_over_the_socket_and_off_when_the_page_goes() -> None:
    async def scenario(
        _server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as socket_:
            await send(socket_, type="watch_hands", id="7", is_on=True)
            assert (await next_of(socket_, "reply"))["ok"]
            (sink,) = backend.hands
            # Thirty a second, and among them what is none; the page is asked for nothing, and goes on.
            for _ in range(20):
                await socket_.send_str('{"type": "hands_seen"}')
                await socket_.send_str(changed())
                await asyncio.sleep(1 / HANDS_PER_S)
            assert len(sink.seen) == 20 and sink.seen[0] == SEEN
            sink.show(GesturesSeen(True, (HandShown(HandSide.LEFT, GestureKind.FIST, 0.9, 0.5),)))
            told = await next_of(socket_, "gestures_seen")
            assert told["hands"] == [{"side": "left", "kind": "fist", "confidence": 0.9, "held": 0.5}]
            # Other commands have a limit of their own.
            await send(socket_, type="say", id="8", text="show the environment")
            while (await next_of(socket_, "reply"))["id"] != "8":
                pass
        while not sink.is_closed:
            await asyncio.sleep(0.01)

    serve(scenario)


def test_a_page_that_floods_is_dropped_and_harms_no_other() -> None:
    async def scenario(
        _server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as other, page(client) as flood:
            await send(flood, type="watch_hands", id="1", is_on=True)
            for _ in range(MOST_EXCESS + 400):
                await flood.send_str(changed())
            await send(other, type="stop", id="s")
            await next_of(other, "reply")
            async for frame in flood:
                assert frame.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY)
            assert flood.close_code == aiohttp.WSCloseCode.POLICY_VIOLATION
            while not backend.hands[0].is_closed:  # it says goodbye first
                await asyncio.sleep(0)
            assert len(backend.hands[0].seen) < 100

    serve(scenario)
