"""The driver of a simulated RGB-D camera: asks for the world and for a process that draws it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import CameraArguments, CameraParameters, as_told
from resources.children.specs import camera_spec
from resources.children.starting import started
from resources.types.control import Simulation
from resources.types.sensors import CameraFeed


class SimulatedCamera(Driver):
    """A simulated RGB-D camera in a process of its own."""

    name: ClassVar[str] = "simulated_camera"
    kind: ClassVar[str] = "rgbd"

    camera: str = param(default="", doc="name of the camera in the world's model; by default the device's")
    parameters: CameraParameters
    world: str = "inspection"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The camera at work. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            arguments = CameraArguments(
                run_directory=str(device.directory),
                simulation=simulation.value,
                device=device.name,
                mount=self.camera or device.name,
                kind=self.kind,
                **as_told(self.parameters),
            )
            async with started(device, camera_spec(arguments), CameraFeed) as feed:
                yield feed


class SimulatedColourCamera(SimulatedCamera):
    """A simulated camera that gives colour only."""

    name: ClassVar[str] = "simulated_colour_camera"
    kind: ClassVar[str] = "rgb"
