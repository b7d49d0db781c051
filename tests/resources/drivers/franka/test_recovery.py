"""A recovery that was ordered, and what speaks against it before it is carried out."""

from __future__ import annotations

import pytest

from resources.controllers.loop import MotionStop
from resources.drivers.franka.recovery import Recovery
from resources.types.motion import Orders

WELL = MotionStop(token=3)


def ordered(orders: Orders | None = None, stop: MotionStop = WELL) -> Recovery:
    recovery = Recovery()
    orders = orders or Orders(recoveries=2)
    recovery.order(orders, stop)
    return recovery


def test_it_waits_until_it_is_taken_once() -> None:
    recovery = ordered()
    assert not recovery.is_dropped(Orders(recoveries=2), WELL)
    assert not recovery.is_dropped(None, WELL)
    assert recovery.take()
    assert not recovery.take()


@pytest.mark.parametrize(
    ("orders", "stop"),
    [
        (None, MotionStop(emergency=True, token=4)),
        (None, MotionStop(token=4)),  # lifted between two looks
        (Orders(recoveries=2, withdrawn=2), WELL),
    ],
    ids=["an emergency stop", "one that was lifted already", "withdrawn"],
)
def test_what_speaks_against_it_drops_it_for_good(orders: Orders | None, stop: MotionStop) -> None:
    recovery = ordered()
    assert recovery.is_dropped(orders, stop)
    assert not recovery.is_dropped(orders, stop), "it is told once"
    assert not recovery.is_dropped(Orders(recoveries=2), WELL)
    assert not recovery.take()


def test_what_was_withdrawn_before_it_was_read_is_dropped() -> None:
    recovery = ordered(Orders(recoveries=2, withdrawn=2))
    assert recovery.is_dropped(Orders(recoveries=2, withdrawn=2), WELL)


def test_the_withdrawal_of_an_older_one_leaves_it() -> None:
    recovery = ordered(Orders(recoveries=2, withdrawn=1))
    assert not recovery.is_dropped(Orders(recoveries=2, withdrawn=1), WELL)
    assert recovery.take()


def test_what_was_ordered_under_an_emergency_stop_is_dropped_at_once() -> None:
    stop = MotionStop(emergency=True, token=4)
    assert ordered(stop=stop).is_dropped(None, stop)
