"""What the processes of a real arm and its gripper are told: data, readable in their command lines."""

from __future__ import annotations

import math
from enum import Enum
from typing import Annotated

from msgspec import Meta

from framework.errors import DescriptionError
from framework.plugins.parameters import Parameters
from resources.arms.pose import Vector3
from resources.controllers.generations import Generation
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.motion import StopCategory, Vector6, Workspace
from resources.types.streams import IDENTITY, Pose7

Heartbeat = Annotated[
    float,
    Meta(ge=0.05, le=2.0, description="it comes to rest after so long without the supervisor's heartbeat"),
]


class Realtime(Enum):
    """What is demanded of this machine."""

    NONE = "none"  # a process like any other: for simulated control boxes, which wait
    IGNORE = "ignore"  # real time if it can be had, else a warning
    ENFORCE = "enforce"  # no real time, no arm


class FciArmParameters(Parameters, frozen=True):
    """Of a real arm.

    collision_…: what the surroundings may do to the arm before it protects itself with a reflex; a contact is
    told from half of that on. payload_…: what hangs on the flange beside the gripper that Desk knows of.
    robot_T_base: its rotation says where up is.
    """

    address: Annotated[str, Meta(description="of the arm's control box, as 172.16.0.2")]
    stop: Annotated[StopCategory, Meta(description="what an emergency stop does to it")] = StopCategory.HOLD
    realtime: Annotated[
        Realtime,
        Meta(description="enforce: no arm without a real-time kernel; none: for a simulated control box"),
    ] = Realtime.IGNORE
    generation: Annotated[Generation, Meta(description="whose joint limits count")] = Generation.FR3
    collision_torque_nm: Annotated[
        float, Meta(ge=1.0, le=100.0, description="on joints 1 to 4: more is a reflex")
    ] = 40.0
    collision_wrist_nm: Annotated[
        float, Meta(ge=1.0, le=30.0, description="on joints 5 to 7: more is a reflex")
    ] = 11.0
    collision_force_n: Annotated[
        float, Meta(ge=5.0, le=300.0, description="at the tool: more is a reflex")
    ] = 60.0
    collision_moment_nm: Annotated[
        float, Meta(ge=1.0, le=100.0, description="about the tool: more is a reflex")
    ] = 20.0
    payload_kg: Annotated[
        float, Meta(ge=0.0, le=7.0, description="what hangs on the flange beside the gripper")
    ] = 0.0
    payload_centre_m: Annotated[Vector3, Meta(description="its centre of mass in the flange's frame")] = (
        0.0,
        0.0,
        0.0,
    )
    payload_inertia: Annotated[
        Vector3, Meta(description="Ixx Iyy Izz about it, along the flange's axes [kg m²]")
    ] = (0.001, 0.001, 0.001)
    end_effector: Annotated[
        Pose7 | None,
        Meta(description="NE_T_EE: from Desk's end effector to the tool point; by default what the arm has"),
    ] = None
    hand: Annotated[bool, Meta(description="the gripper is mounted, and Desk knows of it")] = True
    heartbeat_timeout_s: Heartbeat = 0.2
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
    frame: Annotated[str, Meta(description="the body of a scene that its base is, if one is drawn")] = ""

    @property
    def surroundings(self) -> Surroundings:
        """What no part of the arm may enter, in its base frame."""
        return Surroundings(self.walls, self.no_go, margin=Margin(self.margin_m))

    @property
    def collision_torques(self) -> tuple[float, ...]:
        """(7,) [N m]."""
        return (self.collision_torque_nm,) * 4 + (self.collision_wrist_nm,) * 3

    @property
    def collision_forces(self) -> Vector6:
        """On each axis of the tool (6,) [N, N m]."""
        force, moment = self.collision_force_n, self.collision_moment_nm
        return (force, force, force, moment, moment, moment)


class FciArmArguments(FciArmParameters, frozen=True, kw_only=True):
    """An arm child's. orders: path of the mailbox."""

    run_directory: str
    device: str
    orders: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, values, least, most in (
            ("payload_centre_m", self.payload_centre_m, -0.5, 0.5),
            ("payload_inertia", self.payload_inertia, 1e-6, 1.0),
        ):
            if not all(least <= value <= most for value in values):
                raise DescriptionError(f"{name} is {values}; {least:g} to {most:g} is allowed")
        for name, pose in (("end_effector", self.end_effector), ("robot_T_base", self.robot_T_base)):
            if pose is not None and abs(math.hypot(*pose[3:]) - 1.0) > 1e-3:
                raise DescriptionError(
                    f"{name} is {pose}; its last four numbers are a quaternion of length 1"
                )


class FciGripperParameters(Parameters, frozen=True):
    """Of a real arm's gripper."""

    address: Annotated[str, Meta(description="of the arm's control box, as 172.16.0.2")]
    stop: Annotated[StopCategory, Meta(description="what an emergency stop does to it; it never drops")] = (
        StopCategory.HOLD
    )
    homing: Annotated[
        bool, Meta(description="find the end stops before the first motion, unless it holds something")
    ] = True
    heartbeat_timeout_s: Heartbeat = 0.2
    frame: Annotated[str, Meta(description="the body of a scene that its base is, if one is drawn")] = ""


class FciGripperArguments(FciGripperParameters, frozen=True, kw_only=True):
    """A gripper child's. orders: path of the mailbox."""

    run_directory: str
    device: str
    orders: str = ""
