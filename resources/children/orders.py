"""What the world child is told while it runs: who commands which part, their commands, a stop, a failure,
and what somebody in the room does to its things.

Encoded as msgpack, one message a command of the channel.
"""

from __future__ import annotations

import msgspec

from framework.registrar.fencing import CommandStamp
from resources.children.failing import Fail
from resources.worlds.commands import Command, Part


class Grant(msgspec.Struct, frozen=True, tag="grant"):
    """From now on `part` follows this lease of this generation; "" is nobody. It comes to rest first."""

    part: Part
    lease: str = ""
    generation: int = 0


class Do(msgspec.Struct, frozen=True, tag="do"):
    """A holder's command. Its time is `stamp.sent_s`; the command's own stamp is not looked at."""

    stamp: CommandStamp
    command: Command


class Rest(msgspec.Struct, frozen=True, tag="rest"):
    """Come to rest, whoever holds the part; anybody may say so."""

    part: Part


class Put(msgspec.Struct, frozen=True, tag="put"):
    """Somebody in the room brings a named thing into a state: the door open. No part of a robot moves."""

    thing: str
    state: str


WorldOrder = Grant | Do | Rest | Put | Fail

_DECODER = msgspec.msgpack.Decoder(WorldOrder)


def encode_order(order: WorldOrder) -> bytes:
    """As it goes over the channel."""
    return msgspec.msgpack.encode(order)


def decode_order(payload: bytes) -> WorldOrder:
    """Raises msgspec.MsgspecError or UnicodeDecodeError for what is no order."""
    order: WorldOrder = _DECODER.decode(payload)
    return order
