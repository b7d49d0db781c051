"""Lengths, angles and progress as people read them."""

from __future__ import annotations

import math

import pytest

from resources.types.begun import in_steps
from resources.types.motion_words import angle_in_words, length_in_words


@pytest.mark.parametrize(
    ("metres", "words"),
    [
        (0.0005, "0.5 mm"),
        (0.008, "8 mm"),
        (0.05, "5 cm"),
        (0.125, "12.5 cm"),
        (1.0, "1 m"),
        (1.25, "1.25 m"),
        (12.0, "12 m"),
    ],
)
def test_lengths(metres: float, words: str) -> None:
    assert length_in_words(metres) == words


def test_angles() -> None:
    assert angle_in_words(math.pi / 2) == "90°"
    assert angle_in_words(math.radians(22.5)) == "22.5°"


def test_progress_is_told_in_quarters() -> None:
    told: list[tuple[float, str]] = []
    progress = in_steps(lambda done, text: told.append((done, text)), "moving")
    for step in range(101):
        progress(step / 100)
    progress(1.0)
    assert [round(done, 2) for done, _ in told] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert {text for _, text in told} == {"moving"}


def test_progress_that_jumps_still_comes_to_its_end() -> None:
    told: list[float] = []
    progress = in_steps(lambda done, _: told.append(done), "moving")
    for done in (0.9, 1.0):
        progress(done)
    assert told == [0.9, 1.0]
