"""Sound from a page to its server: a binary message is one block of a talk.

Sixteen bytes, little-endian, then the samples: magic, the talk's number, the block's number in it (both
uint32), how many samples follow (uint16), flags (uint16). Samples are int16, one channel, 16 kHz.
The page's half is `resources/web/page/src/sound/packets.ts`.
"""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from resources.audio.format import BLOCK

SOUND_MAGIC: Final = 0x31534850  # "PHS1"
SOUND_HEAD_BYTES: Final = 16
LAST: Final = 1
"""Flag: whoever spoke let go of the button; all is said."""

BROKEN_OFF: Final = 2
"""Flag: the talk ended, and not because all was said: the page was hidden, the microphone has gone."""

BLOCKS_PER_S: Final = 40.0
BLOCKS_AT_ONCE: Final = 128.0
"""Of sound that was held up on its way: four seconds."""

_HEAD: Final = struct.Struct("<IIIHH")


class SoundPacket(msgspec.Struct, frozen=True):
    """One block. sound: int16, little-endian, as it came."""

    talk: int
    sequence: int
    sound: bytes
    is_last: bool = False
    is_broken_off: bool = False


def decode_sound(message: bytes) -> SoundPacket:
    """Raises MalformedMessage with what is wrong with it."""
    if len(message) < SOUND_HEAD_BYTES:
        raise MalformedMessage(f"{len(message)} bytes are no sound; its head alone has {SOUND_HEAD_BYTES}")
    magic, talk, sequence, samples, flags = _HEAD.unpack_from(message)
    if magic != SOUND_MAGIC:
        raise MalformedMessage(f"binary messages of this way are sound; this one begins with {magic:#010x}")
    if samples > BLOCK or len(message) != SOUND_HEAD_BYTES + 2 * samples:
        raise MalformedMessage(
            f"sound of {samples} samples in {len(message)} bytes; at most {BLOCK}, of 2 bytes each behind "
            f"{SOUND_HEAD_BYTES}"
        )
    if flags not in (0, LAST, BROKEN_OFF):
        raise MalformedMessage(f"sound with the flags {flags}; 0, {LAST} and {BROKEN_OFF} are allowed")
    sound = bytes(message[SOUND_HEAD_BYTES:])
    return SoundPacket(talk, sequence, sound, flags == LAST, flags == BROKEN_OFF)


def encode_sound(packet: SoundPacket) -> bytes:
    """The message of a packet."""
    flags = LAST if packet.is_last else BROKEN_OFF if packet.is_broken_off else 0
    head = _HEAD.pack(SOUND_MAGIC, packet.talk, packet.sequence, len(packet.sound) // 2, flags)
    return head + packet.sound
