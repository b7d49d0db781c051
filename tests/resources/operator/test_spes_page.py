"""The open SpesRobotics phone page over a real WebSocket: the same session, rings, gates and limits."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from framework.errors import InstallationError
from framework.transport.ring import RingReader
from resources.operator.bad_messages import MOST_INVALID
from resources.operator.server import SIGN_IN_SCRIPT
from resources.operator.spes import MAX_BYTES
from resources.operator.spes_link import DEAD_AFTER_S, TRACKING
from resources.types.masters import HandSample, decode_hand
from resources.web.sign_in import REFUSED_CODE
from tests.resources.operator.serving import Harness, connected, serve, signed_in, until
from tests.resources.operator.test_spes import message

Client = aiohttp.ClientSession
PERIOD_S = 1 / 60


class Phone:
    """A page that sends, and answers pings as browsers do; and the ring that a control loop would read."""

    def __init__(self, harness: Harness, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.harness = harness
        self.socket = socket
        self.x = 0.0
        self.heard = asyncio.ensure_future(socket.receive())
        (line,) = harness.operators.lines()
        self.ring = RingReader(Path(line.hands[0].stream.ring))

    @property
    def newest(self) -> HandSample | None:
        sample = self.ring.latest()
        return None if sample is None else decode_hand(sample.payload)

    async def send(self, **fields: Any) -> HandSample | None:
        """A pose one period after the last; what is in the ring then."""
        before = self.ring.sequence
        await asyncio.sleep(0)
        self.harness.ahead_s += PERIOD_S
        self.x += 0.001
        await self.socket.send_str(message(position={"x": 0.0, "y": 0.0, "z": -self.x}, **fields))
        await until(lambda: self.ring.sequence > before)
        return self.newest


def play(tmp_path: Path, scenario: Any, **options: Any) -> None:
    async def whole(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        async with await signed_in(harness, client, "/ws") as socket:
            await until(lambda: harness.operators.lines()[0].tracking == TRACKING)
            phone = Phone(harness, socket)
            await scenario(phone)
            phone.ring.close()
            phone.heard.cancel()
            await asyncio.gather(phone.heard, return_exceptions=True)

    serve(whole, tmp_path, **options)


def test_its_poses_lie_in_the_ring_of_the_session(tmp_path: Path) -> None:
    async def scenario(phone: Phone) -> None:
        assert not phone.harness.operators.lines()[0].alive
        for _ in range(3):
            await phone.send()
        held = await phone.send(move=True)
        assert held is not None
        (line,) = phone.harness.operators.lines()
        assert line.alive
        assert (held.session, held.number, held.engagement) == (line.session, 4, 1)
        assert held.base_T_hand[:3] == pytest.approx((0.004, 0.0, 0.0))
        phone.harness.ahead_s += DEAD_AFTER_S + 0.1
        assert not phone.harness.operators.lines()[0].alive

    play(tmp_path, scenario)


def test_without_secret_or_code_it_gets_nothing_and_a_foreign_page_neither(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        async with client.get("/ws") as answer:
            assert answer.status == 401
        async with await signed_in(harness, client, "/ws", "guessed") as socket:
            frame = await socket.receive()
            assert (frame.type, frame.data) == (aiohttp.WSMsgType.CLOSE, REFUSED_CODE)
        token = harness.open()
        with pytest.raises(aiohttp.WSServerHandshakeError) as guessed:
            await client.ws_connect("/ws", params={"token": "guess"})
        assert guessed.value.status == 403
        foreign = {"Origin": f"https://127.0.0.1:{harness.server.port}"}
        async with client.get("/ws", params={"token": token}, headers=foreign) as answer:
            assert answer.status == 403
        assert harness.desk.token == token
        async with client.ws_connect("/ws", params={"token": token}) as socket:
            await socket.send_str(message())
            await until(lambda: any(line.alive for line in harness.operators.lines()))
            assert harness.operators.lines()[0].name == "phone 1 (SpesRobotics)"
        with pytest.raises(aiohttp.WSServerHandshakeError) as used:
            await client.ws_connect("/ws", params={"token": token})
        assert used.value.status == 403

    serve(scenario, tmp_path)


def test_nonsense_breaks_the_engagement_and_a_flood_of_it_the_connection(tmp_path: Path) -> None:
    async def scenario(phone: Phone) -> None:
        for _ in range(3):
            await phone.send()
        held = await phone.send(move=True)
        assert held is not None and held.engagement == 1
        await phone.socket.send_str("nonsense")
        after = await phone.send(move=True)
        assert after is not None and after.engagement == 0
        for number in range(MOST_INVALID):
            await phone.socket.send_str("nonsense" if number % 2 else message(scale=None))
        frame = await phone.heard
        assert frame.type is aiohttp.WSMsgType.CLOSE
        assert "none of its own" in str(frame.extra)
        assert not phone.harness.operators.lines()[0].alive
        assert phone.newest == after, "and moves nothing"

    play(tmp_path, scenario)


def test_an_enormous_message_ends_it(tmp_path: Path) -> None:
    async def scenario(phone: Phone) -> None:
        await phone.socket.send_str("x" * (MAX_BYTES + 1))
        assert (await phone.heard).type is aiohttp.WSMsgType.CLOSE

    play(tmp_path, scenario)


def test_a_flood_of_poses_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resources.operator.spes_link.BURST", 20.0)

    async def scenario(phone: Phone) -> None:
        async def flood() -> None:
            while True:
                await phone.socket.send_str(message())

        with pytest.raises(ConnectionError):
            await flood()
        (line,) = phone.harness.operators.lines()
        assert not line.alive
        assert "messages a second" in line.words

    play(tmp_path, scenario)


def test_of_what_arrives_at_once_only_the_newest_counts(tmp_path: Path) -> None:
    async def scenario(phone: Phone) -> None:
        for _ in range(3):
            await phone.send()
        before = phone.ring.sequence
        held_up = [message(position={"x": 0.0, "y": 0.0, "z": -0.1 * number}) for number in range(1, 31)]
        transport = phone.socket.get_extra_info("socket")
        assert transport is not None
        # One after the other without a turn of the loop: they lie in the kernel together.
        await asyncio.gather(*(phone.socket.send_str(each) for each in held_up))
        await until(lambda: phone.newest is not None and phone.newest.base_T_hand[0] == pytest.approx(3.0))
        assert phone.ring.sequence - before < len(held_up) / 2

    play(tmp_path, scenario)


def test_our_own_page_takes_the_session_back(tmp_path: Path) -> None:
    async def scenario(harness: Harness, client: Client) -> None:
        await harness.pair(client)
        async with await signed_in(harness, client, "/ws") as theirs:
            await theirs.send_str(message())
            await until(lambda: harness.operators.lines()[0].alive)
            socket, _ = await connected(harness, client)
            frame = await theirs.receive()
            assert frame.type is aiohttp.WSMsgType.CLOSE
            assert "another window" in str(frame.extra)
            assert harness.operators.lines()[0].tracking == ""
            await socket.close()

    serve(scenario, tmp_path)


def test_the_page_itself_is_served_from_its_folder_and_nothing_of_its_package(tmp_path: Path) -> None:
    folder = tmp_path / "teleop"
    (folder / "assets").mkdir(parents=True)
    script = "connect();"
    (folder / "index.html").write_text(f"<script src='./assets/ui.js'></script><script>{script}</script>")
    (folder / "assets" / "ui.js").write_text("1")
    (folder / "__init__.py").write_text("secret")
    (folder / "key.pem").write_text("secret")
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    async def scenario(harness: Harness, client: Client) -> None:
        async with client.get("/spes/") as answer:
            text = await answer.text()
            assert text.startswith(f'<script src="{SIGN_IN_SCRIPT}"></script>'), "before all of theirs"
            assert "assets/ui.js" in text
            assert f"'sha256-{hashed}'" in answer.headers["Content-Security-Policy"]
        for path in ("/spes/assets/ui.js", "/assets/ui.js"):
            async with client.get(path) as answer:
                assert answer.status == 200
                assert "sha256" not in answer.headers["Content-Security-Policy"]
        for path in ("/spes/key.pem", "/spes/__init__.py", "/spes/../state"):
            async with client.get(path) as answer:
                assert answer.status == 404

    serve(scenario, tmp_path, open_page=folder)


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    async def scenario(_: Harness, __: Client) -> None:
        raise AssertionError

    with pytest.raises(InstallationError, match=r"has no index\.html"):
        serve(scenario, tmp_path, open_page=tmp_path)
