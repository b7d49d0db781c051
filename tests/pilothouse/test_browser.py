"""The main job, seen with an operator's eyes: the real installation in a real headless Chromium.

With `--pictures FOLDER` (see `make pictures`) the screenshots of the README are written there.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from playwright.async_api import Page, expect

from pilothouse.installation import Installation, Settings
from tests.resources.console.browser import chromium, opened, pixels, until

SCENE = ".scene-canvas"
PATIENCE_MS = 30_000


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
        asyncio.timeout(150),
        Installation(Settings(state=state, port=0)) as installation,
        chromium() as browser,
        opened(browser, installation.url) as page,
    ):
        await expect(page.get_by_text("Connected")).to_be_visible()
        # The robot and its room are drawn before anything is shown.
        await until(lambda: _has_colours(page))
        await asyncio.sleep(0.5)
        empty = await pixels(page, SCENE)

        box = page.get_by_role("textbox", name="Instruction")
        await box.fill("show the environment")
        await box.press("Enter")
        await _shown(page, "front_camera")
        await until(lambda: _is_changed(page, empty, 0.02))
        await expect(page.locator(".plan-text").first).to_contain_text("show the environment")
        await _take(page, pictures, "camera")

        await page.locator("[data-device=front_camera]").get_by_text("Die").click()
        await _shown(page, "wrist_cloud")
        await until(lambda: _is_changed(page, empty, 0.02))
        await asyncio.sleep(3.0 if pictures else 0.0)  # one sweep, for a full picture
        await _take(page, pictures, "swept-lidar")

        await page.locator("[data-device=wrist_cloud]").get_by_text("Die").click()
        await _shown(page, "front_lidar")
        await until(lambda: _is_changed(page, empty, 0.001))
        await _take(page, pictures, "base-lidar")

        await page.locator("[data-device=front_lidar]").get_by_text("Die").click()
        failed = page.locator(".line", has_text="I could not show the environment")
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
        assert installation.house.emergency.is_latched


async def _has_colours(page: Page) -> bool:
    rgb = (await pixels(page, SCENE)).astype(int)
    yellow = (rgb[..., 0] > 120) & (rgb[..., 2] < rgb[..., 0] // 2) & (rgb[..., 1] > rgb[..., 0] // 2)
    return bool(yellow.mean() > 0.0005)


async def _is_changed(page: Page, before: np.ndarray, share: float) -> bool:
    return await _difference(page, before) > share


def test_the_picture_comes_back_from_the_next_best_sensor(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    asyncio.run(_scenario(tmp_path / "state", pictures))
