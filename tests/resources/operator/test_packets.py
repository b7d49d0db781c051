"""Packets of hands and states: layout, bounds, and what arbitrary bytes do."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.operator import packets
from resources.operator.packets import HandPacket, StatePacket
from resources.types.masters import HandSide

GOLDEN = Path(__file__).parent / "data" / "packets.json"

#: Where a field of a HandPacket lies: offset, its format.
FIELDS = {
    "scale": (4, "<f"),
    "sent": (8, "<d"),
    **{f"pose{i}": (28 + 4 * i, "<f") for i in range(7)},
    **{f"twist{i}": (56 + 4 * i, "<f") for i in range(6)},
    **{f"acceleration{i}": (80 + 4 * i, "<f") for i in range(6)},
    **{f"stick{i}": (104 + 4 * i, "<f") for i in range(3)},
    "echo": (120, "<d"),
    "held": (128, "<f"),
    "age": (132, "<f"),
}


def golden() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(GOLDEN.read_text())
    return loaded


@pytest.mark.parametrize("case", golden()["hands"], ids=lambda case: case["what"])
def test_hands_are_packed_as_the_page_packs_them(case: dict[str, Any]) -> None:
    packet = msgspec.convert(case["packet"], HandPacket)
    assert packets.encode_hand_packet(packet).hex() == case["bytes"]
    assert packets.encode_hand_packet(
        packets.decode_hand_packet(bytes.fromhex(case["bytes"]))
    ) == bytes.fromhex(case["bytes"])


@pytest.mark.parametrize("case", golden()["refused"], ids=lambda case: case["what"])
def test_hands_out_of_bounds_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(MalformedMessage):
        packets.decode_hand_packet(bytes.fromhex(case["bytes"]))


@pytest.mark.parametrize("case", golden()["states"], ids=lambda case: case["what"])
def test_states_are_packed_as_the_page_reads_them(case: dict[str, Any]) -> None:
    packet = msgspec.convert(case["packet"], StatePacket)
    assert packets.encode_state_packet(packet).hex() == case["bytes"]


def test_sizes_are_those_of_the_docstring() -> None:
    assert len(packets.encode_hand_packet(hand())) == packets.HAND_BYTES == 136
    assert len(packets.encode_state_packet(StatePacket(1, 2.0))) == packets.STATE_BYTES == 160


def test_session_check_is_the_first_four_bytes_of_its_id() -> None:
    assert packets.session_check("abcdef") == 0x64636261


def test_a_quaternion_within_rounding_is_made_one() -> None:
    packed = bytearray(packets.encode_hand_packet(hand()))
    struct.pack_into("<f", packed, 52, 1.0005)
    decoded = packets.decode_hand_packet(bytes(packed))
    assert math.hypot(*decoded.base_T_hand[3:]) == pytest.approx(1.0, abs=1e-12)
    struct.pack_into("<f", packed, 52, 1.0015)
    with pytest.raises(MalformedMessage, match="length 1"):
        packets.decode_hand_packet(bytes(packed))


def test_ages_stop_and_numbers_wrap() -> None:
    packet = StatePacket(
        number=2**32 + 3, now_ms=1.0, held_ms=1e12, sample_age_ms=1e12, hand_age_ms=1e12, knocks=2**32
    )
    decoded = packets.decode_state_packet(packets.encode_state_packet(packet))
    assert (decoded.number, decoded.knocks) == (3, 0)
    assert decoded.held_ms == decoded.sample_age_ms == decoded.hand_age_ms == packets.LONGEST_MS


def test_no_number_of_an_arm_s_is_too_large_to_be_said() -> None:
    """What a ring holds may be nonsense; the page is told all the same, and its link lives on."""
    q = (1e300, -1e300, math.nan, math.inf, 1e39, 0.25, 0.0)
    decoded = packets.decode_state_packet(
        packets.encode_state_packet(StatePacket(1, 2.0, fault=True, sample_age_ms=-1e300, q=q))
    )
    assert decoded.fault
    assert decoded.sample_age_ms == -math.inf
    said = (math.inf, -math.inf, math.nan, math.inf, math.inf, 0.25, 0.0)
    assert decoded.q == pytest.approx(said, nan_ok=True)


@given(st.sampled_from(sorted(FIELDS)), st.sampled_from([math.nan, math.inf, -math.inf, 1e30, -1e30]))
def test_a_number_that_cannot_be_is_refused_wherever_it_stands(field: str, value: float) -> None:
    offset, form = FIELDS[field]
    packed = bytearray(packets.encode_hand_packet(hand()))
    struct.pack_into(form, packed, offset, value)
    with pytest.raises(MalformedMessage):
        packets.decode_hand_packet(bytes(packed))


@given(st.lists(st.tuples(st.integers(0, 135), st.integers(0, 7)), max_size=6), st.integers(0, 200))
def test_flipped_and_cut_packets_are_refused_or_within_bounds(
    flips: list[tuple[int, int]], length: int
) -> None:
    packed = bytearray(packets.encode_hand_packet(hand()))
    for offset, bit in flips:
        packed[offset] ^= 1 << bit
    check(bytes(packed))
    check(bytes(packed)[:length])
    check(bytes(packed) + b"\0")


@given(st.binary(max_size=3 * packets.HAND_BYTES) | st.binary(min_size=272, max_size=272))
def test_of_a_message_every_byte_is_in_one_of_two_packets_at_most(message: bytes) -> None:
    found = packets.hand_packets(message)
    assert b"".join(found) == message
    assert [len(each) for each in found] in ([len(message)], [packets.HAND_BYTES] * 2)
    assert len(found) == 2 or len(message) != 2 * packets.HAND_BYTES


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_within_bounds(payload: bytes) -> None:
    check(payload)
    check(b"\x50\x01" + payload)


def hand() -> HandPacket:
    return HandPacket(side=HandSide.RIGHT, number=7, sent_ms=1e3, check=packets.session_check("abcdef"))


def check(payload: bytes) -> None:
    """Either MalformedMessage, or everything a control loop may take: no third way."""
    try:
        packet = packets.decode_hand_packet(payload)
    except MalformedMessage:
        return
    numbers = (*packet.base_T_hand, *packet.twist, *packet.acceleration, *packet.stick)
    assert all(map(math.isfinite, (*numbers, packet.scale, packet.sent_ms, packet.echo_ms, packet.held_ms)))
    assert math.hypot(*packet.base_T_hand[3:]) == pytest.approx(1.0, abs=1e-9)
    assert max(map(abs, packet.base_T_hand[:3])) <= 100.0
    assert 0.05 <= packet.scale <= 2.0
    assert max(map(abs, packet.stick)) <= 1.0
