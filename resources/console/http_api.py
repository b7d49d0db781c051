"""The command line's way in: plain HTTP on the console's own server, with the token in a header.

    POST /api/say {"text"}                 → one event a line (NDJSON), until it has ended or stands;
                                             an empty line a second while nothing happens
    POST /api/stop {} · /api/reset {"confirmed"}
    POST /api/fail {"resource", "how"} · /api/restore {"resource"} · /api/retry {"resource"}
    GET  /api/status                       → the JSON of `pilothouse status --json`
    POST /api/session, GET /api/session    → for pages: trade the token for a cookie; is it still good?

Answers are `{"text": words}`, refusals `{"error": words}` with a status of 400 and above. Each
body may name who asks: `"who"`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, Any, Final, TypeVar, cast

import msgspec
from aiohttp import ClientConnectionResetError, web

from framework.errors import PilothouseError
from resources.console.admission import Admission
from resources.console.backend import ConsoleBackend
from resources.console.commands import Commands
from resources.console.protocol import (
    EventLine,
    Fail,
    FailureKind,
    Name,
    PageMessage,
    Reset,
    Restore,
    RetryNow,
    Stop,
    Text,
)

ALIVE_EVERY_S: Final = 1.0
"""While nothing happens an empty line says so often that we are alive; who hears none may give up."""

MOST_TELLING: Final = 16
"""Instructions whose events are being told at the same time."""

_TOO_MANY: Final = "too many instructions are being followed at once; end one, or look at the console"
_BAD_TOKEN: Final = (
    "the token is missing or not that of this run; take the address that `pilothouse run` printed"
)
_log = logging.getLogger(__name__)

Who = Annotated[str, msgspec.Meta(max_length=100)]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every request may carry."""

    who: Who = "command line"


class SayBody(Body, frozen=True, kw_only=True):
    """An instruction."""

    text: Text


class ResetBody(Body, frozen=True, kw_only=True):
    """Lift the emergency stop."""

    confirmed: bool


class FailBody(Body, frozen=True, kw_only=True):
    """Make a device or a resource fail."""

    resource: Name
    how: FailureKind = FailureKind.DIE


class ResourceBody(Body, frozen=True, kw_only=True):
    """Restore or retry a device or a resource."""

    resource: Name


B = TypeVar("B", bound=Body)


class HttpApi:
    """The handlers; `routes` goes into the server's application."""

    def __init__(self, backend: ConsoleBackend, admission: Admission, commands: Commands) -> None:
        self._backend = backend
        self._admission = admission
        self._commands = commands
        self._telling = 0

    def routes(self) -> list[web.RouteDef]:
        """All routes below /api."""
        known = self._known
        return [
            web.post("/api/session", known(self._open_session)),
            web.get("/api/session", self._ask_session),
            web.get("/api/status", known(self._status)),
            web.post("/api/say", known(self._say)),
            web.post("/api/stop", known(self._stop)),
            web.post("/api/reset", known(self._reset)),
            web.post("/api/fail", known(self._fail)),
            web.post("/api/restore", known(self._restore)),
            web.post("/api/retry", known(self._retry)),
        ]

    def _known(self, handler: Handler) -> Handler:
        """Only for those with the token in a header: no page of another site can set one."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._admission.has_bearer(request.headers):
                return refusal(401, _BAD_TOKEN)
            return await handler(request)

        return checked

    async def _open_session(self, request: web.Request) -> web.StreamResponse:
        answer = web.Response(status=204)
        token = request.headers["Authorization"].partition(" ")[2].strip()
        answer.set_cookie(
            self._admission.cookie_name,
            token,
            httponly=True,
            samesite="Strict",
            path="/",
            secure=request.secure,
        )
        return answer

    async def _ask_session(self, request: web.Request) -> web.StreamResponse:
        headers = request.headers
        if self._admission.has_cookie(headers) or self._admission.has_bearer(headers):
            return web.Response(status=204)
        return refusal(401, _BAD_TOKEN)

    async def _status(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=self._backend.status(), content_type="application/json")

    async def _stop(self, request: web.Request) -> web.StreamResponse:
        # Read leniently: whatever stands in the body, a stop is a stop.
        try:
            who = (await _read(request, Body)).who
        except (web.HTTPException, PilothouseError):
            who = "command line"
        reply = self._commands.stop_now(Stop(""), who)
        return told(reply.text) if reply.ok else refusal(500, reply.text)

    async def _reset(self, request: web.Request) -> web.StreamResponse:
        body = await _read(request, ResetBody)
        return await self._carry_out(Reset("", body.confirmed), body.who)

    async def _fail(self, request: web.Request) -> web.StreamResponse:
        body = await _read(request, FailBody)
        return await self._carry_out(Fail("", body.resource, body.how), body.who)

    async def _restore(self, request: web.Request) -> web.StreamResponse:
        body = await _read(request, ResourceBody)
        return await self._carry_out(Restore("", body.resource), body.who)

    async def _retry(self, request: web.Request) -> web.StreamResponse:
        body = await _read(request, ResourceBody)
        return await self._carry_out(RetryNow("", body.resource), body.who)

    async def _carry_out(self, message: PageMessage, who: str) -> web.StreamResponse:
        running = self._commands.start(message, who)
        if running is None:
            return refusal(429, "too many commands are under way; wait for one to end")
        reply = await asyncio.shield(running)
        return told(reply.text) if reply.ok else refusal(409, reply.text)

    async def _say(self, request: web.Request) -> web.StreamResponse:
        body = await _read(request, SayBody)
        if self._telling >= MOST_TELLING:
            return refusal(429, _TOO_MANY)
        self._telling += 1
        try:
            async with aclosing(cast("Any", self._backend.say(body.text, who=body.who))) as events:
                return await self._tell(request, events)
        finally:
            self._telling -= 1

    async def _tell(self, request: web.Request, events: AsyncIterator[EventLine]) -> web.StreamResponse:
        try:
            first = await anext(events, None)
        except PilothouseError as error:
            return refusal(409, str(error))
        answer = web.StreamResponse(
            headers={"Content-Type": "application/x-ndjson", "Cache-Control": "no-store"}
        )
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
        await answer.write(_line(msgspec.structs.replace(last, kind="error", text=str(error))))
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)


def told(text: str) -> web.Response:
    """Words for somebody who asked rightly."""
    return web.Response(body=msgspec.json.encode({"text": text}), content_type="application/json")


def refusal(status: int, text: str) -> web.Response:
    """Words for somebody who is refused."""
    return web.Response(
        status=status, body=msgspec.json.encode({"error": text}), content_type="application/json"
    )


async def _read(request: web.Request, kind: type[B]) -> B:
    data = await request.read()
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise PilothouseError(f"the request was not understood, nothing was changed: {error}") from error


def _line(event: EventLine) -> bytes:
    return msgspec.json.encode(event) + b"\n"
