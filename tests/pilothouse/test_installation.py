"""What holds for the real installation as a whole and is nobody's part alone."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from pilothouse.cli.experiments.console_watcher import ConsoleWatcher
from pilothouse.installation import Installation, Settings


def test_a_view_goes_on_when_the_process_that_encodes_it_is_killed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            asyncio.timeout(60),
            Installation(Settings(state=tmp_path, port=0)) as installation,
            ConsoleWatcher(installation.server) as page,
        ):
            assert await installation.supervisor.say("show the environment").done()
            await page.sample_of("front_camera", taken_after_s=0.0, within_s=20.0)
            (encoder,) = (p for p in installation.processes.processes() if p.name.startswith("view encoder"))
            os.kill(encoder.pid, signal.SIGKILL)
            killed_s = time.monotonic()
            await page.sample_of("front_camera", taken_after_s=killed_s + 0.2, within_s=20.0)
            (plan,) = installation.supervisor.plans()
            assert "front_camera" in plan.tree.detail, "nobody had to switch for that"

    asyncio.run(scenario())


def test_without_opengl_the_next_best_sensor_is_shown_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "nonsense")

    async def scenario() -> str:
        async with asyncio.timeout(60), Installation(Settings(state=tmp_path, port=0)) as installation:
            assert await installation.supervisor.say("show the environment").done()
            (plan,) = installation.supervisor.plans()
            assert "wrist_cloud" in plan.tree.detail
            status = installation.house.sensors.devices()
            return " ".join(device.detail for device in status if device.name == "front_camera")

    assert "MUJOCO_GL" in asyncio.run(scenario())


def test_leaving_it_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> tuple[Path, list[int]]:
        async with asyncio.timeout(60), Installation(Settings(state=tmp_path, port=0)) as installation:
            assert await installation.supervisor.say("track the hand").done()
            pids = [process.pid for process in installation.processes.processes()]
            directory = installation.directory
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert left == []
        return directory, pids

    directory, pids = asyncio.run(scenario())
    assert len(pids) >= 3
    assert not directory.exists()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
