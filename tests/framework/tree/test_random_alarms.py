"""Random lives of a plan's stopwatch: it wakes at the earliest moment asked for, counted without pauses."""

from __future__ import annotations

import asyncio
import random

import pytest

from framework.clock import LoopClock
from framework.testing import run
from framework.tree.stopwatch import Stopwatch
from tests.effort import share


@pytest.mark.parametrize("seed", range(share(40)))
def test_it_rings_at_the_earliest_moment_asked_for_however_often_it_is_held(seed: int) -> None:
    lots = random.Random(seed)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        rung: list[float] = []
        watch = Stopwatch(LoopClock(), lambda: rung.append(loop.time()))
        wanted: set[float] = set()
        passed_s, held = watch.now_s(), False
        for _ in range(60):
            match lots.randrange(5):
                case 0 if not held:
                    watch.hold()
                    watch.hold()
                    held = True
                    wanted.clear()
                case 1 if held:
                    watch.go_on()
                    watch.go_on()
                    held = False
                case 2 | 3:
                    due_s = watch.now_s() + lots.choice((0.3, 1.0, 2.5, 7.0, float("inf")))
                    watch.wake_at(due_s)
                    if not held and due_s < float("inf"):
                        wanted.add(due_s)
                case _:
                    began_s, rung[:] = loop.time(), []
                    await asyncio.sleep(by_s := lots.choice((0.1, 0.5, 1.0, 3.0)))
                    before_s, passed_s = passed_s, passed_s + (0.0 if held else by_s)
                    first_s = min(wanted, default=float("inf"))
                    if first_s < passed_s - 1e-3:
                        assert rung == [pytest.approx(began_s + first_s - before_s)], "it rings once, in time"
                        wanted.clear()  # who still waits asks again
                    elif rung:
                        assert first_s < passed_s + 1e-3
                        wanted.clear()
            assert watch.now_s() == pytest.approx(passed_s)
        watch.close()

    run(main)
