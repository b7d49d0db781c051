"""A page without a browser: connects to the console as a page does, and notes when which samples arrive."""

from __future__ import annotations

import asyncio
import struct
import time
from types import TracebackType
from typing import Final, Self

import aiohttp
import msgspec

from resources.console.server import ConsoleServer
from resources.web.protocol import SampleHeader, Views

_LENGTH: Final = struct.Struct("<I")
_header = msgspec.json.Decoder(SampleHeader).decode


class ConsoleWatcher:
    """Entered, it is a page of `server`. Times are CLOCK_MONOTONIC [s]."""

    def __init__(self, server: ConsoleServer) -> None:
        self._server = server
        self._streams: dict[str, str] = {}
        self._arrived = asyncio.Event()
        self._last: dict[str, tuple[float, float]] = {}

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(headers={"Authorization": f"Bearer {self._server.token}"})
        self._socket = await self._session.ws_connect(self._server.address + "ws", max_msg_size=0)
        self._task = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._socket.close()
        await self._session.close()

    @property
    def views(self) -> frozenset[str]:
        """All views that are on the page now."""
        return frozenset(self._streams)

    async def sample_of(
        self, stream: str, *, taken_after_s: float, within_s: float, besides: frozenset[str] = frozenset()
    ) -> float:
        """When a sample of `stream` that was taken after that moment arrived, in a view that is none of
        `besides`; raises TimeoutError."""
        async with asyncio.timeout(within_s):
            while True:
                self._arrived.clear()
                for view, (arrived_s, taken_s) in self._last.items():
                    is_right = self._streams.get(view) == stream and view not in besides
                    if is_right and taken_s > taken_after_s:
                        return arrived_s
                await self._arrived.wait()

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is aiohttp.WSMsgType.BINARY:
                self._note(message.data)
            elif message.type is aiohttp.WSMsgType.TEXT and '"type":"views"' in message.data[:40]:
                views = msgspec.json.decode(message.data, type=Views)
                self._streams = {view.id: view.stream for view in views.views}

    def _note(self, data: bytes) -> None:
        now_s = time.monotonic()
        (length,) = _LENGTH.unpack_from(data)
        header = _header(data[_LENGTH.size : _LENGTH.size + length])
        self._last[header.view] = (now_s, now_s - header.age_s)
        self._arrived.set()
