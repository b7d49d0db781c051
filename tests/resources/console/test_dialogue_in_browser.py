"""What an operator types and is asked, in a real browser: completion, questions, plans changed, files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, WebSocketRoute, expect

from resources.console.backend import Topic
from resources.web.page_messages import MAX_FILE_CHARS, ChangeKind
from resources.web.protocol import Question, Questions
from tests.resources.console.browser import PHONE, WIDE, opened, until
from tests.resources.console.desk import Desk, Driver
from tests.resources.console.scripted import PAUSED_TREE, TREE, which


async def connected(page: Page) -> Locator:
    """The page is there; its text box."""
    await expect(page.get_by_text("Connected")).to_be_visible()
    return page.get_by_role("combobox", name="Instruction")


async def until_asked(desk: Desk, *expected: str) -> None:
    """Until this, and nothing else, was asked of the installation."""

    async def is_so() -> bool:
        assert len(desk.backend.asked) <= len(expected), desk.backend.asked
        return desk.backend.asked == list(expected)

    await until(is_so)


# ---------------------------------------------------------------- completion


def test_an_instruction_is_typed_with_completion_by_keyboard(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            options = page.get_by_role("option")
            await expect(box).to_have_attribute("aria-expanded", "false")
            await box.press_sequentially("sh")
            await expect(options).to_have_text(["show"])
            await expect(box).to_have_attribute("aria-expanded", "true")
            await box.press("Tab")
            await expect(box).to_have_value("show ")
            await expect(options).to_have_text(["the"])
            await box.press("Tab")
            await expect(options).to_have_text(["camera", "environment", "scan"])
            await expect(page.locator(".options-foot")).to_contain_text("Tab: take")
            await box.press("ArrowDown")
            await box.press("ArrowDown")
            chosen = page.get_by_role("option", selected=True)
            await expect(chosen).to_have_text("environment")
            assert await chosen.get_attribute("id") == await box.get_attribute("aria-activedescendant")
            await box.press("ArrowUp")
            await expect(chosen).to_have_text("camera")
            await box.press("ArrowUp")
            await expect(chosen).to_have_count(0)
            await box.press("ArrowUp")
            await expect(chosen).to_have_text("scan")
            await box.press("Enter")
            await expect(box).to_have_value("show the scan ")
            assert desk.backend.asked == [], "Enter has taken an option, not sent"
            await box.press("Enter")
            await until_asked(desk, "console page 1: say show the scan")
            await expect(box).to_have_value("")
            await expect(options).to_have_count(0)

    drive(tmp_path, scenario)


def test_completion_by_mouse_and_what_could_i_say(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            options = page.get_by_role("option")
            await box.press("ArrowDown")
            await expect(options).to_have_text(["show", "track", "what"])
            await box.press("Escape")
            await expect(options).to_have_count(0)
            await box.click()
            await options.nth(1).click()
            await expect(box).to_have_value("track ")
            await expect(box).to_be_focused()
            await page.get_by_role("option", name="the").click()
            await page.get_by_role("option", name="hand").click()
            await expect(box).to_have_value("track the hand ")
            await page.locator(".scene-canvas").click()
            await expect(options).to_have_count(0)
            assert desk.backend.asked == []

    drive(tmp_path, scenario)


def test_with_no_list_open_the_arrows_go_through_what_was_said(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            for text in ("show the scan", "track the hand"):
                await box.fill(text)
                await box.press("Enter")
            await until_asked(
                desk, *(f"console page 1: say {text}" for text in ("show the scan", "track the hand"))
            )
            await box.press("ArrowUp")
            await expect(box).to_have_value("track the hand")
            await box.press("ArrowUp")
            await expect(box).to_have_value("show the scan")
            await box.press("End")
            await box.press_sequentially(" x")
            await box.press("Backspace")
            await box.press("Backspace")
            await expect(page.get_by_role("option")).to_have_count(0)  # whole, and nothing follows
            await box.fill("show the ")
            await expect(page.get_by_role("option")).to_have_count(3)
            await box.press("ArrowDown")
            await expect(box).to_have_value("show the ")  # the list has the arrows

    drive(tmp_path, scenario)


def test_the_emergency_stop_is_two_escapes_whether_a_list_is_open_or_not(
    tmp_path: Path, drive: Driver
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            await box.press_sequentially("sh")
            await expect(page.get_by_role("option")).to_have_count(1)
            await box.press("Escape")
            await box.press("Escape")
            await until_asked(desk, "console page 1: stop")

    drive(tmp_path, scenario)


def test_typing_fast_asks_once(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            await box.press_sequentially("show the s", delay=5)
            await expect(page.get_by_role("option")).to_have_text(["scan"])
            assert len(desk.backend.completed) < 5

    drive(tmp_path, scenario)


def test_a_late_completion_is_about_nothing_any_more(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        held: list[Callable[[], None]] = []

        def between(page_side: WebSocketRoute) -> None:
            server = page_side.connect_to_server()

            def hold(message: str | bytes) -> None:
                if isinstance(message, str) and '"completed"' in message and len(held) < 2:
                    held.append(lambda: page_side.send(message))
                else:
                    page_side.send(message)

            server.on_message(hold)

        async with opened(browser, "about:blank", is_new=True) as page:
            await page.route_web_socket("**/ws?*", between)
            await page.goto(desk.server.url)
            box = await connected(page)
            options = page.get_by_role("option")

            async def is_held(number: int) -> None:
                async def is_so() -> bool:
                    return len(held) == number

                await until(is_so)

            await box.fill("track the ")
            await is_held(1)
            await box.fill("sh")
            await is_held(2)
            held[0]()  # the answer to what stands there no longer
            await box.fill("show the ")
            await expect(options).to_have_text(["camera", "environment", "scan"])
            held[1]()
            await box.press("ArrowDown")
            await expect(page.get_by_role("option", selected=True)).to_have_text("camera")
            await expect(options).to_have_count(3)

    drive(tmp_path, scenario)


def test_nothing_is_asked_about_an_endless_text(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            box = await connected(page)
            await box.fill("x" * 9000)
            await asyncio.sleep(0.3)
            assert desk.backend.completed == [], "nobody types that, so nothing is asked about it"

    drive(tmp_path, scenario)


# ---------------------------------------------------------------- questions


def test_a_question_is_answered_by_a_click_of_who_is_asked(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as first:
            await connected(first)
            async with opened(browser, desk.server.url, dark=True) as second:
                await connected(second)
                desk.backend.questions_ = Questions((which("console page 1", 9.6),))
                desk.server.changed(Topic.QUESTIONS)
                question = first.get_by_role("region", name="Question", exact=True)
                await expect(question).to_contain_text("Which one do you mean?")
                await expect(question.locator(".question-left")).to_have_text("9 s")
                await expect(question.get_by_role("button")).to_have_text(
                    ["1the red cup", "2the blue cup", "None of these"]
                )
                foreign = second.get_by_role("region", name="Question", exact=True)
                await expect(foreign).to_contain_text("console page 1 is asked, and answers")
                for button in await foreign.get_by_role("button").all():
                    await expect(button).to_be_disabled()
                await question.get_by_role("button", name="the blue cup").click()
                await until_asked(desk, "console page 1: answer q1 2")
                desk.server.changed(Topic.QUESTIONS)
                await expect(question).to_be_hidden()
                await expect(foreign).to_be_hidden()
                await expect(first.get_by_role("combobox", name="Instruction")).to_be_focused()

    drive(tmp_path, scenario)


def test_yes_and_no_and_a_page_that_was_reloaded_meanwhile(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            desk.backend.questions_ = Questions(
                (Question("q2", "Shall I wave?", "console page 1", hint="say it"),)
            )
            await page.reload()
            question = page.get_by_role("region", name="Question", exact=True)
            await expect(question.get_by_role("button")).to_have_text(["Yes", "No"])
            await expect(question).to_contain_text("say it")
            await expect(question.get_by_role("progressbar")).to_be_hidden()  # it waits as long as it takes
            await question.get_by_role("button", name="No").click()
            await until_asked(desk, "console page 1: answer q2 0")
            desk.server.changed(Topic.QUESTIONS)
            await expect(question).to_be_hidden()

    drive(tmp_path, scenario)


def test_on_a_phone_the_question_and_its_answers_are_on_the_screen(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.questions_ = Questions((which(),))
        for size in (WIDE, PHONE):
            async with opened(browser, desk.server.url, size, dark=True) as page:
                box = await connected(page)
                question = page.get_by_role("region", name="Question", exact=True)
                for button in await question.get_by_role("button").all():
                    await expect(button).to_be_in_viewport(ratio=0.99)
                await expect(box).to_be_in_viewport(ratio=0.99)
                await box.fill("show the ")
                for option in await page.get_by_role("option").all():
                    await expect(option).to_be_in_viewport(ratio=0.99)
                stop = page.get_by_role("button", name="Emergency stop")
                await expect(stop).to_be_in_viewport(ratio=0.99)
                whole = await page.evaluate("[document.body.scrollWidth, document.body.scrollHeight]")
                assert whole == list(size)

    drive(tmp_path, scenario)


# ---------------------------------------------------------------- plans


def test_a_running_plan_is_paused_and_stopped(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.trees_ = TREE
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            plan = page.locator("[data-plan=p1]")
            await expect(plan.get_by_role("button", name="Resume")).to_be_hidden()
            await expect(plan.locator(".change-buttons").first).to_be_hidden()
            await plan.get_by_role("button", name="Pause").click()
            await plan.get_by_role("button", name="Stop").click()
            await until_asked(desk, "console page 1: pause p1", "console page 1: stop p1")

    drive(tmp_path, scenario)


def test_a_paused_plan_is_changed_with_words(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.trees_ = PAUSED_TREE
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            plan = page.locator("[data-plan=p2]")
            await expect(plan.get_by_role("button", name="Pause")).to_be_hidden()
            begun, second, third = (plan.locator(f'[data-node="p2.{number}"]') for number in (2, 3, 4))
            await expect(begun.get_by_role("button", name="Do not do this")).to_be_hidden()
            await expect(begun.get_by_role("button", name="Insert a step after this one")).to_be_visible()

            await second.get_by_role("button", name="Do not do this").click()
            await second.get_by_role("button", name="Do something else instead").click()
            step = second.get_by_role("combobox", name="The step, in words")
            await expect(step).to_be_focused()
            await step.press_sequentially("sing")
            await step.press("Enter")
            await expect(second.get_by_role("alert")).to_have_text("'sing' was not understood")
            await step.fill("show the en")
            await expect(page.get_by_role("option")).to_have_text(["environment"])
            await step.press("Tab")
            await second.get_by_role("button", name="Do it").click()
            await expect(step).to_be_hidden()

            await third.get_by_role("button", name="Insert a step before this one").click()
            await third.get_by_role("combobox").fill("show the scan")
            await third.get_by_role("combobox").press("Enter")
            await until_asked(
                desk,
                "console page 1: change p2 remove p2.3",
                "console page 1: change p2 replace p2.3 show the environment",
                "console page 1: change p2 before p2.4 show the scan",
            )
            await third.get_by_role("button", name="Insert a step after this one").click()
            await expect(third.get_by_role("combobox")).to_be_visible()
            desk.backend.trees_ = TREE
            desk.server.changed(Topic.TREES)
            await expect(page.locator(".change")).to_have_count(3)  # hidden ones of the plan that runs now
            await expect(page.locator(".change").first).to_be_hidden()

    drive(tmp_path, scenario)


def test_a_late_answer_leaves_alone_what_was_opened_after_it_was_asked_for(
    tmp_path: Path, drive: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.trees_ = PAUSED_TREE
        change, may_answer = desk.backend.change_plan, asyncio.Event()

        async def late(plan_id: str, node: str, how: ChangeKind, text: str, *, who: str) -> str:
            told = await change(plan_id, node, how, text, who=who)
            if how is ChangeKind.REMOVE:
                await may_answer.wait()
            return told

        monkeypatch.setattr(desk.backend, "change_plan", late)
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            node = page.locator('[data-plan=p2] [data-node="p2.3"]')
            await node.get_by_role("button", name="Do not do this").click()
            await node.get_by_role("button", name="Do something else instead").click()
            step = node.get_by_role("combobox", name="The step, in words")
            await expect(step).to_be_focused()
            await until_asked(desk, "console page 1: change p2 remove p2.3")
            may_answer.set()
            await step.fill("sing")
            await step.press("Enter")
            await expect(node.get_by_role("alert")).to_have_text("'sing' was not understood")
            await expect(step).to_be_visible()

    drive(tmp_path, scenario)


def test_a_plan_is_saved_and_the_file_run_again(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        desk.backend.trees_ = PAUSED_TREE
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            async with page.expect_download() as download:
                await page.get_by_role("button", name="Save as file").click()
            file = await download.value
            assert file.suggested_filename == "p2.umrf.json"
            saved = tmp_path / "saved.json"
            await file.save_as(saved)
            assert json.loads(saved.read_text())["graph_name"].startswith("show the scan")
            async with page.expect_file_chooser() as chooser:
                await page.get_by_role("button", name="Run a file…").click()
            await (await chooser.value).set_files(saved)
            await until_asked(desk, f"console page 1: run {saved.read_text()}")
            await expect(page.get_by_role("dialog")).to_be_hidden()

    drive(tmp_path, scenario)


def test_all_that_is_wrong_with_a_file_is_listed(tmp_path: Path, drive: Driver) -> None:
    async def scenario(desk: Desk, browser: Browser) -> None:
        async with opened(browser, desk.server.url, dark=True) as page:
            await connected(page)
            chosen = page.get_by_label("Plan file")
            dialog = page.get_by_role("dialog")
            wrong = tmp_path / "wrong.json"
            wrong.write_text("{}")
            spaced = tmp_path / "spaced.json"  # too long as it is, not too long without its spaces
            spaced.write_text('{"graph_name":' + " " * MAX_FILE_CHARS + '"x"}')
            long = tmp_path / "long.json"
            long.write_text("[" + "1," * MAX_FILE_CHARS + "1]")
            await chosen.set_input_files(wrong)
            await expect(dialog).to_contain_text("wrong.json was not run")
            await expect(dialog.get_by_role("listitem")).to_have_text(
                ["this is no plan:", "there is no graph_name", "there are no actions"]
            )
            await dialog.get_by_role("button", name="Close").click()
            await chosen.set_input_files(long)
            await expect(dialog).to_contain_text(f"{MAX_FILE_CHARS} are the most")
            await dialog.get_by_role("button", name="Close").click()
            assert desk.backend.asked == []
            await chosen.set_input_files(spaced)
            await until_asked(desk, 'console page 1: run {"graph_name":"x"}')
            await expect(dialog).to_be_hidden()

    drive(tmp_path, scenario)
