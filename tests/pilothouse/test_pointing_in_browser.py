"""What is typed in a browser while its mouse points: in the scene, in a camera's picture, between two cups.

All of it is real: the simulated robot, its camera, the page. With `--pictures FOLDER` the docs' screenshots
are written there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.pilothouse.started import started
from tests.resources.console.browser import WIDE, chromium, light, opened

PATIENCE_MS = 60_000
STORY_S = 300.0

#: The page shows what is under the mouse a tenth of a second later, on a quiet machine.
LABEL_MS = 3_000

TRIES = 4

#: Where things stand in the scene as it is at first, and in the front camera's picture, in shares of both.
#: They are looked for around it: a few pixels more or less, and it is another thing.
RED_IN_SCENE = (0.5, 0.429)
BETWEEN_IN_SCENE = (0.504, 0.417)
RED_IN_PICTURE = (0.303, 0.585)
MIDDLE = (0.5, 0.5)
RED_OR_YELLOW = re.compile("^(?=.*red cup)(?=.*yellow cup).*\\?$")


async def say(page: Page, text: str) -> None:
    box = page.get_by_role("combobox", name="Instruction")
    await box.click()  # the mouse leaves the scene for that
    await box.fill(text)
    await box.press("Enter")


def plan(page: Page, words: str) -> Locator:
    return page.locator(".plan", has=page.locator(".plan-text", has_text=words)).first


def around(share: tuple[float, float]) -> Iterable[tuple[float, float]]:
    """The place, and those beside it, the nearest first."""
    steps = [(right, down) for right in range(-3, 4) for down in range(-3, 4)]
    for right, down in sorted(steps, key=lambda step: abs(step[0]) + abs(step[1])):
        yield share[0] + 0.005 * right, share[1] + 0.008 * down


async def rest_on(
    page: Page, part: Locator, share: tuple[float, float], label: Locator, name: str | re.Pattern[str]
) -> None:
    """Put the mouse on the thing of this name, and wait until the cursor says so."""
    for x, y in around(share):
        box = await part.bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        try:
            await expect(label).to_have_text(name, timeout=LABEL_MS)
        except AssertionError:
            continue
        print(f"{name} at {x:.3f} {y:.3f}")
        return
    raise AssertionError(f"the cursor was never on the {name}")


async def story(folder: Path, pictures: Path | None) -> None:
    async with (
        asyncio.timeout(STORY_S),
        started(folder / "state", "inspection") as url,
        chromium() as browser,
        opened(browser, url, WIDE, dark=pictures is None) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        await expect(page.locator(".scene-empty")).to_be_hidden(timeout=PATIENCE_MS)  # the world is drawn
        scene = page.locator(".scene-canvas canvas")
        in_scene = page.locator(".scene-overlay .cursor-label")
        question = page.get_by_role("region", name="Question", exact=True)

        # A click counts also when the mouse has gone to type.
        await rest_on(page, scene, RED_IN_SCENE, in_scene, "red cup")
        await page.mouse.down()
        await page.mouse.up()
        if pictures is not None:
            await light(page)
            await page.screenshot(path=pictures / "pointing.png")
        await say(page, "what is this?")
        await expect(page.locator(".line", has_text="Done: describe the red cup")).not_to_have_count(0)
        await expect(question).to_be_hidden()
        await say(page, "look at that")
        moving = plan(page, "look at the red cup")
        await expect(moving).to_have_attribute(
            "data-state", re.compile("running|succeeded|failed"), timeout=PATIENCE_MS
        )
        await say(page, "stop")

        # In a camera's picture, and without a click: where the mouse rested before it left counts.
        await say(page, "show the front camera")
        picture = page.locator(".picture canvas")
        await expect(picture).to_be_visible(timeout=PATIENCE_MS)
        await page.locator(".picture-button").click()
        in_picture = page.locator(".picture-cursor .cursor-label")
        understood = page.locator(".line", has_text="I understand: describe the red cup")
        too_soon = page.locator(".line", has_text="Point, please")
        for number in range(1, TRIES + 1):
            await rest_on(page, picture, RED_IN_PICTURE, in_picture, "red cup")
            await say(page, "describe that")
            await expect(understood.or_(too_soon)).to_have_count(1 + number, timeout=PATIENCE_MS)
            if await understood.count() > 1:  # the first one was the click's
                break
            assert number < TRIES, "the mouse never rested for long enough"
        await page.locator(".picture-button").click()
        await say(page, "stop")

        # Of the five cups it is asked between the two that the mouse is between; its number there answers.
        await rest_on(page, scene, BETWEEN_IN_SCENE, in_scene, RED_OR_YELLOW)
        await page.mouse.down()
        await page.mouse.up()
        await say(page, "look at the cup")
        await expect(question).to_contain_text("What do you mean?")
        await expect(page.locator(".candidate")).to_have_count(2)
        if pictures is not None:
            await light(page)
            await page.screenshot(path=pictures / "pointing-question.png")
        red = page.locator(".candidate[title*='red cup']")
        await red.click()
        await expect(question).to_be_hidden()
        await expect(page.locator(".candidate")).to_have_count(0)
        await expect(page.locator(".line", has_text="I understand: look at the red cup")).not_to_have_count(0)
        await say(page, "stop")

        # The view goes where the mouse points, and what is named comes into its middle.
        await rest_on(page, scene, RED_IN_SCENE, in_scene, "red cup")
        await page.mouse.down()
        await page.mouse.up()
        await say(page, "put the view there")
        put = page.locator(".line", has_text="your view is on the red cup")
        await expect(put).to_have_count(1, timeout=PATIENCE_MS)
        await rest_on(page, scene, MIDDLE, in_scene, "red cup")
        if pictures is not None:
            await light(page)
            await page.screenshot(path=pictures / "view-put.png")
        await say(page, "show me the table from above")
        await expect(page.locator(".line", has_text="your view is on the table, from above")).to_have_count(1)
        if pictures is not None:
            await light(page)
            await page.screenshot(path=pictures / "view-from-above.png")
        await say(page, "reset the view")
        await expect(page.locator(".line", has_text="your view shows all again")).to_have_count(1)
        await rest_on(page, scene, RED_IN_SCENE, in_scene, "red cup")


def test_what_is_typed_is_about_what_the_mouse_points_at(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(story(tmp_path, pictures))
