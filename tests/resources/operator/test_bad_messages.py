"""A connection whose messages make no sense: a few are forgiven, many at once are not."""

from __future__ import annotations

from resources.operator.bad_messages import MOST_INVALID, BadMessages


def test_twenty_within_a_second_are_too_many() -> None:
    bad = BadMessages()
    assert [bad.are_too_many(10.0 + 0.04 * number) for number in range(MOST_INVALID)] == [
        *[False] * (MOST_INVALID - 1),
        True,
    ]


def test_a_few_now_and_then_never_are() -> None:
    bad = BadMessages()
    assert not any(bad.are_too_many(0.06 * number) for number in range(500))
