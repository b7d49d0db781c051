"""What of a hand's samples closes the clutch, and what never does: sample by sample, without a robot."""

from __future__ import annotations

import msgspec
import pytest

from resources.controllers.clutch import FIRST_OPEN, UNSEEN, Clutch
from resources.types.masters import SILENCE_S, HandSample

PERIOD_S = 0.016


class Wire:
    """Samples of one session, and a clutch that hears them at once unless it is said otherwise."""

    def __init__(self) -> None:
        self.clutch = Clutch("me")
        self.now_s = 100.0
        self.number = 0

    def sample(self, engagement: int) -> HandSample:
        self.number += 1
        return HandSample("me", self.number, self.now_s, self.now_s, engagement)

    def hear(self, engagement: int, *, after_s: float = PERIOD_S) -> bool:
        self.now_s += after_s
        self.clutch.look(self.now_s)
        return self.clutch.hear(self.sample(engagement), self.now_s, at_rest=True)


def test_a_pressing_that_is_seen_closes_it() -> None:
    wire = Wire()
    assert [wire.hear(engagement) for engagement in (0, 1, 1, 0, 2)] == [False, True, True, False, True]


@pytest.mark.parametrize("gap_s", [SILENCE_S + 0.001, 0.5, 30.0])
def test_what_was_pressed_in_a_gap_moves_nothing_until_it_is_pressed_anew(gap_s: float) -> None:
    wire = Wire()
    wire.hear(0)
    assert not wire.hear(1, after_s=gap_s)
    assert wire.clutch.disengaged == UNSEEN
    assert not any(wire.hear(1) for _ in range(100))
    wire.hear(0)
    assert wire.hear(2)


def test_an_old_sample_that_lay_in_the_ring_shows_no_open_clutch() -> None:
    """The order to follow came while the link was silent; the person has pressed since."""
    wire = Wire()
    old = wire.sample(0)
    wire.now_s += 20.0
    wire.clutch.hear(old, wire.now_s, at_rest=True)
    assert not any(wire.hear(1) for _ in range(100))
    assert wire.clutch.engaged == 0


def test_what_was_held_when_it_began_moves_nothing() -> None:
    wire = Wire()
    assert not any(wire.hear(1) for _ in range(10))
    assert wire.clutch.disengaged == FIRST_OPEN


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_number_that_falls_opens_it_at_once(number: int) -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(2)
    wire.hear(0)
    assert wire.hear(3)
    assert not wire.hear(number)
    assert wire.clutch.engaged == 0
    assert not wire.hear(3)


def test_a_new_pressing_between_two_samples_is_one() -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(1)
    assert wire.hear(2)
    assert wire.clutch.engaged == 2


def test_a_loop_that_stood_still_while_it_was_pressed_waits_for_the_next_pressing() -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(1)
    wire.now_s += 0.15  # the samples of this time are never seen
    assert wire.clutch.look(wire.now_s)
    assert not wire.hear(1, after_s=0.0)
    assert not any(wire.hear(1) for _ in range(20))


def test_somebody_else_s_samples_open_and_close_nothing() -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.hear(1)
    other = msgspec.structs.replace(wire.sample(0), session="you")
    assert not wire.clutch.hear(other, wire.now_s, at_rest=True)
    assert wire.clutch.engaged == 1
