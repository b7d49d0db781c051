"""The log in a real browser: what it shows at once, and what only to who wants to see all steps."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from playwright.async_api import Browser, expect

from tests.resources.console.browser import opened
from tests.resources.console.desk import Desk, Driver

pytestmark = pytest.mark.real


def test_asides_are_shown_to_who_wants_to_see_all_steps(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            for kind, text, aside in (
                ("heard", "who drives?", False),
                ("started", "I start: who drives.", True),
                ("answered", "Nobody drives.", False),
            ):
                desk.server.event(msgspec.structs.replace(desk.backend.line(kind, text), aside=aside))
            lines = page.locator(".line-text:visible")
            await expect(lines).to_have_text(["who drives?", "Nobody drives."])
            steps = page.get_by_role("button", name="All steps")
            await steps.click()
            await expect(lines).to_have_text(["who drives?", "I start: who drives.", "Nobody drives."])
            await steps.click()
            await expect(lines).to_have_count(2)

    drive(tmp_path, scenario)


def test_what_happens_again_and_again_is_one_line_with_a_count(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            held = ("step", "the arm holds: press the clutch anew")
            for kind, text in (
                ("heard", "stop"),
                ("heard", "stop"),
                held,
                held,
                held,
                ("step", "it moves"),
                held,
            ):
                desk.server.event(desk.backend.line(kind, text))
            lines = page.locator(".line:visible")
            await expect(lines.locator(".line-text")).to_have_text(
                ["stop", "stop", held[1], "it moves", held[1]]
            )
            await expect(lines.locator(".times")).to_have_text(["3 ×"])
            await expect(lines.nth(2)).to_contain_text("3 ×")

    drive(tmp_path, scenario)
