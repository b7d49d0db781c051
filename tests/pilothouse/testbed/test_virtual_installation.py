"""What moves in an installation that is played: real managers, loops and mailboxes, on the virtual clock."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.interlock import Loss, LossKind, Permit
from framework.plugins.client import client_for
from framework.processes.emergency import EmergencyStop
from framework.scenarios.scenario import How
from framework.state import StateFolder
from framework.status import Priority
from framework.testing import run
from framework.transport.ring import RingReader
from pilothouse.installation import PART_LEAVES_WITHIN_S, Settings
from pilothouse.leaving import LEAVES_WITHIN_S
from pilothouse.testbed.virtual_installation import VirtualInstallation, VirtualStage
from pilothouse.testbed.virtual_operators import VirtualOperators, VirtualSession
from resources.children.failing import FailMode
from resources.operator.arguments import OperatorArguments
from resources.types.arms import Arm, Base, Gripper, Motion, Recovery
from resources.types.device_states import DeviceState
from resources.types.masters import HandSample
from resources.types.motion import StopKind
from resources.types.ros import RosOutward
from resources.types.sensors import Lidar
from tests.managers.operators_at_work import AtWork, at_work


def test_an_arm_goes_home_from_where_a_cartesian_motion_has_brought_it(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        async with work.watching() as arm:
            home = arm().base_T_tool
            await work.done("move the arm left 20 cm")
            await asyncio.sleep(0.2)
            assert arm().base_T_tool[1] == pytest.approx(home[1] + 0.2, abs=1e-3)
            await work.done("go home")
            await asyncio.sleep(0.2)
            assert arm().base_T_tool == pytest.approx(home, abs=1e-6)

    at_work(tmp_path, play, phones=False)


@pytest.mark.parametrize("world", ["inspection", "bench"])  # with a base, and without
def test_what_moves_over_ros_waits_for_a_word_as_the_rest_of_the_robot_does(
    tmp_path: Path, world: str
) -> None:
    async def scene() -> None:
        async with VirtualInstallation(Settings(tmp_path, world)) as installation:
            interlock, registrar = installation.interlock, installation.managers.registrars[0]
            walking = RosOutward("/walk")
            interlock.give_word("1")

            async def walk() -> None:
                async with registrar.request(walking, exclusive=True, permit=interlock.permit("1")):
                    await asyncio.sleep(10.0)

            walks = asyncio.create_task(walk())
            await asyncio.sleep(1.0)
            interlock.raise_for("left_arm", Loss(LossKind.HAND, "ann", "ann's hand was lost"))
            interlock.tell_rise()
            with pytest.raises(Preempted, match="ann's hand was lost"):
                await walks
            with pytest.raises(ResourceUnavailable, match="waits for a word: ann's hand was lost"):
                await walk()

    run(scene)


def test_arms_grippers_and_the_base_move_fail_and_are_stopped(tmp_path: Path) -> None:
    async def scene() -> None:
        async with VirtualInstallation(Settings(tmp_path)) as installation:
            managers = installation.managers
            registrar = managers.registrars[0]
            interlock = installation.interlock
            while managers.simulation is None:
                await asyncio.sleep(0.1)

            async def waits_for_a_word(side: str) -> None:
                assert interlock.awaited("1") is None
                with pytest.raises(ResourceUnavailable):
                    await move(side)
                assert interlock.awaited("1") is not None
                interlock.give_word("1")

            async def move(side: str, *, reflex: bool = False, stop: bool = False) -> None:
                permit = interlock.permit("1")
                async with registrar.request(Arm(side), exclusive=True, permit=permit) as lease:
                    arm = client_for("arm", lease.request, lease)
                    q = list((await arm.state()).q)
                    q[0] += 0.5
                    moving = asyncio.create_task(arm.move_joints(q, speed=0.2))
                    await asyncio.sleep(0.3)
                    if reflex:
                        managers.faults.fail(f"{side}_arm", FailMode.REFLEX)
                    if stop:
                        managers.emergency.latch("a test")
                    try:
                        await moving
                    finally:
                        moving.cancel()
                        arm.end()

            interlock.give_word("1")
            await move("left")
            with pytest.raises(ResourceFailed, match='say "recover the left arm"'):
                await move("left", reflex=True)
            with pytest.raises(ResourceUnavailable, match='say "recover the left arm"'):
                await move("left")
            async with registrar.request(Recovery("left_arm")):
                pass
            await waits_for_a_word("left")
            await move("left")
            with pytest.raises(ResourceFailed, match="emergency stop has ended the motion of right_arm"):
                await move("right", stop=True)
            managers.emergency.reset(managers.emergency.token)
            await asyncio.sleep(1)
            await waits_for_a_word("right")
            await move("right")
            async with registrar.request(
                Gripper("left"), exclusive=True, permit=interlock.permit("1")
            ) as lease:
                gripper = client_for("gripper", lease.request, lease)
                await gripper.open()
                gripper.end()
            async with registrar.request(Base(), exclusive=True, permit=interlock.permit("1")) as lease:
                base = client_for("base", lease.request, lease)
                await base.move_to(1.0, 0.0, 1.57)
                assert (await base.state()).odometry == pytest.approx((1.0, 0.0, 1.57), abs=0.005)
                base.end()
            managers.faults.fail("left_gripper", FailMode.DIE)
            with pytest.raises(ResourceUnavailable, match="left_gripper is unplugged"):
                async with registrar.request(Gripper("left"), exclusive=True, permit=interlock.permit("1")):
                    raise AssertionError
            managers.faults.restore("left_gripper")
            await asyncio.sleep(0.1)
            async with registrar.request(
                Gripper("left"), exclusive=True, permit=interlock.permit("1")
            ) as lease:
                assert lease.value.device == "left_gripper"

    run(scene)


@pytest.mark.parametrize(("world", "others"), [("bench", {"gripper"}), ("inspection", None)])
def test_a_lost_hand_raises_the_epoch_of_what_its_arm_could_hit(
    tmp_path: Path, world: str, others: set[str] | None
) -> None:
    async def scene() -> None:
        async with VirtualInstallation(Settings(tmp_path, world)) as installation:
            registrar, interlock = installation.managers.registrars[0], installation.interlock
            devices = {device.name for device in installation.robot.controllers}
            arm = "arm" if world == "bench" else "left_arm"
            async with registrar.request(Motion(arm), exclusive=True, priority=Priority.OPERATOR):
                assert interlock.since(arm, Permit("1")) is None
            lost = {device for device in devices if interlock.since(device, Permit("1")) is not None}
            assert lost == (devices if others is None else {arm, *others})
            assert interlock.since("elsewhere", Permit("1")) is None

    run(scene)


def test_an_arm_stops_when_the_supervisor_is_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(work: AtWork) -> None:
        async with work.watching() as arm:
            moving = asyncio.create_task(work.done("move the arm left 20 cm slowly"))
            await asyncio.sleep(1.0)
            assert not arm().loop.is_at_rest
            monkeypatch.setattr(EmergencyStop, "beat", lambda *_: None)
            await asyncio.sleep(0.5)
            assert arm().loop.is_at_rest and arm().loop.stop is StopKind.ALONE
            moving.cancel()

    at_work(tmp_path, play, phones=False)


class WithAHungPart(VirtualInstallation):
    """One part of it never ends."""

    async def serve(self, stack: AsyncExitStack) -> None:
        await super().serve(stack)
        await self._enter(HungPart())


class HungPart:
    async def __aenter__(self) -> HungPart:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.sleep(3600.0)


def test_a_part_that_never_ends_does_not_keep_the_others_from_being_left(tmp_path: Path) -> None:
    async def scene() -> None:
        installation = WithAHungPart(Settings(tmp_path, "bench"))
        await installation.__aenter__()
        begun_s = asyncio.get_running_loop().time()
        await installation.__aexit__(None, None, None)
        took_s = asyncio.get_running_loop().time() - begun_s
        assert PART_LEAVES_WITHIN_S <= took_s < LEAVES_WITHIN_S
        assert installation.left_behind == ["HungPart"]
        assert not installation.directory.exists()
        assert all(manager.snapshot().is_empty for manager in installation.managers.registrars)

    run(scene)


def test_what_was_set_aside_is_told_and_an_installation_can_be_made_safe_from_a_thread(
    tmp_path: Path,
) -> None:
    StateFolder(tmp_path).write("memory", {})
    for name in ("memory.json", "reliability.json", "version"):
        (tmp_path / name).write_bytes(b"garbage")

    async def scene() -> None:
        async with VirtualInstallation(Settings(tmp_path, "bench")) as installation:
            told = [event.text for event in installation.events.history() if "set aside" in event.text]
            assert len(told) == 3
            await asyncio.to_thread(installation.make_safe)
            assert installation.managers.emergency.is_latched
        installation.make_safe()  # it has ended

    run(scene)
    asides = sorted(file.name.partition(".set-aside-")[0] for file in tmp_path.glob("*.set-aside-*"))
    assert asides == ["memory.json", "reliability.json", "version"]


def test_a_played_world_says_how_its_arms_are_also_while_nobody_uses_them(tmp_path: Path) -> None:
    async def scene() -> None:
        async with VirtualInstallation(Settings(tmp_path)) as installation:
            managers = installation.managers
            while managers.simulation is None:
                await asyncio.sleep(0.1)
            managers.faults.fail("right_arm", FailMode.REFLEX)
            await asyncio.sleep(0.2)
            states = {device.name: device.state for device in managers.devices()}
            assert (states["left_arm"], states["right_arm"]) == (DeviceState.FREE, DeviceState.FAULT)

    run(scene)


def test_a_device_that_has_failed_in_two_ways_is_mended_of_both(tmp_path: Path) -> None:
    """By then the process that was slow is gone, because of the other fault."""

    async def scene() -> None:
        installation = VirtualInstallation(Settings(tmp_path))
        async with installation:
            stage = VirtualStage(installation)
            async with installation.managers.registrars[0].request(Lidar()) as lease:
                name = lease.value.device
                stage.fail(name, How.GARBAGE)
                stage.fail(name, How.SLOW)
                await asyncio.sleep(1.0)  # another one takes its place
            stage.restore(name)
            states = {device.name: device.state for device in installation.managers.devices()}
            assert states[name].works
            stage.close()

    run(scene)


def test_a_seed_draws_how_long_a_persons_link_takes(tmp_path: Path) -> None:
    def latencies(seed: int) -> list[float]:
        arguments = OperatorArguments(str(tmp_path), str(tmp_path), "")
        people = VirtualOperators(arguments, random.Random(seed) if seed else None)
        try:
            for name in ("phone 1", "phone 2"):
                people.play(f"{name} comes", 0.0)
            people.tick(10.0)
            return [_latency_s(session) for session in people.sessions.values()]
        finally:
            people.close()

    assert latencies(0) == [0.0, 0.0]
    assert latencies(1) == latencies(1) != latencies(2)
    assert all(0.0 < each < 0.05 for each in latencies(1))


def _latency_s(session: VirtualSession) -> float:
    with RingReader(Path(session.rings.hands[0].stream.ring)) as reader:
        sample = reader.latest()
        assert sample is not None
        hand = msgspec.msgpack.decode(sample.payload, type=HandSample)
        return hand.received_s - hand.taken_s
