"""The event bus: in order, for everybody, late or slow or broken listeners included."""

from __future__ import annotations

import asyncio
import logging

import pytest

from framework.supervisor import Event, EventBus, EventKind
from framework.testing import run


def test_a_late_listener_gets_the_history() -> None:
    bus = EventBus()
    for number in range(5):
        bus.emit(EventKind.DOING, str(number))
    heard: list[str] = []
    end = bus.listen(lambda event: heard.append(event.text), since=3)
    bus.emit(EventKind.DOING, "5")
    end()
    end()
    bus.emit(EventKind.DOING, "6")
    assert heard == ["3", "4", "5"]


def test_the_history_is_bounded() -> None:
    bus = EventBus(history=10)
    for number in range(100):
        bus.emit(EventKind.DOING, str(number))
    assert [event.text for event in bus.history()] == [str(number) for number in range(90, 100)]
    assert bus.last_sequence == 100


def test_a_broken_listener_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard = EventBus(), list[Event]()

    def broken(event: Event) -> None:
        raise KeyError("scripted")

    bus.listen(broken)
    bus.listen(heard.append)
    with caplog.at_level(logging.ERROR):
        bus.emit(EventKind.DOING, "x")
    assert [event.text for event in heard] == ["x"]
    assert "a listener failed" in caplog.text


def test_what_a_listener_says_comes_after_what_it_heard() -> None:
    bus, heard = EventBus(), list[str]()
    bus.listen(lambda event: event.text == "one" and bus.emit(EventKind.DOING, "two"))  # type: ignore[arg-type]
    bus.listen(lambda event: heard.append(event.text))
    bus.emit(EventKind.DOING, "one")
    assert heard == ["one", "two"]


def test_following_misses_nothing_and_says_what_was_lost() -> None:
    async def main() -> None:
        bus = EventBus(history=5)
        bus.emit(EventKind.DOING, "before")
        heard: list[str] = []

        async def follow() -> None:
            async for event in bus.follow(since=0):
                heard.append(event.text)
                if event.text == "slow":
                    await asyncio.sleep(1.0)
                if event.text == "last":
                    return

        task = asyncio.create_task(follow())
        await asyncio.sleep(0.1)
        bus.emit(EventKind.DOING, "slow")
        await asyncio.sleep(0.1)
        for number in range(20):
            bus.emit(EventKind.DOING, str(number))
        bus.emit(EventKind.DOING, "last")
        await task
        lost = "16 events were lost, because they were not read in time."
        assert heard == ["before", "slow", lost, "16", "17", "18", "19", "last"]

    run(main)
