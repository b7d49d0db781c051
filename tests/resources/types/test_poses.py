"""Poses chained, inverted, turned."""

from __future__ import annotations

import math
import random

import pytest

from resources.types.poses import (
    about,
    angle_between,
    between,
    chained,
    conjugate,
    inverse,
    pose,
    position_of,
    product,
    rotation_of,
    turned,
    unit,
)
from resources.types.streams import IDENTITY, Pose7


def some(seed: int) -> Pose7:
    draw = random.Random(seed)
    x, y, z, a, b, c, d = (draw.gauss(0.0, 1.0) for _ in range(7))
    return pose((x, y, z), unit((a, b, c, d)))


@pytest.mark.parametrize("seed", range(10))
def test_a_pose_and_its_inverse_are_nothing(seed: int) -> None:
    assert chained(some(seed), inverse(some(seed))) == pytest.approx(IDENTITY)
    assert chained(IDENTITY, some(seed)) == pytest.approx(some(seed))


@pytest.mark.parametrize("seed", range(10))
def test_a_chain_does_to_a_point_what_its_links_do(seed: int) -> None:
    a_T_b, b_T_c = some(seed), some(seed + 100)
    point = (0.3, -0.2, 0.9)

    def applied(frame: Pose7, to: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = turned(rotation_of(frame), to)
        return x + frame[0], y + frame[1], z + frame[2]

    assert applied(chained(a_T_b, b_T_c), point) == pytest.approx(applied(a_T_b, applied(b_T_c, point)))
    assert position_of(a_T_b) == a_T_b[:3]


def test_turns_are_right_handed() -> None:
    quarter = about((0.0, 0.0, 2.0), math.pi / 2)
    assert turned(quarter, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0))
    assert angle_between(quarter, (0.0, 0.0, 0.0, 1.0)) == pytest.approx(math.pi / 2)
    assert about((0.0, 0.0, 0.0), 1.0) == (0.0, 0.0, 0.0, 1.0)
    half = product(quarter, quarter)
    assert turned(half, (1.0, 0.0, 0.0)) == pytest.approx((-1.0, 0.0, 0.0))
    assert product(quarter, conjugate(quarter)) == pytest.approx((0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize("seed", range(10))
def test_the_shortest_rotation_between_directions(seed: int) -> None:
    draw = random.Random(seed)
    one = (draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1))
    other = (draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1))
    rotation = between(one, other)
    x, y, z = turned(rotation, one)
    scale = math.hypot(*other) / math.hypot(*one)
    assert (x * scale, y * scale, z * scale) == pytest.approx(other)
    cosine = sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
    assert angle_between(rotation, (0.0, 0.0, 0.0, 1.0)) == pytest.approx(math.acos(cosine))


def test_of_equal_and_of_opposite_directions() -> None:
    assert between((0.0, 0.0, 1.0), (0.0, 0.0, 3.0)) == (0.0, 0.0, 0.0, 1.0)
    for axis in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, -2.0, 0.0)):
        x, y, z = axis
        assert turned(between(axis, (-x, -y, -z)), axis) == pytest.approx((-x, -y, -z))
