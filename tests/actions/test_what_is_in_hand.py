"""What somebody who drives may ask for meanwhile: not what is in their hand, but all else."""

from __future__ import annotations

from pathlib import Path

import pytest

import pilothouse as ph
from tests.managers.operators_at_work import AtWork, at_work

FIRST = 'say "carry on" first'


async def with_an_arm_in_hand(work: AtWork, words: str) -> tuple[str, str]:
    """Somebody drives, having said these words; which side of the robot they have, and the other one."""
    await work.play("phone 1 comes")
    await work.done(words, "phone 1")
    (driven,) = work.session("phone 1").seat.driven
    mine = driven.arm.removesuffix("_arm")
    return mine, {"left": "right", "right": "left"}[mine]


@pytest.mark.parametrize("words", ["let me drive", "let me drive the left arm"])
def test_the_other_arm_and_its_gripper_may_be_asked_for(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        mine, other = await with_an_arm_in_hand(work, words)
        await work.done(f"open the {other} gripper", "phone 1")
        await work.done(f"move the {other} arm up 5 cm", "phone 1")
        assert await work.refused(f"open the {mine} gripper", "phone 1") == (
            f"You drive it: use the gripper button, or {FIRST}."
        )
        assert await work.refused(f"move the {mine} arm up 5 cm", "phone 1") == (
            f"That needs the {mine} arm, and phone 1 drives the {mine} arm: {FIRST}."
        )

    at_work(tmp_path, play, "inspection")


def test_without_a_side_what_is_in_ones_hand_is_meant_and_nothing_else_moves(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await with_an_arm_in_hand(work, "let me drive the left arm")
        async with work.watching("right") as right:
            before = right().q
            assert await work.refused("move up 5 cm", "phone 1") == (
                f"That needs the arm, and phone 1 drives the left arm: {FIRST}, or say which arm you mean."
            )
            assert await work.refused("open the gripper", "phone 1") == (
                f"You drive it: use the gripper button, or {FIRST}, or say which gripper you mean."
            )
            assert right().q == before
        await work.done("move the right arm up 5 cm", "console")

    at_work(tmp_path, play, "inspection")


def test_whoever_drives_the_base_has_no_arm_and_no_gripper(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive the base", "phone 1")
        await work.done("open the gripper", "phone 1")
        await work.done("move the left arm up 5 cm", "phone 1")
        assert "phone 1 drives the base" in await work.refused("drive forward 10 cm", "phone 1")

    at_work(tmp_path, play, "inspection")


def test_somebody_at_the_terminal_is_told_who_has_it_and_the_driver_drives_on(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        assert (await work.refused("let me drive", "terminal")).endswith(
            'Phone 1 has the arm: who drives says "carry on" first, or hands it over on the console.'
        )
        assert await work.done("let me drive", "phone 1") == "That is being done already: let me drive."
        assert work.session("phone 1").seat.seat is ph.Seat.READY

    at_work(tmp_path, play)
