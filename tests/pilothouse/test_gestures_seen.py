"""A drawn hand before a browser's camera: its palm lets a running motion rest, its thumb answers a question.

All of it is real but the hand: the camera's pictures are a film, what finds the hand in them is MediaPipe in
the page, and the arm is the simulated one. With `--pictures FOLDER` the docs' screenshot is written there.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from pilothouse.experiments.gesture.drawn import film
from resources.types.gestures import GestureKind
from tests.machine_hiccups import passes_by_itself
from tests.pilothouse.started import started
from tests.resources.console.browser import chromium, opened

SMALL = (1000, 700)
PATIENCE_MS = 60_000
STORY_S = 300.0
TRIES = 4

#: Long enough for a palm that comes every seven seconds.
MOTION = "move the arm forward five centimetres slowly then " + " then ".join(
    f"move {way} eight centimetres slowly" for way in 5 * ("up", "down")
)


def flags(camera: Path) -> tuple[str, ...]:
    return (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={camera}",
    )


async def watched(page: Page) -> None:
    """Gestures are on, and the tracker looks."""
    await page.get_by_role("button", name="Gestures", exact=True).click()
    await expect(page.locator(".hands-cost")).to_have_text(re.compile(r"^\d+ ms"), timeout=PATIENCE_MS)


async def say(page: Page, text: str) -> None:
    box = page.get_by_role("combobox", name="Instruction")
    await box.fill(text)
    await box.press("Enter")


def plan(page: Page, words: str) -> Locator:
    return page.locator(".plan", has=page.locator(".plan-text", has_text=words)).first


async def rests_by_palm(page: Page) -> bool:
    """Whether a motion was paused by the palm; False if a busy machine ended it before, as it should."""
    await say(page, "go home")
    home = re.compile("succeeded|failed")
    await expect(plan(page, "go home")).to_have_attribute("data-state", home, timeout=PATIENCE_MS)
    await say(page, MOTION)
    moving = plan(page, "forward")
    await expect(moving).to_have_attribute("data-state", "running", timeout=PATIENCE_MS)
    await expect(moving).to_have_attribute(
        "data-state", re.compile("paused|failed|succeeded"), timeout=PATIENCE_MS
    )
    if await moving.get_attribute("data-state") == "paused":
        return True
    last = await page.locator(
        ".line", has_text=re.compile("That did not work|Done: move")
    ).last.text_content()
    assert last is not None and ("Done" in last or passes_by_itself(last)), last
    return False


async def story(folder: Path, pictures: Path | None) -> None:
    camera = folder / "camera.mjpeg"
    film(camera, GestureKind.OPEN_PALM)
    async with (
        asyncio.timeout(STORY_S),
        started(folder / "state", "bench") as url,
        chromium(*flags(camera)) as browser,
        opened(browser, url, SMALL, dark=pictures is None) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        arm = page.locator("[data-device=arm]")
        await expect(arm).to_have_attribute("data-state", "idle", timeout=PATIENCE_MS)
        await watched(page)
        for number in range(TRIES):
            if await rests_by_palm(page):
                break
            assert number < TRIES - 1, "the machine is too busy for any motion"
        await expect(page.locator(".line", has_text="open palm")).not_to_have_count(0)
        hand = page.locator(".hands-hand", has_text="Right hand: open palm")
        await expect(hand).to_be_visible(timeout=PATIENCE_MS)
        if pictures is not None:
            await page.screenshot(path=pictures / "gestures.png")

        # The next thumb answers nothing, and starts nothing: nobody has asked.
        button = page.get_by_role("button", name="Gestures", exact=True)
        await button.click()
        await expect(button).to_have_attribute("aria-pressed", "false")
        film(camera, GestureKind.THUMB_UP)
        await watched(page)
        thumb = page.locator(".hands-hand", has_text="Right hand: thumb up")
        await expect(thumb.locator("progress[value='1.00']")).to_be_visible(timeout=PATIENCE_MS)
        await expect(plan(page, "forward")).to_have_attribute("data-state", "paused")

        # The one after the question says yes.
        await say(page, "stop")
        await expect(plan(page, "forward")).to_have_attribute("data-state", "cancelled", timeout=PATIENCE_MS)
        question = page.get_by_role("region", name="Question", exact=True)
        answered = page.locator(".line", has_text="thumb up")
        for number in range(TRIES):
            await say(page, "move the amr up 10 cm")
            await expect(question).to_contain_text(
                "Shall I move the arm up 10 centimetres?", timeout=PATIENCE_MS
            )
            await expect(question).to_be_hidden(timeout=PATIENCE_MS)
            if await answered.count():
                break
            assert number < TRIES - 1, "no thumb was held in the time of any question"
        await expect(plan(page, "move the arm up")).to_have_attribute(
            "data-state", re.compile("running|succeeded|failed"), timeout=PATIENCE_MS
        )
        cost = await page.locator(".hands-cost").get_attribute("data-hand-ms")
        print(f"hand_ms {cost}")


def test_a_palm_lets_a_motion_rest_and_a_thumb_says_yes(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(story(tmp_path, pictures))
