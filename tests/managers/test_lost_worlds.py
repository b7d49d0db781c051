"""The process that moves a device dies while it moves for a plan: back again, it does not go on by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from framework.interlock import LossKind
from framework.tree.run import PlanState
from tests.managers.operators_at_work import AtWork, at_work


@pytest.mark.parametrize(
    ("say", "moves", "done"),
    [
        ("move the right arm left 20 cm slowly", "moving the", "has moved"),
        ("drive forward 1 m", "driving", "has driven"),
    ],
)
def test_what_moved_waits_for_a_word_when_its_process_is_back(
    tmp_path: Path, say: str, moves: str, done: str
) -> None:
    async def play(work: AtWork) -> None:
        supervisor = work.installation.supervisor
        moving = work.say(say)
        await work.until_said(moves)
        work.installation.processes.kill("world inspection")
        async with asyncio.timeout(20.0):
            while [plan.state for plan in supervisor.plans()] != [PlanState.PAUSED]:
                await asyncio.sleep(0.05)
            while work.managers.simulation is None:
                await asyncio.sleep(0.05)
        (plan,) = supervisor.plans()
        loss = work.installation.interlock.awaited(plan.id)
        assert loss is not None and loss.kind is LossKind.DEVICE
        await asyncio.sleep(20.0)
        assert not work.was_said(done)
        assert moving.succeeded is None
        await work.done("carry on")
        assert await moving.done()

    at_work(tmp_path, play, "inspection", phones=False)
