"""A device's control loop: faults and recovery, silence and nonsense, who reads along, what guards a base."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.registrar import ResourceRegistrar
from managers.control_loops import SILENCE_S
from managers.controller_manager import ControllerManager
from managers.devices import DeviceView
from managers.faults import Faults
from managers.sensor_manager import SensorManager
from resources.children.failing import FailMode
from resources.children.orders import Restart
from resources.controllers.loop import Stop
from resources.controllers.mailbox import OrdersReader
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.arms import Arm, ArmState, Base, ControlLoop, Gripper, Recovery
from resources.types.motion import LoopState
from resources.types.sensors import ScanFeed
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Client, Stage, now_s
from tests.managers.played_world import PlayedWorld, asking, keep
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


async def sensors(stage: Stage) -> SensorManager:
    robot = RobotDescription("tester", (DeviceDescription("front_lidar", "scanner", "scan"),))
    manager: SensorManager = await stage.enter(
        SensorManager(
            stage.transport, robot, {"scanner": driver_spec(Scanner)}, stage.folder, clock=stage.clock
        )
    )
    return manager


async def faults(stage: Stage, controllers: ControllerManager) -> Faults:
    looking = await sensors(stage)
    registrars: list[ResourceRegistrar] = [controllers.registrar, looking.registrar]
    return Faults(looking, controllers, stage.processes, registrars)


def view(controllers: ControllerManager, name: str = "left_arm") -> DeviceView:
    return next(each for each in controllers.devices() if each.name == name)


async def reading(stage: Stage, side: str = "left") -> Client:
    return await asking(stage, ArmState(side), exclusive=False)


def test_a_reflex_ends_the_motion_in_words_and_whoever_reads_reads_on(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        reader, client = await reading(stage), await asking(stage)
        await keep(client, FAR, 0.3)
        said = made.fail("left_arm", FailMode.REFLEX)
        assert said == 'left_arm has a reflex; "recover the left arm" ends it'
        await asyncio.sleep(0.1)
        words = 'left_arm: reflex: it was made to have one: say "recover the left arm"'
        assert isinstance(client.error, ResourceFailed) and words in str(client.error)
        assert client.severities[-1] == "FATAL" and client.severities.count("FATAL") == 1
        assert reader.severities == ("WARNING",) and reader.told[0].status.message == words
        assert view(controllers).state == "fault" and "reflex" in view(controllers).detail
        assert not made.injected
        with pytest.raises(ResourceUnavailable, match='say "recover the left arm"'):
            made.restore("left_arm")
        for request in (Arm("left"), Arm("left")):  # each time, not only the first
            assert words in str((await asking(stage, request)).error)
        other = await asking(stage, Arm())
        assert other.value.device == "right_arm"
        world.end()

    play(scene)


def test_it_is_recovered_from_and_moves_nothing_by_that(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        reader, client = await reading(stage), await asking(stage)
        await keep(client, FAR, 0.3)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.5)
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert recovery.value.device == "left_arm", recovery.error
        await asyncio.sleep(0.1)
        assert reader.severities == ("WARNING", "OK")
        assert not moved(world) and view(controllers).state == "in use"
        client.ask(Arm("left"), exclusive=True)
        await client.answer()
        await keep(client, FAR, 0.3, number=2)
        assert moved(world)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)
        assert isinstance(recovery.error, ResourceFailed), "one recovery does not stand for the next fault"
        assert (await asking(stage, Recovery("left_arm"), exclusive=False)).lease is not None
        world.end()

    play(scene)


def test_what_does_not_recover_says_so(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await reading(stage)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)
        stage.patch.setattr(world.control("left_arm").core, "recovered", lambda: None)
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert "left_arm has not recovered within 8 s: reflex" in str(recovery.error)
        world.end()

    play(scene)


def test_a_recovery_that_was_tried_in_vain_is_told_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await reading(stage)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)
        core = world.control("left_arm").core
        state = core.state

        def in_vain() -> LoopState:
            return msgspec.structs.replace(state(), fault="reflex: a person leans on it", unrecovered=1)

        stage.patch.setattr(core, "recovered", lambda: stage.patch.setattr(core, "state", in_vain))
        asked_s = now_s()
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert "reflex: a person leans on it" in str(recovery.error)
        assert now_s() - asked_s < 0.2
        world.end()

    play(scene)


def test_nothing_is_recovered_under_an_emergency_stop(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await reading(stage)
        made.fail("left_arm", FailMode.REFLEX)
        world.stop = Stop(emergency=True, reason="smoke", token=5)
        await asyncio.sleep(0.1)
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert "left_arm is not recovered now: emergency stop: smoke: reset the emergency stop first" in str(
            recovery.error
        )
        world.stop = Stop(token=5)
        await asyncio.sleep(1.0)
        assert world.state("left_arm").fault == "reflex: it was made to have one", "nor later"
        assert (await asking(stage, Recovery("left_arm"), exclusive=False)).lease is not None
        world.end()

    play(scene)


def test_an_emergency_stop_as_a_recovery_is_ordered_refuses_it_in_the_loop(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await reading(stage)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)
        stage.patch.setattr("managers.recovery.EMERGENCY", "the manager has not heard of it")
        world.stop = Stop(emergency=True, reason="smoke", token=5)
        await asyncio.sleep(0.1)
        asked_s = now_s()
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert "has not recovered: reflex: it was made to have one; reset the emergency stop first" in str(
            recovery.error
        )
        assert now_s() - asked_s < 0.2
        world.end()

    play(scene)


def test_a_recovery_that_was_given_up_is_not_carried_out_later(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await reading(stage)
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(0.1)
        core = world.control("left_arm").core
        obey = core.obey
        stage.patch.setattr(core, "obey", lambda orders, now: False)  # it hears nothing, but reports
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert "left_arm has not recovered within 8 s" in str(recovery.error)
        stage.patch.setattr(core, "obey", obey)
        with OrdersReader(stage.folder / "orders_left_arm.ring") as mailbox:
            orders = mailbox.read()
        assert orders is not None and orders.recoveries == 1
        assert not core.obey(orders, now_s()), "a minute later it is nobody's wish any more"
        assert core.fault
        assert (await asking(stage, Recovery("left_arm"), exclusive=False)).lease is not None
        world.end()

    play(scene)


def test_a_device_that_is_well_needs_no_recovery(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        client = await asking(stage)
        await keep(client, FAR, 0.3)
        recovery = await asking(stage, Recovery("left_arm"), exclusive=False)
        assert recovery.lease is not None and moved(world) and not client.told
        world.end()

    play(scene)


def test_a_fault_nobody_saw_is_found_by_the_next_who_asks(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        await asking(stage, Gripper())  # the world is up, the arm's loop is nobody's
        made.fail("left_arm", FailMode.REFLEX)
        await asyncio.sleep(1)
        assert 'say "recover the left arm"' in str((await asking(stage, Arm("left"))).error)
        assert (await asking(stage, Arm())).value.device == "right_arm"
        assert view(controllers).state == "fault"
        assert (await asking(stage, Recovery("left_arm"), exclusive=False)).lease is not None
        assert (await asking(stage, Arm("left"))).lease is not None
        world.end()

    play(scene)


def test_only_an_arm_has_reflexes(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        made = await faults(stage, await world.open())
        for name in ("left_gripper", "base", "front_lidar"):
            with pytest.raises(ResourceUnavailable, match=f"{name}.* has no reflexes; what it can do is die"):
                made.fail(name, FailMode.REFLEX)
        with pytest.raises(
            ResourceUnavailable, match="there is no 'third_arm'; devices are front_lidar, left_arm"
        ):
            made.fail("third_arm", FailMode.REFLEX)
        world.end()

    play(scene)


@pytest.mark.parametrize(
    ("how", "within_s", "why"),
    [
        (FailMode.DIE, 0.1, "its control loop has ended"),
        (FailMode.GARBAGE, 0.1, "is no report of a control loop"),
        (FailMode.HANG, SILENCE_S + 0.1, "its control loop has been silent for 2 s"),
    ],
)
def test_a_loop_that_fails_alone_fails_its_device_alone(
    play: Play, how: FailMode, within_s: float, why: str
) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        made = await faults(stage, controllers)
        client, other = await asking(stage), await asking(stage, Arm("right"))
        await keep(client, FAR, 0.3)
        failed_s = now_s()
        assert "left_arm is unplugged: its control loop" in made.fail("left_arm", how)
        await asyncio.sleep(within_s)
        assert isinstance(client.error, ResourceFailed) and why in str(client.error)
        assert client.severities == ("FATAL",) and client.told[0].at_s - failed_s <= within_s
        assert not other.told and made.injected == {"left_arm": how}
        assert "left_arm is unplugged" in str((await asking(stage)).error)
        assert view(controllers).state == "unplugged" and view(controllers).reliability < 0.9
        assert made.restore("left_arm") == "left_arm is plugged in" and not made.injected
        await asyncio.sleep(0.1)
        assert world.orders[-1] == Restart("left_arm")
        again = await asking(stage)
        await keep(again, FAR, 0.3, number=4)
        assert moved(world)
        world.end()

    play(scene)


def test_a_process_that_stands_still_is_found_by_its_silence(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        client = await asking(stage)
        world.stands_still = True
        await asyncio.sleep(SILENCE_S - 0.2)
        assert not client.told
        await asyncio.sleep(0.4)
        assert isinstance(client.error, ResourceFailed) and "silent" in str(client.error)
        world.end()

    play(scene)


def test_our_own_standstill_is_not_the_loop_s_silence(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        client = await asking(stage, ControlLoop("left_arm"), exclusive=False)
        stage.clock.gap_s += 60.0
        await asyncio.sleep(1)
        assert client.lease is not None and not client.told
        world.end()

    play(scene)


def test_the_scanners_that_guard_a_base_come_and_go(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        looking = await sensors(stage)
        base = await asking(stage, Base())
        await asyncio.sleep(0.1)
        assert world.control("base").core.scans == (("front_lidar", "/a/front_lidar.ring"),)
        looking.unplug("front_lidar")
        await asyncio.sleep(0.1)
        assert world.control("base").core.scans == ()
        assert base.severities == ("UPDATE",) and "device front_lidar is gone" in base.told[0].status.message
        looking.plug_in("front_lidar")
        await asyncio.sleep(1)
        assert world.control("base").core.scans == (("front_lidar", "/a/front_lidar.ring"),)
        assert base.severities.count("UPDATE") == 2 and base.value.device == "base"
        world.end()

    play(scene)


def test_a_base_without_its_scanner_is_still_given(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        await world.open()
        (await sensors(stage)).unplug("front_lidar")
        base = await asking(stage, Base())
        assert base.value.guards == ("front_lidar",) and world.control("base").core.scans == ()
        world.end()

    play(scene)


def test_people_see_what_each_device_does_and_for_whom(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        assert [(each.name, each.state) for each in controllers.devices()] == [
            ("left_arm", "free"),
            ("right_arm", "free"),
            ("left_gripper", "free"),
            ("base", "free"),
        ]
        client = await asking(stage, who="the painter")
        await keep(client, FAR, 0.3)
        assert view(controllers).state == "in use" and view(controllers).detail == "move, held by the painter"
        await reading(stage, "right")
        assert view(controllers, "right_arm").detail == "hold"
        world.stop = Stop(emergency=True, reason="a test", token=3)
        await asyncio.sleep(0.1)
        assert view(controllers, "right_arm").detail == "hold; emergency stop: a test"
        world.end()

    play(scene)


def test_an_arm_s_state_is_read_by_many_and_of_the_arm_that_is_there(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        world = PlayedWorld(stage)
        controllers = await world.open()
        one, other = await reading(stage), await reading(stage, "")
        assert one.value == other.value and one.value.device == "left_arm" and one.value.home
        controllers.unplug("left_arm")
        await asyncio.sleep(0.1)
        assert "left_arm was unplugged" in str(one.error) and "left_arm was unplugged" in str(other.error)
        assert (await reading(stage, "")).value.device == "right_arm"
        assert "left_arm is unplugged" in str((await reading(stage)).error)
        assert "there is no upper arm; there are the left arm and the right arm" in str(
            (await reading(stage, "upper")).error
        )
        world.end()

    play(scene)
