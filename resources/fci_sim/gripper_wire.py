"""The bytes of the Franka gripper's interface, version 3: as `wire.py`, for TCP port 1338 and its states.

Headers and statuses are wider or narrower than the arm's; all is little-endian and packed.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from resources.fci_sim.wire import ConnectStatus

GRIPPER_VERSION: Final = 3
GRIPPER_PORT: Final = 1338


class GripperCommand(IntEnum):
    """What a client may ask for on TCP 1338."""

    CONNECT = 0
    HOMING = 1
    GRASP = 2
    MOVE = 3
    STOP = 4


class GripperStatus(IntEnum):
    """How a gripper command ends."""

    SUCCESS = 0
    FAIL = 1
    UNSUCCESSFUL = 2
    ABORTED = 3


_GRIPPER_HEADER: Final = struct.Struct("<HII")
_GRIPPER_STATE: Final = struct.Struct("<IddBH")
_GRIPPER_BODIES: Final[dict[GripperCommand, struct.Struct]] = {
    GripperCommand.CONNECT: struct.Struct("<HH"),
    GripperCommand.HOMING: struct.Struct("<"),
    GripperCommand.GRASP: struct.Struct("<5d"),  # width, epsilon inner and outer, speed, force
    GripperCommand.MOVE: struct.Struct("<2d"),  # width, speed
    GripperCommand.STOP: struct.Struct("<"),
}


class GripperRequest(msgspec.Struct, frozen=True):
    """One request to the gripper with its fields, in the order of the wire."""

    command: GripperCommand
    id: int
    fields: tuple[float, ...]


def read_gripper_request(buffer: bytes | bytearray) -> tuple[GripperRequest, int] | None:
    """As `read_request`, for the gripper's port."""
    if len(buffer) < _GRIPPER_HEADER.size:
        return None
    number, id_, size = _GRIPPER_HEADER.unpack_from(buffer)
    try:
        command = GripperCommand(number)
    except ValueError:
        raise MalformedMessage(
            f"gripper command {number} (size {size}) is unknown; there are 0 to {max(GripperCommand)}"
        ) from None
    wanted = _GRIPPER_HEADER.size + _GRIPPER_BODIES[command].size
    if size != wanted:
        raise MalformedMessage(f"gripper {command.name} says that it has {size} bytes; it has {wanted}")
    if len(buffer) < size:
        return None
    fields = _GRIPPER_BODIES[command].unpack_from(buffer, _GRIPPER_HEADER.size)
    return GripperRequest(command, id_, fields), size


def write_gripper_request(request: GripperRequest) -> bytes:
    """A gripper request as bytes: for tests that are their own client."""
    body = _GRIPPER_BODIES[request.command].pack(*request.fields)
    return _GRIPPER_HEADER.pack(request.command, request.id, _GRIPPER_HEADER.size + len(body)) + body


def gripper_reply(command: GripperCommand, id_: int, status: int, rest: bytes = b"") -> bytes:
    """A gripper's reply: header, two bytes of status, and the version after Connect."""
    size = _GRIPPER_HEADER.size + 2 + len(rest)
    return _GRIPPER_HEADER.pack(command, id_, size) + struct.pack("<H", status) + rest


def gripper_connect_reply(id_: int, status: ConnectStatus, version: int = GRIPPER_VERSION) -> bytes:
    """The reply to a gripper's Connect."""
    return gripper_reply(GripperCommand.CONNECT, id_, status, struct.pack("<H", version))


def gripper_state(
    message_id: int, *, width_m: float, max_width_m: float, is_grasped: bool, temperature: int
) -> bytes:
    """A state packet of the gripper."""
    return _GRIPPER_STATE.pack(message_id & 0xFFFFFFFF, width_m, max_width_m, is_grasped, temperature)
