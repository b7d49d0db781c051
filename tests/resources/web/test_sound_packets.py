"""Sound packets: both halves read the same bytes, and nothing else is taken for one."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.audio.format import BLOCK
from resources.web.sound_packets import SOUND_MAGIC, SoundPacket, decode_sound, encode_sound

GOLDEN = (
    (SoundPacket(7, 258, struct.pack("<hhh", 1, -2, 32_767)), "504853310700000002010000030000000100feffff7f"),
    (SoundPacket(2**32 - 1, 0, struct.pack("<h", 5), is_last=True), "50485331ffffffff00000000010001000500"),
    (SoundPacket(1, 3, b"", is_broken_off=True), "50485331010000000300000000000200"),
)
"""The same bytes stand in resources/web/page/tests/sound/packets.test.ts."""


@pytest.mark.parametrize(("packet", "message"), GOLDEN)
def test_as_the_page_packs_them(packet: SoundPacket, message: str) -> None:
    assert encode_sound(packet).hex() == message
    assert decode_sound(bytes.fromhex(message)) == packet


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"", "0 bytes are no sound"),
        (b"PHS1", "4 bytes are no sound"),
        (b"x" * 40, "begins with 0x78787878"),
        (struct.pack("<IIIHH", SOUND_MAGIC, 1, 0, 3, 0) + bytes(5), "3 samples in 21 bytes"),
        (struct.pack("<IIIHH", SOUND_MAGIC, 1, 0, BLOCK + 1, 0) + bytes(2 * BLOCK + 2), "at most 512"),
        (struct.pack("<IIIHH", SOUND_MAGIC, 1, 0, 1, 3) + bytes(2), "flags 3"),
    ],
)
def test_what_is_none_is_refused_in_words(message: bytes, words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        decode_sound(message)


@given(st.binary(max_size=64), st.booleans())
def test_any_bytes_are_a_packet_or_refused(message: bytes, has_magic: bool) -> None:
    if has_magic:
        message = struct.pack("<I", SOUND_MAGIC) + message
    try:
        packet = decode_sound(message)
    except MalformedMessage:
        return
    assert encode_sound(packet) == message
