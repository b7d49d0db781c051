"""What is commanded of what moves, and what it reports: messages of clients, managers and control loops.

A command is a wish that its holder repeats (or replaces) while it is to count: the control loop lets a
command lapse when it grows old. Two kinds: goals (`MoveJoints`, `MovePose`, `MoveGripper`, `MoveBase`), for
which the loop makes its own trajectory and which end; and targets (`TrackPose`, `TrackTwist`,
`TrackJoints`, `Drive`), which a client streams. All poses are in the arm's base frame, of the tool point.

    client ── Wanted ──▶ registrar ──▶ controller manager ── Orders (shared memory) ──▶ control loop
    client ◀── ArmSample, GripperSample, BaseSample (shared memory, 100 Hz) ──────────── control loop

Orders are the present state of what is wanted, not events: only the newest counts, so none can be lost.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from framework.registrar.fencing import CommandStamp
from resources.types.streams import IDENTITY, Pose7

Joints7 = tuple[float, float, float, float, float, float, float]
Vector6 = tuple[float, float, float, float, float, float]
"""Linear x y z, then angular x y z."""

REST6: Vector6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
REST7: Joints7 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

ORDER_PERIOD_S = 0.05
"""A client repeats what it wants this often [s]."""

ORDER_LAPSES_S = 0.25
"""A goal that is not repeated for so long, by its sender's time, is given up: the mechanism comes to rest and
holds [s]. Of this a repetition's period and its way are spent already: a busy main process has the rest."""

TARGET_LAPSES_S = 0.1
"""A streamed target older than this no longer moves anything [s]: hold, then damp, then finish."""


HEARTBEAT_MISSING = "the supervisor's heartbeat is missing"
ORDERS_CEASED = "its orders ceased"
STOOD_STILL = "its control loop stood still"
GIVEN_BEFORE = "the command was given before"
"""How begins what a loop says of a stop that passes by itself."""


class EndKind(StrEnum):
    """Why a wish has ended or was refused."""

    REACHED = "reached"  # or it is going on
    FAILED = "failed"  # the mechanism, its holder or its guards did not let it end well
    TAKEN = "taken"  # whoever lends the device had it come to rest
    HEARTBEAT = "heartbeat"  # the supervisor's is missing
    CEASED = "ceased"  # it was not repeated in time
    STOOD_STILL = "stood still"  # the loop's own process
    LATE = "late"  # it came too late to count

    @property
    def passes(self) -> bool:
        """Whether whoever still holds the device may wish the same anew, from rest."""
        return self not in (EndKind.REACHED, EndKind.FAILED, EndKind.TAKEN)


class Workspace(msgspec.Struct, frozen=True):
    """The box in the arm's base frame that the tool point may not leave [m]: lower and upper corner."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class ControllerKind(StrEnum):
    """What a control loop moves."""

    ARM = "arm"
    GRIPPER = "gripper"
    BASE = "base"


class StopCategory(StrEnum):
    """What an emergency stop does to a device; chosen per device, by its description."""

    HOLD = "hold"  # brake, then hold compliantly under control
    BRAKES = "brakes"  # brake, then lock: the drives do nothing any more


# ---------------------------------------------------------------- commands of an arm


class MoveJoints(msgspec.Struct, frozen=True, tag="move_joints"):
    """Go to a posture [rad] and stay. `speed`: share of the joints' limits, in (0, 1]."""

    joints: Joints7
    speed: float = 0.3


class MovePose(msgspec.Struct, frozen=True, tag="move_pose"):
    """Take the tool straight to a pose and stay; speed [m/s] and turn [rad/s] are upper bounds."""

    base_T_tool: Pose7
    speed: float = 0.25
    turn: float = 0.8


class TrackPose(msgspec.Struct, frozen=True, tag="track_pose"):
    """The tool's pose now; twist [m/s, rad/s] and acceleration are its feed-forward, in the base frame."""

    base_T_tool: Pose7
    twist: Vector6 = REST6
    acceleration: Vector6 = REST6


class TrackTwist(msgspec.Struct, frozen=True, tag="track_twist"):
    """Move the tool with this twist [m/s, rad/s], in the base frame's axes, about the tool point."""

    twist: Vector6


class TrackJoints(msgspec.Struct, frozen=True, tag="track_joints"):
    """The joints now [rad], with their velocities [rad/s] as feed-forward."""

    joints: Joints7
    velocities: Joints7 = REST7


class Guide(msgspec.Struct, frozen=True, tag="guide"):
    """Hand guiding: gravity carried, nothing held; a person moves the arm within its limits."""


class Hold(msgspec.Struct, frozen=True, tag="hold"):
    """Stay where the arm comes to rest, compliantly."""


class Follow(msgspec.Struct, frozen=True, tag="follow"):
    """Follow a person's hand: the samples that a session writes (`resources.types.masters`), past everybody.

    The control loop reads them itself and decides by its own clock whether the clutch is on: nothing here
    moves anything until a sample of this session engages. Of an arm: its pose; of a base: its sticks.

    source: path of the ring of `HandSample`s. session: whose samples count; all others are ignored.
    """

    source: str
    session: str


class Sweep(msgspec.Struct, frozen=True, tag="sweep"):
    """Swing the last joint to and fro between two angles [rad] at a velocity [rad/s]; the others hold."""

    lower: float
    upper: float
    velocity: float


ArmCommand = MoveJoints | MovePose | TrackPose | TrackTwist | TrackJoints | Guide | Hold | Sweep | Follow


# ---------------------------------------------------------------- of a gripper, of a base


class MoveGripper(msgspec.Struct, frozen=True, tag="move_gripper"):
    """Bring the fingers to a width [m] at a speed [m/s] with at most a force [N].

    grasp: something is to be held: closing on nothing is a failure, closing on a thing is the goal.
    """

    width_m: float
    speed: float = 0.05
    force_n: float = 20.0
    grasp: bool = False


class Drive(msgspec.Struct, frozen=True, tag="drive"):
    """Velocities in the base frame: forward, left [m/s], turn [rad/s] counter-clockwise."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0


class MoveBase(msgspec.Struct, frozen=True, tag="move_base"):
    """Go to a pose of the odometry frame and stay: x, y [m], yaw [rad], not wrapped (two turns are two)."""

    x: float
    y: float
    yaw: float
    speed: float = 0.4  # [m/s]
    turn: float = 0.6  # [rad/s]


BaseCommand = Drive | MoveBase | Follow
MotionCommand = ArmCommand | MoveGripper | Drive | MoveBase


class Wanted(msgspec.Struct, frozen=True, array_like=True):
    """What a client sends: a command under a number. The same number again is the same wish, repeated."""

    number: int
    command: MotionCommand


class Orders(msgspec.Struct, frozen=True, array_like=True):
    """All that a control loop is told, as it stands now.

    holder, generation: whose commands it follows ("" nobody's). stamp, wanted: the holder's latest command.
    rests, recoveries: how often it was told to come to rest, and to recover from a fault; each rise counts
    once, and a command given before a rest is void. scans: the scanners that guard a base (name, ring).
    withdrawn: recoveries up to this number are no longer wanted: who reads of one only now leaves it.
    lives, lives_after: how often the device was plugged in, and the newest generation when it last was: with
    each rise a simulated loop that was made to fail begins anew, and follows only who is granted it later.
    """

    holder: str = ""
    generation: int = 0
    rests: int = 0
    recoveries: int = 0
    stamp: CommandStamp | None = None
    wanted: Wanted | None = None
    scans: tuple[tuple[str, str], ...] = ()
    withdrawn: int = 0
    lives: int = 0
    lives_after: int = 0


# ---------------------------------------------------------------- reports


class StopKind(StrEnum):
    """What forbids a device to move."""

    NONE = ""
    EMERGENCY = "emergency"  # the emergency stop is latched
    ALONE = "alone"  # the supervisor's heartbeat is missing


class LoopState(msgspec.Struct, frozen=True, array_like=True):
    """What every control loop says of itself.

    holder, generation: whose commands it follows. following: the number of the wish it follows, 0 none.
    done: the number of the last goal that ended; outcome: why it failed, "" if it was reached; ended: the
    same for programs.
    progress: of the goal that is followed, 0 to 1. mode: in a word, for people ("move", "hold", …).
    is_at_rest: nothing moves. stop: what forbids motion now; stopped: the same in words, or "".
    fault: a reflex or broken drive, in words, that lasts until recovered; "" if it is well.
    rests, recoveries: the orders of this number have been carried out. unrecovered: the order to recover of
    this number has been tried and did not help, for the reason that `fault` gives. refused, refused_number,
    refusal, refused_as: how many commands were refused, the number of the last of them, and why.
    target_age_s: of the streamed target that is followed, 0 if none is.
    engaged: of a followed hand (`Follow`): the number of the engagement that moves it now, 0 if the clutch is
    off; disengaged: why it went off by itself ("no pose for 100 ms"), until it is on again.
    """

    holder: str = ""
    generation: int = 0
    following: int = 0
    done: int = 0
    outcome: str = ""
    progress: float = 0.0
    mode: str = "hold"
    is_at_rest: bool = True
    stopped: str = ""
    fault: str = ""
    rests: int = 0
    recoveries: int = 0
    refused: int = 0
    refused_number: int = 0
    refusal: str = ""
    target_age_s: float = 0.0
    unrecovered: int = 0
    engaged: int = 0
    disengaged: str = ""
    stop: StopKind = StopKind.NONE
    ended: EndKind = EndKind.REACHED
    refused_as: EndKind = EndKind.REACHED


class ArmSample(msgspec.Struct, frozen=True, array_like=True):
    """An arm, a hundred times a second.

    time_s: the loop's own time. tau: joint torques without gravity [N m]; tau_external: what the momentum
    observer says the surroundings do to the joints [N m]. tool_twist, wrenches: at the tool point, in the
    axes of the base frame; a wrench is what the surroundings do to the tool [N, N m]: as measured by the
    arm's own sensing (in simulation the true one; None if it has none), and as the observer estimates it.
    base_T_target: what the law is steering to.
    """

    time_s: float
    loop: LoopState
    q: Joints7 = REST7
    dq: Joints7 = REST7
    tau: Joints7 = REST7
    tau_external: Joints7 = REST7
    base_T_tool: Pose7 = IDENTITY
    tool_twist: Vector6 = REST6
    base_T_target: Pose7 = IDENTITY
    wrench_measured: Vector6 | None = None
    wrench_estimated: Vector6 = REST6


class GripperSample(msgspec.Struct, frozen=True, array_like=True):
    """A gripper: its opening, its force, and whether something is between the fingers."""

    time_s: float
    loop: LoopState
    width_m: float = 0.0
    force_n: float = 0.0
    holds: bool = False


class BaseSample(msgspec.Struct, frozen=True, array_like=True):
    """A mobile base: odometry (x, y [m], yaw [rad], not wrapped), velocity in its own frame (forward, left
    [m/s], turn [rad/s]), and what keeps it from driving ("front_lidar sees something 0.3 m ahead"), or "".

    is_blind: it does not drive because a scanner tells nothing now; whether the way is free nobody knows.
    outline: the rectangle that has to fit as it stands now, arms that jut out included: length and width [m]
    along its own axes, and where its middle is, x and y [m]; all 0 of a base that does not say so.
    """

    time_s: float
    loop: LoopState
    odometry: tuple[float, float, float] = (0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    blocked: str = ""
    is_blind: bool = False
    outline: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


MotionSample = ArmSample | GripperSample | BaseSample

SAMPLES: dict[ControllerKind, type[MotionSample]] = {
    ControllerKind.ARM: ArmSample,
    ControllerKind.GRIPPER: GripperSample,
    ControllerKind.BASE: BaseSample,
}

encode_motion = msgspec.msgpack.Encoder().encode
"""Commands, orders and samples as they travel: msgpack."""

decode_wanted = msgspec.msgpack.Decoder(Wanted).decode
"""A client's wish; raises msgspec.MsgspecError if it is none."""

decode_orders = msgspec.msgpack.Decoder(Orders).decode
"""Orders from the mailbox; raises msgspec.MsgspecError if they are none."""
