"""One talk: every block in its place, what did not come marked as lost, and how it ends."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import SoundError
from resources.audio.format import BLOCK_BYTES, BLOCK_S
from resources.audio.talk import LONGEST_TALK_S, MOST_BLOCKS, Talk, Written

BLOCK = bytes(BLOCK_BYTES)


def kinds(written: list[Written]) -> str:
    """ "." a block, "-" lost sound, "!" the last block."""
    return "".join("!" if each.is_last else "." if each.sound else "-" for each in written)


def test_blocks_go_on_as_they_come_and_the_last_one_is_filled_up() -> None:
    talk = Talk(1)
    assert kinds(talk.take(0, BLOCK, 5.0)) == "."
    assert kinds(talk.take(1, BLOCK, 5.0 + BLOCK_S)) == "."
    (last,) = talk.take(2, b"\1\0\2\0", 5.0 + 2 * BLOCK_S, is_last=True)
    assert last.is_last and last.sound == b"\1\0\2\0" + bytes(BLOCK_BYTES - 4)
    assert talk.is_over


@pytest.mark.parametrize("first", [0, 3])
def test_what_did_not_come_is_marked_also_at_the_beginning(first: int) -> None:
    talk = Talk(1)
    begun = kinds(talk.take(first, BLOCK, 5.0))
    assert begun == ("-." if first else ".")
    assert kinds(talk.take(first + 5, BLOCK, 5.2)) == "-."


def test_what_is_no_block_of_it_is_refused_and_changes_nothing() -> None:
    talk = Talk(1)
    talk.take(0, BLOCK, 5.0)
    for sound in (BLOCK[:-1], BLOCK[:-2], BLOCK + b"\0\0", b""):
        with pytest.raises(SoundError, match="512 samples of 2 bytes are one"):
            talk.take(1, sound, 5.1)
    for sequence in (0, MOST_BLOCKS + 1, 2**32 - 1):
        with pytest.raises(SoundError, match="whose next one is 1: numbers rise"):
            talk.take(sequence, BLOCK, 5.1)
    assert kinds(talk.take(1, BLOCK, 5.0 + BLOCK_S)) == "."


def test_broken_off_it_ends_with_lost_sound_once() -> None:
    talk = Talk(1)
    (block,) = talk.take(0, BLOCK, 5.0)
    ended = talk.break_off(5.0)
    assert kinds(ended) == "-!"
    assert ended[-1].until_s > block.until_s
    assert talk.break_off(6.0) == []
    with pytest.raises(SoundError, match="is over"):
        talk.take(1, BLOCK, 6.0)


def test_it_is_too_long_after_a_minute() -> None:
    talk = Talk(1)
    talk.take(MOST_BLOCKS - 2, BLOCK, 5.0)
    assert not talk.is_too_long
    talk.take(MOST_BLOCKS - 1, BLOCK, 5.1)
    assert talk.is_too_long
    assert abs(MOST_BLOCKS * BLOCK_S - LONGEST_TALK_S) < BLOCK_S


@given(
    st.lists(
        st.tuples(st.integers(0, 2000), st.binary(max_size=1100), st.floats(0.0, 100.0), st.booleans()),
        max_size=30,
    )
)
def test_whatever_comes_is_taken_in_order_or_refused(
    packets: list[tuple[int, bytes, float, bool]],
) -> None:
    talk = Talk(1)
    told: list[Written] = []
    for sequence, sound, arrived_s, is_last in packets:
        with suppress(SoundError):
            told += talk.take(sequence, sound, arrived_s, is_last=is_last)
    blocks = [each for each in told if each.sound]
    assert all(len(each.sound) == BLOCK_BYTES for each in blocks)
    assert [each.until_s for each in blocks] == sorted({each.until_s for each in blocks})
    assert not any(each.is_last for each in told[:-1])


def test_a_talk_soon_after_a_burst_begins_after_the_one_before() -> None:
    first = Talk(1)
    for sequence in range(90):
        first.take(sequence, BLOCK, 5.0, is_last=sequence == 89)
    assert first.until_s is not None and first.until_s > 5.0
    (written,) = Talk(2, first.until_s).take(0, BLOCK, 5.1)
    assert written.until_s >= first.until_s + BLOCK_S
    (written,) = Talk(3, first.until_s).take(0, BLOCK, 50.0)
    assert written.until_s == 50.0
