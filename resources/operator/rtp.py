"""One packet of a page's audio track: its head, and how long the Opus sound in it is. Pure.

RFC 3550, 5.1 (the head) and RFC 6716, 3.1 (Opus' first byte). Extensions of the head are passed over, none of
them is needed.
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from framework.errors import MalformedMessage

TRACK_RATE_HZ: Final = 48_000
"""Opus' clock in RTP, whatever is in it (RFC 7587, 4.1)."""

MOST_SOUND_BYTES: Final = 1500
"""Of one packet's sound; browsers send some 60."""

SHORTEST_TICKS: Final = 480
LONGEST_TICKS: Final = 2880
"""10 to 60 ms: browsers send 20; of shorter ones more than the limit would come."""

_HEAD: Final = struct.Struct("!BBHII")
_VERSION: Final = 2


class TrackPacket(msgspec.Struct, frozen=True):
    """Its sequence number rises by 1 with each (16 bits), its stamp by its length [1/48 000 s] (32 bits).

    is_first: its sender says that a spurt of talk begins with it (the marker bit; RFC 3551, 4.1).
    """

    payload_type: int
    sequence: int
    stamp: int
    source: int
    is_first: bool
    sound: bytes


def decode_rtp(data: bytes) -> TrackPacket:
    """Raises MalformedMessage with what is wrong with it."""
    if len(data) < _HEAD.size:
        raise MalformedMessage(f"{len(data)} bytes are no RTP packet; its head alone has {_HEAD.size}")
    first, second, sequence, stamp, source = _HEAD.unpack_from(data)
    if first >> 6 != _VERSION:
        raise MalformedMessage(f"an RTP packet of version {first >> 6}; {_VERSION} is allowed")
    begins, ends = _HEAD.size + 4 * (first & 0x0F), len(data)
    if first & 0x10:
        if ends < begins + 4:
            raise MalformedMessage("an RTP packet whose head is cut off")
        begins += 4 + 4 * int.from_bytes(data[begins + 2 : begins + 4])
    if first & 0x20:
        ends -= data[-1]
    if begins > ends:
        raise MalformedMessage(f"an RTP packet of {len(data)} bytes whose head and padding are longer")
    return TrackPacket(second & 0x7F, sequence, stamp, source, bool(second & 0x80), data[begins:ends])


def opus_ticks(sound: bytes) -> int:
    """How long the sound of a packet is [1/48 000 s]. Raises MalformedMessage for what is none."""
    if not 1 <= len(sound) <= MOST_SOUND_BYTES:
        raise MalformedMessage(
            f"a packet of {len(sound)} bytes of sound; 1 to {MOST_SOUND_BYTES} are allowed"
        )
    config, code = sound[0] >> 3, sound[0] & 3
    if config < 12:
        frame = (480, 960, 1920, 2880)[config % 4]
    elif config < 16:
        frame = (480, 960)[config % 2]
    else:
        frame = (120, 240, 480, 960)[config % 4]
    if code == 3 and len(sound) < 2:
        raise MalformedMessage("a packet of Opus that does not say how many frames it has")
    frames = 1 if code == 0 else 2 if code < 3 else sound[1] & 0x3F
    ticks = frames * frame
    if not SHORTEST_TICKS <= ticks <= LONGEST_TICKS:
        raise MalformedMessage(
            f"a packet of {ticks / 48:g} ms of sound; "
            f"{SHORTEST_TICKS // 48} to {LONGEST_TICKS // 48} are allowed"
        )
    return ticks


def one_lost(sound: bytes) -> bytes:
    """What makes a decoder conceal one frame like this packet's: its first byte alone.

    RFC 6716, 3.2.1: a frame of no bytes is one that was lost, or was not sent.
    """
    return bytes([sound[0] & 0xFC])
