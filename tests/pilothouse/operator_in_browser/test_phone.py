"""A phone: with AR, helping an action that asks for it; and one that has neither AR nor a motor."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.async_api import expect

from tests.pilothouse.bench import Bench
from tests.pilothouse.operator_in_browser.person import CAREFUL, ROBOT_R_ROOM
from tests.pilothouse.operator_in_browser.phone import WithPhone
from tests.pilothouse.operator_in_browser.scene import ABOVE_M, DEADLINE_S, Act, Scene, holds

pytestmark = pytest.mark.real

BESIDE_M = 0.11


def test_an_action_that_asks_for_help_is_helped_and_goes_on_and_what_is_touched_is_felt(act: Act) -> None:
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
            await _presses_and_feels_it(person, scene)
            await person.release()
            await person.say("carry on")
            await person.hears("going on with the teapot")
            await person.hears("the teapot is fetched")
            await expect(question).to_be_hidden()

    act(story)


async def _presses_and_feels_it(person: WithPhone, scene: Scene) -> None:
    """On the table: first a knock, then on and off, longer on when harder; with the arrow in the picture."""
    x, y, z = scene.world.block()
    await person.reaches((x, y + BESIDE_M, ABOVE_M))
    await person.picture(scene.pictures, "operator-phone", engaged=True)
    await scene.console_picture("operator-console")
    await person.reaches((x, y + BESIDE_M, z + 0.04), CAREFUL)
    assert await person.buzzes() == []
    arrow = (await person.presses(person.pressure)).longest
    assert arrow is not None
    assert abs(arrow.across) < 0.4 and abs(arrow.up) < 0.6, "it is in the picture"
    knock = (await person.buzzes())[0][0]
    assert 20 <= knock <= 70
    await person.reaches((x, y + BESIDE_M, ABOVE_M))
    assert (await person.buzzes())[-1] == [0], "it is switched off at once"


def test_one_without_webxr_says_what_is_lost_and_drives_by_touch(act: Act) -> None:
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

            # A stop is taken back by a tap and a yes, and nothing moves by that.
            await page.locator(".stop").dispatch_event("pointerdown")
            await person.until(lambda seen: seen.tone == "stopped")
            await page.get_by_role("button", name="Reset the stop").tap()
            question = page.locator(".question", has_text="Take back the emergency stop")
            assert (await person.look()).tone == "stopped", "it is not taken back before it is confirmed"
            await question.get_by_role("button", name="Yes").tap()
            await person.until(lambda seen: seen.tone == "idle" and seen.holder == "nobody drives")
            await holds(scene.world, 0.5)

    act(story)


def _along_right(world: Bench, before: NDArray[np.float64]) -> float:
    """How far the tool has gone to the operator's right [m]."""
    return float((world.tool() - before) @ ROBOT_R_ROOM[:, 0])
