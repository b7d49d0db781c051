"""The open SpesRobotics phone page's connection: a WebSocket whose poses go the way of everybody's.

Its page understands no words of ours: it is told nothing, and health and seat are shown on the console. Its
poses have no time of their own, and a connection that fills up brings them seconds late: `Echoes` tells.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from aiohttp import WSCloseCode, WSMsgType, web

from framework.errors import MalformedMessage, StreamError
from resources.operator.bad_messages import MOST_INVALID, BadMessages
from resources.operator.echoes import PING_EVERY_S, Echoes
from resources.operator.hand_rings import HandRings
from resources.operator.intake import MOST_REASON_CHARS
from resources.operator.orders import Shown
from resources.operator.protocol import Health, LinkQuality, OperatorWords
from resources.operator.spes import MAX_BYTES, SpesHand, SpesMessage, SpesPose, decode_spes
from resources.types.masters import SILENCE_S, HandSide
from resources.types.operator_client import SeatOrder
from resources.web.rate_limit import RateLimit

TRACKING: Final = "the open SpesRobotics phone page, over a WebSocket"
DEAD_AFTER_S: Final = 2.0
MOST_PER_S: Final = 240.0
BURST: Final = 480.0
"""Two seconds of poses that were held up on their way are no flood."""

OLDEST_S: Final = PING_EVERY_S + 2.0 * SILENCE_S
"""What may be older than this opens the clutch [s]: a way of at most `SILENCE_S`, there and back."""

_GOODBYE_S: Final = 0.5


def new_socket() -> web.WebSocketResponse:
    """A WebSocket for `SpesLink`, which sees the answers to its pings."""
    return web.WebSocketResponse(heartbeat=10.0, compress=False, max_msg_size=MAX_BYTES, autoping=False)


class SpesLink:
    """One connection, as `Operators` sees links.

    Parameters
        socket: `new_socket`, prepared. session: its id; rings: its hands.
        monotonic_s: CLOCK_MONOTONIC [s]. on_change: called when `is_alive` or `ended` may have changed.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        session: str,
        rings: HandRings,
        *,
        monotonic_s: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self.ended = ""
        self._socket = socket
        self._rings = rings
        rings.owner = self
        self._hand = SpesHand(session, number=rings.number, engagement=rings.engagement, grips=rings.grips)
        self._echoes = Echoes()
        self._now_s = monotonic_s
        self._on_change = on_change
        self._heard_s: float | None = None
        self._bad = BadMessages()
        self._limit = RateLimit(MOST_PER_S, BURST)
        self._waiting: tuple[SpesPose, float] | None = None
        self._words = ""

    @property
    def is_alive(self) -> bool:
        """Whether poses have come in the last 2 s."""
        heard_s = self._heard_s
        return not self.ended and heard_s is not None and self._now_s() - heard_s <= DEAD_AFTER_S

    def tell(self, words: OperatorWords) -> None:
        """It would not understand."""

    def show(self, shown: Shown) -> None:
        """It shows nothing."""

    def seat(self, order: SeatOrder, holder: str = "") -> None:
        """It has no place for it."""

    def health(self) -> Health:
        """What is wrong with its messages, in words."""
        late, now_s = self._hand.late, self._now_s()
        slow = f"the link is slow: poses may come more than {1e3 * OLDEST_S:.0f} ms late, and move nothing"
        is_slow = self.is_alive and self._echoes.oldest_s(now_s) > OLDEST_S
        found = slow if is_slow else f"{late} poses came too late" if late else ""
        quality = LinkQuality.TOO_SLOW if is_slow else LinkQuality.GOOD
        return Health(quality=quality, words=self._words or found)

    async def close(self, words: str = "") -> None:
        """End it; idempotent."""
        self._end(words or "this link was closed")
        try:
            async with asyncio.timeout(_GOODBYE_S):
                await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, message=_cut(self.ended))
        except TimeoutError:
            return

    async def run(self) -> None:
        """Read until the page leaves, or is not to be believed any more."""
        try:
            async for frame in self._socket:
                if frame.type is WSMsgType.PONG:
                    self._echoes.answer(frame.data)
                elif frame.type is WSMsgType.PING:
                    with suppress(ConnectionError):  # as in `_ask`
                        await self._socket.pong(frame.data)
                elif frame.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    self._take(frame.data)
                    if self.ended:
                        await self.close()
                        return
                    await self._ask()
            self._end("the page has left")
        finally:
            self._end("the connection was lost")

    async def _ask(self) -> None:
        """How long the way is, now and then while poses come."""
        payload = self._echoes.due(self._now_s())
        if payload is not None:
            with suppress(ConnectionError):  # it has just gone: the next frame says so
                await self._socket.ping(payload)

    def _take(self, payload: str | bytes) -> None:
        now_s = self._now_s()
        if self._rings.owner is not self:
            self._end("this session was opened in another window")
            return
        if not self._limit.allows(now_s):
            self._refuse(f"more than {MOST_PER_S:g} messages a second", now_s)
            return
        try:
            message = decode_spes(payload)
        except MalformedMessage as error:
            self._refuse(str(error), now_s)
            return
        if not isinstance(message, SpesMessage):
            return
        if self._waiting is not None:
            self._hand.skip(*self._waiting)
        else:
            # What came together is read without a turn of the loop in between: then only the newest counts.
            asyncio.get_running_loop().call_soon(self._write)
        self._waiting = (message.data, now_s)

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None or self.ended or self._rings.owner is not self:
            return
        was_alive, self._heard_s = self.is_alive, waiting[1]
        is_fresh = self._echoes.oldest_s(waiting[1]) <= OLDEST_S
        sample = self._hand.take(*waiting, is_fresh=is_fresh)
        if sample is not None:
            try:
                self._rings.write(HandSide.RIGHT, sample)
            except StreamError as error:
                self._end(f"this session is over: {error}")
        if not was_alive:
            self._on_change()

    def _refuse(self, why: str, now_s: float) -> None:
        self._words = why = why[:MOST_REASON_CHARS]  # it may repeat what the page wrote
        self._hand.break_off()
        if self._bad.are_too_many(now_s):
            self._end(f"{MOST_INVALID} messages in a second were none of its own: {why}")

    def _end(self, why: str) -> None:
        if not self.ended:
            self.ended = why
            asyncio.get_running_loop().call_soon(self._on_change)


def _cut(words: str) -> bytes:
    """As much as a close frame takes."""
    return words.encode()[:120].decode(errors="ignore").encode()
