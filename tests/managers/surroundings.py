"""Cameras, a tracker and a world around a context manager, played: what its tests share."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar
from framework.state import StateFolder
from framework.testing.children import Script
from framework.transport.ring import RingWriter
from managers.context_manager import ContextManager
from managers.sensor_manager import SensorManager
from resources.robots.description import DeviceDescription, MarkerDescription, RobotDescription
from resources.types.context import KnownThing, ThingKind, TrackedFeed
from resources.types.control import Simulation, SimulationHandle, SimulationReport, ThingReport
from resources.types.sensors import CameraFeed
from resources.types.streams import (
    CameraIntrinsics,
    Pose7,
    SampleMeta,
    StreamFormat,
    StreamHandle,
    encode_meta,
)
from tests.faults.stage import Stage, now_s


def at(x: float, y: float, z: float = 0.0) -> Pose7:
    return (x, y, z, 0.0, 0.0, 0.0, 1.0)


# A camera's frame that looks along x of the world: its z is ahead, its x to the right.
AHEAD = (-0.5, 0.5, -0.5, 0.5)
EYE: Pose7 = (0.0, 0.0, 1.4, *AHEAD)

TABLE = KnownThing("table", ThingKind.FIXTURE, at(2.0, 0.0, 0.375), (0.75, 1.4, 0.75))
CUP = KnownThing("red cup", ThingKind.OBJECT, at(2.0, 0.3, 0.8), (0.08, 0.08, 0.1), "red")
SHELF = KnownThing("shelf", ThingKind.FIXTURE, at(-3.0, 0.0, 0.9), (0.4, 1.3, 1.8))
CARTONS = tuple(
    KnownThing(f"carton {n}", ThingKind.OBJECT, at(-3.0, 0.0, z), (0.3, 0.3, 0.3), called="carton")
    for n, z in ((1, 0.35), (2, 1.35))
)
DOOR = KnownThing(
    "door", ThingKind.FIXTURE, at(3.8, 1.9, 1.0), (0.05, 0.9, 2.0), states=("open", "closed"), state="open"
)
DESK = KnownThing("robot", ThingKind.ROBOT, at(0.0, 0.0), (1.0, 0.7, 1.4))
GRIPPER = KnownThing("left gripper", ThingKind.ROBOT, at(0.5, 0.2, 0.9))
WORLD = (TABLE, CUP, SHELF, *CARTONS, DOOR, DESK, GRIPPER)

ROBOT = RobotDescription(
    "tester",
    (
        DeviceDescription("front_camera", "scripted", "rgbd", "front", 20),
        DeviceDescription("back_camera", "scripted", "rgb", "back", 10),
        DeviceDescription("front_lidar", "scripted", "scan", "front"),
    ),
    "inspection",
    (MarkerDescription("hand", 7, 0.075),),
)
LENS = CameraIntrinsics(848, 480, 424.0, 424.0, 423.5, 239.5)


class Surroundings:
    """A context manager on a stage, with a world that reports, cameras that look, and a tracker.

    eyes: where each camera stands. hand: where the tracked hand is seen, None while it is not.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.eyes: dict[str, Pose7] = {
            "front_camera": EYE,
            "back_camera": (0.0, 0.0, 1.4, 0.5, 0.5, -0.5, -0.5),
        }
        self.hand: Pose7 | None = None
        self.reported: dict[str, ThingReport] = {}
        self.starts: list[str] = []
        self.state = StateFolder(stage.folder / "state")
        self.context: ContextManager
        self.sensors: SensorManager
        self._things = stage.folder / "things.json"
        self._things.write_bytes(msgspec.json.encode(WORLD))
        self._rings: dict[str, RingWriter] = {}
        self._writing: asyncio.Task[None] | None = None

    async def open(self, robot: RobotDescription = ROBOT) -> ContextManager:
        stage, surroundings = self.stage, self

        class Scripted(Driver):
            """A camera without content."""

            name = "scripted"
            kind = "rgbd"

            @asynccontextmanager
            async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
                surroundings.starts.append(device.name)
                yield CameraFeed(
                    device.name, "rgbd", surroundings._stream(device.name, StreamFormat.RGBD), LENS
                )

        for name in (*self.eyes, "hand", "report"):
            self._rings[name] = RingWriter(stage.folder, name, slot_bytes=4096)
        self.sensors = await stage.enter(
            SensorManager(
                stage.transport, robot, {"scripted": driver_spec(Scripted)}, stage.folder, clock=stage.clock
            )
        )
        worlds: ResourceRegistrar = await stage.enter(ResourceRegistrar("worlds", stage.transport))

        @worlds.provides(Simulation)
        @asynccontextmanager
        async def simulation(request: Simulation) -> AsyncIterator[SimulationHandle]:
            report = self._stream("report", StreamFormat.REPORT)
            yield SimulationHandle(request.world, report, report, report, "", str(self._things), "", 1)

        tracked = TrackedFeed("hand", "front_camera", self._stream("hand", StreamFormat.POSES))
        stage.launcher.set_script("detector hand", Script(0.3, msgspec.json.encode(tracked)))

        def detector_for(marker: MarkerDescription, camera: CameraFeed) -> ProcessSpec:
            self.starts.append("detector hand")
            return ProcessSpec(("detector",), "detector hand", restart=None)

        self.context = await self.another(detector_for, robot)
        self._writing = asyncio.create_task(self._write())
        return self.context

    async def another(
        self, detector_for: Callable[..., ProcessSpec] | None = None, robot: RobotDescription = ROBOT
    ) -> ContextManager:
        """A context manager: the first, or the same after a restart."""
        manager = ContextManager(
            self.stage.transport,
            robot,
            detector_for or (lambda *_: ProcessSpec(("detector",), "detector hand", restart=None)),
            clock=self.stage.clock,
            state=self.state,
            device_states=lambda: {device.name: device.state for device in self.sensors.devices()},
        )
        made: ContextManager = await self.stage.enter(manager)
        return made

    async def client(self, request: Any) -> Any:
        (client,) = await self.stage.come(1)
        client.ask(request)
        await client.answer()
        return client

    def door(self, state: str) -> None:
        self.reported["door"] = ThingReport("door", DOOR.world_T_thing or at(0, 0), state)

    def robot_at(self, x: float, y: float, heading_rad: float = 0.0) -> None:
        turn = (0.0, 0.0, math.sin(heading_rad / 2), math.cos(heading_rad / 2))
        self.reported["robot"] = ThingReport("robot", (x, y, 0.0, *turn))

    async def end(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)
        for ring in self._rings.values():
            ring.close()

    async def _write(self) -> None:
        while True:
            for name, eye in self.eyes.items():
                meta = encode_meta(SampleMeta(now_s(), eye, width=8, height=4))
                self._rings[name].write(b"", stamp_s=now_s(), meta=meta)
            poses = np.array([] if self.hand is None else [self.hand], np.float32)
            meta = encode_meta(SampleMeta(now_s(), world_T_sensor=EYE))
            self._rings["hand"].write(poses, stamp_s=now_s(), meta=meta)
            report = SimulationReport(now_s(), 1.0, 0.0, 0.0, False, "", 0, "", tuple(self.reported.values()))
            self._rings["report"].write(msgspec.msgpack.encode(report), stamp_s=now_s())
            await asyncio.sleep(0.05)

    def _stream(self, name: str, form: StreamFormat) -> StreamHandle:
        return StreamHandle(name, str(Path(self.stage.folder) / f"{name}.ring"), form)
