"""The operator's page in a real browser, at a real server and link: what a hand becomes in the ring."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingReader
from framework.transport.run_directory import RunDirectory
from resources.operator.console_link import OTHERS
from resources.operator.hand_rings import HandRings
from resources.operator.links import OperatorLink
from resources.operator.orders import SeatOf, Shown
from resources.operator.protocol import Line, PageWords
from resources.operator.sessions import Session
from resources.operator.signalling import Signalling
from resources.types.masters import HandSample, HandSide, decode_hand
from resources.types.motion import LoopState
from resources.types.operator_client import Driven, Seat, SeatOrder
from tests.resources.console.browser import SHUTTER, chromium
from tests.resources.operator.emulated_devices import android_phone, iphone
from tests.resources.operator.link_rig import ScriptedArm
from tests.resources.operator.serving import Harness

pytestmark = pytest.mark.real

DEADLINE_S, PATIENCE_S = 240.0, 60.0  # a machine busy with other things is slow, not wrong
CONNECTED = ".overlay[data-link=connected]"

# What is drawn over, or outside of the window; selectors of everything a driver needs.
COVERED = """() => [...document.querySelectorAll(
    ".stop, .status, .clutch, .gripper, .controls .view, .scale, .instruction, .quick button, .way")]
  .filter((each) => {
    const at = each.getBoundingClientRect();
    const top = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
    const outside = at.bottom > innerHeight || at.right > innerWidth || at.top < 0 || at.left < 0;
    return outside || !each.contains(top);
  }).map((each) => each.className)"""


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

    def _link(  # type: ignore[override]
        self,
        session: Session,
        rings: HandRings,
        on_words: Callable[[PageWords], None],
        on_change: Callable[[], None],
    ) -> OperatorLink:
        self.link = OperatorLink(
            session.id,
            rings=rings,
            ice=(),
            relay_only=False,
            host="127.0.0.1",
            monotonic_s=time.monotonic,
            on_words=on_words,
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


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """A browser belongs to the loop that it was started on."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """One for all: each device is a context of its own."""
    context = chromium()
    yield runner.run(context.__aenter__())
    runner.run(context.__aexit__(None, None, None))


@pytest.fixture
def play(tmp_path: Path, runner: asyncio.Runner, browser: Browser) -> Play:
    """Plays a scenario at a station."""

    async def whole(scenario: Scenario) -> None:
        async with station(tmp_path) as here:
            await scenario(here, browser)

    return lambda scenario: runner.run(whole(scenario))


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


async def opened(context: BrowserContext, here: Station) -> Page:
    """The page, connected, its scene not drawn; what goes wrong in its scripts is a failure of the test's.

    Without a graphics card pictures take longer than a clutch stays closed without a pose.
    """
    await context.add_init_script("globalThis.dark = true;" + SHUTTER)
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


def test_a_phone_pairs_drives_and_stops(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        context = await android_phone(browser)
        page = await opened(context, here)
        assert "token" not in page.url
        assert await page.evaluate(COVERED) == []

        here.seat()
        await page.get_by_role("button", name="Drive by moving the phone").click()
        await until(lambda: here.sample is not None and here.hand.tracked)
        await page.locator(".status", has_text="Ready").wait_for()
        x, y, z = await page.evaluate("[device.position.x, device.position.y, device.position.z]")
        engagement = await press(here, page)
        before = here.hand.base_T_hand
        for step in range(1, 6):
            await page.evaluate(f"device.position.set({x}, {y} + {0.01 * step}, {z})")
            await asyncio.sleep(0.02)
        await until(lambda: abs(here.hand.base_T_hand[2] - before[2] - 0.05) < 1e-4)
        assert here.hand.base_T_hand[:2] == pytest.approx(before[:2], abs=1e-4)

        # Whatever comes between opens it, and the thumb that stays on the button moves nothing.
        await page.evaluate("dispatchEvent(new Event('blur'))")
        await until(lambda: here.hand.engagement == 0)
        assert await press(here, page) > engagement
        await page.evaluate("device.isLost = true")
        await until(lambda: not here.hand.tracked and here.hand.engagement == 0)
        await page.mouse.up()

        await page.locator(".stop").dispatch_event("pointerdown")
        await until(lambda: here.stop.is_latched)
        await page.locator(".overlay[data-tone=stopped]").wait_for()
        await context.close()
        assert here.broken == []

    play(scenario)


def test_why_it_holds_is_told_and_a_stop_arrives_without_a_link(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        here.operators.show(Shown())
        context = await android_phone(browser)
        page = await opened(context, here)
        assert here.link is not None
        status = page.locator(".status")

        # A base alone has no arm that could be asked.
        here.seat(Driven(HandSide.RIGHT, "", base="base"))
        await page.get_by_role("button", name="Drive by moving the phone").click()
        await until(lambda: here.sample is not None and here.hand.tracked)
        await press_and_stand_still(here, page, "The base follows the stick")
        here.link.tell(Line("doing", "it holds", subject="holds", device="base", why="the stick was pushed"))
        await status.filter(has_text="the base let go: the stick was pushed").wait_for()
        await page.evaluate("goOn()")
        await until(lambda: here.hand.engagement == 0)
        await page.mouse.up()

        here.operators.show(Shown((here.arm.shown,)))
        here.seat()
        await status.filter(has_text="Ready").wait_for()
        device = here.arm.shown.device
        await press_and_stand_still(here, page, "The arm follows you")
        here.follows = False
        await status.filter(has_text="the arm let go").wait_for()
        here.link.tell(Line("doing", "it holds", subject="holds", device=device, why="it was pushed away"))
        await status.filter(has_text="the arm let go: it was pushed away.").wait_for()
        await page.evaluate("goOn()")
        await until(lambda: here.hand.engagement == 0)
        await page.mouse.up()

        await page.evaluate("() => { window.WebSocket = class { close() {} }; }")
        await here.link.close()
        await page.locator(".overlay:not([data-link=connected])").wait_for()
        await page.locator(".stop").dispatch_event("pointerdown")
        await until(lambda: here.stop.is_latched)
        await page.locator(".latest", has_text="Confirmed").wait_for()
        await context.close()
        assert here.broken == []

    play(scenario)


def test_what_was_answered_is_read_whole_on_the_smallest_phone(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        context = await android_phone(browser)
        page = await opened(context, here)
        here.seat()
        assert here.link is not None
        await page.fill(".instruction", "fly to the teapot")
        await page.press(".instruction", "Enter")
        # An answer stands for a while: on a busy machine that must not be over before it is looked at.
        await page.evaluate(STANDS_STILL)
        answer = "I did not understand “fly to the teapot”: I know no “fly”. Say, for example, “look at it”."
        for kind, text in (
            ("heard", "fly to the teapot"),
            ("refused", answer),
            ("ended", "Done: show the environment."),
            (OTHERS, "I ended: somebody's plan."),
        ):
            here.link.tell(Line(kind, text))
        await page.locator(".log .note", has_text="somebody's plan").wait_for(state="attached")
        latest = page.locator(".latest .note")
        assert await latest.all_text_contents() == [
            "You: fly to the teapot",
            answer,
            "Done: show the environment.",
        ]
        for width, height in ((375, 667), (330, 640), (844, 390)):
            await page.set_viewport_size({"width": width, "height": height})
            shown = [await each.inner_text() for each in await latest.all() if await each.is_visible()]
            assert shown == [answer]
            assert await page.evaluate(f"({COVERED})()") == []
            assert await page.evaluate(
                """() => {
                  const main = document.querySelector(".latest .main");
                  const at = main.getBoundingClientRect();
                  const inside = at.left >= 0 && at.right <= innerWidth;
                  return inside && main.scrollHeight <= main.clientHeight + 2;
                }"""
            )
        await context.close()
        assert here.broken == []

    play(scenario)


def test_a_phone_without_webxr_says_what_is_lost_and_drives_all_the_same(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        context = await iphone(browser)
        page = await opened(context, here)
        await page.get_by_role("button", name="More").click()
        words = await page.locator(".capabilities").inner_text()
        assert "no WebXR" in words
        assert "sounds are made instead" in words
        await page.get_by_role("button", name="Close").click()

        here.seat()
        await page.get_by_role("button", name="Turn and touch").click()
        await page.evaluate(
            "setInterval(() => dispatchEvent(new DeviceOrientationEvent('deviceorientation', "
            "{alpha: 0, beta: 60, gamma: 0})), 20)"
        )
        await until(lambda: here.sample is not None and here.hand.tracked)
        before = here.hand.base_T_hand
        await page.evaluate(
            """() => {
              const pad = document.querySelector(".pad");
              const touch = (kind, clientY) =>
                pad.dispatchEvent(new PointerEvent(kind, {pointerId: 9, clientX: 50, clientY}));
              touch("pointerdown", 200); touch("pointermove", 100); touch("pointerup", 100);
            }"""
        )
        await until(lambda: here.hand.base_T_hand[2] > before[2] + 0.05)
        assert here.hand.base_T_hand[:2] == pytest.approx(before[:2], abs=1e-4)
        await context.close()
        assert here.broken == []

    play(scenario)


def test_a_page_that_is_sent_away_says_why_and_stays_away(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its link was cut as the words were said: if it saw that first, it came back, and was told less."""
    goodbye = Signalling._goodbye

    async def slow_goodbye(page: Signalling) -> None:
        await asyncio.sleep(0.2)  # as over a busy network
        await goodbye(page)

    monkeypatch.setattr(Signalling, "_goodbye", slow_goodbye)

    async def scenario(here: Station, browser: Browser) -> None:
        context = await iphone(browser)
        page = await opened(context, here)
        asked: list[str] = []
        here.seat()
        other = await context.new_page()
        await other.goto(here.server.address)
        status = page.locator(".status")
        await status.filter(has_text="This session was opened in another window.").wait_for()
        await other.locator(CONNECTED).wait_for()
        page.on("request", lambda request: asked.append(request.url))
        other.on("request", lambda request: asked.append(request.url))
        here.operators.kick(here.operators.lines()[0].session, "Ann has ended this session")
        await other.locator(".status", has_text="Ann has ended this session.").wait_for()
        for each in (page, other):
            # What brings back a page that was only lost does not bring back these.
            await each.evaluate("dispatchEvent(new Event('online'))")
            assert await each.locator(".overlay").get_attribute("data-link") == "refused"
        assert asked == []
        await context.close()
        assert here.broken == []

    play(scenario)
