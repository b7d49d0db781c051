"""A real headless Chromium with the console open in it, for tests and screenshots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.async_api import Browser, Error, Page, expect

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


_Kind = tuple[int, int, bool]
_AT_REST: WeakKeyDictionary[Browser, dict[_Kind, list[Page]]] = WeakKeyDictionary()
"""Windows that nobody looks into. Another one takes Chromium three times as long as another page in one."""


@asynccontextmanager
async def opened(
    browser: Browser, url: str, size: tuple[int, int] = WIDE, *, dark: bool = False, is_new: bool = False
) -> AsyncIterator[Page]:
    """The console in a window of this size; what goes wrong in its scripts fails the test.

    dark: its scene is not drawn; without a graphics card that takes seconds of a whole core.
    is_new: the window is a new one, and nobody gets it afterwards: for a test that changes a window.
    """
    at_rest = _AT_REST.setdefault(browser, {}).setdefault((*size, dark), [])
    page = at_rest.pop() if at_rest and not is_new else await _window(browser, size, dark)
    broken: list[str] = []

    def note(error: Error) -> None:
        broken.append(str(error))

    page.on("pageerror", note)
    try:
        await page.goto(url)
        yield page
    except Exception as error:
        error.add_note("its log: " + "; ".join((await page.locator(".line-text").all_text_contents())[-12:]))
        await page.context.close()
        raise
    if is_new or not await _puts_down(page, size):
        await page.context.close()
    else:
        at_rest.append(page)
    page.remove_listener("pageerror", note)
    assert broken == []


async def _puts_down(page: Page, size: tuple[int, int]) -> bool:
    """Whether it now shows what runs no script. Of the same site: another is another process."""
    try:
        await page.goto(urljoin(page.url, "/icon.svg"))
        await page.set_viewport_size({"width": size[0], "height": size[1]})
    except Error:
        return False  # its server has gone
    return True


async def _window(browser: Browser, size: tuple[int, int], dark: bool) -> Page:
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size == PHONE
    )
    await context.add_init_script(f"globalThis.dark = {json.dumps(dark)};" + SHUTTER)
    page = await context.new_page()
    page.set_default_timeout(DEADLINE_S * 1000)
    return page


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
