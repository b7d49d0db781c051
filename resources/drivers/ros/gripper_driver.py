"""The driver of a gripper that takes goals over ROS 2."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import as_told
from resources.children.starting import started
from resources.drivers.ros.motion_arguments import RosGripperArguments, RosGripperParameters
from resources.drivers.ros.starting import graph_of
from resources.ros.specs import ros_motion_spec
from resources.types.arms import GripperHandle
from resources.types.streams import StreamHandle


class RosGripper(Driver):
    """A gripper over ROS 2 (GripperCommand and JointState)."""

    name: ClassVar[str] = "ros_gripper"
    kind: ClassVar[str] = "gripper"

    parameters: RosGripperParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[GripperHandle]:
        """The gripper, with its loop running. Raises what its requests raise."""
        parameters = self.parameters
        arguments = RosGripperArguments(
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
            **as_told(parameters),
        )
        async with graph_of(device, self.parameters.node) as domain:
            spec = ros_motion_spec(
                domain,
                "resources.drivers.ros.gripper_child:main",
                arguments,
                f"ros_gripper {device.name}",
                device=device.name,
            )
            async with started(device, spec, StreamHandle) as state:
                yield GripperHandle(
                    device=device.name,
                    side=device.mount,
                    driver=self.name,
                    state=state,
                    max_width_m=parameters.max_width_m,
                    max_force_n=parameters.max_force_n,
                    frame=parameters.frame,
                )
