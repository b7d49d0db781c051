"""What the operator process is told over its channel: who may do what, and what there is to see.

Encoded as msgpack, one message a command of the channel. `Shown`, `Console`, `Ice` and `SeatOf` are states:
the newest of a kind counts. `OpenPairing` and `Kick` are done once.
"""

from __future__ import annotations

import msgspec

from resources.operator.arguments import IceServer
from resources.types.motion import Joints7, Workspace
from resources.types.operator_client import Seat, SeatOrder
from resources.types.sensors import CameraFeed
from resources.types.streams import IDENTITY, Pose7, StreamHandle


class ShownArm(msgspec.Struct, frozen=True):
    """An arm that pages draw from its joints. state: its ring of `ArmSample`s; robot_T_base: its mounting."""

    device: str
    side: str
    state: StreamHandle
    workspace: Workspace
    lower: Joints7
    upper: Joints7
    robot_T_base: Pose7 = IDENTITY
    walls: tuple[tuple[float, ...], ...] = ()  # boxes in its base frame: x y z lower, x y z upper [m]


class Shown(msgspec.Struct, frozen=True, tag="shown"):
    """What pages show now. cameras: the first that works is drawn as a cloud; its samples say where it is.

    base: of a mobile robot, its ring of `BaseSample`s: where the robot stands; None: it stands still, at
    `world_T_robot`.
    """

    arms: tuple[ShownArm, ...] = ()
    cameras: tuple[CameraFeed, ...] = ()
    base: StreamHandle | None = None
    world_T_robot: Pose7 = IDENTITY


class Console(msgspec.Struct, frozen=True, tag="console"):
    """How to speak to the console's server as a program."""

    token: str


class Ice(msgspec.Struct, frozen=True, tag="ice"):
    """STUN and TURN servers, with their passwords."""

    servers: tuple[IceServer, ...]


class OpenPairing(msgspec.Struct, frozen=True, tag="open_pairing"):
    """Make a new pairing token; the one before is void. for_s: it is good so long [s]."""

    for_s: float = 120.0


class Kick(msgspec.Struct, frozen=True, tag="kick"):
    """End a session; it has to pair anew. session: its id or name; words: why, for its page."""

    session: str
    words: str = ""


class SeatOf(msgspec.Struct, frozen=True, tag="seat_of"):
    """What one session may do now; all others watch. holder: who drives, for everybody's page.

    session: its id or name; "": nobody drives.
    """

    session: str
    order: SeatOrder = SeatOrder(Seat.WATCHING)
    holder: str = ""


OperatorOrder = Shown | Console | Ice | OpenPairing | Kick | SeatOf

_DECODER = msgspec.msgpack.Decoder(OperatorOrder)


def encode_order(order: OperatorOrder) -> bytes:
    """As it goes over the channel."""
    return msgspec.msgpack.encode(order)


def decode_order(payload: bytes) -> OperatorOrder:
    """Raises msgspec.MsgspecError or UnicodeDecodeError for what is no order."""
    order: OperatorOrder = _DECODER.decode(payload)
    return order
