"""Requests for what moves: arms, grippers, a mobile base; their handles, and the clients that command them.

Different requests may mean one device: `Arm(side="left")` and `Arm()` take the sub-resource
`Motion("left_arm")`, which is where exclusiveness lives; `ArmState` reads along with whoever moves the arm.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.motion import ControllerKind, Joints7, Workspace
from resources.types.motion_clients import ArmClient, ArmStateClient, BaseClient, GripperClient, MotionClient
from resources.types.streams import IDENTITY, Pose7, StreamHandle


class ControlHandle(msgspec.Struct, frozen=True):
    """A control loop that runs, whoever commands it.

    device: its name in the robot description; side: "left", "right" or ""; driver: what opens it.
    state: stream of `ArmSample`, `GripperSample` or `BaseSample` (StreamFormat.ARM, GRIPPER or BASE).
    frame: name of the body of the scene that the device's base frame is, "" if no scene shows it.
    """

    device: str
    kind: ControllerKind
    side: str
    driver: str
    state: StreamHandle
    frame: str = ""


class ArmHandle(msgspec.Struct, frozen=True):
    """An arm that may be commanded (or read, of `ArmState`).

    home: its home posture [rad]. robot_T_base: its mounting in the robot's frame. lower, upper: joint limits
    [rad]. frame: the body of the scene that its base frame is, "" if no scene shows it.
    max_speed, max_acceleration: what a stream of joints may ask for [rad/s], [rad/s²]; faster ones lag.
    """

    device: str
    side: str
    driver: str
    state: StreamHandle
    home: Joints7
    lower: Joints7
    upper: Joints7
    workspace: Workspace
    robot_T_base: Pose7 = IDENTITY
    camera: str = ""  # the device that looks along with the wrist, "" if none does
    frame: str = ""
    max_speed: Joints7 = (1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2)
    max_acceleration: float = 4.0

    @property
    def stream(self) -> StreamHandle:
        """The same stream, under the name that clients of streams look for."""
        return self.state


class GripperHandle(msgspec.Struct, frozen=True):
    """A gripper that may be commanded; opens from 0 to `max_width_m`. frame: as for `ArmHandle`."""

    device: str
    side: str
    driver: str
    state: StreamHandle
    max_width_m: float
    max_force_n: float
    frame: str = ""

    @property
    def stream(self) -> StreamHandle:
        """See `ArmHandle.stream`."""
        return self.state


class BaseHandle(msgspec.Struct, frozen=True):
    """A mobile base that may be commanded. Bounds: m/s, rad/s. guards: the scanners that look out for it.

    frame: as for `ArmHandle`.
    """

    device: str
    driver: str
    state: StreamHandle
    max_speed: float
    max_turn: float
    guards: tuple[str, ...] = ()
    frame: str = ""

    @property
    def stream(self) -> StreamHandle:
        """See `ArmHandle.stream`."""
        return self.state


class ControlLoop(msgspec.Struct, frozen=True):
    """A device's control loop, running. Managers ask for this; commands need `Motion`."""

    handle_type: ClassVar[type] = ControlHandle

    device: str

    def __str__(self) -> str:
        return f"control of {self.device}"


class Motion(msgspec.Struct, frozen=True):
    """The right to move one device, by name. Ask for it exclusively; `Arm`, `Gripper`, `Base` do."""

    handle_type: ClassVar[object] = ArmHandle | GripperHandle | BaseHandle
    client_type: ClassVar[type] = MotionClient

    device: str

    def __str__(self) -> str:
        return f"motion of {self.device}"


class Arm(msgspec.Struct, frozen=True):
    """An arm to move: on a side ("left", "right"), or any ("": the first that is free).

    Ask for it exclusively. Whoever holds `Arm()` holds one arm; a second `Arm()` is the same resource.
    """

    handle_type: ClassVar[type] = ArmHandle
    client_type: ClassVar[type] = ArmClient

    side: str = ""

    def as_held(self, held: ArmHandle | Arm) -> Arm:
        """The one that turned out to be meant."""
        return Arm(self.side or held.side)

    def __str__(self) -> str:
        return f"{self.side} arm".strip()


class ArmState(msgspec.Struct, frozen=True):
    """What an arm feels and does, read along with whoever moves it; sides as for `Arm`."""

    handle_type: ClassVar[type] = ArmHandle
    client_type: ClassVar[type] = ArmStateClient

    side: str = ""

    def __str__(self) -> str:
        return f"state of the {self.side} arm".replace("  ", " ")


class Gripper(msgspec.Struct, frozen=True):
    """A gripper to move; sides as for `Arm`. Ask for it exclusively."""

    handle_type: ClassVar[type] = GripperHandle
    client_type: ClassVar[type] = GripperClient

    side: str = ""

    def as_held(self, held: GripperHandle | Gripper) -> Gripper:
        """As for `Arm`."""
        return Gripper(self.side or held.side)

    def __str__(self) -> str:
        return f"{self.side} gripper".strip()


class Base(msgspec.Struct, frozen=True):
    """The mobile base, to drive. Ask for it exclusively."""

    handle_type: ClassVar[type] = BaseHandle
    client_type: ClassVar[type] = BaseClient

    def __str__(self) -> str:
        return "base"


class Recovery(msgspec.Struct, frozen=True):
    """Bring a device back from a fault (a reflex): moves nothing, and lets it be commanded again.

    Loads when the device has recovered; ResourceUnavailable says why it has not. Only a confirmed action asks
    for it.
    """

    handle_type: ClassVar[type] = ControlHandle

    device: str

    def __str__(self) -> str:
        return f"recovery of {self.device}"
