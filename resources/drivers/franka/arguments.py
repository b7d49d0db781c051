"""What the processes of a real arm and its gripper are told: data, readable in their command lines."""

from __future__ import annotations

import math
from enum import Enum

import msgspec

from framework.errors import DescriptionError
from resources.arms.pose import Vector3
from resources.children.arguments import within
from resources.drivers.franka.limits import Generation
from resources.twin.obstacles import Surroundings
from resources.types.arms import Workspace
from resources.types.motion import StopCategory, Vector6
from resources.types.streams import IDENTITY, Pose7


class Realtime(Enum):
    """What is demanded of this machine."""

    NONE = "none"  # a process like any other: for simulated control boxes, which wait
    IGNORE = "ignore"  # real time if it can be had, else a warning
    ENFORCE = "enforce"  # no real time, no arm


class Collision(msgspec.Struct, frozen=True):
    """What the surroundings may do to the arm before it protects itself with a reflex.

    torque_nm: on each of joints 1 to 4, wrist_nm: of 5 to 7; force_n, moment_nm: on each axis of the tool. A
    contact is told from half of that on.
    """

    torque_nm: float = 40.0
    wrist_nm: float = 11.0
    force_n: float = 60.0
    moment_nm: float = 20.0

    def __post_init__(self) -> None:
        within("torque_nm", self.torque_nm, 1.0, 100.0)
        within("wrist_nm", self.wrist_nm, 1.0, 30.0)
        within("force_n", self.force_n, 5.0, 300.0)
        within("moment_nm", self.moment_nm, 1.0, 100.0)

    @property
    def torques(self) -> tuple[float, ...]:
        """(7,) [N m]."""
        return (self.torque_nm,) * 4 + (self.wrist_nm,) * 3

    @property
    def forces(self) -> Vector6:
        """(6,) [N, N m]."""
        force, moment = self.force_n, self.moment_nm
        return (force, force, force, moment, moment, moment)


class Payload(msgspec.Struct, frozen=True):
    """What hangs on the flange beside the gripper that Desk knows of.

    mass_kg; centre_m: its centre of mass in the flange's frame; inertia: Ixx Iyy Izz about it, along the
    flange's axes [kg m²].
    """

    mass_kg: float
    centre_m: Vector3 = (0.0, 0.0, 0.0)
    inertia: Vector3 = (0.001, 0.001, 0.001)

    def __post_init__(self) -> None:
        within("mass_kg", self.mass_kg, 0.001, 7.0)
        for name, values, least, most in (
            ("centre_m", self.centre_m, -0.5, 0.5),
            ("inertia", self.inertia, 1e-6, 1.0),
        ):
            for value in values:
                within(name, value, least, most)


class FciArmArguments(msgspec.Struct, frozen=True):
    """An arm child's.

    address: of the control box. orders: path of the mailbox. stop: what an emergency stop does to the arm.
    payload, end_effector (NE_T_EE: from the end effector that Desk knows to the tool point): None leaves what
    the arm has.
    hand: the gripper is mounted. robot_T_base: how the arm is mounted; its rotation says where up is.
    surroundings: what no part of the arm may enter, in its base frame.
    heartbeat_timeout_s: the arm comes to rest once the supervisor has been silent for so long.
    """

    run_directory: str
    device: str
    address: str
    orders: str = ""
    stop: StopCategory = StopCategory.HOLD
    realtime: Realtime = Realtime.IGNORE
    generation: Generation = Generation.FR3
    collision: Collision = Collision()
    payload: Payload | None = None
    end_effector: Pose7 | None = None
    hand: bool = True
    robot_T_base: Pose7 = IDENTITY
    workspace: Workspace | None = None
    surroundings: Surroundings = Surroundings()
    frame: str = ""
    heartbeat_timeout_s: float = 0.2

    def __post_init__(self) -> None:
        within("heartbeat_timeout_s", self.heartbeat_timeout_s, 0.02, 10.0)
        for name, pose in (("end_effector", self.end_effector), ("robot_T_base", self.robot_T_base)):
            if pose is not None and abs(math.hypot(*pose[3:]) - 1.0) > 1e-3:
                raise DescriptionError(
                    f"{name} is {pose}; its last four numbers are a quaternion of length 1"
                )


class FciGripperArguments(msgspec.Struct, frozen=True):
    """A gripper child's; see `FciArmArguments`. homing: find the end stops before the first motion."""

    run_directory: str
    device: str
    address: str
    orders: str = ""
    stop: StopCategory = StopCategory.HOLD
    homing: bool = True
    frame: str = ""
    heartbeat_timeout_s: float = 0.2

    def __post_init__(self) -> None:
        within("heartbeat_timeout_s", self.heartbeat_timeout_s, 0.02, 10.0)
