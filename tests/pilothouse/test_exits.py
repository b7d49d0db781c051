"""`pilothouse run` leaves in time from plugins that refuse to end, in words, and nothing is left of it."""

from __future__ import annotations

import asyncio
import signal

import pytest

from pilothouse.leaving import CUT_OFF
from pilothouse.testbed.exits import WAYS, Exit, Refusal, Way, measure

#: As promised [s], by how many signals came.
WITHIN_S = {1: 5.0, 2: 1.0}

TOLD_WITHIN_S = 0.25

COMBINATIONS = (
    Way((signal.SIGINT,), (Refusal.DEAF, Refusal.EXECUTOR, Refusal.THREAD), driver_refuses=True),
    Way((signal.SIGTERM, signal.SIGINT), (Refusal.BLOCKED,)),
)

EVERY_WAY = (
    *WAYS,
    *(
        Way((number,), (refusal,), world="inspection")
        for number, refusal in (
            (signal.SIGINT, Refusal.DEAF),
            (signal.SIGTERM, Refusal.BLOCKED),
        )
    ),
)


def judge(left: Exit) -> None:
    """In time, in words, with nothing left; what is in order exits with 0."""
    way = left.way
    assert left.exited_s < WITHIN_S[len(way.signals)], left
    assert left.told_s < TOLD_WITHIN_S, left
    assert left.gone_s is not None and left.gone_s < WITHIN_S[1], left
    if not way.refusals:
        assert left.code == 0, left
    elif len(way.signals) == 1:
        assert left.code == CUT_OFF and "Leaving without" in left.words, left
    else:
        assert left.code in (CUT_OFF, 128 + way.signals[-1]), left
    assert "Traceback" not in left.words, left.words


@pytest.mark.parametrize("way", COMBINATIONS, ids=str)
def test_a_combination(way: Way) -> None:
    judge(asyncio.run(measure(way)))


@pytest.mark.soak
@pytest.mark.parametrize("way", EVERY_WAY, ids=str)
def test_every_way(way: Way) -> None:
    judge(asyncio.run(measure(way)))
