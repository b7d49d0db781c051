"""What the open SpesRobotics phone page says, and what of it is believed. Pure: no clock, no socket.

Its message, one a picture (about 60 a second), as JSON over a WebSocket:

    {"type": "pose", "data": {"position": {x, y, z}, "orientation": {x, y, z, w}, "move", "scale", "gripper",
                              "reservedButtonA", "reservedButtonB", "device", "fps", "message"}}

in WebXR's axes (x right, y up, z back), without a time of its own; "log" messages are passed over. `move` is
the clutch: its rising edge is a new engagement. A change of `gripper` is a press of its button.

A WebSocket never loses a pose, it delivers it late, and those behind it, too. So poses are judged by age:
messages are expected with an even beat, one that comes before its time sets the beat forward (the minimum
filter of clock synchronisation), and what comes after its time is so old. What is older than `SILENCE_S` is
dropped and breaks the engagement; so do silence and a message that makes no sense. The page has to let go of
the clutch and take it anew, both in time. Of what arrives at once only the newest counts. A page that rested
looks late, too, and is believed again when it has been even for about a second. A delay that grows slowly (a
filling buffer) is not seen by this: `echoes.py` sees it.
"""

from __future__ import annotations

import math
from typing import Annotated, Final, Literal

import msgspec

from framework.errors import MalformedMessage
from framework.unreadable import UNREADABLE
from resources.types.masters import SILENCE_S, HandSample
from resources.types.streams import Pose7

MAX_BYTES: Final = 4096
FARTHEST_M: Final = 100.0
UNIT_WITHIN: Final = 1e-2
SMALLEST_SCALE: Final = 0.05
LARGEST_SCALE: Final = 2.0
TOGETHER_S: Final = 0.008
"""Closer than the page's own shortest interval (10 ms): these were held up on their way."""

BEAT_LEARNS: Final = 0.1
"""So much of each interval goes into the beat."""

BEAT_FORGIVES_S: Final = 0.4
"""Steady lateness is forgotten with this time constant: it was the page that rested, not the network [s]."""

OLDEST_S: Final = 2.0
"""Nothing is taken for older: who rested for long is not believed later than who rested briefly [s]."""

Finite = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class Xyz(msgspec.Struct, frozen=True):
    """A point [m]."""

    x: Finite
    y: Finite
    z: Finite


class Quaternion(msgspec.Struct, frozen=True):
    """A rotation."""

    x: Finite
    y: Finite
    z: Finite
    w: Finite


class SpesPose(msgspec.Struct, frozen=True):
    """The page's `data`; what else stands there is passed over."""

    position: Xyz
    orientation: Quaternion
    move: bool
    scale: Finite = 1.0
    gripper: bool | Literal["open", "close"] | None = None


class SpesMessage(msgspec.Struct, frozen=True, tag="pose", tag_field="type"):
    """A pose."""

    data: SpesPose


class SpesLog(msgspec.Struct, frozen=True, tag="log", tag_field="type"):
    """Words for a log."""


_decode: Final = msgspec.json.Decoder(SpesMessage | SpesLog).decode


def decode_spes(payload: str | bytes) -> SpesMessage | SpesLog:
    """Raises MalformedMessage for what is no message of that page, or has numbers out of bounds."""
    if len(payload) > MAX_BYTES:
        raise MalformedMessage(f"a message of {len(payload)} bytes; at most {MAX_BYTES} are allowed")
    try:
        message: SpesMessage | SpesLog = _decode(payload)
    except (UnicodeError, *UNREADABLE) as error:
        raise MalformedMessage(f"this is no message of the phone page: {error}") from error
    if isinstance(message, SpesMessage):
        _check(message.data)
    return message


def _check(pose: SpesPose) -> None:
    at, turned = pose.position, pose.orientation
    numbers = (at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w, pose.scale)
    if not all(map(math.isfinite, numbers)):
        raise MalformedMessage("a number of the pose is not finite")
    if max(abs(at.x), abs(at.y), abs(at.z)) > FARTHEST_M:
        raise MalformedMessage(f"the pose is farther than {FARTHEST_M:g} m away")
    if abs(math.hypot(turned.x, turned.y, turned.z, turned.w) - 1.0) > UNIT_WITHIN:
        raise MalformedMessage("the orientation is no unit quaternion")


def base_T_hand(pose: SpesPose) -> Pose7:
    """In the robot's axes (x ahead, y left, z up): who starts facing as the robot does sees it move alike."""
    at, turned = pose.position, pose.orientation
    length = math.hypot(turned.x, turned.y, turned.z, turned.w)
    x, y, z, w = (each / length for each in (-turned.z, -turned.x, turned.y, turned.w))
    return (-at.z, -at.x, at.y, x, y, z, w)


class SpesHand:
    """One page's gate.

    session: whose; number, engagement, grips: the highest that were ever written for it, these only rise.
    """

    def __init__(self, session: str, *, number: int = 0, engagement: int = 0, grips: int = 0) -> None:
        self.late = 0
        """Poses that were dropped for their age."""
        self._session = session
        self._number = number
        self._engagement = engagement
        self._grips = grips
        self._arrived_s = -math.inf
        self._beat_s = 1 / 60
        self._expected_s = -math.inf
        self._is_held = True  # a clutch that is held when the page comes moves nothing
        self._was_open = False  # in time, since the last break
        self._pressed_s = -math.inf
        self._now = 0
        self._gripper: object = None

    def break_off(self) -> None:
        """The present engagement is over: it takes a new pressing."""
        self._now = 0
        self._was_open = False
        self._pressed_s = -math.inf

    def take(self, pose: SpesPose, received_s: float, *, is_fresh: bool = True) -> HandSample | None:
        """A pose that arrived at CLOCK_MONOTONIC [s]; None if it does not count.

        is_fresh: it cannot have been on its way for long; else it moves nothing.
        """
        since_s = received_s - self._arrived_s
        age_s = self._age_s(received_s)
        if since_s > SILENCE_S or age_s > SILENCE_S or not is_fresh:
            self.break_off()
        was_held, self._is_held = self._is_held, pose.move
        if age_s > SILENCE_S:
            self.late += 1
            return None
        is_in_time = is_fresh and TOGETHER_S <= since_s <= SILENCE_S
        if not pose.move:
            self._now, self._pressed_s = 0, -math.inf
            self._was_open = self._was_open or is_in_time
        elif not was_held and self._was_open:
            self._pressed_s = received_s
        if is_in_time and received_s - self._pressed_s <= SILENCE_S:
            self._pressed_s = -math.inf
            self._engagement += 1
            self._now = self._engagement
        if pose.gripper is not None:
            if self._gripper is not None and pose.gripper != self._gripper and is_in_time:
                self._grips += 1
            self._gripper = pose.gripper
        self._number += 1
        return HandSample(
            self._session,
            self._number,
            received_s - age_s,
            received_s,
            self._now,
            base_T_hand=base_T_hand(pose),
            scale=min(max(pose.scale, SMALLEST_SCALE), LARGEST_SCALE),
            grips=self._grips,
        )

    def skip(self, pose: SpesPose, received_s: float) -> None:
        """A pose behind which a newer one had arrived already: only its time and its clutch count."""
        self._age_s(received_s)
        if not pose.move:
            self._now, self._pressed_s = 0, -math.inf
        self._is_held = pose.move
        if pose.gripper is not None:
            self._gripper = pose.gripper

    def _age_s(self, received_s: float) -> float:
        """How long after its time a message arrives [s]."""
        since_s, self._arrived_s = received_s - self._arrived_s, received_s
        if math.isinf(since_s):
            self._expected_s = received_s
        is_in_time = TOGETHER_S <= since_s <= SILENCE_S  # others tell nothing of the page's own rhythm
        if is_in_time:
            self._beat_s += BEAT_LEARNS * (since_s - self._beat_s)
        expected_s = max(self._expected_s + self._beat_s, received_s - OLDEST_S)
        self._expected_s = min(received_s, expected_s)
        if is_in_time:
            self._expected_s += (received_s - self._expected_s) * min(1.0, since_s / BEAT_FORGIVES_S)
        return received_s - self._expected_s
