"""A session's words to the main process and back: a client of the console's server, one for each session.

Who speaks is known there by the session's name, so that questions come to the right page. The operator
process goes on when the main process hangs; what is said to it then is refused at once. Nothing is queued for
later: each message carries the time until which it is meant, and the other side refuses it after that. Of
whatever is said the page hears what became of it, and be it that nothing came back.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote

import aiohttp
import msgspec

from framework.events import Subject
from framework.unreadable import UNREADABLE
from resources.operator.protocol import (
    Asked,
    AskedThing,
    Done,
    Heard,
    Line,
    LookAt,
    OperatorWords,
    Replied,
    Said,
)
from resources.types.whereabouts import Ray
from resources.web import protocol as console
from resources.web.page_messages import MEANT_S, Answer, BeginTalk, Say, Timely
from resources.web.page_messages import FromPage as ToConsole
from resources.web.pinned import trusting
from resources.web.rate_limit import RateLimit
from resources.web.sound_packets import SoundPacket, encode_sound

SILENT_S: Final = 1.0
"""A main process not heard for so long is spoken to no more, and what was said is meant no longer [s]."""

ANSWERED_WITHIN_S: Final = 2.0
"""The main process says at once what becomes of words; of those that were lost nothing comes back [s]."""

PING_EVERY_S: Final = 0.5
RETRY_S: Final = (0.1, 0.5, 1.0, 2.0)
LINES_BEFORE: Final = 20
"""Of what happened before a page came it is told so much."""

OTHERS: Final = "others"
"""Kind of lines about what others say and do: pages keep them in their log, and show them to nobody."""

_FOR_ALL: Final = frozenset({"device", "emergency", "reset", "error"})

SAID_PER_S: Final = 3.0
SAID_AT_ONCE: Final = 10.0

MOST_PENDING: Final = 32
_MAX_BYTES: Final = 16 * 1024 * 1024  # the main process is believed

NOT_HEARD: Final = "the main process does not answer: nothing was done, and nothing will begin later"
_LEFT: Final = "the main process stopped answering: what it had begun may go on, nothing else will begin"
TOO_OLD: Final = (
    "this was held up on its way and came too late: nothing was done. Say it again if it still holds"
)
NO_WORD: Final = "the main process has not said that it heard this: if nothing comes of it, say it again"
_TOO_MANY: Final = "too much at once; wait for an answer"

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(console.ServerMessage).decode

M = TypeVar("M", Say, Answer)


class _Pending(NamedTuple):
    """What was sent, by the page's name for it, and until when an answer is waited for."""

    page_id: str
    until_s: float


class ConsoleLink:
    """Speaks for one session, from `run` on, through as many connections as it takes.

    Parameters
        address, token: of the console's server, certificate: the file of its own one, "" for plain http.
        who: the session's name.
        tell: called with each message for the session's page.
        heard_age_s: how long ago the main process gave a sign of life elsewhere [s].
        monotonic_s: CLOCK_MONOTONIC [s].
    """

    def __init__(
        self,
        address: str,
        token: str,
        who: str,
        *,
        certificate: str = "",
        tell: Callable[[OperatorWords], None],
        heard_age_s: Callable[[], float],
        monotonic_s: Callable[[], float],
    ) -> None:
        self._url = f"{address.rstrip('/')}/ws?who={quote(who)}"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._certificate = certificate
        self._tell = tell
        self._heard_elsewhere_s = heard_age_s
        self._now_s = monotonic_s
        self._heard_s = monotonic_s()
        self._who = who
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._numbers = itertools.count(1)
        self._pending: dict[str, _Pending] = {}
        self._overdue: dict[str, str] = {}
        self._asked: dict[str, Asked] = {}
        self._run = ""
        self._told = 0
        self._talk: int | None = None  # which one goes on
        self._begin = ""  # the message that began it
        self._not_begun: int | None = None  # the talk that was refused last, and told to be over
        self._limit = RateLimit(SAID_PER_S, SAID_AT_ONCE)
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def is_connected(self) -> bool:
        """Whether there is anybody to speak to."""
        return self._socket is not None

    @property
    def heard_age_s(self) -> float:
        """How long ago the main process was heard, here or elsewhere [s]."""
        return max(0.0, min(self._now_s() - self._heard_s, self._heard_elsewhere_s()))

    # ------------------------------------------------------------ page → main process

    def say(self, said: Said, points_at: Ray | None = None) -> None:
        """Have an instruction carried out; `Done` comes back. points_at: see `Timely`."""
        self._send(Say(self._number(), said.text), said.id, said.said_ms, points_at, spoken=said.spoken)

    def answer(self, replied: Replied) -> None:
        """Answer a question; if that is too late, `Done` with the question's id says so."""
        answer = Answer(self._number(), replied.question, replied.choice)
        self._send(answer, replied.question, replied.said_ms)

    def begin(self, talk: int) -> None:
        """The page's button is pressed. `Heard` says what becomes of it."""
        if not self._is_reached:
            self._not_begun = talk
            self._tell(Heard(talk, console.TalkState.OVER, words=NOT_HEARD))
            return
        self._begin, self._talk, self._not_begun = self._number(), talk, None
        self._write(BeginTalk(self._begin, talk))

    def hear(self, packet: SoundPacket) -> None:
        """Sound of the page's; a talk that was not begun begins with block 0."""
        is_first = packet.sequence == 0 and not packet.is_broken_off
        if is_first and packet.talk not in (self._talk, self._not_begun):
            self.begin(packet.talk)
        if self._talk != packet.talk:
            return
        is_reached = self._is_reached
        if is_reached:
            self._write(packet)
        if not is_reached or packet.is_last or packet.is_broken_off:
            self._talk = None
        if not is_reached:
            self._tell(Heard(packet.talk, console.TalkState.OVER, words=NOT_HEARD))

    @property
    def _is_reached(self) -> bool:
        return self._socket is not None and self.heard_age_s <= SILENT_S

    def hush(self) -> None:
        """The page's link is over: of what it was saying nothing is done. The next one counts anew."""
        self._not_begun = None
        if self._talk is not None:
            self._write(SoundPacket(self._talk, 0, b"", is_broken_off=True))
            self._talk = None

    def tell_questions(self) -> None:
        """Ask the page everything that is open: it has just come."""
        for asked in self._asked.values():
            self._tell(asked)

    def look(self) -> None:
        """Give up what waits for a main process that is silent, or is not answered. Call it often."""
        if (self._pending or self._talk is not None) and self.heard_age_s > SILENT_S:
            self._give_up()
        now_s = self._now_s()
        for number in [number for number, each in self._pending.items() if now_s > each.until_s]:
            # The answer may still come; then it is told, too.
            page_id = self._overdue[number] = self._pending.pop(number).page_id
            self._tell(Done(page_id, False, NO_WORD))
        while len(self._overdue) > MOST_PENDING:
            del self._overdue[next(iter(self._overdue))]

    def _send(
        self,
        message: M,
        page_id: str,
        said_ms: float | None,
        points_at: Ray | None = None,
        *,
        spoken: bool = False,
    ) -> None:
        now_s = self._now_s()
        said_s = now_s if said_ms is None else min(now_s, said_ms / 1e3)
        if not self._limit.allows(now_s) or len(self._pending) >= MOST_PENDING:
            self._tell(Done(page_id, False, _TOO_MANY))
        elif now_s >= said_s + MEANT_S:
            self._tell(Done(page_id, False, TOO_OLD))
        elif self._socket is None or self.heard_age_s > SILENT_S:
            self._tell(Done(page_id, False, NOT_HEARD))
        else:
            self._pending[message.id] = _Pending(page_id, now_s + ANSWERED_WITHIN_S)
            good_until_s = min(now_s + SILENT_S, said_s + MEANT_S)
            self._write(Timely(good_until_s, message, points_at, spoken))

    def _write(self, message: ToConsole | Timely | SoundPacket) -> None:
        if self._socket is not None:
            task = asyncio.get_running_loop().create_task(self._written(self._socket, message))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _written(
        self, socket: aiohttp.ClientWebSocketResponse, message: ToConsole | Timely | SoundPacket
    ) -> None:
        try:
            async with asyncio.timeout(SILENT_S):
                if isinstance(message, SoundPacket):
                    await socket.send_bytes(encode_sound(message))
                else:
                    await socket.send_str(_encode(message).decode())
        except (TimeoutError, ConnectionError, aiohttp.ClientError):
            return  # whoever waits for an answer is told by `look`, or when the connection ends

    def _number(self) -> str:
        return str(next(self._numbers))

    def _give_up(self) -> None:
        if self._talk is not None:
            self._tell(Heard(self._talk, console.TalkState.OVER, words=_LEFT))
            self._talk = None
        pending, self._pending = self._pending, {}
        for each in pending.values():
            self._tell(Done(each.page_id, False, _LEFT))

    # ------------------------------------------------------------ main process → page

    async def run(self) -> None:
        """Stay connected until cancelled."""
        timeout = aiohttp.ClientTimeout(total=None, connect=2.0, sock_connect=2.0)
        async with aiohttp.ClientSession(timeout=timeout) as client:
            tries = 0
            while True:
                if await self._connected(client):
                    tries = 0
                await asyncio.sleep(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1

    async def _connected(self, client: aiohttp.ClientSession) -> bool:
        """One connection, to its end; whether there was one."""
        try:
            async with asyncio.timeout(3.0):
                socket = await client.ws_connect(
                    self._url,
                    headers=self._headers,
                    autoping=False,
                    max_msg_size=_MAX_BYTES,
                    ssl=trusting(self._certificate) if self._certificate else True,
                )
        except (TimeoutError, aiohttp.ClientError, OSError):
            return False
        pinging = asyncio.get_running_loop().create_task(self._ping(socket))
        try:
            self._socket = socket
            await self._read(socket)
        except (aiohttp.ClientError, OSError):
            pass
        finally:
            self._socket = None
            self._give_up()
            pinging.cancel()
            await asyncio.gather(pinging, return_exceptions=True)
            await asyncio.shield(_ended(socket))
        return True

    async def _ping(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            await socket.ping()
            await asyncio.sleep(PING_EVERY_S)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for frame in socket:
            self._heard_s = self._now_s()
            if frame.type is aiohttp.WSMsgType.PING:
                await socket.pong(frame.data)
            elif frame.type is aiohttp.WSMsgType.TEXT:
                try:
                    message = _decode(frame.data)
                except (UnicodeError, *UNREADABLE):
                    continue  # a message of a newer console: not for us
                self._take(message)

    def _take(self, message: console.ServerMessage) -> None:
        match message:
            case console.Hello(run=run):
                if run != self._run:
                    self._run, self._told = run, 0
            case console.Events(lines=lines):
                new = [line for line in lines if line.number > self._told]
                said = [line for line in new if not line.aside and not self._is_own_seat(line)]
                for line in said if self._told else said[-LINES_BEFORE:]:
                    kind = line.kind if self._concerns(line) else OTHERS
                    about = (line.subject, line.words, line.device, line.why, line.spoken)
                    self._tell(Line(kind, line.text, line.number, *about))
                self._told = max([self._told, *(line.number for line in new)])
            case console.Questions(questions=questions):
                self._ask(questions)
            case console.Heard(talk=talk, state=state, text=text, words=words):
                self._tell(Heard(talk, state, text, words))
            case console.PutView(middle=middle, size_m=size_m, is_above=is_above):
                self._tell(LookAt(middle, size_m, is_above))
            case console.Reply(id=number, ok=ok, text=text) if number == self._begin:
                if not ok and self._talk is not None:
                    self._tell(Heard(self._talk, console.TalkState.OVER, words=text))
                    self._talk, self._not_begun = None, self._talk
            case console.Reply(id=number, ok=ok, text=text):
                pending = self._pending.pop(number, None)
                page_id = self._overdue.pop(number, "") if pending is None else pending.page_id
                if page_id:
                    self._tell(Done(page_id, ok, text, message.number, message.subject))
            case _:
                pass  # what pages draw is not for words

    def _concerns(self, line: console.EventLine) -> bool:
        """Whether it is this session's own, about it, or about what concerns everybody."""
        return line.who in ("", self._who) or line.kind in _FOR_ALL or self._who in line.people

    def _is_own_seat(self, line: console.EventLine) -> bool:
        """Whether it says to others what the page is told as its seat: nobody is told news about himself."""
        return line.subject == Subject.SEAT and line.session == self._who

    def _ask(self, questions: tuple[console.Question, ...]) -> None:
        """Tell what is new, and take back what is answered."""
        now = {
            each.id: Asked(
                each.id,
                each.text,
                each.options,
                tuple(AskedThing(thing.choice, thing.robot_T_thing, thing.size) for thing in each.things),
            )
            for each in questions
            if each.who in ("", self._who)
        }
        before, self._asked = self._asked, now
        for gone in before.keys() - now.keys():
            self._tell(Asked(gone))
        for key, asked in now.items():
            if before.get(key) != asked:
                self._tell(asked)


async def _ended(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Close it, without waiting for a peer that hangs."""
    try:
        async with asyncio.timeout(0.2):
            await socket.close()
    except TimeoutError:
        return
