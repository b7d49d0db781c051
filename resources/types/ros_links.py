"""What is said over a link to ROS: by whoever holds it, and what comes back in the link's own ring. Msgpack.

`number` is chosen by who begins: of a question or a goal of ours at random, so that all who share a link can
tell theirs (`new_number`); of others' by the bridge.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Final

import msgspec
from msgspec import Meta

MOST_SENT_BYTES: Final = 56 * 1024
"""What one order may carry: it goes through a socket, and others wait behind it."""

Timeout = Annotated[float, Meta(gt=0.0, le=3600.0)]


def new_number() -> int:
    """One that nobody else has."""
    return secrets.randbits(63)


class Send(msgspec.Struct, frozen=True, tag="send"):
    """Publish a message."""

    data: bytes


class Call(msgspec.Struct, frozen=True, tag="call"):
    """Ask a service."""

    number: int
    data: bytes
    within_s: Timeout


class SetGoal(msgspec.Struct, frozen=True, tag="goal"):
    """Give an action a goal. It has so long to take it, and then to reach it [s]."""

    number: int
    data: bytes
    taken_within_s: Timeout
    within_s: Timeout


class CancelGoal(msgspec.Struct, frozen=True, tag="cancel"):
    """Have it reach for it no more."""

    number: int


class Reply(msgspec.Struct, frozen=True, tag="reply"):
    """What a service of ours answers, or an action of ours in the end: "succeeded", "aborted", "canceled"."""

    number: int
    data: bytes
    outcome: str = "succeeded"


class Feedback(msgspec.Struct, frozen=True, tag="feedback"):
    """How far an action of ours is."""

    number: int
    data: bytes


LinkOrder = Send | Call | SetGoal | CancelGoal | Reply | Feedback


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """What a service has answered; or, in words, why there is no answer."""

    number: int
    data: bytes = b""
    words: str = ""


class Taken(msgspec.Struct, frozen=True, tag="taken"):
    """A goal is reached for."""

    number: int


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """What an action says meanwhile."""

    number: int
    data: bytes


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A goal is over: "succeeded", "aborted", "canceled"; "refused" or "lost", then words say why."""

    number: int
    outcome: str
    data: bytes = b""
    words: str = ""


class Asked(msgspec.Struct, frozen=True, tag="asked"):
    """Somebody asks a service of ours, or gives an action of ours a goal."""

    number: int
    data: bytes


class CancelAsked(msgspec.Struct, frozen=True, tag="cancel asked"):
    """Somebody wants a goal of an action of ours to be given up."""

    number: int


News = Answered | Taken | Progress | Ended | Asked | CancelAsked

encode: Final = msgspec.msgpack.Encoder().encode
decode_link_order: Final = msgspec.msgpack.Decoder(LinkOrder).decode
decode_news: Final = msgspec.msgpack.Decoder(News).decode
