"""Who drives and who is there, asked and changed in words: with the same rules as the console's buttons."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from resources.types.operator_client import Seat
from tests.managers.operators_at_work import AtWork, at_work

GET_IN = 'press "Phone" on the console, open its link on a phone, a headset or this computer'


async def answer(work: AtWork, text: str, who: str = "console") -> str:
    """What a question is answered with."""
    reply = work.say(text, who)
    assert await reply.done(), [event.text for event in reply.events]
    return next(event.text for event in reply.events if event.kind == "answered")


def test_who_drives_and_who_is_there_is_answered_as_it_is(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        assert (await answer(work, "who drives?")).startswith(f"Nobody drives. To drive: {GET_IN}")
        assert GET_IN in await work.refused("let me drive", "terminal")
        await work.play("phone 1 comes", "phone 2 comes")
        assert "phone 1 and phone 2 are there" in await answer(work, "who has the arm?")
        await work.done("let me drive the right arm", "phone 1")
        assert await answer(work, "which arm is driven?") == "phone 1 drives the right arm."
        assert await answer(work, "am I driving?", "phone 1") == (
            "Yes: phone 1 drives the right arm, and that is you."
        )
        assert await answer(work, "am I driving?", "phone 2") == "No. phone 1 drives the right arm."
        assert await answer(work, "is phone 2 driving?") == "No. phone 1 drives the right arm."
        await work.play("phone 1 falls silent")
        assert await answer(work, "who is driving?") == (
            "phone 1 drives the right arm, and is silent just now."
        )
        assert await answer(work, "who is connected?", "phone 2") == (
            "Connected: phone 1 (drives the right arm, silent just now) and phone 2."
        )

    at_work(tmp_path, play, "inspection")


def test_whoever_only_watches_takes_nothing_and_sends_nobody_away(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive", "phone 1")
        for words in ("hand the arm over to phone 2", "phone 2 drives now", "take the arm from phone 1"):
            assert await work.refused(words, "phone 2") == (
                f"That did not work: {reading(words)}. Phone 1 drives the arm: "
                '"hand over to phone 2" is said there, or on the console ("Hand the arm over").'
            )
        assert "on the console only" in await work.refused("kick phone 1", "phone 2")
        assert "no session 'console'" in await work.refused("end my session")
        assert work.session("phone 1").seat.seat is Seat.READY
        await work.done("end my session", "phone 2")
        assert [line.name for line in work.desk.sessions] == ["phone 1"]

    at_work(tmp_path, play)


def reading(words: str) -> str:
    """What is read back."""
    return {
        "hand the arm over to phone 2": "let phone 2 drive the arm",
        "phone 2 drives now": "let phone 2 drive",
    }.get(words, words)


def test_the_driver_and_the_console_hand_over_in_words(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let phone 1 drive the left arm")
        assert work.was_said("phone 1 drives the left arm")
        assert await answer(work, "hand over to phone 2", "phone 1") == "phone 2 drives."
        assert work.session("phone 1").seat.words == "You do not drive any more: handed over to phone 2"
        assert work.session("phone 2").seat.seat is Seat.READY
        assert work.was_said("phone 2 drives the left arm")
        await work.done("give phone 1 the right arm")
        assert await answer(work, "who drives") == "phone 1 drives the right arm."
        await asyncio.sleep(0.2)
        assert [plan.who for plan in work.installation.supervisor.plans()] == ["phone 1"]
        await work.play("phone 2 falls silent")
        refused = await work.refused("hand over to phone 2", "phone 1")
        assert refused.endswith("Phone 2 is silent: open its page again.")
        assert await answer(work, "who drives") == "phone 1 drives the right arm."
        await work.done("carry on", "phone 1")

    at_work(tmp_path, play, "inspection")


def test_a_stop_in_the_middle_of_handing_over_leaves_nobody_driving(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        for delay_s in (0.0, 0.003, 0.01, 0.02, 0.05):
            await work.done("let me drive", "phone 1")
            handing = work.say("hand over to phone 2", "phone 1")
            await asyncio.sleep(delay_s)
            assert await work.say("stop").done()
            assert not await handing.done() or delay_s > 0.02
            await asyncio.sleep(1.0)
            assert await answer(work, "who drives?") == (
                'Nobody drives. phone 1 and phone 2 are there: "let me drive" is said on what is to drive.'
            )
            assert not work.installation.supervisor.plans()

    at_work(tmp_path, play)


def test_what_is_taken_back_by_another_one_does_not_let_the_robot_go_on_by_itself(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        moving = work.say("move the arm left 20 cm slowly")
        await work.until_said("moving the arm 20 cm to the left")
        await work.done("let me drive", "phone 1")
        async with work.watching() as arm:
            assert await answer(work, "take the arm from phone 1") == "phone 1 does not drive any more."
            before = arm().base_T_tool
            await asyncio.sleep(1.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        assert moving.succeeded is None
        assert work.was_said('"move the arm to the left 20 centimetres slowly" is paused: say "carry on"')
        assert "Nobody drives; there is nothing" in await work.refused("take the arm back")
        await work.done("carry on")
        assert await moving.done()

    at_work(tmp_path, play)


def test_nor_does_it_begin_what_has_waited_for_the_driver(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        moving = work.say("move the arm left 20 cm slowly")
        async with work.watching() as arm:
            await asyncio.sleep(0.5)
            before = arm().base_T_tool
            await work.done("take the arm from phone 1")
            await asyncio.sleep(1.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        await work.done("carry on")
        assert await moving.done()

    at_work(tmp_path, play)


def test_one_who_drives_is_sent_away_after_a_yes(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("kick phone 2")
        await work.done("let me drive", "phone 1")
        for words, stays in (("no", True), ("yes", False)):
            reply = work.say("end phone 1's session")
            await work.until_said("Is it to be sent away?")
            await asyncio.sleep(0.2)
            await work.done(words)
            assert await reply.done() is not stays
            assert bool(work.desk.sessions) is stays

    at_work(tmp_path, play)


ENDS = (
    "you take over",
    "take it from here",
    "I am done driving",
    "done driving",
    "I don't want to drive any more",
    "let go of the arm",
    "you can have the arm back",
    "your turn",
)


def test_the_ways_in_which_a_driver_gives_the_arm_back(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("desk 1 comes")
        for words in ENDS:
            await work.done("give me the arm back", "desk 1")
            assert (await work.refused(words, "console")).startswith("Desk 1 drives the arm")
            await work.done(words, "desk 1")
            assert not work.installation.supervisor.plans(), words
        await work.done("let me drive with the keyboard", "desk 1")
        assert await work.refused("let go", "desk 1") == (
            'You drive it: use the gripper button, or say "carry on" first.'
        )

    at_work(tmp_path, play)


ANSWERED = (
    "who drives?",
    "who is connected?",
    "what are you doing?",
    "what can I say?",
    "what can you do with the camera?",
    "where is the block?",
    "what do you see?",
    "is the gripper open?",
    "which motions do you know?",
    "where are you, and who drives?",
    "remember this pose as berth",
    "forget berth",
)
REFUSED = (
    "let me drive",
    "let phone 1 drive",
    "go home",
    "open the gripper",
    "show the camera",
    "wait ten seconds",
    "do that again",
    "where is the block, then go home",
    "when you see the block, where are you",
)


def test_questions_are_answered_under_an_emergency_stop_and_nothing_else_begins(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        work.managers.emergency.latch("a test")
        for words in ANSWERED:
            await answer(work, words)
        for words in REFUSED:
            assert await work.refused(words) == 'The emergency stop is set (a test); say "reset" first.'
        assert not work.installation.supervisor.plans()
        await work.done("send phone 1 away")
        assert work.managers.emergency.is_latched

    at_work(tmp_path, play)
