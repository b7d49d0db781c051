"""What the processes of devices over ROS are told: data, readable in their command lines."""

from __future__ import annotations

import math
from typing import Annotated, Final

from msgspec import Meta

from framework.errors import DescriptionError
from framework.plugins.parameters import Parameters
from resources.types.ros import Qos, RosNode
from resources.types.streams import Pose7

_UNIT_WITHIN: Final = 0.01

Topic = Annotated[str, Meta(min_length=1, description="of its messages, as /front/scan")]


Node = Annotated[
    RosNode | None, Meta(description="the node that it takes, if that is for us to run; by default it runs")
]


class RosSensorParameters(Parameters, frozen=True):
    """Of what a node of theirs measures."""

    topic: Topic
    node: Node = None
    rate_hz: Annotated[float, Meta(ge=0.1, le=1000.0, description="how often they come")] = 10.0
    qos: Annotated[
        Qos | None, Meta(description="what is asked of whoever publishes; by default what they offer")
    ] = None
    own_clock: Annotated[
        bool, Meta(description="its stamps are of a clock that is not kept with this machine's")
    ] = False
    robot_T_frame: Annotated[
        Pose7 | None, Meta(description="where it sits, in the robot's frame; by default tf says it")
    ] = None
    odometry: Annotated[
        str,
        Meta(description="topic that says where the robot is (nav_msgs/msg/Odometry); by default tf does"),
    ] = ""
    fixed_frame: Annotated[
        str, Meta(min_length=1, description="in which all things are placed, as tf calls it")
    ] = "odom"
    robot_frame: Annotated[str, Meta(min_length=1, description="the robot's own, as tf calls it")] = (
        "base_link"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        sits = self.robot_T_frame
        if sits is not None and abs(math.hypot(*sits[3:]) - 1.0) > _UNIT_WITHIN:
            raise DescriptionError(
                f"robot_T_frame is {list(sits)}; after x, y, z [m] a unit quaternion x, y, z, w is allowed"
            )


class RosCameraParameters(RosSensorParameters, frozen=True):
    """Of a camera; `robot_T_frame` is of its optical frame (x right, y down, z ahead)."""

    compressed: Annotated[
        bool | None,
        Meta(description="whether its messages are CompressedImage; by default what is published"),
    ] = None
    info: Annotated[
        str, Meta(description="topic of its CameraInfo; by default camera_info, beside its pictures")
    ] = ""
    depth: Annotated[
        str, Meta(description="topic of its depth, aligned to colour (16UC1 in mm, 32FC1 in m): of kind rgbd")
    ] = ""
    rectified: Annotated[
        bool | None,
        Meta(
            description="its pictures are rectified: P of the CameraInfo counts; by default as `topic` says"
        ),
    ] = None


class RosCameraArguments(RosCameraParameters, frozen=True, kw_only=True):
    """A camera's process's. kind: "rgbd" or "rgb"."""

    run_directory: str
    device: str
    kind: str
    mount: str = ""


class RosCloudParameters(RosSensorParameters, frozen=True):
    """Of a scanner that sees points in space."""

    most_points: Annotated[
        int, Meta(ge=100, le=1_000_000, description="of more every second is left out, or third, and so on")
    ] = 60_000


class RosCloudArguments(RosCloudParameters, frozen=True, kw_only=True):
    """Its process's."""

    run_directory: str
    device: str
    mount: str = ""


class RosLidarParameters(RosSensorParameters, frozen=True):
    """Of a planar laser scanner."""


class RosLidarArguments(RosLidarParameters, frozen=True, kw_only=True):
    """A scanner's process's."""

    run_directory: str
    device: str
    mount: str = ""
