"""Whoever drives is lost: what they interrupted does not go on by itself, only when somebody says so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from resources.children.failing import FailMode
from tests.managers.operators_at_work import AtWork, at_work

MOVE = "move the arm left 20 cm slowly, then go home"


async def interrupted(work: AtWork) -> None:
    """The arm is on its way when somebody takes it."""
    await work.play("phone 1 comes")
    work.say(MOVE)
    await work.until_said("moving the arm")
    await asyncio.sleep(0.5)
    await work.done("let me drive", "phone 1")


async def lose(work: AtWork, how: str) -> None:
    match how:
        case "silent":
            await work.play("phone 1 falls silent")
            await work.until_said("the arm is given back", within_s=12.0)
        case "gone with its process":
            await work.play("phone 1 closes its page")
            work.installation.processes.kill("operator links")
            await work.until_said("the arm is given back", within_s=12.0)
        case "sent away":
            work.desk.end_session("phone 1", "console")
            await work.until_said("phone 1 is gone")
        case "the arm fails":
            work.house.faults.fail("arm", FailMode.REFLEX)
            await work.until_said('say "recover the arm"')


@pytest.mark.parametrize("how", ["silent", "gone with its process", "sent away", "the arm fails"])
def test_nothing_goes_on_by_itself_when_the_driver_is_lost(tmp_path: Path, how: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        await lose(work, how)
        async with work.watching() as arm:
            await asyncio.sleep(0.1)
            before = arm().base_T_tool
            await asyncio.sleep(3.0)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-4)
        plans = work.installation.supervisor.plans()
        # What waited for an arm that has stopped with a fault is over, as it would have been before.
        assert [plan.state for plan in plans] == ([] if how == "the arm fails" else ["paused"])
        assert work.was_said('is paused: say "carry on" to go on')
        if plans:
            assert work.was_said("phone 1 is lost: the arm holds")
            await work.done("carry on", "console")
            async with asyncio.timeout(30.0):
                while work.installation.supervisor.plans():
                    await asyncio.sleep(0.1)
            assert work.was_said("the arm has moved 20 cm to the left")

    at_work(tmp_path, play)


@pytest.mark.parametrize("words", ["carry on", "stop driving"])
def test_it_goes_on_by_itself_when_the_driver_says_so(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        await work.done(words, "phone 1")
        await work.until_said("the arm has moved 20 cm to the left", within_s=20.0)
        assert not work.was_said("is paused")

    at_work(tmp_path, play)


def test_only_the_driver_ends_driving_by_these_words(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work)
        for words in ("done", "carry on"):
            why = await work.refused(words, "terminal")
            assert why == 'Phone 1 drives the arm: it says "carry on" there, or hand it over on the console.'
        await work.done("stop", "terminal")
        assert not work.installation.supervisor.plans()

    at_work(tmp_path, play)
