"""Bytes that are no message and objects that cannot travel are refused in words; the rest survives."""

from __future__ import annotations

import enum
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage, TransportError
from framework.status import Hop, Priority, Reason, ReasonKind, Severity
from framework.transport.codec import MAX_BYTES, decode, encode
from framework.transport.messages import (
    Ask,
    Audit,
    Command,
    Commit,
    Edge,
    Grant,
    Heartbeat,
    Holding,
    Message,
    Probe,
    Queued,
    Refusal,
    Release,
    Reprioritise,
    Tell,
)

EDGE = Edge("arms", "0badcafe", 7)
HOPS = (Hop("arms", "Arm(left)", "cable"), Hop("sensors", "Camera()"))

EVERY_MESSAGE: list[Message] = [
    Ask(
        "l",
        "c",
        "b",
        "m:Kind",
        {"mount": "front"},
        "who",
        EDGE,
        3,
        True,
        Priority.OPERATOR,
        True,
        True,
        ("x",),
    ),
    Commit("l"),
    Release("l"),
    Reprioritise("l", Priority.BACKGROUND),
    Grant("l", EDGE, [1, 2.5, None, b"raw"], 4, 9, True),
    Refusal("l", Reason(ReasonKind.CIRCLE, circle=("a", "b", "a")), "no", HOPS, "somebody"),
    Queued("l", "holder", 2, 1, "boot"),
    Tell("l", 3, "incident", Severity.FATAL, "dead", HOPS, "by", {"key": "v"}),
    Command("l", 4, 17, 12.5, b"\x00\xff"),
    Probe("l", EDGE, "o", ("a", "b")),
    Heartbeat("b", 3, 2, 2**63, {"l": 0.25}),
    Audit("b"),
    Holding("b", ("l", "m")),
]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\x00",
        b"hello",
        b"\xff" * 40,
        b"\x93" * 10_000,  # nested deeper than any message
        msgspec.msgpack.encode([1]),
        msgspec.msgpack.encode([0, ["Release", "l"]]),
        msgspec.msgpack.encode(["1", ["Release", "l"]]),
        msgspec.msgpack.encode([1, ["Release", "l"], "more"]),
        msgspec.msgpack.encode([1, ["Release"]]),
        msgspec.msgpack.encode([1, ["Release", 7]]),
        msgspec.msgpack.encode([1, ["NoSuchMessage", "l"]]),
        msgspec.msgpack.encode([1, {"type": "Release", "lease": "l"}]),
        msgspec.msgpack.encode([1, ["Reprioritise", "l", 17]]),
        msgspec.msgpack.encode([1, ["Grant", "l", ["r", "b", 1], msgspec.msgpack.Ext(5, b"code"), 0, 1]]),
        msgspec.msgpack.encode([1, ["Release", "l"]]) + b"\x00",
        msgspec.msgpack.encode([1, ["Release", "l"]])[:-1],
    ],
    ids=lambda payload: repr(payload[:12]),
)
def test_what_is_no_message_is_malformed(payload: bytes) -> None:
    with pytest.raises(MalformedMessage, match="bytes came in that are no message"):
        decode(payload)


def test_too_long_is_malformed_before_it_is_read() -> None:
    with pytest.raises(
        MalformedMessage, match=f"{MAX_BYTES + 1} bytes came in; a message has at most {MAX_BYTES}"
    ):
        decode(b"x" * (MAX_BYTES + 1))


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(payload: bytes) -> None:
    with suppress(MalformedMessage):
        decode(payload)


@given(st.data())
def test_no_damaged_message_raises_anything_else(data: st.DataObject) -> None:
    payload = bytearray(encode(1, data.draw(st.sampled_from(EVERY_MESSAGE))))
    for _ in range(data.draw(st.integers(1, 4))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MalformedMessage):
        decode(bytes(payload[: data.draw(st.integers(0, len(payload)))]))


class Opaque:
    """Neither a struct nor plain data."""


def _nested() -> list[Any]:
    deep: list[Any] = []
    deep.append(deep)
    return deep


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.zeros((2, 3)), "numpy.ndarray cannot be sent"),
        (np.float32(1.0), "numpy.float32 cannot be sent"),
        ([{"deep": Opaque()}], "Opaque cannot be sent"),
        (len, "builtin_function_or_method cannot be sent"),
        (2**64, "Grant cannot be sent"),
        (-(2**63) - 1, "Grant cannot be sent"),
        ("\ud800", "Grant cannot be sent"),
        (_nested(), "Grant cannot be sent"),
        (b"x" * MAX_BYTES, "bytes long when encoded; at most"),
    ],
    ids=[
        "array",
        "numpy scalar",
        "object",
        "function",
        "huge",
        "hugely negative",
        "surrogate",
        "endless",
        "long",
    ],
)
def test_what_cannot_travel_is_refused_in_words(value: object, said: str) -> None:
    with pytest.raises(TransportError, match=said):
        encode(1, Grant("l", EDGE, value, 0, 1))


@pytest.mark.parametrize("message", EVERY_MESSAGE, ids=lambda message: type(message).__name__)
def test_every_message_comes_back_equal(message: Message) -> None:
    envelope = decode(encode(12, message))
    assert (envelope.sequence, envelope.message) == (12, message)


def test_all_messages_are_tried() -> None:
    assert {type(message) for message in EVERY_MESSAGE} == set(Message.__subclasses__())


class Colour(enum.Enum):
    RED = "red"


class Mount(msgspec.Struct, frozen=True):
    side: str
    offsets_m: tuple[float, ...]


@dataclass(frozen=True)
class Plain:
    colour: Colour


def test_structs_dataclasses_and_enums_travel_as_plain_data() -> None:
    sent = Ask("l", "c", "b", "m:K", Mount("left", (0.1, 0.2)), "w")
    assert _asked(decode(encode(1, sent)).message).request == {"side": "left", "offsets_m": [0.1, 0.2]}
    sent = Ask("l", "c", "b", "m:K", [Plain(Colour.RED), {1, 2}], "w")
    assert _asked(decode(encode(1, sent)).message).request == [{"colour": "red"}, [1, 2]]


def _asked(message: Message) -> Ask:
    assert isinstance(message, Ask)
    return message
