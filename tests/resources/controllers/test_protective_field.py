"""How fast a base may drive in front of what its scanners see, and where they see nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from resources.controllers.protective_field import (
    Braking,
    Outline,
    Points,
    Sector,
    Twist,
    allowance,
    unseen_share,
)
from tests.effort import random_inputs

OUTLINE = Outline(1.0, 0.6)
BRAKING = Braking(deceleration=1.5, turn_deceleration=3.0, reaction_s=0.1, margin_m=0.06)
FRONT = Sector(0.4, 0.0, -math.radians(95), math.radians(95))


def points(*xy: tuple[float, float]) -> Points:
    return np.array(xy, dtype=np.float64).reshape(-1, 2)


def until_it_stands(twist: Twist, share: float) -> list[tuple[float, float, float]]:
    """Where the base comes by from reacting and braking, step by step: x, y, yaw."""
    x = y = yaw = 0.0
    stop_s, dt_s, way = BRAKING.duration_s(twist) * share, 0.002, [(0.0, 0.0, 0.0)]
    time_s = 0.0
    while time_s < BRAKING.reaction_s + stop_s:
        left = 1.0 if time_s < BRAKING.reaction_s else 1.0 - (time_s - BRAKING.reaction_s) / stop_s
        forward, sideways, turn = (share * left * value for value in twist)
        x += (math.cos(yaw) * forward - math.sin(yaw) * sideways) * dt_s
        y += (math.sin(yaw) * forward + math.cos(yaw) * sideways) * dt_s
        yaw += turn * dt_s
        time_s += dt_s
        way.append((x, y, yaw))
    return way


def clearance(way: list[tuple[float, float, float]], obstacles: Points) -> float:
    """The least distance of the outline from the obstacles on the way."""
    least = math.inf
    for x, y, yaw in way:
        dx, dy = obstacles[:, 0] - x, obstacles[:, 1] - y
        distances = OUTLINE.distances(
            math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx
        )
        least = min(least, float(distances.min()))
    return least


@pytest.mark.parametrize(
    ("x", "y", "distance"),
    [(0.8, 0.0, 0.3), (0.5, 0.0, 0.0), (0.0, 0.7, 0.4), (0.8, 0.7, 0.5), (0.4, 0.0, -0.1), (0.0, 0.0, -0.3)],
)
def test_the_outline_knows_how_far_a_point_is(x: float, y: float, distance: float) -> None:
    assert float(OUTLINE.distances(np.array(x), np.array(y))) == pytest.approx(distance)


@random_inputs(150)
@given(
    twist=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1.5, 1.5)),
    obstacle=st.tuples(st.floats(-2, 2), st.floats(-2, 2)),
)
@example(twist=(0.0, 0.0, 5e-324), obstacle=(0.0, 0.5))
def test_what_is_allowed_stops_before_the_margin_and_not_long_before(
    twist: Twist, obstacle: tuple[float, float]
) -> None:
    seen = points(obstacle)
    start = float(OUTLINE.distances(seen[:, 0], seen[:, 1])[0])
    if start < BRAKING.margin_m:
        return
    allowed = allowance(seen, twist, OUTLINE, BRAKING)
    assert 0.0 <= allowed.share <= 1.0
    # Two looks are at most 2 cm apart; a corner may pass between them by less than that.
    assert clearance(until_it_stands(twist, allowed.share), seen) >= BRAKING.margin_m - 0.012
    if 0.0 < allowed.share < 0.9 and max(map(abs, twist)) > 0.2:
        faster = until_it_stands(twist, min(2.0 * allowed.share + 0.3, 1.0))
        assert clearance(faster, seen) < BRAKING.margin_m + 0.02
        assert allowed.culprit == 0


def test_the_field_grows_with_speed_and_looks_where_the_base_goes() -> None:
    wall = points(*((0.7, y) for y in np.linspace(-1, 1, 41)))
    shares = [allowance(wall, (speed, 0.0, 0.0), OUTLINE, BRAKING).share for speed in (0.2, 0.6, 1.0)]
    assert shares[0] == 1.0 > shares[1] > shares[2] > 0.3
    for away in ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)):
        assert allowance(wall, away, OUTLINE, BRAKING).share == 1.0


def test_a_corner_that_swings_out_is_looked_after() -> None:
    beside = points((-0.4, 0.45))  # the rear left corner comes by when it turns right
    assert allowance(beside, (0.0, 0.0, -1.0), OUTLINE, BRAKING).share < 0.9
    assert allowance(beside, (0.0, 0.0, 1.0), OUTLINE, BRAKING).share == 1.0
    assert allowance(beside, (1.0, 0.0, 0.0), OUTLINE, BRAKING).share == 1.0


def test_who_is_inside_the_margin_already_may_only_leave() -> None:
    near = points((0.53, 0.0))
    assert allowance(near, (0.3, 0.0, 0.0), OUTLINE, BRAKING).share == 0.0
    assert allowance(near, (-0.3, 0.0, 0.0), OUTLINE, BRAKING).share == 1.0


def test_nothing_seen_and_no_motion_are_free() -> None:
    assert allowance(points(), (1.0, 0.0, 0.0), OUTLINE, BRAKING).share == 1.0
    assert allowance(points((0.51, 0.0)), (0.0, 0.0, 0.0), OUTLINE, BRAKING).share == 1.0


def test_where_no_scanner_looks_the_outline_crawls() -> None:
    crawl = 0.15
    assert unseen_share((FRONT,), (1.0, 0.0, 0.0), OUTLINE, crawl) == 1.0
    assert unseen_share((FRONT,), (-1.0, 0.0, 0.0), OUTLINE, crawl) == pytest.approx(crawl)
    assert unseen_share((FRONT,), (0.0, 0.5, 0.0), OUTLINE, crawl) == pytest.approx(crawl / 0.5)
    assert unseen_share((FRONT,), (-0.1, 0.0, 0.0), OUTLINE, crawl) == 1.0
    turning = unseen_share((FRONT,), (0.0, 0.0, 1.0), OUTLINE, crawl)
    assert turning == pytest.approx(crawl / 0.5)  # the rear corners are half a metre behind the middle
    assert unseen_share((FRONT,), (0.5, 0.0, 0.2), OUTLINE, crawl) == 1.0
    assert unseen_share((), (1.0, 0.0, 0.0), OUTLINE, crawl) == pytest.approx(crawl)
    rear = Sector(-0.4, 0.0, math.pi - 2.0, math.pi + 2.0)
    assert unseen_share((FRONT, rear), (-1.0, 0.0, 0.0), OUTLINE, crawl) == 1.0


def test_a_sector_may_lie_across_the_back() -> None:
    rear = Sector(0.0, 0.0, math.radians(135), math.radians(225))
    seen = rear.sees(points((-1.0, 0.0), (-1.0, 0.2), (-1.0, -0.2), (1.0, 0.0), (0.0, 1.0)))
    assert seen.tolist() == [True, True, True, False, False]


def test_an_outline_may_jut_out_to_one_side() -> None:
    reaching = Outline(1.4, 0.6, x_m=0.2)
    assert float(reaching.distances(np.array(1.0), np.array(0.0))) == pytest.approx(0.1)
    assert float(reaching.distances(np.array(-0.6), np.array(0.0))) == pytest.approx(0.1)
    assert reaching.radius_m == pytest.approx(math.hypot(0.9, 0.3))
    wall = points(*((1.1, y) for y in np.linspace(-1, 1, 41)))
    assert allowance(wall, (0.6, 0.0, 0.0), OUTLINE, BRAKING).share == 1.0
    assert allowance(wall, (0.6, 0.0, 0.0), reaching, BRAKING).share < 0.9
    assert unseen_share((FRONT,), (0.0, 0.0, 1.0), reaching, 0.15) == pytest.approx(0.15 / 0.5)
