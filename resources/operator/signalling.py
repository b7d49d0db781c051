"""A page's WebSocket for signalling: the process offers, the page answers; then it may stay or go.

One that is not to come back is told so (`Refused`); one whose link has ended is let go, and comes back for a
new link. What is said on the link itself does not come by here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol

from aiohttp import ClientConnectionResetError, WSCloseCode, WSMsgType, web

from framework.errors import MalformedMessage, TransportError
from framework.unreadable import UNREADABLE
from resources.operator.bad_messages import BadMessages
from resources.operator.present import Link
from resources.operator.protocol import (
    MAX_SDP,
    Answer,
    Candidate,
    LinkName,
    Offer,
    OperatorSignal,
    Refused,
    StopConfirmed,
    StopNow,
    WayIn,
    decode_signal,
    encode_words,
)
from resources.web.rate_limit import RateLimit

MAX_BYTES: Final = 4 * MAX_SDP
SEND_TIMEOUT_S: Final = 10.0
"""A page that does not take a message in for so long is dropped."""

MESSAGES_PER_S: Final = 20.0
BURST: Final = 120.0  # two connections' candidates come all at once
_GOODBYE_S: Final = 1.0

_log = logging.getLogger(__name__)


def new_socket() -> web.WebSocketResponse:
    """A WebSocket for `Signalling`: one that takes little, and does not wait for who takes nothing."""
    return web.WebSocketResponse(
        heartbeat=10.0, compress=False, max_msg_size=MAX_BYTES, writer_limit=64 * 1024
    )


class SignalledLink(Link, Protocol):
    """A link that is made by offer and answer."""

    async def offer(self, link: LinkName) -> Offer: ...

    async def answer(self, answer: Answer) -> None: ...

    async def candidate(self, candidate: Candidate) -> None: ...


class Signalling:
    """One WebSocket, prepared. stop: called with each stop that comes by here; None: nobody is let in."""

    def __init__(
        self,
        request: web.Request,
        socket: web.WebSocketResponse,
        stop: Callable[[StopNow], StopConfirmed] | None,
    ) -> None:
        self._request = request
        self._socket = socket
        self._stop = stop
        self._limit = RateLimit(MESSAGES_PER_S, BURST)
        self._bad = BadMessages()
        self._link: SignalledLink | None = None
        self._over = asyncio.Event()
        self._refused: Refused | None = None

    def leave(self, words: str, way_in: WayIn = WayIn.AGAIN) -> None:
        """This page is not to come back by itself, for this reason. way_in: how it does nevertheless."""
        self._refused = self._refused or Refused(words, way_in)
        self._over.set()

    def look(self) -> None:
        """Its link may have ended: then the page is let go."""
        if self._link is not None and self._link.ended:
            self._over.set()

    async def run(self, link: SignalledLink | None) -> None:
        """Offer, and take answers, until the page goes or is let go; the link may live on. None: end it."""
        if link is None:
            await self._goodbye()
            return
        self._link = link
        talking = asyncio.get_running_loop().create_task(self._talk(link))
        over = asyncio.get_running_loop().create_task(self._over.wait())
        try:
            await asyncio.wait({talking, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (talking, over):
                task.cancel()
            results = await asyncio.gather(talking, over, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                _log.error("signalling with %s failed", self._request.remote, exc_info=result)
        await self._goodbye()

    async def _talk(self, link: SignalledLink) -> None:
        try:
            for name in ("control", "media"):
                await self._tell(await link.offer(name))
        except TransportError as error:
            self.leave(str(error))
            return
        except (TimeoutError, ClientConnectionResetError, ConnectionError):
            self._drop()
            return
        async for frame in self._socket:
            if not await self._take(link, frame.data if frame.type is WSMsgType.TEXT else None):
                self.leave("too many messages on this page's connection made no sense; load the page anew")
                return

    async def _take(self, link: SignalledLink, text: str | None) -> bool:
        """A message; whether the page is still to be listened to."""
        now_s = asyncio.get_running_loop().time()
        try:
            signal = None if text is None else decode_signal(text)
            if isinstance(signal, StopNow) and self._stop is not None:  # never one too many
                await self._tell(self._stop(signal))
            elif signal is None or isinstance(signal, StopNow) or not self._limit.allows(now_s):
                raise MalformedMessage("binary, or too much at once")
            elif isinstance(signal, Answer):
                await link.answer(signal)
            else:
                await link.candidate(signal)
        except (MalformedMessage, UnicodeError, *UNREADABLE):
            return not self._bad.are_too_many(now_s)
        except TransportError as error:
            self.leave(str(error))
        except (TimeoutError, ClientConnectionResetError, ConnectionError):
            self._drop()
        return True

    async def _tell(self, signal: OperatorSignal) -> None:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self._socket.send_str(encode_words(signal).decode())

    async def _goodbye(self) -> None:
        try:
            async with asyncio.timeout(_GOODBYE_S):
                if self._refused is not None:
                    await self._tell(self._refused)
                await self._socket.close(code=WSCloseCode.GOING_AWAY)
        except (TimeoutError, ClientConnectionResetError, ConnectionError):
            self._drop()

    def _drop(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()
