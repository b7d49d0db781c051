"""Somebody holds the console's button and talks: a real page, the browser's microphone fed from a file.

With `--pictures FOLDER` the screenshot of the grey words is written there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.async_api import Page, expect

from pilothouse.experiments.speech.held import CONNECTIONS
from pilothouse.experiments.speech.voices import silence, spoken
from pilothouse.installation import Installation, Settings
from resources.audio.format import RATE_HZ
from resources.robots.worlds import ROBOTS
from resources.types.speech import LanguageModel
from tests.pilothouse.operator_in_browser.drawn import SPY
from tests.resources.console.browser import DESK, chromium, opened

PATIENCE_MS = 60_000
STORY_S = 300.0  # a machine busy with other things is slow, not wrong
STARTS_S = 20.0  # by then all processes of speech are there, mostly; what is said earlier waits for them
BETWEEN_S = 20.0


def _microphone(folder: Path, *said: str) -> str:
    """The flag for a browser whose microphone hears this, from the moment when it is opened."""
    parts = [silence(STARTS_S)]
    for each in said:
        parts += [spoken(each), silence(BETWEEN_S)]
    file = folder / "said.wav"
    soundfile.write(file, np.concatenate(parts), RATE_HZ)
    return f"--use-file-for-fake-audio-capture={file}%noloop"


def _robot(folder: Path) -> Path:
    """The robot of the inspection, with the recogniser that needs the least of a machine."""
    file = folder / "robot.yaml"
    file.write_text((ROBOTS / "inspection.yaml").read_text() + "\nspeech: {recogniser: pocketsphinx}\n")
    return file


@asynccontextmanager
async def _console(
    folder: Path, *said: str, is_drawn: bool = False
) -> AsyncIterator[tuple[Installation, Page]]:
    """An installation whose language is made already, and its console; its microphone hears this."""
    settings = Settings(state=folder / "state", robot=str(_robot(folder)), port=0)
    flags = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        _microphone(folder, *said),
    )
    async with (
        asyncio.timeout(STORY_S),
        Installation(settings) as installation,
        installation.registrar.request(LanguageModel(), timeout_s=STORY_S),  # takes long on a new machine
        chromium(*flags) as browser,
        opened(browser, installation.url, DESK, dark=not is_drawn, is_new=True) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        yield installation, page


async def _holds(page: Page) -> None:
    """Press the button; words are seen to come."""
    button = page.get_by_role("button", name="Hold to talk")
    await button.hover()
    await page.mouse.down()
    await expect(button).to_have_attribute("data-state", "listening", timeout=PATIENCE_MS)
    box = page.get_by_role("combobox", name="Instruction")
    await expect(box).to_have_attribute("placeholder", re.compile(r"\w \w"), timeout=PATIENCE_MS)


async def _talking(folder: Path) -> None:
    async with _console(folder, "show the environment", "emergency stop") as (installation, page):
        box = page.get_by_role("combobox", name="Instruction")
        button = page.get_by_role("button", name="Hold to talk")
        await box.fill("a draft")
        await _holds(page)
        await expect(box).to_have_value("")  # what is being said stands there, in grey
        question = page.get_by_role("region", name="Question", exact=True)
        await expect(question).to_contain_text("how the environment", timeout=PATIENCE_MS)
        await page.mouse.move(5, 5)  # let go elsewhere
        await page.mouse.up()
        await expect(button).to_have_attribute("data-state", "idle")
        await expect(box).to_have_value("a draft")
        await expect(page.locator(".line-text", has_text="show the environment").first).to_be_visible()
        await question.get_by_role("button", name="Yes").click()
        await expect(page.locator(".view").last).to_have_attribute("data-state", "live", timeout=PATIENCE_MS)

        # The other way to hold it, and the word that nobody is asked about.
        await page.keyboard.down("F2")
        await expect(page.get_by_role("alert")).to_contain_text("Emergency stop", timeout=PATIENCE_MS)
        assert installation.managers.emergency.is_latched
        assert "was heard by microphone of console page 1" in installation.managers.emergency.reason
        await page.keyboard.up("F2")
        await expect(button).to_have_attribute("data-state", "idle")


async def _at_a_phone(folder: Path) -> None:
    async with _console(folder, "show the environment", "emergency stop") as (installation, console):
        await console.get_by_role("button", name="Phone").click()
        desk = installation.managers.operators
        assert desk is not None
        async with asyncio.timeout(PATIENCE_MS / 1e3):
            while not desk.shown().url:
                await asyncio.sleep(0.1)
        page = await console.context.new_page()
        await page.add_init_script(SPY)  # nothing is drawn
        await page.add_init_script(CONNECTIONS)
        await page.goto(desk.shown().url)
        button = page.get_by_role("button", name="Hold to talk")
        await expect(page.locator("[data-link=connected]")).to_be_visible(timeout=PATIENCE_MS)
        assert (await page.evaluate("sent()"))["track"] == 0
        await button.hover()
        await page.mouse.down()
        box = page.get_by_label("Instruction")
        await expect(box).to_have_attribute("placeholder", re.compile(r"\w \w"), timeout=PATIENCE_MS)
        question = page.locator(".question")
        await expect(question).to_contain_text("how the environment", timeout=PATIENCE_MS)
        await page.mouse.up()
        await expect(button).to_have_attribute("data-state", "idle")
        await page.wait_for_function("async () => (await sent()).attached === 0", timeout=PATIENCE_MS)
        sent = await page.evaluate("sent()")
        assert sent["track"] > 50 and sent["channel"] == 0
        await question.get_by_role("button", name="Yes").click()
        await expect(console.locator(".node", has_text="show the environment").first).to_be_visible()
        await button.hover()
        await page.mouse.down()
        await expect(console.get_by_role("alert")).to_contain_text("was heard by", timeout=PATIENCE_MS)
        assert "was heard by microphone of desk 1" in installation.managers.emergency.reason
        await page.mouse.up()


async def _picture(folder: Path, pictures: Path) -> None:
    async with _console(folder, "show the environment", is_drawn=True) as (_, page):
        await _holds(page)
        await page.screenshot(path=pictures / "talking.png")


@pytest.mark.soak  # with a world, recognisers and Chromium two cores have nothing left for other stories
def test_what_is_said_while_the_button_is_held_is_shown_asked_about_and_done(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    if pictures := pytestconfig.getoption("--pictures"):
        asyncio.run(_picture(tmp_path, Path(pictures)))
    asyncio.run(_talking(tmp_path))


@pytest.mark.soak
def test_a_phone_s_page_is_talked_to_as_the_console_s(tmp_path: Path) -> None:
    asyncio.run(_at_a_phone(tmp_path))
