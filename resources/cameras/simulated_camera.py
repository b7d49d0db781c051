"""The driver of a simulated RGB-D camera: asks for the world and for a process that draws it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import CameraArguments
from resources.children.specs import camera_spec
from resources.children.starting import started, told
from resources.types.control import Simulation
from resources.types.sensors import CameraFeed


class SimulatedCamera(Driver):
    """A simulated RGB-D camera in a process of its own."""

    name: ClassVar[str] = "simulated_camera"
    kind: ClassVar[str] = "rgbd"

    camera: str = param(default="", doc="name of the camera in the world's model; by default the device's")
    rate_hz: float = param(default=10.0, ge=0.1, le=60.0)
    width: int = param(default=848, ge=16, le=4096, unit="px")
    height: int = param(default=480, ge=16, le=4096, unit="px")
    noise: bool = param(default=False, doc="errors of depth like a D435's")
    seed: int = param(default=0, doc="of the noise")
    world: str = "inspection"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The camera at work. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            arguments = told(
                self,
                CameraArguments,
                run_directory=str(device.directory),
                simulation=simulation.value,
                device=device.name,
                mount=self.camera or device.name,
            )
            async with started(device, camera_spec(arguments), CameraFeed) as feed:
                yield feed


class SimulatedColourCamera(SimulatedCamera):
    """A simulated camera that gives colour only."""

    name: ClassVar[str] = "simulated_colour_camera"
    kind: ClassVar[str] = "rgb"
