"""Who is sent away is away for good, also if the process that serves operators is not there just then."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from framework.errors import PilothouseError
from resources.types.operator import AwayLine, DeviceKind
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


def test_a_device_that_is_away_is_listed_and_can_be_revoked(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        operators = work.installation.launcher.operators
        assert operators is not None
        operators.away = (AwayLine("headset 1", DeviceKind.HEADSET, 3600.0),)
        await work.play("phone 1 comes")
        (away,) = work.desk.shown().away
        assert (away.name, away.kind) == ("headset 1", "headset")
        with pytest.raises(PilothouseError, match="may come back: headset 1"):
            work.desk.end_session("headset 2", "Eve")
        assert "new code" in work.desk.end_session("headset 1", "Eve")
        assert work.desk.shown().away == ()
        await asyncio.sleep(0.5)
        assert not operators.away, "its process knows"
        assert [line.name for line in work.desk.sessions] == ["phone 1"]

    at_work(tmp_path, play)
