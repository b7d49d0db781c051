"""The column "microphone": one that can be either of two devices, each with its ear for "emergency stop"."""

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
from resources.speech.specs import EAR_RESTARTS
from resources.types.processes import Process
from resources.types.sensors import AudioFeed, Microphone
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage
from tests.faults.subject import NOTICE_S, START_S, Outcome, Subject, kill

UP_S = 2 * START_S
"""Until a microphone and then its ear are there [s]."""


EARS_LOST = (*(("WARNING", "OK") * 2), "WARNING", "WARNING", "WARNING", "OK")
"""An ear that dies on and on is started again, then unsteady, then given up, and its microphone closed."""


class RobotMicrophone(Subject):
    """A microphone that can come from two devices; "mast" is the preferred one.

    At the start and when it flaps the fault is its ear's: without one it is not used. In use it is its own.
    """

    name = "microphone"
    stops_within_s = 15.0
    starts_s = UP_S
    outcomes: ClassVar[dict[str, Outcome]] = {
        "start raises": Outcome((), substitute_s=START_S + 0.2 + UP_S + NOTICE_S),
        "start hangs": Outcome((), substitute_s=START_S + 1.0 + UP_S + NOTICE_S),
        "dies in use": Outcome(("UPDATE",), UP_S + NOTICE_S, substitute_s=UP_S + NOTICE_S),
        "no heartbeat": Outcome(("UPDATE",), 0.25 + UP_S + NOTICE_S, substitute_s=0.25 + UP_S + NOTICE_S),
        "stale stream": Outcome(("UPDATE",), 1.1 + UP_S + NOTICE_S, substitute_s=1.1 + UP_S + NOTICE_S),
        "dependency fails while its parent starts": Outcome((), substitute_s=0.8 + UP_S + NOTICE_S),
        "flapping": Outcome(
            (*EARS_LOST, "UPDATE", *EARS_LOST, "FATAL"), words='nobody listens for "emergency stop" there'
        ),
        "manager killed": Outcome(("FATAL",), words="sensor_manager is gone"),
    }

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.request = Microphone()
        self.stop = ""
        devices = [
            DeviceDescription("mast", "scripted_microphone", "audio", priority=20),
            DeviceDescription("base", "scripted_microphone", "audio", priority=10),
        ]
        self._robot = RobotDescription("tester", tuple(devices))

    async def open(self) -> None:
        subject = self

        class ScriptedMicrophone(Driver):
            """A microphone with a scripted process."""

            name = "scripted_microphone"
            kind = "audio"

            @asynccontextmanager
            async def provide(self, device: DeviceContext) -> AsyncIterator[AudioFeed]:
                spec = ProcessSpec(
                    (device.name,), f"microphone {device.name}", stale_after_s=1.0, restart=None
                )
                async with device.request(Process(spec)):
                    stream = StreamHandle(device.name, f"/nowhere/{device.name}.ring", StreamFormat.AUDIO)
                    yield AudioFeed(device.name, stream)
                    if subject.stop == "raises":
                        raise OSError("its plug is stuck")
                    if subject.stop == "hangs":
                        await asyncio.Event().wait()

        self._drivers = {"scripted_microphone": driver_spec(ScriptedMicrophone)}
        self.sensors: SensorManager
        await self._enter_manager()
        await self.mend()

    async def _enter_manager(self) -> None:
        stage = self.stage
        self.sensors = await stage.enter(
            SensorManager(
                stage.transport, self._robot, self._drivers, stage.folder, ear_for=_ear, clock=stage.clock
            )
        )

    async def begin(self, fault: str) -> None:
        launcher = self.stage.launcher
        match fault:
            case "start raises":
                launcher.set_script("ear mast", Script(0.2, dies_before_ready=True))
            case "start hangs":
                launcher.set_script("ear mast", Script(None))
            case "dies in use":
                self._if_alive(lambda: launcher.life("microphone mast").die())
            case "no heartbeat":
                self._if_alive(lambda: launcher.life("microphone mast").hang())
            case "stale stream":
                self._if_alive(lambda: launcher.life("microphone mast").go_stale())
            case "stop raises":
                self.stop = "raises"
            case "stop hangs":
                self.stop = "hangs"
            case "dependency fails while its parent starts":
                launcher.set_script("microphone mast", Script(START_S, acts=(Dies(0.3),)))
            case "flapping":
                for name in ("ear mast", "ear base"):
                    launcher.set_script(name, Script(0.1, acts=(Dies(0.1),)))
                self._if_alive(lambda: launcher.life("ear mast").die())
            case _:
                raise NotImplementedError(fault)

    async def mend(self) -> None:
        self.stop = ""
        for name in ("mast", "base"):
            for process in ("microphone", "ear"):
                self.stage.launcher.set_script(f"{process} {name}", Script(START_S))
        if self.sensors.registrar not in self.stage.registrars:
            await self._enter_manager()
        for name in ("mast", "base"):
            self.sensors.plug_in(name)

    async def kill_manager(self) -> str:
        kill(self.stage, self.sensors.registrar)
        return "sensor_manager"

    def is_substitute(self, before: Any, after: Any) -> bool:
        return bool(after.device == "base")

    def check(self, fault: str) -> None:
        if fault == "flapping":
            assert {device.state for device in self.sensors.devices()} == {"resting"}
            assert len(self.stage.launcher.lives["ear mast"]) == 1 + (EAR_RESTARTS.most or 0)

    def _if_alive(self, hurt: Callable[[], None]) -> None:
        if "microphone mast" in self.stage.launcher.running:
            hurt()


def _ear(feed: AudioFeed) -> ProcessSpec:
    return ProcessSpec((feed.device,), f"ear {feed.device}", start_timeout_s=1.0, restart=EAR_RESTARTS)
