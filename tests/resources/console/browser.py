"""A real headless Chromium with the console open in it, for tests and screenshots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.async_api import Browser, Page, expect

from pilothouse.testbed.headless_chromium import launched

WIDE = (1280, 800)
DESK = (1440, 900)
PHONE = (390, 844)
DEADLINE_S = 60.0  # a machine busy with other things is slow, not wrong
expect.set_options(timeout=1000 * DEADLINE_S)
chromium = launched
"""The browser of this machine."""

#: To be run before the page's own scripts. `dark`: its scene is there, and is not drawn.
SHUTTER = """
for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...given) {
    if (globalThis.dark) return;
    draw.apply(this, given);
    globalThis.drawn = true;
  };
}
"""
_DRAWN = """() => new Promise((done) => {
  globalThis.dark = globalThis.drawn = false;
  let left = 2;
  const next = () => (globalThis.drawn && (left -= 1) <= 0 ? done() : requestAnimationFrame(next));
  next();
})"""


@asynccontextmanager
async def opened(
    browser: Browser, url: str, size: tuple[int, int] = WIDE, *, dark: bool = False
) -> AsyncIterator[Page]:
    """The console in a window of this size; what goes wrong in its scripts fails the test.

    dark: its scene is not drawn; without a graphics card that takes seconds of a whole core.
    """
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size == PHONE
    )
    await context.add_init_script(f"globalThis.dark = {json.dumps(dark)};" + SHUTTER)
    page = await context.new_page()
    page.set_default_timeout(DEADLINE_S * 1000)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    try:
        await page.goto(url)
        yield page
    except Exception as error:
        error.add_note("its log: " + "; ".join((await page.locator(".line-text").all_text_contents())[-12:]))
        raise
    finally:
        await context.close()
    assert broken == []


async def darken(page: Page) -> None:
    """From now on its scene is not drawn."""
    await page.evaluate("globalThis.dark = true")


async def light(page: Page) -> None:
    """From now on it is; wait until it has been, which takes something that changes in it."""
    await page.evaluate(_DRAWN)


async def pixels(page: Page, selector: str) -> NDArray[np.uint8]:
    """What an element looks like, (height, width, 3) red green blue."""
    png = np.frombuffer(await page.locator(selector).screenshot(), np.uint8)
    bgr = cv2.imdecode(png, cv2.IMREAD_COLOR)
    assert bgr is not None
    return np.ascontiguousarray(bgr[..., ::-1]).astype(np.uint8)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Look again and again until it is so; TimeoutError if it never is."""
    async with asyncio.timeout(DEADLINE_S):
        while not await condition():
            await asyncio.sleep(0.05)
