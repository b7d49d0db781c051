"""The driver of a planar laser scanner whose scans a ROS node publishes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import as_told
from resources.drivers.ros.arguments import RosLidarArguments, RosLidarParameters
from resources.drivers.ros.starting import joined
from resources.types.sensors import ScanFeed


class RosLidar(Driver):
    """A planar laser scanner over ROS 2 (LaserScan)."""

    name: ClassVar[str] = "ros_lidar"
    kind: ClassVar[str] = "scan"

    parameters: RosLidarParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ScanFeed]:
        """The scanner, with scans coming. Raises what its requests raise."""
        arguments = RosLidarArguments(
            run_directory=str(device.directory),
            device=device.name,
            mount=device.mount,
            **as_told(self.parameters),
        )
        program = "resources.drivers.ros.lidar_child:main"
        rate_hz = self.parameters.rate_hz
        async with joined(device, self.name, program, arguments, ScanFeed, rate_hz) as feed:
            yield feed
