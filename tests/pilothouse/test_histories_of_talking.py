"""What histories of talking have found: each as it was said."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from framework.testing import run
from pilothouse.testbed.histories import play_history
from pilothouse.testbed.histories.stage import HistoryStage
from pilothouse.testbed.histories.talking import Talk


@pytest.mark.parametrize("name", ["talking.moved", "talking.same", "talking.asked_for"])
def test_they_hold(name: str) -> None:
    assert play_history(name, 0) is None


@pytest.mark.parametrize(
    ("said", "at_m"),
    [
        (("move the left crane up 6 cm", "6 cm more"), 0.12),
        (("move the left crane up 40 cm", "2 cm more", "2 cm more", "2 cm further"), 0.46),
    ],
)
def test_as_much_again_is_so_whatever_it_was_before(
    said: tuple[str, ...], at_m: float, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with HistoryStage(random.Random(0), lambda: tmp_path) as stage:
            talk = Talk(stage)
            async with talk.desk:
                for text in said:
                    await talk.says(text)
                assert talk.yard.at_m["left"] == pytest.approx(at_m), talk.answers

    run(scene)


def test_the_same_with_another_one_begins_beside_what_stays(tmp_path: Path) -> None:
    async def scene() -> None:
        async with HistoryStage(random.Random(0), lambda: tmp_path) as stage:
            talk = Talk(stage)
            async with talk.desk:
                await talk.says("watch the crate")
                reply = await talk.says("the same with the barrel")
                assert reply.succeeded, talk.answers
                assert [job.parameters["load"] for job in talk.desk.going()] == ["crate", "barrel"]

    run(scene)


@pytest.mark.parametrize(
    ("then", "left_m", "right_m"),
    [("2 cm more", 2.02, 0.0), ("the same down", 0.0, 0.0), ("no, 1 m", 1.0, 0.0)],
)
def test_what_comes_after_a_long_move_waits_for_all_of_it(
    then: str, left_m: float, right_m: float, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with HistoryStage(random.Random(0), lambda: tmp_path) as stage:
            talk = Talk(stage)
            talk.yard.speed_mps = 0.05
            async with talk.desk:
                await talk.says("move the left crane up 2 m", rests=False)
                await talk.says(then, rests=False)
                await asyncio.sleep(120.0)
                assert talk.yard.at_m == pytest.approx({"left": left_m, "right": right_m}), talk.answers

    run(scene)
