"""Tracked hands and gestures as they travel, and a headset's joints as ours."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.types.gestures import (
    MOST_BYTES,
    MOST_HANDS,
    Gesture,
    GestureKind,
    Landmark,
    TrackedHand,
    decode_gesture,
    decode_hands,
    encode_gesture,
    encode_hands,
    from_webxr,
    landmarks,
)
from resources.types.masters import HandSide
from resources.types.whereabouts import Point
from tests.effort import random_inputs

POINTS: tuple[Point | None, ...] = tuple((0.01 * number, -0.02, 0.5) for number in range(21))
HAND = TrackedHand(HandSide.RIGHT, "camera", 12.5, 0.9, POINTS)
GESTURE = Gesture(GestureKind.FIST, 12.5, 0.8, HandSide.LEFT)

PLAIN: list[Any] = ["right", "camera", 12.5, 0.9, [list(point) for point in POINTS if point]]


def hand(**fields: Any) -> TrackedHand:
    return msgspec.structs.replace(HAND, **fields)


def packed(*changes: tuple[int, Any]) -> bytes:
    """A hand's message with other things at some places."""
    changed = list(PLAIN)
    for place, value in changes:
        changed[place : place + 1] = [value]
    return msgspec.msgpack.encode([changed])


def moved(point: Any) -> list[Any]:
    return [*PLAIN[4][:20], point]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xc1",
        b"\xff",
        msgspec.msgpack.encode(None),
        msgspec.msgpack.encode({"side": "right"}),
        msgspec.msgpack.encode([["right"]]),
        packed((0, "middle")),
        packed((0, 3)),
        packed((1, "")),
        packed((1, "x" * 65)),
        packed((2, -1.0)),
        packed((2, math.nan)),
        packed((2, math.inf)),
        packed((3, 1.01)),
        packed((3, -0.01)),
        packed((3, math.nan)),
        packed((4, PLAIN[4][:20])),
        packed((4, [*PLAIN[4], [0.0, 0.0, 0.0]])),
        packed((4, moved([0.0, 0.0]))),
        packed((4, moved([0.0, 0.0, 0.0, 0.0]))),
        packed((4, moved([0.0, 0.0, math.nan]))),
        packed((4, moved([0.0, 0.0, -math.inf]))),
        packed((4, moved([0.0, 0.0, 100.5]))),
        packed((4, moved(["0", "0", "0"]))),
        packed((4, moved(msgspec.msgpack.Ext(5, b"code")))),
        msgspec.msgpack.encode([[*PLAIN, "more"]]),
        msgspec.msgpack.encode([PLAIN] * (MOST_HANDS + 1)),
        msgspec.msgpack.encode([PLAIN, [*PLAIN[:2], 13.0, *PLAIN[3:]]]),
        msgspec.msgpack.encode([PLAIN, ["left", "wrist", *PLAIN[2:]]]),
        msgspec.msgpack.encode([PLAIN])[:-1],
        msgspec.msgpack.encode([PLAIN]) + b"\x00",
        b"x" * (MOST_BYTES + 1),
        b"\x91" * MOST_BYTES,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_no_hand_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode_hands(content)


@pytest.mark.parametrize(
    "bad",
    [
        hand(confidence=1.5),
        hand(taken_s=math.nan),
        hand(points=POINTS[:20]),
        hand(points=(*POINTS[:20], (0.0, math.nan, 0.0))),
        hand(ray=(0.0, 0.0, 0.5, 0.0, math.nan, 1.0)),
    ],
)
def test_what_would_be_malformed_is_not_sent(bad: TrackedHand) -> None:
    with pytest.raises(MalformedMessage):
        encode_hands([bad])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        msgspec.msgpack.encode(["none", 1.0, 0.5, "left"]),
        msgspec.msgpack.encode(["wave", 1.0, 0.5, "left"]),
        msgspec.msgpack.encode(["fist", math.nan, 0.5, "left"]),
        msgspec.msgpack.encode(["fist", -1.0, 0.5, "left"]),
        msgspec.msgpack.encode(["fist", 1.0, math.nan, "left"]),
        msgspec.msgpack.encode(["fist", 1.0, 2.0, "left"]),
        msgspec.msgpack.encode(["fist", 1.0, 0.5]),
        msgspec.msgpack.encode(["fist", 1.0, 0.5, "left", 1]),
    ],
)
def test_what_is_no_gesture_is_malformed(content: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode_gesture(content)


@random_inputs(400)
@given(st.binary(max_size=80))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    for decode in (decode_hands, decode_gesture):
        with suppress(MalformedMessage):
            decode(content)


@random_inputs(400)
@given(st.data())
def test_no_damaged_message_raises_anything_else(data: st.DataObject) -> None:
    whole, decode = data.draw(
        st.sampled_from(
            [(encode_hands([HAND, HAND]), decode_hands), (encode_gesture(GESTURE), decode_gesture)]
        )
    )
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MalformedMessage):
        decode(bytes(content[: data.draw(st.integers(0, len(content)))]))


def test_they_come_as_they_went() -> None:
    left = hand(side=HandSide.LEFT, points=(None, *POINTS[1:]))
    assert decode_hands(encode_hands([HAND, left])) == (HAND, left)
    assert decode_hands(encode_hands([])) == ()
    assert decode_hands(memoryview(encode_hands([HAND]))) == (HAND,)
    assert decode_gesture(encode_gesture(GESTURE)) == GESTURE


def test_as_many_hands_as_are_allowed_are_no_too_long_message() -> None:
    farthest = hand(frame="x" * 64, points=((99.9, 99.9, 99.9),) * 21)
    assert len(encode_hands([farthest] * MOST_HANDS)) <= MOST_BYTES


def test_rows_become_points_and_what_is_not_finite_was_not_seen() -> None:
    rows = [[float(number), 0.0, 0.0] for number in range(21)]
    rows[3][1] = math.nan
    rows[4][2] = math.inf
    points = landmarks(rows)
    assert (points[2], points[3], points[4]) == ((2.0, 0.0, 0.0), None, None)
    with pytest.raises(MalformedMessage, match="20 points"):
        landmarks(rows[:20])
    with pytest.raises(MalformedMessage, match="2 numbers"):
        landmarks([[0.0, 0.0]] * 21)


#: XRHandJoint, in the order of the enum (W3C, WebXR Hand Input Module).
WEBXR = (
    "wrist",
    "thumb-metacarpal",
    "thumb-phalanx-proximal",
    "thumb-phalanx-distal",
    "thumb-tip",
    *(
        f"{finger}-finger-{bone}"
        for finger in ("index", "middle", "ring", "pinky")
        for bone in ("metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip")
    ),
)
BONES = {
    "MCP": "phalanx-proximal",
    "PIP": "phalanx-intermediate",
    "DIP": "phalanx-distal",
    "TIP": "tip",
}
THUMB = {"CMC": "metacarpal", "MCP": "phalanx-proximal", "IP": "phalanx-distal", "TIP": "tip"}


def named(landmark: Landmark) -> str:
    """The WebXR joint that a landmark is: a joint is the base of the bone that it is named after."""
    finger, _, joint = landmark.name.partition("_")
    if not joint:
        return "wrist"
    return f"thumb-{THUMB[joint]}" if finger == "THUMB" else f"{finger.lower()}-finger-{BONES[joint]}"


def test_the_joints_of_a_headset_are_the_landmarks_of_the_same_places() -> None:
    assert len(WEBXR) == 25
    assert from_webxr(WEBXR) == tuple(named(landmark) for landmark in Landmark)


@pytest.mark.parametrize("count", [0, 21, 24, 26])
def test_another_number_of_joints_is_no_headsets_hand(count: int) -> None:
    with pytest.raises(MalformedMessage, match=f"{count} joints"):
        from_webxr(range(count))
