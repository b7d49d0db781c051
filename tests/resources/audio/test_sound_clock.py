"""When blocks ended: clusters, drift either way, and sound that was lost."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from resources.audio.format import BLOCK_S
from resources.audio.sound_clock import LATE_S, LOST_S, NumberedClock, SoundClock


@pytest.mark.parametrize("drift", [-2e-4, 0.0, 2e-4])
def test_late_and_clustered_blocks_are_told_apart_as_they_were_made(drift: float) -> None:
    clock, chance = SoundClock(), random.Random(3)
    made_s = 100.0
    told_s: list[float] = []
    for number in range(20_000):  # ten minutes
        made_s += BLOCK_S * (1.0 + drift)
        late_s = chance.choice((0.0, 0.002, 0.05, 0.09)) if number else 0.0
        told_s.append(clock.block(made_s + late_s))
        assert made_s - 1e-9 <= told_s[-1] + 0.02
        assert told_s[-1] - made_s < 0.02
    gaps_s = [b - a for a, b in pairwise(told_s)]
    assert min(gaps_s) > 0.4 * BLOCK_S
    assert max(gaps_s) < 1.1 * BLOCK_S


def test_a_stop_of_the_machine_is_a_gap_and_counted_from_anew() -> None:
    clock = SoundClock()
    assert clock.block(5.0) == 5.0
    assert clock.block(5.0 + BLOCK_S) == pytest.approx(5.0 + BLOCK_S)
    after_s = 5.0 + 2 * BLOCK_S + LOST_S + 0.1
    assert clock.block(after_s) == after_s


def test_time_never_goes_back_whatever_arrives() -> None:
    clock = SoundClock()
    told_s = [clock.block(arrived_s) for arrived_s in (5.0, 4.0, 3.0, 3.0, 6.0)]
    assert told_s == sorted(told_s)
    assert len(set(told_s)) == len(told_s)


@pytest.mark.parametrize("drift", [-2e-4, 0.0, 2e-4])
def test_numbered_blocks_that_are_held_up_and_come_at_once_have_lost_nothing(drift: float) -> None:
    clock, chance = NumberedClock(), random.Random(4)
    made_s = free_s = 100.0
    told_s: list[float] = []
    for number in range(5_000):
        made_s += BLOCK_S * (1.0 + drift)
        if chance.random() < 0.002:  # a network that stands still for up to two seconds
            free_s = made_s + chance.uniform(0.5, 2.0)
        until_s, is_lost = clock.block(max(made_s, free_s) + (0.0 if number % 3 else 0.004))
        assert not is_lost
        told_s.append(until_s)
        assert abs(until_s - made_s) < 0.1
    gaps_s = [b - a for a, b in pairwise(told_s)]
    assert min(gaps_s) > 0.4 * BLOCK_S
    assert max(gaps_s) < 1.1 * BLOCK_S


def test_numbers_that_are_missing_are_lost_and_their_time_passes() -> None:
    clock = NumberedClock()
    assert clock.block(5.0) == (5.0, False)
    until_s, is_lost = clock.block(5.0 + 4 * BLOCK_S, missing=3)
    assert is_lost and until_s == pytest.approx(5.0 + 4 * BLOCK_S)
    assert NumberedClock().block(5.0, missing=1) == (5.0, True)


def test_sound_that_stood_still_where_it_is_made_is_lost_though_no_number_is_missing() -> None:
    clock = NumberedClock()
    clock.block(5.0)
    told = [clock.block(8.0 + number * BLOCK_S) for number in range(60)]
    assert sum(is_lost for _, is_lost in told) == 1
    (at,) = [number for number, (_, is_lost) in enumerate(told) if is_lost]
    assert LATE_S < at * BLOCK_S < LATE_S + 2 * BLOCK_S
    assert told[at][0] == 8.0 + at * BLOCK_S


def test_numbered_time_never_goes_back_whatever_arrives() -> None:
    clock = NumberedClock()
    told_s = [clock.block(arrived_s)[0] for arrived_s in (5.0, 4.0, 3.0, 3.0, 6.0, 2.0)]
    assert told_s == sorted(told_s) and len(set(told_s)) == len(told_s)
