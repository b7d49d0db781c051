"""What the world child is told over its channel: that something fails, and what somebody in the room
does to its things and arms. What moves, and that it is plugged in again, is told through mailboxes
(`resources.controllers.mailbox`): no message of theirs can be lost.

Encoded as msgpack, one message a command of the channel.
"""

from __future__ import annotations

import msgspec

from resources.arms.pose import Vector3
from resources.children.failing import Fail


class Put(msgspec.Struct, frozen=True, tag="put"):
    """Somebody in the room brings a named thing into a state: the door open. No part of a robot moves."""

    thing: str
    state: str


class Lead(msgspec.Struct, frozen=True, tag="lead"):
    """Somebody in the room takes an arm by its tool, leads it by `way` [m], and lets go; it goes along if it
    is guided. way: ahead, to the left, up, in the robot's axes."""

    device: str
    way: Vector3


WorldOrder = Put | Lead | Fail

_DECODER = msgspec.msgpack.Decoder(WorldOrder)


def encode_order(order: WorldOrder) -> bytes:
    """As it goes over the channel."""
    return msgspec.msgpack.encode(order)


def decode_order(payload: bytes) -> WorldOrder:
    """Raises msgspec.MsgspecError or UnicodeDecodeError for what is no order."""
    order: WorldOrder = _DECODER.decode(payload)
    return order
