"""What somebody speaks into their phone is not typed: a recogniser stands between, and may be wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path

from framework.plan import Source
from managers.console_backend import InstallationBackend
from tests.managers.operators_at_work import AtWork, at_work


def test_what_is_spoken_takes_back_no_emergency_stop_and_is_no_yes_to_that(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)

        async def last(text: str, *, spoken: bool, kind: str) -> str:
            async with asyncio.timeout(5.0):
                async for line in backend.say(text, who="phone 1", spoken=spoken):
                    if line.kind == kind:
                        return line.text
            raise AssertionError(f"{text}: nothing was {kind}")

        await work.play("phone 1 comes")
        work.managers.emergency.latch("a test")
        await asyncio.sleep(0.5)
        assert "Not by voice" in await last("reset", spoken=True, kind="refused")
        assert "Take back the emergency stop" in await last("reset", spoken=False, kind="asked")
        assert "not confirmed by voice" in await last("yes", spoken=True, kind="refused")
        assert work.managers.emergency.is_latched
        async for _ in backend.say("yes", who="phone 1", spoken=False):
            pass
        assert not work.managers.emergency.is_latched

    at_work(tmp_path, play)


def test_a_plan_knows_that_it_was_spoken(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        backend = InstallationBackend(work.managers)
        await work.play("phone 1 comes")
        async with asyncio.timeout(5.0):
            async for line in backend.say("let me drive", who="phone 1", spoken=True):
                if line.kind == "established":
                    break
        assert [plan.source for plan in work.installation.supervisor.plans()] == [Source.PHONE_SPEECH]

    at_work(tmp_path, play)
