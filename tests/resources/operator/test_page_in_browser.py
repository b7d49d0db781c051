"""The operator's page in a real browser, at a real server and link: what a hand becomes in the ring."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser

from resources.operator.console_link import OTHERS
from resources.operator.orders import Shown
from resources.operator.protocol import Asked, AskedThing, Line, Replied
from resources.operator.signalling import Signalling
from resources.types.masters import HandSide
from resources.types.operator_client import Driven
from tests.resources.console.browser import DESK, PHONE
from tests.resources.operator.emulated_devices import android_phone, iphone
from tests.resources.operator.page_station import (
    CONNECTED,
    STANDS_STILL,
    Play,
    Station,
    opened,
    press,
    press_and_stand_still,
    until,
)

pytestmark = pytest.mark.real


# What is drawn over, or outside of the window; selectors of everything a driver needs.
COVERED = """() => [...document.querySelectorAll(
    ".stop, .status, .clutch, .take, .fold, .gripper, .controls .view, .scale, .instruction, .quick button," +
    ".way")]
  .filter((each) => {
    if (!each.checkVisibility()) return false;
    const at = each.getBoundingClientRect();
    const top = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
    const outside = at.bottom > innerHeight || at.right > innerWidth || at.top < 0 || at.left < 0;
    return outside || !each.contains(top);
  }).map((each) => each.className)"""


COVERED_NUMBERS = """() => [...document.querySelectorAll(".candidate")]
  .filter((each) => {
    const at = each.getBoundingClientRect();
    return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2) !== each;
  }).map((each) => each.textContent)"""


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
        await page.get_by_role("button", name="Type").click()
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


def _asked(*things: tuple[float, float, float]) -> Asked:
    """Which of these, where they are in the robot's frame [m]."""
    return Asked(
        "q1",
        "What do you mean?",
        tuple(f"cup {number}" for number in range(1, len(things) + 1)),
        tuple(
            AskedThing(number, (*at, 0.0, 0.0, 0.0, 1.0), (0.08, 0.08, 0.1))
            for number, at in enumerate(things, start=1)
        ),
    )


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_what_it_is_asked_about_is_shown_with_numbers_and_a_tap_on_one_answers(
    play: Play, size: tuple[int, int], pytestconfig: pytest.Config
) -> None:
    pictures = pytestconfig.getoption("--pictures")

    async def scenario(here: Station, browser: Browser) -> None:
        width, height = size
        context = await browser.new_context(viewport={"width": width, "height": height})
        page = await opened(context, here)
        assert here.link is not None
        if pictures:
            await page.evaluate("globalThis.dark = globalThis.drawn = false")
        here.link.tell(_asked((0.5, 0.25, 0.1), (0.5, -0.05, 0.1)))
        number = page.locator(".candidate")
        await number.nth(1).wait_for()
        one, other = [await number.nth(at).bounding_box() for at in (0, 1)]
        assert one is not None and other is not None
        # From behind the robot its left is on the left; neither lies under what else is on the page.
        assert 0 < one["x"] < other["x"] < width and 0 < one["y"] < height
        assert await page.evaluate(COVERED_NUMBERS) == []
        if pictures:
            await page.wait_for_function("() => globalThis.drawn")
            await page.screenshot(path=Path(pictures) / f"operator-candidates-{width}.png")
        await number.nth(1).click()
        await until(lambda: any(isinstance(each, Replied) for each in here.said))
        (replied,) = [each for each in here.said if isinstance(each, Replied)]
        assert (replied.question, replied.choice) == ("q1", 2)
        here.link.tell(Asked("q1"))
        await number.nth(0).wait_for(state="detached")
        await context.close()

    play(scenario)
