"""What holds for the real installation as a whole and is nobody's part alone."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import msgspec
import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.events import EventKind
from framework.loop_watchdog import Owner, in_words
from framework.plugins.client import client_for
from framework.transport.ring import RingReader
from pilothouse.installation import Installation, Settings
from pilothouse.testbed.console_watcher import ConsoleWatcher
from resources.children.failing import FailMode
from resources.types.arms import Arm, Recovery
from resources.types.control import Simulation, SimulationReport, WristSweep

PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong
STORY_S = 4 * PATIENCE_S


def test_a_view_goes_on_when_the_process_that_encodes_it_is_killed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            asyncio.timeout(STORY_S),
            Installation(Settings(state=tmp_path, port=0)) as installation,
            ConsoleWatcher(installation.server) as page,
        ):
            assert await installation.supervisor.say("show the environment").done()
            await page.sample_of("front_camera", taken_after_s=0.0, within_s=PATIENCE_S)
            (encoder,) = (p for p in installation.processes.processes() if p.name.startswith("view encoder"))
            os.kill(encoder.pid, signal.SIGKILL)
            killed_s = time.monotonic()
            await page.sample_of("front_camera", taken_after_s=killed_s + 0.2, within_s=PATIENCE_S)
            (plan,) = installation.supervisor.plans()
            assert "front_camera" in plan.tree.detail, "nobody had to switch for that"

    asyncio.run(scenario())


def test_without_opengl_the_next_best_sensor_is_shown_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "nonsense")

    async def scenario() -> str:
        async with asyncio.timeout(STORY_S), Installation(Settings(state=tmp_path, port=0)) as installation:
            assert await installation.supervisor.say("show the environment").done()
            (plan,) = installation.supervisor.plans()
            assert "wrist_cloud" in plan.tree.detail
            status = installation.managers.sensors.devices()
            return " ".join(device.detail for device in status if device.name == "front_camera")

    assert "MUJOCO_GL" in asyncio.run(scenario())


def test_the_wrist_moves_only_for_its_holder_and_never_while_the_emergency_stop_is_set(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(STORY_S), Installation(Settings(state=tmp_path, port=0)) as installation:
            registrar = installation.managers.registrars[0]
            async with registrar.request(Simulation("inspection")) as simulation:
                with RingReader(Path(simulation.value.report.ring)) as reports:

                    async def until(*, is_held: bool, at_rest: bool) -> None:
                        while True:
                            while (sample := reports.latest()) is None:
                                await asyncio.sleep(0.01)
                            report = msgspec.msgpack.decode(sample.payload, type=SimulationReport)
                            (loop,) = (each.loop for each in report.controls if each.device == "right_arm")
                            if (bool(loop.holder), loop.is_at_rest) == (is_held, at_rest):
                                return
                            await asyncio.sleep(0.01)

                    await until(is_held=False, at_rest=True)
                    async with registrar.request(WristSweep("right"), exclusive=True):
                        await until(is_held=True, at_rest=False)
                    await until(is_held=False, at_rest=True)

                    latch = installation.managers.emergency

                    async def hold_until_stopped() -> None:
                        async with registrar.request(WristSweep("right"), exclusive=True):
                            await until(is_held=True, at_rest=False)
                            latch.latch("a test")
                            await asyncio.Event().wait()

                    with pytest.raises(ResourceFailed, match="emergency stop"):
                        await hold_until_stopped()
                    await until(is_held=False, at_rest=True)
                    assert latch.reset(latch.token)
                    for _ in range(50):  # resetting moves nothing, now or later
                        await until(is_held=False, at_rest=True)
                        await asyncio.sleep(0.01)

                    interlock = installation.interlock
                    with pytest.raises(ResourceUnavailable):
                        async with registrar.request(
                            WristSweep("right"), exclusive=True, permit=interlock.permit("1")
                        ):
                            raise AssertionError
                    interlock.give_word("1")
                    async with registrar.request(
                        WristSweep("right"), exclusive=True, permit=interlock.permit("1")
                    ):
                        await until(is_held=True, at_rest=False)

    asyncio.run(scenario())


def test_an_arm_is_moved_has_a_reflex_and_is_recovered(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = Settings(state=tmp_path, port=0, world="bench")
        async with asyncio.timeout(STORY_S), Installation(settings) as installation:
            managers = installation.managers
            registrar = managers.registrars[0]

            async def lift(by_m: float) -> None:
                permit = installation.interlock.permit("1")
                async with registrar.request(Arm(), exclusive=True, permit=permit) as lease:
                    arm = client_for("arm", Arm(), lease)
                    x, y, z, *turn = (await arm.state()).base_T_tool
                    await arm.move_to((x, y, z + by_m, *turn))
                    assert (await arm.state()).base_T_tool[2] == pytest.approx(z + by_m, abs=0.005)
                    managers.faults.fail("arm", FailMode.REFLEX)
                    await arm.hold()

            with pytest.raises(ResourceFailed, match='say "recover the arm"'):
                await lift(-0.05)
            with pytest.raises(ResourceUnavailable, match='say "recover the arm"'):
                await lift(0.05)
            (arm, _) = managers.controllers.devices()
            assert (arm.name, arm.state) == ("arm", "fault") and "arm" in managers.world.names("devices")
            async with registrar.request(Recovery("arm")):
                pass
            with pytest.raises(ResourceUnavailable):
                await lift(0.05)
            assert installation.interlock.awaited("1") is not None
            installation.interlock.give_word("1")
            with pytest.raises(ResourceFailed):
                await lift(0.05)

    asyncio.run(scenario())


def test_leaving_it_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> tuple[Path, list[int]]:
        async with asyncio.timeout(STORY_S), Installation(Settings(state=tmp_path, port=0)) as installation:
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


NAP = '''
import time

import pilothouse as ph


class Nap(ph.Action):
    """Holds up everything, as a call does that waits."""

    duration_s: float = ph.param(unit="s")

    async def run(self) -> None:
        time.sleep(self.duration_s)  # the line
'''


def test_an_action_that_sleeps_is_named_and_stops_nobody_elses_arm_for_a_moment(tmp_path: Path) -> None:
    folder = tmp_path / "actions" / "nap"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(NAP)
    (folder / "phrases.yaml").write_text('say: ["take a nap for {duration_s}"]\n')

    async def scenario() -> None:
        settings = Settings(state=tmp_path, port=0, action_folders=(folder.parent,))
        async with asyncio.timeout(STORY_S), Installation(settings) as installation:
            supervisor = installation.supervisor
            holding = supervisor.say("hold the left arm still", who="Ann")
            assert await holding.done()
            assert await supervisor.say("take a nap for 400 milliseconds", who="Bob").done()
            (held,) = installation.held.last
            assert (held.holder.owner, held.holder.name) == (Owner.ACTION, "nap")
            assert held.holder.place.file == str(folder / "__init__.py")
            assert "# the line" in NAP.splitlines()[held.holder.place.line - 1]
            told = [event.text for event in supervisor.events.history() if event.kind is EventKind.ERROR]
            assert [text for text in told if text == f"{in_words(held)[0].upper()}{in_words(held)[1:]}."]
            # Everybody's orders are heard again by the time that this one has been carried out.
            assert await supervisor.say("wait for 1 second", who="Bob").done()
            assert holding.plan in [plan.id for plan in supervisor.plans()], "the arm goes on"
            slept = supervisor.say("take a nap for 2 seconds", who="Bob")
            assert not await slept.done()
            assert "to_thread" in slept.events[-1].text, "it has failed by that"
            assert [each.holder.name for each in installation.held.last] == ["nap", "nap"]
            assert installation.managers.health()["loop_held"] == 2

    asyncio.run(scenario())
