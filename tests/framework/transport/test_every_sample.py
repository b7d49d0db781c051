"""No sample of a stream is missed or handed out twice, also where another ring takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import StreamError
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter


def writer(folder: Path) -> RingWriter:
    return RingWriter(folder, "words", slot_bytes=64, slots=16, replace=True)


def texts(reading: EverySample, **how: int) -> list[bytes]:
    return [bytes(sample.payload) for sample in reading.news(**how)]


def test_where_there_is_no_stream_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="none"):
        EverySample(tmp_path / "none.ring")


def test_each_is_handed_out_once_and_of_many_so_many_at_a_time(tmp_path: Path) -> None:
    ring = writer(tmp_path)
    reading = EverySample(ring.path)
    assert texts(reading) == []
    for each in (b"a", b"b", b"c"):
        ring.write(each, stamp_s=0.0)
    assert texts(reading, most=2) == [b"a", b"b"]
    assert texts(reading) == [b"c"]
    assert texts(reading) == []
    reading.close()


def test_what_was_written_before_another_ring_came_is_read_first_and_then_all_of_that_one(
    tmp_path: Path,
) -> None:
    ring = writer(tmp_path)
    reading = EverySample(ring.path)
    ring.write(b"last words", stamp_s=0.0)
    again = writer(tmp_path)
    again.write(b"first words", stamp_s=0.0)
    assert (texts(reading), reading.is_anew) == ([b"last words"], False)
    assert (texts(reading), reading.is_anew) == ([b"first words"], True)
    assert (texts(reading), reading.is_anew) == ([], False)
    reading.close()
