"""The drivers of cameras whose pictures a ROS node publishes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.errors import DescriptionError
from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import as_told
from resources.drivers.ros.arguments import RosCameraArguments, RosCameraParameters
from resources.drivers.ros.starting import joined
from resources.types.sensors import CameraFeed


class RosCamera(Driver):
    """A camera over ROS 2 that sees colour and depth (two topics of Image, and CameraInfo)."""

    name: ClassVar[str] = "ros_camera"
    kind: ClassVar[str] = "rgbd"

    parameters: RosCameraParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The camera, with pictures coming. Raises DescriptionError, and what its requests raise."""
        if (self.kind == "rgbd") != bool(self.parameters.depth):
            raise DescriptionError(_DEPTH[self.kind])
        arguments = RosCameraArguments(
            run_directory=str(device.directory),
            device=device.name,
            mount=device.mount,
            kind=self.kind,
            **as_told(self.parameters),
        )
        program = "resources.drivers.ros.camera_child:main"
        rate_hz = self.parameters.rate_hz
        async with joined(device, self.name, program, arguments, CameraFeed, rate_hz) as feed:
            yield feed


class RosColourCamera(RosCamera):
    """A camera over ROS 2 that sees colour only (Image or CompressedImage, and CameraInfo)."""

    name: ClassVar[str] = "ros_colour_camera"
    kind: ClassVar[str] = "rgb"


_DEPTH = {
    "rgbd": "a ros_camera has a topic of depth (depth: /front/aligned_depth_to_color/image_raw); one "
    "without is a ros_colour_camera, of kind rgb",
    "rgb": "a ros_colour_camera has no depth; with a topic of depth it is a ros_camera, of kind rgbd",
}
