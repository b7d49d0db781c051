"""Who comes in, and to which link: pairing, coming back by a secret, signalling, the open phone page.

It asks others: who is who (`operators.py`), which code is open (`pairing.py`), whose page it is
(`resources/web/places.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from aiohttp import WSCloseCode, web

from framework.unreadable import UNREADABLE
from resources.operator import signalling, spes_link
from resources.operator.hand_rings import HandRings
from resources.operator.operators import Operators
from resources.operator.pairing import Attempt, PairingDesk
from resources.operator.protocol import (
    PageSays,
    Pair,
    Paired,
    Refused,
    WayIn,
    decode_pair,
    decode_stop,
    encode_words,
)
from resources.operator.sessions import MOST_SESSIONS, Session
from resources.operator.signalling import SignalledLink, Signalling
from resources.operator.spes_link import TRACKING, SpesLink
from resources.types.operator import DeviceKind, Refusal
from resources.web.admission import bearer_of, is_loopback, is_token
from resources.web.places import Places
from resources.web.rate_limits import RateLimits
from resources.web.sign_in import REFUSED_CODE, SigningIn, closed

MOST_SOCKETS: Final = 3 * MOST_SESSIONS
TRIES_PER_S: Final = 0.5
TRIES_AT_ONCE: Final = 10.0
"""Wrong codes of one address; a good one is never one too many, whatever others there have tried."""

MOST_ADDRESSES: Final = 256
LINKS_PER_S: Final = 1.0
LINKS_AT_ONCE: Final = 10.0
"""Of one session: each costs sockets, a gathering of addresses and two handshakes."""

BODY_WITHIN_S: Final = 5.0
STOP_BODY_WITHIN_S: Final = 0.1
"""Which press it was is waited for no longer; then it stops without an id [s]."""

MOST_TOKEN_CHARS: Final = 200

FULL: Final = f"{MOST_SESSIONS} devices are here already; end one on the console, or wait until one has left"
NOT_PAIRED: Final = "this device is not paired, or was away for too long; scan the code on the console"
BUSY: Final = "too many connections are open; close other windows of this page"
TOO_MANY_TRIES: Final = "too many tries; wait a little, then scan the code again"
TOO_MANY_LINKS: Final = "this page connects too often; wait a little"
STOP_PATH: Final = "/stop"
NO_SOCKET: Final = "this is for WebSockets"
TOO_SLOW: Final = "the request did not come to its end in time; nothing was changed"

_REFUSALS: Final = {
    Attempt.WRONG: Refusal.WRONG_CODE,
    Attempt.USED: Refusal.USED_CODE,
    Attempt.EXPIRED: Refusal.OLD_CODE,
    Attempt.NONE_OPEN: Refusal.NO_CODE,
}

MakeLink = Callable[[Session, HandRings, Callable[[PageSays], None], Callable[[], None]], SignalledLink]
"""Makes a page's link: of its session, its hands, what to call with words, what to call on changes."""


class Entrance:
    """The handlers; `routes` goes into the server's application.

    Parameters
        operators, desk, places: who is there, how one gets in, where this is.
        make_link: for each page that comes. monotonic_s: CLOCK_MONOTONIC [s].
        knows: called with the connection of each request that comes from a session.
        changed: called when the desk's code has changed.
    """

    def __init__(
        self,
        operators: Operators,
        desk: PairingDesk,
        places: Places,
        make_link: MakeLink,
        *,
        knows: Callable[[asyncio.BaseTransport | None], None],
        monotonic_s: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        self.installation_token = ""
        """Who knows it and sits at this machine gets in without a code; "" lets nobody."""
        self.reachable = asyncio.Event()
        """It is known by which servers pages are reached; those that come earlier wait."""
        self.reachable.set()
        self._operators = operators
        self._desk = desk
        self._places = places
        self._make_link = make_link
        self._now_s = monotonic_s
        self._changed = changed
        self._knows = knows
        self._tries = RateLimits(TRIES_PER_S, TRIES_AT_ONCE, MOST_ADDRESSES)
        self._links = RateLimits(LINKS_PER_S, LINKS_AT_ONCE, MOST_SESSIONS)
        self._sockets = 0
        self._signing_in = SigningIn()

    def routes(self) -> list[web.RouteDef]:
        """All but the page's files."""
        return [
            web.post("/pair", self._pair),
            web.get("/pair", self._ask),
            web.post(STOP_PATH, self._stop),
            web.get("/link", self._serve_page),
            web.get("/ws", self._serve_open_page),
        ]

    # ------------------------------------------------------------ the way in

    async def _pair(self, request: web.Request) -> web.StreamResponse:
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                body = await request.read()
            pair = decode_pair(body)
        except TimeoutError:
            return refused(408, TOO_SLOW)
        except (UnicodeError, *UNREADABLE) as error:
            return refused(400, f"not understood, nothing was changed: {error}")
        known = self._session_of(request)
        if known is None and self._operators.is_full:
            self._turned_away(request, Refusal.FULL)
            return refused(503, FULL)
        why = self._why_not(request, pair)
        if why:
            return refused(403, why, WayIn.CODE)
        if known is not None:  # a device that is here already stays who it is
            return self._paired(request, known)
        session, secret = self._operators.admit(pair.kind, pair.name, request.remote or "")
        return self._paired(request, session, secret)

    def _turned_away(self, request: web.Request, why: Refusal) -> None:
        self._operators.turned_away(why, request.remote or "")

    def other_site(self, request: web.Request) -> None:
        """A page of another site has asked something; it gets nothing."""
        self._turned_away(request, Refusal.OTHER_SITE)

    def _why_not(self, request: web.Request, pair: Pair) -> str:
        """Why this code lets nobody in; "" if it does."""
        if (
            pair.kind is DeviceKind.DESK
            and is_token(pair.token, self.installation_token)
            and _is_here(request)
        ):
            return ""
        now_s = self._now_s()
        attempt = self._desk.present(pair.token, now_s)
        if attempt is not Attempt.GOOD:
            if not self._tries.allows(request.remote or "", now_s):
                self._turned_away(request, Refusal.TOO_MANY_TRIES)
                return TOO_MANY_TRIES
            self._turned_away(request, _REFUSALS[attempt])
        self._changed()
        return attempt.value

    async def _ask(self, request: web.Request) -> web.StreamResponse:
        session = self._session_of(request)
        if session is not None:
            return self._paired(request, session)
        return refused(401, self._why_unknown(request, bearer_of(request.headers)), WayIn.CODE)

    async def _stop(self, request: web.Request) -> web.StreamResponse:
        """A page's stop by another way than its link."""
        session = self._session_of(request) if self._is_own_page(request) else None
        if session is None:
            return refused(401, NOT_PAIRED, WayIn.CODE)
        try:
            async with asyncio.timeout(STOP_BODY_WITHIN_S):
                press = decode_stop(await request.read()).id
        except (TimeoutError, web.HTTPException, ValueError, RecursionError):
            press = ""  # whatever stands in the body, a stop is a stop
        confirmed = self._operators.stop(session, press)
        return web.Response(body=encode_words(confirmed), content_type="application/json")

    def _paired(self, request: web.Request, session: Session, secret: str = "") -> web.Response:
        fingerprint = self._places.fingerprint if request.secure else ""
        paired = Paired(session.id, session.name, fingerprint, secret)
        return web.Response(body=encode_words(paired), content_type="application/json")

    def _session_of(self, request: web.Request) -> Session | None:
        """Whose request this is, by its header."""
        return self._session_by(request, bearer_of(request.headers))

    def _session_by(self, request: web.Request, secret: str) -> Session | None:
        if not secret:
            return None
        session = self._operators.of_secret(secret, request.remote or "")
        if session is not None:
            self._knows(request.transport)
        return session

    def _why_unknown(self, request: web.Request, secret: str) -> str:
        """For who comes with no secret that is good: one whose session was ended is told by whom."""
        why = self._operators.why_void(secret)
        if secret:
            self._turned_away(request, Refusal.REVOKED if why else Refusal.UNKNOWN)
        return why or NOT_PAIRED

    def _is_own_page(self, request: web.Request) -> bool:
        """Whether a page asks, and one of ours; it says so by its origin."""
        return self._places.admission(request).is_own_page(request.headers)

    # ------------------------------------------------------------ links

    async def _serve_page(self, request: web.Request) -> web.StreamResponse:
        if not self._is_own_page(request):
            return refused(401, NOT_PAIRED, WayIn.CODE)
        if self._sockets >= MOST_SOCKETS:
            return refused(503, BUSY)
        socket = signalling.new_socket()
        await socket.prepare(request)
        secret = await self._signing_in.secret(socket)
        session = self._session_by(request, secret)
        if session is not None:
            known = session
            page = Signalling(request, socket, lambda stop: self._operators.stop(known, stop.id))
            if await self._is_welcome(session, socket):
                self._sockets += 1
                try:
                    await self.reachable.wait()
                    await self._signal(page, session)
                finally:
                    self._sockets -= 1
        elif secret:
            page = Signalling(request, socket, None)
            page.leave(self._why_unknown(request, secret), WayIn.CODE)
            await page.run(None)
        return socket

    async def _is_welcome(self, session: Session, socket: web.WebSocketResponse) -> bool:
        """Whether there is room for it; else its socket has been closed: it may come back by itself."""
        if self._sockets >= MOST_SOCKETS:
            await closed(socket, WSCloseCode.TRY_AGAIN_LATER, BUSY)
            return False
        if not self._links.allows(session.id, self._now_s()):
            await closed(socket, WSCloseCode.TRY_AGAIN_LATER, TOO_MANY_LINKS)
            return False
        return True

    async def _signal(self, page: Signalling, session: Session) -> None:
        def make(
            rings: HandRings,
            on_words: Callable[[PageSays], None],
            on_change: Callable[[], None],
        ) -> SignalledLink:
            def changed() -> None:
                on_change()
                page.look()

            return self._make_link(session, rings, on_words, changed)

        await page.run(self._operators.connect(session, make, page.leave))

    async def _serve_open_page(self, request: web.Request) -> web.StreamResponse:
        """A page signs in with its first message (`spes.js`); a program has a code in the address."""
        if self._sockets >= MOST_SOCKETS:
            return refused(503, BUSY)  # it costs no code
        if "token" in request.query:
            found = self._by_code(request)
            if isinstance(found, web.Response):
                return found
        elif self._is_own_page(request):
            found = None
        else:
            return refused(401, NOT_PAIRED, WayIn.CODE)
        socket = spes_link.new_socket()
        await socket.prepare(request)
        session = found or await self._signs_in(request, socket)
        if session is not None and await self._is_welcome(session, socket):
            self._sockets += 1
            try:
                await self._follow(socket, session)
            finally:
                self._sockets -= 1
        return socket

    def _by_code(self, request: web.Request) -> Session | web.Response:
        """The new session of a program with a good code, or why there is none."""
        token = request.query["token"]
        if not 0 < len(token) <= MOST_TOKEN_CHARS:
            return refused(401, NOT_PAIRED, WayIn.CODE)
        if self._operators.is_full:
            self._turned_away(request, Refusal.FULL)
            return refused(503, FULL)
        if not web.WebSocketResponse().can_prepare(request):
            return refused(426, NO_SOCKET)  # it costs no code
        why = self._why_not(request, Pair(token, DeviceKind.PHONE))
        if why:
            return refused(403, why, WayIn.CODE)
        self._knows(request.transport)
        return self._operators.admit(DeviceKind.PHONE, "SpesRobotics", request.remote or "")[0]

    async def _signs_in(self, request: web.Request, socket: web.WebSocketResponse) -> Session | None:
        """Whose page this is; else it has been told why not, and closed."""
        secret = await self._signing_in.secret(socket)
        if not secret:
            return None
        session = self._session_by(request, secret)
        if session is None:
            await closed(socket, REFUSED_CODE, self._why_unknown(request, secret))
        return session

    async def _follow(self, socket: web.WebSocketResponse, session: Session) -> None:
        def make(rings: HandRings, _: Callable[[PageSays], None], on_change: Callable[[], None]) -> SpesLink:
            return SpesLink(socket, session.id, rings, monotonic_s=self._now_s, on_change=on_change)

        link = self._operators.connect(session, make, None, tracking=TRACKING)
        if link is not None:
            await link.run()


def refused(status: int, words: str, way_in: WayIn = WayIn.AGAIN) -> web.Response:
    """Words for somebody who is refused, and how to get in."""
    body = encode_words(Refused(words, way_in))
    return web.Response(status=status, body=body, content_type="application/json")


def _is_here(request: web.Request) -> bool:
    """Whether the other end is on this machine: on loopback, or at the very address that it asked."""
    if request.transport is None:
        return False
    theirs, ours = request.transport.get_extra_info("peername"), request.transport.get_extra_info("sockname")
    return bool(theirs and ours) and (is_loopback(theirs[0]) or theirs[0] == ours[0])
