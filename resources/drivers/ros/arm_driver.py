"""The driver of an arm whose joints are commanded over ROS 2: a process with rclpy, and one with our law."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from framework.processes.spec import ProcessSpec, python_child
from resources.children.arguments import as_told
from resources.children.specs import ENV_WITHOUT_GL
from resources.children.starting import started
from resources.controllers.generations import limits_of
from resources.controllers.settings import ArmSettings
from resources.drivers.ros.motion_arguments import (
    RosArmArguments,
    RosArmParameters,
    RosJointArguments,
    RosJointParameters,
)
from resources.drivers.ros.starting import graph_of
from resources.ros.specs import ros_motion_spec
from resources.types.arms import ArmHandle
from resources.types.motion import Joints7
from resources.types.ros import STALE_AFTER_S
from resources.types.streams import StreamHandle

#: Of what the law allows its own motions: a stream that asks for all of it leaves nothing to catch up with.
_OF_STREAMS = 0.9

HOME: Joints7 = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)


class RosArm(Driver):
    """A Franka arm over ROS 2 (JointState in; Float64MultiArray or JointTrajectory out)."""

    name: ClassVar[str] = "ros_arm"
    kind: ClassVar[str] = "arm"

    parameters: RosArmParameters
    home: Joints7 = param(default=HOME, doc="home posture [rad]")
    camera: str = param(default="", doc="the device that looks along with the wrist")

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ArmHandle]:
        """The arm, with its loop running. Raises what its requests raise, and DescriptionError."""
        parameters = self.parameters
        run = str(device.directory)
        joints = RosJointArguments(run_directory=run, device=device.name, **of_joints(parameters))
        limits = limits_of(parameters.generation)
        settings = ArmSettings()
        share = _OF_STREAMS * settings.joint_share
        v1, v2, v3, v4, v5, v6, v7 = (share * speed for speed in limits.velocity)
        async with graph_of(device, self.parameters.node) as domain:
            spec = ros_motion_spec(
                domain,
                "resources.drivers.ros.joints_child:main",
                joints,
                f"ros_joints {device.name}",
                device=device.name,
            )
            async with started(device, spec, StreamHandle) as seen:
                arguments = RosArmArguments(
                    run_directory=run,
                    device=device.name,
                    orders=str(device.orders or ""),
                    seen=seen.ring,
                    **as_told(parameters),
                )
                async with started(device, arm_spec(arguments), StreamHandle) as state:
                    yield ArmHandle(
                        device=device.name,
                        side=device.mount,
                        driver=self.name,
                        state=state,
                        home=self.home,
                        lower=limits.lower,
                        upper=limits.upper,
                        workspace=parameters.workspace or settings.workspace,
                        robot_T_base=parameters.robot_T_base,
                        camera=self.camera,
                        frame=parameters.frame,
                        max_speed=(v1, v2, v3, v4, v5, v6, v7),
                        max_acceleration=share * min(limits.acceleration),
                    )


def arm_spec(arguments: RosArmArguments) -> ProcessSpec:
    """The process with the law. Its handle is the `StreamHandle` of its reports as JSON."""
    return ProcessSpec(
        python_child("resources.drivers.ros.arm_child:main", arguments),
        f"ros_arm {arguments.device}",
        env=ENV_WITHOUT_GL,
        start_timeout_s=8.0,
        stale_after_s=STALE_AFTER_S,
        stop_timeouts_s=(2.5, 0.5),
        restart=None,
        collect_garbage=False,
        device=arguments.device,
    )


def of_joints(parameters: RosArmParameters) -> dict[str, Any]:
    """What the process that has rclpy is told of them."""
    told = as_told(parameters)
    return {name: told[name] for name in RosJointParameters.__struct_fields__ if name in told}
