"""The rings of a session: numbers that only rise, whoever writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import StreamError
from framework.transport.ring import RingReader
from resources.operator.hand_rings import HandRings
from resources.types.masters import HandSample, HandSide, decode_hand
from resources.types.streams import StreamFormat


def test_each_hand_is_read_where_it_is_said_to_be(tmp_path: Path) -> None:
    rings = HandRings("abcd", tmp_path)
    assert [hand.side for hand in rings.hands] == list(HandSide)
    for number, hand in enumerate(rings.hands, 1):
        assert hand.stream.format is StreamFormat.HAND
        rings.write(hand.side, HandSample("abcd", number, 1.0, 1.5))
        with RingReader(Path(hand.stream.ring)) as reader:
            sample = reader.latest()
            assert sample is not None
            assert sample.stamp_s == 1.5
            assert decode_hand(sample.payload).number == number
    rings.close()
    rings.close()
    assert not list(tmp_path.iterdir())


def test_what_was_highest_is_kept_for_the_next_link(tmp_path: Path) -> None:
    rings = HandRings("abcd", tmp_path)
    rings.write(HandSide.RIGHT, HandSample("abcd", 5, 1.0, 1.0, engagement=3, grips=2))
    rings.write(HandSide.LEFT, HandSample("abcd", 6, 1.0, 1.0, engagement=4, grips=7))
    rings.write(HandSide.RIGHT, HandSample("abcd", 7, 1.0, 1.0, engagement=0, grips=2))
    assert (rings.number, rings.engagement) == (7, 4)
    assert (rings.grips, rings.grips_of(HandSide.LEFT)) == (2, 7)
    rings.close()


def test_a_session_that_is_over_is_not_written(tmp_path: Path) -> None:
    rings = HandRings("abcd", tmp_path)
    rings.close()
    with pytest.raises(StreamError):
        rings.write(HandSide.RIGHT, HandSample("abcd", 1, 1.0, 1.0))
