"""The driver of a mobile base that takes velocities over ROS 2 and says where it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import as_told
from resources.children.starting import started
from resources.drivers.ros.motion_arguments import RosBaseArguments, RosBaseParameters
from resources.drivers.ros.starting import graph_of
from resources.ros.specs import ros_motion_spec
from resources.types.arms import BaseHandle
from resources.types.streams import StreamHandle


class RosBase(Driver):
    """A mobile base over ROS 2 (Twist and Odometry), looked out for by laser scanners."""

    name: ClassVar[str] = "ros_base"
    kind: ClassVar[str] = "base"

    parameters: RosBaseParameters
    lidars: tuple[str, ...] = param(default=(), doc="devices whose scans stop it before it touches something")

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[BaseHandle]:
        """The base, with its loop running. Raises what its requests raise."""
        parameters = self.parameters
        arguments = RosBaseArguments(
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
            **as_told(parameters),
        )
        async with graph_of(device, self.parameters.node) as domain:
            spec = ros_motion_spec(
                domain,
                "resources.drivers.ros.base_child:main",
                arguments,
                f"ros_base {device.name}",
                device=device.name,
            )
            async with started(device, spec, StreamHandle) as state:
                yield BaseHandle(
                    device=device.name,
                    driver=self.name,
                    state=state,
                    max_speed=parameters.max_speed,
                    max_turn=parameters.max_turn,
                    guards=self.lidars,
                    frame=parameters.frame,
                )
