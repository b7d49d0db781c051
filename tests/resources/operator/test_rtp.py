"""The head of an RTP packet, and how long the Opus in it is: whatever comes, it is read or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.operator.rtp import LONGEST_TICKS, SHORTEST_TICKS, decode_rtp, opus_ticks

HEAD = bytes.fromhex("80 e0 4141 8f12d2cf cf76c8e9")


def test_a_packet_of_a_browser_is_read() -> None:
    packet = decode_rtp(HEAD + b"\x78sound")
    assert (packet.payload_type, packet.sequence, packet.stamp, packet.source) == (
        96,
        0x4141,
        0x8F12D2CF,
        0xCF76C8E9,
    )
    assert packet.is_first and packet.sound == b"\x78sound"


def test_extension_contributors_and_padding_are_passed_over() -> None:
    head = bytes([0x80 | 0x20 | 0x10 | 1]) + HEAD[1:]
    packet = decode_rtp(head + bytes(4) + bytes.fromhex("bede 0001 00000000") + b"\x78ab" + b"\0\0\3")
    assert packet.sound == b"\x78ab"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        HEAD[:11],
        b"\x40" + HEAD[1:],
        b"\x90" + HEAD[1:] + b"\xbe\xde",
        b"\x90" + HEAD[1:] + b"\xbe\xde\xff\xff" + bytes(8),
        b"\x8f" + HEAD[1:] + bytes(8),
        b"\xa0" + HEAD[1:] + b"\xff",
    ],
    ids=["empty", "cut", "version", "cut extension", "long extension", "contributors", "padding"],
)
def test_what_is_no_packet_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode_rtp(data)


@pytest.mark.parametrize(
    ("sound", "ticks"),
    [
        (b"\x78", 960),
        (b"\x08\0", 960),
        (b"\x18\0", 2880),
        (b"\x70\0", 480),
        (b"\x79\0", 1920),
        (b"\x7b\x03", 2880),
    ],
)
def test_the_first_byte_says_how_long_it_is(sound: bytes, ticks: int) -> None:
    assert opus_ticks(sound) == ticks


@pytest.mark.parametrize(
    "sound",
    [b"", b"\x7b", b"\x7b\x00", b"\x7b\x3f", b"\xe0", b"\x78" * 1501],
    ids=["nothing", "no count", "no frame", "a second", "2.5 ms", "giant"],
)
def test_sound_of_no_such_length_is_refused(sound: bytes) -> None:
    with pytest.raises(MalformedMessage):
        opus_ticks(sound)


@given(st.binary(max_size=100) | st.binary(max_size=80).map(lambda rest: HEAD + rest))
def test_whatever_comes_is_read_or_refused(data: bytes) -> None:
    try:
        packet = decode_rtp(data)
        ticks = opus_ticks(packet.sound)
    except MalformedMessage:
        return
    assert SHORTEST_TICKS <= ticks <= LONGEST_TICKS and len(packet.sound) <= len(data) - 12
