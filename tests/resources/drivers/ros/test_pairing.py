"""Colour and depth of one moment."""

from __future__ import annotations

from resources.drivers.ros.pairing import Pairs


def test_equal_stamps_are_a_pair_whichever_came_first() -> None:
    pairs: Pairs[str] = Pairs(0.05)
    pairs.colour(1.0, "colour 1")
    assert pairs.take() is None
    pairs.depth(1.0, "depth 1")
    assert pairs.take() == (1.0, "colour 1", "depth 1")
    pairs.depth(1.1, "depth 2")
    assert pairs.take() is None
    pairs.colour(1.1, "colour 2")
    assert pairs.take() == (1.1, "colour 2", "depth 2")
    assert pairs.take() is None


def test_the_nearest_depth_is_waited_for() -> None:
    pairs: Pairs[str] = Pairs(0.05)
    pairs.depth(0.97, "before")
    pairs.colour(1.0, "colour")
    assert pairs.take() is None
    pairs.depth(1.01, "nearer")
    assert pairs.take() == (1.0, "colour", "nearer")


def test_what_is_further_apart_than_half_a_period_is_no_pair() -> None:
    pairs: Pairs[str] = Pairs(0.05)
    pairs.colour(1.0, "colour")
    pairs.depth(1.06, "depth")
    assert pairs.take() is None


def test_the_newest_pair_is_taken_and_not_many_wait() -> None:
    pairs: Pairs[int] = Pairs(0.05)
    for number in range(1000):
        pairs.colour(0.1 * number, number)
        pairs.depth(0.1 * number, number)
    taken = pairs.take()
    assert taken is not None
    assert taken[1:] == (999, 999)
    assert pairs.take() is None
