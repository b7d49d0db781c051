"""An operator's headset or phone, emulated in a real browser, and a scripted person who holds it.

The person sees: before each motion of the hand it looks at what the page says of the clutch, as people do,
lets go and presses anew when it has opened, and moves the hand until the target is where it should be. So
nothing here counts on how fast anything is drawn.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.pilothouse.bench import Bench

PATIENCE_S = 20.0
STEP_S = 0.03
STEP_M = 0.008  # of the hand, at most, before the person looks again
SMALL = (640, 480)

_IWER = Path(__file__).parents[2] / "resources/console/page/node_modules/iwer/build/iwer.min.js"
_QUEST = (
    "Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) "
    "OculusBrowser/33.0 Chrome/126.0.6478.122 VR Safari/537.36"
)
_IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
_ANDROID = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Mobile Safari/537.36"
)
_HEADSET_SCRIPT = """
globalThis.device = new IWER.XRDevice(IWER.metaQuest3);
device.installRuntime({ forceInstall: true });
globalThis.pulses = [];
for (const { inputSource } of Object.values(device.controllers)) {
  for (const actuator of inputSource.gamepad.hapticActuators) {
    actuator.pulse = async (intensity, ms) => { pulses.push([intensity, ms]); return true; };
  }
}
"""
_LOOK = """() => {
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const { tone, link } = document.querySelector(".overlay").dataset;
  return { tone, link, word: text(".clutch-word"), status: text(".status"), holder: text(".holder"),
    trouble: text(".trouble"), camera: text(".camera-words") };
}"""
_MOVE = """([x, y, z]) => {
  const at = device.controllers.right.position;
  at.set(at.x + x, at.y + y, at.z + z);
}"""

#: What the operator sees from where the page puts him (view/place.ts): the robot, from behind and its right.
_SEEN_FROM = 0.5
_COS, _SIN = np.cos(_SEEN_FROM), np.sin(_SEEN_FROM)
#: Axes of the operator's room (x right, y up, z back) in the robot's frame, as columns, (3, 3).
ROBOT_R_ROOM: NDArray[np.float64] = np.array([[_SIN, 0.0, -_COS], [-_COS, 0.0, -_SIN], [0.0, 1.0, 0.0]])


class Seen(msgspec.Struct, frozen=True):
    """What the page says: of the clutch as a colour and a word, of everything in a sentence."""

    tone: str
    link: str
    word: str
    status: str
    holder: str
    trouble: str
    camera: str


class Operator:
    """A person with the operator's page open on some device."""

    def __init__(self, page: Page, world: Bench) -> None:
        self.page = page
        self.world = world

    async def look(self) -> Seen:
        """What the page says now."""
        return msgspec.convert(await self.page.evaluate(_LOOK), Seen)

    async def until(self, is_so: Callable[[Seen], bool]) -> Seen:
        """Look until it is so."""
        seen = None
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    seen = await self.look()
                    if is_so(seen):
                        return seen
                    await asyncio.sleep(STEP_S)
        except TimeoutError:
            raise AssertionError(f"the page still says {seen}; the arm {self.world.arm().loop}") from None

    async def sees(self, words: str) -> Seen:
        """Look until the sentence says this; a regular expression."""
        return await self.until(lambda seen: re.search(words, seen.status) is not None)

    async def connected(self) -> None:
        """Wait until the link is up and an arm is shown."""
        await self.until(lambda seen: seen.link == "connected")

    async def say(self, text: str) -> None:
        """Type an instruction."""
        await self.page.fill(".instruction", text)
        await self.page.press(".instruction", "Enter")

    async def hears(self, words: str) -> None:
        """Wait until a line over the picture says this."""
        await expect(self.page.locator(".log .note", has_text=words).last).to_be_attached(
            timeout=1000 * PATIENCE_S
        )

    async def takes_the_arm(self) -> None:
        """Say the words, and wait until the clutch may be pressed."""
        await self.say("let me drive")
        await self.until(lambda seen: seen.holder == "you drive" and seen.word == "Hold to move")

    async def engaged(self) -> int:
        """Press the clutch, anew if it was held; the number under which the arm follows."""
        opened: list[str] = []
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await self.release()
                    await self.until(lambda seen: seen.word == "Hold to move")
                    await self.press()
                    seen = await self.until(lambda seen: seen.word not in ("Hold to move", "One moment"))
                    if seen.tone == "engaged":
                        return self.world.arm().loop.engaged
                    opened.append(seen.status)
        except TimeoutError:
            raise AssertionError(f"the clutch did not stay closed: {opened}") from None

    async def press(self) -> None:
        """Close the clutch."""
        raise NotImplementedError

    async def release(self) -> None:
        """Open it."""
        raise NotImplementedError

    async def move(self, robot_motion: ArrayLike) -> None:
        """Move the hand by this, as seen in the robot's frame [m], (3,)."""
        raise NotImplementedError

    async def reach(
        self,
        goal: ArrayLike,
        *,
        near_m: float = 0.006,
        enough: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """Lead the arm there [m], (3,), in the robot's frame, or until it is enough."""
        there = np.asarray(goal, float)
        async with asyncio.timeout(2 * PATIENCE_S):
            while True:
                if (await self.look()).tone != "engaged":
                    await self.engaged()
                left = there - np.array(self.world.arm().base_T_target[:3])
                far = float(np.linalg.norm(left))
                if far < near_m or (enough is not None and await enough()):
                    return
                await self.move(left * min(0.5, STEP_M / far))
                await asyncio.sleep(STEP_S)


class HeadsetOperator(Operator):
    """With two controllers; the right one drives."""

    async def enter(self) -> None:
        """Begin the session."""
        await self.page.get_by_role("button", name="Enter the scene").click()
        await expect(self.page.locator(".overlay")).to_have_attribute("data-session", "immersive-vr")

    async def button(self, name: str, value: float) -> None:
        """Of the right controller."""
        await self.page.evaluate(
            "([name, value]) => device.controllers.right.updateButtonValue(name, value)", [name, value]
        )

    async def press(self) -> None:
        await self.button("squeeze", 1)

    async def release(self) -> None:
        await self.button("squeeze", 0)

    async def move(self, robot_motion: ArrayLike) -> None:
        await self.page.evaluate(_MOVE, (ROBOT_R_ROOM.T @ np.asarray(robot_motion, float)).tolist())

    async def pulses(self) -> list[tuple[float, float]]:
        """What the controllers were made to do so far: intensity, milliseconds."""
        return [(each[0], each[1]) for each in await self.page.evaluate("pulses")]


@asynccontextmanager
async def headset(browser: Browser, world: Bench, link: str, size: tuple[int, int] = SMALL) -> AsyncIterator[HeadsetOperator]:
    """A headset that has opened this link."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]}, user_agent=_QUEST, reduced_motion="reduce"
    )
    assert _IWER.exists(), "the page's packages are not there: `make page` (npm ci) brings them"
    await context.add_init_script(_IWER.read_text() + _HEADSET_SCRIPT)
    async with _opened(context, link) as page:
        yield HeadsetOperator(page, world)


@asynccontextmanager
async def _opened(context: BrowserContext, link: str) -> AsyncIterator[Page]:
    """The page; what goes wrong in its scripts fails the test."""
    page = await context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    try:
        await page.goto(link)
        yield page
    finally:
        await context.close()
    assert broken == []
