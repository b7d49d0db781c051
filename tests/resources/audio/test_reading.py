"""Every block once and in order; what is missing is said, and what is no sound is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from framework.errors import StreamError
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.audio.format import BLOCK, BLOCK_BYTES, BLOCK_S, OVER
from resources.audio.reading import AudioReading, excerpt

SLOTS = 20


@pytest.fixture
def directory() -> Iterator[Path]:
    with RunDirectory.create() as run:
        yield run.path


@pytest.fixture
def ring(directory: Path) -> Iterator[RingWriter]:
    with RingWriter(directory, "ear", slot_bytes=BLOCK_BYTES, slots=SLOTS) as writer:
        yield writer


def write(ring: RingWriter, *numbers: int, at_s: float = 0.0) -> None:
    """Blocks that are told apart by their samples; number n ends n blocks after `at_s`."""
    for number in numbers:
        ring.write(np.full(BLOCK, number, np.int16), stamp_s=at_s + number * BLOCK_S)


def numbers(reading: AudioReading) -> list[int]:
    return [int(block.samples[0]) for block in reading.news()]


def test_no_such_microphone(directory: Path) -> None:
    with pytest.raises(StreamError, match="is its writer running"):
        AudioReading(directory / "nobody.ring")


def test_each_block_once_in_order(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1, 2, 3)
    assert numbers(reading) == [1, 2, 3]
    assert numbers(reading) == []
    write(ring, 4)
    assert numbers(reading) == [4]


def test_who_comes_late_hears_what_is_left_and_is_told_that_some_is_missing(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1)
    assert [block.is_after_gap for block in reading.news()] == [False]
    write(ring, *range(2, 2 * SLOTS))
    blocks = reading.news()
    assert [int(block.samples[0]) for block in blocks] == list(range(SLOTS + 1, 2 * SLOTS))
    assert [block.is_after_gap for block in blocks] == [True] + [False] * (SLOTS - 2)


def test_what_was_before_somebody_listened_is_passed_over(ring: RingWriter) -> None:
    write(ring, *range(1, 10))
    reading = AudioReading(ring.path, since_s=4 * BLOCK_S)
    assert numbers(reading) == [5, 6, 7, 8, 9]


def test_a_pause_of_the_machine_is_a_gap(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1, 2, 30)
    assert [block.is_after_gap for block in reading.news()] == [False, False, True]


def test_what_is_no_sound_is_counted_and_leaves_a_gap(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1)
    ring.write(b"nonsense", stamp_s=2 * BLOCK_S)
    write(ring, 3)
    blocks = reading.news()
    assert [int(block.samples[0]) for block in blocks] == [1, 3]
    assert [block.is_after_gap for block in blocks] == [False, True]
    assert reading.unreadable == 1


def test_another_life_of_the_microphone_is_gone_over_to_with_a_gap(directory: Path) -> None:
    first = RingWriter(directory, "ear", slot_bytes=BLOCK_BYTES, slots=SLOTS)
    write(first, 1, 2)
    reading = AudioReading(first.path)
    assert numbers(reading) == [1, 2]
    second = RingWriter(directory, "ear", slot_bytes=BLOCK_BYTES, slots=SLOTS, replace=True)
    write(second, 3, 4)
    blocks = reading.news()
    assert [(int(block.samples[0]), block.is_after_gap) for block in blocks] == [(3, True), (4, False)]
    first.close()
    second.close()


def test_an_excerpt_is_what_lies_between_two_moments(ring: RingWriter) -> None:
    write(ring, *range(1, 10))
    found = excerpt(ring.path, 2 * BLOCK_S, 5 * BLOCK_S)
    assert sorted(set(found.samples.tolist())) == [3, 4, 5, 6]  # and the block that is cut by the end
    assert found.is_whole
    assert found.began_s == pytest.approx(2 * BLOCK_S)


def test_an_excerpt_that_lacks_something_says_so(ring: RingWriter) -> None:
    write(ring, 1, 2)
    ring.write(b"nonsense", stamp_s=3 * BLOCK_S)
    write(ring, 4, 5)
    assert not excerpt(ring.path, 0.0, 5 * BLOCK_S).is_whole
    write(ring, *range(6, 60))
    assert not excerpt(ring.path, 30 * BLOCK_S, 45 * BLOCK_S).is_whole  # its beginning is overwritten
    with pytest.raises(StreamError, match=r"nothing of 0\.00 to 0\.06 s"):
        excerpt(ring.path, 0.0, 2 * BLOCK_S - 0.001)


def test_whoever_writes_may_say_that_sound_is_lost(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1)
    ring.write(b"", stamp_s=1.5 * BLOCK_S)
    write(ring, 2)
    assert [(int(block.samples[0]), block.is_after_gap) for block in reading.news()] == [
        (1, False),
        (2, True),
    ]
    assert reading.unreadable == 0
    assert not excerpt(ring.path, 0.0, 2 * BLOCK_S).is_whole


def test_who_has_much_to_make_up_for_takes_a_part_at_a_time(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, *range(1, 10))
    assert [int(block.samples[0]) for block in reading.news(4)] == [1, 2, 3, 4]
    assert [int(block.samples[0]) for block in reading.news(4)] == [5, 6, 7, 8]
    assert [int(block.samples[0]) for block in reading.news(4)] == [9]


def test_an_excerpt_whose_end_has_not_come_or_that_has_a_pause_in_it_is_not_whole(ring: RingWriter) -> None:
    write(ring, 1, 2, 3)
    assert excerpt(ring.path, 0.0, 3 * BLOCK_S).is_whole
    assert not excerpt(ring.path, 0.0, 6 * BLOCK_S).is_whole
    write(ring, 13)
    assert not excerpt(ring.path, 0.0, 13 * BLOCK_S).is_whole


def test_after_the_last_block_of_a_talk_whatever_comes_next_is_something_else(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    write(ring, 1, 2)
    ring.write(np.full(BLOCK, 3, np.int16), stamp_s=3 * BLOCK_S, meta=OVER)
    write(ring, 4, 5, at_s=60.0)
    blocks = reading.news()
    assert [block.is_last for block in blocks] == [False, False, True, False, False]
    assert not any(block.is_after_gap for block in blocks)


def test_sound_that_is_lost_before_anything_was_heard_is_a_gap_too(ring: RingWriter) -> None:
    reading = AudioReading(ring.path)
    ring.write(b"", stamp_s=0.0)
    write(ring, 1, 2)
    assert [block.is_after_gap for block in reading.news()] == [True, False]
