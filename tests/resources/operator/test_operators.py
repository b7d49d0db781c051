"""What pages say and are told, beside their hands: stops, lists, who drives. With scripted links."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from resources.operator.operators import NOT_YET
from resources.operator.orders import SeatOf
from resources.operator.protocol import (
    Done,
    Health,
    PointAt,
    Said,
    StopConfirmed,
    StopNow,
    Tracking,
)
from resources.types.operator_client import Seat, SeatOrder
from tests.resources.operator.serving import (
    Harness,
    Scenario,
    browser,
    connected,
    next_of,
    serve,
)

Client = aiohttp.ClientSession


def paired_scenario(play: Any) -> Scenario:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, link = await connected(harness, client)
        await play(harness, link)
        await socket.close()

    return scenario


def test_a_stop_is_latched_in_this_process_and_shown_at_once(tmp_path: Path) -> None:
    async def play(harness: Harness, link: Any) -> None:
        link.told.clear()
        link.page_says(StopNow())
        assert harness.stop.is_latched
        assert harness.stop.reason == "phone 1 stopped everything"
        health, confirmed = link.told
        assert health.emergency == "you stopped everything"
        assert confirmed == StopConfirmed("", True)
        harness.stop.reset(harness.stop.token)
        harness.operators.look()
        assert link.told[-1].emergency == ""

    serve(paired_scenario(play), tmp_path)


def test_a_page_without_a_link_stops_by_https_and_nobody_else_does(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: aiohttp.ClientSession) -> None:
        await harness.pair(client)
        async with browser(harness) as other:
            for who, headers in (
                (other, harness.origin),  # no secret
                (client, {}),  # no page
                (client, {"Origin": "https://elsewhere.example"}),
            ):
                async with who.post("/stop", headers=headers) as answer:
                    assert answer.status in (401, 403)
        assert not harness.stop.is_latched
        for _ in range(300):  # past every limit
            async with client.get("/pair"):
                pass
        async with client.post("/stop", headers=harness.origin) as answer:
            assert await answer.json() == {"type": "stop_confirmed", "id": "", "latched": True}
        assert harness.stop.reason == "phone 1 stopped everything"

    serve(scenario, tmp_path)


PRESS = "0123456789ab-1"


def test_a_press_latches_once_by_whatever_way_it_comes_and_never_again_after_its_reset(
    tmp_path: Path,
) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        socket, link = await connected(harness, client)
        stop = {"type": "stop_now", "id": PRESS}

        async def by_link() -> bool:
            link.page_says(StopNow(PRESS))
            assert isinstance(link.told[-1], StopConfirmed) and link.told[-1].id == PRESS
            return link.told[-1].latched

        async def by_signalling() -> bool:
            await socket.send_json(stop)
            confirmed = await next_of(socket, "stop_confirmed")
            assert confirmed["id"] == PRESS
            return bool(confirmed["latched"])

        async def by_https() -> bool:
            async with client.post("/stop", headers=harness.origin, json=stop) as answer:
                confirmed = await answer.json()
            assert confirmed["id"] == PRESS
            return bool(confirmed["latched"])

        ways = (by_link, by_signalling, by_https)
        assert [await way() for way in ways] == [True, True, True]
        latched = harness.stop.token
        assert harness.stop.reset(latched), "the duplicates have set no stop of their own"
        assert [await way() for way in ways] == [False, False, False]
        assert not harness.stop.is_latched
        link.page_says(StopNow("0123456789ab-2"))
        assert harness.stop.is_latched and harness.stop.latest != latched
        await socket.close()

    serve(scenario, tmp_path)


@pytest.mark.parametrize(
    "body", [b"", b"{{{", b'{"type":"stop_now","id":5}', b'{"type":"stop_now","id":"x"}']
)
def test_whatever_stands_in_its_body_a_stop_is_a_stop_each_time(tmp_path: Path, body: bytes) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        for _ in range(2):
            async with client.post("/stop", headers=harness.origin, data=body) as answer:
                assert (await answer.json())["latched"]
            assert harness.stop.reset(harness.stop.token)

    serve(scenario, tmp_path)


def test_a_page_that_was_replaced_hears_that_its_stop_was_taken(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        old_socket, old = await connected(harness, client)
        socket, link = await connected(harness, client)
        link.told.clear()
        old.page_says(StopNow(PRESS))
        assert harness.stop.is_latched and old.told[-1] == StopConfirmed(PRESS, True)
        assert not any(isinstance(each, StopConfirmed) for each in link.told)
        for each in (old_socket, socket):
            await each.close()

    serve(scenario, tmp_path)


def test_the_page_is_told_that_the_main_process_hangs(tmp_path: Path) -> None:
    async def play(harness: Harness, link: Any) -> None:
        harness.stop.beat(harness.now_s())
        harness.ahead_s += 0.8
        harness.operators.look()
        assert link.told[-1].heard_age_s == pytest.approx(0.8, abs=0.2)
        harness.ahead_s += 2.2
        harness.operators.look()
        assert link.told[-1].heard_age_s == pytest.approx(3.0, abs=0.2)
        count = len(link.told)
        harness.operators.look()
        assert len(link.told) == count, "twice a second"

    serve(paired_scenario(play), tmp_path)


def test_before_the_main_process_has_told_where_it_is_instructions_are_refused(tmp_path: Path) -> None:
    async def play(_: Harness, link: Any) -> None:
        link.page_says(Said("a", "home"))
        assert link.told[-1] == Done("a", False, NOT_YET)

    serve(paired_scenario(play), tmp_path)


def test_what_a_page_says_of_itself_is_shown_in_lists(tmp_path: Path) -> None:
    async def play(harness: Harness, link: Any) -> None:
        link.page_says(Tracking("orientation and touch: " + "x" * 1000))
        link.page_says(PointAt((1.0, 2.0, 3.0), (0.0, 0.0, -1.0)))
        link.health_ = Health(rtt_ms=(3.14159, 9.0), words="your clock stepped")
        (line,) = harness.operators.lines()
        assert line.tracking.startswith("orientation and touch")
        assert len(line.tracking) == 300
        assert line.points_at == (1.0, 2.0, 3.0, 0.0, 0.0, -1.0)
        assert line.rtt_ms == 3.1
        assert line.words == "your clock stepped"
        link.health_ = Health(rtt_ms=(3.9, 9.0), words="your clock stepped")
        assert harness.operators.lines() == (line,), "nobody is told of every tenth of a millisecond"
        assert abs(time.monotonic() - line.pointed_s) < 60.0

    serve(paired_scenario(play), tmp_path)


def test_one_drives_and_all_others_watch_and_know_who_drives(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        links = []
        for _ in range(2):
            client.headers.clear()
            await harness.pair(client)
            links.append((await connected(harness, client))[1])
        ready = SeatOrder(Seat.READY, words="press the clutch")
        harness.operators.seat_of(SeatOf("phone 2", ready, "phone 2"))
        assert links[0].seats[-1] == (SeatOrder(Seat.WATCHING), "phone 2")
        assert links[1].seats[-1] == (ready, "phone 2")
        assert [line.driving for line in harness.operators.lines()] == [False, True]
        harness.operators.seat_of(SeatOf(links[0].session.id, ready, "phone 1"))
        assert [line.driving for line in harness.operators.lines()] == [True, False]
        harness.operators.seat_of(SeatOf("", SeatOrder(Seat.WATCHING)))
        assert [line.driving for line in harness.operators.lines()] == [False, False]

    serve(scenario, tmp_path)
