"""The operator process for real: paired over http and https, driven, spoken through, killed, back again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from framework.errors import ProcessStartFailed
from framework.processes.child_events import Said as Reported
from framework.processes.emergency import EmergencyStop
from framework.processes.launcher import ProcessLauncher
from framework.processes.supervise import ChildProcess
from framework.processes.wire import CHILD_VARIABLE
from framework.status import Severity
from framework.transport.ring import RingReader
from framework.transport.run_directory import RunDirectory
from resources.console.server import ConsoleServer
from resources.operator.arguments import IceServer, OperatorArguments
from resources.operator.console_link import SILENT_S
from resources.operator.orders import Console, Ice, Kick, OpenPairing, OperatorOrder, SeatOf, encode_order
from resources.operator.protocol import (
    Done,
    Health,
    Offer,
    Said,
    SeatNow,
    StopConfirmed,
    StopNow,
    encode_words,
)
from resources.operator.scripted_page import ScriptedPage
from resources.operator.spec import operator_spec
from resources.types.masters import decode_hand
from resources.types.operator import OperatorLinksHandle, SessionLine
from resources.types.operator_client import Seat, SeatOrder
from resources.types.streams import IDENTITY
from resources.web.certificate import FILE_NAME
from resources.web.sign_in import SignIn
from tests.framework.processes.family import PATIENCE_S, Diary, until
from tests.resources.console.scripted import ScriptedBackend
from tests.resources.console.serving import TOKEN

TURN_PASSWORD = "the-password-of-the-relay"
T = TypeVar("T", Done, Health, SeatNow, StopConfirmed)
pytestmark = pytest.mark.real


class Stage:
    """A process that serves operators, its owner's side, and a console behind it."""

    def __init__(
        self, child: ChildProcess, diary: Diary, stop: EmergencyStop, backend: ScriptedBackend, state: Path
    ) -> None:
        self.child = child
        self.diary = diary
        self.stop = stop
        self.backend = backend
        self.state = state

    @property
    def handle(self) -> OperatorLinksHandle:
        return msgspec.json.decode(self.child.handle, type=OperatorLinksHandle)

    def tell(self, order: OperatorOrder) -> None:
        self.child.send(encode_order(order))

    async def code(self) -> tuple[str, str]:
        """Address and token of a new code."""
        self.tell(OpenPairing())
        await until(lambda: self.handle.pairing.url != "")
        address, _, token = self.handle.pairing.url.partition("#token=")
        return address, token

    async def session(self, condition: Callable[[SessionLine], bool]) -> SessionLine:
        """The only one, when it is so."""
        await until(lambda: any(condition(line) for line in self.handle.sessions))
        (line,) = self.handle.sessions
        return line


@asynccontextmanager
async def stage(state: Path, **fields: Any) -> AsyncIterator[Stage]:
    with RunDirectory.create() as directory:
        stop = EmergencyStop.create(directory.path)
        backend, diary = ScriptedBackend(), Diary()
        try:
            async with ConsoleServer(backend, port=0, token=TOKEN) as console:
                arguments = OperatorArguments(
                    str(directory.path), str(state), console.address, **{"port": 0, **fields}
                )
                async with ProcessLauncher(withheld=("PROPOSER_KEY_OF_A_TEST",)).launch(
                    operator_spec(arguments), on_event=diary
                ) as child:
                    yield Stage(child, diary, stop, backend, state)
        finally:
            stop.remove()


def play(scenario: Callable[[Stage], Awaitable[None]], state: Path, **fields: Any) -> None:
    async def whole() -> None:
        async with asyncio.timeout(4 * PATIENCE_S), stage(state, **fields) as made:
            await scenario(made)

    asyncio.run(whole())


def browser(**options: Any) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(**options)


class Names(AbstractResolver):
    """Knows one name."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        assert host == "robot.test"
        return [ResolveResult(hostname=host, host="127.0.0.3", port=port, family=family, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing is open."""


async def paired(client: aiohttp.ClientSession, address: str, token: str) -> dict[str, Any]:
    wish = {"token": token, "kind": "phone", "name": "Anna"}
    async with client.post(f"{address}pair", json=wish, headers=origin(address)) as answer:
        assert answer.status == 200, await answer.text()
        found: dict[str, Any] = await answer.json()
    client.headers["Authorization"] = f"Bearer {found['secret']}"
    return found


async def sign_in(client: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
    secret = client.headers["Authorization"].removeprefix("Bearer ")
    await socket.send_str(encode_words(SignIn(secret)).decode())


def is_there(path: Path) -> bool:
    return path.exists()


def origin(address: str) -> dict[str, str]:
    return {"Origin": address.rstrip("/")}


async def heard(page: ScriptedPage, kind: type[T], is_it: Callable[[T], bool] = lambda _: True) -> T:
    """The first of these words that the page was told."""

    def found() -> list[T]:
        return [words for words in page.heard if isinstance(words, kind) and is_it(words)]

    await until(lambda: bool(found()))
    return found()[0]


async def linked(client: aiohttp.ClientSession, address: str, session: str) -> ScriptedPage:
    """A page with both connections; its signalling goes."""
    page = ScriptedPage(session, time.monotonic)
    async with client.ws_connect(f"{address}link", headers=origin(address)) as signalling:
        await sign_in(client, signalling)
        for _ in range(2):
            offer = msgspec.json.decode((await signalling.receive()).data, type=Offer)
            await signalling.send_str(encode_words(await page.answer(offer)).decode())
        await until(lambda: page.is_open)
    return page


def test_over_http_a_page_pairs_drives_speaks_stops_and_is_sent_away(tmp_path: Path) -> None:
    async def scenario(stage: Stage) -> None:
        assert "--phones" in stage.handle.pairing.words
        address, token = await stage.code()
        async with browser() as client:
            came = await paired(client, address, token)
            page = await linked(client, address, came["session"])
            line = await stage.session(lambda line: line.alive)
            assert line.name == "phone 1 (Anna)"
            assert stage.handle.pairing.url == ""

            page.move(IDENTITY)
            page.press()
            page.move(IDENTITY)
            with RingReader(Path(line.hands[0].stream.ring)) as ring:
                await until(lambda: ring.sequence >= 2)
                newest = ring.latest()
                assert newest is not None
                assert decode_hand(newest.payload).engagement == 1

            page.say(Said("early", "home"))
            assert (await heard(page, Done)).ok is False
            stage.tell(Console(TOKEN))
            await heard(page, Health, lambda health: health.words == "" and health.heard_age_s < SILENT_S)
            stage.backend.answer_with = [stage.backend.line("started", "I show the camera.")]
            page.say(Said("a", "show the camera"))
            assert await heard(page, Done, lambda done: done.id == "a") == Done(
                "a", True, "I show the camera.", 1
            )
            assert stage.backend.asked == ["phone 1 (Anna): say show the camera"]

            stage.tell(SeatOf(line.session, SeatOrder(Seat.READY, words="press the clutch"), line.name))
            assert (await heard(page, SeatNow, lambda now: now.seat is Seat.READY)).holder == line.name
            await stage.session(lambda line: line.driving)

            page.say(StopNow("0123456789ab-1"))
            assert (await heard(page, StopConfirmed, lambda _: True)).latched
            assert stage.stop.is_latched
            assert stage.stop.reason == "phone 1 (Anna) stopped everything"
            await heard(page, Health, lambda health: "stopped everything" in health.emergency)

            stage.child.send(b"nonsense")
            report = await stage.diary.first(Reported)
            assert "an order was not understood" in report.message
            over = await stage.diary.first(Reported, 2)
            assert (report.severity, over.severity) == (Severity.WARNING, Severity.OK), "it is no state"
            stage.tell(Kick("phone 1 (Anna)", "somebody else is to drive"))
            await until(lambda: stage.handle.sessions == ())
            async with client.get(f"{address}pair") as answer:
                assert answer.status == 401
            await page.close()

    play(scenario, tmp_path)


def test_over_https_a_killed_process_comes_back_and_its_pages_with_it(tmp_path: Path) -> None:
    async def scenario(stage: Stage) -> None:
        address, token = await stage.code()
        port = urlsplit(address).port
        assert address == f"https://127.3:{port}/"
        address = f"https://robot.test:{port}/"
        trusted = ssl.create_default_context(cafile=str(tmp_path / FILE_NAME))
        async with browser(connector=aiohttp.TCPConnector(ssl=trusted, resolver=Names())) as client:
            came = await paired(client, address, token)
            assert came["certificate"] == stage.handle.pairing.certificate != ""
            before = await stage.session(lambda line: line.session == came["session"])
            assert before.alive is False
            left = Path(before.hands[0].stream.ring)
            assert is_there(left)
            os.kill(stage.child.pid or 0, signal.SIGKILL)
            await until(lambda: stage.handle.sessions == () and stage.child.restarts == 1)
            # Any free port was asked for: it is the same one again.
            async with client.get(f"{address}pair", headers=origin(address)) as answer:
                back = await answer.json()
            assert back["certificate"] == came["certificate"], "accepted once is accepted for good"
            assert back["name"] == came["name"]
            assert back["session"] != came["session"]
            assert not is_there(left)
            async with client.ws_connect(f"{address}link", headers=origin(address)) as signalling:
                await sign_in(client, signalling)
                offer = msgspec.json.decode((await signalling.receive()).data, type=Offer)
                assert offer.link == "control"

    # A way to write an address of loopback by which it does not look like one.
    play(scenario, tmp_path, host="127.3", port=0, names=("robot.test",))


def test_no_secret_stands_in_its_command_line_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(stage: Stage) -> None:
        process = Path(f"/proc/{stage.child.pid}")
        stage.tell(Console(TOKEN))
        address, token = await stage.code()
        async with (
            browser() as client,
            client.ws_connect(f"{address}link", headers=origin(address)) as signalling,
        ):
            came = await paired(client, address, token)
            await sign_in(client, signalling)
            # What it is told over its channel is used: no link is offered before.
            stage.tell(Ice((IceServer(("turn:127.0.0.1:9?transport=tcp",), "me", TURN_PASSWORD),)))
            offer = msgspec.json.decode((await signalling.receive()).data, type=Offer)
            assert offer.ice[0].credential == TURN_PASSWORD
            told = process.joinpath("cmdline").read_bytes() + process.joinpath("environ").read_bytes()
            for secret in (TOKEN, TURN_PASSWORD, token, came["secret"], "of the proposer"):
                assert secret.encode() not in told
            (birth,) = (word for word in told.split(b"\0") if word.startswith(CHILD_VARIABLE.encode()))
            assert birth.partition(b"=")[2].isdigit(), "a pipe's number: its own token came through that"
            assert b"run_directory" in told, "it is the right process that was looked at"

    monkeypatch.setenv("PROPOSER_KEY_OF_A_TEST", "of the proposer")
    play(scenario, tmp_path, awaits_ice=True)


def test_what_is_in_the_way_is_said_in_words(tmp_path: Path) -> None:
    async def scenario(_: Stage) -> None:
        raise AssertionError

    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ProcessStartFailed, match=r"in use by process .* --phone-port"),
    ):
        play(scenario, tmp_path, port=taken.getsockname()[1])
