"""Real LaserScan messages, good and bad, as ranges of ours."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sensor_msgs.msg import LaserScan

from framework.errors import MalformedMessage
from resources.drivers.ros.lidar_child import ranges_of


def scan(*ranges: float, **changes: float) -> LaserScan:
    message = LaserScan()
    message.angle_increment = 0.01
    message.range_min, message.range_max = 0.1, 10.0
    message.ranges = list(ranges)
    for name, value in changes.items():
        setattr(message, name, value)
    return message


def test_what_is_no_distance_was_not_hit() -> None:
    found = ranges_of(scan(1.5, math.nan, math.inf, -1.0, 0.05, 10.5, 10.0))
    assert found.dtype == np.float32
    assert found.tolist() == [1.5, math.inf, math.inf, math.inf, math.inf, math.inf, 10.0]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (scan(), "a scan of 0 beams came; 1 to 3 are allowed"),
        (scan(1.0, 1.0, 1.0, 1.0), "a scan of 4 beams came"),
        (scan(1.0, angle_increment=math.nan), "angle_increment"),
        (scan(1.0, range_max=math.nan), "range_max"),
    ],
)
def test_what_is_no_scan_is_refused_with_what_came(message: LaserScan, words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        ranges_of(message, most=3)
