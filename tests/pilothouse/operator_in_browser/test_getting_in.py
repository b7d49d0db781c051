"""How somebody gets in, and out again."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.pilothouse.operator_in_browser.person import PATIENCE_S, Person, opened
from tests.pilothouse.operator_in_browser.scene import WINDOW, Act, Scene

pytestmark = pytest.mark.real


def test_a_code_lets_one_device_in_and_the_console_can_send_it_away(act: Act) -> None:
    async def story(scene: Scene) -> None:
        async with opened(await scene.window(), scene.world.link) as console:
            await console.get_by_role("button", name="Phone", exact=True).click()
            dialog = console.get_by_role("dialog", name="Phones and headsets")
            code = dialog.get_by_role("img", name="QR code")
            await expect(code).to_be_visible(timeout=1000 * PATIENCE_S)
            await Person(console, scene.world).picture(scene.pictures, "operator-code", WINDOW)
            link = await dialog.locator(".pairing-address").get_attribute("href")
            assert link is not None

            guess = re.sub("token=.*", "token=" + 22 * "A", link)
            async with opened(await scene.window(), guess) as page:
                guest = Person(page, scene.world)
                await guest.until(lambda seen: seen.link == "refused")
                await expect(page.locator(".way-in")).to_contain_text("New code")
                assert await _offered(page) == [], "nothing of it could be done"
                await page.keyboard.press("Escape")
                await page.keyboard.press("Escape")
                await expect(page.get_by_role("alert")).to_contain_text("NOT confirmed")

            async with scene.desk(link) as person:
                page = person.page
                name = await person.connects()
                await expect(dialog.locator(".pairing-left")).to_contain_text(
                    "No code is open: the last one has let a device in"
                )
                assert "token" not in page.url, "where it could be read over a shoulder"
                offered = " ".join(await _offered(page)).split(" ")
                assert {"stop", "take", "way"} <= set(offered)
                await expect(page.locator(".way-in")).to_be_hidden()
                await expect(dialog.locator(".operator", has_text=name)).to_contain_text("watches")
                async with opened(await scene.window(), link) as other:
                    await Person(other, scene.world).until(lambda seen: seen.link == "refused")

                await page.reload()
                assert await person.connects() == name, "its secret is good"
                await dialog.get_by_role("button", name=f"Send {name} away").click()
                await person.until(lambda seen: seen.link == "refused")
                await person.sees("has ended this session|not paired")
                assert await _offered(page) == []
                await page.reload()
                await person.until(lambda seen: seen.link == "refused")
                await expect(dialog.locator(".operator")).to_have_count(0)

    act(story)


async def _offered(page: Page) -> list[str]:
    """Classes of what a person can press, write into or slide."""
    classes: list[str] = await page.evaluate(
        """() => [...document.querySelectorAll("button, input, a")]
             .filter((each) => each.checkVisibility()).map((each) => each.className)"""
    )
    return classes
