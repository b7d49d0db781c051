"""Everybody may stop whoever drives; nobody but they and the console may take what they drove after that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.managers.operators_at_work import AtWork, at_work

STOPS = (
    "stop",
    "cancel",
    "no",
    "don't",
    "stop the arm",
    "stop plan 1",
    "emergency stop",
    "the page's STOP",
)
TAKES = (
    "let me drive",
    "let phone 2 drive",
    "let me drive the arm",
    "wait 1 second, then let me drive",
    "hand over to phone 2",
    "take the arm from phone 1",
    "go home",
    "move the arm left 10 cm",
    "wait 1 second, then go home",
    "open the gripper",
)


async def phone_1_drives(work: AtWork) -> None:
    await work.play("phone 1 comes", "phone 2 comes")
    await work.done("let me drive", "phone 1")


def driver(work: AtWork) -> str:
    return work.installation.operators.driver


async def stopped_by_phone_2(work: AtWork, how: str) -> None:
    if how == "the page's STOP":
        work.managers.emergency.latch("phone 2 stopped everything")
        await asyncio.sleep(0.5)
    else:
        await work.say(how, "phone 2").done()
    if work.managers.emergency.is_latched:
        reply = work.say("reset", "phone 2")
        await work.until_said("Take back the emergency stop")
        work.say("yes", "phone 2")
        assert await reply.done()
    await asyncio.sleep(0.3)
    assert driver(work) == ""


async def takes_nothing(work: AtWork, text: str) -> None:
    """Phone 2 says this, and then that it goes on; after that it is ended."""
    async with work.watching() as arm:
        before = arm().base_T_tool
        reply = work.say(text, "phone 2")
        await asyncio.sleep(1.5)
        plans = [plan for plan in work.installation.supervisor.plans() if plan.id == reply.plan]
        if plans:
            work.say(f"carry on with plan {reply.plan}", "phone 2")
            await asyncio.sleep(0.3)
        assert driver(work) == "", text
        assert arm().base_T_tool == pytest.approx(before, abs=1e-4), text
        work.say(f"cancel plan {reply.plan}", "phone 2")


@pytest.mark.parametrize("how", STOPS)
def test_who_has_stopped_the_driver_takes_nothing_by_that(tmp_path: Path, how: str) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, how)
        await takes_nothing(work, "let me drive")
        await takes_nothing(work, "go home")
        # It is still theirs, without asking anybody.
        await work.done("let me drive", "phone 1")
        assert driver(work) == "phone 1"

    at_work(tmp_path, play)


def test_nor_by_anything_else_that_can_be_said(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "pause")
        for text in TAKES:
            await takes_nothing(work, text)
        assert "has driven and is still there" in await work.refused("hand over to phone 2", "phone 2")
        assert 'says "carry on"' in await work.refused("let me drive", "phone 2")
        await work.done("carry on", "phone 1")
        await asyncio.sleep(0.3)
        assert driver(work) == "phone 1"

    at_work(tmp_path, play)


def test_carry_on_hands_nothing_over_to_who_has_asked_a_moment_before(tmp_path: Path) -> None:
    """It is said to everything that waits: that is no word to let somebody else drive."""

    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "pause")
        later = work.say("wait 3 seconds, then let me drive", "phone 2")
        await asyncio.sleep(0.1)
        await work.done("carry on", "phone 1")
        await work.say("pause", "phone 2").done()
        work.say(f"carry on with plan {later.plan}", "phone 2")
        await asyncio.sleep(5.0)
        assert driver(work) == ""
        work.say("let me drive", "phone 2")
        await work.done("carry on", "phone 1")
        await asyncio.sleep(1.0)
        assert driver(work) == "phone 1"

    at_work(tmp_path, play)


@pytest.mark.parametrize("word", ["carry on", "done", "hand over to phone 2", "let phone 2 drive"])
def test_their_own_word_gives_it_to_others(tmp_path: Path, word: str) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "stop")
        await work.done(word, "phone 1")
        if driver(work) != "phone 2":
            await work.done("let me drive", "phone 2")
        assert driver(work) == "phone 2"

    at_work(tmp_path, play)


@pytest.mark.parametrize("word", ["let phone 2 drive", "take the arm from phone 1", "the button"])
def test_so_does_the_consoles(tmp_path: Path, word: str) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "stop")
        if word == "the button":
            await work.desk.hand_over("phone 2")
        else:
            await work.done(word)
        if driver(work) != "phone 2":
            await work.done("let me drive", "phone 2")
        assert driver(work) == "phone 2"
        # And now it is phone 2's.
        await work.say("stop", "phone 1").done()
        await work.refused("let me drive", "phone 1")

    at_work(tmp_path, play)


def test_what_waits_for_their_word_goes_on_with_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "stop")
        home = work.say("go home", "phone 2")
        await work.until_said('until phone 1 or the console says "carry on"')
        reply = work.say("carry on", "phone 2")
        await reply.done()
        assert '"go home" waits for phone 1' in reply.events[-1].text
        await work.done("carry on", "phone 1")
        assert await home.done()

    at_work(tmp_path, play)


def test_the_console_moves_what_is_kept_by_its_own_word(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "stop")
        await work.done("go home")
        await work.refused("let me drive", "phone 2")

    at_work(tmp_path, play)


def test_nothing_is_kept_for_whom_is_gone(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        await stopped_by_phone_2(work, "stop")
        await work.play("phone 1 falls silent")
        await asyncio.sleep(3.0)
        await work.refused("let me drive", "phone 2")
        await asyncio.sleep(10.0)
        await work.play("phone 1 is back")
        await work.done("let me drive", "phone 2")

    at_work(tmp_path, play)


def then(work: AtWork) -> list[tuple[str, str]]:
    """What the page of phone 1 says that its "carry on" begins: what, and who wants it."""
    return [(each.words, each.who) for each in work.session("phone 1").seat.then]


def test_what_begins_with_the_drivers_carry_on_is_named_before_it_is_said(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await phone_1_drives(work)
        assert then(work) == []
        home = work.say("go home", "phone 2")
        work.say("wait 1 second, then open the gripper", "phone 2")
        work.say("describe what you see", "phone 2")  # that moves nothing
        await asyncio.sleep(0.3)
        assert then(work) == [("go home", "phone 2"), ("open the gripper", "phone 2")]
        await work.say("cancel open the gripper", "phone 2").done()
        await asyncio.sleep(0.1)
        assert then(work) == [("go home", "phone 2")]
        work.say("pause go home", "phone 2")  # what its own person has paused stays so
        await asyncio.sleep(0.1)
        assert then(work) == []
        work.say("carry on with go home", "phone 2")
        await asyncio.sleep(0.1)
        assert then(work) == [("go home", "phone 2")]
        await work.done("carry on", "phone 1")
        assert await home.done()
        await asyncio.sleep(0.1)
        assert then(work) == []

    at_work(tmp_path, play)


def test_so_is_what_waits_for_the_word_of_who_was_stopped(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        work.say("let me drive, then go home", "phone 1")
        await work.until_said("phone 1 drives the arm")
        await asyncio.sleep(0.1)
        assert then(work) == [("go home", "phone 1")]
        await stopped_by_phone_2(work, "stop")
        work.say("go home", "phone 2")
        await work.until_said('until phone 1 or the console says "carry on"')
        await asyncio.sleep(0.1)
        assert then(work) == [("go home", "phone 2")]

    at_work(tmp_path, play)
