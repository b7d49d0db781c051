"""How many messages may be sent, and who sends so many more that they are better dropped."""

from __future__ import annotations

import pytest

from resources.web.rate_limit import RateLimit

PER_S, BURST = 10.0, 5.0


def sent(limit: RateLimit, per_s: float, seconds: float, from_s: float = 100.0) -> int:
    """How many of evenly sent messages were within the limit."""
    return sum(limit.allows(from_s + n / per_s) for n in range(round(per_s * seconds)))


def test_a_burst_is_within_it_and_then_so_many_a_second() -> None:
    assert sent(RateLimit(PER_S, BURST), 1000.0, 0.001) == 1
    assert sent(RateLimit(PER_S, BURST), 1000.0, 2.0) == pytest.approx(BURST + 2.0 * PER_S, abs=1)


def test_who_keeps_sending_more_than_twice_what_they_may_is_told_apart_however_even_that_is() -> None:
    limit = RateLimit(PER_S, BURST)
    sent(limit, 4 * PER_S, 60.0)
    assert limit.excess > 1000


@pytest.mark.parametrize("times", [1.0, 1.5, 1.9])
def test_a_little_too_much_is_no_flood_however_long(times: float) -> None:
    limit = RateLimit(PER_S, BURST)
    sent(limit, times * PER_S, 600.0)
    assert limit.excess < 10


def test_what_all_comes_at_once_after_a_hang_is_forgiven_with_time() -> None:
    limit = RateLimit(PER_S, BURST)
    sent(limit, 10_000.0, 0.05)
    assert limit.excess > 400
    sent(limit, PER_S, 60.0, from_s=101.0)
    assert limit.excess == 0
