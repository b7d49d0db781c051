"""Plans over HTTP, for the command line: files run and saved, trees shown, paused, changed and stopped.

POST /api/plans {"content"}            → one event a line, as /api/say; refused with all that is wrong
GET  /api/plans/ID                     → its tree as data (`protocol.PlanView`)
GET  /api/plans/ID/picture?form=text|dot → {"text"}
GET  /api/plans/ID/file?form=umrf|plan → {"name", "content"}
POST /api/plans/ID/order {"order"}     pause, resume or stop
POST /api/plans/ID/change {"node", "how", "text"}
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from framework.errors import PilothouseError
from resources.console.backend import ConsoleBackend
from resources.console.commands import Commands
from resources.console.http_answers import Body, Telling, as_json, carry_out, read
from resources.web.page_messages import (
    ChangeKind,
    ChangePlan,
    FileText,
    Name,
    OrderPlan,
    PlanForm,
    PlanOrder,
    Text,
)

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class FileBody(Body, frozen=True, kw_only=True):
    """A plan file."""

    content: FileText


class OrderBody(Body, frozen=True, kw_only=True):
    """What is to be done with a whole plan."""

    order: PlanOrder


class ChangeBody(Body, frozen=True, kw_only=True):
    """How a paused plan is to be changed."""

    node: Name
    how: ChangeKind
    text: Text = ""


class HttpPlans:
    """The handlers; `routes` are method, path and handler, before anybody asked who may."""

    def __init__(self, backend: ConsoleBackend, commands: Commands, telling: Telling) -> None:
        self._backend = backend
        self._commands = commands
        self._telling = telling

    def routes(self) -> list[tuple[str, str, _Handler]]:
        """All routes below /api/plans."""
        return [
            ("POST", "/api/plans", self._run),
            ("GET", "/api/plans/{plan}", self._show),
            ("GET", "/api/plans/{plan}/file", self._file),
            ("POST", "/api/plans/{plan}/order", self._order),
            ("POST", "/api/plans/{plan}/change", self._change),
        ]

    async def _run(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, FileBody)
        return await self._telling.tell(request, self._backend.run_plan(body.content, who=body.who))

    async def _show(self, request: web.Request) -> web.StreamResponse:
        return as_json(self._backend.plan(_plan(request)))

    async def _file(self, request: web.Request) -> web.StreamResponse:
        return as_json(self._backend.plan_file(_plan(request), _form(request)))

    async def _order(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, OrderBody)
        return await carry_out(self._commands, OrderPlan("", _plan(request), body.order), body.who)

    async def _change(self, request: web.Request) -> web.StreamResponse:
        body = await read(request, ChangeBody)
        change = ChangePlan("", _plan(request), body.node, body.how, body.text)
        return await carry_out(self._commands, change, body.who)


def _plan(request: web.Request) -> str:
    return request.match_info["plan"][:300]


def _form(request: web.Request) -> PlanForm:
    said = request.query.get("form", PlanForm.UMRF.value)
    try:
        return PlanForm(said)
    except ValueError as error:
        allowed = ", ".join(PlanForm)
        raise PilothouseError(f"there is no form {said[:50]!r}; there are {allowed}") from error
