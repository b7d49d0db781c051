"""The two binary packets of the control link, both ways newest wins: little-endian, fixed layout.

The page's half is `resources/web/page/src/operator/link/packets.ts`; both are checked against
`tests/resources/operator/data/packets.json`.

HandPacket, up, one a hand and picture of the page (60 to 90 a second), 136 bytes; two hands' come in one
message, one behind the other:

    offset type   what
    0      u8     0x50                     8      f64    sent, page's clock [ms]
    1      u8     version 1                16     u32    number, rises by one over all hands of a page
    2      u8     hand: 0 right, 1 left    20     u32    engagement, 0 clutch open; each is higher
    3      u8     bit 0 tracked            24     u32    grips of this hand so far
    4      f32    scale                    28     f32×7  base_T_hand: x y z, quaternion x y z w
    56     f32×6  twist                    80     f32×6  acceleration
    104    f32×3  stick                    116    u32    session's check: first 4 bytes of its id
    120    f64    echo: `now` of the newest StatePacket [ms], 0 before the first
    128    f32    held: echo's packet came to the page so long before `sent` [ms], 0 before the first
    132    f32    age: the pose was measured so long before `sent` [ms]

    The page's clock only rises (performance.now()). Bounds: everything finite; position within 100 m;
    |quaternion| within 1e-3 of 1; |twist| to 200, |acceleration| to 1e6, each number; scale 0.05 to 2; stick
    -1 to 1; age -50 to 10 000 ms; held 0 to 60 000 ms. One packet outside of them is dropped; 20 in a second,
    the link.

StatePacket, down, one an arm that is shown (without any, one of index 255): at once for each hand, and again
10 ms later; 60 a second without hands. 160 bytes:

    0      u8     0x51                     8      f64    now, this process's CLOCK_MONOTONIC [ms]
    1      u8     version 1                16     f64    echo: `sent` of the newest HandPacket [ms], 0 none
    2      u8     arm's index in Shown,    24     f32    held: echo's packet came so long before now [ms]
                  255: no arm, only times
    3      u8     bits: 0 fault, 1 stopped, 2 at rest, 3 contact, 4 driven by this session, 5 a hand moves it
    4      u32    number, rises by one     28     u32    engaged: page's engagement that is followed, or 0
    32     u32    knocks: new contacts so far      36  f32  knock: intensity of the last, 0 to 1
    40     f32    press: continuous pattern's intensity, 0 none, else minimum to 1
    44     f32    age of the arm's sample [ms]
    48     f32×7  q [rad]                  76     f32×6  wrench, at the tool, base's axes [N, N m]
    100    f32×7  base_T_tool              128    f32×7  base_T_target
    156    f32    age of the newest hand's pose as this process sees it [ms], negative before the first

    `knocks` counts since this link began: a page takes the first it sees as its start and vibrates once for
    each rise, whatever was lost in between. Ages stop at 60 000 ms.
"""

from __future__ import annotations

import math
import struct
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from resources.types.masters import LEAST_SCALE, MOST_SCALE, HandSide
from resources.types.motion import REST6, REST7, Joints7, Vector6
from resources.types.streams import IDENTITY, Pose7

HAND_BYTES: Final = 136
STATE_BYTES: Final = 160
NO_ARM: Final = 255
"""Index of a StatePacket that carries only times."""

LONGEST_MS: Final = 60_000.0

OLDEST_MS: Final = 10_000.0
MOST_AHEAD_MS: Final = 50.0
"""How old a pose may be when it is sent, and how far its own time may be ahead of the page's clock [ms]."""

HAND_MAGIC: Final = 0x50
STATE_MAGIC: Final = 0x51
PACKET_VERSION: Final = 1
_HAND: Final = struct.Struct("<BBBBfdIII7f6f6f3fIdff")
_STATE: Final = struct.Struct("<BBBBIddfIIfff7f6f7f7ff")
_SIDES: Final = (HandSide.RIGHT, HandSide.LEFT)

_FARTHEST_M: Final = 100.0
_UNIT_WITHIN: Final = 1e-3
_FASTEST: Final = 200.0
_HARDEST: Final = 1e6
_ROUNDING: Final = 1e-6  # of float32, relative
_MOST_FLOAT32: Final = 3.4028234663852886e38
_LATEST_CLOCK_MS: Final = 1e13


class HandPacket(msgspec.Struct, frozen=True):
    """A hand as a page says it; fields as in the module's docstring, but the quaternion is of length 1."""

    side: HandSide
    number: int
    sent_ms: float
    check: int
    engagement: int = 0
    grips: int = 0
    tracked: bool = True
    scale: float = 1.0
    base_T_hand: Pose7 = IDENTITY
    twist: Vector6 = REST6
    acceleration: Vector6 = REST6
    stick: tuple[float, float, float] = (0.0, 0.0, 0.0)
    echo_ms: float = 0.0
    held_ms: float = 0.0
    age_ms: float = 0.0


class StatePacket(msgspec.Struct, frozen=True):
    """An arm as pages see it; fields as in the module's docstring."""

    number: int
    now_ms: float
    index: int = NO_ARM
    fault: bool = False
    stopped: bool = False
    at_rest: bool = False
    contact: bool = False
    driven: bool = False
    moved: bool = False
    echo_ms: float = 0.0
    held_ms: float = 0.0
    engaged: int = 0
    knocks: int = 0
    knock: float = 0.0
    press: float = 0.0
    sample_age_ms: float = 0.0
    q: Joints7 = REST7
    wrench: Vector6 = REST6
    base_T_tool: Pose7 = IDENTITY
    base_T_target: Pose7 = IDENTITY
    hand_age_ms: float = -1.0


def session_check(session: str) -> int:
    """First 4 bytes of a session's id, little-endian: a packet of another session is recognised by it."""
    return int.from_bytes(session.encode()[:4], "little")


def encode_hand_packet(packet: HandPacket) -> bytes:
    """As a page sends it; what is out of bounds is packed as it is."""
    return _HAND.pack(
        HAND_MAGIC,
        PACKET_VERSION,
        _SIDES.index(packet.side),
        int(packet.tracked),
        packet.scale,
        packet.sent_ms,
        packet.number,
        packet.engagement,
        packet.grips,
        *packet.base_T_hand,
        *packet.twist,
        *packet.acceleration,
        *packet.stick,
        packet.check,
        packet.echo_ms,
        packet.held_ms,
        packet.age_ms,
    )


def hand_packets(message: bytes) -> tuple[bytes, ...]:
    """The packets of a message: one for each of a person's hands. What is none stays whole, to be refused."""
    if len(message) != len(_SIDES) * HAND_BYTES:
        return (message,)
    return tuple(message[at : at + HAND_BYTES] for at in range(0, len(message), HAND_BYTES))


def decode_hand_packet(payload: bytes) -> HandPacket:
    """Raises MalformedMessage, naming what is wrong, for what is no packet or out of bounds."""
    if len(payload) != HAND_BYTES:
        raise MalformedMessage(f"a hand's packet has {HAND_BYTES} bytes, not {len(payload)}")
    magic, version, hand, bits, scale, sent_ms, number, engagement, grips, *rest = _HAND.unpack(payload)
    if magic != HAND_MAGIC or version != PACKET_VERSION:
        raise MalformedMessage(
            f"a packet begins with {HAND_MAGIC:#x}, version {PACKET_VERSION}, not {magic:#x}, {version}: "
            "load the page anew"
        )
    if hand >= len(_SIDES) or bits > 1:
        raise MalformedMessage(
            f"hand is 0 or 1 and of the bits only the first is used, not {hand}, {bits:#x}"
        )
    if not all(map(math.isfinite, (scale, sent_ms, *rest))):
        raise MalformedMessage("a number of a hand's packet is not finite")
    pose, twist, acceleration, stick = rest[0:7], rest[7:13], rest[13:19], rest[19:22]
    check, echo_ms, held_ms, age_ms = rest[22:26]
    _within("scale", (scale,), LEAST_SCALE * (1.0 - _ROUNDING), MOST_SCALE)
    _within("sent", (sent_ms,), 0.0, _LATEST_CLOCK_MS)
    _within("position", pose[:3], -_FARTHEST_M, _FARTHEST_M)
    _within("twist", twist, -_FASTEST, _FASTEST)
    _within("acceleration", acceleration, -_HARDEST, _HARDEST)
    _within("stick", stick, -1.0, 1.0)
    _within("echo", (echo_ms,), 0.0, _LATEST_CLOCK_MS)
    _within("held", (held_ms,), 0.0, LONGEST_MS)
    _within("age", (age_ms,), -MOST_AHEAD_MS, OLDEST_MS)
    length = math.hypot(*pose[3:])
    if abs(length - 1.0) > _UNIT_WITHIN:
        raise MalformedMessage(f"a quaternion has length 1 within {_UNIT_WITHIN:g}, not {length:.6g}")
    x, y, z = pose[:3]
    qx, qy, qz, qw = (value / length for value in pose[3:])
    forward, left, turn = stick
    return HandPacket(
        side=_SIDES[hand],
        number=number,
        sent_ms=sent_ms,
        check=check,
        engagement=engagement,
        grips=grips,
        tracked=bits == 1,
        scale=min(max(scale, LEAST_SCALE), MOST_SCALE),
        base_T_hand=(x, y, z, qx, qy, qz, qw),
        twist=_vector6(twist),
        acceleration=_vector6(acceleration),
        stick=(forward, left, turn),
        echo_ms=echo_ms,
        held_ms=held_ms,
        age_ms=age_ms,
    )


def encode_state_packet(packet: StatePacket) -> bytes:
    """As it goes to the page. Numbers wrap at 2³²; ages are cut off at 60 000 ms; too large is infinite."""
    flags = (packet.fault, packet.stopped, packet.at_rest, packet.contact, packet.driven, packet.moved)
    numbers = (
        packet.knock,
        packet.press,
        min(packet.sample_age_ms, LONGEST_MS),
        *packet.q,
        *packet.wrench,
        *packet.base_T_tool,
        *packet.base_T_target,
        min(packet.hand_age_ms, LONGEST_MS),
    )
    head = (
        STATE_MAGIC,
        PACKET_VERSION,
        packet.index,
        sum(1 << bit for bit, flag in enumerate(flags) if flag),
        packet.number & 0xFFFF_FFFF,
        packet.now_ms,
        packet.echo_ms,
        min(packet.held_ms, LONGEST_MS),
        packet.engaged,
        packet.knocks & 0xFFFF_FFFF,
    )
    try:
        return _STATE.pack(*head, *numbers)
    except OverflowError:  # an arm may report nonsense: of that the page is told, too
        return _STATE.pack(*head, *map(_within_float32, numbers))


def decode_state_packet(payload: bytes) -> StatePacket:
    """What a page reads: for scripted pages and tests. Raises MalformedMessage for what is no packet."""
    if len(payload) != STATE_BYTES or payload[0] != STATE_MAGIC or payload[1] != PACKET_VERSION:
        raise MalformedMessage(
            f"{len(payload)} bytes that begin with {payload[:2].hex()} are no state's packet"
        )
    _, _, index, bits, number, now_ms, echo_ms, held_ms, engaged, knocks, *rest = _STATE.unpack(payload)
    return StatePacket(
        number=number,
        now_ms=now_ms,
        index=index,
        fault=bool(bits & 1),
        stopped=bool(bits & 2),
        at_rest=bool(bits & 4),
        contact=bool(bits & 8),
        driven=bool(bits & 16),
        moved=bool(bits & 32),
        echo_ms=echo_ms,
        held_ms=held_ms,
        engaged=engaged,
        knocks=knocks,
        knock=rest[0],
        press=rest[1],
        sample_age_ms=rest[2],
        q=_seven(rest[3:10]),
        wrench=_vector6(rest[10:16]),
        base_T_tool=_seven(rest[16:23]),
        base_T_target=_seven(rest[23:30]),
        hand_age_ms=rest[30],
    )


def _within(what: str, values: tuple[float, ...] | list[float], lower: float, upper: float) -> None:
    for value in values:
        if not lower <= value <= upper:
            raise MalformedMessage(f"{what} of a hand's packet is {lower:g} to {upper:g}, not {value:.6g}")


def _within_float32(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) > _MOST_FLOAT32 else value


def _vector6(values: list[float]) -> Vector6:
    a, b, c, d, e, f = values
    return a, b, c, d, e, f


def _seven(values: list[float]) -> Pose7:
    a, b, c, d, e, f, g = values
    return a, b, c, d, e, f, g
