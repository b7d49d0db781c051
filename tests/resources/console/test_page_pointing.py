"""Where somebody points at a page, on its way in: what is refused, how much is taken, when it is over."""

from __future__ import annotations

import json
import math

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.unreadable import UNREADABLE
from resources.console.page_pointing import BURST, MOST_EXCESS, PagePointing
from resources.console.server import ConsoleServer
from resources.web.page_messages import POINTS_PER_S, PagePoint, PointAt, decode_page_message
from resources.web.protocol import PointedAt, Reply
from tests.effort import random_inputs
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.console.serving import next_of, page, serve

AT = PagePoint((1.0, 2.0, 3.0), (0.0, 0.6, -0.8), 4.0)
THERE, NOWHERE = PointAt("point", AT), PointAt("point", None)


def changed(**changes: object) -> str:
    """Somewhere, with some of its numbers changed."""
    place: dict[str, object] = {"origin": [1.0, 2.0, 3.0], "direction": [0.0, 0.6, -0.8], "meets_m": 4.0}
    message: dict[str, object] = {"type": "point_at", "id": "point", "at": place}
    for name, value in changes.items():
        (place if name in place else message)[name] = value
    return json.dumps(message)


def test_it_is_what_the_page_sends() -> None:
    assert decode_page_message(changed()) == THERE
    assert decode_page_message(changed(at=None)) == NOWHERE
    sky = decode_page_message(changed(meets_m=None))
    assert isinstance(sky, PointAt) and sky.at is not None and sky.at.meets_m is None


@pytest.mark.parametrize(
    "text",
    [
        changed(origin=[1.0, 2.0]),
        changed(origin=[1.0, 2.0, 1000.1]),
        changed(origin=[math.nan, 0.0, 0.0]),
        changed(origin=[math.inf, 0.0, 0.0]),
        changed(origin=None),
        changed(direction=[0.0, 0.0, 1.1]),
        changed(direction=[0.0, 0.0, 0.0, 1.0]),
        changed(direction=["up", 0.0, 0.0]),
        changed(meets_m=-0.1),
        changed(meets_m=1000.1),
        changed(meets_m="far"),
        changed(who="console page 2"),
        changed(at="there"),
        changed().replace("4.0", "1e999"),
        '{"type": "point_at", "id": "point"}',
        '{"type": "point_at", "at": null}',
    ],
)
def test_what_is_no_pointing_is_refused(text: str) -> None:
    with pytest.raises(UNREADABLE):
        decode_page_message(text)


@random_inputs(300)
@given(st.integers(0, 200), st.binary(max_size=4), st.integers(0, 3))
def test_no_damaged_one_raises_anything_else(place: int, garbage: bytes, cut: int) -> None:
    text = changed().encode()
    place %= len(text)
    damaged = text[:place] + garbage + text[place + cut :]
    try:
        found = decode_page_message(damaged.decode("utf-8", "surrogateescape"))
    except (UnicodeError, *UNREADABLE):
        return
    assert isinstance(found, PointAt)
    if found.at is not None:
        assert all(abs(value) <= 1000.0 for value in (*found.at.origin, *found.at.direction))


class Clocked:
    """What a page points at, on a clock of the test."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.backend = ScriptedBackend()
        self.told: list[PointedAt] = []
        self.pointing = PagePointing(self.backend, "ann", self.told.append, monotonic_s=lambda: self.now_s)

    def point(self, times: int, per_s: float, message: PointAt = THERE) -> list[Reply]:
        """So often, so fast. What was answered."""
        answers = []
        for _ in range(times):
            self.now_s += 1.0 / per_s
            answers.append(self.pointing.take(message))
        return [answer for answer in answers if answer is not None]


def test_the_page_is_told_what_it_points_at_when_that_is_another() -> None:
    page_ = Clocked()
    assert page_.point(20, POINTS_PER_S) == []
    assert page_.told == [PointedAt(("red cup",))]
    page_.backend.points_at = ("red cup", "blue cup")
    page_.point(5, POINTS_PER_S)
    page_.point(2, POINTS_PER_S, NOWHERE)
    assert page_.told[1:] == [PointedAt(("red cup", "blue cup")), PointedAt()]
    assert page_.backend.points == {"ann": None}


def test_more_than_the_limit_is_dropped_but_never_that_it_is_over() -> None:
    page_ = Clocked()
    page_.point(5000, 50_000.0)
    assert page_.pointing.is_flooded and MOST_EXCESS < 5000 - BURST
    assert page_.backend.points == {"ann": AT}
    page_.point(1, 50_000.0, NOWHERE)
    assert page_.backend.points == {"ann": None}


def test_a_refusal_is_answered() -> None:
    page_ = Clocked()
    still = PointAt("point", PagePoint((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    assert page_.point(1, 1.0, still) == [Reply("point", False, "that is no direction")]


def test_who_has_gone_points_nowhere() -> None:
    page_ = Clocked()
    page_.pointing.close()
    assert page_.backend.points == {}
    page_.point(1, POINTS_PER_S)
    page_.pointing.close()
    page_.pointing.close()
    assert page_.backend.points == {"ann": None}


def test_over_the_socket_each_page_for_itself_and_a_flood_ends_it() -> None:
    async def scenario(
        _server: ConsoleServer, backend: ScriptedBackend, client: aiohttp.ClientSession
    ) -> None:
        async with page(client) as other, page(client) as flood:
            await other.send_str(changed())
            assert (await next_of(other, "pointed_at"))["names"] == ["red cup"]
            assert backend.points == {"console page 1": AT}
            for _ in range(MOST_EXCESS + 400):
                await flood.send_str(changed())
            async for frame in flood:
                assert frame.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY)
            assert flood.close_code == aiohttp.WSCloseCode.POLICY_VIOLATION
            # What it says after that is still what it pointed at, and not the flood's.
            assert backend.points["console page 1"] == AT
            await other.send_str(json.dumps({"type": "say", "id": "1", "text": "look at that"}))
            await next_of(other, "reply")

    serve(scenario)
