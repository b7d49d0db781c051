"""What is known, and things that are followed with a camera and a detector."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from framework.errors import DescriptionError
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.testing.children import Script
from managers.context_manager import ContextManager
from resources.robots.description import DeviceDescription, MarkerDescription, RobotDescription
from resources.types.context import Known, KnownThing, ThingKind, Tracked, TrackedFeed
from resources.types.control import Simulation, SimulationHandle
from resources.types.sensors import Camera, CameraFeed
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.sensor import feed
from tests.faults.stage import Client, Stage

Play = Callable[[Any], None]

POSES = StreamHandle("hand", "/nowhere/hand.ring", StreamFormat.POSES)
HAND = TrackedFeed("hand", "front", POSES)


def robot(world: str = "") -> RobotDescription:
    return RobotDescription(
        "tester",
        (DeviceDescription("front", "scripted", "rgbd"),),
        world,
        (MarkerDescription("hand", 7, 0.075),),
    )


class Around:
    """A camera and a world, provided by somebody else."""

    def __init__(self, stage: Stage, things: tuple[KnownThing, ...] = ()) -> None:
        self.stage = stage
        self.supplies: dict[Any, Supply] = {}
        self.detectors: list[tuple[MarkerDescription, CameraFeed]] = []
        self.things = stage.folder / "things.json"
        self.things.write_bytes(msgspec.json.encode(things))

    async def open(self, world: str = "") -> ContextManager:
        registrar = ResourceRegistrar("around", self.stage.transport)

        @registrar.provides(Camera)
        @asynccontextmanager
        async def camera(request: Camera, supply: Supply) -> AsyncIterator[CameraFeed]:
            self.supplies[Camera] = supply
            yield feed("front")

        @registrar.provides(Simulation)
        @asynccontextmanager
        async def simulation(request: Simulation, supply: Supply) -> AsyncIterator[SimulationHandle]:
            self.supplies[Simulation] = supply
            yield SimulationHandle(request.world, POSES, POSES, POSES, "", str(self.things), "", 1)

        def detector_for(marker: MarkerDescription, camera: CameraFeed) -> ProcessSpec:
            self.detectors.append((marker, camera))
            return ProcessSpec(("detector",), f"detector {marker.name} {camera.device}", restart=None)

        await self.stage.enter(registrar)
        self.stage.launcher.set_script("detector hand front", Script(0.1, msgspec.json.encode(HAND)))
        manager: ContextManager = await self.stage.enter(
            ContextManager(self.stage.transport, robot(world), detector_for, clock=self.stage.clock)
        )
        return manager


async def having(stage: Stage, request: Any) -> Client:
    (client,) = await stage.come(1)
    client.ask(request)
    await client.answer()
    return client


def test_the_robot_and_its_devices_are_known_without_a_world(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        manager = await Around(stage).open()
        client = await having(stage, Known())
        assert client.value.things == manager.things()
        assert [(thing.name, thing.kind, thing.part_of) for thing in manager.things()] == [
            ("tester", ThingKind.ROBOT, ""),
            ("front", ThingKind.SENSOR, "tester"),
            ("hand", ThingKind.OBJECT, ""),
        ]

    play(scene)


def test_the_things_of_a_simulated_world_are_learned_once(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        cup = KnownThing("cup", ThingKind.OBJECT, colour="red")
        around = Around(stage, (cup,))
        manager = await around.open("inspection")
        for _ in range(2):
            client = await having(stage, Known())
            assert cup in client.value.things
            assert len(manager.things()) == 4
            await client.leave()
            await asyncio.sleep(0.1)

    play(scene)


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"name": 1}]', None])
def test_a_world_whose_things_cannot_be_read_is_said(play: Play, content: bytes | None) -> None:
    async def scene(stage: Stage) -> None:
        around = Around(stage)
        manager = await around.open("inspection")
        if content is None:
            around.things.unlink()
        else:
            around.things.write_bytes(content)
        client = await having(stage, Known())
        assert "the world's things cannot be read" in str(client.error)
        assert str(around.things) in str(client.error)
        assert len(manager.things()) == 3
        handle = SimulationHandle("inspection", POSES, POSES, POSES, "", str(around.things), "", 1)
        with pytest.raises(DescriptionError):
            manager.learn(handle)

    play(scene)


def test_a_thing_is_followed_with_a_camera_and_a_detector(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        around = Around(stage)
        manager = await around.open()
        client = await having(stage, Tracked("hand"))
        assert client.value == HAND
        assert around.detectors == [(MarkerDescription("hand", 7, 0.075), feed("front"))]
        (resource,) = manager.registrar.snapshot().resources
        assert len(resource.depends_on) == 2

    play(scene)


def test_what_carries_no_marker_cannot_be_followed(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await Around(stage).open()
        client = await having(stage, Tracked("cup"))
        assert "'cup' carries no marker" in str(client.error) and "what does is hand" in str(client.error)

    play(scene)


@pytest.mark.parametrize("what", ["camera", "detector"])
def test_following_fails_with_its_camera_and_with_its_detector(play: Play, what: str) -> None:
    async def scene(stage: Stage) -> None:
        around = Around(stage)
        await around.open()
        client = await having(stage, Tracked("hand"))
        if what == "camera":
            around.supplies[Camera].fail("the lens broke")
        else:
            stage.launcher.life("detector hand front").die()
        await asyncio.sleep(0.05)
        assert client.severities == ("FATAL",)
        assert ("the lens broke" if what == "camera" else "SIGKILL") in str(client.error)
        await asyncio.sleep(1)
        assert not stage.launcher.running
        client.ask(Tracked("hand"))
        await client.answer()
        assert client.value == HAND

    play(scene)


def test_a_detector_that_hands_over_nonsense_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await Around(stage).open()
        stage.launcher.set_script("detector hand front", Script(0.1, b"\xff nonsense"))
        client = await having(stage, Tracked("hand"))
        assert client.error is not None and "detector hand front" in str(client.error)
        await asyncio.sleep(1)
        assert not stage.launcher.running

    play(scene)
