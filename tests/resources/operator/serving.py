"""The operator's server on a free port with scripted links: everything but WebRTC is the real thing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import aiohttp
import msgspec

from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from resources.operator.hand_rings import HandRings
from resources.operator.memory_file import read_memory
from resources.operator.operators import Operators
from resources.operator.orders import Shown
from resources.operator.pairing import PairingDesk
from resources.operator.protocol import Answer, Candidate, Health, Offer, OperatorWords, PageWords
from resources.operator.server import OperatorServer
from resources.operator.sessions import Session, SessionBook
from resources.types.operator_client import SeatOrder

LinkName = Literal["control", "media"]


class ScriptedLink:
    """A link without WebRTC: remembers what it is told; a test says the page's words."""

    def __init__(
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageWords], None],
        on_change: Callable[[], None],
    ) -> None:
        self.session = session
        self.rings = rings
        self.ended = ""
        self.is_alive = False
        self.told: list[OperatorWords] = []
        self.seats: list[tuple[SeatOrder, str]] = []
        self.shown: list[Shown] = []
        self.signals: list[Answer | Candidate] = []
        self.closed_with: list[str] = []
        self.health_ = Health()
        self.page_says = on_words
        self._on_change = on_change

    def come_alive(self) -> None:
        self.is_alive = True
        self._on_change()

    def die(self, why: str = "nothing was heard for 2 s") -> None:
        self.is_alive, self.ended = False, why
        self._on_change()

    def tell(self, words: OperatorWords) -> None:
        self.told.append(words)

    def show(self, shown: Shown) -> None:
        self.shown.append(shown)

    def seat(self, order: SeatOrder, holder: str = "") -> None:
        self.seats.append((order, holder))

    def health(self) -> Health:
        return self.health_

    async def offer(self, link: LinkName) -> Offer:
        return Offer(link, f"sdp of {link}")

    async def answer(self, answer: Answer) -> None:
        self.signals.append(answer)

    async def candidate(self, candidate: Candidate) -> None:
        self.signals.append(candidate)

    async def close(self, words: str = "") -> None:
        self.is_alive, self.ended = False, self.ended or words
        self.closed_with.append(words)


class Harness:
    """A server and everybody in it. `ahead_s` moves its clock."""

    def __init__(self, directory: Path, state: Path, **options: Any) -> None:
        self.directory = directory
        self.stop = EmergencyStop.attach(directory)
        self.ahead_s = 0.0
        self.changes = 0
        self.reports: list[str] = []
        self.links: list[ScriptedLink] = []
        self.desk = PairingDesk()
        self.operators = Operators(
            directory=directory,
            stop=self.stop,
            book=SessionBook(read_memory(directory)),
            installation="bench (simulated)",
            console=options.pop("console", "http://127.0.0.1:1/"),
            monotonic_s=self.now_s,
            changed=self._changed,
        )
        self.server = OperatorServer(
            self.operators,
            self.desk,
            self._link,
            **{"host": "127.0.0.1", "port": 0, **options},
            state=state,
            monotonic_s=self.now_s,
            changed=self._changed,
            report=self.reports.append,
        )

    def now_s(self) -> float:
        return time.monotonic() + self.ahead_s

    @property
    def origin(self) -> dict[str, str]:
        return {"Origin": self.server.address.rstrip("/")}

    def open(self) -> str:
        return self.desk.open(self.now_s())

    async def pair(self, client: aiohttp.ClientSession, name: str = "") -> dict[str, Any]:
        """A device that has scanned the code; its secret is in the client's headers from now on."""
        wish = {"token": self.open(), "kind": "phone", "name": name}
        async with client.post("/pair", json=wish) as answer:
            assert answer.status == 200, await answer.text()
            paired: dict[str, Any] = await answer.json()
        client.headers["Authorization"] = f"Bearer {paired['secret']}"
        return paired

    def _changed(self) -> None:
        self.changes += 1

    def _link(
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageWords], None],
        on_change: Callable[[], None],
    ) -> ScriptedLink:
        self.links.append(ScriptedLink(session, rings, on_words, on_change))
        return self.links[-1]


Scenario = Callable[[Harness, aiohttp.ClientSession], Awaitable[None]]


def serve(scenario: Scenario, state: Path, **options: Any) -> None:
    """Run a scenario against a fresh server."""

    async def whole() -> None:
        with RunDirectory.create() as directory:
            EmergencyStop.create(directory.path).close()
            harness = Harness(directory.path, state, **options)
            try:
                async with asyncio.timeout(120), harness.server, browser(harness) as client:
                    await scenario(harness, client)
            finally:
                await harness.operators.close()
                harness.stop.close()

    asyncio.run(whole())


def browser(harness: Harness) -> aiohttp.ClientSession:
    """Another device."""
    return aiohttp.ClientSession(harness.server.address)


async def signed_in(
    harness: Harness, client: aiohttp.ClientSession, path: str = "/link", secret: str = "", **options: Any
) -> aiohttp.ClientWebSocketResponse:
    """The socket of a page that has said who it is. secret: else the client's own."""
    socket: aiohttp.ClientWebSocketResponse = await client.ws_connect(path, headers=harness.origin, **options)
    own = client.headers.get("Authorization", "").removeprefix("Bearer ")
    await socket.send_json({"type": "sign_in", "secret": secret or own})
    return socket


async def next_of(socket: aiohttp.ClientWebSocketResponse, kind: str) -> dict[str, Any]:
    """The next message, which is to be of this type."""
    frame = await socket.receive()
    assert frame.type is aiohttp.WSMsgType.TEXT, frame
    message: dict[str, Any] = msgspec.json.decode(frame.data)
    assert message["type"] == kind, message
    return message


async def words_of(answer: aiohttp.ClientResponse) -> str:
    """Of somebody who is refused. One who has no session is told that a code lets in, and nobody else."""
    message = await answer.json()
    assert message["type"] == "refused"
    assert (message["way_in"] == "code") == (
        answer.status in (401, 403) and "pages of" not in message["words"]
    )
    return str(message["words"])


async def connected(
    harness: Harness, client: aiohttp.ClientSession
) -> tuple[aiohttp.ClientWebSocketResponse, ScriptedLink]:
    """A page that was offered both connections."""
    socket = await signed_in(harness, client)
    for name in ("control", "media"):
        assert (await next_of(socket, "offer"))["link"] == name
    link = harness.links[-1]
    link.come_alive()
    return socket, link


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until something is so."""
    while not condition():
        await asyncio.sleep(0.002)
