"""The column "sensor": a camera that can come from two devices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.processes.spec import ProcessSpec
from framework.testing.children import Dies, Script
from managers.sensor_manager import SensorManager
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.processes import Process
from resources.types.sensors import Camera, CameraFeed, CameraIntrinsics
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill


def feed(device: str) -> CameraFeed:
    """What a scripted camera hands out."""
    stream = StreamHandle(device, f"/nowhere/{device}.ring", StreamFormat.RGBD)
    return CameraFeed(device, "rgbd", stream, CameraIntrinsics(8, 4, 4.0, 4.0, 3.5, 1.5))


class Sensor(Subject):
    """A camera that can come from two devices, each with a process; "front" is the preferred one.

    The fault is that device's (or its process's); the other one is the substitute.
    """

    name = "sensor"
    stops_within_s = 15.0
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), substitute_s=0.2 + START_S + NOTICE_S),
        "start hangs": Outcome((), substitute_s=1.0 + START_S + NOTICE_S),
        "dies in use": Outcome(("UPDATE",), START_S + NOTICE_S, substitute_s=START_S + NOTICE_S),
        "no heartbeat": Outcome(
            ("UPDATE",), 0.25 + START_S + NOTICE_S, substitute_s=0.25 + START_S + NOTICE_S
        ),
        "stale stream": Outcome(("UPDATE",), 1.1 + START_S + NOTICE_S, substitute_s=1.1 + START_S + NOTICE_S),
        "dependency fails while its parent starts": Outcome((), substitute_s=0.8 + START_S + NOTICE_S),
        "flapping": Outcome(("UPDATE", "FATAL"), START_S + NOTICE_S, words="is tried again in"),
        "manager killed": Outcome(("FATAL",), words="sensor_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.request = Camera()
        self.settle_s = {"front": 0.0}
        self.stop = ""
        devices = [
            DeviceDescription("front", "scripted_camera", "rgbd", priority=20),
            DeviceDescription("back", "scripted_camera", "rgbd", priority=10),
        ]
        self._robot = RobotDescription("tester", tuple(devices))

    async def open(self) -> None:
        subject = self

        class ScriptedCamera(Driver):
            """A camera with a scripted process."""

            name = "scripted_camera"
            kind = "rgbd"

            @asynccontextmanager
            async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
                spec = ProcessSpec(
                    (device.name,),
                    f"camera {device.name}",
                    start_timeout_s=1.0,
                    stale_after_s=1.0,
                    restart=None,
                )
                async with device.request(Process(spec)):
                    await asyncio.sleep(subject.settle_s.get(device.name, 0.0))
                    yield feed(device.name)
                    if subject.stop == "raises":
                        raise OSError("the lens cap is stuck")
                    if subject.stop == "hangs":
                        await asyncio.Event().wait()

        self._drivers = {"scripted_camera": driver_spec(ScriptedCamera)}
        self.sensors: SensorManager
        await self._enter_manager()
        await self.mend()

    async def _enter_manager(self) -> None:
        stage = self.stage
        self.sensors = await stage.enter(
            SensorManager(stage.transport, self._robot, self._drivers, stage.folder, clock=stage.clock)
        )

    async def begin(self, fault: str) -> None:
        launcher = self.stage.launcher
        match fault:
            case "start raises":
                launcher.set_script("camera front", Script(0.2, dies_before_ready=True))
            case "start hangs":
                launcher.set_script("camera front", Script(None))
            case "dies in use":
                self._if_alive(lambda: launcher.life("camera front").die())
            case "no heartbeat":
                self._if_alive(lambda: launcher.life("camera front").hang())
            case "stale stream":
                self._if_alive(lambda: launcher.life("camera front").go_stale())
            case "stop raises":
                self.stop = "raises"
            case "stop hangs":
                self.stop = "hangs"
            case "dependency fails while its parent starts":
                self.settle_s["front"] = 1.0
                launcher.set_script("camera front", Script(START_S, acts=(Dies(0.3),)))
            case "flapping":
                for name in ("camera front", "camera back"):
                    launcher.set_script(name, Script(START_S, acts=(Dies(0.3),)))
                self._if_alive(lambda: launcher.life("camera front").die())
            case _:
                raise NotImplementedError(fault)

    async def mend(self) -> None:
        self.stop = ""
        self.settle_s["front"] = 0.0
        for name in ("front", "back"):
            self.stage.launcher.set_script(f"camera {name}", Script(START_S))
        if self.sensors.registrar not in self.stage.registrars:
            await self._enter_manager()
        for name in ("front", "back"):
            self.sensors.plug_in(name)

    async def kill_manager(self) -> str:
        kill(self.stage, self.sensors.registrar)
        return "sensor_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return bool(after.device == "back")

    def check(self, fault: str) -> None:
        if fault == "flapping":
            assert {device.state for device in self.sensors.devices()} == {"resting"}
            assert all(len(lives) == 1 for lives in self.stage.launcher.lives.values())

    def _if_alive(self, hurt: Callable[[], None]) -> None:
        if "camera front" in self.stage.launcher.running:
            hurt()
