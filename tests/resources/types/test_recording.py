"""From samples of a guided arm to a motion that can be kept."""

from __future__ import annotations

import math
import random

import pytest

from framework.errors import PilothouseError
from resources.types.memory import MOST_WAYPOINTS
from resources.types.motion import Joints7
from resources.types.paths import Course
from resources.types.recording import LONGEST_S, recorded


def moved(passed_s: float) -> Joints7:
    """Still for a second, to and fro for ten, then still."""
    t = min(max(passed_s - 1.0, 0.0), 10.0)
    swing = 0.4 * math.sin(0.8 * math.pi * t) * math.sin(math.pi * t / 10.0)
    return (swing, -swing, 0.5 * swing, -2.0, 0.0, 1.5 + 0.3 * swing, 0.8)


def samples(
    until_s: float, *, rate_hz: float = 100.0, tremor: float = 0.0, seed: int = 0
) -> list[tuple[float, Joints7]]:
    draw = random.Random(seed)
    found = []
    time_s = 7.0
    while time_s < 7.0 + until_s:
        q = moved(time_s - 7.0)
        shaken = tuple(value + tremor * math.sin(2.0 * math.pi * 9.0 * time_s) for value in q)
        found.append((time_s, (shaken[0], shaken[1], shaken[2], shaken[3], shaken[4], shaken[5], shaken[6])))
        time_s += (1.0 + 0.2 * draw.random()) / rate_hz
    return found


def worst_miss(path_from: list[tuple[float, Joints7]], delay_s: float = 0.9) -> float:
    """Between the replayed motion and the one that was really made, once they are laid over each other."""
    course = Course.of(recorded("wave", "left", path_from))

    def miss(shift_s: float) -> float:
        return max(
            abs(a - b)
            for step in range(int(course.duration_s / 0.05))
            for a, b in zip(course.at(0.05 * step)[0], moved(0.05 * step + shift_s), strict=True)
        )

    return min(miss(delay_s + 0.01 * shift) for shift in range(-10, 40))


def test_what_is_kept_begins_and_ends_with_the_motion() -> None:
    path = recorded("wave", "left", samples(13.0))
    assert (path.name, path.side) == ("wave", "left")
    assert path.waypoints[0].time_s == 0.0
    assert path.duration_s == pytest.approx(10.2, abs=0.3)
    assert len(path.waypoints) <= 110


def test_what_is_kept_is_what_was_done() -> None:
    assert worst_miss(samples(13.0)) < 0.004


def test_tremor_is_not_kept() -> None:
    assert worst_miss(samples(13.0, tremor=0.004)) < 0.005


def test_a_stop_in_the_middle_keeps_all_until_then() -> None:
    path = recorded("wave", "left", samples(6.0))
    assert path.waypoints[-1].joints == pytest.approx(moved(5.98), abs=0.01)


def test_a_long_motion_still_fits() -> None:
    taken = [(0.01 * step, moved(1.0 + math.fmod(0.01 * step, 10.0))) for step in range(int(100 * LONGEST_S))]
    path = recorded("wave", "", taken)
    assert path.duration_s == pytest.approx(LONGEST_S, abs=0.3)
    assert len(path.waypoints) <= MOST_WAYPOINTS


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        ([], "that was no motion"),
        (samples(0.1), "that was no motion"),
        ([(0.01 * step, moved(0.0)) for step in range(300)], "the arm was not moved"),
        (samples(13.0, rate_hz=20.0), r"reported 1\d times a second, that is too seldom .* 25 are needed"),
        ([(0.02 * step, moved(0.0)) for step in range(4000)], "a motion of 80 s is too long"),
        ([(1.0, moved(0.0))] * 300, "that was no motion"),
    ],
)
def test_what_is_no_motion_is_said(taken: list[tuple[float, Joints7]], words: str) -> None:
    with pytest.raises(PilothouseError, match=words):
        recorded("wave", "left", taken)


def test_samples_that_come_twice_or_late_do_no_harm() -> None:
    taken = samples(13.0)
    doubled = [sample for sample in taken for _ in range(2)]
    assert recorded("wave", "left", doubled) == recorded("wave", "left", taken)
