"""References that follow targets: bounds always hold, and what is feasible passes through untouched."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resources.arms.pose import Vector3
from resources.controllers.pursuit import ZERO3, JointPursuit, VectorPursuit
from resources.controllers.settings import ArmSettings, Bounds

BOUNDS = Bounds(1.0, 7.0, 300.0)
DT_S = 0.001
numbers = st.floats(-20.0, 20.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers)


#: While it turns, a speed at its bound grows a little before the jerk allows to take that back: by 3.9 % in
#: the worst course that a search of a minute has come to.
SPEED_BOUND = 1.05 * BOUNDS.speed
ROUND_A_CORNER = [
    ((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, 0.0), 66),
    ((0.0, 0.0, -1.0), (0.0, 1.0, 1.0), (0.0, 0.0, -17.0), 79),
    ((0.0, 0.0, 0.0), (0.0, 0.0, -2.0), (0.0, 0.0, -18.0), 33),
]


@given(st.lists(st.tuples(vectors, vectors, vectors, st.integers(1, 150)), min_size=1, max_size=8))
@example(ROUND_A_CORNER)
@settings(max_examples=25, deadline=None)
def test_no_target_gets_a_reference_beyond_its_bounds(
    targets: list[tuple[Vector3, Vector3, Vector3, int]],
) -> None:
    pursuit, position = VectorPursuit(BOUNDS, 25.0), ZERO3
    for target, velocity, acceleration, steps in targets:
        for _ in range(steps):
            x, y, z = position
            before = pursuit.acceleration
            error = target[0] - x, target[1] - y, target[2] - z
            wish = pursuit.wish(error, velocity, BOUNDS.speed, DT_S)
            pursuit.plan(wish, acceleration, BOUNDS.speed, DT_S)
            assert math.dist(before, pursuit.acceleration) / DT_S <= 1.0001 * BOUNDS.jerk
            dx, dy, dz = pursuit.step(DT_S)
            position = x + dx, y + dy, z + dz
            assert math.hypot(*pursuit.velocity) <= SPEED_BOUND
            assert math.hypot(*pursuit.acceleration) <= 1.0001 * BOUNDS.acceleration


@given(vectors)
@settings(max_examples=20, deadline=None)
def test_a_target_at_rest_is_reached_without_passing_it_far(target: Vector3) -> None:
    distance = math.hypot(*target)
    target = tuple(value / max(distance, 1.0) for value in target)  # type: ignore[assignment]
    pursuit, position = VectorPursuit(BOUNDS, 25.0), ZERO3
    passed = 0.0
    for _ in range(3000):
        error = target[0] - position[0], target[1] - position[1], target[2] - position[2]
        wish = pursuit.wish(error, ZERO3, BOUNDS.speed, DT_S)
        pursuit.plan(wish, ZERO3, BOUNDS.speed, DT_S)
        dx, dy, dz = pursuit.step(DT_S)
        position = position[0] + dx, position[1] + dy, position[2] + dz
        passed = max(passed, math.hypot(*position) - math.hypot(*target))
    assert math.dist(position, target) < 1e-5
    assert passed < 0.005


def test_a_feasible_target_passes_through() -> None:
    pursuit, position, worst = VectorPursuit(BOUNDS, 25.0), 0.0, 0.0
    for step in range(1000):
        now_s, next_s = step * DT_S, (step + 1) * DT_S
        error = 0.1 * (1 - math.cos(3 * next_s)) - position
        wish = pursuit.wish((error, 0.0, 0.0), (0.3 * math.sin(3 * next_s), 0.0, 0.0), BOUNDS.speed, DT_S)
        pursuit.plan(wish, (0.9 * math.cos(3 * now_s), 0.0, 0.0), BOUNDS.speed, DT_S)
        position += pursuit.step(DT_S)[0]
        worst = max(worst, abs(0.1 * (1 - math.cos(3 * next_s)) - position))
    assert worst < 1e-4


def test_joints_keep_their_own_bounds_and_stop_before_their_ends() -> None:
    limits = ArmSettings().limits
    speed, acceleration = 0.6 * np.array(limits.velocity), 0.6 * np.array(limits.acceleration)
    lower, upper = np.array(limits.lower), np.array(limits.upper)
    pursuit = JointPursuit(speed, acceleration, np.full(7, 250.0), lower, upper, 25.0)
    pursuit.start((lower + upper) / 2, np.zeros(7), np.zeros(7))
    random = np.random.default_rng(1)
    for step in range(2000):
        if step % 150 == 0:
            target, velocity = random.uniform(-5, 5, size=7), random.normal(size=7)
        before = pursuit.acceleration.copy()
        pursuit.advance(pursuit.wish(target, velocity), 10.0 * velocity, DT_S)
        assert (np.abs(pursuit.velocity) <= 1.01 * speed).all()
        assert (np.abs(pursuit.acceleration) <= 1.0001 * acceleration).all()
        assert (np.abs(pursuit.acceleration - before) <= 0.2501).all()
        assert (pursuit.position <= upper + 0.02).all()
        assert (pursuit.position >= lower - 0.02).all()
