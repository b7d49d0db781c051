"""The genuine SpesRobotics phone page drives the arm, behind the same lease and watchdog.

Skipped where the Python package that contains it (`teleop`, Apache-2.0) is not installed. Only its page is
served; nothing of it runs in this process.
"""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.async_api import Page

from pilothouse.testbed.console_program import console_program
from tests.pilothouse.bench import Bench, bench
from tests.pilothouse.operator_in_browser.scene import DEADLINE_S, goes_home, loss, stands
from tests.resources.console.browser import chromium
from tests.resources.operator.emulated_devices import android_phone

FOUND = importlib.util.find_spec("teleop")
FOLDER = str(Path(FOUND.origin).parent) if FOUND is not None and FOUND.origin else ""
pytestmark = [
    pytest.mark.real,
    pytest.mark.soak,
    pytest.mark.skipif(not FOLDER, reason="the open phone page is not here: pip install --no-deps teleop"),
]
TRIES = 8
STROKE_M = 0.05
GLIDES = """([x, y, z]) => {
  const at = device.position, from = [at.x, at.y, at.z], began = performance.now();
  clearInterval(globalThis.gliding);
  globalThis.gliding = setInterval(() => {
    const share = Math.min(1, (performance.now() - began) / 500);
    at.set(from[0] + share * x, from[1] + share * y, from[2] + share * z);
  }, 4);
}"""


class Thumb:
    """On the page's own button."""

    def __init__(self, page: Page, world: Bench) -> None:
        self._page = page
        self._world = world

    async def presses(self) -> None:
        box = await self._page.locator("teleop-ui").locator("#motionButton").bounding_box()
        assert box is not None
        await self._page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await self._page.mouse.down()

    async def drives(self) -> None:
        """Until the arm follows, anew if it was let go."""
        for _ in range(TRIES):
            await self.presses()
            for _ in range(60):
                if self._world.arm().loop.engaged:
                    return
                await asyncio.sleep(0.01)
            await self._page.mouse.up()
            await asyncio.sleep(0.4)
        raise AssertionError(self._world.arm().loop)

    async def glides(self, right: float, up: float, back: float) -> NDArray[np.float64]:
        """How far the tool went [m], (3,), while the phone went by this."""
        before = self._world.tool()
        await self._page.evaluate(GLIDES, [right, up, back])
        await asyncio.sleep(1.0)
        return self._world.tool() - before


async def _story(world: Bench) -> None:
    async with asyncio.timeout(DEADLINE_S), console_program(world.running) as console, chromium() as browser:
        await goes_home(console)
        context = await android_phone(browser)
        page = await context.new_page()
        await page.goto(await console.code())
        await page.locator(".overlay[data-link=connected]").wait_for()
        await page.goto(page.url.split("#", maxsplit=1)[0] + "spes/")
        await page.locator("#connection-status.connected").wait_for()
        await page.locator("#start-button").click()
        await console.until(
            lambda: any("SpesRobotics" in each["words"] and each["alive"] for each in console.sessions)
        )
        thumb = Thumb(page, world)
        await thumb.presses()
        assert np.linalg.norm(await thumb.glides(STROKE_M, STROKE_M, 0.0)) < 1e-3, "nobody gave it the arm"
        await page.mouse.up()
        await console.hand_over("phone 1")
        await console.heard("phone 1 drives")
        for wished, expected in (
            ((0.0, STROKE_M, 0.0), (0, 0, 1)),
            ((STROKE_M, 0.0, 0.0), (0, -1, 0)),
            ((0.0, 0.0, -STROKE_M), (1, 0, 0)),
        ):
            for _ in range(TRIES):
                await thumb.drives()
                went = await thumb.glides(*wished)
                held = world.arm().loop.engaged
                await page.mouse.up()
                await asyncio.sleep(0.3)
                if held:
                    break
            assert went == pytest.approx(STROKE_M * np.array(expected), abs=0.005), went
        # It goes away with the thumb on the button and the phone in motion.
        await thumb.drives()
        await page.evaluate(GLIDES, [0.0, -0.15, 0.0])
        await asyncio.sleep(0.25)
        async with loss(world, 0.8) as lost:
            await page.close()
            lost()
        assert lost.stop.after_s < 0.4
        await stands(world)
        await console.heard("phone 1 is silent")


def test_it_drives_the_arm_once_it_was_given_and_stands_when_it_leaves(tmp_path: Path) -> None:
    with bench(tmp_path, "--open-page", FOLDER) as world:
        asyncio.run(_story(world))
