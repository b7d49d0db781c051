"""People who drive in browser tests: scripted, with an emulated headset or phone, or at a desk.

They see: before each motion of the hand a person looks at what the page says of the clutch, as people do,
lets go and presses anew when it has opened, and moves the hand until the target is where it should be. So
nothing here counts on how fast anything is drawn.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray
from playwright.async_api import BrowserContext, CDPSession, Page, ViewportSize, expect

from tests.pilothouse.bench import Bench

PATIENCE_S = 20.0
STEP_S = 0.03
AHEAD_M = 0.03  # the hand goes so far, at most, before the person has to look again
BRISK, GENTLE = 0.2, 0.05  # of the hand [m/s]
_NEAR_M = 0.006

#: Drawing without a graphics card takes a whole core: nothing is drawn but for pictures that are wanted.
_DARK = """
globalThis.dark = true;
for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...given) {
    if (dark) return;
    draw.apply(this, given);
    globalThis.drawn = true;
  };
}
"""
_DRAWN = """() => new Promise((done) => {
  let left = 5;
  const next = () => (globalThis.drawn && (left -= 1) <= 0 ? done() : requestAnimationFrame(next));
  next();
})"""
_FELT = """() => {
  globalThis.pulses = [];
  for (const { inputSource } of Object.values(device.controllers)) {
    for (const actuator of inputSource.gamepad.hapticActuators) {
      actuator.pulse = async (intensity, ms) => { pulses.push([intensity, ms]); return true; };
    }
  }
}"""
_LOOK = """() => {
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const { tone, link } = document.querySelector(".overlay").dataset;
  return { tone, link, word: text(".clutch-word"), status: text(".status"), holder: text(".holder"),
    trouble: text(".trouble"), camera: text(".camera-words") };
}"""
#: What is held glides on by this, at this speed, and rests there: no person's hand jumps.
_GLIDE = """([held, [x, y, z], speed]) => {
  const at = held === "phone" ? device.position : device.controllers.right.position;
  globalThis.goal = [at.x + x, at.y + y, at.z + z];
  globalThis.speed = speed;
  clearInterval(globalThis.swaying);
  if (globalThis.gliding !== undefined) return;
  let last = performance.now();
  globalThis.gliding = setInterval(() => {
    const now = performance.now(), step = globalThis.speed * Math.min((now - last) / 1000, 0.02);
    last = now;
    const left = [goal[0] - at.x, goal[1] - at.y, goal[2] - at.z], far = Math.hypot(...left);
    const share = far > step ? step / far : 1;
    at.set(at.x + share * left[0], at.y + share * left[1], at.z + share * left[2]);
  }, 4);
}"""
_LEAN_IN = """() => {
  device.stereoEnabled = false;
  device.position.set(0.15, 1.2, -1);
  device.quaternion.set(-0.13, 0, 0, 0.9915);
}"""
#: To and fro by itself, so that it also moves while the test does something else.
_SWAY = """([x, y, z]) => {
  const at = device.controllers.right.position, from = [at.x, at.y, at.z], began = performance.now();
  clearInterval(globalThis.gliding);
  delete globalThis.gliding;
  clearInterval(globalThis.swaying);
  globalThis.swaying = setInterval(() => {
    const share = (1 - Math.cos((performance.now() - began) / 400)) / 2;
    at.set(from[0] + share * x, from[1] + share * y, from[2] + share * z);
  }, 10);
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

    async def move(self, robot_motion: ArrayLike, speed: float) -> None:
        """Let the hand glide by this, as seen in the robot's frame [m], (3,), at this speed [m/s]."""
        raise NotImplementedError

    async def reaches(self, goal: ArrayLike, *, enough: str = "false", speed: float = BRISK) -> None:
        """Lead the arm there [m], (3,), in the robot's frame, or until it is enough, as the page says."""
        there = np.asarray(goal, float)
        async with asyncio.timeout(2 * PATIENCE_S):
            while True:
                if (await self.look()).tone != "engaged":
                    await self.engages()
                left = there - np.array(self.world.arm().base_T_target[:3])
                far = float(np.linalg.norm(left))
                if far < _NEAR_M or await self.page.evaluate(enough):
                    return
                await self.move(left * min(0.7, AHEAD_M / far), speed)
                await asyncio.sleep(STEP_S)

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


class AtHeadset(Person):
    """Somebody who wears a headset and holds two controllers; the right one drives."""

    async def enters(self) -> None:
        """Begin the session; what the controllers are made to do is noted from now on."""
        await self.page.get_by_role("button", name="Enter the scene").click()
        await expect(self.page.locator(".overlay")).to_have_attribute("data-session", "immersive-vr")
        await self.page.evaluate(_FELT)

    async def button(self, name: str, value: float) -> None:
        """Of the right controller."""
        await self.page.evaluate(
            "([name, value]) => device.controllers.right.updateButtonValue(name, value)", [name, value]
        )

    async def press(self) -> None:
        await self.button("squeeze", 1)

    async def release(self) -> None:
        await self.button("squeeze", 0)

    async def move(self, robot_motion: ArrayLike, speed: float) -> None:
        await self.page.evaluate(_GLIDE, ["controller", _in_room(robot_motion), speed])

    async def sways(self, robot_motion: ArrayLike) -> None:
        """Move the hand to and fro by this, for ever."""
        await self.page.evaluate(_SWAY, _in_room(robot_motion))

    async def leans_in(self, size: ViewportSize) -> None:
        """Look at the tool from nearby, with one eye, in a window of this size."""
        await self.page.set_viewport_size(size)
        await self.page.evaluate(_LEAN_IN)

    async def pulses(self) -> list[tuple[float, float]]:
        """What the controllers were made to do so far: intensity, milliseconds."""
        return [(each[0], each[1]) for each in await self.page.evaluate("pulses")]


class WithPhone(Person):
    """Somebody who holds a phone; a thumb on the clutch, another finger where it is wanted."""

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

    async def move(self, robot_motion: ArrayLike, speed: float) -> None:
        await self.page.evaluate(_GLIDE, ["phone", _in_room(robot_motion), speed])

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

    async def _tell(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(self._down.values())]
        await self._fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


class AtDesk(Person):
    """Somebody with a keyboard."""

    async def press(self) -> None:
        await self.page.keyboard.down("Space")

    async def release(self) -> None:
        await self.page.keyboard.up("Space")

    async def lifts(self, height_m: float) -> None:
        """Drive the arm up by this."""
        goal = self.world.tool()[2] + height_m
        async with asyncio.timeout(PATIENCE_S):
            while self.world.tool()[2] < goal:
                if (await self.look()).tone != "engaged":
                    await self.page.keyboard.up("KeyE")
                    await self.engages()
                    await self.page.keyboard.down("KeyE")
                await asyncio.sleep(STEP_S)
        await self.page.keyboard.up("KeyE")
        await self.release()


@asynccontextmanager
async def opened(context: BrowserContext, link: str) -> AsyncIterator[Page]:
    """A page of this device; what goes wrong in its scripts fails the test."""
    await context.add_init_script(_DARK)
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


def _in_room(robot_motion: ArrayLike) -> list[float]:
    in_room: list[float] = (ROBOT_R_ROOM.T @ np.asarray(robot_motion, float)).tolist()
    return in_room
