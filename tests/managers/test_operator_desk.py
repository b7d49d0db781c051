"""What the console does with sessions: pairing, sending away, handing over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from resources.types.operator_client import Seat
from tests.managers.operators_at_work import AtWork, at_work


def test_a_session_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        with pytest.raises(PilothouseError, match="there is no session 'phone 7'; connected: nobody"):
            await work.desk.hand_over("phone 7")
        await work.play("phone 1 comes")
        with pytest.raises(PilothouseError, match="connected: phone 1"):
            work.desk.end_session("phone 7", "console")

    at_work(tmp_path, play)


def test_handing_over_ends_the_first_ones_driving_in_words_and_gives_the_next_one_the_same_arm(
    tmp_path: Path,
) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes", "phone 2 comes")
        await work.done("let me drive the right arm", "phone 1")
        async with work.watching("right") as arm:
            await work.play("phone 1 presses the clutch", "phone 2 presses the clutch")
            await asyncio.sleep(0.3)
            before = arm().base_T_tool
            assert await work.desk.hand_over("phone 2") == "phone 2 drives."
            assert work.was_said("phone 2 drives the right arm")
            first, second = work.session("phone 1").seat, work.session("phone 2").seat
            assert (first.seat, second.seat) == (Seat.WATCHING, Seat.READY)
            assert first.words == "phone 1 does not drive any more: handed over to phone 2"
            assert work.was_said("phone 1 lets go of the right arm: handed over to phone 2")
            await work.play("phone 2 moves its hand 10 cm up")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool == pytest.approx(before)  # it held the clutch before the arm was its
            await work.play("phone 2 lets go", "phone 2 presses the clutch")
            await asyncio.sleep(0.3)
            assert arm().base_T_tool == pytest.approx(before)
            await work.play("phone 2 moves its hand 10 cm down")
            await asyncio.sleep(1.2)
            assert arm().base_T_tool[2] - before[2] == pytest.approx(-0.1, abs=2e-3)
        assert await work.desk.hand_over("phone 2") == "phone 2 drives already."

    at_work(tmp_path, play, "inspection")


def test_handing_over_to_somebody_while_nobody_drives_lets_them_drive(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        assert await work.desk.hand_over("phone 1") == "phone 1 drives."
        await asyncio.sleep(0.1)
        shown = work.desk.shown()
        assert [(line.name, line.driving) for line in shown.sessions] == [("phone 1", True)]

    at_work(tmp_path, play)


def test_a_code_to_point_a_phone_at_is_asked_for_and_is_another_one_each_time(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        assert await work.desk.open_pairing() == "Point the phone's camera at the code."
        first = work.desk.shown()
        assert first.code
        await work.desk.open_pairing()
        assert work.desk.shown().url != first.url

    at_work(tmp_path, play, phones=False)
