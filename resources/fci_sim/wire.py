"""The bytes of the Franka control interface, protocol version 10: layouts, enums, reading and writing.

Little-endian and packed throughout; the gripper's are in `gripper_wire.py`. Nothing is decided here.
Layouts and numbers were found with pylibfranka 0.21.3 (Apache-2.0) at the other end.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from resources.fci_sim.flags import FLAG_COUNT

VERSION: Final = 10
ARM_PORT: Final = 1337

Values = tuple[float, ...]


class Command(IntEnum):
    """What a client may ask for on TCP 1337."""

    CONNECT = 0
    MOVE = 1
    STOP_MOVE = 2
    SET_COLLISION_BEHAVIOR = 3
    SET_JOINT_IMPEDANCE = 4
    SET_CARTESIAN_IMPEDANCE = 5
    SET_GUIDING_MODE = 6
    SET_EE_TO_K = 7
    SET_NE_TO_EE = 8
    SET_LOAD = 9
    AUTOMATIC_ERROR_RECOVERY = 10
    GET_ROBOT_MODEL = 11


class ConnectStatus(IntEnum):
    """How a Connect ends, on both ports."""

    SUCCESS = 0
    INCOMPATIBLE_VERSION = 1


class MoveStatus(IntEnum):
    """How a Move begins (MOTION_STARTED or a rejection) and ends (all others)."""

    SUCCESS = 0
    MOTION_STARTED = 1
    PREEMPTED = 2
    PREEMPTED_BY_SAFETY = 3
    REJECTED_BY_SAFETY = 4
    NOT_POSSIBLE = 5
    SINGULAR_START = 6
    INVALID_ARGUMENT = 7
    REFLEX = 8
    USER_STOP = 9
    INVALID_INPUT = 10
    ABORTED = 11


class SetterStatus(IntEnum):
    """How a setter ends."""

    SUCCESS = 0
    NOT_POSSIBLE = 1
    INVALID_ARGUMENT = 2
    REJECTED_BY_SAFETY = 3


class StopStatus(IntEnum):
    """How a StopMove ends."""

    SUCCESS = 0
    NOT_POSSIBLE = 1
    REJECTED_BY_SAFETY = 2
    USER_STOP = 3
    REFLEX = 4
    ABORTED = 5


class RecoveryStatus(IntEnum):
    """How an AutomaticErrorRecovery ends."""

    SUCCESS = 0
    NOT_POSSIBLE = 1
    REJECTED_BY_SAFETY = 2
    MANUAL_RECOVERY_REQUIRED = 3
    REFLEX = 4
    USER_STOP = 5
    ABORTED = 6


class ModelStatus(IntEnum):
    """How a GetRobotModel ends."""

    SUCCESS = 0
    NOT_POSSIBLE = 1


class Controller(IntEnum):
    """The controller that a Move asks for."""

    JOINT_IMPEDANCE = 0
    CARTESIAN_IMPEDANCE = 1
    EXTERNAL = 2


class Generator(IntEnum):
    """The motion generator that a Move asks for."""

    JOINT_POSITION = 0
    JOINT_VELOCITY = 1
    CARTESIAN_POSE = 2
    CARTESIAN_VELOCITY = 3
    NONE = 4


class StateGenerator(IntEnum):
    """The running motion generator, as states tell it."""

    IDLE = 0
    JOINT_POSITION = 1
    JOINT_VELOCITY = 2
    CARTESIAN_POSE = 3
    CARTESIAN_VELOCITY = 4
    NONE = 5


class StateController(IntEnum):
    """The running controller, as states tell it."""

    JOINT_IMPEDANCE = 0
    CARTESIAN_IMPEDANCE = 1
    EXTERNAL = 2
    OTHER = 3


class Mode(IntEnum):
    """What the arm is doing, as states tell it."""

    OTHER = 0
    IDLE = 1
    MOVE = 2
    GUIDING = 3
    REFLEX = 4
    USER_STOPPED = 5
    RECOVERY = 6


# --- the arm's TCP side ---------------------------------------------------------------------------

_HEADER: Final = struct.Struct("<III")  # command, id, total size
HEADER_SIZE: Final = _HEADER.size

#: What follows the header of each request.
_BODIES: Final[dict[Command, struct.Struct]] = {
    Command.CONNECT: struct.Struct("<HH"),
    Command.MOVE: struct.Struct("<II6dB7d"),
    Command.STOP_MOVE: struct.Struct("<"),
    Command.SET_COLLISION_BEHAVIOR: struct.Struct("<52d"),
    Command.SET_JOINT_IMPEDANCE: struct.Struct("<7d"),
    Command.SET_CARTESIAN_IMPEDANCE: struct.Struct("<6d"),
    Command.SET_GUIDING_MODE: struct.Struct("<7B"),
    Command.SET_EE_TO_K: struct.Struct("<16d"),
    Command.SET_NE_TO_EE: struct.Struct("<16d"),
    Command.SET_LOAD: struct.Struct("<13d"),
    Command.AUTOMATIC_ERROR_RECOVERY: struct.Struct("<"),
    Command.GET_ROBOT_MODEL: struct.Struct("<"),
}


class Request(msgspec.Struct, frozen=True):
    """One request with its fields, in the order of the wire."""

    command: Command
    id: int
    fields: tuple[float, ...]


def request_size(command: Command) -> int:
    """Total size of a request [B]."""
    return HEADER_SIZE + _BODIES[command].size


def read_request(buffer: bytes | bytearray) -> tuple[Request, int] | None:
    """The first request in `buffer` and its size, or None while more bytes are needed.

    Raises MalformedMessage for what can be no request; nothing after it can be trusted either.
    """
    if len(buffer) < HEADER_SIZE:
        return None
    number, id_, size = _HEADER.unpack_from(buffer)
    try:
        command = Command(number)
    except ValueError:
        raise MalformedMessage(
            f"command {number} (size {size}) is none of the control interface; there are 0 to {max(Command)}"
        ) from None
    if size != request_size(command):
        raise MalformedMessage(
            f"{command.name} says that it has {size} bytes; in protocol version {VERSION} it has "
            f"{request_size(command)}"
        )
    if len(buffer) < size:
        return None
    return Request(command, id_, _BODIES[command].unpack_from(buffer, HEADER_SIZE)), size


def write_request(request: Request) -> bytes:
    """A request as bytes: for tests that are their own client."""
    body = _BODIES[request.command].pack(*request.fields)
    return _HEADER.pack(request.command, request.id, HEADER_SIZE + len(body)) + body


def reply(command: Command, id_: int, status: int, rest: bytes = b"") -> bytes:
    """A reply: header, one byte of status, and what some commands add."""
    return _HEADER.pack(command, id_, HEADER_SIZE + 1 + len(rest)) + bytes((status,)) + rest


def connect_reply(id_: int, status: ConnectStatus, version: int = VERSION) -> bytes:
    """The reply to Connect."""
    return reply(Command.CONNECT, id_, status, struct.pack("<H", version))


def read_reply(buffer: bytes | bytearray) -> tuple[Command, int, int, bytes, int] | None:
    """(command, id, status, rest, size) of the first reply in `buffer`: for tests."""
    if len(buffer) < HEADER_SIZE:
        return None
    number, id_, size = _HEADER.unpack_from(buffer)
    if len(buffer) < size:
        return None
    return Command(number), id_, buffer[HEADER_SIZE], bytes(buffer[HEADER_SIZE + 1 : size]), size


# --- the arm's UDP side ---------------------------------------------------------------------------

#: RobotState. Transforms are column-major; `errors` and `reflex_reason` have a byte for each flag.
STATE: Final = np.dtype(
    [
        ("message_id", "<u8"),
        ("O_T_EE", "<f4", 16),
        ("O_T_EE_d", "<f4", 16),
        ("F_T_EE", "<f4", 16),
        ("EE_T_K", "<f4", 16),
        ("F_T_NE", "<f4", 16),
        ("NE_T_EE", "<f4", 16),
        ("m_ee", "<f4"),
        ("I_ee", "<f4", 9),
        ("F_x_Cee", "<f4", 3),
        ("m_load", "<f4"),
        ("I_load", "<f4", 9),
        ("F_x_Cload", "<f4", 3),
        ("elbow", "<f4", 2),
        ("elbow_d", "<f4", 2),
        ("tau_J", "<f4", 7),
        ("tau_J_d", "<f4", 7),
        ("dtau_J", "<f4", 7),
        ("q", "<f4", 7),
        ("q_d", "<f4", 7),
        ("dq", "<f4", 7),
        ("dq_d", "<f4", 7),
        ("ddq_d", "<f4", 7),
        ("joint_contact", "<f4", 7),
        ("cartesian_contact", "<f4", 6),
        ("joint_collision", "<f4", 7),
        ("cartesian_collision", "<f4", 6),
        ("tau_ext_hat_filtered", "<f4", 7),
        ("O_F_ext_hat_K", "<f4", 6),
        ("K_F_ext_hat_K", "<f4", 6),
        ("O_dP_EE_d", "<f4", 6),
        ("O_ddP_O", "<f4", 3),
        ("elbow_c", "<f4", 2),
        ("delbow_c", "<f4", 2),
        ("ddelbow_c", "<f4", 2),
        ("O_T_EE_c", "<f4", 16),
        ("O_dP_EE_c", "<f4", 6),
        ("O_ddP_EE_c", "<f4", 6),
        ("theta", "<f4", 7),
        ("dtheta", "<f4", 7),
        ("accelerometers", "<f4", 36),
        ("generator", "u1"),
        ("controller", "u1"),
        ("errors", "u1", FLAG_COUNT),
        ("reflex_reason", "u1", FLAG_COUNT),
        ("mode", "u1"),
        ("success_rate", "<f4"),
    ]
)
MESSAGE_ID_SIZE: Final = 8

_ROBOT_COMMAND: Final = struct.Struct("<Q7d7d16d6d2dBB7dB")
ROBOT_COMMAND_SIZE: Final = _ROBOT_COMMAND.size


class RobotCommand(msgspec.Struct, frozen=True, gc=False):
    """One command packet: a set-point of each kind, of which the running mode uses its own."""

    message_id: int  # of the state it answers
    q: Values  # (7,) rad
    dq: Values  # (7,) rad/s
    pose: Values  # (16,) base_T_EE, column-major
    twist: Values  # (6,) m/s, rad/s
    elbow: Values  # (2,) position of joint 3 [rad], sign of joint 4
    has_elbow: bool
    motion_finished: bool
    tau: Values  # (7,) N m, without gravity
    torque_finished: bool


def read_robot_command(packet: bytes) -> RobotCommand:
    """Raises MalformedMessage if the size is not that of a command."""
    if len(packet) != ROBOT_COMMAND_SIZE:
        raise MalformedMessage(f"a packet of {len(packet)} bytes; commands have {ROBOT_COMMAND_SIZE}")
    f = _ROBOT_COMMAND.unpack(packet)
    return RobotCommand(
        f[0],
        f[1:8],
        f[8:15],
        f[15:31],
        f[31:37],
        f[37:39],
        bool(f[39]),
        bool(f[40]),
        f[41:48],
        bool(f[48]),
    )


def write_robot_command(command: RobotCommand) -> bytes:
    """A command as bytes: for tests that are their own client."""
    c = command
    return _ROBOT_COMMAND.pack(
        c.message_id,
        *c.q,
        *c.dq,
        *c.pose,
        *c.twist,
        *c.elbow,
        c.has_elbow,
        c.motion_finished,
        *c.tau,
        c.torque_finished,
    )


def read_state(packet: bytes) -> NDArray[np.void]:
    """A state packet as a record: for tests. Raises MalformedMessage if the size is wrong."""
    if len(packet) != STATE.itemsize:
        raise MalformedMessage(f"a packet of {len(packet)} bytes; states have {STATE.itemsize}")
    return np.frombuffer(packet, STATE)[0]  # type: ignore[no-any-return]
