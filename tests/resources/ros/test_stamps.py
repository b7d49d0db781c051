"""Their clocks and ours: what is new, old, from the future, or of a clock of its own."""

from __future__ import annotations

import pytest

from framework.errors import MalformedMessage
from resources.ros.stamps import Stamps

WALL_S = 1_700_000_000.0


def test_the_age_by_their_clock_is_the_age_by_ours() -> None:
    stamps = Stamps()
    assert stamps.taken(WALL_S - 0.2, WALL_S, 50.0) == pytest.approx(49.8)
    assert stamps.taken(WALL_S + 0.02, WALL_S, 50.1) == 50.1  # a little ahead is now
    assert Stamps().taken(0.0, WALL_S, 50.0) == 50.0  # without a stamp, too


@pytest.mark.parametrize(
    ("stamp_s", "words"), [(WALL_S - 100.0, r"100\.00 s old"), (WALL_S + 3.0, "3.00 s ahead of our time")]
)
def test_what_was_kept_and_what_comes_from_another_time_is_refused(stamp_s: float, words: str) -> None:
    with pytest.raises(MalformedMessage, match=rf"{words}.*own_clock: true"):
        Stamps().taken(stamp_s, WALL_S, 50.0)


def test_time_that_stands_still_or_goes_back_is_refused_and_believed_after_a_break() -> None:
    stamps = Stamps()
    stamps.taken(WALL_S, WALL_S, 50.0)
    for again_s in (WALL_S, WALL_S - 0.5):
        with pytest.raises(MalformedMessage, match="stands still, or goes back by"):
            stamps.taken(again_s, WALL_S, 50.1)
    assert stamps.taken(WALL_S - 0.5, WALL_S, 51.2) == pytest.approx(50.7)


def test_a_clock_that_is_set_back_begins_anew() -> None:
    """A simulation that was started again: /clock goes back, and the stamps with it."""
    stamps = Stamps()
    assert stamps.taken(100.0, 100.0, 50.0) == 50.0
    assert stamps.taken(0.1, 0.2, 50.1) == pytest.approx(50.0)


def test_of_a_clock_of_its_own_the_quickest_message_counts_as_new() -> None:
    stamps = Stamps(own_clock=True)
    assert stamps.taken(1000.0, WALL_S, 50.0) == 50.0
    assert stamps.taken(1000.1, WALL_S, 50.3) == pytest.approx(50.1)  # .2 s later than the first one
    assert stamps.taken(1000.4, WALL_S, 50.35) == 50.35  # quicker than the first: it counts from now on
    assert stamps.taken(1000.5, WALL_S, 50.5) == pytest.approx(50.45)
    with pytest.raises(MalformedMessage, match="old"):
        stamps.taken(1000.6, WALL_S, 53.0)
