"""Stops of the whole installation, with real processes: who is told what; nothing moves afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from framework.errors import LeaseError, ResourceFailed, ResourceUnavailable
from framework.interlock import LossKind
from framework.plugins.client import client_for
from framework.registrar import Lease, ResourceRegistrar
from framework.transport.ring import RingReader
from pilothouse.experiments.stopping import StoppingRuns
from pilothouse.experiments.stopping.robot import Way
from pilothouse.installation import Installation, Settings
from resources.types.arms import Arm, ArmHandle
from resources.types.motion import ArmSample, MoveJoints, Wanted, encode_motion
from resources.types.motion_clients import ArmClient
from resources.types.samples import decode
from resources.types.streams import StreamFormat
from tests.machine_hiccups import passes_by_itself

pytestmark = pytest.mark.real

FAR = (1.1, 0.1, 0.0, -1.5, 0.0, 2.2, 0.8)
FAST_RAD_S = 0.4
SLOW_RAD_S = 0.02
TRIES = 3
PATIENCE_S = 60.0


class Unwatched:
    """No progress bar."""

    def begin(self, what: str, steps: int) -> None:
        """See `Progress`."""

    def step(self) -> None:
        """See `Progress`."""


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Installation]:
    """One arm, in the real installation."""
    async with (
        asyncio.timeout(4 * PATIENCE_S),
        Installation(Settings(state=folder, port=0, world="bench")) as installation,
    ):
        yield installation


class Arms:
    """Whoever moves the arm, and what it reports by itself."""

    def __init__(self, installation: Installation) -> None:
        self.registrar: ResourceRegistrar = installation.managers.registrars[0]
        self.ring = installation.directory / "motion_arm.ring"
        self.stream = StreamFormat.ARM
        self.lease: Lease
        self.client: ArmClient

    async def reports(self, count: int) -> list[ArmSample]:
        """So many, from now on; read from the stream that is there now."""
        found: list[ArmSample] = []
        with RingReader(self.ring) as reader:
            seen = reader.sequence
            async with asyncio.timeout(PATIENCE_S):
                while len(found) < count:
                    await asyncio.sleep(0.005)
                    sample = reader.latest(seen)
                    if sample is not None:
                        seen = sample.sequence
                        decoded = decode(sample, self.stream)
                        assert isinstance(decoded, ArmSample)
                        found.append(decoded)
        return found

    async def is_fast(self, speed_rad_s: float = FAST_RAD_S) -> None:
        while np.abs((await self.reports(1))[0].dq).max() < speed_rad_s:
            pass

    async def moving(self, then: Callable[[], object]) -> None:
        """Hold the arm, set it in fast motion, and let happen what is to happen.

        Once more, as a person would, if the arm was not served in time by a busy machine before it was fast.
        """
        for number in range(TRIES):
            has_happened = False

            def happen() -> None:
                nonlocal has_happened
                has_happened = True
                then()

            try:
                return await self._move(happen)
            except ExceptionGroup as group:
                if has_happened or number == TRIES - 1 or not passes_by_itself(failures(group)):
                    raise

    async def _move(self, then: Callable[[], object]) -> None:
        async with self.registrar.request(Arm(), exclusive=True) as self.lease:
            client = client_for("arm", Arm(), self.lease)
            assert isinstance(client, ArmClient)
            self.client = client
            async with asyncio.TaskGroup() as group:
                group.create_task(client.move_joints(FAR, speed=0.8))
                await self.is_fast()
                then()

    def goes_on_commanding(self) -> None:
        """The former holder does not know, or does not care."""
        for _ in range(5):
            with pytest.raises(LeaseError):
                self.client.wish(MoveJoints(FAR))
            with pytest.raises(LeaseError):
                self.lease.send(encode_motion(Wanted(1, MoveJoints(FAR))))

    async def does_not_move(self) -> None:
        """For half a second of its reports."""
        before, *_, after = await self.reports(50)
        assert np.abs(np.subtract(after.q, before.q)).max() < 1e-3
        assert np.abs(after.dq).max() < 0.01
        assert after.loop.following == 0


async def world_is_up(installation: Installation) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while installation.managers.simulation is None:
            await asyncio.sleep(0.05)


def world_pid(installation: Installation) -> int:
    """Of the simulated world's process."""
    (world,) = (each for each in installation.processes.processes() if each.name.startswith("world"))
    return world.pid


def failures(caught: BaseException) -> str:
    """All that is said in a failure, groups and all."""
    if isinstance(caught, BaseExceptionGroup):
        return "; ".join(failures(each) for each in caught.exceptions)
    return f"{type(caught).__name__}: {caught}"


def test_a_world_killed_in_motion_is_told_and_the_next_one_stands_still(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as installation:
            arms = Arms(installation)

            with pytest.raises((ResourceFailed, ExceptionGroup)) as caught:
                await arms.moving(lambda: os.kill(world_pid(installation), signal.SIGKILL))
            said = failures(caught.value)
            assert "SIGKILL" in said and "ResourceFailed" in said, said
            await world_is_up(installation)
            arms.goes_on_commanding()
            await arms.does_not_move()
            # Who asks anew waits for a word; with one it gets another loop, without the former goal.
            interlock = installation.interlock
            with pytest.raises(ResourceUnavailable):
                async with arms.registrar.request(Arm(), exclusive=True, permit=interlock.permit("1")):
                    raise AssertionError
            assert interlock.awaited("1") is not None
            interlock.give_word("1")
            permit = interlock.permit("1")
            async with arms.registrar.request(Arm(), exclusive=True, permit=permit) as lease:
                assert isinstance(lease.value, ArmHandle) and lease.generation > 0
                await arms.does_not_move()

    asyncio.run(scenario())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_what_its_world_was_lost_under_moves_again_when_somebody_says_so(
    tmp_path: Path, number: signal.Signals
) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as installation:
            arms, supervisor = Arms(installation), installation.supervisor
            await world_is_up(installation)
            moving = supervisor.say("move the arm left 20 cm slowly")
            await arms.is_fast(SLOW_RAD_S)
            os.kill(world_pid(installation), number)
            async with asyncio.timeout(PATIENCE_S):
                while [plan.state for plan in supervisor.plans()] != ["paused"]:
                    await asyncio.sleep(0.02)
            await world_is_up(installation)
            for _ in range(4):
                await arms.does_not_move()
            loss = installation.interlock.awaited(supervisor.plans()[0].id)
            assert loss is not None and loss.kind is LossKind.DEVICE
            assert await supervisor.say("carry on").done()
            await arms.is_fast(SLOW_RAD_S)
            assert await moving.done()

    asyncio.run(scenario())


def test_a_former_holder_moves_nothing_after_an_emergency_stop_and_its_reset(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as installation:
            arms = Arms(installation)
            latch = installation.managers.emergency
            with pytest.raises((ResourceFailed, ExceptionGroup)) as caught:
                await arms.moving(lambda: latch.latch("a test"))
            assert "emergency stop" in failures(caught.value)
            arms.goes_on_commanding()
            while not (await arms.reports(1))[0].loop.is_at_rest:
                pass
            await arms.does_not_move()
            assert await installation.supervisor.reset_emergency("a test").done()
            arms.goes_on_commanding()
            await arms.does_not_move()
            assert (await arms.reports(1))[0].loop.stopped == ""

    asyncio.run(scenario())


def test_the_command_line_stops_a_robot_whose_main_process_is_stopped() -> None:
    runs = StoppingRuns(("pose",), (Way.COMMAND,), (False,), lapses=False)
    stops_all(runs, 1)


@pytest.mark.soak
@pytest.mark.parametrize("way", Way)
def test_every_way_stops_everything_and_nothing_goes_on(way: Way) -> None:
    stops_all(StoppingRuns(ways=(way,)), 6)


def stops_all(runs: StoppingRuns, count: int) -> None:
    figures = asyncio.run(runs.measure(Unwatched(), 0))
    assert figures["all_stood"]
    assert len(runs.stops) == 3 * count
    for stop in runs.stops:
        assert stop.speed > 20.0, stop  # it was in motion, and does not go on from what is stored
        assert stop.resumed < 0.5, stop
        assert stop.reset < 0.1, stop
