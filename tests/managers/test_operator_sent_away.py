"""Who is sent away is away for good, also if the process that serves operators is not there just then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.managers.operators_at_work import AtWork, at_work


@pytest.mark.parametrize("after_s", [0.05, 0.6])
def test_who_is_sent_away_while_the_process_is_started_anew_does_not_come_back_and_drive(
    tmp_path: Path, after_s: float
) -> None:
    """Its page comes back by itself, a second after the process was started anew."""

    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        await work.done("let me drive", "phone 1")
        work.installation.processes.kill("operator links")
        await work.until_said("phone 1 is silent; the arm is kept for it for 10 s")
        await asyncio.sleep(after_s)
        assert work.desk.end_session("phone 1", "console") == "phone 1 was sent away."
        assert not work.desk.sessions
        await asyncio.sleep(5.0)
        assert not work.was_said("phone 1 is back")
        assert not work.desk.sessions
        assert not work.installation.supervisor.plans()

    at_work(tmp_path, play)
