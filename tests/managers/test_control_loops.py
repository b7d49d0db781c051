"""A device's control loop: faults and recovery, silence and nonsense, who reads along, what guards a base."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.registrar import ResourceRegistrar
from managers.control_loops import SILENCE_S
from managers.devices import DeviceView
from managers.faults import Faults
from managers.sensor_manager import SensorManager
from resources.children.failing import FailMode
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.controllers.mailbox import OrdersReader
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.arms import Arm, ArmState, Base, ControlLoop, Gripper, Recovery
from resources.types.motion import LoopState
from resources.types.sensors import ScanFeed
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Client, now_s
from tests.managers.scripted_world import InWorld, PlayedWorld, keep
from tests.managers.test_controller_manager import FAR, moved

Play = Callable[[Any], None]

SCAN = ScanFeed("front_lidar", StreamHandle("front_lidar", "/a/front_lidar.ring", StreamFormat.SCAN))


class Scanner(Driver):
    """A scanner without scans."""

    name = "scanner"
    kind = "scan"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ScanFeed]:
        yield SCAN


class Harness:
    """A played world whose arms, grippers and base are held, read, made to fail, and recovered.

    stage: on which it is played, and whose clients come.
    """

    def __init__(self, world: PlayedWorld) -> None:
        self.stage = world.stage
        self.world = world
        self.controllers = world.manager
        self.sensors: SensorManager
        self.faults: Faults

    async def open(self) -> None:
        """Everything is there, and nobody has asked for anything."""
        stage = self.stage
        robot = RobotDescription("tester", (DeviceDescription("front_lidar", "scanner", "scan"),))
        self.sensors = await stage.enter(
            SensorManager(
                stage.transport, robot, {"scanner": driver_spec(Scanner)}, stage.folder, clock=stage.clock
            )
        )
        registrars: list[ResourceRegistrar] = [self.controllers.registrar, self.sensors.registrar]
        self.faults = Faults(self.sensors, self.controllers, stage.processes, registrars)

    def view(self, name: str = "left_arm") -> DeviceView:
        """As people see it."""
        return next(each for each in self.controllers.devices() if each.name == name)

    @property
    def core(self) -> ControlLoopCore:
        """Of the left arm's loop."""
        return self.world.control("left_arm").loop.core

    async def asking(self, request: Any = None, **wishes: Any) -> Client:
        """Somebody who wants the left arm, or what is asked for."""
        return await self.world.asking(request, **wishes)

    async def reading(self, side: str = "left") -> Client:
        """Somebody who reads an arm's state."""
        return await self.asking(ArmState(side), exclusive=False)

    async def recovering(self) -> Client:
        """Somebody who confirms that the left arm may go on."""
        return await self.asking(Recovery("left_arm"), exclusive=False)

    async def has_a_reflex(self) -> None:
        """The left arm has, and everybody knows."""
        self.faults.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)


@pytest.fixture
def at_home(in_world: InWorld) -> Callable[[Callable[[Harness], Coroutine[Any, Any, None]]], None]:
    """Plays a scene in such a harness."""

    def play_scene(scene: Callable[[Harness], Coroutine[Any, Any, None]]) -> None:
        async def whole(world: PlayedWorld) -> None:
            harness = Harness(world)
            await harness.open()
            await scene(harness)

        in_world(whole)

    return play_scene


def test_a_reflex_ends_the_motion_in_words_and_whoever_reads_reads_on(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        reader, client = await harness.reading(), await harness.asking()
        await keep(client, FAR, 0.3)
        said = harness.faults.fail("left_arm", FailMode.REFLEX)
        assert said == 'left_arm has a reflex; "recover the left arm" ends it'
        await asyncio.sleep(0.1)
        words = 'left_arm: reflex: it was made to have one: say "recover the left arm"'
        assert isinstance(client.error, ResourceFailed) and words in str(client.error)
        assert client.severities[-1] == "FATAL" and client.severities.count("FATAL") == 1
        assert reader.severities == ("WARNING",) and reader.told[0].status.message == words
        assert harness.view().state == "fault" and "reflex" in harness.view().detail
        assert not harness.faults.injected
        with pytest.raises(ResourceUnavailable, match='say "recover the left arm"'):
            harness.faults.restore("left_arm")
        for request in (Arm("left"), Arm("left")):  # each time, not only the first
            assert words in str((await harness.asking(request)).error)
        other = await harness.asking(Arm())
        assert other.value.device == "right_arm"

    at_home(scene)


def test_it_is_recovered_from_and_moves_nothing_by_that(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        reader, client = await harness.reading(), await harness.asking()
        await keep(client, FAR, 0.3)
        harness.faults.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.5)
        recovery = await harness.recovering()
        assert recovery.value.device == "left_arm", recovery.error
        await asyncio.sleep(0.1)
        assert reader.severities == ("WARNING", "OK")
        assert not moved(harness.world) and harness.view().state == "in use"
        client.ask(Arm("left"), exclusive=True)
        await client.answer()
        await keep(client, FAR, 0.3, number=2)
        assert moved(harness.world)
        await harness.has_a_reflex()
        assert isinstance(recovery.error, ResourceFailed), "one recovery does not stand for the next fault"
        assert (await harness.recovering()).lease is not None

    at_home(scene)


def test_what_does_not_recover_says_so(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.reading()
        await harness.has_a_reflex()
        harness.stage.patch.setattr(harness.core, "recovered", lambda: None)
        recovery = await harness.recovering()
        assert "left_arm has not recovered within 8 s: reflex" in str(recovery.error)

    at_home(scene)


def test_a_recovery_that_was_tried_in_vain_is_told_at_once(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.reading()
        await harness.has_a_reflex()
        core = harness.core
        state = core.state

        def in_vain() -> LoopState:
            return msgspec.structs.replace(state(), fault="reflex: a person leans on it", unrecovered=1)

        harness.stage.patch.setattr(
            core, "recovered", lambda: harness.stage.patch.setattr(core, "state", in_vain)
        )
        asked_s = now_s()
        recovery = await harness.recovering()
        assert "reflex: a person leans on it" in str(recovery.error)
        assert now_s() - asked_s < 0.2

    at_home(scene)


def test_nothing_is_recovered_under_an_emergency_stop(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.reading()
        harness.faults.fail("left_arm", FailMode.REFLEX)
        harness.world.stop = MotionStop(emergency=True, reason="smoke", token=5)
        await asyncio.sleep(0.1)
        recovery = await harness.recovering()
        assert "left_arm is not recovered now: emergency stop: smoke: reset the emergency stop first" in str(
            recovery.error
        )
        harness.world.stop = MotionStop(token=5)
        await asyncio.sleep(1.0)
        assert harness.world.state("left_arm").fault == "reflex: it was made to have one", "nor later"
        assert (await harness.recovering()).lease is not None

    at_home(scene)


def test_an_emergency_stop_as_a_recovery_is_ordered_refuses_it_in_the_loop(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.reading()
        await harness.has_a_reflex()
        deaf = SimpleNamespace(EMERGENCY="the manager has not heard of it")
        harness.stage.patch.setattr("managers.recovery.StopKind", deaf)
        harness.world.stop = MotionStop(emergency=True, reason="smoke", token=5)
        await asyncio.sleep(0.1)
        asked_s = now_s()
        recovery = await harness.recovering()
        assert "has not recovered: reflex: it was made to have one; reset the emergency stop first" in str(
            recovery.error
        )
        assert now_s() - asked_s < 0.2

    at_home(scene)


def test_a_recovery_that_was_given_up_is_not_carried_out_later(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.reading()
        await harness.has_a_reflex()
        core = harness.core
        obey = core.obey
        harness.stage.patch.setattr(core, "obey", lambda orders, now: False)  # it hears nothing, but reports
        recovery = await harness.recovering()
        assert "left_arm has not recovered within 8 s" in str(recovery.error)
        harness.stage.patch.setattr(core, "obey", obey)
        with OrdersReader(harness.stage.folder / "orders_left_arm.ring") as mailbox:
            orders = mailbox.read()
        assert orders is not None and orders.recoveries == 1
        assert not core.obey(orders, now_s()), "a minute later it is nobody's wish any more"
        assert core.fault
        assert (await harness.recovering()).lease is not None

    at_home(scene)


def test_a_device_that_is_well_needs_no_recovery(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        client = await harness.asking()
        await keep(client, FAR, 0.3)
        recovery = await harness.recovering()
        assert recovery.lease is not None and moved(harness.world) and not client.told

    at_home(scene)


def test_a_fault_nobody_saw_is_found_by_the_next_who_asks(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        await harness.asking(Gripper())  # the world is up, the arm's loop is nobody's
        harness.faults.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(1)
        assert 'say "recover the left arm"' in str((await harness.asking(Arm("left"))).error)
        assert (await harness.asking(Arm())).value.device == "right_arm"
        assert harness.view().state == "fault"
        assert (await harness.recovering()).lease is not None
        assert (await harness.asking(Arm("left"))).lease is not None

    at_home(scene)


def test_only_an_arm_has_reflexes(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        for name in ("left_gripper", "base", "front_lidar"):
            with pytest.raises(ResourceUnavailable, match=f"{name}.* has no reflexes; what it can do is die"):
                harness.faults.fail(name, FailMode.REFLEX)
        with pytest.raises(
            ResourceUnavailable, match="there is no 'third_arm'; devices are front_lidar, left_arm"
        ):
            harness.faults.fail("third_arm", FailMode.REFLEX)

    at_home(scene)


@pytest.mark.parametrize(
    ("how", "within_s", "why"),
    [
        (FailMode.DIE, 0.1, "its control loop has ended"),
        (FailMode.GARBAGE, 0.1, "is no report of a control loop"),
        (FailMode.HANG, SILENCE_S + 0.1, "its control loop has been silent for 2 s"),
    ],
)
def test_a_loop_that_fails_alone_fails_its_device_alone(
    at_home: Play, how: FailMode, within_s: float, why: str
) -> None:
    async def scene(harness: Harness) -> None:
        client, other = await harness.asking(), await harness.asking(Arm("right"))
        await keep(client, FAR, 0.3)
        failed_s = now_s()
        assert "left_arm is unplugged: its control loop" in harness.faults.fail("left_arm", how)
        await asyncio.sleep(within_s)
        assert isinstance(client.error, ResourceFailed) and why in str(client.error)
        assert client.severities == ("FATAL",) and client.told[0].at_s - failed_s <= within_s
        assert not other.told and harness.faults.injected == {"left_arm": how}
        assert "left_arm is unplugged" in str((await harness.asking()).error)
        assert harness.view().state == "unplugged" and harness.view().reliability < 0.9
        assert harness.faults.restore("left_arm") == "left_arm is plugged in" and not harness.faults.injected
        await asyncio.sleep(0.1)
        assert not harness.world.control("left_arm").loop.is_failing
        again = await harness.asking()
        await keep(again, FAR, 0.3, number=4)
        assert moved(harness.world)

    at_home(scene)


def test_a_process_that_stands_still_is_found_by_its_silence(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        client = await harness.asking()
        harness.world.stands_still = True
        await asyncio.sleep(SILENCE_S - 0.2)
        assert not client.told
        await asyncio.sleep(0.4)
        assert isinstance(client.error, ResourceFailed) and "silent" in str(client.error)

    at_home(scene)


def test_our_own_standstill_is_not_the_loop_s_silence(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        client = await harness.asking(ControlLoop("left_arm"), exclusive=False)
        harness.stage.clock.gap_s += 60.0
        await asyncio.sleep(1)
        assert client.lease is not None and not client.told

    at_home(scene)


def test_the_scanners_that_guard_a_base_come_and_go(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        base = await harness.asking(Base())
        await asyncio.sleep(0.1)
        assert harness.world.control("base").loop.core.scans == (("front_lidar", "/a/front_lidar.ring"),)
        harness.sensors.unplug("front_lidar")
        await asyncio.sleep(0.1)
        assert harness.world.control("base").loop.core.scans == ()
        assert base.severities == ("UPDATE",) and "device front_lidar is gone" in base.told[0].status.message
        harness.sensors.plug_in("front_lidar")
        await asyncio.sleep(1)
        assert harness.world.control("base").loop.core.scans == (("front_lidar", "/a/front_lidar.ring"),)
        assert base.severities.count("UPDATE") == 2 and base.value.device == "base"

    at_home(scene)


def test_a_base_without_its_scanner_is_still_given(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        harness.sensors.unplug("front_lidar")
        base = await harness.asking(Base())
        assert base.value.guards == ("front_lidar",) and harness.world.control("base").loop.core.scans == ()

    at_home(scene)


def test_people_see_what_each_device_does_and_for_whom(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        assert [(each.name, each.state) for each in harness.controllers.devices()] == [
            ("left_arm", "free"),
            ("right_arm", "free"),
            ("left_gripper", "free"),
            ("base", "free"),
        ]
        client = await harness.asking(who="the painter")
        await keep(client, FAR, 0.3)
        assert harness.view().state == "in use" and harness.view().detail == "move, held by the painter"
        await harness.reading("right")
        assert harness.view("right_arm").detail == "hold"
        harness.world.stop = MotionStop(emergency=True, reason="a test", token=3)
        await asyncio.sleep(0.1)
        assert harness.view("right_arm").detail == "hold; emergency stop: a test"

    at_home(scene)


def test_an_arm_s_state_is_read_by_many_and_of_the_arm_that_is_there(at_home: Play) -> None:
    async def scene(harness: Harness) -> None:
        one, other = await harness.reading(), await harness.reading("")
        assert one.value == other.value and one.value.device == "left_arm" and one.value.home
        harness.controllers.unplug("left_arm")
        await asyncio.sleep(0.1)
        assert "left_arm was unplugged" in str(one.error) and "left_arm was unplugged" in str(other.error)
        assert (await harness.reading("")).value.device == "right_arm"
        assert "left_arm is unplugged" in str((await harness.reading()).error)
        assert "there is no upper arm; there are the left arm and the right arm" in str(
            (await harness.reading("upper")).error
        )

    at_home(scene)
