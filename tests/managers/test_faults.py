"""Making things fail on purpose: what is hurt, who notices, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.processes.spec import ProcessSpec
from framework.testing.children import Dies, Script
from managers.controller_manager import ControllerManager
from managers.faults import Faults
from managers.sensor_manager import SensorManager
from resources.children.failing import FailMode, fail_command
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.processes import Process
from resources.types.sensors import Camera, Device
from tests.faults.sensor import feed
from tests.faults.stage import Client, Stage

Play = Callable[[Any], None]


class ScriptedCamera(Driver):
    """A camera with a scripted process."""

    name = "scripted"
    kind = "rgbd"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        spec = ProcessSpec((device.name,), f"camera {device.name}", restart=None, device=device.name)
        async with device.request(Process(spec)):
            yield feed(device.name)


class Restarting(Driver):
    """A camera with a scripted process that begins anew whenever it has ended."""

    name = "restarting"
    kind = "rgbd"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        spec = ProcessSpec((device.name,), f"camera {device.name}", device=device.name)
        async with device.request(Process(spec)):
            yield feed(device.name)


class Window(Driver):
    """A camera without any process."""

    name = "window"
    kind = "rgbd"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        yield feed(device.name)


async def no_controllers(stage: Stage) -> ControllerManager:
    robot = RobotDescription("tester", ())
    manager: ControllerManager = await stage.enter(
        ControllerManager(stage.transport, robot, {}, stage.folder, clock=stage.clock)
    )
    return manager


async def managers(stage: Stage, front: type[Driver] = ScriptedCamera) -> Faults:
    """Two cameras, the better one with a process."""
    robot = RobotDescription(
        "tester",
        (
            DeviceDescription("front", front.name, "rgbd", priority=2),
            DeviceDescription("back", "window", "rgbd", priority=1),
        ),
    )
    drivers = {each.name: driver_spec(each) for each in (front, Window)}
    sensors = await stage.enter(
        SensorManager(stage.transport, robot, drivers, stage.folder, clock=stage.clock)
    )
    # A scripted child has no process that a signal could be sent to.
    stage.patch.setattr(stage.processes, "kill", lambda name: stage.launcher.life(name).die())
    return Faults(
        sensors, await no_controllers(stage), stage.processes, [sensors.registrar, stage.processes.registrar]
    )


async def having(stage: Stage, request: Any) -> Client:
    (client,) = await stage.come(1)
    client.ask(request)
    await client.answer()
    return client


def test_a_device_dies_by_its_process_and_whoever_watches_that_finds_out(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        client = await having(stage, Camera())
        assert faults.fail("front", FailMode.DIE) == "front is unplugged: its process was killed"
        assert faults.injected == {"front": FailMode.DIE}
        await asyncio.sleep(1)
        assert client.value.device == "back"
        assert "SIGKILL" in client.told[0].status.hops[0].message
        assert faults.restore("front") == "front is plugged in" and not faults.injected
        await asyncio.sleep(1)
        assert client.value.device == "front"

    play(scene)


@pytest.mark.parametrize("how", [FailMode.HANG, FailMode.GARBAGE, FailMode.STALE])
def test_other_failures_are_ordered_from_the_process_itself(play: Play, how: FailMode) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        client = await having(stage, Camera())
        assert "its process" in faults.fail("front", how)
        life = stage.launcher.life("camera front")
        assert life.commands == [fail_command(how)]
        assert client.value.device == "front" and not client.told  # no pretence: nobody knows yet
        life.hang()
        await asyncio.sleep(1)
        assert client.value.device == "back"

    play(scene)


@pytest.mark.parametrize("how", [FailMode.DIE, FailMode.HANG])
def test_a_device_whose_process_begins_anew_just_then_is_unplugged_all_the_same(
    play: Play, how: FailMode
) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage, Restarting)
        client = await having(stage, Camera())
        stage.launcher.life("camera front").die()
        await asyncio.sleep(0.01)
        assert faults.fail("front", how) == "front is unplugged"
        await asyncio.sleep(1)
        assert client.value.device == "back"
        faults.restore("front")
        await asyncio.sleep(1)
        assert client.value.device == "front"

    play(scene)


def test_a_device_without_a_process_is_unplugged_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        client = await having(stage, Device("back"))
        assert faults.fail("back", FailMode.DIE) == "back is unplugged"
        await asyncio.sleep(0.05)
        assert isinstance(client.error, ResourceFailed) and "was unplugged" in str(client.error)

    play(scene)


def test_a_device_nobody_uses_is_gone_for_the_next_one(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        faults.fail("front", FailMode.STALE)
        assert (await having(stage, Camera())).value.device == "back"

    play(scene)


def test_a_device_may_be_called_as_people_read_its_name(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        faults.fail("the Front", FailMode.STALE)
        assert faults.injected == {"front": FailMode.STALE}
        assert faults.restore("FRONT") == "front is plugged in"

    play(scene)


def test_a_process_and_any_resource_can_be_named_as_status_prints_them(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        eye = Process(ProcessSpec(("eye",), "eye", restart=None))
        client, camera = await having(stage, eye), await having(stage, Camera())
        (view,) = [v for v in stage.processes.registrar.snapshot().resources if v.request == eye]
        assert faults.fail(view.id, FailMode.DIE) == "the process 'eye' was killed"
        await asyncio.sleep(0.05)
        assert "SIGKILL" in str(client.error)
        said = faults.fail("sensor_manager/Camera", FailMode.DIE)
        await asyncio.sleep(0.05)
        assert "made to fail" in said and "made to fail" in str(camera.error)

    play(scene)


def test_what_is_not_there_is_refused_with_what_is(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        with pytest.raises(ResourceUnavailable, match="devices are front, back; resources are none"):
            faults.fail("side", FailMode.DIE)
        with pytest.raises(ResourceUnavailable, match="there is no device 'side'; devices are front, back"):
            faults.restore("side")
        with pytest.raises(ResourceUnavailable, match="there is no 'side'"):
            faults.retry("side")

    play(scene)


def test_retry_makes_a_waiting_process_try_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        faults = await managers(stage)
        eye = Process(ProcessSpec(("eye",), "eye"))
        client = await having(stage, eye)
        stage.launcher.set_script("eye", Script(acts=(Dies(0.05),)))
        stage.launcher.life("eye").die()
        await asyncio.sleep(12)
        stage.launcher.set_script("eye", Script())
        (view,) = stage.processes.registrar.snapshot().resources
        assert view.state == "needs a human"
        assert faults.retry(view.id) == f"{view.id} tries again now"
        await asyncio.sleep(0.2)
        assert client.severities[-1] == "OK"

    play(scene)
