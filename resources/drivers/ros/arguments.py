"""What the processes of devices over ROS are told: data, readable in their command lines."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from framework.plugins.parameters import Parameters
from resources.types.ros import SENSOR, Qos
from resources.types.streams import Pose7

Topic = Annotated[str, Meta(min_length=1, description="of its messages, as /front/scan")]


class RosSensorParameters(Parameters, frozen=True):
    """Of what a node of theirs measures."""

    topic: Topic
    rate_hz: Annotated[float, Meta(ge=0.1, le=1000.0, description="how often they come")] = 10.0
    qos: Annotated[Qos, Meta(description="what is asked of whoever publishes; by default nothing")] = SENSOR
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


class RosLidarParameters(RosSensorParameters, frozen=True):
    """Of a planar laser scanner."""


class RosLidarArguments(RosLidarParameters, frozen=True, kw_only=True):
    """A scanner's process's."""

    run_directory: str
    device: str
    mount: str = ""
