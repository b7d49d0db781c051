"""What histories of talking have found: each as it was said."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from framework.testing import run
from pilothouse.testbed.histories.stage import HistoryStage
from pilothouse.testbed.histories.talking import Talk


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
