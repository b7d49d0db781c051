"""The main job, seen with an operator's eyes: the real installation in a real headless Chromium.

With `--pictures FOLDER` the screenshots of README and docs are written there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.async_api import Locator, Page, expect

from pilothouse.installation import Installation, Settings
from tests.machine_hiccups import passes_by_itself
from tests.pilothouse.started import started
from tests.resources.console.browser import DESK, chromium, darken, light, opened, pixels, until

SCENE = ".scene-canvas"
PATIENCE_MS = 60_000
TRIES = 3
SMALL = (860, 560)  # drawing without a graphics card takes its time from the arm's control loop
STORY_S = 300.0  # a machine busy with other things is slow, not wrong


async def _difference(page: Page, before: np.ndarray) -> float:
    """Which part of the scene's pixels looks different now."""
    now = (await pixels(page, SCENE)).astype(int)
    return float((np.abs(now - before.astype(int)).max(axis=-1) > 24).mean())


async def _take(page: Page, folder: Path | None, name: str) -> None:
    if folder is not None:
        await page.screenshot(path=folder / f"{name}.png")


async def _shown(page: Page, device: str) -> None:
    """The newest action shows this device, its view is live, and the graph has its process."""
    action = page.locator(".node", has_text="show the environment")
    await expect(action.first).to_contain_text(f"with {device}", timeout=PATIENCE_MS)
    await expect(page.locator(".view").last).to_have_attribute("data-state", "live", timeout=PATIENCE_MS)
    await expect(page.locator(".box", has_text=device).first).to_be_visible(timeout=PATIENCE_MS)


async def _scenario(state: Path, pictures: Path | None) -> None:
    async with (
        asyncio.timeout(STORY_S),
        Installation(Settings(state=state, port=0)) as installation,
        chromium() as browser,
        opened(browser, installation.url) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        # The robot and its room are drawn before anything is shown.
        await until(lambda: _has_colours(page))
        await asyncio.sleep(0.5)
        empty = await pixels(page, SCENE)
        await darken(page)

        box = page.get_by_role("combobox", name="Instruction")
        await box.fill("show the environment")
        await box.press("Enter")
        await _shown(page, "front_camera")
        await light(page)
        await until(lambda: _is_changed(page, empty, 0.02))
        await expect(page.locator(".plan-text").first).to_contain_text("show the environment")
        await _take(page, pictures, "camera")
        await darken(page)

        await page.locator("[data-device=front_camera]").get_by_text("Die").click()
        await _shown(page, "wrist_cloud")
        await light(page)
        await until(lambda: _is_changed(page, empty, 0.02))
        await asyncio.sleep(3.0 if pictures else 0.0)  # one sweep, for a full picture
        await _take(page, pictures, "swept-lidar")
        await darken(page)

        await page.locator("[data-device=wrist_cloud]").get_by_text("Die").click()
        await _shown(page, "front_lidar")
        await light(page)
        await until(lambda: _is_changed(page, empty, 0.001))
        await _take(page, pictures, "base-lidar")
        if pictures is None:
            await darken(page)

        await page.locator("[data-device=front_lidar]").get_by_text("Die").click()
        failed = page.locator(".line", has_text="That did not work: show the environment")
        await expect(failed.first).to_be_visible(timeout=PATIENCE_MS)
        for device in ("front_camera", "wrist_cloud", "front_lidar"):
            await expect(failed.first).to_contain_text(device)
        await expect(page.locator(".view")).to_have_count(0)
        await _take(page, pictures, "told")

        camera = page.locator("[data-device=front_camera]")
        await camera.get_by_role("button", name="Restore").click()
        await expect(camera.get_by_text("Die")).to_be_visible()
        await box.fill("show the environment")
        await box.press("Enter")
        await _shown(page, "front_camera")
        await page.get_by_role("button", name="Emergency stop").click()
        await expect(page.get_by_role("alert")).to_contain_text("Emergency stop")
        assert installation.managers.emergency.is_latched


async def _conversation(folder: Path, pictures: Path | None) -> None:
    async with (
        asyncio.timeout(STORY_S),
        Installation(Settings(state=folder / "state", port=0)) as installation,
        chromium() as browser,
        opened(browser, installation.url, dark=pictures is None) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        await until(lambda: _is_known(installation, "red cup"))
        box = page.get_by_role("combobox", name="Instruction")
        options = page.get_by_role("option")
        question = page.get_by_role("region", name="Question", exact=True)

        # Typed with completion: the names come from the world.
        await box.press_sequentially("where is the re")
        await expect(options.first).to_have_text("red cup")
        await _take(page, pictures, "completion")
        await box.press("Tab")
        await box.press("Escape")
        await box.press("Enter")
        await expect(_line(page, "The red cup is on the table")).to_have_count(1, timeout=PATIENCE_MS)

        # A clarification, answered by a click.
        await box.fill("where is the cup")
        await box.press("Enter")
        await expect(question).to_contain_text("red cup")
        await expect(question.locator(".question-left")).to_have_text(re.compile(r"\d s"))
        await _take(page, pictures, "question")
        await question.get_by_role("button", name="red cup").click()
        await expect(question).to_be_hidden()
        await expect(_line(page, "The red cup is on the table")).to_have_count(2, timeout=PATIENCE_MS)

        # A plan that waits, is paused, changed, and goes on as it is then.
        await box.fill("wait until I say go then show the scan")
        await box.press("Enter")
        plan = page.locator(".plan", has_text="say go").first
        await plan.get_by_role("button", name="Pause").click()
        step = plan.locator(".node", has_text="show the scan").last
        await step.get_by_role("button", name="Do something else instead").click()
        await step.get_by_role("combobox").fill("show the camera")
        await _take(page, pictures, "changing")
        await step.get_by_role("combobox").press("Enter")
        await expect(plan.locator(".plan-text")).to_contain_text("show the camera")
        async with page.expect_download() as download:
            await plan.get_by_role("button", name="Save as file").click()
        file = folder / "saved.json"
        await (await download.value).save_as(file)
        await plan.get_by_role("button", name="Resume").click()
        await box.fill("go")
        await box.press("Enter")
        await expect(page.locator(".view")).to_contain_text("camera", timeout=PATIENCE_MS)

        # Ended, and the same again from the file.
        await box.fill("stop")
        await box.press("Enter")
        await expect(plan).to_have_attribute("data-state", "cancelled", timeout=PATIENCE_MS)
        await page.get_by_label("Plan file").set_input_files(file)
        again = page.locator(".plan[data-state=running]", has_text="say go")
        await expect(again).to_contain_text("show the camera")
        await _take(page, pictures, "from-a-file")
        await again.get_by_role("button", name="Stop").click()
        await expect(again).to_have_count(0, timeout=PATIENCE_MS)


async def _motion(state: Path, pictures: Path | None) -> None:
    async with (
        asyncio.timeout(STORY_S),
        started(state, "bench") as url,
        chromium() as browser,
        opened(browser, url, SMALL if pictures is None else DESK) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        arm = page.locator("[data-device=arm]")
        await expect(arm).to_have_attribute("data-state", "idle", timeout=PATIENCE_MS)
        await until(lambda: _has_colours(page))
        await expect(page.get_by_text("Nothing is shown yet")).to_be_hidden()
        before = await pixels(page, SCENE)
        await darken(page)

        # On its way: the tree says what it is doing, and the scene follows.
        box = page.get_by_role("combobox", name="Instruction")
        step = page.locator(".node[data-state=running] .node-detail", has_text="moving the arm 20 cm")

        async def goes_home() -> None:
            await page.locator(".hints").get_by_text("go home").click()
            await expect(_plan(page, "go home")).to_have_attribute("data-state", "succeeded")

        async def is_on_its_way() -> None:
            # Long, and never back where it was: a busy machine takes its pictures late.
            slowly = "then move up twenty centimetres slowly then move down twenty centimetres slowly"
            await box.fill(f"move the arm forward twenty centimetres {slowly}")
            await box.press("Enter")
            await expect(step.first).to_contain_text("forward", timeout=PATIENCE_MS)
            await expect(arm).to_have_attribute("data-state", "working")
            await light(page)
            await until(lambda: _is_changed(page, before, 0.01))
            await _take(page, pictures, "moving-arm")
            if pictures is None:
                await darken(page)  # what is drawn takes time from the process that renews the arm's orders
            await expect(step.first).to_contain_text(re.compile("up|down"), timeout=PATIENCE_MS)

        for number in range(TRIES):
            if await _works(page, goes_home) and await _works(page, is_on_its_way):
                break
            assert number < TRIES - 1, "the machine is too busy for any motion"

        # A reflex in the middle of a later step, and the recovery that asks first.
        await arm.get_by_role("button", name="protect itself").click()
        await expect(arm).to_have_attribute("data-state", "failed", timeout=PATIENCE_MS)
        await _came_to(page, "move the arm forward", "failed")
        await _take(page, pictures, "reflex")
        await box.fill("recover the arm")
        await box.press("Enter")
        question = page.get_by_role("region", name="Question", exact=True)
        await expect(question).to_contain_text("Is the way clear?", timeout=PATIENCE_MS)
        await question.get_by_role("button", name="Yes").click()
        await _came_to(page, "recover", "succeeded")
        await expect(arm).to_have_attribute("data-state", "idle", timeout=PATIENCE_MS)


async def _works(page: Page, attempt: Callable[[], Coroutine[Any, Any, None]]) -> bool:
    """Try it; False if the arm was not served in time by a busy machine and stopped, as it should, or if what
    was to be seen was over before the browser came to it. A person says it again.
    """
    over = page.locator(".line", has_text=re.compile("That did not work|Done: move"))
    before = await over.count()
    trying = asyncio.create_task(attempt())
    try:
        while not trying.done():
            if await over.count() > before:
                how = await over.last.text_content() or ""
                assert "Done" in how or passes_by_itself(how), how
                return False
            await asyncio.sleep(0.1)
        await trying
        return True
    finally:
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        await darken(page)


async def _came_to(page: Page, words: str, state: str) -> None:
    """The newest of these plans ends like that; in between nothing is waited for that may have passed."""
    plan = _plan(page, words)
    await expect(plan).to_have_attribute("data-state", re.compile("succeeded|failed"), timeout=PATIENCE_MS)
    said = await page.locator(".line-text").all_text_contents()
    assert await plan.get_attribute("data-state") == state, said[-6:]


def _plan(page: Page, words: str) -> Locator:
    """The newest of these."""
    return page.locator(".plan", has=page.locator(".plan-text", has_text=words)).first


def _line(page: Page, text: str) -> Locator:
    return page.locator(".line", has_text=text)


async def _is_known(installation: Installation, thing: str) -> bool:
    return any(each.spoken == thing for each in installation.managers.context.things())


async def _has_colours(page: Page) -> bool:
    rgb = (await pixels(page, SCENE)).astype(int)
    yellow = (rgb[..., 0] > 120) & (rgb[..., 2] < rgb[..., 0] // 2) & (rgb[..., 1] > rgb[..., 0] // 2)
    return bool(yellow.mean() > 0.0005)


async def _is_changed(page: Page, before: np.ndarray, share: float) -> bool:
    return await _difference(page, before) > share


def _pictures(request: pytest.FixtureRequest) -> Path | None:
    """The folder of `--pictures`, made if need be; None if nobody wants any."""
    wanted = request.config.getoption("--pictures")
    if not wanted:
        return None
    folder = Path(wanted)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_picture_comes_back_from_the_next_best_sensor(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    asyncio.run(_scenario(tmp_path / "state", _pictures(request)))


def test_an_arm_is_seen_moving_has_a_reflex_and_is_recovered(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    asyncio.run(_motion(tmp_path / "state", _pictures(request)))


def test_an_operator_is_helped_asked_and_obeyed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    asyncio.run(_conversation(tmp_path, _pictures(request)))
