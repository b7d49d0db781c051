"""How requests of the command line are read, and how answers to it travel: words, or one event a line."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Final, TypeVar, cast

import msgspec
from aiohttp import ClientConnectionResetError, web

from framework.errors import PilothouseError
from framework.unreadable import UNREADABLE
from resources.console.commands import Commands
from resources.web.page_messages import PageMessage
from resources.web.protocol import EventLine, Reply

ALIVE_EVERY_S: Final = 1.0
"""While nothing happens an empty line says so often that we are alive; who hears none may give up."""

MOST_TELLING: Final = 16
"""Instructions whose events are being told at the same time."""

_TOO_MANY: Final = "too many instructions are being followed at once; end one, or look at the console"
_log = logging.getLogger(__name__)

Who = Annotated[str, msgspec.Meta(max_length=100)]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every request may carry."""

    who: Who = "command line"


B = TypeVar("B", bound=Body)


async def read(request: web.Request, kind: type[B]) -> B:
    """The request's body. Raises PilothouseError that says what is wrong with it."""
    data = await request.read()
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (UnicodeError, *UNREADABLE) as error:
        raise PilothouseError(f"the request was not understood, nothing was changed: {error}") from error


def told(text: str) -> web.Response:
    """Words for somebody who asked rightly."""
    return as_json({"text": text})


def as_json(answer: object) -> web.Response:
    """Data for somebody who asked rightly."""
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")


def refusal(status: int, text: str) -> web.Response:
    """Words for somebody who is refused."""
    return web.Response(
        status=status, body=msgspec.json.encode({"error": text}), content_type="application/json"
    )


async def carry_out(commands: Commands, message: PageMessage, who: str) -> web.StreamResponse:
    """Have a command carried out; what was done in words, or why not."""
    running = commands.start(message, who)
    if running is None:
        return refusal(429, "too many commands are under way; wait for one to end")
    reply = await asyncio.shield(running)
    if not isinstance(reply, Reply):
        return as_json(reply)
    return told(reply.text) if reply.ok else refusal(409, reply.text)


class Telling:
    """Tells the events of instructions as they come, of a bounded number at the same time."""

    def __init__(self) -> None:
        self._now = 0

    async def tell(self, request: web.Request, lines: AsyncIterator[EventLine]) -> web.StreamResponse:
        """Answer with the events, one a line (NDJSON)."""
        if self._now >= MOST_TELLING:
            return refusal(429, _TOO_MANY)
        self._now += 1
        try:
            async with aclosing(cast("Any", lines)) as events:
                return await _tell(request, events)
        finally:
            self._now -= 1


async def _tell(request: web.Request, events: AsyncIterator[EventLine]) -> web.StreamResponse:
    try:
        first = await anext(events, None)
    except PilothouseError as error:
        return refusal(409, str(error))
    answer = web.StreamResponse(headers={"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"})
    await answer.prepare(request)
    try:
        if first is not None:
            await answer.write(_line(first))
            await _tell_on(answer, events, first)
        await answer.write_eof()
    except (ClientConnectionResetError, ConnectionError):
        _log.debug("who asked for the events has gone")
    return answer


async def _tell_on(answer: web.StreamResponse, events: AsyncIterator[EventLine], last: EventLine) -> None:
    """The events after `last`, and signs of life between them."""
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            if not (await asyncio.wait({coming}, timeout=ALIVE_EVERY_S))[0]:
                await answer.write(b"\n")
                continue
            event = coming.result()
            if event is None:
                return
            last = event
            await answer.write(_line(event))
            coming = asyncio.ensure_future(anext(events, None))
    except PilothouseError as error:
        await answer.write(_line(msgspec.structs.replace(last, number=0, kind="error", text=error.why)))
        await answer.write(_line(msgspec.structs.replace(last, number=0, kind="settled", text="not done")))
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)


def _line(event: EventLine) -> bytes:
    return msgspec.json.encode(event) + b"\n"
