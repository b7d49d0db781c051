"""How a page signs in: with the first message of its WebSocket, which no other page can send for it.

Browsers send a host's cookies to every port of it, so nothing that lets anybody in is ever in a cookie; and
a script cannot set headers on a WebSocket. Until this message has come, nothing is told, and nothing else
taken. Programs send `Authorization: Bearer …` instead.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

import msgspec
from aiohttp import ClientConnectionResetError, WSCloseCode, WSMsgType, web

from framework.unreadable import UNREADABLE

WITHIN_S: Final = 5.0
"""A socket that has not signed in by then is closed [s]."""

MOST_CHARS: Final = 1000
MOST_WAITING: Final = 16
"""Sockets of a server that have not signed in yet."""

REFUSED_CODE: Final = 4401
"""Of a WebSocket that is closed because its secret opens nothing: to come back with it is no use."""

_GOODBYE_S: Final = 1.0


class SignIn(msgspec.Struct, frozen=True, tag="sign_in", tag_field="type", forbid_unknown_fields=True):
    """The first message of a page. secret: the token of the console's run, or an operator's session's."""

    secret: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


_decode: Final = msgspec.json.Decoder(SignIn).decode


class SigningIn:
    """The sockets of a server that have not signed in yet: a few; the oldest has to go for a new one.

    Whoever means to sign in does so at once, so strangers keep nobody out by waiting.
    """

    def __init__(self) -> None:
        self._waiting: list[asyncio.Timeout] = []

    async def secret(self, socket: web.WebSocketResponse) -> str:
        """What the first message of a prepared socket says; "" if that is none, or does not come in time.

        In that case the socket has been closed.
        """
        if len(self._waiting) >= MOST_WAITING:
            oldest = self._waiting.pop(0)
            if not oldest.expired():
                oldest.reschedule(asyncio.get_running_loop().time())
        timeout = asyncio.timeout(WITHIN_S)
        try:
            async with timeout:
                self._waiting.append(timeout)
                frame = await socket.receive()
        except TimeoutError:
            await closed(socket, WSCloseCode.POLICY_VIOLATION, "nothing was said here in time")
            return ""
        finally:
            if timeout in self._waiting:
                self._waiting.remove(timeout)
        try:
            if frame.type is not WSMsgType.TEXT or len(frame.data) > MOST_CHARS:
                raise ValueError
            return _decode(frame.data).secret
        except (ValueError, *UNREADABLE):
            await closed(socket, WSCloseCode.POLICY_VIOLATION, "the first message must say who this is")
            return ""


async def closed(socket: web.WebSocketResponse, code: int, words: str) -> None:
    """Close it, in words, without waiting long for a peer that does not listen."""
    try:
        async with asyncio.timeout(_GOODBYE_S):
            await socket.close(code=code, message=words.encode()[:120])
    except (TimeoutError, ClientConnectionResetError, ConnectionError):
        return
