""" "Carry on" means what waits for whoever says it: not what somebody else has paused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.managers.operators_at_work import AtWork, at_work

LEFT, RIGHT = "move the left arm left 20 cm slowly", "move the right arm left 20 cm slowly"
STAYS = 'stays paused, as console has said: for that, say "carry on" once more.'


async def paused_and_interrupted(work: AtWork) -> None:
    """The console has paused the left arm; the right one was on its way when phone 1 took it."""
    await work.play("phone 1 comes")
    work.say(LEFT, "console")
    await work.until_said("moving the left arm")
    await work.done("pause", "console")
    work.say(RIGHT, "terminal")
    await work.until_said("moving the right arm")
    await asyncio.sleep(0.5)
    await work.done("let me drive the right arm", "phone 1")


async def left_rests(work: AtWork) -> None:
    async with work.watching("left") as arm:
        await asyncio.sleep(0.1)
        before = arm().base_T_tool
        await asyncio.sleep(3.0)
        assert arm().base_T_tool == pytest.approx(before, abs=1e-6)


def test_who_drives_gives_back_and_lifts_nobody_elses_pause(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await paused_and_interrupted(work)
        await work.done("carry on", "phone 1")
        await left_rests(work)
        assert work.was_said(STAYS)
        await work.until_said("the right arm has moved 20 cm to the left", within_s=20.0)
        await work.done("carry on", "console")
        await work.until_said("the left arm has moved 20 cm to the left", within_s=20.0)

    at_work(tmp_path, play, "inspection")


def test_what_a_lost_driver_has_left_goes_on_and_the_rest_when_it_is_said_once_more(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await paused_and_interrupted(work)
        work.desk.end_session("phone 1", "console")
        await work.until_said('is paused: say "carry on" to go on.')
        await work.done("carry on", "terminal")
        await left_rests(work)
        await work.until_said("the right arm has moved 20 cm to the left", within_s=20.0)
        await work.done("carry on", "terminal")
        await work.until_said("the left arm has moved 20 cm to the left", within_s=20.0)

    at_work(tmp_path, play, "inspection")


def test_who_has_paused_one_goes_on_with_both(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await paused_and_interrupted(work)
        work.desk.end_session("phone 1", "console")
        await work.until_said('is paused: say "carry on" to go on.')
        await work.done("carry on", "console")
        for side in ("left", "right"):
            await work.until_said(f"the {side} arm has moved 20 cm to the left", within_s=20.0)
        assert not work.was_said(STAYS)

    at_work(tmp_path, play, "inspection")
