"""A person's pointing bias: learned from pairs, and taken off."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.gestures.offset import MOST_RAD, Pair, PointingOffset, corrected, fitted
from resources.types.whereabouts import Point, Ray
from tests.effort import random_inputs

EYE: Point = (0.1, -0.2, 1.4)


def ray(azimuth: float, elevation: float) -> Ray:
    flat = math.cos(elevation)
    return (*EYE, flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation))


def target(azimuth: float, elevation: float, far_m: float = 2.0) -> Point:
    x, y, z = ray(azimuth, elevation)[3:]
    return EYE[0] + far_m * x, EYE[1] + far_m * y, EYE[2] + far_m * z


def off(one: Ray, other: Ray) -> float:
    return math.acos(max(-1.0, min(1.0, sum(a * b for a, b in zip(one[3:], other[3:], strict=True)))))


def pairs_of(bias: tuple[float, float], about: float = 0.0, noise: float = 0.0, count: int = 9) -> list[Pair]:
    draw = random.Random(7)
    found = []
    for number in range(count):
        azimuth = about + math.radians(-30.0 + 30.0 * (number % 3))
        elevation = math.radians(-20.0 + 10.0 * (number // 3 % 3))
        seen = ray(azimuth + bias[0] + draw.gauss(0, noise), elevation + bias[1] + draw.gauss(0, noise))
        found.append(Pair(seen, target(azimuth, elevation)))
    return found


@pytest.mark.parametrize(
    "pair",
    [
        Pair((*EYE, 0.0, 0.0, 0.0), target(0.0, 0.0)),
        Pair((*EYE, math.nan, 0.0, 1.0), target(0.0, 0.0)),
        Pair((*EYE, 0.0, 0.0, 1.0), target(0.0, 0.0)),
        Pair(ray(0.0, 0.0), EYE),
        Pair(ray(0.0, 0.0), (math.inf, 0.0, 0.0)),
    ],
)
def test_pairs_that_say_nothing_teach_nothing(pair: Pair) -> None:
    assert fitted([pair] * 5) == PointingOffset()


def test_no_pairs_are_no_offset() -> None:
    assert fitted([]) == PointingOffset()
    assert corrected(ray(0.3, -0.2), PointingOffset()) == pytest.approx(ray(0.3, -0.2))


@pytest.mark.parametrize("way", [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (math.nan, 0.0, 0.0)])
def test_a_ray_without_an_azimuth_stays_as_it_is(way: tuple[float, float, float]) -> None:
    offset = fitted(pairs_of((0.2, 0.1)))
    assert corrected((*EYE, *way), offset)[:3] == EYE
    assert repr(corrected((*EYE, *way), offset)) == repr((*EYE, *way))


@pytest.mark.parametrize("about", [0.0, 2.0, math.pi, -3.1])
def test_a_constant_bias_is_taken_off_wherever_people_stand(about: float) -> None:
    bias = math.radians(9.0), math.radians(-6.0)
    offset = fitted(pairs_of(bias, about))
    assert offset.pairs == 9
    meant = ray(about + 0.2, -0.1)
    shown = ray(about + 0.2 + bias[0], -0.1 + bias[1])
    assert off(shown, meant) > math.radians(9.0)
    assert off(corrected(shown, offset), meant) < math.radians(1.0)


def test_with_noise_it_is_still_much_better_than_nothing() -> None:
    bias = math.radians(8.0), math.radians(5.0)
    offset = fitted(pairs_of(bias, noise=math.radians(3.0)))
    meant = ray(0.1, -0.15)
    assert off(corrected(ray(0.1 + bias[0], -0.15 + bias[1]), offset), meant) < math.radians(4.0)


def test_one_pair_teaches_less_than_many() -> None:
    bias = (math.radians(10.0), 0.0)
    one, many = fitted(pairs_of(bias, count=1)), fitted(pairs_of(bias, count=9))
    assert 0.0 < -one.azimuth[0] < -many.azimuth[0] <= bias[0]


def test_no_ray_is_turned_too_far() -> None:
    wild = PointingOffset(azimuth=(9.0, 9.0, 9.0), elevation=(-9.0, 9.0, 9.0))
    assert off(corrected(ray(0.0, 0.0), wild), ray(0.0, 0.0)) <= 2 * MOST_RAD


@random_inputs(100)
@given(*[st.floats(-3.0, 3.0)] * 6, st.tuples(*[st.floats(-10.0, 10.0)] * 6))
def test_what_is_learned_and_corrected_stays_finite(
    x: float, y: float, z: float, a: float, b: float, c: float, shown: Ray
) -> None:
    offset = fitted([Pair((x, y, z, a, b, c), (c, b, a)), *pairs_of((0.1, 0.1), count=2)])
    assert all(map(math.isfinite, (*offset.azimuth, *offset.elevation)))
    assert all(map(math.isfinite, corrected(shown, offset)))
