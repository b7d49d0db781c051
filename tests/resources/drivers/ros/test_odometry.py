"""What a base says of itself: measurements, what is none, and what cannot have happened."""

from __future__ import annotations

import math

import pytest

from framework.errors import MalformedMessage, MotionFailed
from resources.arms.pose import Quaternion
from resources.drivers.ros.odometry import OdometryTrack

STANDS = (0.0, 0.0, 0.0)
LEVEL: Quaternion = (0.0, 0.0, 0.0, 1.0)


def turned(yaw: float) -> Quaternion:
    return (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))


def test_yaw_goes_on_where_a_quaternion_wraps() -> None:
    track = OdometryTrack()
    for number in range(40):
        track.take(1.0, 2.0, turned(0.2 * number), (0.0, 0.0, 2.0), 0.1 * number)
    assert track.odometry == pytest.approx((1.0, 2.0, 7.8))
    assert track.velocity == (0.0, 0.0, 2.0)


@pytest.mark.parametrize(
    ("x", "rotation", "velocity", "words"),
    [
        (math.nan, LEVEL, STANDS, "it is no number"),
        (0.0, LEVEL, (math.inf, 0.0, 0.0), "it is no number"),
        (0.0, (0.0, 0.0, 0.0, 0.0), STANDS, "of length 0.000; 1 is allowed"),
        (0.0, (1.0, 0.0, 0.0, 0.0), STANDS, "lies on its side"),
    ],
)
def test_what_is_no_measurement_changes_nothing(
    x: float, rotation: Quaternion, velocity: tuple[float, float, float], words: str
) -> None:
    track = OdometryTrack()
    track.take(0.5, 0.0, LEVEL, STANDS, 1.0)
    with pytest.raises(MalformedMessage, match=words):
        track.take(x, 0.0, rotation, velocity, 1.1)
    assert (track.odometry, track.stamp_s) == ((0.5, 0.0, 0.0), 1.0)


def test_a_jump_is_told_once_and_a_long_way_in_a_long_time_is_none() -> None:
    track = OdometryTrack()
    track.take(0.0, 0.0, LEVEL, STANDS, 1.0)
    with pytest.raises(MotionFailed, match=r"jumped by 2\.00 m and 0° within 0\.02 s"):
        track.take(2.0, 0.0, LEVEL, STANDS, 1.02)
    track.take(2.0, 0.0, LEVEL, STANDS, 1.04)
    with pytest.raises(MotionFailed, match=r"jumped by 0\.00 m and 90°"):
        track.take(2.0, 0.0, turned(math.pi / 2), STANDS, 1.06)
    track.take(5.0, 0.0, turned(math.pi / 2), STANDS, 3.0)
    assert track.odometry[0] == 5.0
