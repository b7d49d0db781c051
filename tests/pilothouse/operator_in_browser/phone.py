"""Somebody who holds a phone."""

from __future__ import annotations

from playwright.async_api import CDPSession, Page, expect

from tests.pilothouse.bench import Bench
from tests.pilothouse.operator_in_browser.person import Person

PERIOD_MS, PAUSE_MS = 50, 32
"""On and off once; off between a knock and what lasts (touch/vibration.ts)."""


class WithPhone(Person):
    """A thumb on the clutch, another finger where it is wanted."""

    held = "phone"

    def __init__(self, page: Page, world: Bench, fingers: CDPSession) -> None:
        super().__init__(page, world)
        self._fingers = fingers
        self._down: dict[str, tuple[float, float]] = {}

    async def enters(self) -> None:
        """Begin to drive by moving the phone."""
        await self.page.get_by_role("button", name="Drive by moving the phone").click()
        await expect(self.page.locator(".overlay")).to_have_attribute("data-session", "immersive-ar")

    async def press(self) -> None:
        await self.touches(".clutch")

    async def release(self) -> None:
        await self.leaves(".clutch")

    async def touches(self, what: str) -> None:
        """Put a finger on the middle of it."""
        box = await self.page.locator(what).bounding_box()
        assert box is not None
        self._down[what] = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        await self._tell("touchStart")

    async def slides(self, what: str, right: float, down: float) -> None:
        """Move the finger that is there [CSS px]."""
        x, y = self._down[what]
        self._down[what] = (x + right, y + down)
        await self._tell("touchMove")

    async def leaves(self, what: str) -> None:
        """Take it away again."""
        if self._down.pop(what, None) is not None:
            await self._tell("touchEnd")

    async def buzzes(self) -> list[list[int]]:
        """What the phone was made to vibrate so far: on and off times [ms]; it is made to stop by [0]."""
        told = await self.page.evaluate("buzz")
        return [each if isinstance(each, list) else [each] for each in told]

    async def pressure(self) -> list[float]:
        """Which share of the time it vibrated while the arm pressed, knocks left out."""
        return [share for each in await self.buzzes() if (share := _share_on(each)) > 0.0]

    async def _tell(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(self._down.values())]
        await self._fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _share_on(pattern: list[int]) -> float:
    """Of what lasts, on and off in turns; 0 if there is only a knock, or the end of it."""
    lasting = pattern[2:] if pattern[1:2] == [PAUSE_MS] else pattern
    on, off = lasting[::2], lasting[1::2]
    if not off:
        return 0.0
    assert {one + other for one, other in zip(on, off, strict=False)} == {PERIOD_MS}, pattern
    return on[0] / PERIOD_MS
