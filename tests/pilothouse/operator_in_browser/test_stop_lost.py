"""STOP is pressed while nothing of the page gets through: it latches once something does.

Until then the page says that it is not confirmed, and never that anything stands.

An autonomous plan moves the arm all the while: nothing but the stop ends that.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import numpy as np
import pytest
from playwright.async_api import Page, expect

from framework.processes.emergency import EmergencyStop
from pilothouse.experiments.operator_link.relay import UdpRelay
from resources.web.page_messages import Reset
from tests.pilothouse.operator_in_browser.person import opened
from tests.pilothouse.operator_in_browser.relayed import MarkReadingRelay, Network, route_console
from tests.pilothouse.operator_in_browser.scene import STANDS_M_S, Act, Scene, speed, stands

pytestmark = pytest.mark.real

CUT_S = 3.0
LATCHED_WITHIN_S = 3.0
"""After the network is back; a page tries each second over https."""

TO_AND_FRO = ", then ".join(f"move {way} 10 cm slowly" for way in 4 * ("up", "down"))
"""Longer than the test, with nobody at the arm."""

NOT_CONFIRMED = "NOT confirmed: use the robot's own button"
_MOST_WENT_M = 0.02
_SAID = """() => [...document.querySelectorAll("[role=alert], [role=status], .latest")]
  .filter((each) => each.checkVisibility()).map((each) => each.innerText).join("; ").toLowerCase()"""


def test_the_operators_page(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with MarkReadingRelay() as relay, scene.desk(relay=relay) as person, _moving(scene) as latch:
            await _pressed_while_cut(scene, person.page, relay, latch)
            await person.until(lambda seen: seen.tone == "stopped")
            await person.hears("Confirmed")
            await person.until(lambda seen: seen.link == "connected")

    act(story)


def test_the_consoles_page(act: Act) -> None:
    async def story(scene: Scene) -> None:
        network, window = Network(), await scene.window()
        await route_console(window, network)
        async with opened(window, scene.world.link) as page, _moving(scene) as latch:
            await expect(page.locator(".link")).to_contain_text("Connected")
            await _pressed_while_cut(scene, page, network, latch)
            await expect(page.get_by_role("alert")).to_contain_text("stopped by console page")

    act(story)


async def _pressed_while_cut(
    scene: Scene, page: Page, network: Network | UdpRelay, latch: EmergencyStop
) -> None:
    """Cut, pressed, and 3 s later no longer cut: then it has latched soon, and the arm stands."""
    alert = page.get_by_role("alert").filter(has_text=NOT_CONFIRMED)
    loop = asyncio.get_running_loop()
    network.is_cut = True
    begun_s, begun = loop.time(), scene.world.tool()
    await page.locator(".stop").first.dispatch_event("pointerdown")
    await expect(alert).to_be_visible()
    farthest_m = 0.0
    while loop.time() < begun_s + CUT_S:
        said = await page.evaluate(_SAID)
        assert "stopped" not in said and "holds" not in said, said
        farthest_m = max(farthest_m, float(np.linalg.norm(scene.world.tool() - begun)))
        await asyncio.sleep(0.01)
    assert not latch.is_latched and farthest_m > _MOST_WENT_M, "nothing else is to stop it"
    network.is_cut = False
    async with asyncio.timeout(LATCHED_WITHIN_S):
        while not latch.is_latched:
            await asyncio.sleep(0.01)
    await stands(scene.world)
    await expect(alert).to_be_hidden()


@asynccontextmanager
async def _moving(scene: Scene) -> AsyncIterator[EmergencyStop]:
    """A plan of nobody who drives moves the arm; at the end its stop is reset."""
    await scene.at_home()
    with _latch(scene) as latch:
        await scene.console.say(TO_AND_FRO)
        async with asyncio.timeout(60.0):
            while speed(scene.world) < STANDS_M_S:
                await asyncio.sleep(0.01)
        try:
            yield latch
        finally:
            await scene.console.ask(lambda number: Reset(number, True))


@contextmanager
def _latch(scene: Scene) -> Iterator[EmergencyStop]:
    latch = EmergencyStop.attach(scene.world.directory)
    try:
        yield latch
    finally:
        latch.close()
