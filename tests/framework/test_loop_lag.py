"""How late the loop is, and how long what people say is doubted after it has hung."""

from __future__ import annotations

import asyncio

import pytest

from framework.loop_lag import DOUBTED_S, PERIOD_S, LoopLag
from framework.testing.pytest_plugin import VirtualRunner


def test_quantiles_are_of_what_was_noted(virtual: VirtualRunner) -> None:
    async def scenario() -> None:
        lag = LoopLag()
        assert lag.quantile_ms(0.5) is None
        async with lag:
            await asyncio.sleep(10 * PERIOD_S)
        assert lag.quantile_ms(0.99) == pytest.approx(0.0, abs=1e-6)  # on the virtual clock nobody is late
        lag.note(0.25, 1.0)
        assert lag.quantile_ms(1.0) == 250.0

    virtual(scenario)


def test_a_hang_is_known_for_a_moment_and_what_follows_at_once_does_not_hide_it() -> None:
    lag = LoopLag()
    assert lag.hung_s(0.0) == 0.0
    lag.note(4.0, 10.0)
    lag.note(0.001, 10.02)
    assert lag.hung_s(10.02) == 4.0
    assert lag.hung_s(10.0 + DOUBTED_S) == 0.0
    lag.note(0.002, 11.0)
    assert lag.hung_s(11.0) == 0.002


def test_hangs_one_after_the_other_are_each_known() -> None:
    lag = LoopLag()
    lag.note(4.0, 10.0)
    lag.note(5.0, 15.0)
    assert lag.hung_s(15.0) == 5.0
