"""The console's server: one port for page, WebSocket and command line, in the main process.

It relays and pushes; it decides nothing about robots (the backend does) and encodes no picture (a
child does). While no page is open it does nothing at all.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec
from aiohttp import WSCloseCode, web

from framework.errors import PilothouseError
from framework.loop_lag import LoopLag
from resources.console.backend import ConsoleBackend, Topic
from resources.console.commands import Commands
from resources.console.feeds import Feeds
from resources.console.http_answers import refusal
from resources.console.http_api import HttpApi
from resources.console.outbox import SPOKEN, Outbox
from resources.console.page_link import PageLink, new_socket
from resources.web import static_files
from resources.web.admission import bearer_of, is_plain_name, is_token, new_token
from resources.web.connections import SILENT, DoorSite, Guests
from resources.web.listening import listen
from resources.web.page_messages import MAX_MESSAGE_BYTES, decode_program_message
from resources.web.places import Places
from resources.web.protocol import EventLine, Events, PutView, ServerMessage, encode_message
from resources.web.sign_in import REFUSED_CODE, SigningIn, closed
from resources.web.sites import bracketed

DEFAULT_PORT: Final = 8300
MOST_PAGES: Final = 32
MOST_CONNECTIONS: Final = 256
"""A browser has up to seven for each page. They may all be of one address: this machine's."""

MOST_NAMES: Final = 1000
"""Pages whose names are remembered, so that one that is reloaded is asked what it was asked before."""

CERTIFICATE_FILE: Final = "console_certificate.pem"
"""Its own: the operators' is made anew when they are served under other names."""

PUSH_EVERY_S: Final = 0.1
LOOK_FOR_SAMPLES_EVERY_S: Final = 0.02
_MOST_SHARE: Final = 0.05  # of the loop's time that pushing states may take

_NO_TOKEN: Final = "this page does not know the token; open the address that `pilothouse run` printed"

_log = logging.getLogger(__name__)
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ConsoleServer:
    """Serves the console while entered.

    Args:
        backend: the installation.
        host: where to listen (`resources/web/sites.py`); anything but loopback is served over https.
        port: 0 takes any free one.
        token: of this run; made here if not given.
        names: host names, besides `host`, under which pages may ask for it.
        dist: the built page.
        lag: of the loop it runs on: what was said while that hung is not carried out afterwards.
        state: folder of the certificate.

    Raises (on entering):
        InstallationError: the port is taken (it says by whom), the address is not this machine's, or the
            certificate cannot be kept.
    """

    def __init__(
        self,
        backend: ConsoleBackend,
        *,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        token: str | None = None,
        names: tuple[str, ...] = (),
        dist: Path = static_files.DIST,
        lag: LoopLag | None = None,
        state: Path = Path(),
    ) -> None:
        self.port = port
        self.token = token or new_token()
        self._backend = backend
        self._lag = lag
        self._places = Places(
            host, names, state, _log.warning, what="the console", file_name=CERTIFICATE_FILE
        )
        self._signing_in = SigningIn()
        self._dist = dist
        self._guests = Guests(MOST_CONNECTIONS, MOST_CONNECTIONS)
        self._pages: set[PageLink] = set()
        self._pages_so_far = 0
        self._names_of_pages: dict[str, str] = {}
        self._changed: set[Topic] = set()
        self._something_changed = asyncio.Event()
        self._work: list[asyncio.Task[None]] = []
        self._feeds = Feeds(self._deliver)
        self._runner: web.AppRunner | None = None
        self._looking: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """Where programs of this machine reach it, without the token: on loopback, if that is served."""
        return self._places.sites[0].address(self.port)

    @property
    def url(self) -> str:
        """What to open in a browser; the token stands where browsers do not send it anywhere."""
        return f"{self._places.network.address(self.port)}#token={self.token}"

    @property
    def fingerprint(self) -> str:
        """SHA-256, of the certificate at `url`; "" if that is plain http."""
        return self._places.fingerprint

    @property
    def certificate(self) -> str:
        """The file of the certificate that `address` shows, for programs to believe no other; "" on http."""
        return str(self._places.file) if self._places.sites[0].is_secure else ""

    @property
    def pages(self) -> int:
        """How many pages are connected."""
        return len(self._pages)

    # ------------------------------------------------------------ told by the installation

    def changed(self, topic: Topic) -> None:
        """Something of this topic is different now; pages get it at most ten times a second."""
        if self._pages:
            self._changed.add(topic)
            self._something_changed.set()

    def put_view(self, who: str, look: PutView, *, draws: bool) -> bool:
        """Tell a page of this name how to look at its scene; False: there is none.

        draws: one of the console's own; else a program that speaks for a page elsewhere.
        """
        found = [page for page in self._pages if page.who == who and page.outbox.draws == draws]
        for page in found:
            page.outbox.show_own(look)
            page.wake()
        return bool(found)

    def event(self, line: EventLine) -> None:
        """Tell every page what happened."""
        if self._pages:
            message = encode_message(Events((line,)))
            for page in self._pages:
                page.outbox.tell(message)
                page.wake()

    # ------------------------------------------------------------ life

    async def __aenter__(self) -> Self:
        files = await asyncio.to_thread(static_files.load, self._dist)
        await self._places.begin()
        listening = []
        self._commands = Commands(self._backend, self._lag)
        application = web.Application(middlewares=[self._guard], client_max_size=MAX_MESSAGE_BYTES)
        application.add_routes(HttpApi(self._backend, self._has_token, self._commands).routes())
        application.add_routes([web.get("/ws", self._serve_page)])
        application.add_routes([web.get(path, _file_handler(file)) for path, file in files.items()])
        application.on_response_prepare.append(self._add_security_headers)
        self._runner = web.AppRunner(
            application,
            access_log=None,
            logger=SILENT,
            handler_cancellation=True,
            keepalive_timeout=15.0,
            shutdown_timeout=1.0,
        )
        try:
            for site in self._places.sites:
                found = await listen(
                    site.host, self.port, what="the console", option="--port", default=DEFAULT_PORT
                )
                self.port = found.getsockname()[1]
                listening.append(found)
            self._places.at_port(self.port)
            await self._runner.setup()
            for site, found in zip(self._places.sites, listening, strict=True):
                context = self._places.context if site.is_secure else None
                await DoorSite(self._runner, found, self._guests, context).start()
        except BaseException:
            for found in listening:
                found.close()
            await self._runner.cleanup()
            raise
        self._looking = asyncio.get_running_loop().create_task(self._places.look_around(lambda: None))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(page.close() for page in list(self._pages)))
        await self._rest()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()
        await self._commands.close()

    # ------------------------------------------------------------ requests

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        self._guests.asks(request.transport)
        known = self._places.admission(request)
        if not known.knows_host(request.headers):
            asked = self._places.network if request.secure else self._places.sites[0]
            return refusal(421, f"this is the console at {asked.address(self.port)}; it has no other name")
        if known.is_foreign_page(request.headers):
            return refusal(403, "pages of other sites may not use the console")
        if self._has_token(request):
            self._guests.is_known(request.transport)
        try:
            return await handler(request)
        except PilothouseError as error:
            return refusal(400, str(error))
        except web.HTTPException as error:
            return refusal(error.status, f"{error.reason}: {request.method} {request.path[:200]}")
        except Exception as error:
            # Whoever asked gets words; what went wrong stands in the log.
            _log.exception("%s %s failed", request.method, request.path[:200])
            return refusal(500, f"this did not work: {type(error).__name__}: {error}")

    async def _add_security_headers(self, request: web.Request, answer: web.StreamResponse) -> None:
        # A name that is not ours is not repeated: it may be made of more than a name.
        known = self._places.admission(request).knows_host(request.headers)
        host = request.host if known else f"{bracketed(self._places.sites[0].shown)}:{self.port}"
        wasm = request.path.startswith(static_files.TRACKER_THREAD)
        answer.headers.update(static_files.security_headers(host, wasm=wasm))
        answer.headers.setdefault("Cache-Control", "no-store")

    def _has_token(self, request: web.Request) -> bool:
        return is_token(bearer_of(request.headers), self.token)

    async def _serve_page(self, request: web.Request) -> web.StreamResponse:
        is_program = self._has_token(request)
        # Anybody may open a socket; a page must be ours, and say so.
        if not is_program and not self._places.admission(request).is_own_page(request.headers):
            return refusal(401, _NO_TOKEN)
        who = request.query.get("who")
        if who is not None and not (is_program and is_plain_name(who)):
            return refusal(400, "only a program with the token may name itself: 1 to 64 characters of a name")
        if len(self._pages) >= MOST_PAGES:
            return refusal(503, f"{MOST_PAGES} pages are open already; close one")
        socket_ = new_socket()
        await socket_.prepare(request)
        if not is_program and not await self._signs_in(request, socket_):
            return socket_
        if who is not None:
            page = PageLink(request, socket_, who, self._commands, Outbox(SPOKEN), decode_program_message)
        else:
            page = PageLink(request, socket_, self._name_of(request.query.get("page", "")), self._commands)
        self._tell_everything(page)
        self._pages.add(page)
        self._begin_work()
        try:
            await page.run()
        finally:
            self._pages.discard(page)
            if not self._pages:
                await self._rest()
        return socket_

    async def _signs_in(self, request: web.Request, socket: web.WebSocketResponse) -> bool:
        """Whether a page has said the token; else its socket has been closed."""
        secret = await self._signing_in.secret(socket)
        if not secret:
            return False
        if not is_token(secret, self.token):
            await closed(socket, REFUSED_CODE, _NO_TOKEN)
            return False
        if len(self._pages) >= MOST_PAGES:  # others have come meanwhile
            await closed(socket, WSCloseCode.TRY_AGAIN_LATER, "too many pages are open already; close one")
            return False
        self._guests.is_known(request.transport)
        return True

    def _name_of(self, key: str) -> str:
        """A page that comes back under its own key keeps its name; a copy beside it gets one of its own."""
        name = self._names_of_pages.get(key, "")
        if name and all(page.who != name for page in self._pages):
            return name
        self._pages_so_far += 1
        name = f"console page {self._pages_so_far}"
        if 0 < len(key) <= 64:
            while len(self._names_of_pages) >= MOST_NAMES:
                del self._names_of_pages[next(iter(self._names_of_pages))]
            self._names_of_pages.setdefault(key, name)
        return name

    # ------------------------------------------------------------ server → pages

    def _tell_everything(self, page: PageLink) -> None:
        """A page that has just come knows all that the others know."""
        page.outbox.tell(encode_message(msgspec.structs.replace(self._backend.hello(), who=page.who)))
        page.outbox.tell(encode_message(Events(tuple(self._backend.recent_events()))))
        for topic in Topic:
            message = self._state(topic)
            if message is not None:
                page.outbox.show(topic, encode_message(message))
        self._feeds.set(self._backend.feeds())
        for view, sample in self._feeds.last(asyncio.get_running_loop().time()):
            page.outbox.sample(view, sample)
        page.wake()

    def _state(self, topic: Topic) -> ServerMessage | None:
        backend = self._backend
        read: dict[Topic, Callable[[], ServerMessage]] = {
            Topic.SCENE: backend.scene,
            Topic.GRAPH: backend.graph,
            Topic.TREES: backend.trees,
            Topic.DEVICES: backend.devices,
            Topic.VIEWS: backend.views,
            Topic.EMERGENCY: backend.emergency,
            Topic.QUESTIONS: backend.questions,
            Topic.OPERATORS: backend.operators,
            Topic.FINGERS: backend.fingers,
        }
        try:
            return read[topic]()
        except Exception:
            # One broken panel is no reason to lose the others, least of all the stop button.
            _log.exception("the console got no %s", topic.name.lower())
            return None

    def _begin_work(self) -> None:
        if not self._work:
            loop = asyncio.get_running_loop()
            self._work = [loop.create_task(self._push()), loop.create_task(self._relay())]

    async def _rest(self) -> None:
        work, self._work = self._work, []
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        if not self._pages:
            self._changed.clear()
            self._feeds.set({})

    async def _push(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._something_changed.wait()
            self._something_changed.clear()
            began_s = loop.time()
            topics, self._changed = self._changed, set()
            if topics & {Topic.VIEWS, Topic.SCENE}:
                self._feeds.set(self._backend.feeds())
            for topic in topics:
                message = self._state(topic)
                if message is not None:
                    encoded = encode_message(message)
                    for page in self._pages:
                        page.outbox.show(topic, encoded)
                        page.wake()
            took_s = loop.time() - began_s
            await asyncio.sleep(max(PUSH_EVERY_S, took_s / _MOST_SHARE))

    async def _relay(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            if any(page.outbox.draws for page in self._pages):
                self._feeds.poll(loop.time())
            await asyncio.sleep(LOOK_FOR_SAMPLES_EVERY_S)

    def _deliver(self, view: str, message: bytearray) -> None:
        for page in self._pages:
            page.outbox.sample(view, message)
            page.wake()


def _file_handler(file: static_files.PageFile) -> _Handler:
    async def handler(_request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=file.body, content_type=file.content_type, headers={"Cache-Control": file.cache}
        )

    return handler
