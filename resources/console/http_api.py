"""The command line's way in: plain HTTP on the console's own server, with the token in a header.

    POST /api/say {"text"}                 → one event a line (NDJSON), until it has ended or stands;
                                             an empty line a second while nothing happens
    POST /api/listen {"recording", "audience", "is_addressed"}
                                           → the same of all that is said, as long as somebody reads it
    POST /api/answer {"question", "choice"}  an option's number, 1 for yes, 0 for no
    POST /api/complete {"text"}            → {"options", "begun", "is_whole"}
    POST /api/language {"kinds"}           → {"action_folders", "known": {kind: […]}}
    POST /api/stop {"id"} · /api/reset {"confirmed"}
    GET  /api/operators → {"sessions", "away"} · POST /api/operators/end {"session"}
    POST /api/fail {"resource", "how"} · /api/restore {"resource"} · /api/retry {"resource"}
    GET  /api/world → [{"name", "state", "states"}] · POST /api/world {"thing", "state"}
    GET  /api/status                       → the JSON of `pilothouse status --json`

Plans are in `http_plans.py`. Answers are `{"text": words}` where nothing else is said, refusals
`{"error": words}` with a status of 400 and above. Each body may name who asks: `"who"`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Final

import msgspec
from aiohttp import web

from framework.errors import PilothouseError
from resources.console.backend import ConsoleBackend
from resources.console.commands import MOST_OPTIONS, Commands
from resources.console.http_answers import Body, Telling, as_json, carry_out, read, refusal, told
from resources.console.http_plans import HttpPlans
from resources.web.page_messages import (
    Answer,
    BegunText,
    Choice,
    EndSession,
    Fail,
    FailureKind,
    Name,
    ReplyId,
    Reset,
    Restore,
    RetryNow,
    Stop,
    Text,
)
from resources.web.protocol import Reply

STOP_PATH: Final = "/api/stop"
_NEVER_TOO_LATE: Final = (STOP_PATH, "/api/complete", "/api/language")
"""What is posted here counts whenever it comes: a stop, and what moves nothing."""

_BAD_TOKEN: Final = (
    "the token is missing or not that of this run; take the address that `pilothouse run` printed"
)

FilePath = Annotated[str, msgspec.Meta(max_length=4096)]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SayBody(Body, frozen=True, kw_only=True):
    """An instruction."""

    text: Text


class ListenBody(Body, frozen=True, kw_only=True):
    """Listen to a recording of this machine, or to a microphone at a mount; "" to any.

    is_addressed: all of the recording is said to the robot, also without the wake phrase.
    """

    recording: FilePath = ""
    audience: Name = ""
    is_addressed: bool = False


class AnswerBody(Body, frozen=True, kw_only=True):
    """The answer to a question."""

    question: Name
    choice: Choice


class CompleteBody(Body, frozen=True, kw_only=True):
    """What has been typed so far."""

    text: BegunText


class LanguageBody(Body, frozen=True, kw_only=True):
    """Kinds of known things that a language needs."""

    kinds: Annotated[tuple[Name, ...], msgspec.Meta(max_length=200)] = ()


class StopBody(Body, frozen=True, kw_only=True):
    """Stop everything. id: of a page's press (`page_messages.Stop`), answered by `StopConfirmed`."""

    id: ReplyId = ""


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


class SessionBody(Body, frozen=True, kw_only=True):
    """End a session of a device that is there, or that may come back."""

    session: Name


class WorldBody(Body, frozen=True, kw_only=True):
    """Put a thing of the simulated world into a state."""

    thing: Name
    state: Name


class HttpApi:
    """The handlers; `routes` goes into the server's application.

    has_token: whether a request carries this run's token in a header.
    """

    def __init__(
        self, backend: ConsoleBackend, has_token: Callable[[web.Request], bool], commands: Commands
    ) -> None:
        self._backend = backend
        self._has_token = has_token
        self._commands = commands
        self._telling = Telling()
        self._plans = HttpPlans(backend, commands, self._telling)

    def routes(self) -> list[web.RouteDef]:
        """All routes below /api."""
        open_to_those_who_know: list[tuple[str, str, Handler]] = [
            ("GET", "/api/status", self._status),
            ("POST", "/api/say", self._say),
            ("POST", "/api/listen", self._listen),
            ("POST", "/api/answer", self._answer),
            ("POST", "/api/complete", self._complete),
            ("POST", "/api/language", self._language),
            ("POST", STOP_PATH, self._stop),
            ("POST", "/api/reset", self._reset),
            ("POST", "/api/fail", self._fail),
            ("POST", "/api/restore", self._restore),
            ("POST", "/api/retry", self._retry),
            ("GET", "/api/operators", self._operators),
            ("POST", "/api/operators/end", self._end_session),
            ("GET", "/api/world", self._world),
            ("POST", "/api/world", self._put_world),
            *self._plans.routes(),
        ]
        return [web.route(method, path, self._known(do)) for method, path, do in open_to_those_who_know]

    def _known(self, handler: Handler) -> Handler:
        """Only for those with the token in a header: no page of another site can set one."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._has_token(request):
                return refusal(401, _BAD_TOKEN)
            may_be_old = request.method == "POST" and request.path not in _NEVER_TOO_LATE
            if may_be_old and (doubted := self._commands.doubted()):
                return refusal(503, doubted)
            return await handler(request)

        return checked

    async def _status(self, request: web.Request) -> web.StreamResponse:
        return web.Response(body=self._backend.status(), content_type="application/json")

    # ------------------------------------------------------------ the language

    async def _say(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, SayBody)
        return await self._telling.tell(request, self._backend.say(body.text, who=body.who))

    async def _listen(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, ListenBody)
        lines = self._backend.listen(
            body.recording, body.audience, is_addressed=body.is_addressed, who=body.who
        )
        return await self._telling.tell(request, lines)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, AnswerBody)
        return await carry_out(self._commands, Answer("", body.question, body.choice), body.who)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        found = await self._backend.complete((await read(request, CompleteBody)).text)
        return as_json(msgspec.structs.replace(found, options=found.options[:MOST_OPTIONS]))

    async def _language(self, request: web.Request) -> web.StreamResponse:
        return as_json(self._backend.language((await read(request, LanguageBody)).kinds))

    # ------------------------------------------------------------ stops and failures

    async def _stop(self, request: web.Request) -> web.StreamResponse:
        # Read leniently: whatever stands in the body, a stop is a stop.
        try:
            body = await read(request, StopBody)
        except (web.HTTPException, PilothouseError):
            body = StopBody()
        reply = self._commands.stop_now(Stop(body.id), body.who)
        if not isinstance(reply, Reply):
            return as_json(reply)
        return told(reply.text) if reply.ok else refusal(500, reply.text)

    async def _reset(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, ResetBody)
        return await carry_out(self._commands, Reset("", body.confirmed), body.who)

    async def _fail(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, FailBody)
        return await carry_out(self._commands, Fail("", body.resource, body.how), body.who)

    async def _restore(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, ResourceBody)
        return await carry_out(self._commands, Restore("", body.resource), body.who)

    async def _retry(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, ResourceBody)
        return await carry_out(self._commands, RetryNow("", body.resource), body.who)

    # ------------------------------------------------------------ operators

    async def _operators(self, request: web.Request) -> web.StreamResponse:
        shown = self._backend.operators()
        return as_json({"sessions": shown.sessions, "away": shown.away})

    async def _end_session(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, SessionBody)
        return await carry_out(self._commands, EndSession("", body.session), body.who)

    # ------------------------------------------------------------ the simulated world

    async def _world(self, request: web.Request) -> web.StreamResponse:
        return as_json(tuple(self._backend.world()))

    async def _put_world(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, WorldBody)
        return told(await self._backend.put_world(body.thing, body.state, who=body.who))
