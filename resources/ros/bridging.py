"""What the ROS manager and its bridge say to each other: msgpack, one struct a message.

A link is one topic, service or action. What comes by it the bridge writes into the link's own ring: of a
topic the messages as they came (CDR), of all else a `News`. Of the links themselves it tells in its own
ring. Messages are never decoded here: bytes in, bytes out, and the type's definition goes with the link.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.plugins.parameters import Parameters
from framework.status import Severity
from resources.types.ros import Qos
from resources.types.ros_links import LinkOrder, Timeout

MOST_AGE_S: Final = 0.2
"""An order by which something may move is not carried out if it is older when it comes [s]."""

MOST_BYTES: Final = 64 << 20
"""What one message may have that comes [bytes]; its ring grows to hold it."""


class BridgeArguments(Parameters, frozen=True):
    """The bridge's own. stream: its ring's name."""

    run_directory: str
    stream: str
    heartbeat_timeout_s: float = 0.2


class Link(msgspec.Struct, frozen=True, tag_field="kind"):
    """One of them, by a number that is never used again. name, type: ROS's; ring: where it writes."""

    link: int
    name: str
    type: str
    ring: str = ""


class TopicIn(Link, frozen=True, tag="topic in"):
    """Messages towards us.

    fits: what is sent reliably is taken so, whatever `qos` says. rate_hz: how often they should come, 0 if
    nobody knows. after_ns: those that their publisher has sent by then were had before.
    """

    qos: Qos = Qos()
    fits: bool = False
    rate_hz: float = 0.0
    after_ns: int = 0


class TopicOut(Link, frozen=True, tag="topic out"):
    """Messages of ours. is_told: it moves nothing, and goes on under an emergency stop."""

    qos: Qos = Qos()
    is_told: bool = False


class ServiceOut(Link, frozen=True, tag="service"):
    """A service of theirs. is_told: it moves nothing, and is asked under an emergency stop, too."""

    is_told: bool = False


class ActionOut(Link, frozen=True, tag="action"):
    """An action of theirs. orphans: goals that the bridge before this one has given it, to be given up."""

    orphans: tuple[int, ...] = ()


class ServiceIn(Link, frozen=True, tag="served service"):
    """A service of ours."""


class ActionIn(Link, frozen=True, tag="served action"):
    """An action of ours."""


AnyLink = TopicIn | TopicOut | ServiceOut | ActionOut | ServiceIn | ActionIn

# ---------------------------------------------------------------- to the bridge


class Open(msgspec.Struct, frozen=True, tag="open"):
    """Have this link."""

    link: AnyLink


class Close(msgspec.Struct, frozen=True, tag="close"):
    """Have it no more: goals are cancelled, and their ends awaited for so long [s]."""

    link: int
    within_s: Timeout = 3.0


class Halt(msgspec.Struct, frozen=True, tag="halt"):
    """Have an end to all that goes on by this link, and say when that is; it stays open."""

    link: int
    within_s: Timeout = 3.0


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """Something for a link. sent_s: when whoever wants it said so, CLOCK_MONOTONIC [s]."""

    link: int
    order: LinkOrder
    sent_s: float


Order = Open | Close | Halt | Pass

# ---------------------------------------------------------------- from the bridge, in its own ring


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """It is there. What its messages are made of stands in a file beside the rings (`definition_file`)."""

    link: int


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """It cannot be had, or the order was none for it."""

    link: int
    words: str


class Told(msgspec.Struct, frozen=True, tag="told"):
    """How a link is. FATAL: it is lost."""

    link: int
    severity: Severity
    words: str


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """It is gone. words: what did not end in time; "" if all did."""

    link: int
    words: str = ""


class Halted(msgspec.Struct, frozen=True, tag="halted"):
    """Nothing goes on by it. words: what did not end in time; "" if all did."""

    link: int
    words: str = ""


Report = Opened | Refused | Told | Halted | Closed


def definition_file(directory: Path, link: int) -> Path:
    """Where the bridge writes what a link's messages are made of (`TypeDefinition` as JSON): long texts."""
    return directory / f"ros_link_{link}.json"


encode: Final = msgspec.msgpack.Encoder().encode
decode_order: Final = msgspec.msgpack.Decoder(Order).decode
decode_report: Final = msgspec.msgpack.Decoder(Report).decode
