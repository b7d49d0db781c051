"""Who stands at the door: connections are counted from their first packet, and nobody stands there for long.

A connection costs a descriptor and memory before anything is known of who makes it. So there are only so
many, of one address and in all; whoever has not finished a TLS handshake, or not asked anything, in time is
sent away; and whoever is known by a secret is never sent away for somebody who is not. What is asked for is
not known here.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

MOST_CONNECTIONS: Final = 128
MOST_OF_ONE_ADDRESS: Final = 32
"""A browser opens six, and a WebSocket."""

HANDSHAKE_S: Final = 5.0
FIRST_REQUEST_S: Final = 10.0
"""After coming in [s], both."""

SILENT: Final = logging.Logger("aiohttp.server", logging.CRITICAL + 1)
"""For what never was a request: aiohttp would log each with a traceback and its text, token and all."""

_GOODBYE_S: Final = 1.0


class Guest:
    """One connection. way: its transport below TLS; address: where it comes from."""

    def __init__(self, way: asyncio.Transport) -> None:
        self.way = way
        self.has_asked = False
        self.is_known = False
        self.name: object = way.get_extra_info("peername")
        self.address = self.name[0] if isinstance(self.name, tuple) else ""


class Guests:
    """All connections of a server, at whichever of its places."""

    def __init__(self, most: int = MOST_CONNECTIONS, most_of_one: int = MOST_OF_ONE_ADDRESS) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._present: list[Guest] = []  # in the order in which they came

    def __len__(self) -> int:
        self._forget()
        return len(self._present)

    def comes(self, way: asyncio.Transport) -> bool:
        """Somebody comes; whether there is room. Who is not known may have to go, the longest here first."""
        self._forget()
        guest = Guest(way)
        same = [each for each in self._present if each.address == guest.address]
        if len(same) >= self._most_of_one and not self._sends_away(same):
            return False
        if len(self._present) >= self._most and not self._sends_away(self._present):
            return False
        self._present.append(guest)
        asyncio.get_running_loop().call_later(FIRST_REQUEST_S, self._look_at, guest)
        return True

    def asks(self, way: asyncio.BaseTransport | None) -> None:
        """A whole request came."""
        for guest in self._of(way):
            guest.has_asked = True

    def is_known(self, way: asyncio.BaseTransport | None) -> None:
        """It came from somebody who was let in."""
        for guest in self._of(way):
            guest.is_known = True

    def _of(self, way: asyncio.BaseTransport | None) -> list[Guest]:
        name = None if way is None else way.get_extra_info("peername")
        return [each for each in self._present if each.name == name]

    def _forget(self) -> None:
        self._present = [each for each in self._present if not each.way.is_closing()]

    def _sends_away(self, guests: list[Guest]) -> bool:
        strangers = [each for each in guests if not each.is_known]
        if strangers:
            silent = next((each for each in strangers if not each.has_asked), strangers[0])
            silent.way.abort()
            self._forget()
        return bool(strangers)

    def _look_at(self, guest: Guest) -> None:
        if not guest.has_asked:
            guest.way.abort()


class DoorSite(web.BaseSite):
    """A listening socket of a server.

    Parameters
        context: for TLS, or None for plain http.
    """

    def __init__(
        self, runner: web.AppRunner, listening: socket.socket, guests: Guests, context: ssl.SSLContext | None
    ) -> None:
        super().__init__(runner)
        self._listening = listening
        self._guests = guests
        self._context = context
        self._securing: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self._listening.getsockname()}"

    async def start(self) -> None:
        """Listen from now on."""
        await super().start()
        serve = self._runner.server
        assert serve is not None, "the runner is set up"
        self._server = await asyncio.get_running_loop().create_server(
            lambda: _Doorstep(serve, self._guests, self._context, self._securing), sock=self._listening
        )

    async def stop(self) -> None:
        """Let nobody in any more, and send away whoever still shakes hands."""
        await super().stop()
        for task in self._securing:
            task.cancel()
        await asyncio.gather(*self._securing, return_exceptions=True)


class _Doorstep(asyncio.Protocol):
    """Of a connection, until it is let through to http."""

    def __init__(
        self,
        serve: Callable[[], asyncio.Protocol],
        guests: Guests,
        context: ssl.SSLContext | None,
        securing: set[asyncio.Task[None]],
    ) -> None:
        self._serve = serve
        self._guests = guests
        self._context = context
        self._early: list[bytes] = []  # came in the same packet as the end of the handshake
        self._has_ended = False
        self._securing = securing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._guests.comes(transport):
            transport.abort()
        elif self._context is None:
            self._let_through(transport)
        else:
            transport.pause_reading()
            task = asyncio.get_running_loop().create_task(self._secure(transport, self._context))
            self._securing.add(task)
            task.add_done_callback(self._securing.discard)

    def data_received(self, data: bytes) -> None:
        self._early.append(data)

    def eof_received(self) -> None:
        self._has_ended = True

    def connection_lost(self, exc: Exception | None) -> None:
        self._has_ended = True

    async def _secure(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
        secured: Any = None
        try:
            secured = await asyncio.get_running_loop().start_tls(
                transport,
                self,
                context,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=_GOODBYE_S,
            )
        except OSError:  # no handshake, a wrong one, or none in time
            return
        finally:
            if secured is None:
                transport.abort()
        if self._has_ended:
            transport.abort()
        elif secured is not None:  # None: it was sent away meanwhile
            self._let_through(secured)

    def _let_through(self, transport: asyncio.Transport) -> None:
        served = self._serve()
        transport.set_protocol(served)
        served.connection_made(transport)
        for data in self._early:
            served.data_received(data)
        self._early.clear()
