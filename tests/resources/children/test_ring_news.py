"""What is new in a ring: absent, once only, a writer that was started again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.errors import StreamError
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory
from resources.children.ring_news import RingNews


@pytest.fixture
def directory() -> Iterator[Path]:
    with RunDirectory.create() as made:
        yield made.path


def write(writer: RingWriter, text: bytes) -> None:
    writer.write(text, stamp_s=1.0)


def payload(news: RingNews) -> bytes | None:
    sample = news.newest()
    return None if sample is None else bytes(sample.payload)


def test_a_ring_that_is_not_there_is_looked_for_again(directory: Path) -> None:
    news = RingNews(directory / "hand.ring")
    with pytest.raises(StreamError):
        news.newest()
    with RingWriter(directory, "hand", slot_bytes=64) as writer:
        write(writer, b"a")
        assert payload(news) == b"a"
    news.close()
    news.close()


def test_each_sample_comes_once_and_only_the_newest_of_several(directory: Path) -> None:
    with RingWriter(directory, "hand", slot_bytes=64) as writer:
        news = RingNews(writer.path)
        write(writer, b"a")
        write(writer, b"b")
        assert [payload(news), payload(news)] == [b"b", None]
        news.close()


def test_a_writer_that_was_started_again_is_heard_from_its_first_sample_on(directory: Path) -> None:
    with RingWriter(directory, "hand", slot_bytes=64) as writer:
        news = RingNews(writer.path)
        for text in (b"a", b"b", b"c"):
            write(writer, text)
        assert payload(news) == b"c"
    with RingWriter(directory, "hand", slot_bytes=64, replace=True) as writer:
        write(writer, b"d")
        assert [payload(news), payload(news)] == [None, b"d"]
    news.close()
