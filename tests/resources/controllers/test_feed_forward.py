"""A hand's velocity and acceleration: honest ones are left alone, and a lie moves no arm far."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from pilothouse.testbed.hand_stage import HandStage
from resources.controllers.feed_forward import DIFFERS, GAINS, GAINS_TURN, FeedForward
from resources.types.masters import SILENCE_S, HandSample
from resources.types.motion import REST6, Vector6
from resources.types.streams import IDENTITY

PERIOD_S = 1 / 60


def reached(share: float) -> float:
    """Of a way with the least jerk."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


@pytest.mark.parametrize(("way", "seconds"), [(0.30, 0.6), (0.15, 0.5), (0.02, 1.0)])
def test_an_honest_motion_is_believed_as_it_is(way: float, seconds: float) -> None:
    noise = random.Random(1)
    feed = FeedForward()
    for count in range(round(seconds / PERIOD_S)):
        share = count * PERIOD_S / seconds
        velocity = way / seconds * 30.0 * share**2 * (1.0 - share) ** 2
        acceleration = way / seconds**2 * 60.0 * share * (1.0 - share) * (1.0 - 2.0 * share)
        y = way * reached(share) + noise.gauss(0.0, 5e-4)
        sample = HandSample(
            "me",
            count,
            count * PERIOD_S,
            count * PERIOD_S,
            1,
            base_T_hand=(0.0, y, 0.0, 0.0, 0.0, 0.0, 1.0),
            twist=(0.0, velocity, 0.0, 0.0, 0.0, 0.0),
            acceleration=(0.0, acceleration, 0.0, 0.0, 0.0, 0.0),
        )
        feed.see(sample)
        assert feed.twist == sample.twist
        assert feed.acceleration == pytest.approx(sample.acceleration, abs=0.5)


def test_an_honest_turn_is_believed_as_it_is() -> None:
    feed = FeedForward()
    for count in range(30):
        half = 0.5 * 3.0 * count * PERIOD_S
        sample = HandSample(
            "me",
            count,
            count * PERIOD_S,
            count * PERIOD_S,
            1,
            base_T_hand=(0.0, 0.0, 0.0, 0.0, 0.0, math.sin(half), math.cos(half)),
            twist=(0.0, 0.0, 0.0, 0.0, 0.0, 3.0),
        )
        feed.see(sample)
    assert feed.twist == sample.twist


def test_poses_at_the_same_time_say_no_velocity() -> None:
    feed = FeedForward()
    for count in range(40):
        feed.see(HandSample("me", count, 5.0, 5.0, 1, twist=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    assert feed.twist[0] == pytest.approx(DIFFERS)


FAST: Vector6 = (2.9, 0.0, 0.0, 0.0, 0.0, 0.0)
HARD: Vector6 = (0.0, 30.0, 0.0, 0.0, 0.0, 0.0)
LIES: dict[str, tuple[Callable[[int], Vector6], Callable[[int], Vector6]]] = {
    "fast, always": (lambda _: FAST, lambda _: REST6),
    "fast, at last": (lambda count: FAST if count == 29 else REST6, lambda _: REST6),
    "hard, always": (lambda _: REST6, lambda _: HARD),
    "hard, at last": (lambda _: REST6, lambda count: HARD if count == 29 else REST6),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_hand_at_rest_that_is_said_to_move_takes_no_arm_along(lie: str) -> None:
    """Before this was bounded the first of them moved it by 350 mm, until the link fell silent and after."""
    twist, acceleration = LIES[lie]
    stage = HandStage()
    for engagement in (0, 1):
        for _ in range(12):
            stage.hand(IDENTITY, engagement)
            stage.run(0.016)
    assert stage.state.engaged == 1
    before, furthest = stage.tool, 0.0
    for count in range(30):
        stage.hand(IDENTITY, 1, twist=twist(count), acceleration=acceleration(count))
        for _ in range(16):
            stage.step()
            furthest = max(furthest, float(np.linalg.norm(stage.tool - before)))
    for _ in range(500):
        stage.step()
        furthest = max(furthest, float(np.linalg.norm(stage.tool - before)))
    assert furthest < 0.06
    assert stage.state.engaged == 0


def test_an_acceleration_beyond_all_numbers_is_bounded_like_any_other() -> None:
    """A master may say whatever it likes: no loop that follows it breaks by that."""
    feed = FeedForward()
    for count in range(3):
        time_s = count * PERIOD_S
        feed.see(HandSample("me", count, time_s, time_s, 1, acceleration=(1e300, 0.0, 0.0, -1e300, 0.0, 0.0)))
        x, _, _, turn, _, _ = feed.acceleration
        assert 0.0 <= x <= GAINS / SILENCE_S + 1e-9
        assert -GAINS_TURN / SILENCE_S - 1e-9 <= turn <= 0.0
