"""A plan that keeps an arm for somebody ("hold the left arm still") and moves the other one by itself.

What it keeps is left alone when somebody else's driving ends; what it moves is held back like all that moves.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from tests.managers.operators_at_work import AtWork, at_work

MOVE = "move the right arm left 20 cm slowly"
KEEPS = ("hold the left arm still", "let me guide the left arm")
CARRY_ON = 'is paused: say "carry on" to go on.'
MOVED = "the right arm has moved 20 cm to the left"


async def interrupted(work: AtWork, plan: str) -> None:
    """The right arm is on its way when phone 1 takes it; phone 2 looks on."""
    await work.play("phone 1 comes", "phone 2 comes")
    work.say(plan)
    await work.until_said("moving the right arm")
    await asyncio.sleep(0.5)
    await work.done("let me drive the right arm", "phone 1")
    await asyncio.sleep(0.5)


async def rests(work: AtWork, for_s: float = 3.0) -> None:
    """The right arm does, all the while."""
    async with work.watching("right") as arm:
        await asyncio.sleep(0.1)
        before = arm().base_T_tool
        for _ in range(round(for_s / 0.02)):
            await asyncio.sleep(0.02)
            assert arm().base_T_tool == pytest.approx(before, abs=1e-6)


@pytest.mark.parametrize("keeps", KEEPS)
def test_it_does_not_move_on_by_itself_when_the_driver_is_lost(tmp_path: Path, keeps: str) -> None:
    async def play(work: AtWork) -> None:
        await interrupted(work, f"{keeps} and {MOVE} at the same time")
        work.desk.end_session("phone 1", "console")
        await work.until_said("phone 1 is lost: the right arm holds")
        await rests(work)
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["paused"]
        assert work.was_said(CARRY_ON)
        await work.done("carry on")
        await work.until_said(MOVED, within_s=20.0)

    at_work(tmp_path, play, "inspection")


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("keeps", KEEPS)
def test_it_does_not_move_between_two_hands(
    tmp_path: Path, keeps: str, arrives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_refused(*_: object) -> None:
        await asyncio.sleep(0.5)
        raise PilothouseError("phone 2 is gone")

    async def play(work: AtWork) -> None:
        await interrupted(work, f"{keeps} and {MOVE} at the same time")
        if not arrives:
            monkeypatch.setattr(work.desk, "_let_drive", is_refused)
        resting = asyncio.create_task(rests(work))
        await asyncio.sleep(0.2)
        if arrives:
            await work.desk.hand_over("phone 2")
        else:
            with pytest.raises(PilothouseError, match="phone 2 is gone"):
                await work.desk.hand_over("phone 2")
        await resting
        assert work.was_said(CARRY_ON)
        await work.done("carry on", "phone 2" if arrives else "console")
        await work.until_said(MOVED, within_s=20.0)

    at_work(tmp_path, play, "inspection")


@pytest.mark.parametrize("keeps", KEEPS)
def test_what_is_kept_and_moves_nothing_besides_is_left_alone(tmp_path: Path, keeps: str) -> None:
    async def play(work: AtWork) -> None:
        await work.done(keeps)
        await interrupted(work, MOVE)
        work.desk.end_session("phone 1", "console")
        await work.until_said(CARRY_ON)
        await rests(work)
        assert [plan.state for plan in work.installation.supervisor.plans()] == ["established", "paused"]

    at_work(tmp_path, play, "inspection")
