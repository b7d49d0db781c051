"""A relay on loopback between a client and a server: it can cut, refuse, and hold everything back."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Protocol, Self

HOST = "127.0.0.2"
"""Another address of loopback: a server that has that name, too, is asked under its own port."""


class HasPort(Protocol):
    """A server that listens."""

    port: int


class Relay:
    """Listens at `HOST`, at the port that `target` has on 127.0.0.1, and passes bytes on to that one.

    refusing: connections to come are closed at once. passed: how often something was passed on.
    """

    def __init__(self, target: HasPort) -> None:
        self.refusing = False
        self.passed = 0
        self._target = target
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._pumps: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, HOST, self._target.port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def cut(self) -> None:
        """End every connection, without a goodbye."""
        for writer in self._writers:
            writer.transport.abort()

    def hold(self) -> None:
        """Pass nothing on any more, and keep what comes: the other end hangs."""
        self._flowing.clear()

    def go_on(self) -> None:
        """Pass on what was held back, too."""
        self._flowing.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.transport.abort()
            return
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target.port)
        for pumped in ((reader, there_writer), (there_reader, writer)):
            pump = asyncio.create_task(self._pump(*pumped))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while content := await reader.read(65536):
                await self._flowing.wait()
                self.passed += 1
                writer.write(content)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()
