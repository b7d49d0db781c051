"""Hands as cameras and headsets see them, and what is made of them: `TrackedHand` in, `Gesture` out.

    Hands (tracked hands of one source) → Gestures (what they show)

Both are resources of the gesture manager. `Hands` has a stream of `encode_hands`, one sample a picture;
`Gestures` one of `Reading`s.

Whatever tracks hands (a camera's process, a page's camera, a headset) gives `TrackedHand`s: 21 points each,
in MediaPipe's order. A headset's 25 joints become these by `from_webxr`. What a hand does is read in
`resources.gestures`. A master's pose that drives an arm is another thing:
`resources.types.masters.HandSample`.

A `Gesture` is an event and moves nothing; what it means is decided by whoever asked for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec

from framework.errors import MalformedMessage
from framework.unreadable import UNREADABLE
from resources.types.masters import HandSide
from resources.types.streams import StreamHandle
from resources.types.whereabouts import Point, Ray

T = TypeVar("T")

MOST_HANDS: Final = 4
"""Of one picture."""

MOST_BYTES: Final = 4096
"""Of one message; four hands are 2.5 kB."""

MOST_FRAME_CHARS: Final = 64
"""Of a frame's name."""

FARTHEST_M: Final = 100.0
"""A point whose coordinates are larger was not measured [m]."""


class Landmark(IntEnum):
    """The points of a hand, by MediaPipe's names and numbers (its hand landmark model)."""

    WRIST = 0
    THUMB_CMC = 1
    THUMB_MCP = 2
    THUMB_IP = 3
    THUMB_TIP = 4
    INDEX_MCP = 5
    INDEX_PIP = 6
    INDEX_DIP = 7
    INDEX_TIP = 8
    MIDDLE_MCP = 9
    MIDDLE_PIP = 10
    MIDDLE_DIP = 11
    MIDDLE_TIP = 12
    RING_MCP = 13
    RING_PIP = 14
    RING_DIP = 15
    RING_TIP = 16
    PINKY_MCP = 17
    PINKY_PIP = 18
    PINKY_DIP = 19
    PINKY_TIP = 20


class GestureKind(StrEnum):
    """What a hand shows."""

    NONE = "none"
    OPEN_PALM = "open_palm"
    FIST = "fist"
    POINT = "point"
    PINCH = "pinch"
    THUMB_UP = "thumb_up"
    THUMB_DOWN = "thumb_down"


class TrackedHand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One hand in one picture.

    side: whose hand it is, as the tracker says; of a mirrored picture it may be wrong.
    frame: the points' frame. taken_s: when it was seen, CLOCK_MONOTONIC of this machine [s].
    confidence: of the tracker that this is a hand, 0 … 1.
    points: (21, 3) in the order of `Landmark` [m]; None for what was not seen.
    ray: where its index finger would point, in its frame, if that was measured.
    """

    side: HandSide
    frame: Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_FRAME_CHARS)]
    taken_s: float
    confidence: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
    points: tuple[Point | None, ...]
    ray: Ray | None = None


class Gesture(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A gesture that was held. confidence: 0 … 1.

    began_s: since when the hand shows it, CLOCK_MONOTONIC [s]; 0 if nobody has seen it begin.
    """

    kind: GestureKind
    began_s: float
    confidence: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
    hand: HandSide


class HandRead(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one hand shows in one picture. held: the share of the time after which it counts, 0 … 1.

    ray: where it points, in its frame, if it does, and that was measured, and the frame's place is known.
    """

    side: HandSide
    kind: GestureKind
    confidence: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
    held: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
    ray: Ray | None = None


class HandsTrouble(StrEnum):
    """Why nothing that a source gives counts just now."""

    NONE = "none"
    SILENT = "silent"
    """It gives no pictures."""

    FROZEN = "frozen"
    """It gives the same hands again and again, as no hand is ever seen twice."""

    TOO_SLOW = "too_slow"
    """Its pictures come too far apart, or too late, for any gesture to be held."""

    UNREADABLE = "unreadable"
    """It gives what are no hands."""

    UNREAD = "unread"
    """Nobody reads it just now: the process that does has died, and is started again."""


class Reading(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What is read of one picture, or that there is none. gestures: those that were held just now.

    taken_s: when the picture was taken, CLOCK_MONOTONIC [s]; 0 without hands.
    """

    hands: tuple[HandRead, ...] = ()
    gestures: tuple[Gesture, ...] = ()
    trouble: HandsTrouble = HandsTrouble.NONE
    taken_s: float = 0.0


class HandsFeed(msgspec.Struct, frozen=True):
    """Where the hands of a source are read. up: what is up in their frame; None if that is not known.

    is_placed: each sample's `world_T_frame` says where that frame was, as of a robot's camera; so it is known
    where these hands point. Nobody knows where the camera of a page is.
    """

    source: str
    stream: StreamHandle
    up: Point | None = None
    is_placed: bool = False


class Hands(msgspec.Struct, frozen=True):
    """Tracked hands. source: a page, by the name that it is served under ("console page 1"), or a camera of
    the robot's, by its name or its mount ("mast").

    Those of a page are there for as long as they are switched on there.
    """

    handle_type: ClassVar[type] = HandsFeed

    source: str

    def __str__(self) -> str:
        return f"hands of {self.source}"


class GesturesFeed(msgspec.Struct, frozen=True):
    """Where it stands what hands show: a `Reading` each picture, of which none may be missed."""

    hands: HandsFeed
    readings: StreamHandle


class Gestures(msgspec.Struct, frozen=True):
    """What the hands of a source show. While the source is silent or frozen that is a warning, and nothing
    counts."""

    handle_type: ClassVar[type] = GesturesFeed

    source: str

    def __str__(self) -> str:
        return f"gestures of {self.source}"


def landmarks(rows: Iterable[Sequence[float]]) -> tuple[Point | None, ...]:
    """Points of a `TrackedHand` from rows x y z; a row with a number that is not finite was not seen.

    Raises MalformedMessage unless there are 21 rows of three.
    """
    found: list[Point | None] = []
    for row in rows:
        if len(row) != 3:
            raise MalformedMessage(f"a point of a hand has {len(row)} numbers; it has to have 3")
        x, y, z = (float(value) for value in row)
        found.append((x, y, z) if math.isfinite(x + y + z) else None)
    if len(found) != len(Landmark):
        raise MalformedMessage(f"a hand has {len(found)} points; it has to have {len(Landmark)}")
    return tuple(found)


WEBXR_JOINTS: Final = 25
"""Of an XRHand (W3C, WebXR Hand Input Module, 3.2): the wrist, 4 of the thumb, 5 of each finger."""

_METACARPALS: Final = (5, 10, 15, 20)
"""Bases of the fingers' metacarpals, in the wrist, which MediaPipe does not have; the thumb's is its CMC."""


def from_webxr(joints: Sequence[T]) -> tuple[T, ...]:
    """The 21 of `Landmark` from the 25 of an XRHand, in order. Raises MalformedMessage if there are not 25.

    A WebXR joint is the base of the bone that it is named after: "index-finger-phalanx-proximal" is the MCP.
    """
    if len(joints) != WEBXR_JOINTS:
        raise MalformedMessage(f"a hand has {len(joints)} joints; one of WebXR has {WEBXR_JOINTS}")
    return tuple(joint for number, joint in enumerate(joints) if number not in _METACARPALS)


def encode_hands(hands: Sequence[TrackedHand]) -> bytes:
    """The hands of one picture, none included, as msgpack. Raises MalformedMessage as `decode_hands` does."""
    _check_hands(hands)
    return _ENCODER.encode(hands)


def decode_hands(content: bytes | bytearray | memoryview) -> tuple[TrackedHand, ...]:
    """The hands of one picture. Raises MalformedMessage, and nothing else, for bytes that are none."""
    hands: tuple[TrackedHand, ...] = _decoded(_HANDS, content, "hands")
    _check_hands(hands)
    return hands


def encode_gesture(gesture: Gesture) -> bytes:
    """A gesture as msgpack. Raises MalformedMessage as `decode_gesture` does."""
    _check_gesture(gesture)
    return _ENCODER.encode(gesture)


def decode_gesture(content: bytes | bytearray | memoryview) -> Gesture:
    """A gesture. Raises MalformedMessage, and nothing else, for bytes that are none."""
    gesture: Gesture = _decoded(_GESTURE, content, "gesture")
    _check_gesture(gesture)
    return gesture


def encode_reading(reading: Reading) -> bytes:
    """A reading as msgpack. Raises MalformedMessage as `decode_reading` does."""
    _check_reading(reading)
    return _ENCODER.encode(reading)


def decode_reading(content: bytes | bytearray | memoryview) -> Reading:
    """A reading. Raises MalformedMessage, and nothing else, for bytes that are none."""
    reading: Reading = _decoded(_READING, content, "reading")
    _check_reading(reading)
    return reading


_ENCODER: Final = msgspec.msgpack.Encoder()
_HANDS: Final = msgspec.msgpack.Decoder(tuple[TrackedHand, ...])
_GESTURE: Final = msgspec.msgpack.Decoder(Gesture)
_READING: Final = msgspec.msgpack.Decoder(Reading)


def _decoded(
    decoder: msgspec.msgpack.Decoder[Any], content: bytes | bytearray | memoryview, what: str
) -> Any:
    size = len(memoryview(content).cast("B"))
    if size > MOST_BYTES:
        raise MalformedMessage(f"{size} bytes came in; {what} have at most {MOST_BYTES}")
    try:
        return decoder.decode(content)
    except (TypeError, ValueError, OverflowError, *UNREADABLE) as error:
        raise MalformedMessage(f"{size} bytes came in that are no {what}: {error}") from error


def _check_hands(hands: Sequence[TrackedHand]) -> None:
    if len(hands) > MOST_HANDS:
        raise MalformedMessage(f"{len(hands)} hands in one picture; at most {MOST_HANDS} are allowed")
    for hand in hands:
        _check_numbers(hand.taken_s, hand.confidence)
        if hand.taken_s != hands[0].taken_s or hand.frame != hands[0].frame:
            raise MalformedMessage("hands of one picture have different times or frames; each has its own")
        if len(hand.points) != len(Landmark):
            raise MalformedMessage(f"a hand has {len(hand.points)} points; it has to have {len(Landmark)}")
        for number, point in enumerate(hand.points):
            if point is not None and not all(abs(value) <= FARTHEST_M for value in point):
                raise MalformedMessage(
                    f"point {number} of a hand is at {point}; up to {FARTHEST_M:g} m are allowed, or nil"
                )
        _check_ray(hand.ray)


def _check_ray(ray: Ray | None) -> None:
    if ray is not None and not all(abs(value) <= FARTHEST_M for value in ray):
        raise MalformedMessage(f"a hand points along {ray}; up to {FARTHEST_M:g} m are allowed, or nil")


def _check_gesture(gesture: Gesture) -> None:
    _check_numbers(gesture.began_s, gesture.confidence)
    if gesture.kind is GestureKind.NONE:
        raise MalformedMessage("a gesture of the kind none; an event has to be one of the others")


def _check_reading(reading: Reading) -> None:
    _check_time(reading.taken_s)
    for gesture in reading.gestures:
        _check_gesture(gesture)
    for hand in reading.hands:
        _check_ray(hand.ray)


def _check_numbers(time_s: float, confidence: float) -> None:
    _check_time(time_s)
    if not 0.0 <= confidence <= 1.0:
        raise MalformedMessage(f"a confidence of {confidence}; 0 to 1 is allowed")


def _check_time(time_s: float) -> None:
    if not 0.0 <= time_s < math.inf:
        raise MalformedMessage(f"a time of {time_s} s; 0 or more is allowed")
