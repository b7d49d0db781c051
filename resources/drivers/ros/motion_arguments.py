"""What the processes of arms, grippers and bases over ROS are told: data, readable in their command lines."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from msgspec import Meta

from framework.errors import DescriptionError
from framework.plugins.parameters import Parameters
from resources.controllers.base_ramp import BaseLimits
from resources.controllers.generations import Generation
from resources.controllers.protective_field import Outline
from resources.drivers.ros.arguments import Node
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.motion import StopCategory, Workspace
from resources.types.ros import SENSOR, Qos
from resources.types.streams import IDENTITY, Pose7

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
    node: Node = None
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


PANDA_JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))


class Joints(Enum):
    """How the arm is told where its joints are to be."""

    VELOCITIES = "velocities"  # Float64MultiArray, of a controller that has a watchdog
    POSITIONS = "positions"  # Float64MultiArray
    TRAJECTORY = "trajectory"  # JointTrajectory of a single point each
    GOALS = "goals"  # FollowJointTrajectory, of an action: postures only


class RosJointParameters(RosMotionParameters, frozen=True):
    """Of the joints of an arm over ROS, as the process takes and gives them that has rclpy.

    By velocities a controller has to stop by itself when none come (docs/ros2.md): the arm would go on with
    the last of them. Positions and trajectories end at the last point. Goals end when they are cancelled or
    by themselves: with them there are no streams, no lines of the tool, no hand to follow.
    """

    states: Annotated[Topic, Meta(description="topic with its joints (JointState)")] = "/joint_states"
    states_hz: Heard = 100.0
    commands: Annotated[Topic, Meta(description="topic of its controller, or the action's name")] = (
        "/forward_position_controller/commands"
    )
    by: Annotated[Joints, Meta(description="what its controller takes")] = Joints.POSITIONS
    joints: Annotated[tuple[str, ...], Meta(description="names of its seven joints, base first")] = (
        PANDA_JOINTS
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.joints) != 7 or len(set(self.joints)) != 7:
            raise DescriptionError(
                f"joints names {', '.join(self.joints) or 'none'}; seven names are wanted, base first"
            )


class RosArmParameters(RosJointParameters, frozen=True):
    """Of a Franka arm whose joints are commanded over ROS.

    robot_T_base: where it stands in the robot's frame.
    """

    generation: Annotated[Generation, Meta(description="whose joint limits count")] = Generation.PANDA
    hand: Annotated[bool, Meta(description="its gripper is mounted")] = True
    workspace: Annotated[
        Workspace | None,
        Meta(description="box in the arm's base frame that the tool point may not leave [m]"),
    ] = None
    walls: Annotated[
        tuple[Wall, ...], Meta(description="planes in the arm's base frame that no part of it may go behind")
    ] = ()
    no_go: Annotated[
        tuple[NoGoBox, ...], Meta(description="boxes in the arm's base frame that no part of it may enter")
    ] = ()
    margin_m: Annotated[float, Meta(ge=0.0, le=0.3, description="how far it keeps away from those")] = 0.02
    robot_T_base: Annotated[Pose7, Meta(description="how it is mounted, in the robot's frame")] = IDENTITY

    @property
    def surroundings(self) -> Surroundings:
        """What no part of the arm may enter, in its base frame."""
        return Surroundings(self.walls, self.no_go, margin=Margin(self.margin_m))


class RosJointArguments(RosJointParameters, frozen=True, kw_only=True):
    """Of the process that has rclpy."""

    run_directory: str
    device: str


class RosArmArguments(RosArmParameters, frozen=True, kw_only=True):
    """Of the process with the law. orders: path of the mailbox; seen: of the joints' states."""

    run_directory: str
    device: str
    orders: str = ""
    seen: str = ""


class RosGripperParameters(RosMotionParameters, frozen=True):
    """Of a gripper over ROS.

    fingers: the width between them is so many times what their joint says, as two fingers move at once.
    """

    action: Annotated[Topic, Meta(description="that moves it (GripperCommand)")] = (
        "/gripper_controller/gripper_cmd"
    )
    states: Annotated[Topic, Meta(description="topic with its joint (JointState)")] = "/joint_states"
    states_hz: Heard = 50.0
    joint: Annotated[str, Meta(min_length=1, description="that says how far it is open")] = (
        "panda_finger_joint1"
    )
    fingers: Annotated[float, Meta(ge=0.1, le=10.0, description="widths per position of the joint")] = 2.0
    max_width_m: Annotated[float, Meta(ge=0.001, le=1.0, description="between its fingers")] = 0.08
    max_force_n: Annotated[float, Meta(ge=1.0, le=1000.0, description="with which it may press")] = 70.0


class RosGripperArguments(RosGripperParameters, frozen=True, kw_only=True):
    """A gripper's process's. orders: path of the mailbox."""

    run_directory: str
    device: str
    orders: str = ""
