"""Desks: keys, game-pad, space mouse; a camera that fails; and two people at once."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from resources.web.page_messages import FailureKind
from tests.pilothouse.operator_in_browser.desk import AtDesk, WithGamePad, WithSpaceMouse
from tests.pilothouse.operator_in_browser.scene import WINDOW, Act, Scene, holds, stands

pytestmark = pytest.mark.real

LIFTED_M = 0.02


def test_keys_without_a_camera_then_a_game_pad_and_a_space_mouse_drive_let_go_and_are_unplugged(
    act: Act,
) -> None:
    async def story(scene: Scene) -> None:
        async with scene.desk() as person:
            await person.takes_the_arm()
            await person.until(lambda seen: seen.camera == "")
            await person.picture(scene.pictures, "operator-desk", WINDOW)
            await scene.console.fail("bench_camera", FailureKind.HANG)
            try:
                await person.hears("no camera works")
                await person.until(lambda seen: "no camera" in seen.camera)
                await person.picture(scene.pictures, "operator-camera-silent", WINDOW)
                await person.lifts(LIFTED_M)
                await person.release()
            finally:
                await scene.console.restore("bench_camera")

            pad = WithGamePad(person.page, scene.world)
            await pad.press()  # any of its buttons chooses it
            await person.page.locator(".overlay[data-master='game-pad']").wait_for(state="attached")
            await _drives(pad)
            await pad.rises(LIFTED_M)
            await pad.page.evaluate("() => { pad.there = false; }")
            await pad.sees("No game-pad is there")
            await stands(scene.world)

            button = person.page.get_by_role("button", name="Space mouse")
            await button.dispatch_event("click")  # the window is so small that something covers it
            mouse = WithSpaceMouse(person.page, scene.world)
            await person.page.locator(".overlay[data-master='space mouse']").wait_for(state="attached")
            await _drives(mouse)
            await mouse.rises(LIFTED_M)
            await mouse.page.evaluate("mouse.unplug()")
            await mouse.sees("tracking was lost")
            await stands(scene.world)
            await person.until(lambda seen: seen.camera == "")

    act(story)


async def _drives(person: AtDesk) -> None:
    """Deflected it moves, let go it holds, with the clutch held and without it."""
    await person.lifts(LIFTED_M)
    await stands(person.world)
    await person.release()
    await person.until(lambda seen: seen.word == "Hold to move")
    await person.deflects()
    await holds(person.world, 0.2)
    await person.lets_go()


def test_one_drives_the_other_is_told_and_the_console_hands_over(act: Act) -> None:
    async def story(scene: Scene) -> None:
        world = scene.world
        async with scene.desk() as one, scene.desk() as other:
            await one.takes_the_arm()
            await one.lifts(LIFTED_M)
            await one.release()
            name, others = await one.connects(), await other.connects()
            await other.until(lambda seen: seen.holder == f"{name} drives")
            await other.say("let me drive")
            await other.hears(f"{name[0].upper()}{name[1:]} has the arm")
            await other.press()
            await other.until(lambda seen: "watching" in seen.status)
            await other.release()
            assert (await one.look()).holder == "you drive"

            # Nor does a stop give it to whoever has said it.
            await other.say("pause")
            await other.until(lambda seen: seen.holder == "nobody drives")
            await other.say("let me drive the arm")
            await other.hears("That did not work: let me drive")
            await other.until(lambda seen: seen.holder == "nobody drives")
            await one.say("carry on")
            await one.until(lambda seen: seen.holder == "you drive")
            # What would move with the driver's "carry on" stands on that button.
            await other.say("go home")
            await expect(
                one.page.get_by_text(f"Done: carry on, then “go home”, as {others} asked")
            ).to_be_visible()
            await other.say("cancel go home")
            await expect(one.page.get_by_text("Done: carry on", exact=True)).to_be_visible()

            await scene.console.hand_over(others)
            await one.sees(f"handed over to {others}")
            await other.until(lambda seen: seen.holder == "you drive" and seen.word == "Hold to move")
            await one.press()
            await one.deflects()
            await holds(world, 0.3)
            await other.lifts(LIFTED_M)

    act(story)
