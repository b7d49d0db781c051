"""What somebody sees of the operator's page, state by state, measured in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest
from playwright.async_api import Browser, BrowserContext, Page

from resources.operator.protocol import Asked, Line
from resources.types.masters import HandSide
from resources.types.operator_client import Driven, Seat, SeatOrder
from tests.resources.console.browser import PHONE
from tests.resources.operator.emulated_devices import android_phone, desk, iphone
from tests.resources.operator.page_station import Play, Station, opened, press_and_stand_still, until
from tests.resources.operator.seen import TOOL_SPY, Seen, look

pytestmark = pytest.mark.real

A_THIRD: Final = 1 / 3
A_HALF: Final = 1 / 2
LEAST_PX: Final = 14
SMALL, SIDEWAYS, DESK = (360, 640), (844, 390), (1280, 800)

#: What says how the arm is, or what one may do with it.
OF_THE_ARM: Final = re.compile(
    "follows you|holds|press|Ready|drives|You have|No link|top:|is stopped|confirmed|heard of|Waiting",
    re.IGNORECASE,
)
#: Where the tool is [m]: at home, low, high, far to either side, near.
TOOLS: Final = ((0.31, 0.0, 0.49), (0.5, -0.4, 0.05), (0.3, -0.2, 0.8), (0.4, 0.5, 0.3), (0.75, 0.0, 0.3))

TURNS: Final = """setInterval(() => dispatchEvent(
  new DeviceOrientationEvent("deviceorientation", {alpha: 0, beta: 60, gamma: 0})), 20)"""
#: It goes no further by itself, and neither do its questions.
DEAF: Final = """() => {
  RTCDataChannel.prototype.send = WebSocket.prototype.send = () => undefined;
  globalThis.fetch = () => new Promise(() => undefined);
}"""


@asynccontextmanager
async def watched(context: BrowserContext, here: Station) -> AsyncIterator[Page]:
    """The page, connected, and where it draws the tool."""
    yield await opened(context, here, TOOL_SPY)
    await context.close()


async def says(page: Page, words: str) -> None:
    """Wait until the sentence at the top is this one; a regular expression."""
    await page.locator(".status").filter(has_text=re.compile(words)).wait_for()


def order(here: Station, seat: Seat, words: str = "") -> SeatOrder:
    """With what is driven here."""
    return SeatOrder(seat, (Driven(HandSide.RIGHT, here.arm.shown.device),), words)


async def drawn(page: Page, here: Station, tool: tuple[float, float, float]) -> None:
    """Have the tool here [m], and wait until it is drawn there, and the picture stands still."""
    here.arm.base_T_tool = (*tool, 1.0, 0.0, 0.0, 0.0)
    before: list[tuple[float, float]] = []
    while not (seen := await look(page)).tool or seen.tool != before:
        before = seen.tool
        await asyncio.sleep(0.1)


def faults_of(seen: Seen, state: str, covered: float = A_THIRD) -> list[str]:
    """What is wrong with it, of that which holds in every state."""
    said = [words for words in seen.sentences if OF_THE_ARM.search(words)]
    found = {
        f"{seen.covered:.1%} of the picture is covered": seen.covered > covered,
        f"too small: {(small := [text for text in seen.texts if text.px < LEAST_PX])}": bool(small),
        f"not one sentence on how it is: {said}": len(said) != 1,
        f"out of the window: {seen.outside}": bool(seen.outside),
        f"takes no finger: {seen.deaf}": bool(seen.deaf),
        "clocks": any("clocks" in text.words for text in seen.texts),
    }
    return [f"{state}: {words}" for words, is_so in found.items() if is_so]


def over_tool(seen: Seen, state: str) -> list[str]:
    """What is wrong unless the tool is drawn, and nothing lies over it."""
    if len(seen.tool) != 4:
        return [f"{state}: the tool is not drawn: {seen.tool}"]
    over = set(seen.over(seen.tool))
    return [f"{state}: over the tool lies {over}"] if over else []


def test_on_a_phone_every_state_is_one_sentence_one_next_step_and_mostly_picture(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        async with watched(await android_phone(browser), here) as page:
            assert here.link is not None
            faults: list[str] = []

            async def see(
                state: str, words: str, prominent: tuple[str, ...] = (), *, tool: bool = True
            ) -> Seen:
                await says(page, words)
                seen = await look(page)
                faults.extend(faults_of(seen, state))
                if seen.prominent != list(prominent):
                    faults.append(f"{state}: prominent is {seen.prominent}")
                if tool:
                    faults.extend(over_tool(seen, state))
                return seen

            await drawn(page, here, TOOLS[0])
            await see("nobody drives", "Nobody drives", ("Let me drive",))
            here.link.seat(SeatOrder(Seat.WATCHING), "phone 2")
            await see("watching", "Phone 2 drives")

            here.seat()
            first = await see("choosing", "^You have the left arm", ("Drive by moving the phone",))
            assert max(text.px for text in first.texts if text.words.startswith("You have")) >= 20
            here.link.tell(Line("doing", "the left arm touches something, with 12 N", 5))

            await page.get_by_role("button", name="Drive by moving the phone").click()
            await says(page, "Ready. Hold the clutch and move the phone")
            await drawn(page, here, TOOLS[0])
            first = await see("new here", "Ready. Hold the clutch and move the phone")
            assert max(text.px for text in first.texts if text.words.startswith("Ready")) >= 20

            await until(lambda: here.sample is not None and here.hand.tracked)
            await press_and_stand_still(here, page, "The arm follows you")
            await see("driving", "^The arm follows you")
            # Why it lets go: the gate's reason, and what is told of the arm, are this one sentence's.
            here.link.intake.break_off("a pose came 312 ms late")
            await says(page, "a pose came 312 ms late")
            device = here.arm.shown.device
            held = "the left arm holds: a pose came late; to go on, press the clutch anew"
            here.link.tell(Line("doing", held, 6, subject="holds", device=device, why="a pose came late"))
            await page.locator(".log .note", has_text="to go on, press").wait_for(state="attached")
            await see("let go by itself", "clutch is open")
            await page.evaluate("goOn()")
            await page.mouse.up()
            await see("ready", "^Ready: hold the clutch")
            await press_and_stand_still(here, page, "The arm follows you")
            await see("driving again", "^The arm follows you")
            await page.evaluate("goOn()")
            await page.mouse.up()

            here.link.seat(order(here, Seat.HOLDING, "Nothing was heard of you: it is kept"), "phone 1")
            await see("kept for one who was silent", "^Nothing was heard of you")
            here.link.seat(order(here, Seat.READY), "phone 1")
            await says(page, "^Ready")

            await page.get_by_role("button", name="Type").click()
            await see("typing", "^Ready")
            await page.get_by_role("button", name="Type").click()
            full = await look(page)
            await page.locator(".fold").click()
            folded = await see("folded", "^Ready")
            assert folded.covered < 0.75 * full.covered
            assert {"stop", "hold clutch"} <= {panel.name for panel in folded.panels}
            await page.locator(".fold").click()

            here.link.tell(Asked("q", "I cannot grasp the teapot: take the arm?"))
            await page.locator(".question").wait_for()
            faults += over_tool(await look(page), "asked")
            here.link.tell(Asked("q"))
            await page.locator(".question").wait_for(state="detached")

            here.follows = False
            await page.locator(".stop").dispatch_event("pointerdown")
            stopped = await see("stopped", "^Emergency stop: you stopped everything")
            assert any(text.words.startswith("Reset") for text in stopped.texts)

            here.stop.reset(here.stop.token)
            await says(page, "^Ready")
            await page.evaluate(DEAF)
            await page.locator(".stop").dispatch_event("pointerdown")
            await see("not confirmed", "^NOT confirmed", tool=False)
            assert not faults, "\n".join(faults)

    play(scenario)


def test_nothing_lies_over_the_tool_wherever_it_goes_and_no_window_is_too_small(play: Play) -> None:
    async def scenario(here: Station, browser: Browser) -> None:
        faults: list[str] = []
        async with watched(await iphone(browser), here) as page:
            here.seat()
            await page.get_by_role("button", name="Turn and touch").click()
            await page.evaluate(TURNS)
            await says(page, "^Ready. Hold the clutch and slide")
            assert here.link is not None
            await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
            # As from a busy machine: of all that is wrong with a link the page says the worst, in two lines.
            counts = here.link.intake.counts
            counts.late, counts.mistimed, counts.thinned = counts.late + 12, counts.mistimed + 3, 30
            await page.locator(".trouble", has_text="came too late").wait_for()
            faults += faults_of(await look(page), "a slow link")
            for size in (PHONE, SMALL, SIDEWAYS):
                await page.set_viewport_size({"width": size[0], "height": size[1]})
                for tool in TOOLS if size == PHONE else TOOLS[1:3]:
                    await drawn(page, here, tool)
                    faults += over_tool(await look(page), f"{size}, tool at {tool}")
                faults += faults_of(await look(page), f"{size}", A_THIRD if size == PHONE else A_HALF)
            assert not faults, "\n".join(faults)
        async with watched(await desk(browser, DESK), here) as page:
            for tool in TOOLS:
                await drawn(page, here, tool)
                faults += over_tool(await look(page), f"desk, tool at {tool}")
            faults += faults_of(await look(page), "desk")
            assert not faults, "\n".join(faults)

    play(scenario)
