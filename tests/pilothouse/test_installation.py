"""What holds for the real installation as a whole and is nobody's part alone."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import msgspec
import pytest

from framework.errors import ResourceFailed
from framework.transport.ring import RingReader
from pilothouse.cli.experiments.console_watcher import ConsoleWatcher
from pilothouse.installation import Installation, Settings
from resources.types.control import Simulation, SimulationReport, WristSweep


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


def test_the_wrist_moves_only_for_its_holder_and_never_while_the_emergency_stop_is_set(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(60), Installation(Settings(state=tmp_path, port=0)) as installation:
            registrar = installation.house.registrars[0]
            async with registrar.request(Simulation("inspection")) as simulation:
                with RingReader(Path(simulation.value.report.ring)) as reports:

                    async def until(holder: str, at_rest: bool) -> None:
                        while True:
                            while (sample := reports.latest()) is None:
                                await asyncio.sleep(0.01)
                            report = msgspec.msgpack.decode(sample.payload, type=SimulationReport)
                            (arm,) = (part for part in report.parts if part.part == "right_arm")
                            if (arm.holder, arm.at_rest) == (holder, at_rest):
                                return
                            await asyncio.sleep(0.01)

                    await until("", at_rest=True)
                    async with registrar.request(WristSweep("right"), exclusive=True) as lease:
                        await until(lease.id, at_rest=False)
                    await until("", at_rest=True)

                    latch = installation.house.emergency

                    async def hold_until_stopped() -> None:
                        async with registrar.request(WristSweep("right"), exclusive=True) as lease:
                            await until(lease.id, at_rest=False)
                            latch.latch("a test")
                            await asyncio.Event().wait()

                    with pytest.raises(ResourceFailed, match="emergency stop"):
                        await hold_until_stopped()
                    await until("", at_rest=True)
                    assert latch.reset(latch.token)
                    for _ in range(50):  # resetting moves nothing, now or later
                        await until("", at_rest=True)
                        await asyncio.sleep(0.01)

                    async with registrar.request(WristSweep("right"), exclusive=True) as lease:
                        await until(lease.id, at_rest=False)

    asyncio.run(scenario())


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
