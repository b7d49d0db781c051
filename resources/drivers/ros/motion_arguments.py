"""What the processes of arms, grippers and bases over ROS are told: data, readable in their command lines."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from framework.plugins.parameters import Parameters
from resources.controllers.base_ramp import BaseLimits
from resources.controllers.protective_field import Outline
from resources.types.motion import StopCategory
from resources.types.ros import SENSOR, Qos

Heartbeat = Annotated[
    float,
    Meta(ge=0.05, le=2.0, description="it comes to rest after so long without the supervisor's heartbeat"),
]
Heard = Annotated[float, Meta(ge=1.0, le=1000.0, description="how often it comes")]
Topic = Annotated[str, Meta(min_length=1)]


class RosMotionParameters(Parameters, frozen=True):
    """Of everything that moves over ROS.

    qos: what is asked of whoever publishes its state; by default nothing. own_clock: stamps of that are of a
    clock that is not kept with this machine's.
    """

    stop: Annotated[StopCategory, Meta(description="what an emergency stop does to it")] = StopCategory.HOLD
    heartbeat_timeout_s: Heartbeat = 0.2
    qos: Annotated[Qos, Meta(description="what is asked of whoever publishes its state")] = SENSOR
    own_clock: Annotated[
        bool, Meta(description="stamps of its state are of a clock that is not kept with this machine's")
    ] = False
    frame: Annotated[str, Meta(description="the body of a scene that its base is, if one is drawn")] = ""


class RosBaseParameters(RosMotionParameters, frozen=True):
    """Of a mobile base that takes velocities.

    Whoever takes them has to stop by itself when none come (docs/ros2.md): nobody here can once this machine
    is gone.
    """

    commands: Annotated[Topic, Meta(description="topic that takes velocities (Twist)")] = "/cmd_vel"
    stamped: Annotated[bool, Meta(description="they are TwistStamped")] = False
    odometry: Annotated[Topic, Meta(description="topic that says where it is (Odometry)")] = "/odom"
    odometry_hz: Heard = 50.0
    base_frame: Annotated[str, Meta(description="of stamped velocities")] = "base_link"
    sideways: Annotated[bool, Meta(description="it can go sideways")] = True
    length_m: Annotated[float, Meta(ge=0.05, le=10.0, description="of what has to fit, from above")] = 0.8
    width_m: Annotated[float, Meta(ge=0.05, le=10.0, description="of what has to fit")] = 0.6
    middle_x_m: Annotated[float, Meta(ge=-5.0, le=5.0, description="where the middle of that is")] = 0.0
    middle_y_m: Annotated[float, Meta(ge=-5.0, le=5.0, description="where the middle of that is")] = 0.0
    max_speed: Annotated[float, Meta(ge=0.01, le=3.0, extra={"unit": "m/s"})] = 0.5
    max_turn: Annotated[float, Meta(ge=0.01, le=5.0, extra={"unit": "rad/s"})] = 1.0
    acceleration: Annotated[float, Meta(ge=0.05, le=10.0, extra={"unit": "m/s²"})] = 0.8
    deceleration: Annotated[float, Meta(ge=0.05, le=20.0, extra={"unit": "m/s²"})] = 1.6
    turn_acceleration: Annotated[float, Meta(ge=0.05, le=30.0, extra={"unit": "rad/s²"})] = 2.0
    turn_deceleration: Annotated[float, Meta(ge=0.05, le=60.0, extra={"unit": "rad/s²"})] = 4.0

    @property
    def outline(self) -> Outline:
        """What has to fit, in the base frame."""
        return Outline(self.length_m, self.width_m, self.middle_x_m, self.middle_y_m)

    @property
    def limits(self) -> BaseLimits:
        """What it may do."""
        return BaseLimits(
            self.max_speed,
            self.max_turn,
            self.acceleration,
            self.turn_acceleration,
            self.deceleration,
            self.turn_deceleration,
        )


class RosBaseArguments(RosBaseParameters, frozen=True, kw_only=True):
    """A base's process's. orders: path of the mailbox."""

    run_directory: str
    device: str
    orders: str = ""
