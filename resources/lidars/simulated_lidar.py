"""The driver of a simulated planar laser scanner: asks for the world, and for a process that scans it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import LidarArguments, LidarKind
from resources.children.specs import lidar_spec
from resources.children.starting import started, told
from resources.types.control import Simulation
from resources.types.sensors import ScanFeed


class SimulatedLidar(Driver):
    """A simulated planar laser scanner in a process of its own."""

    name: ClassVar[str] = "simulated_lidar"
    kind: ClassVar[str] = "scan"

    body: str = param(default="", doc="name of its body in the world's model; by default the device's")
    model: LidarKind = LidarKind.LMS511
    rate_hz: float = param(default=20.0, ge=0.1, le=40.0)
    noise: bool = param(default=True, doc="errors of range as its data sheet says")
    seed: int = param(default=0, doc="of the noise")
    world: str = "inspection"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ScanFeed]:
        """The scanner at work. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            arguments = told(
                self,
                LidarArguments,
                run_directory=str(device.directory),
                simulation=simulation.value,
                device=device.name,
                mount=self.body or device.name,
            )
            async with started(device, lidar_spec(arguments), ScanFeed) as feed:
                yield feed
