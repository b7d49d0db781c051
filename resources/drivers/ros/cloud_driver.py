"""The driver of a scanner whose points in space a ROS node publishes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import as_told
from resources.drivers.ros.arguments import RosCloudArguments, RosCloudParameters
from resources.drivers.ros.starting import joined
from resources.types.sensors import CloudFeed


class RosCloud(Driver):
    """A scanner over ROS 2 that sees points in space (PointCloud2)."""

    name: ClassVar[str] = "ros_cloud"
    kind: ClassVar[str] = "cloud"

    parameters: RosCloudParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CloudFeed]:
        """The scanner, with points coming. Raises what its requests raise."""
        arguments = RosCloudArguments(
            run_directory=str(device.directory),
            device=device.name,
            mount=device.mount,
            **as_told(self.parameters),
        )
        program = "resources.drivers.ros.cloud_child:main"
        rate_hz = self.parameters.rate_hz
        async with joined(device, self.name, program, arguments, CloudFeed, rate_hz) as feed:
            yield feed
