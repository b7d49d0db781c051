"""Which device serves which wish: order, substitutes, the way back, and words when nothing works."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, DriverSpec, driver_spec
from framework.plugins.parameters import param
from framework.processes.spec import ProcessSpec
from framework.state import StateFolder
from framework.status import ReasonKind
from framework.testing.children import Dies, Script
from managers.sensor_manager import SensorManager
from resources.robots.description import DeviceDescription, RobotDescription
from resources.speech.specs import EAR_RESTARTS
from resources.types.processes import Process
from resources.types.sensors import AudioFeed, Camera, Device, Lidar, Microphone
from resources.types.streams import StreamFormat, StreamHandle
from resources.types.voice import Loudspeaker, LoudspeakerFeed
from tests.faults.sensor import feed
from tests.faults.stage import Client, Stage, now_s

Play = Callable[[Any], None]

START_S = 0.5


class ScriptedCamera(Driver):
    """A camera with a scripted process."""

    name = "scripted"
    kind = "rgbd"

    rate_hz: float = param(default=10.0, ge=0.1, le=60.0)

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        spec = ProcessSpec((device.name,), f"camera {device.name}", start_timeout_s=20.0, restart=None)
        async with device.request(Process(spec)):
            yield feed(device.name)


class ScriptedMicrophone(Driver):
    """A microphone with a scripted process."""

    name = "scripted_microphone"
    kind = "audio"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        spec = ProcessSpec((device.name,), f"microphone {device.name}", start_timeout_s=20.0, restart=None)
        async with device.request(Process(spec)):
            yield AudioFeed(
                device.name, StreamHandle(device.name, f"/nowhere/{device.name}.ring", StreamFormat.AUDIO)
            )


def device(name: str, priority: int = 0, **fields: Any) -> DeviceDescription:
    fields = {"driver": "scripted", "kind": "rgbd"} | fields
    return DeviceDescription(name, priority=priority, **fields)


async def sensors(
    stage: Stage, *devices: DeviceDescription, state: Path | None = None, drivers: Any = None
) -> SensorManager:
    """A sensor manager with these devices; each takes half a second to start."""
    for each in devices:
        stage.launcher.set_script(f"camera {each.name}", Script(START_S))
    manager: SensorManager = await stage.enter(
        SensorManager(
            stage.transport,
            RobotDescription("tester", devices),
            drivers or {"scripted": driver_spec(ScriptedCamera)},
            stage.folder,
            clock=stage.clock,
            state=StateFolder(state) if state is not None else None,
        )
    )
    return manager


async def having(stage: Stage, request: Any) -> Client:
    (client,) = await stage.come(1)
    client.ask(request)
    await client.answer()
    return client


def kill(stage: Stage, name: str) -> None:
    stage.launcher.life(f"camera {name}").die()


def starts(stage: Stage, name: str) -> int:
    return len(stage.launcher.lives.get(f"camera {name}", ()))


# ---------------------------------------------------------------- order


def test_the_highest_priority_is_taken(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("low", 1), device("high", 9), device("middle", 5))
        assert (await having(stage, Camera())).value.device == "high"

    play(scene)


def test_of_equal_priority_the_more_reliable_one_is_taken(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("one", retry_after_s=0.1), device("two"))
        client = await having(stage, Camera(return_to_preferred=False))
        assert client.value.device == "one"  # equal: in the order of the description
        kill(stage, "one")
        await asyncio.sleep(2)
        await client.leave()
        scores = {view.name: view.reliability for view in manager.devices()}
        assert scores["two"] > scores["one"]
        assert (await having(stage, Camera(return_to_preferred=False))).value.device == "two"

    play(scene)


def test_scores_survive_a_restart(play: Play, tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        devices = device("one", retry_after_s=0.1), device("two")
        manager = await sensors(stage, *devices, state=tmp_path / "state")
        client = await having(stage, Camera(return_to_preferred=False))
        kill(stage, "one")
        await asyncio.sleep(2)
        await client.leave()
        await asyncio.sleep(2)
        await manager.__aexit__(None, None, None)
        stage.forget(manager.registrar)
        await sensors(stage, *devices, state=tmp_path / "state")
        assert (await having(stage, Camera())).value.device == "two"

    play(scene)


def test_mount_and_kind_narrow_the_choice(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(
            stage,
            device("front", 9, mount="front"),
            device("rear", 1, mount="rear"),
            device("colour", 5, mount="rear", kind="rgb"),
        )
        assert (await having(stage, Camera(mount="rear"))).value.device == "colour"
        assert (await having(stage, Camera(mount="rear", kind="rgbd"))).value.device == "rear"
        assert (await having(stage, Camera(kind="rgb"))).value.device == "front"  # which gives colour too

    play(scene)


def test_two_wishes_that_mean_one_device_share_it(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", mount="front"))
        one, two = await having(stage, Camera()), await having(stage, Camera(mount="front"))
        assert one.value == two.value and starts(stage, "front") == 1
        await one.leave()
        await asyncio.sleep(1)
        assert two.lease is not None and not two.told

    play(scene)


# ---------------------------------------------------------------- substitutes


def test_the_substitute_is_one_update_under_the_failure_s_incident(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", 2), device("back", 1))
        client = await having(stage, Camera())
        watcher = await having(stage, Device("front"))
        began_s = now_s()
        kill(stage, "front")
        await asyncio.sleep(3)
        assert client.severities == ("UPDATE",)
        (told,) = client.told
        assert told.at_s - began_s <= START_S + 0.05  # cold
        assert client.value.device == "back"
        assert told.status.id == watcher.told[-1].status.id
        assert [hop.registrar for hop in told.status.hops] == [
            "process_manager",
            "sensor_manager",
            "sensor_manager",
        ]
        assert "now comes from back" in told.status.message

    play(scene)


def test_a_substitute_already_in_use_is_there_at_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", 2), device("back", 1))
        client = await having(stage, Camera())
        await having(stage, Device("back"))
        began_s = now_s()
        kill(stage, "front")
        await asyncio.sleep(1)
        assert client.value.device == "back"
        assert client.told[0].at_s - began_s <= 0.05
        assert starts(stage, "back") == 1

    play(scene)


def test_a_device_that_does_not_start_is_passed_over(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2), device("back", 1))
        stage.launcher.set_script("camera front", Script(dies_before_ready=True))
        client = await having(stage, Camera())
        assert client.value.device == "back" and not client.told
        front = manager.devices()[0]
        assert front.state == "resting" and front.reliability == pytest.approx(0.4)
        assert "is tried again in 30 s" in front.detail

    play(scene)


def test_when_all_fail_the_words_name_each_with_its_reason(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(
            stage, device("front", 3), device("back", 2), device("third", 1), device("fourth", driver="none")
        )
        stage.launcher.set_script("camera front", Script(cannot_start="out of memory"))
        stage.launcher.set_script("camera back", Script(dies_before_ready=True, last_words=("no lens",)))
        manager.unplug("third")
        client = await having(stage, Camera(mount="", kind="rgbd"))
        assert isinstance(client.error, ResourceUnavailable)
        text = str(client.error)
        assert "camera front" in text and "out of memory" in text
        assert "camera back" in text and "no lens" in text
        assert "third is unplugged" in text
        assert "fourth needs the driver 'none'; installed are scripted" in text

    play(scene)


def test_when_the_last_one_fails_in_use_the_words_say_what_happened_and_why_nothing_else_serves(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2), device("back", 1))
        manager.unplug("back")
        client = await having(stage, Camera())
        kill(stage, "front")
        await asyncio.sleep(1)
        assert client.severities == ("FATAL",)
        assert isinstance(client.error, ResourceFailed)
        assert "SIGKILL" in str(client.error) and "back is unplugged" in str(client.error)

    play(scene)


def test_no_fitting_device_and_no_such_kind_are_said(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", mount="front"))
        assert "no tail camera" in str((await having(stage, Camera(mount="tail"))).error)
        assert "no lidar" in str((await having(stage, Lidar())).error)
        assert "kinds are rgbd and rgb" in str((await having(stage, Camera(kind="infrared"))).error)

    play(scene)


# ---------------------------------------------------------------- the way back


def test_the_preferred_one_is_gone_back_to_when_plugged_in(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2), device("back", 1))
        client = await having(stage, Camera())
        manager.unplug("front")
        await asyncio.sleep(2)
        assert client.value.device == "back"
        assert "front was unplugged" in client.told[0].status.hops[0].message
        manager.plug_in("front")
        await asyncio.sleep(START_S + 0.05)
        assert client.value.device == "front"
        assert client.severities == ("UPDATE", "UPDATE")
        await asyncio.sleep(1)
        assert stage.launcher.running == ("camera front",)

    play(scene)


def test_it_is_not_when_the_request_forbids_it(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2), device("back", 1))
        client = await having(stage, Camera(return_to_preferred=False))
        manager.unplug("front")
        await asyncio.sleep(2)
        manager.plug_in("front")
        await asyncio.sleep(120)
        assert client.value.device == "back" and client.severities == ("UPDATE",)
        kill(stage, "back")  # but it is its substitute
        await asyncio.sleep(2)
        assert client.value.device == "front"

    play(scene)


def test_after_a_crash_it_rests_and_is_then_gone_back_to(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2, retry_after_s=30.0), device("back", 1))
        client = await having(stage, Camera())
        kill(stage, "front")
        await asyncio.sleep(29)
        assert client.value.device == "back" and starts(stage, "front") == 1
        assert manager.devices()[0].state == "resting"
        await asyncio.sleep(31)  # it is looked for again at growing intervals
        assert client.value.device == "front" and starts(stage, "front") == 2

    play(scene)


def test_a_better_one_that_fails_to_start_never_disturbs_the_present_one(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2, retry_after_s=5.0), device("back", 1))
        stage.launcher.set_script("camera front", Script(0.2, dies_before_ready=True))
        client = await having(stage, Camera())
        await asyncio.sleep(120)
        assert starts(stage, "front") > 2  # it was tried now and then
        assert client.value.device == "back" and not client.told
        assert starts(stage, "back") == 1
        assert manager.devices()[0].reliability < 0.3

    play(scene)


def test_one_that_fails_while_a_better_one_starts_is_replaced_by_that_under_its_own_incident(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", 2), device("back", 1))
        manager.unplug("front")
        client = await having(stage, Camera())
        watcher = await having(stage, Device("back"))
        stage.launcher.set_script("camera front", Script(2.0))
        manager.plug_in("front")
        await asyncio.sleep(1)
        kill(stage, "back")
        await asyncio.sleep(2)
        assert client.severities == ("UPDATE",) and client.value.device == "front"
        assert client.told[0].status.id == watcher.told[-1].status.id
        assert manager.devices()[1].state == "resting"

    play(scene)


def test_a_crashing_device_is_not_tried_for_ever(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", 2), device("back", 1))
        stage.launcher.set_script("camera front", Script(START_S, acts=(Dies(0.1),)))
        client = await having(stage, Camera())
        await asyncio.sleep(600)
        assert client.value.device == "back"
        assert 2 < starts(stage, "front") < 600 / 30

    play(scene)


# ---------------------------------------------------------------- devices


def test_an_unknown_device_is_refused_with_those_there_are(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front"), device("back"))
        client = await having(stage, Device("side"))
        assert "tester has no sensor 'side'; it has front, back" in str(client.error)
        for change in (manager.unplug, manager.plug_in):
            with pytest.raises(ResourceUnavailable, match="has no sensor 'side'"):
                change("side")

    play(scene)


def test_missing_and_unavailable_drivers_and_bad_parameters_are_said(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(
            stage,
            device("alien", driver="alien"),
            device("ill", driver="ill"),
            device("fast", parameters={"rate_hz": 1e6}),
            device("odd", parameters={"colour": "blue"}),
            drivers={
                "scripted": driver_spec(ScriptedCamera),
                "ill": DriverSpec("ill", unavailable="librealsense is not installed"),
            },
        )
        refusals = {
            name: str((await having(stage, Device(name))).error) for name in ("alien", "ill", "fast", "odd")
        }
        assert "needs the driver 'alien'; installed are ill, scripted" in refusals["alien"]
        assert "librealsense is not installed" in refusals["ill"]
        assert "rate_hz" in refusals["fast"] and "60" in refusals["fast"]
        assert "colour" in refusals["odd"] and "rate_hz" in refusals["odd"]
        states = {view.name: view.state for view in manager.devices()}
        assert states == {"alien": "unavailable", "ill": "unavailable", "fast": "free", "odd": "free"}

    play(scene)


def test_unplugged_devices_are_refused_and_fail_who_has_them(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front"))
        client = await having(stage, Device("front"))
        assert manager.devices()[0].state == "in use"
        began_s = now_s()
        manager.unplug("front")
        await asyncio.sleep(1)
        assert client.severities == ("FATAL",) and client.told[0].at_s - began_s <= 0.05
        assert manager.devices()[0].state == "unplugged"
        client.ask(Device("front"))
        await client.answer()
        assert "front is unplugged" in str(client.error)
        manager.plug_in("front")
        assert manager.devices()[0].state == "free"
        client.ask(Device("front"))
        await client.answer()
        assert client.lease is not None

    play(scene)


def test_who_leaves_while_it_is_chosen_leaves_nothing(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("front", 2), device("back", 1))
        for after_s in (0.0, 0.1, START_S, START_S + 0.01):
            (client,) = await stage.come(1)
            client.ask(Camera())
            await asyncio.sleep(after_s)
            await client.give_up()
            await asyncio.sleep(3)
            assert not stage.launcher.running

    play(scene)


def test_who_asks_for_the_only_camera_while_it_rests_learns_that_it_is_being_tried_again(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await sensors(stage, device("front", retry_after_s=30.0))
        client = await having(stage, Camera())
        kill(stage, "front")
        await asyncio.sleep(1)
        assert client.severities == ("FATAL",)
        (again,) = await stage.come(1)
        again.ask(Camera())
        await again.answer()
        assert isinstance(again.error, ResourceUnavailable)
        assert again.error.reason.kind is ReasonKind.RETRYING
        assert "is tried again in" in again.error.message
        manager.retry("front")
        assert (await having(stage, Camera())).value.device == "front"

    play(scene)


# ---------------------------------------------------------------- microphones


def microphone(name: str, priority: int = 0, **fields: Any) -> DeviceDescription:
    return device(name, priority, driver="scripted_microphone", kind="audio", **fields)


async def hearing(stage: Stage, *devices: DeviceDescription, has_ears: bool = True) -> SensorManager:
    """A sensor manager with these microphones; each takes half a second to start, and its ear another."""
    for each in devices:
        stage.launcher.set_script(f"microphone {each.name}", Script(START_S))
        stage.launcher.set_script(f"ear {each.name}", Script(START_S))
    manager: SensorManager = await stage.enter(
        SensorManager(
            stage.transport,
            RobotDescription("tester", devices),
            {"scripted_microphone": driver_spec(ScriptedMicrophone)},
            stage.folder,
            clock=stage.clock,
            ear_for=(lambda feed: ProcessSpec((feed.device,), f"ear {feed.device}", restart=EAR_RESTARTS))
            if has_ears
            else None,
        )
    )
    return manager


def test_no_microphone_is_open_without_an_ear_for_emergency_stop(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast"))
        before_s = now_s()
        client = await having(stage, Microphone())
        assert client.value.device == "mast"
        assert now_s() - before_s >= 2 * START_S
        assert len(stage.launcher.lives["ear mast"]) == 1
        await client.leave()
        await asyncio.sleep(2)
        assert not stage.launcher.life("ear mast").is_alive

    play(scene)


def test_where_nobody_can_listen_for_it_the_microphone_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast"), has_ears=False)
        client = await having(stage, Microphone())
        assert 'mast is not opened: nobody would listen for "emergency stop" here' in str(client.error)
        assert "microphone mast" not in stage.launcher.lives

    play(scene)


def test_an_ear_that_does_not_start_closes_its_microphone(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", 2), microphone("phone", 1))
        stage.launcher.set_script("ear mast", Script(0.2, dies_before_ready=True))
        assert (await having(stage, Microphone())).value.device == "phone"

    play(scene)


def test_another_microphone_takes_over_in_one_update(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", 2), microphone("phone", 1))
        client = await having(stage, Microphone())
        assert client.value.device == "mast"
        stage.launcher.life("microphone mast").die()
        await asyncio.sleep(3)
        assert client.value.device == "phone"

    play(scene)


def test_an_ear_that_dies_is_started_again_and_told(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast"))
        client = await having(stage, Microphone())
        stage.launcher.life("ear mast").die()
        await asyncio.sleep(2)
        assert client.value.device == "mast"
        assert len(stage.launcher.lives["ear mast"]) == 2
        assert any("ear mast" in told.status.message for told in client.told)

    play(scene)


def test_an_ear_that_keeps_dying_closes_its_microphone(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", 2), microphone("phone", 1))
        client = await having(stage, Microphone())
        assert client.value.device == "mast"
        stage.launcher.set_script("ear mast", Script(0.1, acts=(Dies(0.1),)))
        stage.launcher.life("ear mast").die()
        await asyncio.sleep(20)
        assert client.value.device == "phone"
        assert not stage.launcher.life("microphone mast").is_alive

    play(scene)


def test_a_driver_of_sound_that_gives_none_is_refused(play: Play) -> None:
    class Silent(ScriptedMicrophone):
        """Gives a camera's feed."""

        name = "silent"

        @asynccontextmanager
        async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
            yield feed(device.name)

    async def scene(stage: Stage) -> None:
        manager = SensorManager(
            stage.transport,
            RobotDescription("tester", (device("mast", driver="silent", kind="audio"),)),
            {"silent": driver_spec(Silent)},
            stage.folder,
            clock=stage.clock,
            ear_for=lambda feed: ProcessSpec((feed.device,), f"ear {feed.device}"),
        )
        await stage.enter(manager)
        client = await having(stage, Microphone())
        assert "the driver of mast gives a CameraFeed, which is no sound" in str(client.error)

    play(scene)


# ---------------------------------------------------------------- loudspeakers


class ScriptedLoudspeaker(Driver):
    """A loudspeaker with a scripted process."""

    name = "scripted_loudspeaker"
    kind = "loudspeaker"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
        spec = ProcessSpec((device.name,), f"loudspeaker {device.name}", restart=None)
        async with device.request(Process(spec)):
            stream = StreamHandle(device.name, f"/nowhere/{device.name}.ring", StreamFormat.REPORT)
            yield LoudspeakerFeed(device.name, stream)


def test_what_is_no_loudspeaker_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await sensors(stage, device("mast", kind="loudspeaker"))
        client = await having(stage, Loudspeaker())
        assert "the driver of mast gives a CameraFeed, no LoudspeakerFeed" in str(client.error)

    play(scene)


def test_a_loudspeaker_needs_no_ear_and_another_one_takes_over_when_it_fails(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        described = tuple(
            device(name, priority, driver="scripted_loudspeaker", kind="loudspeaker", mount=name)
            for name, priority in (("mast", 2), ("base", 1))
        )
        for each in described:
            stage.launcher.set_script(f"loudspeaker {each.name}", Script(START_S))
        drivers = {"scripted_loudspeaker": driver_spec(ScriptedLoudspeaker)}
        await sensors(stage, *described, drivers=drivers)
        client = await having(stage, Loudspeaker())
        assert client.value.device == "mast"
        stage.launcher.life("loudspeaker mast").die()
        await asyncio.sleep(3)
        assert client.value.device == "base" and "now comes from base" in client.told[-1].status.message
        assert "the robot has no roof loudspeaker" in str((await having(stage, Loudspeaker("roof"))).error)

    play(scene)
