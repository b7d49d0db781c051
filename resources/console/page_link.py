"""One connected page: reads what it says, writes what waits for it. Never makes others wait.

A page that says nonsense gets an answer and changes nothing; one that floods, or takes in nothing
for too long, is dropped and may connect anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from aiohttp import ClientConnectionResetError, WSCloseCode, WSMsgType, web

from framework.errors import PilothouseError, SoundError
from framework.unreadable import UNREADABLE
from resources.console.backend import Voice
from resources.console.commands import Commands
from resources.console.outbox import Outbox
from resources.console.page_hands import PageHands
from resources.console.page_pointing import PagePointing
from resources.web.page_messages import (
    MAX_MESSAGE_BYTES,
    AnyPageMessage,
    BeginTalk,
    HandsSeen,
    PageMessage,
    PointAt,
    Stop,
    Timely,
    WatchHands,
    decode_page_message,
)
from resources.web.protocol import GesturesSeen, Heard, PageAnswer, PointedAt, Reply, encode_message
from resources.web.rate_limit import RateLimit
from resources.web.sound_packets import BLOCKS_AT_ONCE, BLOCKS_PER_S, SoundPacket, decode_sound

SEND_TIMEOUT_S: Final = 10.0
"""A page that does not take a message in for so long is dropped."""

MESSAGES_PER_S: Final = 20.0
BURST: Final = 40.0
MOST_EXCESS: Final = 100
"""Messages over the limit before the page is dropped."""

_GOODBYE_S: Final = 1.0


class PageLink:
    """The server's side of one WebSocket.

    `who` is what the log calls this page; `socket` has been prepared. outbox: what it is told; decode: what
    it may say.
    """

    def __init__(
        self,
        request: web.Request,
        socket: web.WebSocketResponse,
        who: str,
        commands: Commands,
        outbox: Outbox | None = None,
        decode: Callable[[str], AnyPageMessage | Timely] = decode_page_message,
    ) -> None:
        self.outbox = outbox or Outbox()
        self.who = who
        self._request = request
        self._socket = socket
        self._commands = commands
        self._decode = decode
        self._waiting = asyncio.Event()
        self._limit = RateLimit(MESSAGES_PER_S, BURST)
        self._voice: Voice | None = None
        self._sound_limit = RateLimit(BLOCKS_PER_S, BLOCKS_AT_ONCE)
        self._answering: set[asyncio.Task[None]] = set()
        self._hands = PageHands(commands, who, self._show_own)
        self._pointing = PagePointing(commands, who, self._show_own)

    def wake(self) -> None:
        """Something was put into the outbox."""
        self._waiting.set()

    def tell(self, message: PageAnswer) -> None:
        """Send an answer."""
        self.outbox.tell(encode_message(message))
        self.wake()

    def _show_own(self, state: GesturesSeen | PointedAt) -> None:
        self.outbox.show_own(state)
        self.wake()

    async def run(self) -> None:
        """Serve the page until it leaves or is dropped."""
        writer = asyncio.get_running_loop().create_task(self._write())
        try:
            await self._read()
        finally:
            if self._voice is not None:
                self._voice.close()
            self._hands.close()
            self._pointing.close()
            for task in (writer, *self._answering):
                task.cancel()
            await asyncio.gather(writer, *self._answering, return_exceptions=True)

    async def close(self) -> None:
        """Say goodbye, briefly: the server ends."""
        try:
            async with asyncio.timeout(_GOODBYE_S):
                await self._socket.close(code=WSCloseCode.GOING_AWAY, message=b"the console was stopped")
        except TimeoutError:
            self._drop()

    # ------------------------------------------------------------ page → server

    async def _read(self) -> None:
        async for frame in self._socket:
            if frame.type is WSMsgType.TEXT:
                self._take(frame.data)
            else:
                self._hear(frame.data)
            is_flooded = self._hands.is_flooded or self._pointing.is_flooded
            if max(self._limit.excess, self._sound_limit.excess) > MOST_EXCESS or is_flooded:
                await self._socket.close(code=WSCloseCode.POLICY_VIOLATION, message=b"too many messages")
                return

    def _take(self, text: str) -> None:
        try:
            message = self._decode(text)
        except (UnicodeError, *UNREADABLE) as error:
            self._refuse(f"not understood, nothing was changed: {error}")
            return
        timely = None
        if isinstance(message, Timely):
            timely, message = message, message.message
        if isinstance(message, BeginTalk):  # is no command yet
            self._begin_talk(message)
        elif isinstance(message, HandsSeen):  # they come many times a second, under a limit of their own
            self._answer_if_refused(self._hands.take(message))
        elif isinstance(message, PointAt):  # as do these
            self._answer_if_refused(self._pointing.take(message))
        elif isinstance(message, Stop):  # before any limit: a stop is never one too many
            self.tell(self._commands.stop_now(message, self.who))
        elif not self._is_within_limit():
            self.tell(Reply(message.id, False, f"too many messages; at most {MESSAGES_PER_S:.0f} a second"))
        elif isinstance(message, WatchHands):
            self.tell(self._hands.switch(message))
        else:
            self._begin(message, timely)

    def _answer_if_refused(self, refused: Reply | None) -> None:
        if refused is not None and self._is_within_limit():
            self.tell(refused)

    def _begin_talk(self, message: BeginTalk) -> None:
        if not self._is_within_limit():
            self.tell(Reply(message.id, False, f"too many messages; at most {MESSAGES_PER_S:.0f} a second"))
            return
        if doubted := self._commands.doubted():  # nobody knows when the button was pressed
            self.tell(Reply(message.id, False, doubted))
            return
        try:
            if self._voice is None:
                self._voice = self._commands.voice(self._heard, self.who)
            self._voice.begin(message.talk)
        except PilothouseError as refusal:
            self.tell(Reply(message.id, False, str(refusal)))
        else:
            self.tell(Reply(message.id, True))

    def _hear(self, message: bytes) -> None:
        """A block of sound. What is too much is not taken, and is missing then in the talk's numbers."""
        if not self._sound_limit.allows(asyncio.get_running_loop().time()):
            return
        try:
            packet = decode_sound(message)
            if self._voice is None:
                raise SoundError("no talk has begun at this page; hold the button and say it again")
            doubted = self._commands.doubted()
            if doubted:  # it was said during a hang, and would seem to be said now
                self._voice.take(SoundPacket(packet.talk, packet.sequence, b"", is_broken_off=True))
                raise SoundError(doubted)
            self._voice.take(packet)
        except PilothouseError as error:
            self._refuse(f"not heard, nothing was changed: {error}")

    def _heard(self, heard: Heard) -> None:
        self.outbox.tell(encode_message(heard))
        self.wake()

    def _begin(self, message: PageMessage, timely: Timely | None) -> None:
        if timely is None:
            running = self._commands.start(message, self.who)
        else:
            running = self._commands.start(
                message,
                self.who,
                timely.points_at,
                spoken=timely.spoken,
                good_until_s=timely.good_until_s,
            )
        if running is None:
            self.tell(Reply(message.id, False, "too many commands are under way; wait for one to end"))
            return
        task = asyncio.get_running_loop().create_task(self._answer(running))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, running: asyncio.Task[PageAnswer]) -> None:
        self.tell(await asyncio.shield(running))

    def _refuse(self, why: str) -> None:
        if self._is_within_limit():
            self.tell(Reply("", False, why))

    def _is_within_limit(self) -> bool:
        return self._limit.allows(asyncio.get_running_loop().time())

    # ------------------------------------------------------------ server → page

    async def _write(self) -> None:
        try:
            while not self.outbox.overflowed:
                message = self.outbox.take()
                if message is None:
                    self._waiting.clear()
                    await self._waiting.wait()
                    continue
                kind = WSMsgType.TEXT if isinstance(message, bytes) else WSMsgType.BINARY
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await self._socket.send_frame(message, kind)  # type: ignore[arg-type]  # any buffer will do
        except (TimeoutError, ClientConnectionResetError, ConnectionError):
            pass
        self._drop()

    def _drop(self) -> None:
        """Cut the connection without a goodbye, for which a stuck page would have no ear."""
        if self._request.transport is not None:
            self._request.transport.abort()


def new_socket() -> web.WebSocketResponse:
    """A WebSocket as the console wants it: small messages in, nothing compressed out."""
    return web.WebSocketResponse(
        heartbeat=10.0, compress=False, max_msg_size=MAX_MESSAGE_BYTES, writer_limit=64 * 1024
    )
