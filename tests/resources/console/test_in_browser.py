"""The page in a real browser against the real server: what an operator sees, types and presses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from playwright.async_api import Browser, Page, expect

from resources.console.backend import Topic
from resources.console.server import ConsoleServer
from resources.web.protocol import AwayOperator, DeviceState, Emergency, OperatorLine, Operators, Scene
from tests.resources.console.browser import DESK, PHONE, WIDE, chromium, opened, pixels, until
from tests.resources.console.desk import TOKEN, Desk, Driver, desk_in
from tests.resources.console.scripted import (
    DEVICES,
    GRAPH,
    SMALL_SCENE,
    TREE,
    ScriptedBackend,
    large_graph,
    shown,
)

SCENE = ".scene-canvas"


async def share_of(page: Page, wanted: Callable[[np.ndarray], np.ndarray]) -> float:
    """Which part of the scene's pixels looks as wanted; it gets (h, w, 3) integers."""
    return float(wanted((await pixels(page, SCENE)).astype(int)).mean())


async def rows_of(page: Page) -> float:
    """Over which part of the scene's height the robot reaches."""
    rows = is_yellow((await pixels(page, SCENE)).astype(int)).any(axis=1)
    return float(rows.mean())


def is_magenta(rgb: np.ndarray) -> np.ndarray:
    return (rgb[..., 0] > 200) & (rgb[..., 1] < 60) & (rgb[..., 2] > 200)


def is_yellow(rgb: np.ndarray) -> np.ndarray:
    return (rgb[..., 0] > 120) & (rgb[..., 2] < rgb[..., 0] // 2) & (rgb[..., 1] > rgb[..., 0] // 2)


def test_everything_that_goes_on_is_seen(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            assert "token" not in page.url

            async def robot_is_there() -> bool:
                return await share_of(page, is_yellow) > 0.002

            await until(robot_is_there)
            await expect(page.get_by_text("Nothing is shown yet")).to_be_hidden()  # the robot is something
            assert await share_of(page, is_magenta) == 0

            desk.backend.views_, desk.backend.trees_, desk.backend.graph_ = shown(), TREE, GRAPH
            for topic in (Topic.VIEWS, Topic.TREES, Topic.GRAPH):
                desk.server.changed(topic)
            desk.server.event(desk.backend.line("started", "Showing the environment with front_camera."))
            picture = np.zeros((48, 85, 3), np.uint8)
            picture[...] = (0, 200, 0)
            jpeg = bytes(cv2.imencode(".jpg", picture)[1])

            async def cloud_is_there() -> bool:
                desk.put_cloud(jpeg)  # again and again, as a sensor does: what stops turns grey
                return await share_of(page, is_magenta) > 0.02

            await until(cloud_is_there)
            await expect(page.locator(".view")).to_contain_text("Front camera")

            async def picture_is_there() -> bool:
                desk.put_cloud(jpeg)
                rgb = (await pixels(page, ".picture canvas")).astype(int)
                return bool((rgb[..., 1] > 150).mean() > 0.9 and (rgb[..., 0] < 60).mean() > 0.9)

            await until(picture_is_there)

            await expect(page.locator(".plan-text")).to_have_text("“show the environment”")
            action = page.locator(".node", has_text="show environment")
            await expect(action).to_have_attribute("data-state", "ready")
            await expect(action).to_contain_text("showing front_camera")
            await expect(action.locator("progress")).to_be_hidden()
            under_way = page.locator(".node", has_text="moving the arm home")
            await expect(under_way.locator(".state")).to_have_text("running 40 %")
            assert await under_way.locator("progress").evaluate("bar => [bar.value, bar.clientHeight]") == [
                40,
                3,
            ]

            assert await page.locator(".box").count() == len(GRAPH.resources) + 1
            assert await page.locator(".edge").count() == 6
            retrying = page.locator(".box[data-state='retrying']")
            await expect(retrying).to_contain_text("Device · retrying")
            await retrying.click()
            await expect(page.locator(".graph-detail")).to_contain_text("its process died")
            await page.get_by_role("button", name="Retry now").click()
            await expect(page.locator(".line").last).to_contain_text("Showing the environment")

            async def tried_again() -> bool:
                return desk.backend.asked == ["console page 1: retry sensor_manager/2"]

            await until(tried_again)

    drive(tmp_path, scenario)


def test_where_nothing_is_seen_it_is_said_what_to_do(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.scene_, desk.backend.feeds_ = Scene(), {}
        async with opened(browser, desk.server.url) as page:
            await expect(page.get_by_text("Nothing is shown yet. Type: show the environment")).to_be_visible()

    drive(tmp_path, scenario)


def test_the_robot_fills_the_picture_wherever_it_stands_and_the_view_is_the_viewers(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.scene_ = SMALL_SCENE
        async with opened(browser, desk.server.url) as page:

            async def is_large() -> bool:
                return await rows_of(page) > 0.5

            async def is_small() -> bool:
                return 0 < await rows_of(page) < 0.4

            async def is_gone() -> bool:
                return await rows_of(page) == 0

            async def is_there() -> bool:
                return await rows_of(page) > 0

            await until(is_large)
            await page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
            await until(is_large)
            await page.locator(SCENE).hover()
            for _ in range(8):
                await page.mouse.wheel(0, 400)
            await until(is_small)
            # Nobody is taken away from where he looks: not by a window of another size, not by a new scene.
            await page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
            desk.server.changed(Topic.SCENE)
            await until(is_gone)
            desk.put_bodies()
            await until(is_there)
            assert await is_small()
            await page.get_by_role("button", name="Reset view").click()
            await until(is_large)

    drive(tmp_path, scenario)


def test_samples_that_stop_turn_grey_and_say_their_age(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.views_ = shown()
        desk.put_cloud()
        async with opened(browser, desk.server.url) as page:

            async def is_stale() -> bool:
                return await page.locator(".view").get_attribute("data-state") == "stale"

            await until(is_stale)
            await expect(page.locator(".view-age")).to_contain_text("ago")
            assert await share_of(page, is_magenta) == 0

            async def is_live_again() -> bool:
                desk.put_cloud()
                return await share_of(page, is_magenta) > 0.02

            await until(is_live_again)

    drive(tmp_path, scenario)


def test_an_instruction_goes_there_and_its_answer_comes_back(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            box = page.get_by_role("combobox", name="Instruction")
            await box.fill("raise")
            await box.press("Enter")
            await expect(page.locator(".line").last).to_contain_text("try: show the environment")
            await expect(box).to_have_value("")
            await box.fill("<img src=x onerror=alert(1)>")
            await box.press("Enter")

            async def arrived() -> bool:
                return len(desk.backend.asked) == 2

            await until(arrived)
            assert desk.backend.asked[1] == "console page 1: say <img src=x onerror=alert(1)>"
            desk.server.event(desk.backend.events[-1])
            await expect(page.locator(".line").last).to_contain_text("onerror")  # as text, never as markup
            assert await page.locator(".line img").count() == 0
            for key, value in (
                ("ArrowUp", "<img src=x onerror=alert(1)>"),
                ("ArrowUp", "raise"),
                ("ArrowUp", "raise"),
                ("ArrowDown", "<img src=x onerror=alert(1)>"),
                ("ArrowDown", ""),
            ):
                await box.press(key)
                await expect(box).to_have_value(value)

    drive(tmp_path, scenario)


@pytest.mark.parametrize("way", ["button", "escape twice"])
def test_stop_and_its_confirmed_reset(tmp_path: Path, drive: Driver, way: str) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            if way == "button":
                await page.get_by_role("button", name="Emergency stop").click()
            else:
                await page.get_by_role("combobox", name="Instruction").press("Escape")
                assert desk.backend.asked == []
                await page.keyboard.press("Escape")

            async def stopped() -> bool:
                return desk.backend.asked == ["console page 1: stop"]

            await until(stopped)
            desk.server.changed(Topic.EMERGENCY)
            await expect(page.get_by_role("alert")).to_contain_text("stopped by console page 1")

            await page.get_by_role("button", name="Reset…").click()
            await page.get_by_role("button", name="Keep it stopped").click()
            await expect(page.get_by_role("dialog")).to_be_hidden()
            assert len(desk.backend.asked) == 1
            await page.get_by_role("button", name="Reset…").click()
            await page.get_by_role("button", name="Reset the stop").click()
            await expect(page.get_by_role("dialog")).to_be_hidden()
            assert desk.backend.asked[1:] == ["console page 1: reset"]
            desk.server.changed(Topic.EMERGENCY)
            await expect(page.get_by_role("alert")).to_be_hidden()

    drive(tmp_path, scenario)


def test_devices_fail_and_come_back(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            device = page.locator("[data-device=front_camera]")
            for name, how in (("Die", "die"), ("Hang", "hang"), ("Garbage", "garbage")):
                await device.get_by_text(name).click()
                expected = f"console page 1: fail front_camera {how}"

                async def failed(expected: str = expected) -> bool:
                    return expected in desk.backend.asked

                await until(failed)
            await expect(device.get_by_text("Reflex")).to_be_hidden()
            device_now = msgspec.structs.replace(desk.backend.devices_.devices[0], injected="die")
            desk.backend.devices_ = msgspec.structs.replace(desk.backend.devices_, devices=(device_now,))
            desk.server.changed(Topic.DEVICES)
            await device.get_by_role("button", name="Restore").click()

            async def restored() -> bool:
                return desk.backend.asked[-1] == "console page 1: restore front_camera"

            await until(restored)
            await expect(device.get_by_text("Die")).to_be_hidden()

    drive(tmp_path, scenario)


def test_phone_lets_the_next_one_in_also_while_somebody_drives_and_who_was_in_is_revoked(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.operators_ = Operators(
            serving=True,
            sessions=(OperatorLine("7f", "phone 1", "phone", alive=True, driving=True),),
            away=(AwayOperator("headset 1", "headset"),),
        )
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            await expect(page.locator(".operators-driver")).to_have_text("phone 1 drives")
            await page.get_by_role("button", name="Phone", exact=True).click()
            dialog = page.get_by_role("dialog", name="Phones and headsets")
            await dialog.get_by_role("button", name="Revoke headset 1").click()

            async def arrived() -> bool:
                return "console page 1: end headset 1" in desk.backend.asked

            await until(arrived)
            desk.backend.operators_ = Operators(serving=True)
            desk.server.changed(Topic.OPERATORS)
            await expect(dialog.get_by_text("May come back without a code")).to_be_hidden()
            await expect(page.locator(".operators-driver")).to_be_hidden()

    drive(tmp_path, scenario)


def test_only_an_arm_has_reflexes_and_its_fault_is_read_in_full(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.devices_ = DEVICES
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_role("button", name="protect itself")).to_have_count(2)
            arm = page.locator("[data-device=left_arm]")
            await arm.get_by_text("Reflex").click()

            async def failed() -> bool:
                return desk.backend.asked == ["console page 1: fail left_arm reflex"]

            await until(failed)
            words = 'reflex: it had hit something; say "recover the left arm"'
            hurt = [
                msgspec.structs.replace(each, state=DeviceState.FAILED, words=words)
                if each.name == "left_arm"
                else each
                for each in DEVICES.devices
            ]
            desk.backend.devices_ = msgspec.structs.replace(DEVICES, devices=tuple(hurt))
            desk.server.changed(Topic.DEVICES)
            await expect(arm).to_have_attribute("data-state", "failed")
            await expect(arm).to_have_attribute("title", words)
            await expect(arm.locator(".device-words")).to_be_in_viewport(ratio=0.99)

    drive(tmp_path, scenario)


def test_at_a_desk_all_that_is_needed_to_drive_is_there_without_scrolling(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.devices_, desk.backend.trees_ = DEVICES, TREE
        async with opened(browser, desk.server.url, DESK, dark=True) as page:
            await expect(page.locator(".device")).to_have_count(len(DEVICES.devices))
            needed = [
                page.get_by_role("button", name="Emergency stop"),
                page.get_by_role("combobox", name="Instruction"),
                page.locator(".hints .chip").first,
                page.locator(SCENE),
                page.locator(".node").last,
                *await page.locator(".device").all(),
            ]
            for locator in needed:
                await expect(locator).to_be_in_viewport(ratio=0.99)
            height = await page.locator(SCENE).evaluate("scene => scene.clientHeight")
            assert height > DESK[1] / 2

    drive(tmp_path, scenario)


def test_the_page_comes_back_after_a_restart_and_sends_the_stop_it_owes(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            desk.server.event(desk.backend.line("heard", "of the first run"))
            await expect(page.locator(".line")).to_have_count(1)
            await desk.server.__aexit__(None, None, None)
            await expect(page.locator(".link")).to_contain_text("Connection lost")
            await page.get_by_role("button", name="Emergency stop").click()
            await expect(page.get_by_role("alert")).to_contain_text(
                "NOT confirmed: use the robot's own button"
            )

            again = ScriptedBackend()
            again.run = "run-2"
            again.line("heard", "of the second run")
            async with ConsoleServer(again, port=desk.server.port, token=TOKEN) as server:
                await expect(page.locator(".link")).to_contain_text("Connected")
                await expect(page.locator(".line-text")).to_have_text("of the second run")

                async def stopped() -> bool:
                    return again.asked == ["console page 1: stop"]

                await until(stopped)
                server.changed(Topic.EMERGENCY)
                await expect(page.get_by_role("alert")).to_contain_text("stopped by")

    drive(tmp_path, scenario)


@pytest.mark.parametrize("fragment", ["", "#token=guessed"])
def test_without_the_token_the_page_says_what_to_do(tmp_path: Path, drive: Driver, fragment: str) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.address + fragment, dark=True) as page:
            await expect(page.locator(".link")).to_contain_text(
                "open the address that pilothouse run printed"
            )
            assert desk.server.pages == 0

    drive(tmp_path, scenario)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
def test_everything_needed_is_on_the_screen(tmp_path: Path, drive: Driver, size: tuple[int, int]) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.trees_, desk.backend.graph_, desk.backend.views_ = TREE, GRAPH, shown()
        desk.backend.emergency_ = Emergency(True, "stopped by a test of long words " * 3)
        desk.put_cloud()
        async with opened(browser, desk.server.url, size, dark=True) as page:
            await expect(page.get_by_text("Connected")).to_be_visible()
            for locator in (
                page.get_by_role("button", name="Emergency stop"),
                page.get_by_role("button", name="Reset…"),
                page.get_by_role("combobox", name="Instruction"),
                page.locator(SCENE),
                page.locator(".view"),
            ):
                await expect(locator).to_be_in_viewport(ratio=0.99)
            for name in ("Actions", "Resources", "Devices", "Log"):
                if size == PHONE:
                    await page.get_by_role("tab", name=name).tap()
                await expect(page.get_by_role("region", name=name)).to_be_in_viewport(ratio=0.99)
            whole = await page.evaluate("[document.body.scrollWidth, document.body.scrollHeight]")
            assert whole == list(size)

    drive(tmp_path, scenario)


def test_a_large_graph_is_laid_out_without_overlaps_and_the_same_each_time(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.graph_ = large_graph()
        places = []
        for _ in range(2):
            async with opened(browser, desk.server.url, dark=True) as page:
                await expect(page.locator(".box")).to_have_count(len(desk.backend.graph_.resources) + 2)
                found = await page.locator(".box").evaluate_all(
                    "all => all.map(box => [box.dataset.id, box.getAttribute('transform')])"
                )
                boxes = await page.locator(".box > rect:first-of-type").evaluate_all(
                    "all => all.map(box => box.getBoundingClientRect().toJSON())"
                )
                places.append(sorted(map(tuple, found)))
                heights = await page.locator(".box-name").first.evaluate(
                    "text => text.getBoundingClientRect().height"
                )
                assert heights >= 9  # [px]: to be read
        assert places[0] == places[1]
        for number, one in enumerate(boxes):
            for other in boxes[number + 1 :]:
                apart = (
                    one["right"] <= other["left"]
                    or other["right"] <= one["left"]
                    or one["bottom"] <= other["top"]
                    or other["bottom"] <= one["top"]
                )
                assert apart, (one, other)

    drive(tmp_path, scenario)


def test_without_three_dimensions_the_rest_of_the_page_works(tmp_path: Path) -> None:
    async def whole() -> None:
        async with asyncio.timeout(240), desk_in(tmp_path) as desk, chromium("--disable-3d-apis") as browser:
            desk.backend.views_ = shown()
            picture = cv2.imencode(".jpg", np.full((48, 85, 3), 200, np.uint8))[1].tobytes()
            desk.put_cloud(picture)
            async with opened(browser, desk.server.url) as page:
                await expect(page.locator(".scene-broken")).to_contain_text("cannot draw in three dimensions")
                await expect(page.locator(".picture canvas")).to_be_visible()
                await expect(page.locator(".view")).to_contain_text("Front camera")
                await page.get_by_role("button", name="Emergency stop").press("Enter")

                async def stopped() -> bool:
                    return desk.backend.asked == ["console page 1: stop"]

                await until(stopped)

    asyncio.run(whole())
