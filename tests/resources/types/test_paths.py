"""Replaying a taught motion: smooth, through its points, never too fast, and never with a jump."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.errors import PilothouseError
from resources.types.memory import RememberedPath, Waypoint
from resources.types.motion import Joints7
from resources.types.paths import LONGEST_STEP_S, Course, Pace

SPEED = (1.2,) * 7


def seven(value: float) -> Joints7:
    return (value, -value, 0.0, 2.0 * value, 0.1, 0.2, 0.3)


def path(*points: tuple[float, float]) -> RememberedPath:
    return RememberedPath("wave", "left", tuple(Waypoint(time_s, seven(value)) for time_s, value in points))


WAVE = path((0.0, 0.0), (0.5, 0.3), (1.0, 0.5), (1.7, 0.2), (2.0, 0.0))


def test_it_goes_through_every_point_at_its_time() -> None:
    course = Course.of(WAVE)
    assert course.slowness == 1.0
    for point in WAVE.waypoints:
        assert course.at(point.time_s)[0] == pytest.approx(point.joints)
    assert course.first == pytest.approx(seven(0.0))
    assert course.last == pytest.approx(seven(0.0))


def test_a_cubic_is_met_exactly_at_uneven_times() -> None:
    # Splines of degree 3 reproduce parabolas, whatever their knots.
    times = (0.0, 0.3, 0.4, 1.1, 1.5)
    course = Course.of(path(*((t, 0.2 + 0.5 * t - 0.3 * t * t) for t in times)))
    for t in np.linspace(0.0, 1.49, 31):
        joints, velocities = course.at(float(t))
        assert joints[0] == pytest.approx(0.2 + 0.5 * t - 0.3 * t * t, abs=1e-12)
        assert velocities[0] == pytest.approx(0.5 - 0.6 * t, abs=1e-12)


def test_velocities_are_those_of_the_positions() -> None:
    course = Course(WAVE, SPEED, 4.0, 0.5)
    times = np.arange(0.0, course.duration_s, 1e-3)
    joints = np.array([course.at(float(t))[0] for t in times])
    velocities = np.array([course.at(float(t))[1] for t in times])
    assert np.abs(np.diff(joints, axis=0) / 1e-3 - velocities[:-1]).max() < 0.01


def test_before_and_after_it_rests_at_its_ends() -> None:
    course = Course.of(WAVE)
    for time_s in (-1.0, course.duration_s, 100.0):
        assert course.at(time_s)[1] == (0.0,) * 7
    assert course.at(-1.0)[0] == pytest.approx(course.first)
    assert course.at(100.0)[0] == pytest.approx(course.last)


@settings(max_examples=25, deadline=None)
@given(
    values=st.lists(st.floats(-1.5, 1.5), min_size=2, max_size=12),
    steps=st.lists(st.floats(0.02, 1.0), min_size=11, max_size=11),
    share=st.floats(0.05, 1.0),
)
def test_no_joint_is_ever_faster_than_it_may(values: list[float], steps: list[float], share: float) -> None:
    times = [0.0, *np.cumsum(steps)][: len(values)]
    course = Course(path(*zip(times, values, strict=True)), SPEED, 4.0, share)
    assert course.slowness >= 1.0 / share
    sampled = np.array([course.at(float(t))[1] for t in np.linspace(0.0, course.duration_s, 200)])
    assert np.abs(sampled).max() <= 1.2 * (1.0 + 1e-9)
    # The bounds are exact: nothing is slower than it needs to be, but for its own share.
    fine = np.array([course.at(float(t))[1] for t in np.linspace(0.0, course.duration_s, 2000)])
    accelerations = np.abs(np.diff(fine, axis=0)).max() / (course.duration_s / 1999)
    reached = max(np.abs(fine).max() / 1.2, accelerations / 4.0)
    ends = np.abs(fine[[0, -2]]).max()  # a course may begin and end in motion: `Pace` sees to that
    assert reached > 0.9 or course.slowness == pytest.approx(1.0 / share) or ends > 0.0


def test_limits_of_joints_are_seen_beforehand() -> None:
    course = Course.of(WAVE)
    lower, upper = (-3.0,) * 7, (3.0,) * 7
    assert course.outside(lower, upper) == ""
    words = course.outside(lower, (3.0, 3.0, 3.0, 0.9, 3.0, 3.0, 3.0))
    assert words == "joint 4 would be at 57° after 1.0 s; it goes from -172° to 52°"


def test_a_motion_of_one_point_is_none() -> None:
    with pytest.raises(PilothouseError, match="no points"):
        Course.of(path((0.0, 0.0)))


def steps_of(pace: Pace, every_s: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    joints, velocities = [], []
    while not pace.is_over:
        q, dq = pace.step(every_s)
        joints.append(q)
        velocities.append(dq)
        assert len(joints) < 10_000
    return np.array(joints), np.array(velocities)


@pytest.mark.parametrize("at_s", [0.0, 0.7])
def test_it_is_begun_and_ended_gently_wherever_that_is(at_s: float) -> None:
    # This one is cut off in the middle of its motion.
    course = Course.of(path((0.0, 0.0), (1.0, 0.5), (2.0, 1.0)))
    joints, velocities = steps_of(Pace(course, at_s))
    assert joints[-1] == pytest.approx(course.last)
    assert np.abs(velocities[0]).max() < 0.05 and np.abs(velocities[-1]).max() == 0.0
    assert np.abs(np.diff(velocities, axis=0)).max() / 0.02 < 5.0
    start = np.array([course.at(at_s)[0]])
    moved = np.abs(np.diff(np.concatenate((start, joints)), axis=0)).max() / 0.02
    assert moved <= np.abs(velocities).max() * 1.05


def test_who_was_held_up_does_not_jump() -> None:
    course = Course.of(path((0.0, 0.0), (1.0, 0.5), (2.0, 1.0)))
    pace = Pace(course)
    while pace.at_s < 0.5:
        pace.step(0.02)
    before = pace.at_s
    _, velocities = pace.step(3.0)
    # As if it began there: the arm has come to rest meanwhile.
    assert pace.at_s - before <= LONGEST_STEP_S * 0.25
    assert np.abs(velocities).max() < 0.3
    assert 0.0 < pace.done < 1.0


def test_the_time_of_a_whole_motion_is_a_little_longer_than_its_course() -> None:
    course = Course(WAVE, SPEED, 4.0)
    joints, _ = steps_of(Pace(course))
    assert course.duration_s < len(joints) * 0.02 < course.duration_s + 1.0
    assert math.isclose(Pace(course, 99.0).at_s, course.duration_s)
