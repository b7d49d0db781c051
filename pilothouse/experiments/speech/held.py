"""How much a page sends while its button is held, and how long after letting go its talk has ended: by the
audio track, and block by block, in turns.

    python -m pilothouse.experiments.speech.held

The operator's page in a headless Chromium whose microphone is a voice, and the operator's server with its
real link, in this process; no robot runs beside them, and nobody recognises. Bytes are those of the
connection itself as the browser counts them, with 28 for each packet's head (IPv4, UDP).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import soundfile

from framework.processes.emergency import EmergencyStop
from framework.transport.run_directory import RunDirectory
from pilothouse.experiments.speech.voices import VOICES, silence, spoken
from pilothouse.testbed.headless_chromium import launched
from resources.audio.format import RATE_HZ
from resources.operator.hand_rings import HandRings
from resources.operator.links import OperatorLink
from resources.operator.operators import Operators
from resources.operator.orders import Shown
from resources.operator.pairing import PairingDesk
from resources.operator.protocol import PageSays
from resources.operator.server import OperatorServer
from resources.operator.sessions import Session, SessionBook
from resources.web.sound_packets import SoundPacket

if TYPE_CHECKING:
    from playwright.async_api import Page

HELD_S: Final = 3.0
TALKS: Final = 10
PATIENCE_S: Final = 60.0
_LOOKS_S: Final = 0.05

TEXTS: Final = (
    "show the environment", "look at the red cup and then go home", "do not drive to the table",
    "move the left arm up ten centimetres",
)  # fmt: skip

CONNECTIONS: Final = """
window.connections = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...given) {
    super(...given);
    window.connections.push(this);
  }
};
window.sent = async () => {
  const found = { track: 0, channel: 0, bytes: 0, attached: 0 };
  for (const connection of window.connections) {
    const reports = [...(await connection.getStats()).values()];
    const channel = reports.find((each) => each.type === "data-channel" && each.label === "sound");
    if (channel === undefined) continue;
    found.channel = channel.messagesSent;
    for (const { sender } of connection.getTransceivers()) found.attached += sender.track === null ? 0 : 1;
    for (const each of reports) {
      if (each.type === "outbound-rtp") found.track += each.packetsSent;
      if (each.type === "transport") found.bytes += each.bytesSent + 28 * each.packetsSent;
    }
  }
  return found;
};
"""
"""Keeps what a page connects by. `sent()`: packets of its audio track and blocks of its sound channel so far,
bytes of their connection, and whether the microphone is attached."""

WITHOUT_TRACK: Final = "RTCPeerConnection.prototype.getTransceivers = () => [];"
"""A browser that has none: the page sends blocks."""


class Sent(msgspec.Struct, frozen=True):
    """What `sent()` says."""

    track: int
    channel: int
    bytes: int
    attached: int


class Talked(msgspec.Struct, frozen=True):
    """One talk. ended_s: from letting go to its end, as the main process would be told [s]."""

    blocks: tuple[SoundPacket, ...]
    held_s: float
    ended_s: float
    before: Sent
    after: Sent

    @property
    def kbit_s(self) -> float:
        """While it was held, and its quarter of a second after that."""
        return 8e-3 * (self.after.bytes - self.before.bytes) / (self.held_s + self.ended_s)


class Desk:
    """The operator's server, which keeps what a page's microphone gives."""

    def __init__(self, directory: Path, state: Path) -> None:
        self.blocks: list[tuple[float, SoundPacket]] = []
        """Of the talk that goes on, with when each came, CLOCK_MONOTONIC [s]."""
        self.over = asyncio.Event()
        """That talk has ended, in whatever way."""
        self.stop = EmergencyStop.attach(directory)
        self._codes = PairingDesk()
        self.operators = Operators(
            directory=directory,
            stop=self.stop,
            book=SessionBook(),
            installation="a desk",
            console="http://127.0.0.1:1/",
            monotonic_s=time.monotonic,
            changed=lambda: None,
        )
        self.server = OperatorServer(
            self.operators,
            self._codes,
            self._link,
            host="127.0.0.1",
            port=0,
            state=state,
            monotonic_s=time.monotonic,
            changed=lambda: None,
            report=lambda _: None,
        )

    @property
    def url(self) -> str:
        """Where another page begins."""
        return f"{self.server.address}#token={self._codes.open(time.monotonic())}"

    def begin(self) -> None:
        """Forget the talk before."""
        self.blocks.clear()
        self.over.clear()

    async def run(self) -> None:
        """Look after them until cancelled."""
        while True:
            self.stop.beat(time.monotonic())
            self.operators.look()
            await asyncio.sleep(_LOOKS_S)

    def _link(
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageSays], None],
        on_change: Callable[[], None],
    ) -> OperatorLink:
        return OperatorLink(
            session.id,
            rings=rings,
            ice=(),
            relay_only=False,
            host="127.0.0.1",
            monotonic_s=time.monotonic,
            on_words=self._hear,
            on_change=on_change,
        )

    def _hear(self, words: PageSays) -> None:
        if isinstance(words, SoundPacket):
            self.blocks.append((time.monotonic(), words))
            if words.is_last or words.is_broken_off:
                self.over.set()


@asynccontextmanager
async def desk() -> AsyncIterator[Desk]:
    """It serves."""
    with tempfile.TemporaryDirectory() as state, RunDirectory.create() as directory:
        EmergencyStop.create(directory.path).close()
        here = Desk(directory.path, Path(state))
        here.operators.show(Shown())
        async with here.server:
            running = asyncio.create_task(here.run())
            try:
                yield here
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
                await here.operators.close()
                here.stop.close()


@asynccontextmanager
async def pages(file: Path) -> AsyncIterator[Callable[[Desk, str], AsyncPage]]:
    """A browser whose microphone gives a file of sound, again and again: opens the page, after a script."""
    flags = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={file}",
    )
    async with launched(*flags) as browser:

        @asynccontextmanager
        async def opened(here: Desk, script: str) -> AsyncIterator[Page]:
            context = await browser.new_context(
                viewport={"width": 160, "height": 120}, reduced_motion="reduce"
            )
            try:
                page = await context.new_page()
                page.set_default_timeout(1e3 * PATIENCE_S)
                await page.add_init_script(f"globalThis.dark = true; {CONNECTIONS} {script}")
                await page.goto(here.url)
                await page.wait_for_selector('[data-link="connected"]', state="attached")
                await page.wait_for_function("() => connections.length === 2 && sent().then(() => true)")
                yield page
            finally:
                await context.close()

        yield opened


if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    AsyncPage = AbstractAsyncContextManager[Page]


async def talk(here: Desk, page: Page, held_s: float = HELD_S) -> Talked:
    """Hold the button for so long from when it talks [s], let go, and wait for the talk's end."""
    here.begin()
    button = "button[aria-label='Hold to talk']"
    before = await _sent(page)
    await page.dispatch_event(button, "pointerdown", {"pointerId": 1, "button": 0})
    await page.wait_for_selector(f"{button}[data-state='starting']", state="attached")
    begun_s = time.monotonic()
    await asyncio.sleep(held_s)
    await page.dispatch_event(button, "pointerup", {"pointerId": 1, "button": 0})
    let_go_s = time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        await here.over.wait()
    ended_s = here.blocks[-1][0]
    await page.wait_for_function("async () => (await sent()).attached === 0")
    blocks = tuple(block for _, block in here.blocks)
    return Talked(blocks, let_go_s - begun_s, ended_s - let_go_s, before, await _sent(page))


async def _sent(page: Page) -> Sent:
    return msgspec.convert(await page.evaluate("sent()"), Sent)


def voice_file(folder: Path) -> Path:
    """Somebody who speaks without an end, with a breath between sentences."""
    said = [each for text in TEXTS for voice in VOICES for each in (spoken(text, voice), silence(0.3))]
    file = folder / "voices.wav"
    soundfile.write(file, np.concatenate(said), RATE_HZ)
    return file


async def measure(talks: int = TALKS) -> None:
    """Measure and print."""
    found: dict[str, list[Talked]] = {"track": [], "blocks": []}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        file = await asyncio.to_thread(voice_file, Path(folder))
        async with (
            desk() as here,
            pages(file) as opened,
            opened(here, "") as by_track,
            opened(here, WITHOUT_TRACK) as by_blocks,
        ):
            for page in (by_track, by_blocks):
                await talk(here, page, 0.5)  # the first opens the microphone
            for _ in range(talks):
                found["track"].append(await talk(here, by_track))
                found["blocks"].append(await talk(here, by_blocks))
    print(
        f"load average {load:.1f} before, {os.getloadavg()[0]:.1f} after; {talks} talks of {HELD_S:g} s each"
    )
    for way, each in found.items():
        ended_ms = sorted(1e3 * talked.ended_s for talked in each)
        lost = sum(talked.blocks[-1].is_broken_off for talked in each)
        print(
            f"{way}: {statistics.mean(talked.kbit_s for talked in each):.0f} kbit/s, "
            f"let go to the end {statistics.median(ended_ms):.0f} ms "
            f"(median; {ended_ms[0]:.0f} to {ended_ms[-1]:.0f}), {lost} lost"
        )


if __name__ == "__main__":
    asyncio.run(measure())
