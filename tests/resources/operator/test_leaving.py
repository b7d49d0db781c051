"""A connection that is ended while it connects: at whatever point that is, nothing of it runs on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from resources.operator.ice_additions import ice_connections
from tests.resources.operator.link_rig import PATIENCE_S, Rig

pytestmark = pytest.mark.real


class Way:
    """How far a connection has come: of one that connects, seen from inside."""

    def __init__(self, rig: Rig) -> None:
        self._peer: Any = rig.link._peers["control"]
        self._connection: Any = self._peer._connection
        self._ice: Any = ice_connections(self._connection)[0]

    @property
    def is_tried(self) -> bool:
        return any(pair.task is not None for pair in self._ice._check_list)

    @property
    def is_found_unnoticed(self) -> bool:
        """A way has answered, and what waits for that has not had its turn yet."""
        return self._ice._check_list_done and self._ice._query_consent_task is None

    @property
    def is_found(self) -> bool:
        return self._ice._query_consent_task is not None

    @property
    def is_greeted(self) -> bool:
        return bool(self._connection.sctp.transport.state == "connecting")

    @property
    def is_secret(self) -> bool:
        return bool(self._connection.sctp.transport.state == "connected")

    @property
    def watchers(self) -> list[str]:
        """Tasks that go on asking the other side whether it is there."""
        return [str(task) for task in asyncio.all_tasks() if "query_consent" in str(task.get_coro())]

    def takes_long_to_close(self) -> None:
        """As with a slow TURN server: its sockets close when everything that was under way has gone on."""
        connecting = self._peer._connecting
        for protocol in self._ice._protocols:
            protocol.close = partial(self._close_late, protocol.close, connecting)

    async def _close_late(
        self, close: Callable[[], Awaitable[None]], connecting: set[asyncio.Task[Any]]
    ) -> None:
        while not (self.is_found or all(task.done() for task in connecting)):
            await asyncio.sleep(0)
        await close()


POINTS: dict[str, Callable[[Way], bool]] = {
    "answered": lambda way: True,
    "ways are tried": lambda way: way.is_tried,
    "a way is found, unnoticed": lambda way: way.is_found_unnoticed,
    "a way is found": lambda way: way.is_found,
    "keys are agreed on": lambda way: way.is_greeted,
    "keys are known": lambda way: way.is_secret,
}


@pytest.mark.parametrize("first", ["we", "the page"])
@pytest.mark.parametrize("point", POINTS)
def test_nothing_is_left_of_a_connection_that_is_ended_while_it_connects(
    tmp_path: Path, point: str, first: str
) -> None:
    is_there = POINTS[point]

    async def whole() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(tmp_path) as rig:
            await rig.link.answer(await rig.page.answer(await rig.link.offer("control")))
            way = Way(rig)
            while not is_there(way):
                await asyncio.sleep(0)  # every turn is looked at: some of these points last one only
            leaving = [rig.link.close, rig.page.close]
            for leave in leaving if first == "we" else reversed(leaving):
                await leave()
            # What a connection starts by itself ends within these turns, or not at all.
            for _ in range(100):
                await asyncio.sleep(0)
            here = asyncio.current_task()
            assert [str(task.get_coro()) for task in asyncio.all_tasks() if task is not here] == []

    asyncio.run(whole())


def test_a_way_that_is_noticed_only_while_its_connection_is_closing_is_not_watched_any_more(
    tmp_path: Path,
) -> None:
    """Seen once: on a busy machine the way was noticed in the middle of the end, and looked at for ever."""

    async def whole() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(tmp_path) as rig:
            await rig.link.answer(await rig.page.answer(await rig.link.offer("control")))
            way = Way(rig)
            while not way.is_found_unnoticed:
                await asyncio.sleep(0)
            way.takes_long_to_close()
            await rig.link.close()
            await rig.page.close()
            assert way.watchers == []

    asyncio.run(whole())
