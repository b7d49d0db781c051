"""A ring that grows loses nothing of what was not read yet, and hands nothing out twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import MalformedMessage
from framework.transport.every_sample import EverySample
from resources.ros.growing_ring import GrowingRing


def read(reader: EverySample) -> list[int]:
    return [sample.payload.nbytes for sample in reader.news()]


def test_whatever_its_size_each_message_is_read_once(tmp_path: Path) -> None:
    ring = GrowingRing(tmp_path, "a", slots=16, most_bytes=1 << 20)
    reader = EverySample(ring.path, goes_on=True)
    for size in (100, 3000, 6000):  # between two looks: the ring in the middle is never seen
        ring.write(b"x" * size, stamp_s=0.0)
    found = read(reader) + read(reader)
    assert found == [100, 3000, 6000]
    ring.write(b"x" * 50, stamp_s=0.0)
    ring.write(b"x" * 100_000, stamp_s=0.0)
    assert read(reader) + read(reader) == [50, 100_000]
    assert not reader.is_anew
    ring.close()


def test_who_comes_after_its_writer_died_begins_anew(tmp_path: Path) -> None:
    ring = GrowingRing(tmp_path, "a", slots=16, most_bytes=1 << 20)
    reader = EverySample(ring.path)  # as of another process: numbers begin anew
    ring.write(b"x", stamp_s=0.0)
    assert read(reader) == [1]
    other = GrowingRing(tmp_path, "a", slots=16, most_bytes=1 << 20)
    other.write(b"xy", stamp_s=0.0)
    assert read(reader) == [2] and reader.is_anew
    other.close()
    ring.close()


def test_large_messages_have_few_slots_and_too_large_ones_are_refused(tmp_path: Path) -> None:
    ring = GrowingRing(tmp_path, "a", slots=256, most_bytes=20 << 20)
    ring.write(bytes(16 << 20), stamp_s=0.0)
    assert ring.path.stat().st_size < 70 << 20
    with pytest.raises(MalformedMessage, match="20971521 bytes came; 20971520 are allowed"):
        ring.write(bytes((20 << 20) + 1), stamp_s=0.0)
    ring.close()
