"""A scripted operator: paired, linked directly or through a relay, its hand sent 72 times a second.

It is what the browser's page is on the wire, without a picture and without a browser's own delays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import aiohttp
import msgspec

from framework.errors import TransportError
from pilothouse.experiments.operator_link.relay import UdpRelay, relayed_offer, without_candidates
from resources.operator.protocol import Done, Offer, OperatorWords, Paired, Said, SeatNow, encode_words
from resources.operator.scripted_page import ScriptedPage
from resources.types.motion import REST6, Vector6
from resources.types.operator import DeviceKind
from resources.types.operator_client import Seat
from resources.types.streams import Pose7
from resources.web.sign_in import SignIn

HANDS_HZ: Final = 72.0
PATIENCE_S: Final = 30.0
_LOOK_S: Final = 0.005

W = TypeVar("W", bound=OperatorWords)
Motion = Callable[[float], tuple[tuple[float, float, float], tuple[float, float, float]]]
"""Where the hand is [m], and how fast [m/s], at a time [s]."""


async def until(is_so: Callable[[], object], what: str, within_s: float = PATIENCE_S) -> None:
    """Look again and again until it is so. Raises TransportError, saying what did not happen."""
    try:
        async with asyncio.timeout(within_s):
            while not is_so():  # noqa: ASYNC110 - it is told by another process, or by a ring
                await asyncio.sleep(_LOOK_S)
    except TimeoutError:
        raise TransportError(f"not within {within_s:g} s: {what}") from None


class ScriptedOperator:
    """Somebody with a device that has paired. Entered with the link of a code; `link` makes a link, again and
    again; left, it goes.

    motion: of the hand, over the time of this machine [s]; it may be exchanged at any time.
    """

    page: ScriptedPage

    def __init__(self, code: str, relay: UdpRelay | None = None, kind: DeviceKind = DeviceKind.PHONE) -> None:
        self.motion: Motion = at((0.0, 0.0, 0.0))
        self._address, _, self._token = code.partition("#token=")
        self._relay = relay
        self._kind = kind
        self._said = 0
        self._sending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._client = aiohttp.ClientSession(headers={"Origin": self._address.rstrip("/")})
        try:
            wish = {"token": self._token, "kind": self._kind.value, "name": ""}
            async with self._client.post(f"{self._address}pair", json=wish) as answer:
                text = await answer.text()
                if answer.status != 200:
                    raise TransportError(f"the operator process lets nobody in: {text}")
            self.paired = msgspec.json.decode(text, type=Paired)
            await self.link()
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave()

    @property
    def name(self) -> str:
        """What everybody calls it."""
        return self.paired.name

    async def link(self) -> None:
        """A link, in place of the one before: as a page that is loaded anew, or comes back."""
        before, self.page = getattr(self, "page", None), ScriptedPage(self.paired.session, time.monotonic)
        if self._sending is not None:
            self._sending.cancel()
        if before is not None:
            await before.close()
        async with self._client.ws_connect(f"{self._address}link") as signalling:
            await signalling.send_str(encode_words(SignIn(self.paired.secret)).decode())
            for _ in range(2):
                frame = await signalling.receive(PATIENCE_S)
                offer = msgspec.json.decode(frame.data, type=Offer)
                if self._relay is not None:
                    offer = relayed_offer(offer, self._relay)
                answer = await self.page.answer(offer)
                if self._relay is not None:
                    answer = msgspec.structs.replace(answer, sdp=without_candidates(answer.sdp))
                await signalling.send_str(encode_words(answer).decode())
            await until(lambda: self.page.is_open and self.page.states_heard, "the page's link is open")
        self._sending = asyncio.create_task(self._send_hands())

    async def asks(self, text: str) -> Done:
        """Says something, and hears what became of it."""
        self._said += 1
        number = str(self._said)
        self.page.say(Said(number, text))
        await until(lambda: any(done.id == number for done in self._heard(Done)), f"an answer to {text!r}")
        return next(done for done in self._heard(Done) if done.id == number)

    async def drives(self) -> None:
        """Asks to, if need be, and waits for it."""
        if not self.may_drive:
            self.page.say(Said("drive", "let me drive"))
        await until(lambda: self.may_drive, f"{self.name} may drive; it heard {self._heard(Done)[-3:]}")

    @property
    def may_drive(self) -> bool:
        """Whether the page may press its clutch."""
        seats = self._heard(SeatNow)
        return bool(seats) and seats[-1].seat is Seat.READY

    def _heard(self, kind: type[W]) -> list[W]:
        return [words for words in self.page.heard if isinstance(words, kind)]

    async def _send_hands(self) -> None:
        next_s = time.monotonic()
        while True:
            now_s = time.monotonic()
            position, velocity = self.motion(now_s)
            pose: Pose7 = (*position, 0.0, 0.0, 0.0, 1.0)
            twist: Vector6 = (*velocity, 0.0, 0.0, 0.0)
            with suppress(TransportError):  # there is no link just now: nothing is kept for later
                self.page.move(pose, twist=twist, acceleration=REST6)
            next_s = max(next_s + 1.0 / HANDS_HZ, now_s)
            await asyncio.sleep(next_s - now_s)

    async def _leave(self) -> None:
        ending: list[Any] = []
        if self._sending is not None:
            self._sending.cancel()
            ending.append(self._sending)
        await asyncio.gather(*ending, return_exceptions=True)
        if hasattr(self, "page"):
            await self.page.close()
        await self._client.close()


def at(place: tuple[float, float, float]) -> Motion:
    """A hand that is held still."""
    return lambda _: (place, (0.0, 0.0, 0.0))
