"""The operator takes the arm, end to end: console, page, links, control loop and world, all of them real.

Headset and phone are emulated in a headless Chromium. With `--pictures FOLDER` the screenshots of the docs
are written there.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.async_api import Browser, BrowserContext, ViewportSize, expect

from resources.console.page_messages import FailureKind
from resources.types.motion import ArmSample
from tests.pilothouse.bench import Bench, bench
from tests.pilothouse.console_program import ConsoleProgram, console_program
from tests.pilothouse.people import GENTLE, ROBOT_R_ROOM, AtDesk, AtHeadset, Person, WithPhone, opened
from tests.resources.console.browser import DESK, chromium
from tests.resources.operator import emulated_devices

pytestmark = pytest.mark.real

DEADLINE_S = 90.0
PATIENCE_MS = 20_000.0
WINDOW: ViewportSize = {"width": DESK[0], "height": DESK[1]}
HEADSET: ViewportSize = {"width": 800, "height": 500}
SMALL: ViewportSize = {"width": 400, "height": 300}  # even an empty picture costs time
ACTIONS = Path(__file__).parents[1] / "scenarios" / "actions"
ABOVE_M = 0.15
TOUCHES_N = 10.0
STANDS_M_S = 0.01
HELD_M = 0.01  # an arm that holds stays within this
STOPPED_WITHIN_S = 0.4


class Scene:
    """One test's browser, beside the installation that all share."""

    def __init__(
        self, world: Bench, console: ConsoleProgram, browser: Browser, pictures: Path | None
    ) -> None:
        self.world = world
        self.console = console
        self.browser = browser
        self.pictures = pictures

    @asynccontextmanager
    async def headset(self, link: str = "") -> AsyncIterator[AtHeadset]:
        """Somebody who has opened the code's link in a headset, and is in the scene."""
        context = await emulated_devices.headset(self.browser)
        async with opened(context, link or await self.console.code()) as page:
            person = AtHeadset(page, self.world)
            await person.connects()
            await page.set_viewport_size(SMALL if self.pictures is None else HEADSET)
            await person.enters()  # its picture is as large as the window is now
            await page.set_viewport_size(SMALL)
            yield person

    @asynccontextmanager
    async def phone(self, *, has_xr: bool = True) -> AsyncIterator[WithPhone]:
        """Somebody who has opened it on a phone."""
        emulated = emulated_devices.android_phone if has_xr else emulated_devices.iphone
        context = await emulated(self.browser)
        async with opened(context, await self.console.code()) as page:
            person = WithPhone(page, self.world, await context.new_cdp_session(page))
            await person.connects()
            yield person

    @asynccontextmanager
    async def desk(self, link: str = "") -> AsyncIterator[AtDesk]:
        """Somebody who has opened it at a desk."""
        async with opened(await self.window(), link or await self.console.code()) as page:
            person = AtDesk(page, self.world)
            await person.connects()
            yield person

    async def window(self) -> BrowserContext:
        """A window at a desk, with cookies of its own."""
        return await self.browser.new_context(viewport=SMALL, reduced_motion="reduce")

    async def console_picture(self, name: str) -> None:
        """The console as it is now, for the docs."""
        if self.pictures is None:
            return
        async with opened(await self.window(), self.world.link) as page:
            await expect(page.locator(".operators")).not_to_have_text("Phone")
            await Person(page, self.world).picture(self.pictures, name, WINDOW)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One installation for all."""
    with bench(tmp_path_factory.mktemp("operator"), "--actions", str(ACTIONS)) as running:
        yield running


@pytest.fixture
def act(world: Bench, request: pytest.FixtureRequest) -> Callable[[Callable[[Scene], Awaitable[None]]], None]:
    """Plays a scene: it begins with the arm at home, and ends with nobody there and nothing running."""
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)

    async def play(story: Callable[[Scene], Awaitable[None]]) -> None:
        async with (
            asyncio.timeout(DEADLINE_S),
            console_program(world.running) as console,
            chromium() as browser,
        ):
            begun = len(console.events)
            await console.say("go home")
            await console.heard("Done: go home", since=begun)
            try:
                await story(Scene(world, console, browser, pictures))
            except AssertionError as error:
                error.add_note("events: " + "; ".join(console.events[-12:]))
                raise
            finally:
                await console.say("stop")
                for line in console.sessions:
                    await console.send_away(line["session"])
                await console.until(lambda: not console.sessions and not console.running)

    return lambda story: asyncio.run(play(story))


def _stood_from(samples: list[ArmSample]) -> float:
    """From when on the arm stood, by its own clock [s]; infinite if it did not."""
    moved = [each.time_s for each in samples if np.linalg.norm(each.tool_twist[:3]) > STANDS_M_S]
    if not moved:
        return samples[0].time_s
    return moved[-1] if moved[-1] < samples[-1].time_s else float("inf")


async def _holds(world: Bench, seconds: float) -> None:
    """The arm stays where it is for so long."""
    before = world.tool()
    samples = await world.arm_samples(seconds)
    away = max(float(np.linalg.norm(np.array(each.base_T_tool[:3]) - before)) for each in samples)
    assert away < HELD_M, f"it went {1000 * away:.0f} mm"


async def _is_driven(person: Person, robot_motion: tuple[float, float, float]) -> None:
    """The clutch is pressed, and the arm goes where the hand goes."""
    before = person.world.tool()
    await person.engages()
    await person.reaches(np.array(person.world.arm().base_T_target[:3]) + robot_motion)
    went = person.world.tool() - before
    assert went @ np.array(robot_motion) > 0.5 * np.dot(robot_motion, robot_motion), went


# ---------------------------------------------------------------- getting in


def test_a_code_lets_one_device_in_and_the_console_can_send_it_away(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        async with opened(await scene.window(), scene.world.link) as console:
            await console.get_by_role("button", name="Phone", exact=True).click()
            dialog = console.get_by_role("dialog", name="Phones and headsets")
            await expect(dialog.get_by_role("img", name="QR code")).to_be_visible(timeout=PATIENCE_MS)
            await Person(console, scene.world).picture(scene.pictures, "operator-code", WINDOW)
            link = await dialog.locator(".pairing-address").get_attribute("href")
            assert link is not None

            guess = re.sub("token=.*", "token=" + 22 * "A", link)
            async with opened(await scene.window(), guess) as page:
                seen = await Person(page, scene.world).until(lambda seen: seen.link == "refused")
                assert seen.word == "Not let in"

            async with scene.desk(link) as person:
                page = person.page
                name = await person.connects()
                assert "token" not in page.url, "where it could be read over a shoulder"
                await expect(dialog.locator(".operator", has_text=name)).to_contain_text("watches")
                async with opened(await scene.window(), link) as other:
                    await Person(other, scene.world).until(lambda seen: seen.link == "refused")

                await page.reload()
                assert await person.connects() == name, "its cookie is good"
                await dialog.get_by_role("button", name=f"Send {name} away").click()
                await person.until(lambda seen: seen.link == "refused")
                await person.sees("has ended this session|not paired")
                await page.reload()
                await person.until(lambda seen: seen.link == "refused")
                await expect(dialog.locator(".operator")).to_have_count(0)

    act(story)


# ---------------------------------------------------------------- driving


def test_a_headset_touches_the_block_feels_it_and_pushes_it(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.headset() as person:
            assert not world.arm().loop.engaged
            await person.say("let me drive")
            await person.until(lambda seen: seen.holder == "you drive")
            await scene.console.heard("drives the arm")
            await person.engages()
            await person.button("trigger", 1)  # with closed fingers
            await scene.console.heard("the gripper closes")
            await person.button("trigger", 0)

            x, y, z = world.block()
            await person.reaches((x, y, ABOVE_M))
            await person.reaches((x, y, z + 0.06))
            assert await person.pulses() == []
            await person.reaches((x, y, z - 0.02), enough="pulses.length > 0", speed=GENTLE)
            knocks = await person.pulses()
            assert all(0.0 < intensity <= 1.0 and ms > 0 for intensity, ms in knocks) and knocks
            if scene.pictures is not None:
                await person.leans_in(HEADSET)
                await person.picture(scene.pictures, "operator-headset", engaged=True)

            await person.reaches((x, y, ABOVE_M))
            x, y, z = world.block()
            await person.reaches((x, y + 0.11, ABOVE_M))
            await person.reaches((x, y + 0.11, z + 0.01))
            await person.reaches((x, y - 0.04, z + 0.01))
            pushed = world.block() - (x, y, z)
            assert pushed[1] < -0.02, pushed

    act(story)


def test_a_link_lost_with_the_clutch_held_stops_the_arm_until_it_is_pressed_anew(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        world, console = scene.world, scene.console
        async with scene.headset() as person:
            await person.takes_the_arm()
            await _swaying(person)

            (process,) = world.children("resources.operator")
            lost_s = world.arm().time_s
            os.kill(process, signal.SIGKILL)
            samples = await world.arm_samples(1.0)
            assert _stood_from(samples) - lost_s < STOPPED_WITHIN_S
            assert samples[-1].loop.engaged == 0
            await console.heard("is silent")
            await person.hears("No link")

            # The squeeze is still held, and the hand still moves.
            await person.until(lambda seen: seen.link == "connected" and seen.holder == "you drive")
            await console.heard("is back")
            await _holds(world, 0.5)
            await _swaying(person)

            # The person loads the page anew in the middle: the same session, its arm kept for it.
            (name,) = (line["name"] for line in console.sessions)
            lost_s = world.arm().time_s
            await person.page.reload()
            samples = await world.arm_samples(0.6)
            assert _stood_from(samples) - lost_s < 2 * STOPPED_WITHIN_S
            assert await person.connects() == name
            await person.enters()
            await person.until(lambda seen: seen.holder == "you drive")
            await _holds(world, 0.3)
            await _is_driven(person, (0.0, -0.05, 0.0))

    act(story)


async def _swaying(person: AtHeadset) -> None:
    """The clutch is pressed, the hand moves by itself, and the arm with it."""
    await person.sways((0.0, 0.12, 0.0))
    async with asyncio.timeout(DEADLINE_S):
        while not (person.world.arm().loop.engaged and _speed(person.world) > 5 * STANDS_M_S):
            if (await person.look()).tone != "engaged":
                await person.engages()
            await asyncio.sleep(0.01)


def _speed(world: Bench) -> float:
    return float(np.linalg.norm(world.arm().tool_twist[:3]))


def test_with_the_main_process_hanging_the_arm_stands_and_the_page_says_so(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.headset() as person:
            await person.takes_the_arm()
            await _swaying(person)
            with world.stopped():
                stopped_s = world.arm().time_s
                samples = await world.arm_samples(1.0)
                assert _stood_from(samples) - stopped_s < STOPPED_WITHIN_S
                assert "heartbeat" in samples[-1].loop.stopped
                await person.until(lambda seen: seen.tone == "stopped")
                await person.until(lambda seen: "main process" in seen.trouble)
                await _holds(world, 0.3)
            # It goes on, and nothing moves before the clutch was pressed anew.
            await person.until(lambda seen: seen.tone != "stopped" and "main process" not in seen.trouble)
            await _holds(world, 0.5)
            await _swaying(person)

    act(story)


# ---------------------------------------------------------------- with autonomy


def test_autonomy_goes_on_when_the_operator_says_so(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.headset() as person:
            await person.takes_the_arm()
            home = world.tool()
            await _is_driven(person, (0.08, 0.06, -0.15))
            await person.release()
            await person.say("carry on")
            await person.until(lambda seen: seen.holder == "nobody drives")
            await person.say("go home")
            async with asyncio.timeout(DEADLINE_S):
                while _speed(world) < 5 * STANDS_M_S:
                    await asyncio.sleep(0.01)

            # In the middle of it, the person takes over: it yields, and finishes when it may.
            await person.takes_the_arm()
            await _holds(world, 0.2)
            await _is_driven(person, (0.0, -0.05, 0.0))
            await person.release()
            assert np.linalg.norm(world.tool() - home) > 0.05
            await person.say("carry on")
            await person.hears("go home")
            async with asyncio.timeout(DEADLINE_S):
                while np.linalg.norm(world.tool() - home) > 0.02:
                    await asyncio.sleep(0.05)

    act(story)


def test_an_action_that_asks_for_help_is_helped_and_goes_on(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        async with scene.phone() as person:
            await person.enters()
            await person.say("fetch the teapot")
            question = person.page.locator(".question", has_text="I cannot grasp the teapot: take the arm?")
            await expect(question).to_be_visible()
            if scene.pictures is not None:
                await person.until(lambda seen: seen.camera == "")
            await person.picture(scene.pictures, "operator-asked")
            await person.takes_the_arm()
            await _is_driven(person, (0.0, 0.08, -0.05))
            await person.picture(scene.pictures, "operator-phone", engaged=True)
            await scene.console_picture("operator-console")
            await person.release()
            await person.say("carry on")
            await person.hears("going on with the teapot")
            await person.hears("the teapot is fetched")
            await expect(question).to_be_hidden()

    act(story)


# ---------------------------------------------------------------- other devices, other people


def test_a_phone_without_webxr_says_what_is_lost_and_drives_by_touch(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        async with scene.phone(has_xr=False) as person:
            page = person.page
            await page.get_by_role("button", name="More").tap()
            await expect(page.locator(".misses", has_text="Moving the phone")).to_contain_text("no WebXR")
            await expect(page.locator(".misses", has_text="Feeling")).to_contain_text("vibrate")
            await page.get_by_role("button", name="Close").tap()
            await page.get_by_role("button", name="Turn and touch").tap()
            await page.evaluate(
                """() => setInterval(() => dispatchEvent(new DeviceOrientationEvent("deviceorientation",
                { alpha: 0, beta: 60, gamma: 0 })), 16)"""
            )
            await person.takes_the_arm()
            before = scene.world.tool()
            async with asyncio.timeout(DEADLINE_S):
                while _along_right(scene.world, before) < 0.02:
                    if (await person.look()).tone != "engaged":
                        await person.leaves(".pad")
                        await person.engages()
                        await person.touches(".pad")
                    await person.slides(".pad", 4, 0)
                    await asyncio.sleep(0.02)
            await person.picture(scene.pictures, "operator-iphone", engaged=True)
            await person.leaves(".pad")
            await person.release()

    act(story)


def _along_right(world: Bench, before: np.ndarray) -> float:
    """How far the tool has gone to the operator's right [m]."""
    return float((world.tool() - before) @ ROBOT_R_ROOM[:, 0])


def test_one_drives_the_other_is_told_and_the_console_hands_over(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.desk() as one, scene.desk() as other:
            await one.takes_the_arm()
            await one.lifts(0.03)
            name, others = await one.connects(), await other.connects()
            await other.until(lambda seen: seen.holder == f"{name} drives")
            await other.say("let me drive")
            await other.hears(f"{name[0].upper()}{name[1:]} has the arm")
            await other.press()
            await other.until(lambda seen: "watching" in seen.status)
            await other.release()
            assert (await one.look()).holder == "you drive"

            await scene.console.hand_over(others)
            await one.sees(f"handed over to {others}")
            await other.until(lambda seen: seen.holder == "you drive" and seen.word == "Hold to move")
            await one.press()
            await one.page.keyboard.down("KeyQ")
            await _holds(world, 0.4)
            await other.lifts(0.03)

    act(story)


def test_without_a_camera_the_driver_is_told_and_drives_on(
    act: Callable[[Callable[[Scene], Awaitable[None]]], None],
) -> None:
    async def story(scene: Scene) -> None:
        async with scene.desk() as person:
            await person.takes_the_arm()
            await person.until(lambda seen: seen.camera == "")
            await person.picture(scene.pictures, "operator-desk", WINDOW)
            await scene.console.fail("bench_camera", FailureKind.HANG)
            try:
                await person.until(lambda seen: re.search(r"the cloud is .* old", seen.camera) is not None)
                await person.picture(scene.pictures, "operator-camera-silent", WINDOW)
                await scene.console.fail("bench_camera", FailureKind.DIE)
                await person.hears("no camera works")
                await person.until(lambda seen: "no camera" in seen.camera)
                await person.lifts(0.03)
            finally:
                await scene.console.restore("bench_camera")
            await person.until(lambda seen: seen.camera == "")

    act(story)
