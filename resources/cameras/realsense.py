"""The driver of Intel RealSense depth cameras: what is plugged in, a recording, or a simulated camera as one.

Nothing here imports pyrealsense2: each camera's own process does (`resources.children.realsense`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.errors import ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.cameras.realsense_library import why_missing
from resources.cameras.realsense_recovery import Patience
from resources.children.arguments import CameraArguments, RealSenseArguments
from resources.children.specs import camera_spec, realsense_spec
from resources.children.starting import started, told
from resources.types.control import Simulation
from resources.types.sensors import CameraFeed


class RealSense(Driver):
    """An Intel RealSense depth camera in a process of its own."""

    name: ClassVar[str] = "realsense"
    kind: ClassVar[str] = "rgbd"

    serial: str = param(default="", doc="of the camera; by default the only one that is plugged in")
    recording: str = param(default="", doc="a .db3 file to play instead; `serial` says whose it must be")
    camera: str = param(default="", doc="a camera of the simulated world to be instead, as software")
    world: str = "inspection"
    rate_hz: float = param(default=15.0, ge=0.1, le=90.0, doc="real cameras know 6, 15, 30, 60 and 90")
    width: int = param(default=848, ge=16, le=4096, unit="px")
    height: int = param(default=480, ge=16, le=4096, unit="px")
    decimate: int = param(default=2, ge=1, le=8, doc="pictures are made so many times smaller, first of all")
    spatial: bool = param(default=False, doc="smooth depth over neighbours, keeping edges")
    temporal: bool = param(default=False, doc="smooth depth over time")
    repeat: bool = param(default=True, doc="a recording begins anew at its end; else that is a failure")
    real_time: bool = param(default=True, doc="play a recording at its own pace, else as fast as it goes")
    record: str = param(default="", doc="a folder; what the camera gives is recorded there too")
    timeout_s: float = param(default=1.0, ge=0.1, le=60.0, doc="without a picture for so long is a time-out")
    timeouts: int = param(default=3, ge=1, le=100, doc="so many in a row, and the camera is reset")
    resets: int = param(default=1, ge=0, le=2, doc="so many in a row, then it has failed; 0 fails at once")

    @classmethod
    def why_unavailable(cls) -> str:
        """As `Driver` says."""
        return why_missing()

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The camera at work. Raises what its requests raise."""
        if self.camera and (self.serial or self.recording):
            raise ResourceUnavailable(
                f"{device.name} cannot be the simulated camera {self.camera!r} and a real one; "
                "give either camera, or serial and recording"
            )
        if self.camera:
            async with self._drawn(device) as drawn, self._started(device, drawn) as feed:
                yield feed
        else:
            async with self._started(device, None) as feed:
                yield feed

    @asynccontextmanager
    async def _drawn(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The simulated camera, in a process of its own; nobody but the software device sees it."""
        async with device.request(Simulation(self.world)) as simulation:
            arguments = told(
                self,
                CameraArguments,
                run_directory=str(device.directory),
                simulation=simulation.value,
                device=f"{device.name}.drawn",
                mount=self.camera,
            )
            async with started(device, camera_spec(arguments), CameraFeed) as feed:
                yield feed

    @asynccontextmanager
    async def _started(self, device: DeviceContext, drawn: CameraFeed | None) -> AsyncIterator[CameraFeed]:
        arguments = told(
            self,
            RealSenseArguments,
            run_directory=str(device.directory),
            device=device.name,
            drawn=drawn,
            patience=Patience(timeout_s=self.timeout_s, timeouts=self.timeouts, resets=self.resets),
        )
        async with started(device, realsense_spec(arguments), CameraFeed) as feed:
            yield feed
