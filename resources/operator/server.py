"""The operator's server: puts together places, entrance and page; one port, at one place or two.

Poses do not come by here, except those of the open phone page: a page's own connection carries them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
from aiohttp import web

from framework.errors import StreamError
from resources.operator.arguments import DEFAULT_PORT
from resources.operator.entrance import STOP_PATH, Entrance, MakeLink, refused
from resources.operator.operators import Operators
from resources.operator.page_headers import inline_scripts, page_headers, with_script
from resources.operator.pairing import PairingDesk
from resources.operator.start_checks import LISTENER, PORT_OPTION, check_open_page
from resources.types.operator import Pairing
from resources.web import static_files
from resources.web.connections import SILENT, DoorSite, Guests
from resources.web.listening import listen
from resources.web.places import Places
from resources.web.rate_limits import RateLimits
from resources.web.sites import bracketed

PAGE: Final = "operator.html"
OPEN_PAGE: Final = "/spes/"
SIGN_IN_SCRIPT: Final = "/spes.js"
"""Of our own page's files: what the open phone page's WebSocket says first, by which its device is known."""


MOST_BODY_BYTES: Final = 4096
REQUESTS_PER_S: Final = 40.0
REQUESTS_AT_ONCE: Final = 200.0
MOST_CLIENTS: Final = 256
"""Addresses whose requests are counted."""

_ONLY_HERE: Final = (
    "Only this machine can reach the operator's page; for phones and headsets: pilothouse run --phones."
)
_COMPARE: Final = (
    "Your device will say that it does not know this certificate; it was made here, for this installation: "
    "compare its fingerprint, then accept it once."
)
_OF_PAGES: Final = frozenset({"html", "js", "mjs", "css", "svg", "png", "jpg", "glb", "json"})

_log = logging.getLogger(__name__)

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class OperatorServer:
    """Serves while entered.

    Parameters
        operators, desk: who is there, and how one gets in. make_link: for each page that comes.
        host, port, names: where to listen (`resources.web.sites`); port 0 takes any free one.
        state: folder of the certificate. dist: the built page.
        open_page: folder of the open phone page, which is served at /spes/, or None.
        monotonic_s: CLOCK_MONOTONIC [s].
        changed: called when `pairing` may say something else. report: called with words for the console.

    Raises (on entering)
        InstallationError: the port is taken, the address not this machine's, the certificate cannot be kept,
            the open phone page not in its folder.
    """

    def __init__(
        self,
        operators: Operators,
        desk: PairingDesk,
        make_link: MakeLink,
        *,
        host: str,
        port: int,
        state: Path,
        monotonic_s: Callable[[], float],
        changed: Callable[[], None],
        report: Callable[[str], None],
        names: tuple[str, ...] = (),
        dist: Path = static_files.DIST,
        open_page: Path | None = None,
    ) -> None:
        self.port = port
        self.places = Places(host, names, state, report)
        self._guests = Guests()
        self._entrance = Entrance(
            operators,
            desk,
            self.places,
            make_link,
            knows=self._guests.is_known,
            monotonic_s=monotonic_s,
            changed=changed,
        )
        self._desk = desk
        self._dist = dist
        self._open_page = open_page
        self._now_s = monotonic_s
        self._changed = changed
        self._requests = RateLimits(REQUESTS_PER_S, REQUESTS_AT_ONCE, MOST_CLIENTS)
        self._inline: tuple[bytes, ...] = ()
        self._runner: web.AppRunner | None = None
        self._looking: asyncio.Task[None] | None = None

    # ------------------------------------------------------------ for the console

    @property
    def address(self) -> str:
        """The desk's: loopback, if that is served."""
        return self.places.sites[0].address(self.port)

    def pairing(self) -> Pairing:
        """How the next device gets in, now."""
        network, desk = self.places.network, self._desk
        return Pairing(
            f"{network.address(self.port)}#token={desk.token}" if desk.token else "",
            desk.expires_s,
            _COMPARE if network.is_secure else _ONLY_HERE,
            self.places.fingerprint,
            desk.ended,
        )

    @property
    def reachable(self) -> asyncio.Event:
        """It is known by which servers pages are reached; those that come earlier wait."""
        return self._entrance.reachable

    def let_in_by(self, installation_token: str) -> None:
        """From now on a desk that knows this and sits at this machine gets in without a code."""
        self._entrance.installation_token = installation_token

    # ------------------------------------------------------------ life

    async def __aenter__(self) -> Self:
        files = await asyncio.to_thread(self._load)
        await self.places.begin()
        listening = []
        try:
            for site in self.places.sites:
                found = await listen(
                    site.host, self.port, what=LISTENER, option=PORT_OPTION, default=DEFAULT_PORT
                )
                self.port = found.getsockname()[1]
                listening.append(found)
            self.places.at_port(self.port)
            self._runner = self._make_runner(files)
            await self._runner.setup()
            for site, found in zip(self.places.sites, listening, strict=True):
                context = self.places.context if site.is_secure else None
                await DoorSite(self._runner, found, self._guests, context).start()
        except BaseException:
            for found in listening:
                found.close()
            if self._runner is not None:
                await self._runner.cleanup()
            raise
        self._looking = asyncio.get_running_loop().create_task(self.places.look_around(self._changed))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()

    def _load(self) -> dict[str, static_files.PageFile]:
        files = static_files.load(self._dist, PAGE, without=static_files.HAND_TRACKER)
        if self._open_page is None:
            return files
        check_open_page(self._open_page)
        found = static_files.load(self._open_page)
        page = found["/"]
        self._inline = inline_scripts(page.body)
        found["/"] = msgspec.structs.replace(page, body=with_script(page.body, SIGN_IN_SCRIPT))
        # Of the Python package that it lies in nothing else is served: that has a key, too.
        theirs = {path: file for path, file in found.items() if path == "/" or _kind(path) in _OF_PAGES}
        # Its scripts are asked for from the root of whoever serves it.
        rooted = {path: file for path, file in theirs.items() if path.startswith("/assets/")}
        return {**rooted, **{f"{OPEN_PAGE[:-1]}{path}": file for path, file in theirs.items()}, **files}

    def _make_runner(self, files: dict[str, static_files.PageFile]) -> web.AppRunner:
        application = web.Application(middlewares=[self._guard], client_max_size=MOST_BODY_BYTES)
        application.add_routes(self._entrance.routes())
        application.add_routes([web.get(path, _file_handler(file)) for path, file in files.items()])
        application.on_response_prepare.append(self._add_headers)
        return web.AppRunner(
            application,
            access_log=None,
            logger=SILENT,
            handler_cancellation=True,
            keepalive_timeout=15.0,
            shutdown_timeout=1.0,
        )

    # ------------------------------------------------------------ requests

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        self._guests.asks(request.transport)
        known = self.places.admission(request)
        if not known.knows_host(request.headers):
            asked = self.places.network if request.secure else self.places.sites[0]
            return refused(421, f"this is {asked.address(self.port)}; it has no other name")
        if known.is_foreign_page(request.headers):
            self._entrance.other_site(request)
            return refused(403, "pages of other sites may not use this one")
        is_stop = request.path == STOP_PATH  # never one too many
        if not is_stop and not self._requests.allows(request.remote or "", self._now_s()):
            return refused(429, "too many requests; wait a little")
        try:
            return await handler(request)
        except web.HTTPException as error:
            return refused(error.status, f"{error.reason}: {request.method} {request.path[:200]}")
        except StreamError as error:
            return refused(503, str(error))
        except Exception as error:
            # Whoever asked gets words; what went wrong stands in the log.
            _log.exception("%s %s failed", request.method, request.path[:200])
            return refused(500, f"this did not work: {type(error).__name__}")

    async def _add_headers(self, request: web.Request, answer: web.StreamResponse) -> None:
        # A name that is not ours is not repeated: it may be made of more than a name.
        known = self.places.admission(request).knows_host(request.headers)
        host = request.host if known else f"{bracketed(self.places.sites[0].shown)}:{self.port}"
        inline = self._inline if request.path == OPEN_PAGE else ()
        answer.headers.update(page_headers(host, is_secure=request.secure, inline=inline))
        answer.headers.setdefault("Cache-Control", "no-store")


def _kind(path: str) -> str:
    return path.rpartition(".")[2]


def _file_handler(file: static_files.PageFile) -> _Handler:
    async def handler(_request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=file.body, content_type=file.content_type, headers={"Cache-Control": file.cache}
        )

    return handler
