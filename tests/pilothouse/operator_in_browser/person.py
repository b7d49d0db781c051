"""A person who drives in a browser test: scripted, and seeing.

Before each motion of the hand a person looks at what the page says of the clutch, as people do, lets go and
presses anew when it has opened, and moves the hand until the target is where it should be. So nothing here
counts on how fast anything is drawn. What they hold: `headset.py`, `phone.py`, `desk.py`.
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
from playwright.async_api import BrowserContext, Page, ViewportSize, expect

from tests.pilothouse.bench import Bench
from tests.pilothouse.operator_in_browser.drawn import SPY, Drawn, begin, end, so_far

PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong
STEP_S = 0.03
AHEAD_M = 0.05  # the hand goes so far, at most, before the person has to look again
BRISK, CAREFUL, PRESSING, GENTLE = 0.4, 0.15, 0.12, 0.06  # of the hand [m/s]
SLOWS_PER_S = 4.0
LASTS = 3  # of what is felt while something is pressed, more than a moment's
LIGHT_N, HARD_N = 14.0, 21.0  # contacts begin at 10, the arm's spring gives 30
_NEAR_M = 0.006

_DRAWN = """() => new Promise((done) => {
  let left = 5;
  const next = () => (globalThis.drawn && (left -= 1) <= 0 ? done() : requestAnimationFrame(next));
  next();
})"""
_LOOK = """() => {
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const { tone, link } = document.querySelector(".overlay").dataset;
  return { tone, link, word: text(".clutch-word"), status: text(".status"), holder: text(".holder"),
    trouble: text(".trouble"), camera: text(".camera-words") };
}"""
#: What is held glides on by this, at this speed, and rests there: no person's hand jumps.
_GLIDE = """([held, [x, y, z], speed]) => {
  const at = {
    phone: () => device,
    controller: () => device.controllers.right,
    hand: () => device.hands.right,
  }[held]().position;
  globalThis.goal = [at.x + x, at.y + y, at.z + z];
  globalThis.speed = speed;
  clearInterval(globalThis.swaying);
  if (globalThis.glides === at) return;
  clearInterval(globalThis.gliding);
  globalThis.glides = at;
  let last = performance.now();
  globalThis.gliding = setInterval(() => {
    const now = performance.now(), step = globalThis.speed * Math.min((now - last) / 1000, 0.02);
    last = now;
    const left = [goal[0] - at.x, goal[1] - at.y, goal[2] - at.z], far = Math.hypot(...left);
    const share = far > step ? step / far : 1;
    at.set(at.x + share * left[0], at.y + share * left[1], at.z + share * left[2]);
  }, 4);
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


class Person:
    """Somebody with the operator's page open."""

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

    async def connects(self) -> str:
        """Wait until the link is up; what everybody calls this session."""
        await self.until(lambda seen: seen.link == "connected")
        await expect(self.page.locator(".who .name")).not_to_have_text("Pilothouse")
        return str(await self.page.locator(".who .name").text_content())

    async def say(self, text: str) -> None:
        """Type an instruction."""
        if not await self.page.locator(".instruction").is_visible():
            await self.page.locator(".say").dispatch_event("click")
        await self.page.fill(".instruction", text)
        await self.page.press(".instruction", "Enter")

    async def hears(self, words: str) -> None:
        """Wait until a line of the page's log says this."""
        line = self.page.locator(".log .note", has_text=words)
        await expect(line.last).to_be_attached(timeout=1000 * PATIENCE_S)

    async def takes_the_arm(self) -> None:
        """Say the words, and wait until the clutch may be pressed."""
        await self.say("let me drive")
        await self.until(lambda seen: seen.holder == "you drive" and seen.word == "Hold to move")

    async def engages(self) -> None:
        """Press the clutch, anew if it was held, until the arm follows."""
        opened: list[str] = []
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await self.release()
                    await self.until(lambda seen: seen.word == "Hold to move")
                    await self.press()
                    seen = await self.until(lambda seen: seen.word not in ("Hold to move", "One moment"))
                    if seen.tone == "engaged":
                        return
                    opened.append(seen.status)
        except TimeoutError:
            raise AssertionError(f"the clutch did not stay closed: {opened}") from None

    async def press(self) -> None:
        """Close the clutch."""
        raise NotImplementedError

    async def release(self) -> None:
        """Open it."""
        raise NotImplementedError

    held = "phone"
    """What moves with the hand: `phone`, `controller` or `hand`."""

    async def move(self, robot_motion: ArrayLike, speed: float) -> None:
        """Let the hand glide by this, as seen in the robot's frame [m], (3,), at this speed [m/s]."""
        await self.page.evaluate(_GLIDE, [self.held, in_room(robot_motion), speed])

    async def reaches(self, goal: ArrayLike, speed: float = BRISK) -> None:
        """Lead the arm there [m], (3,), in the robot's frame, with a hand of this speed [m/s]."""
        there = np.asarray(goal, float)
        async with asyncio.timeout(2 * PATIENCE_S):
            while True:
                if (await self.look()).tone != "engaged":
                    await self.engages()
                left = there - np.array(self.world.arm().base_T_target[:3])
                far = float(np.linalg.norm(left))
                if far < _NEAR_M:
                    return
                near = max(CAREFUL, SLOWS_PER_S * far)  # the arm is behind the hand: who hurries goes too far
                await self.move(left * min(0.7, AHEAD_M / far), min(speed, near))
                await asyncio.sleep(STEP_S)

    async def presses(self, strengths: Callable[[], Awaitable[list[float]]]) -> Drawn:
        """Press down until the arrow has grown from light to hard, and so has what is felt; what was drawn.

        strengths: of what was felt so far while it pressed, one after the other.
        """
        felt: list[float] = []
        drawn = None
        await begin(self.page)
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    drawn, felt = await so_far(self.page), await strengths()
                    if drawn.has_arrow_grown(LIGHT_N, HARD_N) and _has_grown(felt):
                        return drawn
                    if (await self.look()).tone != "engaged":
                        await self.engages()
                    await self.move((0.0, 0.0, -AHEAD_M), PRESSING if felt else GENTLE)
                    await asyncio.sleep(STEP_S)
        except TimeoutError:
            raise AssertionError(
                f"pressing was not felt to grow: {drawn and (drawn.least, drawn.longest)}, {felt}"
            ) from None
        finally:
            await end(self.page)

    async def picture(
        self, folder: Path | None, name: str, size: ViewportSize | None = None, *, engaged: bool = False
    ) -> None:
        """For the docs, if wanted: with everything drawn, this large, and if need be while driving."""
        while folder is not None:
            if engaged and (await self.look()).tone != "engaged":
                await self.engages()
            await self.page.evaluate("dark = false, drawn = false")
            before = self.page.viewport_size
            if size is not None:
                await self.page.set_viewport_size(size)
            await self.page.evaluate(_DRAWN)
            png = await self.page.screenshot()
            is_good = not engaged or (await self.look()).tone == "engaged"
            await self.page.evaluate("dark = true")
            if size is not None and before is not None:
                await self.page.set_viewport_size(before)
            if is_good:
                (folder / f"{name}.png").write_bytes(png)
                return


@asynccontextmanager
async def opened(context: BrowserContext, link: str) -> AsyncIterator[Page]:
    """A page of this device; what goes wrong in its scripts fails the test."""
    await context.add_init_script(SPY)
    page = await context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    try:
        await page.goto(link)
        yield page
    except Exception as error:
        error.add_note("its log: " + "; ".join(await page.locator(".log .note").all_text_contents()))
        raise
    finally:
        await context.close()
    assert broken == []


def _has_grown(strengths: list[float]) -> bool:
    """For more than a moment, and in the end harder than at the lightest."""
    return len(strengths) > LASTS and max(strengths[strengths.index(min(strengths)) :]) > 1.3 * min(strengths)


def in_room(robot_motion: ArrayLike) -> list[float]:
    in_room: list[float] = (ROBOT_R_ROOM.T @ np.asarray(robot_motion, float)).tolist()
    return in_room
