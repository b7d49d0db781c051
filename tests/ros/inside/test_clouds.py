"""Real PointCloud2 messages, good and bad, as points of ours."""

from __future__ import annotations

import array
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sensor_msgs.msg import PointCloud2, PointField

from framework.errors import MalformedMessage
from resources.drivers.ros.clouds import points_of

POINTS = [(1.0, 2.0, 3.0), (math.nan, 0.0, 0.0), (-1.5, 0.25, 8.0), (0.0, math.inf, 0.0)]
KINDS = {"f4": PointField.FLOAT32, "f8": PointField.FLOAT64, "i4": PointField.INT32}


def cloud(
    points: list[tuple[float, float, float]] = POINTS,
    *,
    kinds: tuple[str, str, str] = ("f4", "f4", "f4"),
    offsets: tuple[int, int, int] = (0, 4, 8),
    step: int = 16,
    height: int = 1,
    padding: int = 0,
    big: bool = False,
    **changes: Any,
) -> PointCloud2:
    order = ">" if big else "<"
    formats = [order + kind for kind in kinds]
    layout = np.dtype({"names": list("xyz"), "formats": formats, "offsets": list(offsets), "itemsize": step})
    content: NDArray[Any] = np.array(points, layout)
    width = len(points) // height
    rows = content.view(np.uint8).reshape(height, -1)
    message = PointCloud2(height=height, width=width, point_step=step, is_bigendian=big, is_dense=False)
    message.row_step = width * step + padding
    message.fields = [
        PointField(name=name, offset=offset, datatype=KINDS[kind], count=1)
        for name, offset, kind in zip("xyz", offsets, kinds, strict=True)
    ]
    message.data = array.array("B", np.pad(rows, ((0, 0), (0, padding))).tobytes())
    for name, value in changes.items():
        setattr(message, name, value)
    return message


def tall(height: int) -> PointCloud2:
    message = cloud()
    message.height = height
    return message


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(
    "layout",
    [
        {},
        {"offsets": (8, 0, 4), "step": 12},
        {"offsets": (5, 9, 1), "step": 13},
        {"kinds": ("f8", "f4", "f8"), "offsets": (0, 8, 16), "step": 24},
        {"height": 2, "padding": 7},
    ],
)
def test_points_are_found_however_they_lie_and_what_is_none_is_left_out(
    layout: dict[str, Any], big: bool
) -> None:
    found = points_of(cloud(big=big, **layout), 1000)
    assert found.dtype == np.float32
    assert found.tolist() == [[1.0, 2.0, 3.0], [-1.5, 0.25, 8.0]]


def test_a_cloud_that_says_it_is_dense_and_is_not_is_not_believed() -> None:
    assert len(points_of(cloud(is_dense=True), 1000)) == 2


def test_a_large_cloud_is_thinned_evenly() -> None:
    found = points_of(cloud([(float(number), 0.0, 0.0) for number in range(1000)]), 300)
    assert found[:, 0].tolist() == list(range(0, 1000, 4))


def test_numbers_that_our_floats_cannot_hold_are_no_points() -> None:
    message = cloud(
        [(1e300, 0.0, 0.0), (1.0, 0.0, 0.0)], kinds=("f8", "f8", "f8"), offsets=(0, 8, 16), step=24
    )
    assert points_of(message, 10).tolist() == [[1.0, 0.0, 0.0]]


def test_an_empty_cloud_is_one() -> None:
    assert points_of(cloud([]), 10).shape == (0, 3)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (cloud(fields=[]), "without field x; x, y and z are needed, its fields are none"),
        (cloud(kinds=("f4", "f4", "i4")), "z is 1 of INT32; one FLOAT32 or FLOAT64 is allowed"),
        (cloud(point_step=10), "4×1 points of 10 bytes"),
        (cloud(point_step=0), "4×1 points of 0 bytes"),
        (cloud(height=2, row_step=3), "rows of 3,"),
        (cloud(width=5), "5×1 points of 16 bytes, rows of 64, came in 64 bytes"),
        (cloud(width=4_000_000_000), "came in 64 bytes"),
        (tall(4_000_000_000), "came in 64 bytes"),
    ],
)
def test_what_is_no_cloud_is_refused_with_what_came(message: PointCloud2, words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        points_of(message, 1000)
