"""A station to which pages come: a real server and link, and an arm that follows who presses the clutch."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page

from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingReader
from framework.transport.run_directory import RunDirectory
from resources.operator.hand_rings import HandRings
from resources.operator.links import OperatorLink
from resources.operator.orders import SeatOf, Shown
from resources.operator.protocol import PageSays
from resources.operator.sessions import Session
from resources.types.masters import HandSample, HandSide, decode_hand
from resources.types.motion import LoopState
from resources.types.operator_client import Driven, Seat, SeatOrder
from tests.resources.console.browser import SHUTTER
from tests.resources.operator.link_rig import ScriptedArm
from tests.resources.operator.serving import Harness

DEADLINE_S, PATIENCE_S = 240.0, 60.0  # a machine busy with other things is slow, not wrong
CONNECTED = ".overlay[data-link=connected]"

# The page's time, and with it the hands it says of: two clocks that went apart would be another matter.
STANDS_STILL = """() => {
  const now = performance.now(), { send } = RTCDataChannel.prototype;
  performance.now = () => now;
  RTCDataChannel.prototype.send = () => undefined;
  globalThis.goOn = () => {
    delete performance.now;
    RTCDataChannel.prototype.send = send;
  };
}"""
# All that was drawn late has been looked at, and is shown.
SETTLED = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))"""


class Station(Harness):
    """A server with real links, and an arm that says it follows whoever presses the clutch."""

    def __init__(self, directory: Path, state: Path) -> None:
        super().__init__(directory, state)
        self.arm = ScriptedArm(directory)
        self.reader: RingReader | None = None
        self.sample: HandSample | None = None
        self.link: OperatorLink | None = None
        self.follows = True
        self.broken: list[str] = []
        self.said: list[PageSays] = []

    def _link(  # type: ignore[override]
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageSays], None],
        on_change: Callable[[], None],
    ) -> OperatorLink:

        def said(words: PageSays) -> None:
            self.said.append(words)
            on_words(words)

        self.link = OperatorLink(
            session.id,
            rings=rings,
            ice=(),
            relay_only=False,
            host="127.0.0.1",
            monotonic_s=time.monotonic,
            on_words=said,
            on_change=on_change,
        )
        return self.link

    @property
    def url(self) -> str:
        return f"{self.server.address}#token={self.open()}"

    @property
    def hand(self) -> HandSample:
        assert self.sample is not None
        return self.sample

    def seat(self, driven: Driven | None = None) -> None:
        """Whoever is here may drive, the arm if nothing else is said."""
        line = self.operators.lines()[0]
        stream = next(hand.stream for hand in line.hands if hand.side is HandSide.RIGHT)
        self.reader = RingReader(Path(stream.ring))
        order = SeatOrder(Seat.READY, (driven or Driven(HandSide.RIGHT, self.arm.shown.device),))
        self.operators.seat_of(SeatOf(line.session, order, line.name))

    async def run(self) -> None:
        """The arm, a hundred times a second."""
        while True:
            self.stop.beat(time.monotonic())
            found = None if self.reader is None else self.reader.latest()
            if found is not None:
                self.sample = decode_hand(found.payload)
            engaged = self.sample.engagement if self.sample and self.follows else 0
            self.arm.report(loop=LoopState(engaged=engaged))
            self.operators.look()
            await asyncio.sleep(0.01)


Scenario = Callable[[Station, Browser], Awaitable[None]]
Play = Callable[[Scenario], None]


@asynccontextmanager
async def station(tmp_path: Path) -> AsyncIterator[Station]:
    """It serves."""
    with RunDirectory.create() as directory:
        EmergencyStop.create(directory.path).close()
        here = Station(directory.path, tmp_path)
        here.operators.show(Shown((here.arm.shown,)))
        async with asyncio.timeout(DEADLINE_S), here.server:
            running = asyncio.create_task(here.run())
            try:
                yield here
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
                await here.operators.close()
                here.stop.close()
                if here.reader is not None:
                    here.reader.close()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


async def opened(context: BrowserContext, here: Station, spy: str = "") -> Page:
    """The page, connected, its scene not drawn; what goes wrong in its scripts is a failure of the test's.

    spy: a script besides.
    Without a graphics card pictures take longer than a clutch stays closed without a pose.
    """
    await context.add_init_script("globalThis.dark = true;" + SHUTTER + spy)
    page = await context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    page.on("pageerror", lambda error: here.broken.append(str(error)))
    await page.goto(here.url)
    await page.locator(CONNECTED).wait_for()
    return page


async def press(here: Station, page: Page) -> int:
    """Hold the clutch as a person does: anew when it opens by itself, as on a machine that is busy."""
    box = await page.locator(".clutch").bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    while True:
        await page.mouse.down()
        for _ in range(50):
            if here.hand.engagement:
                return here.hand.engagement
            await asyncio.sleep(0.01)
        await page.mouse.up()
        await until(lambda: here.hand.engagement == 0)


async def press_and_stand_still(here: Station, page: Page, follows: str) -> None:
    """Hold the clutch until the page says that it is followed; then its time stands still, until `goOn()`.

    From then on it opens for no reason of the page's own, however busy the machine is.
    """
    status = page.locator(".status")
    while True:
        await press(here, page)
        await status.filter(has_text=re.compile(f"{follows}|Let go and press again")).wait_for()
        await page.evaluate(STANDS_STILL)
        await page.evaluate(SETTLED)
        if follows in await status.inner_text():
            return
        await page.evaluate("goOn()")
        await page.mouse.up()
        await until(lambda: here.hand.engagement == 0)
